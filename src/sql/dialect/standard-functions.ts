// This file renders the canonical functions that every database calculates alike, because they are plain SQL over the canonical
// forms of values; a dialect takes these and adds its own. OData 4.01 URL Conventions, "Canonical Functions".
import { Fault } from '../../base/fault.ts';
import type { FunctionName } from '../../bind/expression/functions.ts';
import { type Fragment, integer, parameter, sql, text } from '../fragment.ts';
import { BOOLEAN, INTEGER, type Storage, TEXT } from '../schema/value-storage.ts';
import type { Compiled, Render } from './dialect.ts';

/** Those that a dialect need not render itself. */
export const STANDARD_FUNCTIONS = {
  startswith: (content, prefix) =>
    made(
      [content, prefix],
      BOOLEAN,
      sql`(substr(${sqlOf(content)}, 1, length(${sqlOf(prefix)})) = ${sqlOf(prefix)})`,
    ),
  concat: (left, right) => made([left, right], TEXT, sql`(${sqlOf(left)} || ${sqlOf(right)})`),
  year: (content) => digitsFrom(content, 1, 4),
  month: (content) => digitsFrom(content, 6, 2),
  day: (content) => digitsFrom(content, 9, 2),
  hour: (content) => digitsFrom(content, timeStart(content), 2),
  minute: (content) => digitsFrom(content, timeStart(content) + 3, 2),
  second: (content) => digitsFrom(content, timeStart(content) + 6, 2),
  fractionalseconds: (content) => fraction(content),
  totalseconds: (content) => made([content], { kind: 'scaled', scale: 9 }, sqlOf(content)),
  date: (content) => made([content], TEXT, sql`substr(${sqlOf(content)}, 1, 10)`),
  time: (content) => timeOf(content),
  totaloffsetminutes: (content) =>
    made([content], INTEGER, sql`(CASE WHEN ${sqlOf(content)} IS NOT NULL THEN 0 END)`),
  mindatetime: () => moment(text('0001-01-01T00:00:00.000Z')),
  maxdatetime: () => moment(text('9999-12-31T23:59:59.999Z')),
  now: () => moment(parameter({ kind: 'context', name: 'now' })),
} as const satisfies Partial<Record<FunctionName, Render>>;

/** A result that is null where one of the arguments is. */
export function made(
  given: readonly (Compiled | undefined)[],
  storage: Storage,
  result: Fragment,
): Compiled {
  return { sql: result, storage, nullable: given.some((one) => one?.nullable === true) };
}

/** The argument's SQL; InvariantError where the binder has let a call through with too few. */
export function sqlOf(argument: Compiled | undefined): Fragment {
  if (argument === undefined) throw new Fault('not-built', { feature: 'this number of arguments' });
  return argument.sql;
}

function moment(result: Fragment): Compiled {
  return { sql: result, storage: { kind: 'temporal', digits: 3, zone: true }, nullable: false };
}

/** Times of day begin at once, points in time behind their date. */
function timeStart(content: Compiled | undefined): number {
  return content?.storage.kind === 'temporal' && !content.storage.zone ? 1 : 12;
}

function digitsFrom(content: Compiled | undefined, start: number, count: number): Compiled {
  const cut = sql`substr(${sqlOf(content)}, ${integer(start)}, ${integer(count)})`;
  return made([content], INTEGER, sql`CAST(${cut} AS integer)`);
}

function digitsOf(content: Compiled | undefined): number {
  return content?.storage.kind === 'temporal' ? content.storage.digits : 0;
}

/** The digits behind the point are the scaled integer already. */
function fraction(content: Compiled | undefined): Compiled {
  const digits = digitsOf(content);
  if (digits === 0) {
    const none = sql`(CASE WHEN ${sqlOf(content)} IS NOT NULL THEN 0 END)`;
    return made([content], { kind: 'scaled', scale: 0 }, none);
  }
  const { sql: cut } = digitsFrom(content, timeStart(content) + 9, digits);
  return made([content], { kind: 'scaled', scale: digits }, cut);
}

function timeOf(content: Compiled | undefined): Compiled {
  const digits = digitsOf(content);
  const length = 8 + (digits === 0 ? 0 : digits + 1);
  const storage: Storage = { kind: 'temporal', digits, zone: false };
  return made([content], storage, sql`substr(${sqlOf(content)}, 12, ${integer(length)})`);
}
