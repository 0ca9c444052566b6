// This file reads iCalendar text: content lines with their numbers, and the components that they form. ical.js parses each line; it reads
// whole files without the places of mistakes. RFC 5545, "Content Lines".
import { createRequire } from 'node:module';
import { Fault } from '../../base/fault.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';

/** Loaded with the first file, because few processes import holidays, and it takes megabytes. */
function ical(): typeof import('ical.js').default {
  const loaded: typeof import('ical.js') | typeof import('ical.js').default = createRequire(
    import.meta.url,
  )('ical.js');
  return 'default' in loaded ? loaded.default : loaded;
}

/** A property as ical.js has read it. */
export interface ContentLine {
  /** The number of its first line in the file. */
  readonly line: number;
  /** In capital letters: `DTSTART`. */
  readonly name: string;
  /** By names in small letters. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The type of the values: `date`, `date-time`, `recur`, `text`. */
  readonly type: string;
  readonly values: readonly JsonInput[];
  /** What follows the colon. */
  readonly text: string;
}

/** A component without those that are in it. */
export interface Component {
  readonly line: number;
  /** `VEVENT`. */
  readonly name: string;
  readonly lines: readonly ContentLine[];
  /** Those that contain it, the outermost first. */
  readonly within: readonly Component[];
}

/** A mistake in the file. @param component as messages show it: `VEVENT "New Year"` */
export function mistakeAt(line: number, component: string, reason: string): Fault {
  return new Fault('holidays.file', { line, component, reason }, { target: 'Content' });
}

/** The components of the file in the order of their ends. Throws: holidays.file. */
export function readComponents(text: string): readonly Component[] {
  const found: Component[] = [];
  const open: (Component & { readonly lines: ContentLine[] })[] = [];
  for (const { line, content } of unfolded(text)) {
    const inner = open.at(-1);
    const [, word = '', name = ''] = /^(BEGIN|END):(.*?)\s*$/i.exec(content) ?? [];
    const component = name.toUpperCase();
    if (inner === undefined && (word.toUpperCase() !== 'BEGIN' || component !== 'VCALENDAR'))
      throw mistakeAt(line, 'the file', 'BEGIN:VCALENDAR is expected');
    if (word.toUpperCase() === 'BEGIN')
      open.push({ line, name: component, lines: [], within: [...open] });
    else if (inner !== undefined && word === '') inner.lines.push(readLine(line, content, inner));
    else if (inner !== undefined) found.push(closed(open, inner, line, component));
  }
  const [left] = open;
  if (left !== undefined) throw mistakeAt(left.line, left.name, `END:${left.name} is missing`);
  if (found.length === 0) throw mistakeAt(1, 'the file', 'BEGIN:VCALENDAR is expected');
  return found;
}

function closed(open: unknown[], inner: Component, line: number, name: string): Component {
  if (name !== inner.name)
    throw mistakeAt(line, inner.name, `END:${inner.name} is expected, not END:${name}`);
  open.pop();
  return inner;
}

interface TextLine {
  readonly line: number;
  readonly content: string;
}

/** Lines that begin with a space or a tab continue the line before. */
function unfolded(text: string): readonly TextLine[] {
  const lines: { readonly line: number; content: string }[] = [];
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const before = lines.at(-1);
    if (/^[ \t]/.test(content) && before !== undefined) before.content += content.slice(1);
    else if (content.trim() !== '') lines.push({ line: index + 1, content });
  }
  return lines;
}

function readLine(line: number, content: string, { name: component }: Component): ContentLine {
  try {
    const [name, parameters, type, ...values] = ical().parse.property(content) as JsonInput[];
    const given = isJsonObject(parameters) ? Object.entries(parameters) : [];
    return {
      line,
      name: String(name).toUpperCase(),
      parameters: new Map(given.map(([key, value]) => [key, String(value)])),
      type: String(type),
      values,
      // Colons in parameters are quoted.
      text: content.replace(/^(?:[^":]|"[^"]*")*:/, '').trim(),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw mistakeAt(line, component, reason.slice(0, 200));
  }
}
