// This file contains the texts of the area "inputs" in the language "nl".

export const inputs = {
  'inputs.required': 'Vul een waarde in.',
  'inputs.tooLong': 'Hoogstens {max} tekens; het zijn er {length}.',
  'inputs.expected': 'Verwacht: {expected}.',
  'inputs.noMatch': 'Verwacht: een tekst volgens {pattern}.',
  'inputs.notNumber': 'Verwacht: een getal.',
  'inputs.notInteger': 'Verwacht: een geheel getal.',
  'inputs.tooSmall': 'De waarde moet minstens {min} zijn.',
  'inputs.tooGreat': 'De waarde mag hoogstens {max} zijn.',
  'inputs.notAbove': 'De waarde moet groter dan {min} zijn.',
  'inputs.notBelow': 'De waarde moet kleiner dan {max} zijn.',
  'inputs.tooManyDecimals': 'Hoogstens {max, plural, one {# decimaal} other {# decimalen}}.',
  'inputs.tooManyDigits':
    'Hoogstens {max, plural, one {# cijfer} other {# cijfers}} vóór de komma.',
  'inputs.notDuration': 'Verwacht: een duur zoals 1h 30m.',
  'inputs.notGuid': 'Verwacht: een GUID.',
  'inputs.notAddress': 'Verwacht: een volledig adres, zoals https://example.com.',
  'inputs.noSuchInstant': 'Dit is geen geldig tijdstip.',
  'inputs.noSuchTime': 'Dit tijdstip bestaat niet in {zone}: de klok wordt vooruitgezet.',
  'inputs.timeTwice': 'De klok wordt teruggezet; dit tijdstip komt tweemaal voor. Welk?',
  'inputs.timeFirst': 'Het eerste',
  'inputs.timeSecond': 'Het tweede',
  'inputs.durationExample': '1d 2h 30m',
  'inputs.itemOf': '{name}, onderdeel {index}',
  'inputs.addItem': 'Toevoegen aan {name}',
  'inputs.removeItem': 'Onderdeel {index} van {name} verwijderen',
} as const;
