// This file reads the working time of schedules: the windows and holidays that are stored for an entity with `Docket.Schedule`.
import { servicePrincipal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { findEmptyEntry, type Holiday, type WeeklyWindow } from '../../calendar/schedule.ts';
import type { HolidayMembers, ScheduleMembers } from '../../edm/clocks/schedule-members.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { lineage } from '../../edm/model.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import { isTimeZone } from '../../edm/value/time-zone.ts';
import type { Context, Work } from '../../store/database.ts';
import { type EntityReader, readEntities } from '../read-entities.ts';
import type { Service } from '../service.ts';
import { settingOf } from '../stage-inputs.ts';
import type { StoredSchedule } from './calendars.ts';

/** The members of the schedule, of the type or inherited. */
export function scheduleMembers(model: Model, type: EntityType): ScheduleMembers | undefined {
  return lineage(type, model.types)
    .map((one) => (one.kind === 'entity' ? one.schedule : undefined))
    .find((members) => members !== undefined);
}

/** Windows of one schedule, and holidays of all its calendars; a schedule has far fewer. */
const ROW_LIMIT = 100_000;

/** Rules belong to the service: accounts may calculate with schedules and agreements that they cannot read. */
const READER = servicePrincipal('docket schedule');

/** Reads rules with all rights. */
export function ruleReader(service: Service, context: Context): EntityReader {
  const { model, limits, codes } = service;
  const scope = { model, rules: 'odata', limits, codes, root: LOCAL_ROOT } as const;
  return { service, scope, setting: settingOf(service, READER), context, sharesPlans: true };
}

/** Links in what is read are not used. */
const LOCAL_ROOT = 'http://localhost/';

/** Reads the schedule at a path, such as `Schedules(5)`. Throws: schedule.unusable. */
export function* readSchedule(
  reader: EntityReader,
  members: ScheduleMembers,
  path: string,
): Work<StoredSchedule> {
  const [record = {}] = yield* readEntities(reader, path, scheduleQuery(members), ROW_LIMIT);
  return storedSchedule(members, record);
}

/** The options of a request that reads what `storedSchedule` needs. */
function scheduleQuery({ timeZone, windows, holidays }: ScheduleMembers): string {
  const expanded = [
    expandOption(windows.rows, [windows.weekday, windows.from, windows.to]),
    ...(holidays === undefined ? [] : [expandOption(holidays.rows, holidayProperties(holidays))]),
  ];
  return `$select=${timeZone}&$expand=${expanded.join(',')}`;
}

function holidayProperties({ date, from, to, open }: HolidayMembers): readonly string[] {
  return [date, from, to, open].filter((name) => name !== undefined);
}

/** `Calendars($expand=Holidays($select=Date))`. */
function expandOption(path: string, properties: readonly string[]): string {
  const [first = '', ...rest] = path.split('/');
  const inner =
    rest.length === 0
      ? `$select=${properties.join(',')}`
      : `$expand=${expandOption(rest.join('/'), properties)}`;
  return `${first}(${inner})`;
}

function storedSchedule(members: ScheduleMembers, record: JsonObject): StoredSchedule {
  const { timeZone, windows, holidays } = members;
  const zone = record[timeZone];
  if (typeof zone !== 'string' || !isTimeZone(zone)) throw unusable(`${timeZone} is not set`);
  const definition = {
    windows: rowsAt(record, windows.rows).map((row) => windowOf(windows, row)),
    holidays:
      holidays === undefined
        ? []
        : rowsAt(record, holidays.rows).map((row) => holidayOf(holidays, row)),
  };
  const empty = findEmptyEntry(definition);
  if (empty !== undefined)
    throw unusable(`an entry of ${members[empty.list]?.rows} contains no time`);
  const adds = definition.holidays.some(({ opens }) => opens);
  if (definition.windows.length === 0 && !adds) throw unusable(`${windows.rows} has no entries`);
  return { zone, ...definition };
}

function unusable(reason: string): Fault {
  return new Fault('schedule.unusable', { reason });
}

/** The entities at the end of a path of collections. */
function rowsAt(record: JsonObject, path: string): readonly JsonObject[] {
  return path.split('/').reduce<readonly JsonObject[]>(
    (owners, name) =>
      owners.flatMap((owner) => {
        const rows = owner[name];
        return isJsonArray(rows) ? rows.filter(isJsonObject) : [];
      }),
    [record],
  );
}

function windowOf(
  { rows, weekday, from, to }: ScheduleMembers['windows'],
  row: JsonObject,
): WeeklyWindow {
  const day = Number(row[weekday] ?? 0);
  if (day < 1 || day > 7) throw unusable(`an entry of ${rows} has no ${weekday} from 1 to 7`);
  return { weekday: day, from: timeOfDay(row, from) ?? 0, to: timeOfDay(row, to) };
}

function holidayOf({ rows, date, from, to, open }: HolidayMembers, row: JsonObject): Holiday {
  const day = row[date];
  if (typeof day !== 'string') throw unusable(`an entry of ${rows} has no ${date}`);
  return {
    date: Date.parse(`${day}T00:00:00Z`) / DAY,
    from: from === undefined ? null : timeOfDay(row, from),
    to: to === undefined ? null : timeOfDay(row, to),
    opens: open !== undefined && row[open] === true,
  };
}

const DAY = 86_400_000;

/** `08:30:00` as milliseconds; null if the property is null. */
function timeOfDay(row: JsonObject, name: string): number | null {
  const text = row[name];
  return typeof text === 'string' ? Date.parse(`1970-01-01T${text}Z`) : null;
}
