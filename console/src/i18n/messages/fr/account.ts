// This file contains the texts of the area "account" in the language "fr".

export const account = {
  'account.title': 'Mon compte',
  'account.sessions': 'Vos sessions ouvertes',
  'account.unknownProgram': 'Programme inconnu',
  'account.opened': 'ouverte le {time}',
  'account.lastUsed': 'utilisée le {time}',
  'account.neverUsed': 'pas encore utilisée',
  'account.current': 'Cette session',
  'account.end': 'Déconnecter',
  'account.endOf': 'Déconnecter {program} à l’adresse {address}',
  'account.endOthers': 'Déconnecter partout ailleurs',
  'account.ended': 'La session est fermée.',
  'account.password': 'Mot de passe',
  'account.currentPassword': 'Mot de passe actuel',
  'account.newPassword': 'Nouveau mot de passe',
  'account.newPasswordAgain': 'Répétez le nouveau mot de passe',
  'account.passwordRule': 'Au moins 12 caractères, par exemple plusieurs mots sans rapport.',
  'account.passwordsDiffer': 'Les deux nouveaux mots de passe ne sont pas identiques.',
  'account.changePassword': 'Changer le mot de passe',
  'account.passwordChanged': 'Le mot de passe est changé. Vos autres sessions sont fermées.',
  'account.firstPassword': 'Choisissez un nouveau mot de passe',
  'account.firstPasswordWhy':
    'Votre mot de passe a été défini par quelqu’un d’autre. Remplacez-le par un mot de passe connu de vous seul.',
  'account.requiredFactor': 'Ajoutez un second facteur',
  'account.requiredFactorWhy':
    'Votre rôle en exige un : un code d’une application d’authentification, demandé à la connexion.',
  'account.setPassword': 'Définir le mot de passe',
  'account.setPasswordOf': 'Définir le mot de passe de {name}',
  'account.generatePassword': 'Générer un mot de passe, affiché une seule fois',
  'account.typePassword': 'Saisir un mot de passe',
  'account.keepPassword': 'Garder le mot de passe et exiger son changement',
  'account.mustChange': 'À changer à la prochaine connexion',
  'account.mustChangeHelp':
    'Pas pour les comptes de programmes, qui ne peuvent pas changer leur mot de passe.',
  'account.sessionsEnd': 'Toutes les sessions du compte sont fermées.',
  'account.passwordLater': 'Plus tard',
  'account.passwordOnce':
    'Le mot de passe de {name} n’est affiché que maintenant. Copiez-le avant de fermer.',
  'account.passwordSet': 'Le mot de passe de {name} est défini.',
  'account.passwordKept': '{name} devra choisir un autre mot de passe à la prochaine connexion.',
  'account.factor': 'Second facteur',
  'account.factorOff':
    'Votre mot de passe suffit pour vous connecter. Avec un second facteur, il faut aussi un code d’une application d’authentification.',
  'account.factorOn': 'La connexion demande votre mot de passe et un code.',
  'account.factorBegin': 'Ajouter',
  'account.factorScan':
    'Scannez ceci avec votre application d’authentification, ou saisissez-y la clé. Entrez ensuite le code affiché.',
  'account.factorImage': 'Code QR contenant la clé',
  'account.factorKey': 'Clé : {key}',
  'account.factorConfirm': 'Confirmer',
  'account.factorRemove': 'Supprimer',
  'account.factorRemoved': 'Le second facteur est supprimé.',
  'account.recovery':
    'Conservez ces codes de secours. Chacun remplace une fois un code de l’application ; ils ne seront plus affichés.',
};
