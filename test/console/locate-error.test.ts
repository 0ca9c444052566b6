// This file tests which part of a request the explorer marks as wrong, with messages of the service.
import { describe, expect, test } from 'vitest';
import { locateError } from '../../console/src/query/locate-error.ts';

function marked(text: string, message: string, target?: string): string | undefined {
  const range = locateError(text, message, target);
  return range === undefined ? undefined : text.slice(range.from, range.to);
}

describe('an error marks', () => {
  test.each([
    [
      'the word at its position',
      'Sets?$top=1&$filter=Status/Valu eq 3',
      'The type T has no property "Valu" (at position 7 of $filter). Did you mean "Value"?',
      '$filter',
      'Valu',
    ],
    [
      'the word at its position after line breaks',
      'Sets\n  ?$filter=A eq 1\n    and Foo eq 3\n  &$top=1',
      'The type T has no property "Foo" (at position 11 of $filter).',
      '$filter',
      'Foo',
    ],
    [
      'the last character if the position is the end',
      'Sets?$filter=A eq',
      'Expected a value at position 4 of $filter.',
      '$filter',
      'q',
    ],
    [
      'a quoted name of the path',
      'Wrong(1)/Name',
      'The service has no entity set "Wrong". Did you mean "Right"?',
      'the path',
      'Wrong',
    ],
    [
      'a quoted name of the body',
      'POST Sets\n\n{ "Nmae": 1 }',
      'The type T has no property "Nmae".',
      'Nmae',
      'Nmae',
    ],
    ['the value of an option without a position', 'Sets?$top=x', 'Not a number.', '$top', 'x'],
  ])('%s', (_, text, message, target, word) => {
    expect(marked(text, message, target)).toBe(word);
  });

  test('nothing where the text has no such place', () => {
    expect(marked('Sets', 'The service is busy.')).toBeUndefined();
    expect(marked('Sets', 'No "Other" (at position 3 of $filter)', '$filter')).toBeUndefined();
  });
});
