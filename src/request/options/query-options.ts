// This file parses the query string: it splits it at & and = before decoding, decodes each name and value once, and parses each value.
// Unknown, duplicate and misplaced options are errors; they are never ignored.

import { Fault } from '../../base/fault.ts';
import { memoized, perObject } from '../../base/memo.ts';
import { type Budget, CODE, Cursor, type TreeLimits } from '../cursor.ts';
import { decodeQueryPiece, encodedSemicolons } from '../decode.ts';
import type { RawValue } from '../template.ts';
import type { Options } from '../tree.ts';
import { duplicateOption, findOption, misplacedOption, type OptionName } from './option-names.ts';
import {
  addAlias,
  type Draft,
  isNestedName,
  NO_ALIASES,
  readNestedValue,
  readWhole,
} from './select-expand.ts';

type OptionsDraft = Omit<Draft<Options>, 'custom'> & { custom: Map<string, string[]> };

/** Shared by all queries without custom options; never modified. */
const NO_CUSTOM: OptionsDraft['custom'] = new Map();

/** Options that are ignored; their values are not parsed. */
export type IgnoredNames = ReadonlySet<OptionName>;

const IGNORE_NONE: IgnoredNames = new Set();

/**
 * Parses the raw query string of the URL, and for POST …/$query also that of the body.
 * Throws: request.unknown-option, request.duplicate-option, request.misplaced-option, request.encoding, request.syntax,
 * request.option-value, request.too-deep, request.too-large, not-built.
 * Source: OData 4.01 ABNF, "Query Options"; OData 4.01 URL Conventions, "Query Options".
 */
export function readOptions(
  queries: readonly string[],
  budget: Budget,
  ignored: IgnoredNames = IGNORE_NONE,
): Options {
  const draft = emptyDraft();
  for (const query of queries) {
    for (const piece of query.split('&')) {
      if (piece !== '') readPiece({ piece, budget, ignored, draft });
    }
  }
  return draft;
}

/** Written out, because spreading an object would cost more than all the parsing. */
function emptyDraft(): OptionsDraft {
  return {
    apply: undefined,
    compute: undefined,
    search: undefined,
    filter: undefined,
    count: undefined,
    orderby: undefined,
    skip: undefined,
    top: undefined,
    expand: undefined,
    select: undefined,
    levels: undefined,
    aliases: NO_ALIASES,
    format: undefined,
    skiptoken: undefined,
    deltatoken: undefined,
    id: undefined,
    index: undefined,
    schemaversion: undefined,
    custom: NO_CUSTOM,
  };
}

interface Piece {
  readonly piece: string;
  readonly budget: Budget;
  readonly ignored: IgnoredNames;
  readonly draft: OptionsDraft;
}

/** Options without parameters of plans, which many requests send with the same text. */
const REPEATED: ReadonlySet<OptionName> = new Set(['select', 'expand', 'orderby', 'top', 'count']);

/** A parsed option, and what parsing it has added to the budget. */
interface ParsedOption {
  readonly option: OptionName;
  readonly value: Options[OptionName];
  readonly name: string;
  readonly text: string;
  readonly nodes: number;
}

/** Options by their raw text, within the same limits. */
const parsedWithin = perObject((_: TreeLimits) => new Map<string, ParsedOption>());
const REMEMBERED = 500;
const LONGEST_REMEMBERED = 500;

/** Takes the option from an earlier request with the same text. */
function takeParsed({ piece, budget, ignored, draft }: Piece): boolean {
  const parsed = parsedWithin(budget.limits).get(piece);
  if (parsed === undefined || ignored.has(parsed.option)) return false;
  if (draft[parsed.option] !== undefined) return false;
  budget.spend(parsed.nodes, `$${parsed.option}`);
  budget.template.writeWhole(`${parsed.name}=`, parsed.text);
  (draft as Record<OptionName, unknown>)[parsed.option] = parsed.value;
  return true;
}

function remember({ piece, budget, draft }: Piece, parsed: Omit<ParsedOption, 'value'>): void {
  if (!REPEATED.has(parsed.option) || piece.length > LONGEST_REMEMBERED) return;
  const { option } = parsed;
  const known = parsedWithin(budget.limits);
  memoized(known, piece, () => ({ ...parsed, value: draft[option] }), REMEMBERED);
}

