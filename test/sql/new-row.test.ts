// This file evaluates expressions for rows that are about to be inserted: of their own values, and of what they are related to.
import { expect, it } from 'vitest';
import { newRowStatement, openZoo, run } from './zoo.ts';

const zoo = openZoo();

/** Row 1 exists, with notes, keepers and an enclosure: what a new row will be is none of its business. */
const NEW = { Id: 1n, Name: 'New', Enclosure: 201n };

it.each([
  ['a value', "Name eq 'New'", 1n],
  ['a related record', "Enclosure/Name eq 'Aviary'", 1n],
  ['a collection of a related record', 'Enclosure/Animals/any(a:a/Id eq 2)', 1n],
  ['other records', "$it/Enclosure/Animals/all(a:a/Name ne 'New')", 1n],
  ['its children', 'Notes/any()', 0n],
  ['its children with a condition', 'Notes/any(n:n/Id eq 501)', 0n],
  ['all of its children', 'Notes/all(n:n/Id eq 0)', 1n],
  ['linked records', 'Keepers/any(k:k/Id eq 101)', 0n],
  ['records that refer to it', 'Children/any(c:c/Id eq 3)', 0n],
  ['a number of records', 'Notes/$count', 0n],
  ['an item of a collection', "Nicknames/any(n:startswith(n,'K'))", 0n],
])('%s: %s', (_, text, expected) => {
  expect(run(zoo, newRowStatement('Animals', NEW, text))).toEqual([[null, expected]]);
});

it('does not read the tables of its collections', () => {
  const text = 'Enclosure/Number eq 1 and Notes/any(n:n/Id eq 1)';
  expect(newRowStatement('Animals', NEW, text).reads).toEqual(['Enclosures']);
});
