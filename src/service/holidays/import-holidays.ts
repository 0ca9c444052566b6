// This file implements the action ImportHolidays: the days of an iCalendar file become holidays of a calendar, in one change with the rights of
// the account. Holidays know the event that they come from, so that another import updates them; those of other events, and those that people
// entered, stay as they are.
import { Fault, invariant } from '../../base/fault.ts';
import type { Period } from '../../calendar/recurrence.ts';
import { DAY } from '../../calendar/time-zone.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import {
  HOLIDAY_PARAMETERS,
  type HolidayOwner,
  holidayOwners,
} from '../../edm/clocks/holiday-import.ts';
import { type EntityType, entityType, memberAt } from '../../edm/model.ts';
import {
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { answerValues } from '../action/action-result.ts';
import { type ActionSetting, type BoundInvoke, initialStates, send } from '../action/run-action.ts';
import { readEntities } from '../read-entities.ts';
import { ruleReader } from '../schedules/read-schedule.ts';
import { type EventDays, readHolidays } from './calendar-events.ts';

const MOST_YEARS = 30;
const USUAL_YEARS = 5;
/** Holidays of one calendar that are compared with the file. */
const MOST_ROWS = 100_000;

/** Whether the operation is ImportHolidays. */
export function isHolidayImport({ operation }: BoundInvoke): boolean {
  return operation.engine === 'import-holidays';
}

/** Throws: holidays.*, and the faults of writes. */
export function* importHolidays(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const period = periodOf(invoke, String(setting.context.now));
  const { content } = HOLIDAY_PARAMETERS;
  const events = readHolidays(String(invoke.parameters.get(content) ?? ''), period);
  const owner = ownerOf(invoke, setting);
  const results: string[] = [];
  for (const { it = '' } of yield* initialStates(invoke, setting))
    results.push(printJson(yield* new HolidayImport(setting, owner, it).store(events, period)));
  return yield* answerValues(setting, invoke, results);
}

/** The days from the start of this year to the end of the fifth one, unless the call names others. Throws: holidays.period. */
function periodOf({ parameters }: BoundInvoke, now: string): Period {
  const given = (name: string) => parameters.get(name) ?? undefined;
  const from = String(given(HOLIDAY_PARAMETERS.from) ?? `${now.slice(0, 4)}-01-01`);
  const last = Number(from.slice(0, 4)) + USUAL_YEARS - 1;
  const until = String(given(HOLIDAY_PARAMETERS.until) ?? `${last}-12-31`);
  const period = { from: dayOf(from), until: dayOf(until) };
  const length = period.until - period.from;
  if (length < 0 || length > MOST_YEARS * 366 || Number.isNaN(length)) {
    const parameter = HOLIDAY_PARAMETERS.until;
    throw new Fault('holidays.period', { from, until, years: MOST_YEARS }, { target: parameter });
  }
  return period;
}

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY;
const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);

function ownerOf({ operation }: BoundInvoke, { service }: ActionSetting): HolidayOwner {
  const owners = holidayOwners(service.model.definition.types);
  const owner = owners.find(({ type }) => type === operation.parameters[0]?.type);
  invariant(owner !== undefined, `${operation.name} is bound to the owner of holidays`);
  return owner;
}

type Counted = 'Events' | 'Created' | 'Changed' | 'Deleted' | 'Unchanged' | 'Outdated';

/** A stored holiday. */
interface Row {
  readonly key: bigint;
  readonly values: JsonObject;
}

class HolidayImport {
  readonly #setting: ActionSetting;
  readonly #owner: HolidayOwner;
  /** The path of the calendar. */
  readonly #path: string;
  readonly #counts: Record<Counted, bigint>;

