// This file runs the functions of $filter in the database, case by case.
import { describe, expect, it } from 'vitest';
import { CASES } from '../cases/functions.ts';
import { openZoo, run, valueStatement } from './zoo.ts';

const zoo = openZoo();

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  it.each(cases)('%s is %s, %s and %s', (expression, ...expected) => {
    expect(run(zoo, valueStatement('Samples', expression)).flat().map(String)).toEqual(expected);
  });
});
