// This file contains the texts of the area "app" in the language "en".

export const app = {
  'app.title': 'Docket',
  'app.loading': 'Loading…',
  'app.signIn': 'Sign in',
  'app.signInAgain': 'Sign in again',
  'app.sessionEnded': 'Your session has ended. Sign in to go on; nothing on this page is lost.',
  'app.userName': 'User name',
  'app.password': 'Password',
  'app.signInWith': 'Sign in with {name}',
  'app.otherSignIn': 'Or sign in at',
  'app.otherSignInTab': 'Or sign in in another tab; this page stays as it is',
  'app.obstacle.issuer':
    'This way to sign in is not available. Choose another one, or ask an administrator.',
  'app.obstacle.restart':
    'The sign-in took longer than ten minutes, or was not started on this page. Start it again.',
  'app.obstacle.cancelled': 'The sign-in was cancelled.',
  'app.obstacle.unavailable': 'The sign-in service does not respond. Try again in a few seconds.',
  'app.obstacle.rejected':
    'The sign-in service and Docket do not accept each other. Try again; if this happens again, tell an administrator.',
  'app.obstacle.account':
    'You have signed in, but there is no account of Docket for you, or it is blocked. Ask an administrator.',
  'app.obstacle.insecure': 'Signing in needs an encrypted connection. Open this page with https.',
  'app.obstacle.busy': 'The service is busy or not yet enabled. Try again in a minute.',
  'app.signOut': 'Sign out',
  'app.language': 'Language',
  'app.theme': 'Appearance',
  'app.themeLight': 'Light',
  'app.themeDark': 'Dark',
  'app.themeAuto': 'As the system',
  'app.navigation': 'Main navigation',
  'app.menu': 'Menu',
  'app.account': 'Account of {name}',
  'app.skip': 'Skip to content',
  'app.search': 'Search or command',
  'app.records': 'Records',
  'app.dashboards': 'Dashboards',
  'app.explorer': 'Explorer',
  'app.administration': 'Administration',
  'app.portal': 'Portal',
  'app.notFound': 'This page does not exist.',
  'app.noSet': 'There is no set “{name}”, or you may not see it.',
  'app.unreachable': 'The service cannot be reached. What you type is kept; the page tries again.',
  'app.busy':
    'The service is busy. The page tries again in {seconds, plural, one {# second} other {# seconds}}.',
  'app.crashed': 'This part of the page failed.',
  'app.idleTitle': 'Are you still there?',
  'app.idle':
    'Your session ends in {seconds, plural, one {# second} other {# seconds}} because nothing happened.',
  'app.stay': 'Stay signed in',
} as const;
