// This file contains the texts of the area "bulk" in the language "nl".

import type { bulk as english } from '../en/bulk.ts';

export const bulk: Readonly<Record<keyof typeof english, string>> = {
  'bulk.selection': 'Selectie',
  'bulk.selected': '{count, plural, one {# geselecteerd} other {{shown} geselecteerd}}',
  'bulk.allSelected': 'Alles wat voldoet is geselecteerd',
  'bulk.selectAll': 'Alles selecteren wat voldoet',
  'bulk.tooMany': 'Selecteer hoogstens {most} losse rijen, of alles wat voldoet.',
  'bulk.clear': 'Selectie wissen',
  'bulk.edit': 'Selectie bewerken',
  'bulk.property': 'Eigenschap',
  'bulk.try': 'Controleren',
  'bulk.trying': 'Controleren: {done} van {of}',
  'bulk.running': 'Wijzigen: {done} van {of}',
  'bulk.progress': 'Voortgang',
  'bulk.tried':
    '{fine, plural, one {# record kan} other {# records kunnen}} worden gewijzigd, {failed} niet.',
  'bulk.run': '{fine, plural, one {# record wijzigen} other {# records wijzigen}}',
  'bulk.failure': '{message} ({count, plural, one {# record} other {# records}})',
  'bulk.delete': 'Selectie verwijderen',
  'bulk.deleteText':
    'De geselecteerde records worden verwijderd nadat u hebt gezien bij welke dat kan.',
  'bulk.stopping': 'Wordt geannuleerd; het lopende verzoek is het laatste.',
  'bulk.deleting': 'Verwijderen: {done} van {of}',
  'bulk.triedDelete':
    '{fine, plural, one {# record kan} other {# records kunnen}} worden verwijderd, {failed} niet.',
  'bulk.runDelete': '{fine, plural, one {# record verwijderen} other {# records verwijderen}}',
  'bulk.finished': '{changed} gewijzigd, {failed} mislukt, {left} niet geprobeerd.',
  'bulk.finishedDelete': '{changed} verwijderd, {failed} mislukt, {left} niet geprobeerd.',
  'bulk.staySelected':
    'Records die mislukten of niet zijn geprobeerd blijven geselecteerd; de lijst toont waarom.',
  'bulk.saveFailures': 'Mislukte als CSV opslaan',
  'bulk.export': 'Exporteren',
  'bulk.exporting': '{size} kB · Annuleren',
  'bulk.csvShown': 'CSV, zichtbare kolommen',
  'bulk.xlsxShown': 'Excel, zichtbare kolommen',
  'bulk.csvAll': 'CSV, alle kolommen',
  'bulk.xlsxAll': 'Excel, alle kolommen',
};
