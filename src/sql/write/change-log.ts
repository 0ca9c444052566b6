// This file writes the change log: one row for every deed on a record, in the transaction of the deed. Delta, audit and web hooks are
// its readers. Nothing may change a record without a note here.
import type { Source } from '../../edm/source.ts';
import { type Fragment, parameter, sql, value } from '../fragment.ts';

export type Deed = 'create' | 'update' | 'delete' | 'link' | 'unlink';

/**
 * `seq` counts deeds in the order in which they were committed (there is one writer) and leaves no number out. `source` and `identity`
 * name the record. Of a link, `navigation` says by what and `other` to whom: the path of a navigation, a column, or a table of pairs.
 * `address` of a deleted record of a set is where it was, relative to the service root: `Persons(7)`.
 */
export const CHANGE_TABLE: readonly string[] = [
  `CREATE TABLE "docket_change" ("seq" INTEGER PRIMARY KEY AUTOINCREMENT, "at" TEXT NOT NULL, "account" TEXT, "request" TEXT,
    "deed" TEXT NOT NULL, "source" TEXT NOT NULL, "identity" INTEGER NOT NULL, "navigation" TEXT, "other" INTEGER, "address" TEXT)`,
  'CREATE INDEX "docket_change|source" ON "docket_change" ("source", "seq")',
  'CREATE INDEX "docket_change|identity" ON "docket_change" ("identity", "seq")',
  'CREATE INDEX "docket_change|at" ON "docket_change" ("at")',
];

/** The row that notes a deed. */
export function noteChange(
  deed: Deed,
  source: Source,
  identity: Fragment,
  link?: { readonly navigation: string; readonly other: Fragment },
): Fragment {
  const navigation = link === undefined ? value(null) : value(link.navigation);
  return sql`${INTO} VALUES (${WHO}, ${value(deed)}, ${value(source.id)}, ${identity}, ${navigation}, ${link?.other ?? value(null)}, NULL)`;
}

/** What is noted of each of several rows: values that are made of the row. */
export interface RowNote {
  readonly deed: Deed;
  readonly source: Source;
  readonly identity: Fragment;
  readonly navigation?: Fragment;
  readonly other?: Fragment;
  readonly address?: Fragment;
}

/**
 * A note for each row.
 * @param rows what stands behind FROM
 */
export function noteRows(note: RowNote, rows: Fragment): Fragment {
  const { deed, source, identity, navigation, other, address } = note;
  const nothing = value(null);
  return sql`${INTO} SELECT ${WHO}, ${value(deed)}, ${value(source.id)}, ${identity}, ${navigation ?? nothing}, ${other ?? nothing}, ${address ?? nothing} FROM ${rows}`;
}

/** The number of the newest change, 0 where there never was one. */
export const NEWEST_CHANGE = sql`coalesce((SELECT max("seq") FROM "docket_change"), 0)`;

const INTO = sql`INSERT INTO "docket_change" ("at", "account", "request", "deed", "source", "identity", "navigation", "other", "address")`;

const WHO = sql`${parameter({ kind: 'context', name: 'now' })}, ${parameter({ kind: 'context', name: 'account' })}, ${parameter({ kind: 'context', name: 'request' })}`;
