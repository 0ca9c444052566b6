// Adapts the database to the interface of auth/, whose statements are fragments and whose rows contain no bytes.
import type { AuthDatabase, Row as AuthRow } from '../auth/database.ts';
import { SQLITE } from '../sql/dialect/sqlite.ts';
import { type Fragment, toStatement } from '../sql/fragment.ts';
import { bindParameters, type Database, type Row } from '../store/database.ts';

export function authDatabase(database: Database): AuthDatabase {
  const context = {
    now: null,
    me: null,
    account: null,
    accountKey: null,
    root: null,
    request: null,
  };
  const prepare = (fragment: Fragment) => {
    const statement = toStatement(fragment, SQLITE.placeholder);
    return { text: statement.text, values: bindParameters(statement, context) };
  };
  return {
    read: async (fragment) => {
      const { text, values } = prepare(fragment);
      return database.read(text, values).map(withoutBytes);
    },
    write: async (work) =>
      await database.write((transaction) => {
        const run = (fragment: Fragment) => {
          const { text, values } = prepare(fragment);
          return transaction.rows(text, values).map(withoutBytes);
        };
        return { result: work(run), keep: true };
      }),
  };
}

/** The row with null for bytes, which the tables of auth/ never contain. */
export function withoutBytes(row: Row): AuthRow {
  return row.map((cell) => (cell instanceof Uint8Array ? null : cell));
}
