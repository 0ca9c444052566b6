// This file defines how PostgreSQL stores values and calculates with them. Decimals are canonical text and are calculated as `numeric`.
import { EMPTY, type Fragment, integer, sql, text, word } from '../../fragment.ts';
import { SQL_TYPES, type Storage } from '../../schema/value-storage.ts';
import type { Compiled, LiteralDialect, ValueDialect } from '../dialect.ts';
import { convert } from './convert.ts';

export const POSTGRES_LITERAL: LiteralDialect = {
  true: sql`true`,
  false: sql`false`,
  nan: sql`'NaN'::double precision`,
  emptyBinary: sql`''::bytea`,
};

const FLOATING_FUNCTIONS = {
  add: 'docket_add_floating',
  sub: 'docket_subtract_floating',
  mul: 'docket_multiply_floating',
  div: 'docket_divide_floating',
  mod: 'docket_modulo_floating',
} as const;

/** Canonical decimal text as a number. */
export function numeric(decimal: Fragment): Fragment {
  return sql`CAST(${decimal} AS numeric)`;
}

/** A number as canonical decimal text. */
export function decimalText(number: Fragment): Fragment {
  return sql`docket_decimal_text(${number})`;
}

const DECIMAL_OPERATORS: Readonly<
  Record<Parameters<ValueDialect['decimal']>[0], (left: Fragment, right: Fragment) => Fragment>
> = {
  add: (left, right) => sql`${left} + ${right}`,
  sub: (left, right) => sql`${left} - ${right}`,
  mul: (left, right) => sql`${left} * ${right}`,
  div: (left, right) => sql`docket_divide_decimal(${left}, ${right})`,
  divby: (left, right) => sql`docket_divide_decimal_by(${left}, ${right})`,
  mod: (left, right) => sql`docket_modulo_decimal(${left}, ${right})`,
};

const [MIN_INTEGER, MAX_INTEGER] = [word('-9223372036854775808'), word('9223372036854775807')];

export const POSTGRES_VALUES: ValueDialect = {
  same: (left, right) => sql`(${left} IS NOT DISTINCT FROM ${right})`,
  notSame: (left, right) => sql`(${left} IS DISTINCT FROM ${right})`,
  double: (content) => sql`docket_double(${content})`,
  decimalOrder: numeric,
  unscale: (scaled, scale) => decimalText(sql`${scaled} * ${word(`1e-${scale}`)}`),
  // The cast rounds halves away from zero.
  scale: (decimal, scale) => sql`CAST(${numeric(decimal)} * ${word(`1e${scale}`)} AS bigint)`,
  aggregate,
  decimal: (operator, left, right) =>
    decimalText(DECIMAL_OPERATORS[operator](numeric(left), numeric(right))),
  // PostgreSQL itself reports overflow and division by zero.
  checked: (sum) => sum,
  // An index of integers serves no other type.
  boundedSum: (left, right) =>
    sql`CAST(least(greatest(${numeric(left)} + ${right}, ${MIN_INTEGER}), ${MAX_INTEGER}) AS bigint)`,
  divideInteger: (operator, left, right) =>
    sql`(${left} ${word(operator === 'div' ? '/' : '%')} ${right})`,
  floating: (operator, left, right) =>
    sql`${word(FLOATING_FUNCTIONS[operator])}(${left}, ${right})`,
  shiftTime: (start, nanoseconds, digits, backwards) =>
    sql`docket_move(${start}, ${backwards ? sql`- (${nanoseconds})` : nanoseconds}, ${integer(digits ?? -1)})`,
  timeDifference: (end, start) => sql`docket_between(${end}, ${start})`,
  scaleDuration: (operator, duration, by) =>
    sql`docket_stretch(${text(operator)}, ${duration}, ${by})`,
  unpack: (json, { kind }) =>
    sql`(SELECT ${ofText(sql`item.content`, kind)} FROM json_array_elements_text(CAST(${json} AS json)) item(content))`,
  convert,
  lower: (content) => sql`docket_lower(${content})`,
  position: (content, part) => sql`strpos(${content}, ${part})`,
  order: (content, descending, nullable) => {
    const direction = descending ? sql` DESC` : sql``;
    const nulls = descending ? sql` NULLS LAST` : sql` NULLS FIRST`;
    return sql`${content}${direction}${nullable ? nulls : sql``}`;
  },
};

/** The minimum and maximum of booleans, for which there is no other aggregate. */
const BOOLEAN_AGGREGATES = { sum: 'sum', min: 'bool_and', max: 'bool_or' } as const;

function aggregate(
  method: 'sum' | 'min' | 'max',
  { sql: content, storage: { kind } }: Pick<Compiled, 'sql' | 'storage'>,
  window = EMPTY,
): Fragment {
  if (kind === 'decimal') return decimalText(sql`${word(method)}(${numeric(content)})${window}`);
  if (kind === 'boolean') return sql`${word(BOOLEAN_AGGREGATES[method])}(${content})${window}`;
  if (method !== 'sum') return sql`${word(method)}(${content})${window}`;
  return kind === 'floating'
    ? sql`docket_sum_floating(${content})${window}`
    : sql`CAST(sum(${content})${window} AS bigint)`;
}

/** A value of text from JSON, which may only be a number, a Boolean value or text itself. */
function ofText(content: Fragment, kind: Storage['kind']): Fragment {
  return SQL_TYPES[kind] === 'text'
    ? sql`(${content} COLLATE "C")`
    : sql`CAST(${content} AS ${word(SQL_TYPES[kind])})`;
}
