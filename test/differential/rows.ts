// This file compares the rows of all tables of two installations, one on SQLite and one on PostgreSQL.
import type { Cell } from '../../src/store/database.ts';
import type { Desk } from '../journeys/desk.ts';

/** Tables of one of the databases only, or whose rows are about the process or the database itself. */
const OWN_TABLES = /^(?:sqlite_|docket_(?:setting|model|worker|node|schema|claim|table_version))/;

export interface ComparedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const SQLITE_COLUMNS = `SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY t.name, c.cid`;
const POSTGRES_COLUMNS = `SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`;

async function columnsOf(
  { installation: { database } }: Desk,
  statement: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = new Map<string, string[]>();
  for (const [table, column] of await database.read(statement, [])) {
    const columns = tables.get(String(table)) ?? [];
    tables.set(String(table), [...columns, String(column)]);
  }
  return tables;
}

/** The tables of both databases, with the columns of both. */
export async function comparedTables([sqlite, postgres]: readonly [Desk, Desk]): Promise<
  readonly ComparedTable[]
> {
  const left = await columnsOf(sqlite, SQLITE_COLUMNS);
  const right = await columnsOf(postgres, POSTGRES_COLUMNS);
  return [...left].flatMap(([name, columns]) => {
    const others = right.get(name);
    if (others === undefined || OWN_TABLES.test(name)) return [];
    const isCompared = (column: string) =>
      others.includes(column) && !(name === 'docket_change' && column === 'seq');
    return [{ name, columns: columns.filter(isCompared) }];
  });
}

/** Rows that only one of the two has. */
export async function differentRows(
  desks: readonly [Desk, Desk],
  tables: readonly ComparedTable[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    tables.map(async ({ name, columns }) => {
      const [left, right] = await Promise.all(desks.map((desk) => rowsOf(desk, name, columns)));
      const only = (of: readonly string[] = [], others: readonly string[] = []) => {
        const known = new Set(others);
        return of.filter((row) => !known.has(row)).slice(0, 3);
      };
      const isSame = left?.length === right?.length;
      return [
        ...only(left, right).map((row) => `  sqlite   ${name} ${row}`),
        ...only(right, left).map((row) => `  postgres ${name} ${row}`),
        ...(isSame ? [] : [`  ${name} has ${left?.length} and ${right?.length} rows`]),
      ];
    }),
  );
  return found.flat();
}

async function rowsOf(
  { installation: { database } }: Desk,
  table: string,
  columns: readonly string[],
): Promise<readonly string[]> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  // Versions of tables are sequences too, and each database counts changes in its own way.
  const condition =
    table === 'docket_sequence'
      ? ` WHERE name NOT LIKE 'changes of %' AND name NOT LIKE 'commits of %'`
      : '';
  const rows = await database.read(`SELECT ${list} FROM "${table}"${condition}`, []);
  return rows.map((row) => JSON.stringify(row.map(plainCell)));
}

function plainCell(cell: Cell): unknown {
  if (typeof cell === 'bigint') return `${cell}n`;
  if (Number.isNaN(cell)) return 'NaN';
  if (Object.is(cell, Number.POSITIVE_INFINITY)) return 'INF';
  if (Object.is(cell, Number.NEGATIVE_INFINITY)) return '-INF';
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell;
}
