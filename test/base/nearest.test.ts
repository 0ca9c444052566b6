// This file finds the name that a misspelt one was meant to be.
import { describe, expect, it } from 'vitest';
import { didYouMean } from '../../src/base/nearest-name.ts';

describe('the nearest name', () => {
  it.each([
    ['Statsu', ['Status', 'State'], ' Did you mean "Status"?'],
    ['status', ['Status'], ' Did you mean "Status"?'],
    ['Colour', ['Weight', 'Born'], ''],
    ['Heavy', ['Heavy'], ''],
    ['Heavy', ['Heavy', 'Heavier'], ' Did you mean "Heavier"?'],
    ['x', [], ''],
  ])('of %s among %j', (name, candidates, expected) => {
    expect(didYouMean(name, candidates)).toBe(expected);
  });
});
