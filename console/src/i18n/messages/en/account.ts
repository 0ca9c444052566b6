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
} as const;
