// This file makes inserts of any number of rows: each row is inserted once, in order, by few different statements of bounded size.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sql } from '../../src/sql/fragment.ts';
import { rowInsert } from '../../src/store/load/insert-rows.ts';

it('inserts each row once and in order, whatever their number', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3000 }), fc.integer({ min: 1, max: 1200 }), (count, width) => {
      const columns = Array.from({ length: width }, (_, at) => `C${at}`);
      const rows = Array.from({ length: Math.min(count, Math.ceil(60_000 / width)) }, (_, row) =>
        columns.map((_, at) => BigInt(row * width + at)),
      );
      const operations = rowInsert('T', columns)(rows);
      const values = operations.flatMap((one) => (one.kind === 'change' ? one.values : []));
      expect(values).toEqual(rows.flat());
      const statements = new Set(operations.map((one) => one.kind === 'change' && one.statement));
      expect(statements.size).toBeLessThanOrEqual(10);
      for (const one of operations)
        if (one.kind === 'change')
          expect(one.values.length).toBeLessThanOrEqual(Math.max(1000, width));
    }),
    { numRuns: 60 },
  );
});

it('reuses the statements of earlier rows', () => {
  const insert = rowInsert('T', ['A'], sql` ON CONFLICT DO NOTHING`);
  const statementsFor = (count: number) =>
    insert(Array.from({ length: count }, () => [1n])).map(
      (one) => one.kind === 'change' && one.statement,
    );
  const [first, second] = [statementsFor(7), statementsFor(7)];
  expect(first).toHaveLength(3);
  second.forEach((statement, at) => {
    expect(statement).toBe(first[at]);
  });
});
