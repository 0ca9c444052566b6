// This file contains the texts of the area "account" in the language "de".

export const account = {
  'account.title': 'Mein Konto',
  'account.sessions': 'Wo Sie angemeldet sind',
  'account.unknownProgram': 'Unbekanntes Programm',
  'account.opened': 'angemeldet {time}',
  'account.lastUsed': 'zuletzt benutzt {time}',
  'account.neverUsed': 'noch nicht benutzt',
  'account.current': 'Diese Sitzung',
  'account.end': 'Abmelden',
  'account.endOf': '{program} an {address} abmelden',
  'account.endOthers': 'Überall sonst abmelden',
  'account.ended': 'Dort abgemeldet.',
  'account.password': 'Passwort',
  'account.currentPassword': 'Aktuelles Passwort',
  'account.newPassword': 'Neues Passwort',
  'account.newPasswordAgain': 'Neues Passwort wiederholen',
  'account.passwordRule': 'Mindestens 12 Zeichen, zum Beispiel mehrere Wörter ohne Zusammenhang.',
  'account.passwordsDiffer': 'Die beiden neuen Passwörter stimmen nicht überein.',
  'account.changePassword': 'Passwort ändern',
  'account.passwordChanged': 'Das Passwort ist geändert. Ihre anderen Sitzungen sind beendet.',
  'account.firstPassword': 'Neues Passwort wählen',
  'account.firstPasswordWhy':
    'Ihr Passwort wurde von jemand anderem festgelegt. Ersetzen Sie es durch eines, das nur Sie kennen.',
  'account.requiredFactor': 'Zweiten Faktor hinzufügen',
  'account.requiredFactorWhy':
    'Ihre Rolle verlangt einen: einen Code einer Authenticator-App, nach dem beim Anmelden gefragt wird.',
  'account.setPassword': 'Passwort setzen',
  'account.setPasswordOf': 'Passwort von {name} setzen',
  'account.generatePassword': 'Ein Passwort erzeugen, das einmal angezeigt wird',
  'account.typePassword': 'Ein Passwort eingeben',
  'account.keepPassword': 'Das Passwort behalten und ändern lassen',
  'account.mustChange': 'Muss bei der nächsten Anmeldung geändert werden',
  'account.mustChangeHelp':
    'Nicht für Konten von Programmen: Sie können ihr Passwort nicht ändern.',
  'account.sessionsEnd': 'Alle Sitzungen des Kontos enden.',
  'account.passwordLater': 'Später',
  'account.passwordOnce':
    'Das Passwort von {name} wird nur jetzt angezeigt. Kopieren Sie es, bevor Sie dies schließen.',
  'account.passwordSet': 'Das Passwort von {name} ist gesetzt.',
  'account.passwordKept': '{name} muss bei der nächsten Anmeldung ein anderes Passwort wählen.',
  'account.factor': 'Zweiter Faktor',
  'account.factorOff':
    'Zum Anmelden genügt Ihr Passwort. Mit einem zweiten Faktor braucht es auch einen Code einer Authenticator-App.',
  'account.factorOn': 'Zum Anmelden braucht es Ihr Passwort und einen Code.',
  'account.factorBegin': 'Hinzufügen',
  'account.factorScan':
    'Scannen Sie dies mit Ihrer Authenticator-App, oder geben Sie dort den Schlüssel ein. Geben Sie dann den angezeigten Code ein.',
  'account.factorImage': 'QR-Code mit dem Schlüssel',
  'account.factorKey': 'Schlüssel: {key}',
  'account.factorConfirm': 'Bestätigen',
  'account.factorRemove': 'Entfernen',
  'account.factorRemoved': 'Der zweite Faktor ist entfernt.',
  'account.recovery':
    'Bewahren Sie diese Wiederherstellungscodes auf. Jeder ersetzt einmal einen Code der App; sie werden nicht wieder angezeigt.',
};
