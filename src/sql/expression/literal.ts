// This file binds literals and other values that do not come from rows. A literal that is bound unchanged keeps its position in the
// request, so that the compiled statement can be reused for a request with another literal in that position.
import type { Expression, LiteralExpression } from '../../bind/bound.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, parameter, value } from '../fragment.ts';
import {
  DECIMAL,
  type Storage,
  scaleDecimal,
  storageOf,
  storedValue,
} from '../schema/value-storage.ts';
import { pin, type Scope } from '../scope.ts';
import { NULL_VALUE } from './convert-storage.ts';

export type { LiteralExpression };

/** The literal in the storage of its type; decimals are text. */
export function compileLiteral(scope: Scope, literal: LiteralExpression): Compiled {
  const { type, value: content, place } = literal;
  if (content === null) return { ...NULL_VALUE, storage: storageOf(type) };
  const storage = literalStorage(storageOf(type), content);
  const stored = storedValue(storage, content);
  if (stored === content) return { sql: value(content, place), storage, nullable: false };
  pin(scope, place);
  return { sql: value(stored), storage, nullable: false };
}

export function compileContext(expression: Expression & { readonly kind: 'context' }): Compiled {
  const { name, type } = expression;
  return {
    sql: parameter({ kind: 'context', name }),
    storage: storageOf(type),
    nullable: name !== 'now',
  };
}

/** A bound value converted from a literal. Where `from` returns undefined, the literal needs a different statement. */
export function convertedLiteral(
  { place, value: read }: Pick<LiteralExpression, 'place' | 'value'>,
  from: (read: Value) => Value | undefined,
): Fragment | undefined {
  const content = from(read);
  if (content === undefined) return undefined;
  const origin = place === undefined ? {} : { place, from };
  return parameter({ kind: 'value', value: content, ...origin });
}

/** A bound value computed from a literal, which the statement then depends on. */
function pinnedValue(scope: Scope, literal: LiteralExpression, content: Value): Fragment {
  pin(scope, literal.place);
  return value(content);
}

/** A literal in the form of a storage. If `exact` is false, the literal lies between this value and the next. */
export interface FittedLiteral {
  readonly sql: Fragment;
  readonly exact: boolean;
}

/** A number literal in the form of an integer or scaled column; undefined if it has no such form. */
export function fitNumber(
  scope: Scope,
  literal: LiteralExpression,
  storage: Storage,
): FittedLiteral | undefined {
  const { value: content } = literal;
  const isNumber = /^-?[\d.]+$/.test(String(content));
  if (storage.kind === 'integer' && typeof content === 'bigint') {
    return { sql: value(content, literal.place), exact: true };
  }
  if (!isNumber || typeof content === 'number') return undefined;
  const scale = storage.kind === 'scaled' ? storage.scale : 0;
  const scaled = scaleDecimal(String(content), scale);
  if (scaled.value !== BigInt.asIntN(64, scaled.value)) return undefined;
  return { sql: pinnedValue(scope, literal, scaled.value), exact: scaled.exact };
}

/** Decimals stay text: a literal may have more fraction digits than any column. */
function literalStorage(storage: Storage, content: Value): Storage {
  if (storage.kind === 'scaled') return DECIMAL;
  if (storage.kind !== 'temporal') return storage;
  const [, fraction = ''] = /\.(\d+)/.exec(String(content)) ?? [];
  return { ...storage, digits: fraction.length };
}
