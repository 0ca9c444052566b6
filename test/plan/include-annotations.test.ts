// This file reads the preference include-annotations.
import { describe, expect, it } from 'vitest';
import { includesAnnotation } from '../../src/plan/shape/effective-rights.ts';

describe('OData 4.01 Protocol, "Preference include-annotations"', () => {
  it.each<readonly [string, boolean]>([
    ['*', true],
    ['-*', false],
    ['Core.*', true],
    ['Org.OData.Core.V1.Permissions', true],
    ['Core.Permissions', true],
    ['Display.*', false],
    ['Core.Permissions#Tablet', false],
    ['*,-Core.Permissions', false],
    ['-*,Core.*', true],
    ['Core.*,-Core.*', false],
    ['-Core.*,Core.Permissions', true],
  ])('%s: %s', (patterns, isIncluded) => {
    expect(includesAnnotation(patterns.split(','), 'Core.Permissions')).toBe(isIncluded);
  });

  it('without the preference all annotations are there', () => {
    expect(includesAnnotation(undefined, 'Core.Permissions')).toBe(true);
  });
});
