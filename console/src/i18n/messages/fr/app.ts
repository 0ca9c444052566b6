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
  'app.otherSignIn': 'Ou se connecter auprès de',
  'app.otherSignInTab': 'Ou se connecter dans un autre onglet ; cette page reste telle quelle',
  'app.obstacle.issuer':
    'Cette connexion n’est pas disponible. Choisissez-en une autre ou demandez à l’administration.',
  'app.obstacle.restart':
    'La connexion a duré plus de dix minutes ou n’a pas été lancée depuis cette page. Recommencez.',
  'app.obstacle.cancelled': 'La connexion a été annulée.',
  'app.obstacle.unavailable':
    'Le service de connexion ne répond pas. Réessayez dans quelques secondes.',
  'app.obstacle.rejected':
    'Le service de connexion et Docket ne s’acceptent pas. Réessayez ; si cela se reproduit, prévenez l’administration.',
  'app.obstacle.account':
    'Vous êtes connecté, mais aucun compte Docket ne vous correspond, ou il est bloqué. Demandez à l’administration.',
  'app.obstacle.insecure': 'La connexion exige une liaison chiffrée. Ouvrez cette page en https.',
  'app.obstacle.busy': 'Le service est occupé ou pas encore activé. Réessayez dans une minute.',
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
  'app.noRights': 'Votre compte n’a encore aucun droit. Demandez un rôle à un administrateur.',
  'app.noSet': 'L’ensemble « {name} » n’existe pas, ou vous n’y avez pas accès.',
  'app.unreachable': 'Le service est injoignable. Votre saisie est conservée ; la page réessaie.',
  'app.busy':
    'Le service est occupé. La page réessaie dans {seconds, plural, one {# seconde} other {# secondes}}.',
  'app.crashed': 'Cette partie de la page a échoué.',
  'app.idleTitle': 'Êtes-vous toujours là ?',
  'app.idle':
    'Votre session se termine dans {seconds, plural, one {# seconde} other {# secondes}} faute d’activité.',
  'app.stay': 'Rester connecté',
  'app.code': 'Code',
  'app.codeHelp': 'De votre application d’authentification, ou l’un de vos codes de secours.',
  'app.wrongCode': 'Ce code n’est pas valide ou a déjà servi. Attendez le suivant.',
};
