// This file makes statements that insert several rows, for loading and copying tables: one row per statement takes several times longer.
import {
  ARGUMENT,
  EMPTY,
  type Fragment,
  list,
  name as quotedName,
  sql,
  tableName,
} from '../../sql/fragment.ts';
import type { Cell, SingleOperation } from '../database.ts';
import { change } from '../work.ts';

/** Maximum of values per statement. More make the text of a statement longer, and the inserts hardly faster. */
const MAX_VALUES = 1000;

/** Makes the operations that insert rows with these columns into a table. */
export type RowInsert = (rows: readonly (readonly Cell[])[]) => readonly SingleOperation[];

/**
 * The numbers of rows per statement are powers of two, so that few statements differ.
 * @param conflict the end of the statement, such as `ON CONFLICT DO NOTHING`
 */
export function rowInsert(
  table: string,
  columns: readonly string[],
  conflict: Fragment = EMPTY,
): RowInsert {
  const known = new Map<number, Fragment>();
  const into = sql`INSERT INTO ${tableName(table)} (${list(columns.map(quotedName))}) VALUES `;
  const row = sql`(${list(columns.map(() => ARGUMENT))})`;
  const most = Math.max(1, Math.floor(MAX_VALUES / columns.length));
  const statementFor = (count: number): Fragment => {
    const former = known.get(count);
    if (former !== undefined) return former;
    const statement = sql`${into}${list(Array.from({ length: count }, () => row))}${conflict}`;
    known.set(count, statement);
    return statement;
  };
  return (rows) => {
    const operations: SingleOperation[] = [];
    for (let at = 0, count = 0; at < rows.length; at += count) {
      count = 2 ** Math.floor(Math.log2(Math.min(most, rows.length - at)));
      operations.push(change(statementFor(count), rows.slice(at, at + count).flat()));
    }
    return operations;
  };
}
