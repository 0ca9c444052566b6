// This file converts values between the service and PostgreSQL's text format, so that rows look as they do on SQLite: integers and
// booleans as bigint, doubles as number, bytes as Buffer, and everything else as text.
import { Fault } from '../../base/fault.ts';
import type { Cell, Row } from '../database.ts';

type Parser = (text: string) => Cell;

const text: Parser = (value) => value;
const integer: Parser = (value) => BigInt(value);

/** By the object identifier of the type. Source: PostgreSQL, `pg_type.dat`. */
const PARSERS: ReadonlyMap<number, Parser> = new Map([
  [16, (value) => (value === 't' ? 1n : 0n)],
  [17, (value) => Buffer.from(value.slice(2), 'hex')],
  [20, integer],
  [21, integer],
  [23, integer],
  [700, Number],
  [701, Number],
]);

/** The `types` option of pg, for one client instead of its global table. */
export const TYPES = { getTypeParser: (type: number): Parser => PARSERS.get(type) ?? text };

/** A column whose values do not remain as the server sends them. */
export interface ConvertedColumn {
  readonly index: number;
  readonly parse: Parser;
  readonly isInteger: boolean;
}

/** The columns of these types that need a conversion. */
export function convertedColumns(types: readonly number[]): readonly ConvertedColumn[] {
  return types.flatMap((type, index) => {
    const parse = PARSERS.get(type);
    return parse === undefined ? [] : [{ index, parse, isInteger: parse === integer }];
  });
}

/** The row in place of the texts. Integers among the first `textColumns` columns remain text. */
export function toRow(
  fields: (string | null)[],
  columns: readonly ConvertedColumn[],
  textColumns: number,
): Row {
  const row: Cell[] = fields;
  for (const { index, parse, isInteger } of columns) {
    const content = fields[index];
    if (typeof content !== 'string' || (isInteger && index < textColumns)) continue;
    row[index] = parse(content);
  }
  return row;
}

/** A value as a parameter of pg. Throws: store.text, since PostgreSQL has no U+0000 and pg replaces unpaired surrogates silently. */
export function toPostgres(cell: Cell): string | Buffer | null {
  if (typeof cell === 'string') {
    if (cell.includes('\0') || !cell.isWellFormed()) throw new Fault('store.text');
    return cell;
  }
  if (cell instanceof Uint8Array) return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength);
  return cell === null ? null : String(cell);
}
