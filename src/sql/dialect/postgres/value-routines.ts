// This file defines the SQL functions for numbers, text and points in time that PostgreSQL lacks. Their results are those of the functions
// in sqlite-functions.ts. Migrations create them. Where possible they are single expressions, which the planner inlines; such bodies and
// their function calls are bound at creation and do not depend on the search path.

import { MOST_CHARACTERS } from '../standard-functions.ts';

/** A function of one expression. Returns null if an argument is null, unless the expression treats null itself. */
function inline(signature: string, result: string, expression: string): string {
  return `CREATE OR REPLACE FUNCTION ${signature} RETURNS ${result} LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ${expression}`;
}

/** A function of statements, not called with null. */
function procedural(signature: string, result: string, body: string): string {
  return `CREATE OR REPLACE FUNCTION ${signature} RETURNS ${result} LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $routine$\n${body}\n$routine$`;
}

const DOUBLE = 'double precision';

/** White space as String.prototype.trim defines it. */
const WHITE_SPACE = String.raw`E'\t\n\x0b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

const TEXT_ROUTINES: readonly string[] = [
  inline('docket_lower(content text)', 'text', '(lower(content COLLATE "und-x-icu")) COLLATE "C"'),
  inline('docket_upper(content text)', 'text', '(upper(content COLLATE "und-x-icu")) COLLATE "C"'),
  inline('docket_trim(content text)', 'text', `btrim(content, ${WHITE_SPACE})`),
  procedural(
    'docket_concat(first text, second text)',
    'text',
    `BEGIN
  IF length(first) + length(second) > ${MOST_CHARACTERS} THEN RAISE EXCEPTION USING ERRCODE = 'DOCKT', MESSAGE = 'sql.long-text'; END IF;
  RETURN first || second;
END`,
  ),
  // The part as a pattern of LIKE that matches only the part itself.
  inline(
    'docket_literal_pattern(part text)',
    'text',
    String.raw`replace(replace(replace(part, E'\\', E'\\\\'), '%', E'\\%'), '_', E'\\_')`,
  ),
  procedural(
    'docket_substring(content text, start bigint)',
    'text',
    `BEGIN
  RETURN substr(content, least(CASE WHEN start < 0 THEN greatest(length(content) + start, 0) ELSE start END, 2147483646)::integer + 1);
END`,
  ),
  procedural(
    'docket_substring(content text, start bigint, count bigint)',
    'text',
    `BEGIN
  IF count < 0 THEN RAISE EXCEPTION USING ERRCODE = 'DOCKT', MESSAGE = 'sql.negative-length'; END IF;
  RETURN substr(content, least(CASE WHEN start < 0 THEN greatest(length(content) + start, 0) ELSE start END, 2147483646)::integer + 1, least(count, 2147483647)::integer);
END`,
  ),
];

/** Doubles within these bounds have sums, products and quotients that are doubles, too. */
const ADDABLE = (side: string) => `abs(${side}) < 8e307`;
const MULTIPLIABLE = (side: string) => `abs(${side}) BETWEEN 1e-150 AND 1e150`;

/** PostgreSQL reports an error where the result of IEEE 754 is infinite or rounds to zero. */
function floating(name: string, sign: string, isSafe: (side: string) => string): readonly string[] {
  const sides = `(a ${DOUBLE}, b ${DOUBLE})`;
  return [
    inline(
      `docket_${name}_floating${sides}`,
      DOUBLE,
      `CASE WHEN ${isSafe('a')} AND ${isSafe('b')} THEN a ${sign} b ELSE docket_${name}_any${sides.replaceAll(` ${DOUBLE}`, '')} END`,
    ),
  ];
}

const INFINITY = `'Infinity'::${DOUBLE}`;

/** 1 or -1, the sign of zero included. */
const SIGN = (side: string) => `CASE WHEN ${side}::text LIKE '-%' THEN -1 ELSE 1 END`;

const FLOATING_ROUTINES: readonly string[] = [
  procedural(
    `docket_add_any(a ${DOUBLE}, b ${DOUBLE})`,
    DOUBLE,
    `BEGIN
  RETURN a + b;
EXCEPTION WHEN numeric_value_out_of_range THEN
  RETURN sign(a) * ${INFINITY};
END`,
  ),
  procedural(
    `docket_subtract_any(a ${DOUBLE}, b ${DOUBLE})`,
    DOUBLE,
    `BEGIN
  RETURN docket_add_any(a, -b);
END`,
  ),
  procedural(
    `docket_multiply_any(a ${DOUBLE}, b ${DOUBLE})`,
    DOUBLE,
    `BEGIN
  RETURN a * b;
EXCEPTION WHEN numeric_value_out_of_range THEN
  RETURN sign(a) * sign(b) * CASE WHEN abs(a) > 1 THEN ${INFINITY} ELSE 0 END;
