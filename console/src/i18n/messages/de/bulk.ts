// This file contains the texts of the area "bulk" in the language "de".

import type { bulk as english } from '../en/bulk.ts';

export const bulk: Readonly<Record<keyof typeof english, string>> = {
  'bulk.selection': 'Auswahl',
  'bulk.selected': '{count, plural, one {# ausgewählt} other {{shown} ausgewählt}}',
  'bulk.allSelected': 'Alle passenden sind ausgewählt',
  'bulk.selectAll': 'Alle passenden auswählen',
  'bulk.tooMany': 'Wählen Sie höchstens {most} einzelne Zeilen aus, oder alle passenden.',
  'bulk.clear': 'Auswahl aufheben',
  'bulk.edit': 'Auswahl bearbeiten',
  'bulk.property': 'Eigenschaft',
  'bulk.try': 'Prüfen',
  'bulk.trying': 'Prüfung: {done} von {of}',
  'bulk.running': 'Änderung: {done} von {of}',
  'bulk.progress': 'Fortschritt',
  'bulk.tried':
    '{fine, plural, one {# Datensatz kann} other {# Datensätze können}} geändert werden, {failed} nicht.',
  'bulk.run': '{fine, plural, one {# Datensatz ändern} other {# Datensätze ändern}}',
  'bulk.failure': '{message} ({count, plural, one {# Datensatz} other {# Datensätze}})',
  'bulk.delete': 'Auswahl löschen',
  'bulk.deleteText':
    'Die ausgewählten Datensätze werden gelöscht, nachdem Sie gesehen haben, bei welchen das möglich ist.',
  'bulk.stopping': 'Wird abgebrochen; die laufende Anfrage ist die letzte.',
  'bulk.deleting': 'Löschen: {done} von {of}',
  'bulk.triedDelete':
    '{fine, plural, one {# Datensatz kann} other {# Datensätze können}} gelöscht werden, {failed} nicht.',
  'bulk.runDelete': '{fine, plural, one {# Datensatz löschen} other {# Datensätze löschen}}',
  'bulk.finished': '{changed} geändert, {failed} fehlgeschlagen, {left} nicht versucht.',
  'bulk.finishedDelete': '{changed} gelöscht, {failed} fehlgeschlagen, {left} nicht versucht.',
  'bulk.staySelected':
    'Fehlgeschlagene und nicht versuchte Datensätze bleiben ausgewählt; die Liste zeigt, warum.',
  'bulk.saveFailures': 'Fehlschläge als CSV speichern',
  'bulk.export': 'Exportieren',
  'bulk.exporting': '{size} kB · Abbrechen',
  'bulk.csvShown': 'CSV, sichtbare Spalten',
  'bulk.xlsxShown': 'Excel, sichtbare Spalten',
  'bulk.csvAll': 'CSV, alle Spalten',
  'bulk.xlsxAll': 'Excel, alle Spalten',
};
