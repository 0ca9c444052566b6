// This file defines templates, by which the service writes the JSON text of a record from the columns of its row (write-record.ts).
//     {"Id":7,"Name":"Leo"}    ['{"Id":', column 0 as it is, ',"Name":', column 1 as a JSON string, '}']
import type { EnumType } from '../../edm/model.ts';
import type { DocumentRules } from '../dialect/rewrite-document.ts';

/**
 * How a value becomes text. text: as it is, nothing for null. Others write `null` for null, except in URLs.
 * plain: as it is. quoted: in quotation marks, without escaping; shortest-time: without zeros at the end of its fraction, too. string: a JSON string. decimal: as it is, but INF, -INF and NaN quoted.
 * code: `start`, the members of a coded value by code, and `}`; or `unknown` with the code in it. document: JSON that `rules` rewrite.
 * members: the members of a JSON object with leading commas, nothing for null.
 */
export type Format =
  | { readonly kind: 'text' | 'plain' | 'quoted' | 'string' | 'decimal' }
  | { readonly kind: 'boolean' | 'floating' | 'single' | 'duration' | 'binary' | 'shortest-time' }
  | { readonly kind: 'scaled'; readonly scale: number; readonly quoted: boolean }
  | { readonly kind: 'enum'; readonly type: EnumType }
  | {
      readonly kind: 'code';
      readonly texts: ReadonlyMap<bigint, string>;
      readonly start: string;
      readonly unknown: readonly [before: string, after: string];
    }
  | { readonly kind: 'document'; readonly rules: DocumentRules }
  | { readonly kind: 'members'; readonly rules: DocumentRules | undefined }
  | { readonly kind: 'key'; readonly of: KeyFormat };

/** How a key becomes part of a URL. url: as text in quotation marks. */
export type KeyFormat =
  | { readonly kind: 'plain' | 'url' | 'time' | 'shortest-time' }
  | { readonly kind: 'boolean' | 'floating' | 'duration' | 'binary' }
  | { readonly kind: 'scaled'; readonly scale: number }
  | { readonly kind: 'enum'; readonly type: EnumType };

export type Part = string | VariablePart;

export type VariablePart =
  | { readonly kind: 'cell'; readonly column: number; readonly format: Format }
  | {
      readonly kind: 'choice';
      readonly tests: readonly ColumnTest[];
      readonly parts: readonly Part[];
      readonly otherwise: string;
    }
  | { readonly kind: 'members'; readonly parts: readonly Part[]; readonly trailing: boolean }
  | { readonly kind: 'extension'; readonly object: Part; readonly added: readonly Part[] }
  | { readonly kind: 'root' };

/** true: the column is true. other: it is neither null nor `except`. */
export type ColumnTest =
  | { readonly kind: 'true'; readonly column: number }
  | { readonly kind: 'other'; readonly column: number; readonly except: string | undefined };

/** How the service writes a record from the first result columns of a statement. */
export interface RecordTemplate {
  /** Number of these columns. */
  readonly columns: number;
  readonly parts: readonly Part[];
}
