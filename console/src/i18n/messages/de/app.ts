// This file contains the texts of the area "app" in the language "de".

export const app = {
  'app.title': 'Docket',
  'app.loading': 'Wird geladen…',
  'app.signIn': 'Anmelden',
  'app.signInAgain': 'Erneut anmelden',
  'app.sessionEnded':
    'Ihre Sitzung ist beendet. Melden Sie sich an, um fortzufahren; auf dieser Seite geht nichts verloren.',
  'app.userName': 'Benutzername',
  'app.password': 'Passwort',
  'app.signInWith': 'Mit {name} anmelden',
  'app.otherSignIn': 'Oder anmelden bei',
  'app.otherSignInTab': 'Oder in einem anderen Tab anmelden; diese Seite bleibt, wie sie ist',
  'app.obstacle.issuer':
    'Diese Anmeldung ist nicht verfügbar. Wählen Sie eine andere, oder fragen Sie die Administration.',
  'app.obstacle.restart':
    'Die Anmeldung dauerte länger als zehn Minuten oder wurde nicht auf dieser Seite begonnen. Beginnen Sie noch einmal.',
  'app.obstacle.cancelled': 'Die Anmeldung wurde abgebrochen.',
  'app.obstacle.unavailable':
    'Der Anmeldedienst antwortet nicht. Versuchen Sie es in einigen Sekunden erneut.',
  'app.obstacle.rejected':
    'Der Anmeldedienst und Docket akzeptieren einander nicht. Versuchen Sie es erneut; geschieht es wieder, informieren Sie die Administration.',
  'app.obstacle.account':
    'Sie haben sich angemeldet, aber es gibt kein Docket-Konto für Sie, oder es ist gesperrt. Fragen Sie die Administration.',
  'app.obstacle.insecure':
    'Die Anmeldung braucht eine verschlüsselte Verbindung. Öffnen Sie diese Seite mit https.',
  'app.obstacle.busy':
    'Der Dienst ist ausgelastet oder noch nicht freigegeben. Versuchen Sie es in einer Minute erneut.',
  'app.signOut': 'Abmelden',
  'app.language': 'Sprache',
  'app.theme': 'Darstellung',
  'app.themeLight': 'Hell',
  'app.themeDark': 'Dunkel',
  'app.themeAuto': 'Wie das System',
  'app.navigation': 'Hauptnavigation',
  'app.menu': 'Menü',
  'app.account': 'Konto von {name}',
  'app.skip': 'Zum Inhalt',
  'app.search': 'Suchen oder Befehl',
  'app.records': 'Datensätze',
  'app.dashboards': 'Dashboards',
  'app.explorer': 'Explorer',
  'app.administration': 'Verwaltung',
  'app.portal': 'Portal',
  'app.notFound': 'Diese Seite gibt es nicht.',
  'app.noRights': 'Ihr Konto hat noch keine Rechte. Bitten Sie einen Administrator um eine Rolle.',
  'app.noSet': 'Es gibt keine Menge „{name}“, oder Sie dürfen sie nicht sehen.',
  'app.unreachable':
    'Der Dienst ist nicht erreichbar. Ihre Eingaben bleiben erhalten; die Seite versucht es erneut.',
  'app.busy':
    'Der Dienst ist ausgelastet. Die Seite versucht es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
  'app.crashed': 'Dieser Teil der Seite ist fehlgeschlagen.',
  'app.idleTitle': 'Sind Sie noch da?',
  'app.idle':
    'Ihre Sitzung endet in {seconds, plural, one {# Sekunde} other {# Sekunden}}, weil nichts geschah.',
  'app.stay': 'Angemeldet bleiben',
  'app.code': 'Code',
  'app.codeHelp': 'Aus Ihrer Authenticator-App, oder einer Ihrer Wiederherstellungscodes.',
  'app.wrongCode': 'Dieser Code ist ungültig oder schon benutzt. Warten Sie auf den nächsten.',
};
