// This file contains the texts of the area "inputs" in the language "en".

export const inputs = {
  'inputs.required': 'Enter a value.',
  'inputs.tooLong': 'Expected at most {max} characters; there are {length}.',
  'inputs.expected': 'Expected {expected}.',
  'inputs.noMatch': 'Expected a text that matches {pattern}.',
  'inputs.notNumber': 'Expected a number.',
  'inputs.notInteger': 'Expected a whole number.',
  'inputs.tooSmall': 'Expected a value of at least {min}.',
  'inputs.tooGreat': 'Expected a value of at most {max}.',
  'inputs.notAbove': 'Expected a value above {min}.',
  'inputs.notBelow': 'Expected a value below {max}.',
  'inputs.tooManyDecimals': 'Expected at most {max, plural, one {# decimal} other {# decimals}}.',
  'inputs.tooManyDigits':
    'Expected at most {max, plural, one {# digit} other {# digits}} before the decimal point.',
  'inputs.notDuration': 'Expected a duration such as 1h 30m.',
  'inputs.notGuid': 'Expected a GUID.',
  'inputs.notAddress': 'Expected a complete address, such as https://example.com.',
  'inputs.noSuchInstant': 'This is not a valid time.',
  'inputs.noSuchTime': 'This time does not exist in {zone}: the clocks are turned forward.',
  'inputs.timeTwice': 'The clocks are turned back; this time occurs twice. Which one?',
  'inputs.timeFirst': 'The first',
  'inputs.timeSecond': 'The second',
  'inputs.durationExample': '1d 2h 30m',
  'inputs.itemOf': '{name}, item {index}',
  'inputs.addItem': 'Add to {name}',
  'inputs.removeItem': 'Remove item {index} of {name}',
} as const;
