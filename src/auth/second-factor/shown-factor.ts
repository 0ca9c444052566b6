// Shows on the record of an account that it has a second factor, for administrators and for the account. The factor itself is in tables
// that no client query can reach.
import { ACCOUNT_SET, HAS_FACTOR } from '../../edm/account-sets.ts';
import { setSource } from '../../edm/source.ts';
import { list, name, sql, tableName, value } from '../../sql/fragment.ts';
import { type Layout, tableOf, VERSION_COLUMN } from '../../sql/schema/layout.ts';
import { logOwnUpdate } from '../../sql/write/change-log.ts';
import type { Work } from '../../store/database.ts';
import { instant } from '../../store/stored-values.ts';
import { query } from '../../store/work.ts';

/** Who makes the change, by which request, and when in milliseconds since 1970. */
export interface FactorChange {
  readonly account: string;
  readonly request: string;
  readonly time: number;
}

/** Updates the record, with its version and an entry in the change log. A model with its own accounts may lack the member. */
export function* showFactor(
  layout: Layout,
  uid: bigint,
  isThere: boolean,
  { account, request, time }: FactorChange,
): Work<void> {
  const source = setSource(layout.model, ACCOUNT_SET);
  const { table, columns } = tableOf(layout, source);
  if (!columns.has(HAS_FACTOR)) return;
  const version = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
  yield query(
    sql`UPDATE ${tableName(table.name)} SET ${name(HAS_FACTOR)} = ${value(isThere)}, ${version} WHERE ${name(table.identity)} = ${value(uid)}`,
  );
  const author = list([instant(time), value(account), value(request)]);
  yield query(logOwnUpdate(source, value(uid), author));
}