  constructor(setting: ActionSetting, owner: HolidayOwner, path: string) {
    this.#setting = setting;
    this.#owner = owner;
    this.#path = path;
    this.#counts = {
      ...{ Events: 0n, Created: 0n, Changed: 0n, Deleted: 0n, Unchanged: 0n, Outdated: 0n },
    };
  }

  *store(events: readonly EventDays[], period: Period): Work<JsonObject> {
    const known = this.#byEvent(yield* this.#rows());
    const changes = events.flatMap((event) =>
      this.#changesOf(event, known.get(event.uid) ?? [], period),
    );
    this.#counts.Events = BigInt(events.length);
    // Without changes, too, since the request checks the right to change the calendar.
    const body = printJson({ [`${this.#owner.collection}@delta`]: changes });
    yield* send(this.#setting, 'PATCH', this.#path, body);
    return this.#counts;
  }

  *#rows(): Work<readonly Row[]> {
    const { source = '' } = this.#owner.members;
    const reader = ruleReader(this.#setting.service, this.#setting.context);
    const path = `${this.#path}/${this.#owner.collection}`;
    const rows = yield* readEntities(reader, path, `$filter=${source} ne null`, MOST_ROWS);
    const key = keyName(this.#setting.service.model, this.#type);
    return rows.flatMap((values) => {
      const { [key]: found } = values;
      return typeof found === 'bigint' ? [{ key: found, values }] : [];
    });
  }

  #byEvent(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
    const { source = '' } = this.#owner.members;
    const found = new Map<string, Row[]>();
    for (const row of rows) {
      const uid = String(row.values[source]);
      found.set(uid, [...(found.get(uid) ?? []), row]);
    }
    return found;
  }

  /** Nothing if a later version of the event has been imported. */
  #changesOf(
    event: EventDays,
    rows: readonly Row[],
    { from, until }: Period,
  ): readonly JsonObject[] {
    const { date, sequence = '' } = this.#owner.members;
    const stored = rows.map(({ values }) => Number(values[sequence] ?? 0));
    if (stored.some((one) => one > event.sequence)) {
      this.#counts.Outdated += 1n;
      return [];
    }
    const wanted = new Map(
      event.days.map((day) => {
        const values = this.#valuesOf(event, day);
        return [this.#identity(values), values] as const;
      }),
    );
    const inPeriod = rows.filter(({ values }) => {
      const day = dayOf(String(values[date]));
      return day >= from && day <= until;
    });
    const kept = inPeriod.flatMap((row) => this.#keep(row, wanted));
    this.#counts.Created += BigInt(wanted.size);
    return [...kept, ...wanted.values()];
  }

  /** Changes or deletes a stored day. A day that is there is no longer wanted. */
  #keep({ key, values }: Row, wanted: Map<string, JsonObject>): readonly JsonObject[] {
    const identity = this.#identity(values);
    const own = wanted.get(identity);
    const address = { '@id': `${this.#path}/${this.#owner.collection}(${key})` };
    if (own === undefined) {
      this.#counts.Deleted += 1n;
      return [{ '@removed': { reason: 'deleted' }, ...address }];
    }
    wanted.delete(identity);
    const isSame = Object.entries(own).every(([name, value]) => same(value, values[name]));
    this.#counts[isSame ? 'Unchanged' : 'Changed'] += 1n;
    return isSame ? [] : [{ ...address, ...own }];
  }

  /** The day and its part. */
  #identity(values: JsonObject): string {
    const { date, from, to } = this.#owner.members;
    return [date, from, to].map((name) => String(values[name ?? ''] ?? '')).join(' ');
  }

  #valuesOf(event: EventDays, day: EventDays['days'][number]): JsonObject {
    const { date, from, to, name, source = '', sequence } = this.#owner.members;
    if ((day.from !== null || day.to !== null) && (from === undefined || to === undefined))
      throw new Fault('holidays.parts', {}, { target: HOLIDAY_PARAMETERS.content });
    const length = this.#lengthOf(name);
    const members: readonly (readonly [string | undefined, JsonInput])[] = [
      [date, dateOf(day.day)],
      [from, day.from === null ? null : timeOf(day.from)],
      [to, day.to === null ? null : timeOf(day.to)],
      [name, day.name?.slice(0, length) ?? null],
      [source, event.uid],
      [sequence, BigInt(event.sequence)],
    ];
    return Object.fromEntries(
      members.flatMap(([key, value]) => (key === undefined ? [] : [[key, value]])),
    );
  }

  #lengthOf(name = ''): number | undefined {
    const member = memberAt(this.#setting.service.model, this.#type, name);
    return member?.kind === 'property' ? member.facets.maxLength : undefined;
  }

  /** The type of the holidays. */
  get #type(): EntityType {
    const { model } = this.#setting.service;
    const owner = entityType(model, this.#owner.type);
    const member = memberAt(model, owner, this.#owner.collection);
    invariant(member?.kind === 'navigation', `${this.#owner.collection} has holidays`);
    return entityType(model, member.target);
  }
}

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(11, 19);

function same(wanted: JsonInput | undefined, stored: JsonInput | undefined): boolean {
  return String(wanted ?? '') === String(stored ?? '') && !isJsonObject(stored);
}
