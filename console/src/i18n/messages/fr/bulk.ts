// This file contains the texts of the area "bulk" in the language "fr".

import type { bulk as english } from '../en/bulk.ts';

export const bulk: Readonly<Record<keyof typeof english, string>> = {
  'bulk.selection': 'Sélection',
  'bulk.selected': '{count, plural, one {# sélectionné} other {{shown} sélectionnés}}',
  'bulk.allSelected': 'Tout ce qui correspond est sélectionné',
  'bulk.selectAll': 'Sélectionner tout ce qui correspond',
  'bulk.tooMany': 'Sélectionnez au plus {most} lignes, ou tout ce qui correspond.',
  'bulk.clear': 'Effacer la sélection',
  'bulk.edit': 'Modifier la sélection',
  'bulk.property': 'Propriété',
  'bulk.try': 'Vérifier',
  'bulk.trying': 'Vérification : {done} sur {of}',
  'bulk.running': 'Modification : {done} sur {of}',
  'bulk.progress': 'Progression',
  'bulk.tried':
    '{fine, plural, one {# enregistrement peut être modifié} other {# enregistrements peuvent être modifiés}}, {failed} non.',
  'bulk.run': '{fine, plural, one {Modifier # enregistrement} other {Modifier # enregistrements}}',
  'bulk.failure': '{message} ({count, plural, one {# enregistrement} other {# enregistrements}})',
  'bulk.delete': 'Supprimer la sélection',
  'bulk.deleteText':
    'Les enregistrements sélectionnés sont supprimés une fois que vous avez vu lesquels peuvent l’être.',
  'bulk.stopping': 'Annulation ; la requête en cours est la dernière.',
  'bulk.deleting': 'Suppression : {done} sur {of}',
  'bulk.triedDelete':
    '{fine, plural, one {# enregistrement peut être supprimé} other {# enregistrements peuvent être supprimés}}, {failed} non.',
  'bulk.runDelete':
    '{fine, plural, one {Supprimer # enregistrement} other {Supprimer # enregistrements}}',
  'bulk.finished': '{changed} modifiés, {failed} en échec, {left} non traités.',
  'bulk.finishedDelete': '{changed} supprimés, {failed} en échec, {left} non traités.',
  'bulk.staySelected':
    'Les enregistrements en échec ou non traités restent sélectionnés ; la liste montre pourquoi.',
  'bulk.saveFailures': 'Enregistrer les échecs en CSV',
  'bulk.export': 'Exporter',
  'bulk.exporting': '{size} ko · Annuler',
  'bulk.csvShown': 'CSV, colonnes visibles',
  'bulk.xlsxShown': 'Excel, colonnes visibles',
  'bulk.csvAll': 'CSV, toutes les colonnes',
  'bulk.xlsxAll': 'Excel, toutes les colonnes',
};