END`,
  ),
  procedural(
    `docket_divide_any(a ${DOUBLE}, b ${DOUBLE})`,
    DOUBLE,
    `BEGIN
  IF b = 0 THEN
    RETURN CASE WHEN a = 0 OR a = 'NaN' THEN 'NaN'::${DOUBLE} ELSE sign(a) * (${SIGN('b')}) * ${INFINITY} END;
  END IF;
  RETURN a / b;
EXCEPTION WHEN numeric_value_out_of_range THEN
  RETURN sign(a) * sign(b) * CASE WHEN abs(b) < 1 THEN ${INFINITY} ELSE 0 END;
END`,
  ),
  ...floating('add', '+', ADDABLE),
  ...floating('subtract', '-', ADDABLE),
  ...floating('multiply', '*', MULTIPLIABLE),
  ...floating('divide', '/', MULTIPLIABLE),
  // A finite double times 2 to the power of 1074: an integer.
  procedural(
    `docket_scaled_double(content ${DOUBLE})`,
    'numeric',
    `DECLARE
  bits bigint := ('x' || encode(float8send(abs(content)), 'hex'))::bit(64)::bigint;
  exponent integer := (bits >> 52)::integer;
  fraction bigint := bits & 4503599627370495;
BEGIN
  IF exponent = 0 THEN RETURN fraction; END IF;
  RETURN (fraction + 4503599627370496) * power(2::numeric, exponent - 1);
END`,
  ),
  // The remainder has the sign of the dividend, even if it is zero. It is exact.
  procedural(
    `docket_modulo_floating(a ${DOUBLE}, b ${DOUBLE})`,
    DOUBLE,
    `DECLARE
  remainder ${DOUBLE};
BEGIN
  IF a IN ('NaN', 'Infinity', '-Infinity') OR b IN (0, 'NaN') THEN RETURN 'NaN'; END IF;
  IF abs(a) < abs(b) THEN RETURN a; END IF;
  IF abs(a) < 9e15 AND a = trunc(a) AND b = trunc(b) THEN
    remainder := abs(a)::bigint % abs(b)::bigint;
  ELSE
    remainder := (div(mod(docket_scaled_double(a), docket_scaled_double(b)) * 1e400, power(2::numeric, 1074))::text || 'e-400')::${DOUBLE};
  END IF;
  RETURN (${SIGN('a')}) * remainder;
END`,
  ),
  // Halves are rounded away from zero. NaN would count as greater than a half.
  inline(
    `docket_round_floating(content ${DOUBLE})`,
    DOUBLE,
    'CASE WHEN abs(content) < 9e15 AND abs(content - trunc(content)) >= 0.5 THEN trunc(content) + sign(content) ELSE trunc(content) END',
  ),
  // The sum, its rounding error and the number of values: the algorithm by which SQLite sums doubles (Kahan, Babuska, Neumaier).
  procedural(
    `docket_sum_step(state ${DOUBLE}[], content ${DOUBLE})`,
    `${DOUBLE}[]`,
    `DECLARE
  old ${DOUBLE} := state[1];
  total ${DOUBLE} := CASE WHEN ${ADDABLE('old')} AND ${ADDABLE('content')} THEN old + content ELSE docket_add_any(old, content) END;
BEGIN
  IF abs(old) < abs(content) THEN
    old := content;
    content := state[1];
  END IF;
  IF ${ADDABLE('total')} AND ${ADDABLE('old')} THEN
    RETURN ARRAY[total, state[2] + (old - total + content), state[3] + 1];
  END IF;
  RETURN ARRAY[total, docket_add_any(state[2], docket_add_any(docket_add_any(old, -total), content)), state[3] + 1];
