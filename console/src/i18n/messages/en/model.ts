// This file contains the texts of the area "model" in the language "en".

export const model = {
  'model.changeModel': 'Change model',
  'model.replaces':
    'The files replace those of version {version}, which {author} applied on {applied}.',
  'model.fileHint':
    'One file of CSDL JSON, or all files of an extension: *.csdl.json, CSV tables, roles.json and mail.json',
  'model.files': 'Files of the model',
  'model.removeFile': 'Remove {name}',
  'model.startFrom': 'Add the files of version {version}',
  'model.plan': 'Show plan',
  'model.mistakes':
    '{count, plural, one {The model has a mistake.} other {The model has # mistakes.}}',
  'model.same': 'This model is in force already.',
  'model.warnings': 'Warnings',
  'model.differences':
    '{count, plural, one {# difference to the model in force} other {# differences to the model in force}}',
  'model.change': 'Change',
  'model.change.added': 'added',
  'model.change.removed': 'removed',
  'model.change.changed': 'changed',
  'model.kind': 'Kind',
  'model.kind.model': 'model',
  'model.kind.type': 'type',
  'model.kind.member': 'member',
  'model.kind.set': 'set',
  'model.kind.action': 'action',
  'model.kind.function': 'function',
  'model.kind.import': 'import',
  'model.kind.code list': 'code list',
  'model.kind.code': 'code',
  'model.kind.role': 'role',
  'model.element': 'Element',
  'model.steps': '{count, plural, one {# step} other {# steps}}',
  'model.step': 'Step',
  'model.danger': 'What is lost',
  'model.noDanger': 'nothing',
  'model.loss.values':
    'Values of {column} in {count, plural, one {# row} other {# rows}} of {table}',
  'model.loss.digits':
    'Digits of {column} in {count, plural, one {# row} other {# rows}} of {table}',
  'model.loss.rows': '{count, plural, one {# row} other {# rows}} of {table}',
  'model.loss.links': '{count, plural, one {# link} other {# links}} of {table}',
  'model.conflict': 'Fails because of {value}: keys must be unique and fit their type',
  'model.acceptLoss': 'I accept that these data are lost',
  'model.confirm': 'Apply this model?',
  'model.interruption':
    'The service first completes the requests in progress. It is unavailable while the steps run.',
  'model.back': 'Back',
  'model.apply': 'Apply',
  'model.applyNow': 'Apply now',
  'model.applying':
    'The model is being applied. This takes a few seconds, or minutes for many records.',
  'model.applied': 'Version {version} of the model is in force.',
  'model.backup': 'A backup of the previous database is in {file}.',
  'model.failed': 'The model was not applied. Nothing has changed.',
  'model.interrupted':
    'The service was stopped before the model was in force. Nothing has changed.',
} as const;
