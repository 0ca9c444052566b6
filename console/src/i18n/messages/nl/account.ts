// This file contains the texts of the area "account" in the language "nl".

export const account = {
  'account.title': 'Mijn account',
  'account.sessions': 'Waar u bent aangemeld',
  'account.unknownProgram': 'Onbekend programma',
  'account.opened': 'aangemeld {time}',
  'account.lastUsed': 'laatst gebruikt {time}',
  'account.neverUsed': 'nog niet gebruikt',
  'account.current': 'Deze sessie',
  'account.end': 'Afmelden',
  'account.endOf': '{program} op {address} afmelden',
  'account.endOthers': 'Overal elders afmelden',
  'account.ended': 'Daar afgemeld.',
  'account.password': 'Wachtwoord',
  'account.currentPassword': 'Huidig wachtwoord',
  'account.newPassword': 'Nieuw wachtwoord',
  'account.newPasswordAgain': 'Nieuw wachtwoord nogmaals',
  'account.passwordRule': 'Minstens 12 tekens, bijvoorbeeld meerdere woorden zonder verband.',
  'account.passwordsDiffer': 'De twee nieuwe wachtwoorden zijn niet gelijk.',
  'account.changePassword': 'Wachtwoord wijzigen',
  'account.passwordChanged': 'Het wachtwoord is gewijzigd. Uw andere sessies zijn beëindigd.',
  'account.firstPassword': 'Kies een nieuw wachtwoord',
  'account.firstPasswordWhy':
    'Iemand anders heeft uw wachtwoord ingesteld. Vervang het door een wachtwoord dat alleen u kent.',
  'account.requiredFactor': 'Voeg een tweede factor toe',
  'account.requiredFactorWhy':
    'Uw rol vereist er een: een code van een authenticator-app, waarom bij het aanmelden wordt gevraagd.',
  'account.setPassword': 'Wachtwoord instellen',
  'account.setPasswordOf': 'Wachtwoord van {name} instellen',
  'account.generatePassword': 'Een wachtwoord genereren, dat één keer wordt getoond',
  'account.typePassword': 'Een wachtwoord typen',
  'account.keepPassword': 'Het wachtwoord houden en laten wijzigen',
  'account.mustChange': 'Moet bij de volgende aanmelding worden gewijzigd',
  'account.mustChangeHelp':
    'Niet voor accounts van programma’s: die kunnen hun wachtwoord niet wijzigen.',
  'account.sessionsEnd': 'Alle sessies van het account eindigen.',
  'account.passwordLater': 'Later',
  'account.passwordOnce':
    'Het wachtwoord van {name} wordt alleen nu getoond. Kopieer het voordat u dit sluit.',
  'account.passwordSet': 'Het wachtwoord van {name} is ingesteld.',
  'account.passwordKept': '{name} moet bij de volgende aanmelding een ander wachtwoord kiezen.',
  'account.factor': 'Tweede factor',
  'account.factorOff':
    'Voor aanmelden is alleen uw wachtwoord nodig. Met een tweede factor is ook een code van een authenticator-app nodig.',
  'account.factorOn': 'Voor aanmelden zijn uw wachtwoord en een code nodig.',
  'account.factorBegin': 'Toevoegen',
  'account.factorScan':
    'Scan dit met uw authenticator-app, of voer de sleutel in. Voer dan de code in die de app toont.',
  'account.factorImage': 'QR-code met de sleutel',
  'account.factorKey': 'Sleutel: {key}',
  'account.factorConfirm': 'Bevestigen',
  'account.factorRemove': 'Verwijderen',
  'account.factorRemoved': 'De tweede factor is verwijderd.',
  'account.recovery':
    'Bewaar deze herstelcodes. Elk vervangt één keer een code van de app; ze worden niet opnieuw getoond.',
};
