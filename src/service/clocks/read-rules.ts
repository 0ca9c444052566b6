// This file reads the rules of clocks within a unit of work: agreements, levels with their targets and schedules, and the parents of what
// agreements refer to. They are kept until a write changes them.
import { Fault, invariant } from '../../base/fault.ts';
import { keyName, typeOfSet } from '../../edm/clocks/clock-members.ts';
import type { AgreementRules, ClockRules, LevelRules } from '../../edm/clocks/clock-rules.ts';
import { integerOf } from '../../edm/csdl/document-reader.ts';
import { type EntityType, entityType, lineage, type Model, memberAt } from '../../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../../edm/value/lossless-json.ts';
import { readDuration } from '../../edm/value/temporal.ts';
import type { Context, Database, Work } from '../../store/database.ts';
import { type EntityReader, readEntities } from '../read-entities.ts';
import type { StoredSchedule } from '../schedules/calendars.ts';
import { readSchedule, ruleReader, scheduleMembers } from '../schedules/read-schedule.ts';
import type { Service } from '../service.ts';

export interface Agreement {
  readonly key: bigint;
  readonly validFrom: number;
  readonly validUntil: number;
  /** The lowest comes first. */
  readonly order: number;
  readonly level: bigint | undefined;
  /** The keys of the entities that each alternative of each group refers to. */
  readonly matches: readonly (readonly ReadonlySet<bigint>[])[];
}

/** The targets of a priority by the names of clocks, in milliseconds. */
interface LevelTargets {
  readonly impact: bigint | undefined;
  readonly priority: bigint | undefined;
  readonly durations: ReadonlyMap<string, number>;
}

export interface Level {
  readonly key: bigint;
  /** Undefined if it cannot be used: then there are no deadlines. */
  readonly schedule: StoredSchedule | undefined;
  /** By impact. */
  readonly targets: readonly LevelTargets[];
}

/** The parents of entities by key. */
type Parents = ReadonlyMap<bigint, bigint>;

export interface RulesInForce {
  readonly revision: string;
  readonly agreements: readonly Agreement[];
  readonly levels: ReadonlyMap<bigint, Level>;
  readonly defaultLevel: Level | undefined;
  /** For each alternative of each group. */
  readonly parents: readonly (readonly Parents[])[];
}

/** Far more than an installation has; organizations with a parent are the most. */
const LIMIT = 1_000_000;

const kept = new WeakMap<Database, Map<ClockRules, RulesInForce>>();

/** The rules as the transaction sees them. A revision is never used for other rules, not even after a rollback. */
export function* rulesInForce(
  service: Service,
  context: Context,
  type: EntityType,
  rules: ClockRules,
  revision: string,
): Work<RulesInForce> {
  const known = kept.get(service.database) ?? new Map<ClockRules, RulesInForce>();
  kept.set(service.database, known);
  const existing = known.get(rules);
  if (existing?.revision === revision) return existing;
  const reader = ruleReader(service, context);
  const read = { revision, ...(yield* readRules(reader, type, rules)) };
  known.set(rules, read);
  return read;
}

function* readRules(reader: EntityReader, type: EntityType, rules: ClockRules) {
  const { model } = reader.service;
  const { agreement, level } = rules;
  const levels = yield* readLevels(reader, rules);
  const isDefault = `$filter=${level.default}&$select=${keyOf(model, level.from)}`;
  const [first] = yield* readEntities(reader, level.from, encoded(isDefault), 1);
  const key = first && keyIn(first, keyOf(model, level.from));
  const parents: (readonly Parents[])[] = [];
  for (const { alternatives } of agreement?.match ?? []) {
    const group: Parents[] = [];
    for (const { is, parent } of alternatives)
      group.push(parent === undefined ? new Map() : yield* readParents(reader, type, is, parent));
    parents.push(group);
  }
  return {
    agreements: agreement === undefined ? [] : yield* readAgreements(reader, agreement),
    levels: new Map(levels.map((one) => [one.key, one])),
    defaultLevel: levels.find((one) => one.key === key),
    parents,
  };
}

function* readAgreements(
  reader: EntityReader,
  { from, where, validFrom, validUntil, match, order, level }: AgreementRules,
): Work<readonly Agreement[]> {
  const { model } = reader.service;
  const type = typeOfSet(model, from);
  invariant(type !== undefined, `there is no set ${from}`);
  const key = keyName(model, type);
  const related = [level, ...match.flatMap(({ alternatives }) => alternatives.map(({ of }) => of))];
  const expanded = [...new Set(related)].map(
    (name) => `${name}($select=${targetKey(model, type, name)})`,
  );
  const selected = [key, validFrom, validUntil, order].filter((name) => name !== undefined);
  const filter = where === undefined ? '' : `$filter=${where}&`;
  const query = `${filter}$select=${selected.join(',')}&$expand=${expanded.join(',')}`;
  const rows = yield* readEntities(reader, from, encoded(query), LIMIT);
  return rows.map((row) => ({
    key: keyIn(row, key),
    validFrom: instantIn(row, validFrom) ?? Number.NEGATIVE_INFINITY,
    validUntil: instantIn(row, validUntil) ?? Number.POSITIVE_INFINITY,
    order: order === undefined ? 0 : numberIn(row, order),
    level: keysAt(row, level, targetKey(model, type, level))[0],
    matches: match.map(({ alternatives }) =>
      alternatives.map(({ of }) => new Set(keysAt(row, of, targetKey(model, type, of)))),
    ),
  }));
}

