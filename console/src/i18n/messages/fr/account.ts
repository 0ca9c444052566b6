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
} as const;
