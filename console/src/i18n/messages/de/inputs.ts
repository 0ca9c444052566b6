// This file contains the texts of the area "inputs" in the language "de".

export const inputs = {
  'inputs.required': 'Geben Sie einen Wert ein.',
  'inputs.tooLong': 'Höchstens {max} Zeichen; es sind {length}.',
  'inputs.expected': 'Erwartet: {expected}.',
  'inputs.noMatch': 'Erwartet: ein Text nach dem Muster {pattern}.',
  'inputs.notNumber': 'Erwartet: eine Zahl.',
  'inputs.notInteger': 'Erwartet: eine ganze Zahl.',
  'inputs.tooSmall': 'Der Wert muss mindestens {min} sein.',
  'inputs.tooGreat': 'Der Wert darf höchstens {max} sein.',
  'inputs.notAbove': 'Der Wert muss größer als {min} sein.',
  'inputs.notBelow': 'Der Wert muss kleiner als {max} sein.',
  'inputs.tooManyDecimals':
    'Höchstens {max, plural, one {# Nachkommastelle} other {# Nachkommastellen}}.',
  'inputs.tooManyDigits':
    'Höchstens {max, plural, one {# Stelle} other {# Stellen}} vor dem Komma.',
  'inputs.notDuration': 'Erwartet: eine Dauer wie 1h 30m.',
  'inputs.notGuid': 'Erwartet: eine GUID.',
  'inputs.notAddress': 'Erwartet: eine vollständige Adresse wie https://example.com.',
  'inputs.noSuchInstant': 'Dies ist kein gültiger Zeitpunkt.',
  'inputs.noSuchTime': 'Diese Uhrzeit gibt es in {zone} nicht: Die Uhr wird vorgestellt.',
  'inputs.timeTwice': 'Die Uhr wird zurückgestellt; diese Uhrzeit gibt es zweimal. Welche?',
  'inputs.timeFirst': 'Die erste',
  'inputs.timeSecond': 'Die zweite',
  'inputs.durationExample': '1d 2h 30m',
  'inputs.itemOf': '{name}, Eintrag {index}',
  'inputs.addItem': 'Zu {name} hinzufügen',
  'inputs.removeItem': 'Eintrag {index} aus {name} entfernen',
} as const;
