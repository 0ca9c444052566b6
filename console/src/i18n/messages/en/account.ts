// This file contains the texts of the area "account" in the language "en".

export const account = {
  'account.title': 'My account',
  'account.sessions': 'Where you are signed in',
  'account.unknownProgram': 'Unknown program',
  'account.opened': 'signed in {time}',
  'account.lastUsed': 'last used {time}',
  'account.neverUsed': 'not used yet',
  'account.current': 'This session',
  'account.end': 'Sign out',
  'account.endOf': 'Sign out {program} at {address}',
  'account.endOthers': 'Sign out everywhere else',
  'account.ended': 'Signed out there.',
  'account.password': 'Password',
  'account.currentPassword': 'Current password',
  'account.newPassword': 'New password',
  'account.newPasswordAgain': 'New password again',
  'account.passwordRule': 'At least 12 characters, such as several unrelated words.',
  'account.passwordsDiffer': 'The two new passwords are not the same.',
  'account.changePassword': 'Change password',
  'account.passwordChanged': 'The password is changed. Your other sessions have ended.',
  'account.firstPassword': 'Choose a new password',
  'account.firstPasswordWhy':
    'Somebody else has set your password. Replace it with one that only you know.',
  'account.requiredFactor': 'Add a second factor',
  'account.requiredFactorWhy':
    'Your role requires one: a code of an authenticator app, asked for when you sign in.',
  'account.factor': 'Second factor',
  'account.factorOff':
    'Signing in takes your password only. With a second factor, it also takes a code of an authenticator app.',
  'account.factorOn': 'Signing in takes your password and a code.',
  'account.factorBegin': 'Add',
  'account.factorScan':
    'Scan this with your authenticator app, or enter the key. Then enter the code that it shows.',
  'account.factorImage': 'QR code with the key',
  'account.factorKey': 'Key: {key}',
  'account.factorConfirm': 'Confirm',
  'account.factorRemove': 'Remove',
  'account.factorRemoved': 'The second factor is removed.',
  'account.recovery':
    'Keep these recovery codes. Each replaces a code of the app once; they are not shown again.',
} as const;
