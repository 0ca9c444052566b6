// This file writes into the result of AllowedTransitions which deadlines the clocks would have after each transition. The statement returns what
// the deadlines depend on with each record, so that a page needs no other one.
import { memoized } from '../../base/memo.ts';
import type { MaybePromise } from '../../base/value-or-promise.ts';
import { DEADLINE_MARK } from '../../edm/clocks/clock-members.ts';
import type { EntityType } from '../../edm/model.ts';
import type { Outcome } from '../../plan/outcome.ts';
import type { Cell, Context, Work } from '../../store/database.ts';
import { runQueries } from '../../store/work.ts';
import type { Service } from '../service.ts';
import { deadlinesAfter } from './calculate-clocks.ts';

/** The outcome with deadlines in place of their marks. @param type the type of the records; undefined if they have no deadlines */
export function withDeadlines(
  outcome: Outcome,
  type: EntityType | undefined,
  service: Service,
  context: Context,
): MaybePromise<Outcome> {
  if (type === undefined || outcome.kind !== 'read') return outcome;
  return runQueries(replaceMarks(outcome, type, service, context), service.database);
}

type ReadRows = Outcome & { readonly kind: 'read' };

function* replaceMarks(
  outcome: ReadRows,
  type: EntityType,
  service: Service,
  context: Context,
): Work<Outcome> {
  const rows: ReadRows['rows'][number][] = [];
  for (const row of outcome.rows) {
    const json = row.json && (yield* replaceIn(row.json, type, service, context));
    rows.push({ ...row, json });
  }
  return { ...outcome, rows };
}

const NAME = `,${JSON.stringify(DEADLINE_MARK)}:`;
const MARKS = /"\\u0002(\d+) (\d+)"/g;

function* replaceIn(
  json: string,
  type: EntityType,
  service: Service,
  context: Context,
): Work<string> {
  const end = json.lastIndexOf(NAME);
  if (end < 0) return json;
  const record = `${json.slice(0, end)}}`;
  if (!record.includes(`"${DEADLINE_MARK}`)) return record;
  const inputs = (JSON.parse(json.slice(end + NAME.length, -1)) as readonly JsonCell[]).map(cellOf);
  const deadlinesIn = yield* deadlinesAfter(service, type, { context, inputs });
  const known = new Map<string, readonly string[]>();
  const deadlinesOf = (status: string) =>
    memoized(known, status, () =>
      deadlinesIn(BigInt(status)).map((deadline) => JSON.stringify(deadline)),
    );
  return record.replace(
    MARKS,
    (_, status: string, clock: string) => deadlinesOf(status)[Number(clock)] ?? 'null',
  );
}

type JsonCell = string | number | boolean | null;

/** The integers of clocks are codes, keys and percentages, which are exact. */
const cellOf = (value: JsonCell): Cell =>
  typeof value === 'boolean' ? BigInt(value) : typeof value === 'number' ? BigInt(value) : value;
