// This file implements the actions AdvanceClock and SetClock, which move the business time of a demo installation forward. A move takes many
// transactions, and is made before the one of the request, which only returns the new time.
import type { Principal } from '../../access/principal.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { CLOCK_PARAMETERS } from '../../edm/clocks/business-time.ts';
import type { BoundInvoke } from '../action/run-action.ts';
import type { Call, Service } from '../service.ts';
import { rightsOf } from '../stage-inputs.ts';

const DAY = 86_400_000;
const NANOSECONDS = 1_000_000n;
/** A request must end in a reasonable time. */
const MOST_DAYS = 366;

/** Whether the operation moves the clock. */
export function isClockMove({ operation }: BoundInvoke): boolean {
  return operation.engine === 'move-clock';
}

/** Throws clock.alone for a move that has not been made before the transaction. */
export function requireMoved({ operation }: BoundInvoke): void {
  if (operation.expression === undefined) throw notAlone(operation.name);
}

function notAlone(name: string): Fault {
  return new Fault('clock.alone', { name: name.replace(/^.*\./, '') });
}

interface MoveRequest {
  readonly call: Call;
  readonly principal: Principal;
  readonly isRepeatable: boolean;
  /** Whether nothing is to be changed. */
  readonly dryRun: boolean;
}

/**
 * Moves the clock, and returns the call with the new time as its result. Throws: access.clock, clock.alone, clock.range, clock.busy, and the
 * faults of reads.
 */
export async function moveClock(
  invoke: BoundInvoke,
  service: Service,
  { call, principal, isRepeatable, dryRun }: MoveRequest,
): Promise<BoundInvoke> {
  const { clock } = service;
  invariant(clock !== undefined, 'only models of installations with a clock have the action');
  if (!rightsOf(service, principal).everything) throw new Fault('access.clock');
  if (isRepeatable) throw notAlone(invoke.operation.name);
  const targetAt = (now: number) => timeOf(invoke, now);
  if (dryRun) return withResult(invoke, targetAt(clock.now()));
  const move = await clock.passTo(targetAt, service);
  if (move === undefined) throw new Fault('clock.busy', {}, { headers: { 'Retry-After': '5' } });
  const { id, address } = call;
  service.observe({ kind: 'clock moved', id, address, account: principal.loginName, ...move });
  return withResult(invoke, clock.now());
}

function withResult(invoke: BoundInvoke, time: number): BoundInvoke {
  const expression = new Date(time).toISOString();
  return { ...invoke, operation: { ...invoke.operation, expression } };
}

/** The time to move to. Throws: clock.range. */
function timeOf({ parameters }: BoundInvoke, now: number): number {
  const { by, to } = CLOCK_PARAMETERS;
  const until = parameters.get(to);
  if (until !== undefined) {
    const [after, latest] = [now, now + MOST_DAYS * DAY].map((time) =>
      new Date(time).toISOString(),
    );
    const expected = `a time after ${after}, and no later than ${latest}`;
    return now + distance(to, Date.parse(String(until)) - now, expected);
  }
  const milliseconds = Number(BigInt(parameters.get(by) ?? 0n) / NANOSECONDS);
  return now + distance(by, milliseconds, `a duration of PT0.001S to P${MOST_DAYS}D`);
}

function distance(name: string, milliseconds: number, expected: string): number {
  if (milliseconds >= 1 && milliseconds <= MOST_DAYS * DAY) return milliseconds;
  throw new Fault('clock.range', { name, expected }, { target: name });
}
