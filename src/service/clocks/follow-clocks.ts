// This file calculates the clocks of entities whose past is known but that have not been written by the service, such as those of a demo
// installation, with the code that calculates them in writes.
import { invariant } from '../../base/fault.ts';
import { calculatedColumns, clocksOf, readPaths } from '../../edm/clocks/clock-members.ts';
import type { EntityType } from '../../edm/model.ts';
import type { Cell, Context, Row, Work } from '../../store/database.ts';
import type { Service } from '../service.ts';
import { type ClockMoment, type FollowedMark, followedValues } from './calculate-clocks.ts';
import { rulesInForce } from './read-rules.ts';
import { storedSchedules } from './schedule-positions.ts';

interface FollowedEntity {
  /** The stored value at a path. */
  readonly valueAt: (path: string) => Cell;
  /** The paths of the values that were set by hand. */
  readonly set: readonly string[];
  /** The values of the expressions that the calculation reads, as `readExpressions` lists them. */
  readonly expressions: Row;
  /** What the clocks depended on when it changed, from the creation on. */
  readonly past: readonly ClockMoment[];
}

/** The values of the calculated columns, and the marks that the clocks have reached. */
interface FollowedClocks {
  readonly values: Readonly<Record<string, Exclude<Cell, Uint8Array>>>;
  readonly marks: readonly FollowedMark[];
}

export type FollowClocks = (entity: FollowedEntity) => FollowedClocks;

/** Reads the rules, and stores the schedules by which clocks run. All entities are calculated as they are at the same time. */
export function* clockFollower(
  service: Service,
  type: EntityType,
  now: number,
): Work<FollowClocks> {
  const rules = clocksOf(service.model, type);
  invariant(rules !== undefined, `${type.name} has no clocks`);
  const context = contextAt(now);
  const inForce = yield* rulesInForce(service, context, type, rules, '');
  const schedules = [...inForce.levels.values()].flatMap(({ schedule }) => schedule ?? []);
  const stored = yield* storedSchedules(service, schedules, now);
  const columns = calculatedColumns(rules);
  const paths = [...columns, ...readPaths(rules)];
  return ({ valueAt, set, expressions, past }) => {
    const inputs = [null, ...paths.map(valueAt), ...expressions];
    const step = { type: type.name, chooses: true, set };
    const calculation = { step, inputs, context, isNew: true };
    const { values: results, marks } = followedValues(
      service,
      { rules, inForce },
      calculation,
      past,
      (schedule) => stored.get(schedule),
    );
    const calculated: Record<string, Exclude<Cell, Uint8Array>> = {};
    for (const path of columns) calculated[path] = plainOf(results.get(path) ?? null);
    return { values: calculated, marks };
  };
}

function plainOf(cell: Cell): Exclude<Cell, Uint8Array> {
  invariant(!(cell instanceof Uint8Array), 'clocks have no binary values');
  return cell;
}

function contextAt(now: number): Context {
  const nobody = { me: null, account: null, accountKey: null, session: null, cause: null };
  const time = new Date(now).toISOString();
  return { ...nobody, request: '', root: '', now: time, present: time, positions: null };
}
