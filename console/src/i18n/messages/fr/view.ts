// This file contains the texts of the area "view" in the language "fr".

export const view = {
  'view.all': 'Tous : {set}',
  'view.unnamed': 'Vue sans nom',
  'view.modified': 'modifiée',
  'view.own': 'Mes vues',
  'view.shared': 'Vues partagées',
  'view.default': 'par défaut',
  'view.saved': 'Vue « {name} » enregistrée',
  'view.discard': 'Annuler les modifications',
  'view.saveAs': 'Enregistrer sous…',
  'view.edit': 'Nom et partage…',
  'view.delete': 'Supprimer la vue…',
  'view.new': 'Enregistrer comme nouvelle vue',
  'view.name': 'Nom',
  'view.visibleTo': 'Visible par',
  'view.makeDefault': 'Ouvrir « {set} » avec cette vue',
  'view.deleteAsk': 'Supprimer la vue « {name} » ? Aucun enregistrement n’est supprimé.',
  'view.deleteShared':
    'Supprimer la vue « {name} » pour tous ceux qui l’utilisent ? Aucun enregistrement n’est supprimé.',
  'view.missing':
    'Cette vue n’existe pas ou n’est pas partagée avec vous. La liste affiche tous les enregistrements.',
  'view.leftOut':
    'Ces parties de la vue font référence à des propriétés qui n’existent plus ou que vous ne pouvez pas voir : {parts}. La liste s’ouvre sans elles.',
  'view.scope.own': 'Moi seulement',
  'view.scope.workgroup': 'Équipe {name}',
  'view.scope.role': 'Rôle {name}',
  'view.scope.everybody': 'Tout le monde',
};
