// Writes the change log: one row for every change of a record, in the same transaction. Delta queries, the audit log and web hooks read
// it, so nothing may change a record without an entry here.
import type { Source } from '../../edm/source.ts';
import { type Fragment, parameter, sql, tableName, value } from '../fragment.ts';
import type { EngineTable } from '../schema/engine-table.ts';

/** The kinds of changes, stored in the column `deed`. */
export type ChangeKind = 'create' | 'update' | 'delete' | 'link' | 'unlink';

/**
 * `seq` numbers the changes in commit order (there is one writer), without gaps. `source` and `identity` identify the record.
 * For link and unlink, `navigation` is the path of a navigation, a column or a link table, and `other` is the identity of the other end.
 * `address` is the address of a deleted record of a set, relative to the service root: `Persons(7)`.
 */
export const CHANGE_TABLE: EngineTable = {
  name: 'docket_change',
  columns: `seq numbered, at text NOT NULL, account text, request text, deed text NOT NULL, source text NOT NULL,
    identity integer NOT NULL, navigation text, other integer, address text`,
  indexes: {
    'docket_change|source': ['source', 'seq'],
    'docket_change|identity': ['identity', 'seq'],
    'docket_change|at': ['at'],
  },
};

/** Inserts the log entry of one change. */
export function logChange(
  kind: ChangeKind,
  source: Source,
  identity: Fragment,
  link?: { readonly navigation: string; readonly other: Fragment },
): Fragment {
  const navigation = link === undefined ? value(null) : value(link.navigation);
  return sql`${INTO} VALUES (${WHO}, ${value(kind)}, ${value(source.id)}, ${identity}, ${navigation}, ${link?.other ?? value(null)}, NULL)`;
}

/** Inserts the log entry of an update by the service itself. `author` are the time, the account and the request. */
export function logOwnUpdate(source: Source, identity: Fragment, author: Fragment): Fragment {
  return sql`${INTO} VALUES (${author}, ${value('update' satisfies ChangeKind)}, ${value(source.id)}, ${identity}, NULL, NULL, NULL)`;
}

/** The log entry for each of several rows, as expressions on the row. */
export interface RowChange {
  readonly kind: ChangeKind;
  readonly source: Source;
  readonly identity: Fragment;
  readonly navigation?: Fragment;
  readonly other?: Fragment;
  readonly address?: Fragment | undefined;
}

/**
 * Inserts a log entry for each row.
 * @param rows the FROM clause, without FROM
 */
export function logChangesOf(change: RowChange, rows: Fragment): Fragment {
  const { kind, source, identity, navigation, other, address } = change;
  const nothing = value(null);
  return sql`${INTO} SELECT ${WHO}, ${value(kind)}, ${value(source.id)}, ${identity}, ${navigation ?? nothing}, ${other ?? nothing}, ${address ?? nothing} FROM ${rows}`;
}

/** The number of the newest change; 0 if there has never been one. */
export const NEWEST_CHANGE = sql`coalesce((SELECT max("seq") FROM ${tableName('docket_change')}), 0)`;

const INTO = sql`INSERT INTO ${tableName('docket_change')} ("at", "account", "request", "deed", "source", "identity", "navigation", "other", "address")`;

const WHO = sql`${parameter({ kind: 'context', name: 'now' })}, ${parameter({ kind: 'context', name: 'account' })}, ${parameter({ kind: 'context', name: 'request' })}`;
