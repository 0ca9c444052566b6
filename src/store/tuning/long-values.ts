// This file describes values that are too long for an index of an installation: the members, the record with the longest value, and a remedy.
import { Fault } from '../../base/fault.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
import { join, name, sql, tableName } from '../../sql/fragment.ts';
import {
  type Index,
  type Layout,
  memberText,
  type Table,
  type TableUse,
} from '../../sql/schema/layout.ts';
import type { DatabaseReader } from '../database.ts';
import { TooLong } from '../driver-faults.ts';
import { setOf } from './index-advice.ts';

/** The set and the members of an index. */
export interface NamedIndex {
  readonly set: string;
  readonly members: readonly string[];
  readonly isUnique: boolean;
}

/**
 * An error of building indexes: if a value is too long, with the set, the members and the record that has the longest value.
 * @param remedyFor what to do other than to shorten the value, as the end of a sentence
 */
export async function describeLongValue(
  error: unknown,
  { database, layout, dialect }: Tables,
  remedyFor: (index: NamedIndex) => string,
): Promise<unknown> {
  const found = error instanceof TooLong ? indexNamed(error.index, layout, dialect) : undefined;
  if (found === undefined) return error;
  const { use, index } = found;
  const members = index.columns.map(memberText);
  const named = { set: setOf(use), members, isUnique: index.unique };
  const record = await longestRecord(database, use.table, index);
  const place = ` of ${members.join(', ')} in ${named.set}${record}`;
  const remedy = `Shorten it${remedyFor(named)}.`;
  return new Fault('store.too-long', { place, remedy });
}

interface Tables {
  readonly database: DatabaseReader;
  readonly layout: Layout;
  readonly dialect: Dialect;
}

function indexNamed(
  objectName: string,
  { bySource }: Layout,
  { schema }: Dialect,
): { readonly use: TableUse; readonly index: Index } | undefined {
  for (const use of bySource.values())
    for (const index of use.table.indexes)
      if (schema.objectName(index.name) === objectName) return { use, index };
  return undefined;
}

/** The record with the longest values, such as ` (the longest: Uid 7)`; empty if a migration that failed would have added the columns. */
async function longestRecord(
  database: DatabaseReader,
  { name: table, identity }: Table,
  { columns }: Index,
): Promise<string> {
  const lengths = columns.map((column) => sql`coalesce(length(CAST(${name(column)} AS text)), 0)`);
  const rows = Promise.resolve(
    database.read(
      sql`SELECT ${name(identity)} FROM ${tableName(table)} ORDER BY ${join(lengths, ' + ')} DESC LIMIT 1`,
      [],
    ),
  );
  const [row] = await rows.catch(() => []);
  return row === undefined ? '' : ` (the longest: ${identity} ${row[0]})`;
}