/** queryOption = systemQueryOption / aliasAndValue / nameAndValue / customQueryOption */
function readPiece(piece: Piece): void {
  if (takeParsed(piece)) return;
  const before = piece.budget.spent;
  const equals = piece.piece.indexOf('=');
  const rawName = equals < 0 ? piece.piece : piece.piece.slice(0, equals);
  const name = decodeQueryPiece(rawName, 'the query');
  const option = findOption(name, 0);
  if (option !== undefined && piece.ignored.has(option)) return;
  const target = option === undefined ? name.slice(0, 100) : `$${option}`;
  const raw = equals < 0 ? '' : piece.piece.slice(equals + 1);
  const value = decodeQueryPiece(raw, target);
  const cursor = new Cursor(value, target, piece.budget);
  cursor.encodedSemicolons = encodedSemicolons(raw, (part) => decodeQueryPiece(part, target));
  if (option !== undefined) {
    if (equals < 0) new Cursor(name, target, piece.budget, name.length).fail('"=" and a value');
    readSystemOption(cursor, option, piece.draft);
  } else if (name.charCodeAt(0) === CODE.at) {
    readAliasOption(cursor, name, equals >= 0, piece);
  } else {
    piece.budget.spend(1, target);
    addCustom(piece.draft, name, value);
  }
  if (cursor.encodedSemicolons.size > 0) piece.budget.template.reject();
  const { template } = piece.budget;
  if (option === undefined ? name.startsWith('@') : LIFTED.has(option))
    template.write(`${name}=`, value);
  else {
    template.writeWhole(`${name}=`, value);
    const nodes = piece.budget.spent - before;
    if (option !== undefined && cursor.encodedSemicolons.size === 0)
      remember(piece, { option, name, text: value, nodes });
  }
}

/** Options whose literals the template leaves out. Those of others are part of next links, skip tokens or computed members. */
const LIFTED: ReadonlySet<OptionName> = new Set(['filter', 'search', 'skip', 'skiptoken']);

function addCustom(draft: OptionsDraft, name: string, value: string): void {
  if (draft.custom === NO_CUSTOM) draft.custom = new Map();
  const values = draft.custom.get(name);
  if (values === undefined) draft.custom.set(name, [value]);
  else values.push(value);
}

/** What may follow the value of an option, besides the end. */
const CONTINUATIONS: Partial<Record<OptionName, string>> = {
  apply: '"/" and a transformation, or ',
  compute: '"," or ',
  expand: '"," or ',
  filter: 'an operator or ',
  orderby: 'an operator, asc, desc, "," or ',
  search: 'AND, OR, another word or ',
  select: '"," or ',
};

function readSystemOption(cursor: Cursor, name: OptionName, draft: OptionsDraft): void {
  if (draft[name] !== undefined) throw duplicateOption(`$${name}`);
  if (name === 'levels') throw misplacedOption(name, 'outside $expand', []);
  if (isNestedName(name)) {
    readNestedValue(cursor, name, draft, false);
    if (name === 'skip') addWhole(cursor, 'skip', BigInt(draft.skip ?? 0));
    cursor.expectEnd(`${CONTINUATIONS[name] ?? ''}the end of ${cursor.target}`);
  } else if (name === 'index') {
    draft.index = readIndex(cursor);
  } else {
    draft[name] = readText(cursor, name);
  }
}

/** Adds the whole value of an option as a literal. */
function addWhole(cursor: Cursor, kind: 'skip' | 'token', value: RawValue): void {
  cursor.budget.template.add(kind, value, 0, cursor.text.length);
}

/** index = [ "-" ] 1*DIGIT */
function readIndex(cursor: Cursor): number {
  const sign = cursor.take(CODE.minus) ? -1 : 1;
  const index = sign * cursor.digits('a whole number');
  cursor.expectEnd('the end of $index');
  return index;
}

/** Returns the value of options that are not parsed further here. */
function readText(
  cursor: Cursor,
  name: 'format' | 'skiptoken' | 'deltatoken' | 'id' | 'schemaversion',
): string {
  if (cursor.isAtEnd()) cursor.fail('a value');
  if (name === 'schemaversion' && !/^(?:\*|[A-Za-z0-9\-._~]+)$/.test(cursor.text)) {
    throw new Fault(
      'request.option-value',
      {
        value: cursor.text.slice(0, 100),
        name: '$schemaversion',
        expected: 'it is * or a version of letters, digits, -, ., _ and ~',
      },
      { position: 0, target: '$schemaversion' },
    );
  }
  if (name === 'skiptoken') addWhole(cursor, 'token', cursor.text);
  return cursor.text;
}

/** aliasAndValue = parameterAlias EQ parameterValue */
function readAliasOption(cursor: Cursor, rawName: string, hasValue: boolean, piece: Piece): void {
  const name = new Cursor(rawName, 'the query', piece.budget, 1);
  const alias = name.identifier('the name of a parameter alias after @');
  name.expectEnd('"=" after the name of the parameter alias');
  if (!hasValue) name.fail('"=" and a value');
  if (piece.draft.aliases.has(alias)) throw duplicateOption(`@${alias}`);
  addAlias(piece.draft, alias, readWhole(cursor));
  cursor.expectEnd(`an operator or the end of @${alias}`);
}
