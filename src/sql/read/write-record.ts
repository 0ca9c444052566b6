// This file writes the JSON text of a record from its columns, by the template of record-template.ts. The texts are those of
// expression/json-value.ts. A template is compiled once to functions, because a page has thousands of values.
import { unreachable } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { writeEnum } from '../../edm/value/enum.ts';
import { writeJson } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { shortestFraction, writeDuration } from '../../edm/value/temporal.ts';
import { unscale } from '../dialect/decimal-math.ts';
import { type DocumentRules, rewriteDocument } from '../dialect/rewrite-document.ts';
import { base64url } from '../schema/value-storage.ts';
import type {
  ColumnTest,
  Format,
  KeyFormat,
  Part,
  RecordTemplate,
  VariablePart,
} from './record-template.ts';

type Content = Value | Uint8Array;

type Row = readonly Content[];

/** Writes a part of a record. `root` is the service root, escaped. */
type Writer = (row: Row, root: string) => string;

/** The function that writes a record from its row. */
export const recordWriter = perObject(({ parts }: RecordTemplate): Writer => writerOf(parts));

/** A URL, escaped for use inside a JSON string. */
export function escapeUrl(url: string): string {
  return url.replaceAll('\\', '%5C').replaceAll('"', '%22');
}

/** A value or a nested part, with the constant text before it. */
interface Step {
  /** The text before the value, and after it. */
  readonly start: string;
  readonly end: string;
  /** All of it if the value is null. */
  readonly ofNull: string;
  /** The column of the value; -1 for a nested part. */
  readonly column: number;
  /** Undefined if the value is written as it is. */
  readonly format: ((content: Exact) => string) | undefined;
  readonly nested: Writer;
}

/** One writer for all parts. Values, which are most of them, are written without calls where possible. */
function writerOf(parts: readonly Part[]): Writer {
  const steps: Step[] = [];
  let before = '';
  for (const part of parts) {
    if (typeof part === 'string') before += part;
    else {
      steps.push(stepOf(part, before));
      before = '';
    }
  }
  const end = before;
  return (row, root) => writeSteps(steps, row, root) + end;
}

function writeSteps(steps: readonly Step[], row: Row, root: string): string {
  let text = '';
  for (const { start, end, ofNull, column, format, nested } of steps) {
    const content = column < 0 ? undefined : row[column];
    if (content === null) text += ofNull;
    else if (content === undefined) text += start + nested(row, root);
    else if (format === undefined) text += start + String(content) + end;
    else text += start + format(content);
  }
  return text;
}

function stepOf(part: VariablePart, before: string): Step {
  if (part.kind !== 'cell') {
    const nested = nestedWriter(part);
    return { start: before, end: '', ofNull: '', column: -1, format: undefined, nested };
  }
  const { column, format } = part;
  const mark = format.kind === 'quoted' ? '"' : '';
  return {
    start: before + mark,
    end: mark,
    ofNull: before + (WITHOUT_NULL.has(format.kind) ? '' : 'null'),
    column,
    format: AS_IT_IS.has(format.kind) ? undefined : formatter(format),
    nested: NOTHING,
  };
}

const WITHOUT_NULL: ReadonlySet<string> = new Set(['text', 'members', 'key']);
const AS_IT_IS: ReadonlySet<string> = new Set(['text', 'plain', 'quoted']);
const NOTHING: Writer = () => '';

function nestedWriter(part: Exclude<VariablePart, { readonly kind: 'cell' }>): Writer {
  switch (part.kind) {
    case 'choice':
      return choiceWriter(part);
    case 'members':
      return membersWriter(writerOf(part.parts), part.trailing);
    case 'extension':
      return extensionWriter(writerOf([part.object]), writerOf(part.added));
    case 'root':
      return (_, root) => root;
    default:
      return unreachable(part);
  }
}

function choiceWriter({
  tests,
  parts,
  otherwise,
}: VariablePart & { readonly kind: 'choice' }): Writer {
  const write = writerOf(parts);
  const [first, ...others] = tests.map(testOf);
  if (first === undefined) return write;
  if (others.length === 0) return (row, root) => (first(row) ? write(row, root) : otherwise);
  return (row, root) =>
    first(row) && others.every((test) => test(row)) ? write(row, root) : otherwise;
}

function testOf(test: ColumnTest): (row: Row) => boolean {
  const { column } = test;
  if (test.kind === 'true') return (row) => isTrue(row[column] ?? null);
  const { except } = test;
  return (row) => row[column] !== null && row[column] !== except;
}

