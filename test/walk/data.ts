import type { Layout, TableUse } from '../../src/sql/schema/layout.ts';
import type { Cell, Operation } from '../../src/store/database.ts';
import type { LoadRecord } from '../../src/store/load/bulk-load.ts';
import { change } from '../../src/store/work.ts';
import { statement } from '../database.ts';
import type { Desk } from '../journeys/desk.ts';
import { writeAll } from '../write-all.ts';

/** One record as it was put into the database. */
export interface Row {
  readonly uid: number;
  /** `ServiceRequests`, or `ServiceRequests/HistoryLines`. */
  readonly place: string;
  /** Name of the type, without its namespace. */
  readonly type: string;
  readonly parent?: Row;
  readonly values: Readonly<Record<string, Cell>>;
}

/** Records of each set. */
const EACH = 4;

/** Stands in every text, to be searched for. */
export const WORD = 'needle';

/** The text of a member of a record. */
function textOf(uid: number, member: string): string {
  return `T${uid}q${member} ${WORD}`;
}

/** What the texts in an answer belong to: keys and members. */
export function textsIn(text: string): readonly (readonly [uid: number, member: string])[] {
  return [...text.matchAll(/T(\d+)q([A-Za-z]+)/g)].map(
    ([, uid, member]) => [Number(uid), member ?? ''] as const,
  );
}

/** What lines of the history are about. */
const ABOUT: readonly (string | null)[] = [null, 'Name', 'Description', 'Assignment/Priority'];
/** A change, which the service has written, and notes of both kinds. */
const KINDS = [202001, 202002, 202003, 202002];
const WORK = ['ServiceRequests', 'Incidents', 'Problems', 'Changes'];
const CONTAINED: Readonly<Record<string, readonly string[]>> = {
  ServiceRequests: ['HistoryLines', 'Attachments'],
  Incidents: ['HistoryLines'],
  Persons: ['HistoryLines'],
  ConfigurationItems: ['ItemRelations', 'HistoryLines'],
  ServiceLevels: ['PriorityImpactSettings'],
  Schedules: ['Windows'],
  Calendars: ['Holidays'],
  Templates: ['Values'],
};

/** The records of the layout, those inside others last. */
export function walkRows(layout: Layout): readonly Row[] {
  const sets = [...layout.bySource.values()].filter(
    ({ source }) => source.set !== undefined && source.set.administrative !== true,
  );
  const first = new Map(sets.map(({ source }, index) => [source.id, 2_000_000 + index * 100]));
  const rows = sets.flatMap((use) =>
    Array.from({ length: EACH }, (_, index) => makeRow(use, first, index)),
  );
  return [...rows, ...containedRows(layout, rows, first)];
}

function makeRow(use: TableUse, first: ReadonlyMap<string, number>, index: number): Row {
  const uid = (first.get(use.source.id) ?? 0) + index;
  const type = use.source.type.name.replace(/.*\./, '');
  const values = valuesOf(use, first, uid, index);
  return { uid, place: use.source.id, type, values };
}

function containedRows(
  layout: Layout,
  rows: readonly Row[],
  first: ReadonlyMap<string, number>,
): readonly Row[] {
  const byName = new Map(
    [...layout.bySource.values()].map((use) => [use.source.id.replace(/.*\./, ''), use]),
  );
  let uid = 3_000_000;
  return rows.flatMap((parent) =>
    (CONTAINED[parent.place] ?? []).flatMap((name) =>
      Array.from({ length: name === 'HistoryLines' ? 4 : 2 }, (_, index) => {
        const use = byName.get(`${parent.type}/${name}`) ?? byName.get(`Record/${name}`);
        if (use === undefined) throw new Error(`no ${name} in ${parent.place}`);
        uid += 1;
        const type = use.source.type.name.replace(/.*\./, '');
        const values = valuesOf(use, first, uid, index);
        return { uid, place: `${parent.place}/${name}`, type, parent, values };
      }),
    ),
  );
}

/** Rights are asked of what a line is about; elsewhere the name means something else. */
function isKept(place: string, column: string): boolean {
  return column === 'Attribute' && !place.endsWith('/HistoryLines');
}

function valuesOf(
  use: TableUse,
  first: ReadonlyMap<string, number>,
  uid: number,
  index: number,
): Row['values'] {
  const { table, columns } = use;
  const values: Record<string, Cell> = {};
  for (const { name, storage, references } of table.columns) {
    if (name === table.identity || name.startsWith('$')) continue;
    const [member = name] = name.split('/');
    if (name.endsWith('#')) values[name] = true;
    else if (references !== undefined) values[name] = targetOf(first.get(references), name, index);
    else if (storage.kind === 'text') values[name] = textOf(uid, member);
    else if (name === 'ID') values[name] = BigInt(uid);
  }
  const work = WORK.map((set) => (first.get(set) ?? 0) + index);
  const known: Record<string, Cell> = {
    Folder: BigInt(190001 + (index % 2)),
    Visibility: BigInt(203001 + (index % 2)),
    Blocked: false,
    Record: BigInt(work[index] ?? 0),
    Source: BigInt(work[index] ?? 0),
    Attribute: ABOUT[index] ?? null,
    Target: BigInt(work[(index + 1) % EACH] ?? 0),
  };
  if (use.source.id.endsWith('/HistoryLines')) known.Kind = BigInt(KINDS[index] ?? 0);
  for (const [name, value] of Object.entries(known)) {
    const { references } = columns.get(name) ?? {};
    if (columns.has(name) && references === undefined && !isKept(use.source.id, name))
      values[name] = value;
  }
  return values;
}

/** Different navigations lead to different records, some of them to none. */
function targetOf(first: number | undefined, name: string, index: number): Cell {
  if (first === undefined) return null;
  const offset = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return (offset + index) % 5 === 4 ? null : BigInt(first + ((offset + index) % EACH));
}

export function asRecords(rows: readonly Row[]): readonly LoadRecord[] {
  return rows.map(({ place, uid, parent, values }) => ({
    set: place,
    uid,
    values,
    ...(parent === undefined ? {} : { parent: parent.uid }),
  }));
}

/** Pairs of everything that is kept in pairs: each record with that of the same place, and with the next. */
export async function storePairs({ installation }: Desk, rows: readonly Row[]): Promise<void> {
  const { layout, database } = installation;
  const inTable = (table: string | undefined) => rows.filter(({ place }) => place === table);
  const inserts: Operation[] = [];
  for (const { name, source, target } of layout.links) {
    const targets = inTable(target);
    for (const [index, { uid }] of inTable(source).entries()) {
      const linked = [targets[index], index % 2 === 0 ? targets[(index + 1) % EACH] : undefined];
      for (const other of linked) {
        if (other === undefined) continue;
        const text = statement(`INSERT INTO "${name}" ("source", "target") VALUES (?, ?)`);
        inserts.push(change(text, [BigInt(uid), BigInt(other.uid)]));
      }
    }
  }
  await writeAll(database, ...inserts);
}

/** A key that no record has. */
export const NO_KEY = 9_999_999;
