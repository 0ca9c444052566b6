// This file binds literals and other values that do not come from rows. Literals that are parameters of the plan become inputs of the
// statement, so that requests with other literals can use it.
import type { ExpressionOf, LiteralExpression } from '../../bind/bound.ts';
import { askLiteral, FRACTION_DIGITS, isNull } from '../../bind/expression/literal.ts';
import { isFloating } from '../../bind/expression/types.ts';
import type { Parameter as RequestParameter } from '../../bind/parameter.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, input, parameter, value } from '../fragment.ts';
import {
  DECIMAL,
  type Storage,
  scaleDecimal,
  storageOf,
  storedValue,
} from '../schema/value-storage.ts';
import { NULL_VALUE } from './convert-storage.ts';

export type { LiteralExpression };

/** The literal in the storage of its type; decimals are text. */
export function compileLiteral(literal: LiteralExpression): Compiled {
  const declared = storageOf(literal.type);
  if (isNull(literal)) return { ...NULL_VALUE, storage: declared };
  const storage = literalStorage(declared, literal);
  return { sql: storedLiteral(literal, storage), storage, nullable: false };
}

export function compileContext(expression: ExpressionOf<'context'>): Compiled {
  const { name, type } = expression;
  return {
    sql: parameter({ kind: 'context', name }),
    storage: storageOf(type),
    nullable: name !== 'now' && name !== 'present',
  };
}

/** The literal, which is not null, in the form of a storage that can hold it. */
export function storedLiteral(literal: LiteralExpression, storage: Storage): Fragment {
  return literal.parameter === undefined
    ? value(storedValue(storage, literal.value))
    : storedParameter(literal.parameter, storage);
}

/** As storedLiteral, for a parameter. */
export function storedParameter(parameter: RequestParameter, storage: Storage): Fragment {
  if (storage.kind !== 'scaled' && storage.kind !== 'binary') return input(parameter, storage.kind);
  const name = storage.kind === 'scaled' ? `scaled by ${storage.scale}` : storage.kind;
  const stored = parameter.convert({ name, of: (read) => storedValue(storage, read as Value) });
  return stored === undefined
    ? value(storedValue(storage, parameter.value))
    : input(stored, storage.kind);
}

/** How the value of a literal becomes a bound value. */
export interface LiteralConversion {
  /** Unique among the conversions of literals. */
  readonly name: string;
  readonly of: (read: Value) => Value | Uint8Array | undefined;
  /** The storage of the bound value. */
  readonly storage: Storage['kind'];
}

/** A bound value converted from a literal; undefined if the literal has no such form and needs another statement. */
export function convertedLiteral(
  literal: Pick<LiteralExpression, 'parameter' | 'value'>,
  { name, of, storage }: LiteralConversion,
): Fragment | undefined {
  if (literal.parameter === undefined) {
    const content = of(literal.value);
    return content === undefined ? undefined : value(content);
  }
  const converted = literal.parameter.convert({ name, of: (read) => of(read as Value) });
  return converted && input(converted, storage);
}

/** A literal in the form of a storage. If `exact` is false, the literal lies between this value and the next. */
export interface FittedLiteral {
  readonly sql: Fragment;
  readonly exact: boolean;
}

/** A number literal in the form of an integer or scaled column; undefined if it has no such form. */
export function fitNumber(literal: LiteralExpression, storage: Storage): FittedLiteral | undefined {
  const { parameter: own, type } = literal;
  const isWhole = type.kind !== 'primitive' || type.name !== 'Edm.Decimal';
  if (storage.kind === 'integer' && own !== undefined && isWhole && !isFloating(type))
    return { sql: input(own, 'integer'), exact: true };
  const scale = storage.kind === 'scaled' ? storage.scale : 0;
  const sql = convertedLiteral(literal, {
    name: `number scaled by ${scale}`,
    of: (read) => scaled(read, scale)?.value,
    storage: 'integer',
  });
  if (sql === undefined) return undefined;
  const exact = askLiteral(literal, {
    name: `exact when scaled by ${scale}`,
    of: (read) => scaled(read as Value, scale)?.exact === true,
  });
  return { sql, exact };
}

/** The number times 10 to the power of `scale`; undefined if it is not decimal, or too large. */
function scaled(read: Value, scale: number): ReturnType<typeof scaleDecimal> | undefined {
  if (typeof read === 'number' || !/^-?[\d.]+$/.test(String(read))) return undefined;
  const result = scaleDecimal(String(read), scale);
  return result.value === BigInt.asIntN(64, result.value) ? result : undefined;
}

/** Whether the literal is not a number. */
export function isNaNLiteral(literal: LiteralExpression): boolean {
  if (!isFloating(literal.type)) return false;
  return askLiteral(literal, { name: 'NaN', of: (read) => Number.isNaN(read) });
}

/** Decimals stay text: a literal may have more fraction digits than any column. */
function literalStorage(storage: Storage, literal: LiteralExpression): Storage {
  if (storage.kind === 'scaled') return DECIMAL;
  if (storage.kind !== 'temporal') return storage;
  return { ...storage, digits: askLiteral(literal, FRACTION_DIGITS) };
}
