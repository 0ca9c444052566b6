// This file answers functions that calculate with the working time of a schedule (`Docket.Calculates`). The account must be allowed to read
// the schedule. The result is a constant of an ordinary evaluation, so that formats and metadata are those of any function.
import type { Principal } from '../../access/principal.ts';
import { Fault, invariant, unreachable } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { bind } from '../../bind/bind-read.ts';
import type { BoundRead, CalculationCall, Expression, ValueType } from '../../bind/bound.ts';
import { constant } from '../../bind/expression/literal.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import type { BusinessCalendar } from '../../calendar/business-calendar.ts';
import { type Model, type Operation, simpleName } from '../../edm/model.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { decide } from '../../plan/decide-read.ts';
import { printPath } from '../../request/print/url.ts';
import type { Tree } from '../../request/tree.ts';
import { render } from '../../response/render.ts';
import type { Answer } from '../../response/response.ts';
import { compile } from '../../sql/compile.ts';
import type { Work } from '../../store/database.ts';
import { runRead } from '../../store/run-read-script.ts';
import { runQueries } from '../../store/work.ts';
import { addressesOf } from '../action/evaluate-expression.ts';
import { answerRead } from '../read.ts';
import type { Call, Service } from '../service.ts';
import {
  contextOf,
  isReading,
  type RequestTrace,
  readTree,
  requireRecordFormat,
  scopeOf,
  settingOf,
  siteOf,
} from '../stage-inputs.ts';
import { calendarOf } from './calendars.ts';
import { readSchedule, ruleReader, scheduleMembers } from './read-schedule.ts';

/** Whether the request may call such a function. A cheap check before the path is parsed. */
export function mayCalculate(call: Call, { model }: Pick<Service, 'model'>): boolean {
  return mayCall(call, calculationNames(model));
}

/** Whether the path may contain one of the names, which may be percent-encoded. */
export function mayCall(call: Call, names: readonly string[]): boolean {
  if (names.length === 0 || !isReading(call)) return false;
  const { path } = call;
  return path.includes('%') || names.some((name) => path.includes(name));
}

const calculationNames = perObject((model: Model) =>
  model.definition.operations.flatMap(({ name, calculates }) =>
    calculates === undefined ? [] : [simpleName(name)],
  ),
);

/** Answers such a function, and other reads as usual. Throws: the faults of reads, schedule.*. */
export async function answerCalculation(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const tree = readTree(call, service, trace);
  const bound = bind(tree, scopeOf(call, service));
  if (bound.kind !== 'read' || bound.wanted.kind !== 'calculation')
    return await answerRead(call, service, principal, trace);
  const request = { call, service, principal };
  const address = await runQueries(ownerAddress(bound, tree, request), service.database);
  const members = scheduleMembers(service.model, bound.rows.row.type);
  invariant(members !== undefined, 'a calculation is a function of a schedule');
  const reader = ruleReader(service, contextOf(call, service, principal));
  const reading = readSchedule(reader, members, address);
  const schedule = await runQueries(reading, service.database);
  const calendar = calendarOf(schedule, service.timeZones);
  const value = calculate(calendar, bound.wanted);
  const result = (type: ValueType) => constant(type, value);
  return await answerConstant(result, bound.wanted.operation, tree, request);
}

/** The call of a function. */
export interface FunctionRequest {
  readonly call: Call;
  readonly service: Service;
  readonly principal: Principal;
}

/** The address of the entity that the function is called on, if the account may read it. Throws: access.read, response.not-found. */
export function* ownerAddress(
  { rows, address }: BoundRead,
  tree: Tree,
  { call, service, principal }: FunctionRequest,
): Work<string> {
  const setting = settingOf(service, principal);
  const context = contextOf(call, service, principal);
  const reader = { call, tree, service, setting, context };
  const path = { rows, address: address.slice(0, -1), many: false };
  const [found] = yield* addressesOf(reader, path);
  if (found === undefined)
    throw new Fault('response.not-found', { path: printPath(tree.path).slice(0, 200) });
  return found;
}

/** Answers the call of a function with a value that the service has calculated. Throws: request.not-acceptable. */
export async function answerConstant(
  makeValue: (type: ValueType) => Expression,
  operation: Operation,
  tree: Tree,
  { call, service, principal }: FunctionRequest,
): Promise<Answer> {
  requireRecordFormat(tree.negotiated);
  const { returns } = operation;
  invariant(returns !== undefined, 'a calculation has a result');
  const result = makeValue(typeOfReference(service.model, returns));
  const evaluation = {
    kind: 'evaluate',
    operation,
    value: result,
    nullable: false,
    raw: false,
  } as const;
  const plan = decide(evaluation, tree, settingOf(service, principal));
  const script = compile(plan, service.layout, service.dialect);
  const outcome = await runRead(script, service.database, contextOf(call, service, principal));
  return render(outcome, plan, tree, siteOf(call, service, 'representation'));
}

// ---- calculations ---------------------------------------------------------------------------------------------------

function calculate(calendar: BusinessCalendar, { operation, values }: CalculationCall): Value {
  const [first = null, second = null] = values;
  const [, from, to] = operation.parameters.map(({ name }) => name);
  const start = Date.parse(String(first));
  switch (operation.calculates) {
    case 'working-time': {
      const end = Date.parse(String(second));
      const isNear = Math.abs(end - start) <= LONGEST;
      require(isNear, `${to}`, `at most 10 years before or after ${from}`);
      return BigInt(calendar.between(start, end)) * NANOSECONDS;
    }
    case 'add-working-time': {
      const duration = Number(BigInt(second ?? 0) / NANOSECONDS);
      require(duration >= 0, `${to}`, 'a duration of at least PT0S');
      return instant(calendar.add(start, duration), first);
    }
    case 'add-working-days': {
      const days = Number(second);
      const expected = `a number of days from 0 to ${MOST_DAYS}`;
      require(days >= 0 && days <= MOST_DAYS, `${to}`, expected);
      return instant(calendar.addWorkingDays(start, days), first);
    }
    case 'next-opening':
      return instant(calendar.nextOpen(start), first);
    default:
      return unreachable(operation.calculates);
  }
}

const NANOSECONDS = 1_000_000n;
const MOST_DAYS = 3660;
/** Every year between two instants is calculated. Milliseconds. */
const LONGEST = MOST_DAYS * 86_400_000;
/** A point in time has a year of four digits. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function require(isAllowed: boolean, name: string, expected: string): void {
  if (!isAllowed) throw new Fault('schedule.distance', { name, expected }, { target: name });
}

function instant(found: number | undefined, start: Value): string {
  const isFound = found !== undefined && found <= LAST_INSTANT;
  if (!isFound) throw new Fault('schedule.no-time', { start: String(start) });
  return new Date(found).toISOString();
}
