// This file checks when PostgreSQL plans a prepared statement for the given values, and when it uses one query plan for all values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { type Placeholder, sql, toStatement, value } from '../../../src/sql/fragment.ts';
import { type Connection, connect } from '../../../src/store/postgres/connection.ts';
import { postgresUrl } from '../../postgres.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await connect(
    { url: await postgresUrl() },
    { statementSeconds: 60, lockSeconds: 1 },
  );
  // One of a hundred rows has a status of its own.
  await connection.command(`CREATE TABLE item (id bigint PRIMARY KEY, status bigint, due text COLLATE "C", note text);
    INSERT INTO item SELECT n, CASE WHEN n % 100 = 0 THEN n % 1000 ELSE 1 END, md5(n::text), repeat('x', 500) FROM generate_series(1, 20000) n;
    CREATE INDEX ON item (status, due, id); ANALYZE item`);
}, 60_000);
afterAll(() => connection.close());

const page = sql`SELECT note FROM item WHERE status = ${value(1n)} ORDER BY due, id LIMIT 20`;

/** How often each kind of plan was used for a statement that ran 20 times. */
async function plansOf(placeholder: Placeholder, status: bigint) {
  const { text } = toStatement(page, placeholder);
  for (let run = 0; run < 20; run++) await connection.query(text, [status]);
  const counts =
    'SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1';
  const [row] = (await connection.query(counts, [text])).rows;
  return { generic: Number(row?.[0]), custom: Number(row?.[1]) };
}

describe('a statement whose value is hidden from the planner', () => {
  const { placeholder, hiddenPlaceholder = placeholder } = POSTGRES;

  it('is planned once for frequent and rare values', async () => {
    expect((await plansOf(placeholder, 1n)).generic).toBe(0);
    expect((await plansOf(hiddenPlaceholder, 1n)).generic).toBe(15);
    expect((await plansOf(hiddenPlaceholder, 100n)).generic).toBe(35);
  });

  it('reads the rows of the page from the index', async () => {
    const { text } = toStatement(page, hiddenPlaceholder);
    const literal = text.replace('$1::bigint', '100');
    const { rows } = await connection.query(`EXPLAIN ${literal}`, []);
    const plan = rows.map(([line]) => line).join('\n');
    expect(plan).toContain('Index Scan');
    expect(plan).not.toContain('Sort');
  });
});