function isTrue(content: Content): boolean {
  return content !== null && content !== 0n && content !== false;
}

function membersWriter(write: Writer, trailing: boolean): Writer {
  return (row, root) => {
    const text = write(row, root);
    return trailing && text !== '' ? `${text.slice(1)},` : text.slice(1);
  };
}

function extensionWriter(object: Writer, added: Writer): Writer {
  return (row, root) => {
    const members = object(row, root).slice(1, -1) + added(row, root);
    return `{${members.startsWith(',') ? members.slice(1) : members}}`;
  };
}

// ---- values ---------------------------------------------------------------------------------------------------------

type Exact = Exclude<Content, null>;

function formatter(format: Format): (content: Exact) => string {
  switch (format.kind) {
    case 'text':
    case 'plain':
    case 'quoted':
      return String;
    case 'string':
      return (content) => quote(String(content));
    case 'decimal':
      return (content) => decimalText(String(content));
    case 'boolean':
      return (content) => (isTrue(content) ? 'true' : 'false');
    case 'floating':
      return (content) => floatingText('Edm.Double', content);
    case 'single':
      return (content) => floatingText('Edm.Single', content);
    case 'duration':
      return (content) => `"${writeDuration(bigintOf(content))}"`;
    case 'binary':
      return (content) => `"${binaryText(content)}"`;
    case 'shortest-time':
      return (content) => `"${shortestFraction(String(content))}"`;
    case 'scaled':
      return scaledFormatter(format);
    case 'enum':
      return (content) => `"${writeEnum(format.type, bigintOf(content))}"`;
    case 'code':
      return codeFormatter(format);
    case 'document':
      return (content) => rewriteDocument(String(content), format.rules);
    case 'members':
      return (content) => membersText(String(content), format.rules);
    case 'key':
      return keyFormatter(format.of);
    default:
      return unreachable(format);
  }
}

/** A character that JSON escapes, or half of one that it might. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** JSON has no INF, -INF and NaN, so they are strings. */
function decimalText(digits: string): string {
  return /[A-Z]/.test(digits) ? `"${digits}"` : digits;
}

function floatingText(type: 'Edm.Double' | 'Edm.Single', content: Exact): string {
  return writeJson(type, content === 'NaN' ? Number.NaN : Number(content));
}

function binaryText(content: Exact): string {
  return content instanceof Uint8Array ? base64url(content) : String(content);
}

function bigintOf(content: Exact): bigint {
  return typeof content === 'bigint' ? content : BigInt(String(content));
}

function scaledFormatter({
  scale,
  quoted,
}: Format & { readonly kind: 'scaled' }): (content: Exact) => string {
  return quoted
    ? (content) => `"${unscale(bigintOf(content), scale)}"`
    : (content) => unscale(bigintOf(content), scale);
}

function codeFormatter({
  texts,
  start,
  unknown: [before, after],
}: Format & { readonly kind: 'code' }): (content: Exact) => string {
  const byText = codesByText(texts);
  return (content) => {
    const members = byText.get(String(content));
    return members === undefined ? before + String(content) + after : `${start}${members}}`;
  };
}

/** Codes as a row has them. */
const codesByText = perObject(
  (texts: ReadonlyMap<bigint, string>) =>
    new Map([...texts].map(([code, members]) => [String(code), members])),
);

function membersText(stored: string, rules: DocumentRules | undefined): string {
  const text = rules === undefined ? stored : rewriteDocument(stored, rules);
  return text.length > 2 ? `,${text.slice(1, -1)}` : '';
}

function keyFormatter(format: KeyFormat): (content: Exact) => string {
  switch (format.kind) {
    case 'plain':
      return String;
    case 'url':
      return (content) => encodeURIComponent(`'${String(content).replaceAll("'", "''")}'`);
    case 'time':
      return (content) => String(content).replaceAll(':', '%3A');
    case 'shortest-time':
      return (content) => shortestFraction(String(content)).replaceAll(':', '%3A');
    case 'boolean':
      return (content) => (isTrue(content) ? 'true' : 'false');
    case 'floating':
      return (content) => floatingText('Edm.Double', content).replaceAll('"', '');
    case 'duration':
      return (content) => `duration'${writeDuration(bigintOf(content))}'`;
    case 'binary':
      return binaryText;
    case 'scaled':
      return (content) => unscale(bigintOf(content), format.scale);
    case 'enum':
      return (content) => `${format.type.name}'${writeEnum(format.type, bigintOf(content))}'`;
    default:
      return unreachable(format);
  }
}
