// This file checks that a page of what is looked for in texts is the same, whether it is found at a glance or by the whole statement.
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/store/database.ts';
import { outcomeOf } from '../../src/store/run.ts';
import { NO_METADATA, openZoo, run, scriptAfter, scriptOf } from './zoo.ts';

/** 5,000 keepers: one in fifty is a nurse, one in four hundred a driver, the last forty are smiths. */
const KEEPERS = `
WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
INSERT INTO "Keepers" ("Id", "Name", "Email")
SELECT i, 'Keeper ' || i || iif(i % 50 = 0, ' nurse', '') || iif(i % 400 = 0, ' driver', '') || iif(i > 5960, ' smith', ''), i || '@zoo.test' FROM n`;

const zoo = openZoo(KEEPERS);
const url = (word: string, more = '') =>
  `Keepers?$select=Id,Name&$filter=contains(Name,'${word}')${more}`;

function bothOf(script: ReturnType<typeof scriptOf>) {
  const { glance, statement } = script;
  if (glance === undefined) throw new Error('there is no glance');
  const [first, all] = [glance.statement, statement].map(
    (one) => outcomeOf(script, run(zoo, one) as Row[]).rows,
  );
  return { first, all, needed: glance.rows };
}

describe('a glance at the first records', () => {
  it.each([
    ['nurse', true],
    ['driver', false],
    ['smith', false],
    ['nobody', false],
  ])('finds the first rows with %s in the right order, and a page of them: %s', (word, isFull) => {
    const { first, all, needed } = bothOf(scriptOf(url(word), NO_METADATA));
    expect(first).toEqual(all?.slice(0, first?.length));
    expect((first?.length ?? 0) >= needed).toBe(isFull);
  });

  it.each([1001n, 1050n, 2999n, 3000n, 5000n, 5970n, 9000n])('goes on behind %s', (after) => {
    const { first, all } = bothOf(scriptAfter(url('nurse'), [after]));
    expect(first).toEqual(all?.slice(0, first?.length));
    expect((all?.length ?? 0) > 0).toBe(after < 6000n);
    expect((first?.length ?? 0) > 0).toBe(after <= 2999n);
  });

  it('obeys the other conditions', () => {
    const { first, all } = bothOf(scriptOf(url('nurse', ' and Id gt 2500'), NO_METADATA));
    expect(first).toEqual(all?.slice(0, first?.length));
    expect(first).toHaveLength(21);
    expect(first?.[0]?.json).toContain('2550');
  });

  it.each(['&$count=true', '&$orderby=Name', '&$orderby=Id desc'])(
    'is not taken with %s',
    (more) => {
      expect(scriptOf(url('nurse', more), NO_METADATA).glance).toBeUndefined();
    },
  );
});
