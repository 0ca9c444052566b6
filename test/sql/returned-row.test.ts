// This file compiles creates, and checks which of them return the new record from its insert, which need a query for it, and in which order
// statements run.
import { describe, expect, it } from 'vitest';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { compileWrite } from '../../src/sql/compile.ts';
import type { Dialect } from '../../src/sql/dialect/dialect.ts';
import { POSTGRES } from '../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { WriteScript } from '../../src/sql/write/write-script.ts';
import { planOf } from '../plan/writes.ts';
import { suiteModel } from '../service-desk.ts';
import { layout } from './zoo.ts';

function scriptOf(dialect: Dialect, url: string, body: JsonInput): WriteScript {
  return compileWrite(planOf('POST', url, body), layout, dialect);
}

/** What the statements of a script return. */
function returnedBy({ steps }: WriteScript): readonly string[] {
  return steps.flatMap((step) =>
    step.kind === 'run' && step.returns === true
      ? [step.statement.text.replace(/^.* RETURNING /s, '')]
      : [],
  );
}

const KEEPER = { Name: 'Eva', Email: 'eva@zoo.test' };
const DIALECTS = [
  ['PostgreSQL', POSTGRES],
  ['SQLite', SQLITE],
] as const;

describe.each(DIALECTS)('a create on %s', (_, dialect) => {
  const { returnsInserted } = dialect;

  it.each([
    ['as it is', 'Passports', { Country: 'NL' }, '"Passports"."Country"'],
    ['with selected members', 'Keepers?$select=Id,Name', KEEPER, '"Keepers"."Name"'],
    [
      'with a reference',
      'Passports',
      { Country: 'NL', 'Animal@odata.bind': 'Animals(1)' },
      '"Passports"."Country"',
    ],
  ])(
    'returns the new record from its insert where that is faster: %s',
    (_case, url, body, column) => {
      const script = scriptOf(dialect, url, body);
      expect(script.returnsResult).toBe(returnsInserted);
      expect(returnedBy(script)).toEqual(returnsInserted ? [expect.stringContaining(column)] : []);
    },
  );

  it.each([
    ['an expanded relation', 'Keepers?$expand=Boss', KEEPER],
    ['a relation that raises the version', 'Keepers', { ...KEEPER, Staff: [KEEPER] }],
  ])('needs a query for the new record: %s', (_case, url, body) => {
    const script = scriptOf(dialect, url, body);
    expect(script.returnsResult).toBe(false);
    expect(script.result).toBeDefined();
    expect(returnedBy(script)).toEqual([]);
  });

  it('has all queries before the first number, so that those of several writes run together', () => {
    const model = suiteModel();
    const body = {
      Description: 'No power',
      'Caller@odata.bind': 'Persons(5)',
      'Service@odata.bind': 'Services(6)',
    };
    const plan = planOf('POST', 'ServiceRequests', body, { model });
    const kinds = compileWrite(plan, makeLayout(model), dialect).steps.map(({ kind }) => kind);
    const numbers = kinds.indexOf('allocate');
    expect(new Set(kinds.slice(0, numbers))).toEqual(new Set(['find', 'clocks']));
    expect(new Set(kinds.slice(numbers))).toEqual(new Set(['allocate', 'sequence', 'run']));
  });

  it('returns nothing that nobody asked for', () => {
    const asking = { headers: { prefer: 'return=minimal' } };
    const script = compileWrite(planOf('POST', 'Keepers', KEEPER, asking), layout, dialect);
    expect(returnedBy(script)).toEqual([]);
  });
});
