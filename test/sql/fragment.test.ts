// This file makes SQL of texts, names and bound values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  every,
  list,
  name,
  some,
  sql,
  tableName,
  text,
  toStatement,
  value,
  word,
} from '../../src/sql/fragment.ts';
import { firstCell, openInMemory } from '../../src/store/sqlite/connection.ts';

const statement = (fragment: Parameters<typeof toStatement>[0]) =>
  toStatement(fragment, (index) => `$${index}`);

describe('fragments', () => {
  it('values are parameters, in the order of the text', () => {
    const inner = sql`b = ${value('x')}`;
    expect(
      statement(sql`a = ${value(1n)} AND ${inner} AND ${list([value(2n), value(3n)])}`),
    ).toEqual({
      text: 'a = $1 AND b = $2 AND $3, $4',
      parameters: [1n, 'x', 2n, 3n].map((one) => ({ kind: 'value', value: one })),
      reads: [],
      writes: [],
    });
  });

  it('statements carry the tables that their parts read and write, each once', () => {
    const [a, b] = [tableName('a'), tableName('b$index', 'b')];
    const inner = sql`SELECT 1 FROM ${a} WHERE ${every([sql`x`, sql`EXISTS (SELECT 1 FROM ${b})`])}`;
    const update = sql`UPDATE ${tableName('c')} SET x = (${list([inner, a, inner])}), ${name('d')} = 1`;
    const { text: content, reads, writes } = statement(update);
    expect([reads, writes]).toEqual([['a', 'b'], ['c']]);
    expect(content).toContain('UPDATE "c" SET x = (SELECT 1 FROM "a"');
    expect(content).toContain('FROM "b$index"');
    const copy = statement(sql`INSERT INTO ${tableName('a')} SELECT 1 FROM ${a}`);
    expect([copy.reads, copy.writes]).toEqual([['a'], ['a']]);
  });

  it('names and constants cannot break out of their quotes', () => {
    const database = openInMemory();
    const columns = database.prepare("SELECT name FROM pragma_table_info('made')");
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (content) => {
        fc.pre(!content.includes('\0'));
        const { text: query } = statement(sql`SELECT ${text(content)} AS ${name(content)}`);
        expect(database.prepare(query).all([])).toEqual([[content]]);
        database.exec(`DROP TABLE IF EXISTS made; CREATE TABLE made AS ${query}`);
        expect(columns.all([])).toEqual([[content]]);
      }),
    );
  });

  it('a word is nothing but a word', () => {
    expect(() => word("x'; DROP")).toThrow('not a word');
  });

  it('chains of conditions are balanced trees', () => {
    const database = openInMemory();
    const conditions = Array.from(
      { length: 5000 },
      (_, index) => sql`${value(BigInt(index))} = 4999`,
    );
    const run = (fragment: Parameters<typeof toStatement>[0]) => {
      const { text: query, parameters } = toStatement(sql`SELECT ${fragment}`, () => '?');
      const values = parameters.map((one) => (one.kind === 'value' ? one.value : null));
      return firstCell(database, query, values);
    };
    expect(run(some(conditions))).toBe(1n);
    expect(run(every(conditions))).toBe(0n);
    expect([run(some([], sql`0`)), run(every([], sql`1`))]).toEqual([0n, 1n]);
    expect(() => every([])).toThrow('there are no conditions');
  });
});