END`,
  ),
  inline(
    `docket_sum_result(state ${DOUBLE}[])`,
    DOUBLE,
    "CASE WHEN state[3] = 0 THEN NULL WHEN abs(state[2]) < 'Infinity' THEN state[1] + state[2] ELSE state[1] END",
  ),
  `CREATE OR REPLACE AGGREGATE docket_sum_floating(${DOUBLE}) (SFUNC = docket_sum_step, STYPE = ${DOUBLE}[], FINALFUNC = docket_sum_result, INITCOND = '{0,0,0}', PARALLEL = SAFE)`,
  inline(`docket_double(content ${DOUBLE})`, DOUBLE, 'content'),
  inline('docket_double(content bigint)', DOUBLE, `CAST(content AS ${DOUBLE})`),
  // A decimal beyond the range of doubles becomes infinite or zero.
  inline(
    'docket_double(content numeric)',
    DOUBLE,
    `CASE WHEN abs(content) >= 1.797693134862315807e308 THEN sign(content) * ${INFINITY} WHEN abs(content) <= 2.4703282292062327e-324 THEN 0 ELSE CAST(content AS ${DOUBLE}) END`,
  ),
  inline('docket_double(content text)', DOUBLE, 'docket_double(CAST(content AS numeric))'),
];

const DECIMAL_ROUTINES: readonly string[] = [
  // Canonical text.
  inline(
    'docket_decimal_text(content numeric)',
    'text',
    "replace(CAST(trim_scale(content) AS text), 'Infinity', 'INF')",
  ),
  // A quotient has 20 fraction digits; halves are rounded away from zero.
  inline(
    'docket_quotient(a numeric, b numeric)',
    'numeric',
    'round(div(a * 1e21, b) * 0.1) * 1e-20',
  ),
  inline(
    'docket_divide_decimal(a numeric, b numeric)',
    'numeric',
    "CASE WHEN b = 0 AND abs(a) = 'Infinity' THEN a ELSE docket_quotient(a, b) END",
  ),
  inline(
    'docket_divide_decimal_by(a numeric, b numeric)',
    'numeric',
    "CASE WHEN b = 0 THEN CAST('Infinity' AS numeric) * a ELSE docket_quotient(a, b) END",
  ),
  inline(
    'docket_modulo_decimal(a numeric, b numeric)',
    'numeric',
    "CASE WHEN b = 0 AND abs(a) = 'Infinity' THEN CAST('NaN' AS numeric) ELSE mod(a, b) END",
  ),
];

const DAY = 86_400_000_000_000n;

/** An integer that does not fit 64 bits, INF or NaN fails with 22003. */
const CHECKED = (content: string) =>
  `CAST(greatest(least(round(${content}), 1e30), -1e30) AS bigint)`;

/** Casts with the name of an operator: docket_stretch accepts the factor as decimal text or as a double. */
const STRETCH = `CASE operator WHEN 'mul' THEN duration * factor WHEN 'div' THEN docket_divide_decimal(duration, factor) ELSE docket_divide_decimal_by(duration, factor) END`;

const TIME_ROUTINES: readonly string[] = [
  // Days from the start of the year 0001 to a canonical date or timestamp, and nanoseconds from the start of that day.
  inline(
    'docket_day_of(content text)',
    'integer',
    "make_date(CAST(substr(content, 1, 4) AS integer), CAST(substr(content, 6, 2) AS integer), CAST(substr(content, 9, 2) AS integer)) - DATE '0001-01-01'",
  ),
  inline(
    'docket_clock_of(content text)',
    'bigint',
    "CASE WHEN length(content) <= 10 THEN 0 ELSE (CAST(substr(content, 12, 2) AS bigint) * 3600 + CAST(substr(content, 15, 2) AS bigint) * 60 + CAST(substr(content, 18, 2) AS bigint)) * 1000000000 + CAST(rpad(substr(rtrim(content, 'Z'), 21, 9), 9, '0') AS bigint) END",
  ),
  inline(
    'docket_between(later text, earlier text)',
    'bigint',
    `CAST(CAST(docket_day_of(later) - docket_day_of(earlier) AS numeric) * ${DAY} + docket_clock_of(later) - docket_clock_of(earlier) AS bigint)`,
  ),
  procedural(
    'docket_move(start text, nanoseconds bigint, digits integer)',
    'text',
    `DECLARE
  clock bigint := docket_clock_of(start) + nanoseconds % ${DAY};
  shift integer := CASE WHEN clock < 0 THEN -1 WHEN clock >= ${DAY} THEN 1 ELSE 0 END;
  day integer := docket_day_of(start) + (nanoseconds / ${DAY})::integer + shift;
  seconds bigint;
BEGIN
  IF day NOT BETWEEN 0 AND DATE '9999-12-31' - DATE '0001-01-01' THEN
    RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = 'date out of range';
  END IF;
  IF digits < 0 THEN RETURN to_char(DATE '0001-01-01' + day, 'YYYY-MM-DD'); END IF;
  clock := clock - shift * ${DAY};
  seconds := clock / 1000000000;
  RETURN to_char(DATE '0001-01-01' + day, 'YYYY-MM-DD')
    || 'T' || lpad((seconds / 3600)::text, 2, '0') || ':' || lpad((seconds / 60 % 60)::text, 2, '0') || ':' || lpad((seconds % 60)::text, 2, '0')
    || CASE WHEN digits = 0 THEN '' ELSE '.' || rpad(lpad((clock % 1000000000)::text, 9, '0'), digits, '0') END || 'Z';
END`,
  ),
  procedural(
    'docket_stretch(operator text, duration bigint, factor numeric)',
    'bigint',
    `BEGIN
  RETURN ${CHECKED(STRETCH)};
END`,
  ),
  inline(
    'docket_stretch(operator text, duration bigint, factor text)',
    'bigint',
    'docket_stretch(operator, duration, CAST(factor AS numeric))',
  ),
  // The shortest text of a double has its decimal value.
  inline(
    `docket_stretch(operator text, duration bigint, factor ${DOUBLE})`,
    'bigint',
    'docket_stretch(operator, duration, CAST(CAST(factor AS text) AS numeric))',
  ),
];

/** Statements that create or replace the functions, in the order of their dependencies. */
export const VALUE_ROUTINES: readonly string[] = [
  ...TEXT_ROUTINES,
  ...FLOATING_ROUTINES,
  ...DECIMAL_ROUTINES,
  ...TIME_ROUTINES,
];
