// Calculates the clocks of demo records by the rules in the database, with the code that calculates them in writes.
import { clocksOf, stopConditions } from '../../edm/clocks/clock-members.ts';
import { type EntityType, entitySet, entityType } from '../../edm/model.ts';
import type { ClockCase, DemoClocks, FollowedClocks, Values } from '../../seed/demo-plan.ts';
import { clockFollower, type FollowClocks } from '../../service/clocks/follow-clocks.ts';
import type { Service } from '../../service/service.ts';
import type { Cell, Work } from '../../store/database.ts';
import { kept } from '../../store/work.ts';
import { type Installation, wireService } from '../wire.ts';

/** Reads the rules, which must have been loaded. @param now the time of the demo data */
export async function demoClocks(installation: Installation, now: number): Promise<DemoClocks> {
  const { service } = await wireService(installation, { isQuiet: true });
  const followers = await service.database.write(() => kept(followersOf(service, now)));
  return (clockCase) => {
    const follower = followers.get(clockCase.set);
    return follower === undefined ? { values: {}, marks: [] } : calculated(clockCase, follower);
  };
}

interface Follower {
  readonly follow: FollowClocks;
  readonly conditions: number;
}

/** A model that extends the built-in one can be without clocks. */
function* followersOf(
  service: Service,
  now: number,
): Work<ReadonlyMap<ClockCase['set'], Follower>> {
  const followers = new Map<ClockCase['set'], Follower>();
  for (const set of ['ServiceRequests', 'Incidents'] as const) {
    const type: EntityType = entityType(service.model, entitySet(service.model, set).type);
    const rules = clocksOf(service.model, type);
    if (rules === undefined) continue;
    const follow = yield* clockFollower(service, type, now);
    followers.set(set, { follow, conditions: stopConditions(rules).length });
  }
  return followers;
}

function calculated(clockCase: ClockCase, { follow, conditions }: Follower): FollowedClocks {
  const { values, byHand, start, otherwise, isVip, matched, moments } = clockCase;
  const past = moments.map(({ at, status, isAnswered }) => ({
    now: at,
    status: BigInt(status),
    conditions: Array(conditions).fill(isAnswered),
  }));
  const last = past.at(-1)?.conditions ?? [];
  const keys = matched.map(cellOf);
  const begin = new Date(start).toISOString();
  const { marks, ...followed } = follow({
    valueAt: (path) => cellOf(values[path] ?? null),
    set: byHand,
    expressions: [begin, cellOf(otherwise), isVip, ...last, ...keys],
    past,
  });
  const [{ at: created = start } = {}] = moments;
  // A mark that was reached before the creation has no line.
  const later = marks.filter(({ at }) => at > created);
  return { ...followed, marks: later.toSorted((one, other) => one.at - other.at) };
}

/** As the database returns it. */
function cellOf(value: Values[string]): Exclude<Cell, Uint8Array> {
  return typeof value === 'number' ? BigInt(value) : value;
}
