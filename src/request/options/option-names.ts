// This file lists the names of the system query options and parses such names inside parentheses. As in OData 4.01, names are
// case-insensitive and the $ is optional.

import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { CODE, type Cursor } from '../cursor.ts';
import { adviceForOption } from '../expression/syntax-hints.ts';

/** Option names, without $ and in lower case. */
export const OPTION_NAMES = [
  'apply',
  'compute',
  'count',
  'deltatoken',
  'expand',
  'filter',
  'format',
  'id',
  'index',
  'levels',
  'orderby',
  'schemaversion',
  'search',
  'select',
  'skip',
  'skiptoken',
  'top',
] as const;

export type OptionName = (typeof OPTION_NAMES)[number];

/** Options that apply to rows, in evaluation order. OData 4.01 Protocol, "Evaluation Order of System Query Options". */
export const ROW_OPTIONS = [
  'apply',
  'compute',
  'search',
  'filter',
  'count',
  'orderby',
  'skip',
  'top',
  'expand',
  'select',
] as const satisfies readonly OptionName[];

/** Options that are also allowed in parentheses. */
export const NESTED_OPTIONS = [...ROW_OPTIONS, 'levels'] as const;

const KNOWN: ReadonlySet<string> = new Set(OPTION_NAMES);

/** Options of the temporal extension, which are reported as not implemented. */
const TEMPORAL: ReadonlySet<string> = new Set(['at', 'from', 'to', 'toinclusive']);

/**
 * Returns the option with the name, with or without $ and in any case; undefined for a custom option, which has no $.
 * Throws: request.unknown-option for unknown names with $, not-built for the temporal options.
 */
export function findOption(name: string, position: number, place = ''): OptionName | undefined {
  const hasDollar = name.charCodeAt(0) === CODE.dollar;
  const bare = hasDollar ? name.slice(1) : name;
  if (isOptionName(bare)) return bare;
  const lower = bare.toLowerCase();
  if (isOptionName(lower)) return lower;
  if (!hasDollar) {
    const intended = name.charCodeAt(0) === CODE.at ? undefined : restoreMangled(name);
    if (intended !== undefined) throw unknownOption(name, position, place, intended);
    return undefined;
  }
  if (TEMPORAL.has(lower)) {
    throw new Fault('not-built', { feature: `query option $${lower}` }, { position, target: name });
  }
  throw unknownOption(name, position, place);
}

/**
 * Restores a name that was mangled on its way: `amp;$top` from an HTML page, `%24top` encoded twice, `\\$top` and `"$top"` from a
 * shell, ` $top` with a space. Without this they would be ignored as custom options. Returns undefined for any other name.
 */
function restoreMangled(name: string): string | undefined {
  const bare = name.replace(/^(?:amp;|%(?:25)*24|[\s"'`\\?;])+/i, '').replace(/["'`\s]+$/, '');
  if (bare === name) return undefined;
  if (bare.startsWith('$') || bare.startsWith('@')) return bare;
  const lower = bare.toLowerCase();
  return isOptionName(lower) ? `$${lower}` : undefined;
}

/** `place` is empty or begins with a space; `intended` is the restored name of a mangled option. */
function unknownOption(name: string, position: number, place = '', intended?: string): Fault {
  const known = OPTION_NAMES.map((option) => `$${option}`);
  const nearest = () => adviceForOption(name) || didYouMean(name, known);
  const hint = intended === undefined ? nearest() : ` Did you mean "${intended.slice(0, 100)}"?`;
  return new Fault(
    'request.unknown-option',
    { name: name.slice(0, 100), place, hint },
    { position, target: name.slice(0, 100) },
  );
}

/** Creates the fault for a known option that is not allowed in its place. */
export function misplacedOption(
  name: OptionName,
  place: string,
  allowed: readonly OptionName[],
  position?: number,
): Fault {
  const list = allowed.map((option) => `$${option}`).join(', ');
  const at = position === undefined ? {} : { position };
  return new Fault(
    'request.misplaced-option',
    { name: `$${name}`, place, instead: list === '' ? 'leave it out' : `use ${list}` },
    { ...at, target: `$${name}` },
  );
}

export function duplicateOption(name: string, position?: number): Fault {
  const at = position === undefined ? {} : { position };
  return new Fault(
    'request.duplicate-option',
    { name: name.slice(0, 100) },
    { ...at, target: name.slice(0, 100) },
  );
}

/**
 * Parses `$name=` or `name=` and returns the option.
 * Throws: request.unknown-option, request.misplaced-option with `place` in its message, not-built.
 */
export function readOptionName<Name extends OptionName>(
  cursor: Cursor,
  allowed: readonly Name[],
  place: string,
): Name {
  const start = cursor.at;
  const hasDollar = cursor.take(CODE.dollar);
  if (cursor.takeIdentifier() === '') {
    cursor.fail(
      `a query option such as $${allowed[0] ?? 'filter'}=`,
      hasDollar ? start : cursor.at,
    );
  }
  const text = cursor.slice(start);
  const where = ` (at position ${start} of ${cursor.target})`;
  const found = findOption(text, start, where);
  if (found === undefined) throw unknownOption(text, start, where);
  const name = allowed.find((candidate) => candidate === found);
  if (name === undefined) throw misplacedOption(found, place, allowed, start);
  cursor.expect(CODE.equals);
  return name;
}

/** Whether `$name=`, `name=` or `@alias=` follows `ahead` characters further, whether or not such an option exists. */
export function isOptionNext(cursor: Cursor, ahead: number): boolean {
  const mark = cursor.at;
  cursor.at += ahead;
  if (!cursor.take(CODE.at)) cursor.take(CODE.dollar);
  const isOption = cursor.takeIdentifier() !== '' && cursor.code() === CODE.equals;
  cursor.at = mark;
  return isOption;
}

function isOptionName(name: string): name is OptionName {
  return KNOWN.has(name);
}
