// This file turns a response into rows and columns.

export type Row = Readonly<Record<string, unknown>>;

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly nextLink: string | undefined;
  readonly count: string | undefined;
}

const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rows of a collection, or a single entity as one row; undefined for other responses. */
export function rowsOf(json: unknown): Rows | undefined {
  if (!isRecord(json)) return undefined;
  const value = json.value;
  const list = Array.isArray(value) ? value : [json];
  const rows = list.map((item) => (isRecord(item) ? item : { value: item }));
  const names = rows.flatMap((row) => Object.keys(row).filter((name) => !name.includes('@')));
  const { '@odata.nextLink': nextLink, '@odata.count': count } = json;
  return {
    columns: [...new Set(names)],
    rows,
    nextLink: typeof nextLink === 'string' ? nextLink : undefined,
    count: count === undefined ? undefined : String(count),
  };
}

/** A value as text: codes as text and value, other objects and collections as JSON without control information. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  const code = codeText(value);
  if (code !== undefined) return code;
  return JSON.stringify(value, (name, inner: unknown) => (name.includes('@') ? undefined : inner));
}

function codeText(value: object): string | undefined {
  const { Text, Value } = value as Row;
  const isCode = typeof Text === 'string' && Value !== undefined && Object.keys(value).length === 2;
  return isCode ? `${Text} (${String(Value)})` : undefined;
}
