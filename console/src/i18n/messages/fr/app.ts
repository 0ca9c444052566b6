// This file contains the texts of the area "app" in the language "fr".

export const app = {
  'app.title': 'Docket',
  'app.loading': 'Chargement…',
  'app.signIn': 'Se connecter',
  'app.signInAgain': 'Se reconnecter',
  'app.sessionEnded':
    'Votre session est terminée. Connectez-vous pour continuer ; rien n’est perdu sur cette page.',
  'app.userName': 'Nom d’utilisateur',
  'app.password': 'Mot de passe',
  'app.signInWith': 'Se connecter avec {name}',
  'app.signOut': 'Se déconnecter',
  'app.language': 'Langue',
  'app.theme': 'Apparence',
  'app.themeLight': 'Clair',
  'app.themeDark': 'Sombre',
  'app.themeAuto': 'Comme le système',
  'app.navigation': 'Navigation principale',
  'app.menu': 'Menu',
  'app.account': 'Compte de {name}',
  'app.skip': 'Aller au contenu',
  'app.search': 'Rechercher ou commande',
  'app.records': 'Enregistrements',
  'app.dashboards': 'Tableaux de bord',
  'app.explorer': 'Explorateur',
  'app.administration': 'Administration',
  'app.portal': 'Portail',
  'app.notFound': 'Cette page n’existe pas.',
  'app.noSet': 'L’ensemble « {name} » n’existe pas, ou vous n’y avez pas accès.',
  'app.unreachable': 'Le service est injoignable. Votre saisie est conservée ; la page réessaie.',
  'app.busy':
    'Le service est occupé. La page réessaie dans {seconds, plural, one {# seconde} other {# secondes}}.',
  'app.crashed': 'Cette partie de la page a échoué.',
  'app.idle':
    'Votre session se termine dans {seconds, plural, one {# seconde} other {# secondes}} faute d’activité.',
  'app.stay': 'Rester connecté',
};
