// This file contains the texts of the area "app" in the language "nl".

export const app = {
  'app.title': 'Docket',
  'app.loading': 'Laden…',
  'app.signIn': 'Aanmelden',
  'app.signInAgain': 'Opnieuw aanmelden',
  'app.sessionEnded':
    'Uw sessie is beëindigd. Meld u aan om verder te gaan; er gaat niets op deze pagina verloren.',
  'app.userName': 'Gebruikersnaam',
  'app.password': 'Wachtwoord',
  'app.signInWith': 'Aanmelden met {name}',
  'app.otherSignIn': 'Of meld u aan via',
  'app.otherSignInTab': 'Of meld u aan in een ander tabblad; deze pagina blijft zoals zij is',
  'app.obstacle.issuer':
    'Deze manier van aanmelden is niet beschikbaar. Kies een andere of vraag een beheerder.',
  'app.obstacle.restart':
    'Het aanmelden duurde langer dan tien minuten of is niet op deze pagina begonnen. Begin opnieuw.',
  'app.obstacle.cancelled': 'Het aanmelden is geannuleerd.',
  'app.obstacle.unavailable':
    'De aanmelddienst reageert niet. Probeer het over enkele seconden opnieuw.',
  'app.obstacle.rejected':
    'De aanmelddienst en Docket accepteren elkaar niet. Probeer het opnieuw; meld het een beheerder als het weer gebeurt.',
  'app.obstacle.account':
    'U bent aangemeld, maar er is voor u geen account van Docket, of het is geblokkeerd. Vraag een beheerder.',
  'app.obstacle.insecure':
    'Aanmelden vereist een versleutelde verbinding. Open deze pagina met https.',
  'app.obstacle.busy':
    'De dienst is bezet of nog niet ingeschakeld. Probeer het over een minuut opnieuw.',
  'app.signOut': 'Afmelden',
  'app.language': 'Taal',
  'app.theme': 'Weergave',
  'app.themeLight': 'Licht',
  'app.themeDark': 'Donker',
  'app.themeAuto': 'Zoals het systeem',
  'app.navigation': 'Hoofdnavigatie',
  'app.menu': 'Menu',
  'app.account': 'Account van {name}',
  'app.skip': 'Naar de inhoud',
  'app.search': 'Zoeken of opdracht',
  'app.records': 'Records',
  'app.dashboards': 'Dashboards',
  'app.explorer': 'Verkenner',
  'app.administration': 'Beheer',
  'app.portal': 'Portaal',
  'app.notFound': 'Deze pagina bestaat niet.',
  'app.noRights': 'Uw account heeft nog geen rechten. Vraag een beheerder om een rol.',
  'app.noSet': 'Er is geen set “{name}”, of u mag deze niet zien.',
  'app.unreachable':
    'De service is niet bereikbaar. Wat u typt blijft bewaard; de pagina probeert het opnieuw.',
  'app.busy':
    'De service is bezet. De pagina probeert het over {seconds, plural, one {# seconde} other {# seconden}} opnieuw.',
  'app.crashed': 'Dit deel van de pagina werkt niet.',
  'app.idleTitle': 'Bent u er nog?',
  'app.idle':
    'Uw sessie eindigt over {seconds, plural, one {# seconde} other {# seconden}} omdat er niets gebeurde.',
  'app.stay': 'Aangemeld blijven',
  'app.code': 'Code',
  'app.codeHelp': 'Uit uw authenticator-app, of een van uw herstelcodes.',
  'app.wrongCode': 'Deze code is ongeldig of al gebruikt. Wacht op de volgende.',
};
