// This file writes the change log: one row for every deed on a record, in the transaction of the deed. Delta, audit and web hooks are
// its readers. Nothing may change a record without a note here.
import type { Source } from '../edm/source.ts';
import { type Fragment, parameter, sql, value } from './fragment.ts';

export type Deed = 'create' | 'update' | 'delete' | 'link' | 'unlink';

/**
 * `seq` counts deeds in the order in which they were committed (there is one writer). `source` and `identity` name the record, `parent`
 * the record it is contained in, `key` its address when it is gone; `detail` the navigation and the other end of a link.
 */
export const CHANGE_TABLE: readonly string[] = [
  `CREATE TABLE "docket_change" ("seq" INTEGER PRIMARY KEY AUTOINCREMENT, "at" TEXT NOT NULL, "account" TEXT, "request" TEXT,
    "deed" TEXT NOT NULL, "source" TEXT NOT NULL, "identity" INTEGER NOT NULL, "navigation" TEXT, "other" INTEGER)`,
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
  return sql`INSERT INTO "docket_change" ("at", "account", "request", "deed", "source", "identity", "navigation", "other")
    VALUES (${parameter({ kind: 'context', name: 'now' })}, ${parameter({ kind: 'context', name: 'account' })}, ${parameter({ kind: 'context', name: 'request' })},
    ${value(deed)}, ${value(source.id)}, ${identity}, ${navigation}, ${link?.other ?? value(null)})`;
}