function* readLevels(reader: EntityReader, rules: ClockRules): Work<readonly Level[]> {
  const { model } = reader.service;
  const { level, clocks } = rules;
  const type = typeOfSet(model, level.from);
  invariant(type !== undefined, `there is no set ${level.from}`);
  const key = keyName(model, type);
  const durations = [...new Set(clocks.map(({ target }) => target))];
  const targets = `$select=${[level.impact, level.priority, ...durations].join(',')}`;
  const query = `$select=${key}&$expand=${level.targets}(${targets})`;
  const rows = yield* readEntities(reader, level.from, encoded(query), LIMIT);
  const levels: Level[] = [];
  for (const row of rows) {
    const path = `${level.from}(${keyIn(row, key)})/${level.schedule}`;
    const schedule = yield* readUsableSchedule(reader, type, level, path);
    levels.push({ key: keyIn(row, key), schedule, targets: targetsIn(model, type, rules, row) });
  }
  return levels;
}

function targetsIn(
  model: Model,
  type: EntityType,
  { level, clocks }: ClockRules,
  row: JsonObject,
): readonly LevelTargets[] {
  const target = entityType(model, navigationTarget(model, type, level.targets));
  return rowsIn(row, level.targets)
    .map((one) => ({
      impact: codeIn(model, target, level.impact, one),
      priority: codeIn(model, target, level.priority, one),
      durations: new Map(
        clocks.flatMap(({ name, target: member }) => {
          const duration = durationIn(one, member);
          return duration === undefined ? [] : [[name, duration] as const];
        }),
      ),
    }))
    .toSorted((one, other) => Number((one.impact ?? 0n) - (other.impact ?? 0n)));
}

/** A level without a schedule, or with one that has no working time, gives no deadlines. */
function* readUsableSchedule(
  reader: EntityReader,
  type: EntityType,
  { schedule }: LevelRules,
  path: string,
): Work<StoredSchedule | undefined> {
  const { model } = reader.service;
  const target = entityType(model, navigationTarget(model, type, schedule));
  const members = scheduleMembers(model, target);
  invariant(members !== undefined, `${target.name} is not a schedule`);
  try {
    return yield* readSchedule(reader, members, path);
  } catch (error) {
    if (error instanceof Fault && error.code === 'schedule.unusable') return undefined;
    throw error;
  }
}

function* readParents(
  reader: EntityReader,
  type: EntityType,
  path: string,
  parent: string,
): Work<Parents> {
  const { model } = reader.service;
  const target = entityType(model, navigationTarget(model, type, path));
  const key = keyName(model, target);
  const own = lineage(target, model.types).map(({ name }) => name);
  const set = [...model.sets.values()].find((one) => one.kind === 'set' && own.includes(one.type));
  if (set === undefined) return new Map();
  const query = `$filter=${parent} ne null&$select=${key}&$expand=${parent}($select=${key})`;
  const rows = yield* readEntities(reader, set.name, encoded(query), LIMIT);
  return new Map(
    rows.flatMap((row) => keysAt(row, parent, key).map((to) => [keyIn(row, key), to] as const)),
  );
}

// ---- values in records ----------------------------------------------------------------------------------------------

const encoded = (query: string) =>
  query
    .split('&')
    .map((option) => option.replace(/=(.*)$/s, (_, text: string) => `=${encodeURIComponent(text)}`))
    .join('&');

function navigationTarget(model: Model, type: EntityType, path: string): string {
  const member = memberAt(model, type, path);
  invariant(member?.kind === 'navigation', `${path} is not a navigation property`);
  return member.target;
}

function keyOf(model: Model, set: string): string {
  const type = typeOfSet(model, set);
  return type === undefined ? '' : keyName(model, type);
}

function targetKey(model: Model, type: EntityType, path: string): string {
  return keyName(model, entityType(model, navigationTarget(model, type, path)));
}

function keyIn(row: JsonObject, key: string): bigint {
  return integerOf(row[key] ?? 0) ?? 0n;
}

/** The keys of the entity or the entities in an expanded navigation. */
function keysAt(row: JsonObject, name: string, key: string): readonly bigint[] {
  const related = row[name];
  const rows = isJsonArray(related) ? related : [related ?? null];
  return rows.filter(isJsonObject).map((one) => keyIn(one, key));
}

function rowsIn(row: JsonObject, name: string): readonly JsonObject[] {
  const rows = row[name];
  return isJsonArray(rows) ? rows.filter(isJsonObject) : [];
}

function codeIn(model: Model, type: EntityType, name: string, row: JsonObject): bigint | undefined {
  const member = model.members(type).get(name);
  const coded = member?.kind === 'property' ? model.types.get(member.type) : undefined;
  const value = row[name] ?? null;
  if (coded?.kind !== 'complex' || coded.coded === undefined || !isJsonObject(value))
    return undefined;
  return integerOf(value[coded.coded.value] ?? null);
}

function instantIn(row: JsonObject, name: string | undefined): number | undefined {
  const value = name === undefined ? undefined : row[name];
  return typeof value === 'string' ? Date.parse(value) : undefined;
}

function numberIn(row: JsonObject, name: string): number {
  const value: JsonInput = row[name] ?? null;
  return value === null ? Number.POSITIVE_INFINITY : Number(integerOf(value) ?? 0);
}

function durationIn(row: JsonObject, name: string): number | undefined {
  const value = row[name];
  const read = typeof value === 'string' ? readDuration(value, 12) : undefined;
  return read?.kind === 'value' ? Number(read.value / NANOSECONDS) : undefined;
}

const NANOSECONDS = 1_000_000n;
