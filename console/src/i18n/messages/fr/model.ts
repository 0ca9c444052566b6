// This file contains the texts of the area "model" in the language "fr".

export const model = {
  'model.changeModel': 'Modifier le modèle',
  'model.replaces':
    'Les fichiers remplacent ceux de la version {version}, que {author} a appliquée le {applied}.',
  'model.fileHint':
    'Un fichier CSDL JSON, ou tous les fichiers d’une extension : *.csdl.json, tables CSV, roles.json et mail.json',
  'model.files': 'Fichiers du modèle',
  'model.removeFile': 'Retirer {name}',
  'model.startFrom': 'Ajouter les fichiers de la version {version}',
  'model.plan': 'Afficher le plan',
  'model.mistakes':
    '{count, plural, one {Le modèle contient une erreur.} other {Le modèle contient # erreurs.}}',
  'model.same': 'Ce modèle est déjà en vigueur.',
  'model.warnings': 'Avertissements',
  'model.differences':
    '{count, plural, one {# différence avec le modèle en vigueur} other {# différences avec le modèle en vigueur}}',
  'model.change': 'Modification',
  'model.change.added': 'ajouté',
  'model.change.removed': 'supprimé',
  'model.change.changed': 'modifié',
  'model.kind': 'Genre',
  'model.kind.model': 'modèle',
  'model.kind.type': 'type',
  'model.kind.member': 'membre',
  'model.kind.set': 'ensemble',
  'model.kind.action': 'action',
  'model.kind.function': 'fonction',
  'model.kind.import': 'import',
  'model.kind.code list': 'liste de codes',
  'model.kind.code': 'code',
  'model.kind.role': 'rôle',
  'model.element': 'Élément',
  'model.steps': '{count, plural, one {# étape} other {# étapes}}',
  'model.step': 'Étape',
  'model.danger': 'Ce qui est perdu',
  'model.noDanger': 'rien',
  'model.loss.values':
    'Valeurs de {column} dans {count, plural, one {# ligne} other {# lignes}} de {table}',
  'model.loss.digits':
    'Chiffres de {column} dans {count, plural, one {# ligne} other {# lignes}} de {table}',
  'model.loss.rows': '{count, plural, one {# ligne} other {# lignes}} de {table}',
  'model.loss.links': '{count, plural, one {# lien} other {# liens}} de {table}',
  'model.conflict':
    'Échoue à cause de {value} : les clés doivent être uniques et conformes à leur type',
  'model.acceptLoss': 'J’accepte la perte de ces données',
  'model.confirm': 'Appliquer ce modèle ?',
  'model.interruption':
    'Le service termine d’abord les requêtes en cours. Il est indisponible pendant les étapes.',
  'model.back': 'Retour',
  'model.apply': 'Appliquer',
  'model.applyNow': 'Appliquer maintenant',
  'model.applying':
    'Le modèle est en cours d’application. Cela dure quelques secondes, ou des minutes pour de nombreux enregistrements.',
  'model.applied': 'La version {version} du modèle est en vigueur.',
  'model.backup': 'Une sauvegarde de la base précédente se trouve dans {file}.',
  'model.failed': 'Le modèle n’a pas été appliqué. Rien n’a changé.',
  'model.interrupted':
    'Le service a été arrêté avant l’entrée en vigueur du modèle. Rien n’a changé.',
} as const;
