// This file describes the table of the records that readers of events know, where their accounts may read some records only. What is no
// longer visible to them is removed without a word about any other record.
import { type Fragment, sql, tableName, value } from '../fragment.ts';
import type { EngineTable } from './engine-table.ts';

/** `left_with` is the number of the change with which a record has left what the reader sees; null while the reader knows it. */
export const KNOWN_TABLE: EngineTable = {
  name: 'docket_known_record',
  columns: 'reader integer NOT NULL, address text NOT NULL, left_with integer',
  key: ['reader', 'address'],
  keyed: true,
};

export const KNOWN_RECORDS = tableName(KNOWN_TABLE.name);

/** Whether a reader knows the record with an address. */
export function isKnownTo(reader: bigint, address: Fragment): Fragment {
  return sql`EXISTS (SELECT 1 FROM ${KNOWN_RECORDS} r WHERE r.reader = ${value(reader)} AND r.address = ${address} AND r.left_with IS NULL)`;
}
