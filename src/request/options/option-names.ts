// This file holds the names of the system query options and reads such a name inside parentheses, where it ends with "=".
// Names are free of case and may lack their $, as OData 4.01 has it.

import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { CODE, type Cursor } from '../cursor.ts';
import { adviceForOption } from '../expression/syntax-hints.ts';

/** Options by their 4.01 name, without $ and in lower case. */
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

/** Options that ask something of rows, in the order in which they are evaluated. OData 4.01 Protocol, "Evaluation Order of System Query Options". */
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

/** Options that may stand in parentheses as well. */
export const NESTED_OPTIONS = [...ROW_OPTIONS, 'levels'] as const;

const KNOWN: ReadonlySet<string> = new Set(OPTION_NAMES);

/** Options of the standard's temporal extension: known, so that they are refused as not built. */
const TEMPORAL: ReadonlySet<string> = new Set(['at', 'from', 'to', 'toinclusive']);

/**
 * The option that a name means, with or without $ and in any case; undefined for a custom option, which has no $.
 * Faults: request.unknown-option for a $ name that no standard knows, not-built for the temporal options.
 */
export function findOption(name: string, position: number, place = ''): OptionName | undefined {
  const hasDollar = name.charCodeAt(0) === CODE.dollar;
  const bare = hasDollar ? name.slice(1) : name;
  if (isOptionName(bare)) return bare;
  const lower = bare.toLowerCase();
  if (isOptionName(lower)) return lower;
  if (!hasDollar) {
    const meant = name.charCodeAt(0) === CODE.at ? undefined : beforeMangling(name);
    if (meant !== undefined) throw unknownOption(name, position, place, meant);
    return undefined;
  }
  if (TEMPORAL.has(lower)) {
    throw new Fault('not-built', { feature: `query option $${lower}` }, { position, target: name });
  }
  throw unknownOption(name, position, place);
}

/**
 * What a name was before something happened to it on its way: `amp;$top` from a page of HTML, `%24top` encoded twice, `\\$top` and
 * `"$top"` from a shell, ` $top` with a blank. Passed over as custom options they would be ignored. Undefined for any other name.
 */
function beforeMangling(name: string): string | undefined {
  const bare = name.replace(/^(?:amp;|%(?:25)*24|[\s"'`\\?;])+/i, '').replace(/["'`\s]+$/, '');
  if (bare === name) return undefined;
  if (bare.startsWith('$') || bare.startsWith('@')) return bare;
  const lower = bare.toLowerCase();
  return isOptionName(lower) ? `$${lower}` : undefined;
}

/**
 * The fault for a name that is no option; `place` begins with a blank where the message is to say where, `meant` is the name that
 * was mangled.
 */
function unknownOption(name: string, position: number, place = '', meant?: string): Fault {
  const known = OPTION_NAMES.map((option) => `$${option}`);
  const nearest = () => adviceForOption(name) || didYouMean(name, known);
  const hint = meant === undefined ? nearest() : ` Did you mean "${meant.slice(0, 100)}"?`;
  return new Fault(
    'request.unknown-option',
    { name: name.slice(0, 100), place, hint },
    { position, target: name.slice(0, 100) },
  );
}

/** The fault for a known option in a place where it has no meaning. */
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
 * Reads `$name=` or `name=` where only some options have a meaning, and returns it.
 * Faults: request.unknown-option, request.misplaced-option with the place as the message names it, not-built.
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
  const written = cursor.slice(start);
  const where = ` (at position ${start} of ${cursor.target})`;
  const found = findOption(written, start, where);
  if (found === undefined) throw unknownOption(written, start, where);
  const name = allowed.find((candidate) => candidate === found);
  if (name === undefined) throw misplacedOption(found, place, allowed, start);
  cursor.expect(CODE.equals);
  return name;
}

/** Whether `$name=`, `name=` or `@alias=` follows that many characters further on, be there such an option or not. */
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
