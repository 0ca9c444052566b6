// This file compiles calls of canonical functions. The dialect renders them, except where a form exists that an index can serve or
// where constant arguments allow a simpler form. OData 4.01 URL Conventions, "Canonical Functions".

import { Fault } from '../../base/fault.ts';
import type { Expression, ExpressionOf } from '../../bind/bound.ts';
import type { FunctionName } from '../../bind/expression/functions.ts';
import { isNull } from '../../bind/expression/literal.ts';
import { isCollection } from '../../bind/expression/types.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { EMPTY, type Fragment, integer, sql } from '../fragment.ts';
import { BOOLEAN, DECIMAL, TEXT } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { toStorage } from './convert-storage.ts';
import { compileLiteral, convertedLiteral } from './literal.ts';
import { candidates, indexOf } from './text-search.ts';

export type Call = ExpressionOf<'call'>;

/** The value of a call. Throws: sql.negative-length. */
export function compileCall(scope: Scope, call: Call): Compiled {
  if (call.function === 'substring') return compileSubstring(scope, call);
  if (call.function === 'startswith') {
    const range = prefixRange(scope, call);
    if (range !== undefined) return range;
  }
  if (call.function === 'matchespattern' && scope.dialect.pattern !== undefined) {
    return compileMatch(scope, call, scope.dialect.pattern);
  }
  const values = call.arguments.map((argument) => compileArgument(scope, call.function, argument));
  return scope.dialect.functions[call.function](...values);
}

/** Only a constant pattern can be translated. Throws: not-built for others. */
function compileMatch(
  scope: Scope,
  { arguments: [content, pattern] }: Call,
  translate: (pattern: string) => string,
): Compiled {
  if (content === undefined || pattern?.kind !== 'literal') {
    throw new Fault('not-built', { feature: 'matchesPattern with a pattern that is not constant' });
  }
  const compiled = compileLiteral(pattern);
  const translated = isNull(pattern)
    ? undefined
    : convertedLiteral(pattern, {
        name: 'pattern of the database',
        of: (read) => translate(String(read)),
        storage: 'text',
      });
  return scope.dialect.functions.matchespattern(scope.value(scope, content), {
    ...compiled,
    sql: translated ?? compiled.sql,
  });
}

/** A call as a condition, where null and false are equivalent. A text index selects candidates first if there is one. */
export function callCondition(scope: Scope, call: Call): Fragment {
  const exact = compileCall(scope, call).sql;
  return (scope.indexedCall === call ? undefined : selected(scope, call, exact)) ?? exact;
}

/** Whether a text index selects candidates for the call. */
export function hasCandidates(scope: Scope, call: Call): boolean {
  return selected(scope, call, EMPTY) !== undefined;
}

function selected(scope: Scope, call: Call, exact: Fragment): Fragment | undefined {
  const [content, part] = call.arguments;
  const isSearch =
    call.function === 'contains' || call.function === 'startswith' || call.function === 'endswith';
  if (!isSearch || content === undefined || part?.kind !== 'literal') return undefined;
  const indexed = indexOf(scope, content);
  return indexed === undefined ? undefined : candidates(scope, indexed, part, exact);
}

/** Rounding is exact: scaled numbers and integers are converted to decimals. */
const ROUNDING: readonly FunctionName[] = ['round', 'floor', 'ceiling'];

function compileArgument(scope: Scope, name: FunctionName, argument: Expression): Compiled {
  const compiled = scope.value(scope, argument);
  const isRounded = ROUNDING.includes(name) && compiled.storage.kind !== 'floating';
  return isRounded ? toStorage(scope.dialect, compiled, DECIMAL) : compiled;
}

/** `startswith(Name,'Ab')` matches every text from `Ab` up to, but excluding, `Ac`. */
function prefixRange(scope: Scope, call: Call): Compiled | undefined {
  const [content, prefix] = call.arguments;
  if (content === undefined || prefix?.kind !== 'literal') return undefined;
  if (isNull(prefix)) return undefined;
  const end = convertedLiteral(prefix, {
    name: 'end of prefix',
    of: (read) => afterPrefix(String(read)),
    storage: 'text',
  });
  const { sql: text, nullable, storage } = scope.value(scope, content);
  if (end === undefined || storage.kind !== 'text') return undefined;
  const range = sql`(${text} >= ${compileLiteral(prefix).sql} AND ${text} < ${end})`;
  return { sql: range, storage: BOOLEAN, nullable };
}

/** The first text, in code point order, after all texts with the prefix; undefined if there is none. */
function afterPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.length > 0) {
    const point = characters.pop()?.codePointAt(0) ?? 0;
    if (point === 0x10ffff) continue;
    // Surrogates are not characters.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

/** Constant arguments need only substr, which counts from 1. */
function compileSubstring(scope: Scope, call: Call): Compiled {
  const [content, start, length] = call.arguments;
  if (isCollection(call.type)) {
    return scope.dialect.functions.substring(
      ...call.arguments.map((argument) => scope.value(scope, argument)),
    );
  }
  const numbers = [start, ...(length === undefined ? [] : [length])];
  const constants = numbers.map(wholeNumber);
  if (content === undefined || constants.some((one) => one === undefined || one < 0n)) {
    if (length?.kind === 'literal' && (wholeNumber(length) ?? 0n) < 0n) {
      throw new Fault('sql.negative-length');
    }
    const values = call.arguments.map((argument) => scope.value(scope, argument));
    return scope.dialect.functions.substring(...values);
  }
  const { sql: text, nullable } = scope.value(scope, content);
  const [from = 0n, count] = constants;
  const rest = count === undefined ? sql`` : sql`, ${integer(limited(count))}`;
  return {
    sql: sql`substr(${text}, ${integer(limited(from + 1n))}${rest})`,
    storage: TEXT,
    nullable,
  };
}

/** No text is longer, and databases may accept only 32-bit integers. */
const LONGEST_TEXT = 2n ** 31n - 1n;

function limited(length: bigint): bigint {
  return length < LONGEST_TEXT ? length : LONGEST_TEXT;
}

function wholeNumber(expression: Expression | undefined): bigint | undefined {
  return expression?.kind === 'literal' && typeof expression.value === 'bigint'
    ? expression.value
    : undefined;
}
