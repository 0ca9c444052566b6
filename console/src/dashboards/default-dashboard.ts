// This file makes the dashboard that every account has from what the model contains: open work by age, created against closed, deadlines met,
// work of each person, and groups of codes. It is not stored; people make their own from a copy.
import type { TextName } from '../i18n/text.tsx';
import { memberPaths, titlePath } from '../model/layout.ts';
import {
  type EntitySet,
  type Model,
  memberAt,
  type StructuredType,
  typeOfSet,
} from '../model/model.ts';
import { COUNT, printApply } from '../query/apply-text.ts';
import type { Tile } from './tile.ts';

type Words = (name: TextName, values?: Readonly<Record<string, string>>) => string;

const CREATED = /(?:^|\/)(?:DateCreated|Created|CreatedAt|Opened|OpenedAt|RegisteredAt)$/;
/** The end of work, the most final first. */
const CLOSED = ['ClosedAt', 'Closed', 'CompletedAt', 'FinishedAt', 'ActualFinish', 'ResolvedAt'];
const PERSON = /(?:^|\/)(?:Assignee\w*Person|Assignee|AssignedTo|Owner|Responsible)$/;

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

interface Work {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly created: string | undefined;
  readonly closed: string | undefined;
  readonly person: string | undefined;
  readonly code: string | undefined;
  readonly deadline: { readonly due: string; readonly done: string } | undefined;
}

/** The tiles for the first set that contains work; of other models, groups of the first sets. */
export function defaultTiles(
  model: Model,
  sets: readonly EntitySet[],
  words: Words,
): readonly Tile[] {
  const work = sets.filter(({ kind }) => kind === 'set').map((set) => workOf(model, set));
  const main = work.find(({ created, closed }) => created !== undefined && closed !== undefined);
  return main === undefined
    ? work.slice(0, 6).map((one) => overview(model, one, words))
    : workTiles(model, main, words);
}

function workOf(model: Model, set: EntitySet): Work {
  const type = typeOfSet(model, set);
  const paths = memberPaths(model, type);
  const times = paths.filter((path) => memberAt(model, type, path)?.type === 'Edm.DateTimeOffset');
  const codes = paths.filter((path) => memberAt(model, type, path)?.kind === 'code');
  return {
    set,
    type,
    created: times.find((path) => CREATED.test(path)),
    closed: CLOSED.flatMap((name) => times.filter((path) => lastPart(path) === name))[0],
    person: paths.find(
      (path) => PERSON.test(path) && memberAt(model, type, path)?.kind === 'navigation',
    ),
    code: codes.find((path) => path === 'Status') ?? codes[0],
    deadline: deadlineOf(times),
  };
}

/** A deadline with the time at which it was met: `ResolveDeadline` and `ResolvedAt`. */
function deadlineOf(times: readonly string[]): Work['deadline'] {
  const pairs = times.flatMap((due) => {
    const stem = /^(.*?\w{3,}?)e?Deadline$/.exec(due)?.[1];
    const done = times.find(
      (path) => stem !== undefined && path !== due && path.startsWith(stem) && /At$/.test(path),
    );
    return done === undefined ? [] : [{ due, done }];
  });
  return pairs[0];
}

const EMPTY = { uid: undefined, filter: '', apply: '', axes: {} } as const;

function workTiles(model: Model, work: Work, words: Words): readonly Tile[] {
  const { set, created = '', closed = '', person, code, deadline } = work;
  const base = { ...EMPTY, set: set.name };
  const open = `${closed} eq null`;
  const series = [
    { path: created, name: words('dashboard.created') },
    { path: closed, name: words('dashboard.closed') },
  ];
  return [
    {
      ...base,
      kind: 'number',
      title: words('dashboard.open', { set: set.label }),
      filter: open,
      axes: { time: { unit: 'week', count: 2, series: series.slice(0, 1) } },
    },
    ...deadlineTile(base, deadline, words),
    {
      ...base,
      kind: 'bar',
      title: words('dashboard.age', { set: set.label }),
      filter: open,
      axes: { age: { path: created, days: [1, 3, 7, 14, 30, 90] } },
    },
    {
      ...base,
      kind: 'bar',
      title: words('dashboard.flow', { set: set.label }),
      axes: { time: { unit: 'week', count: 12, series } },
    },
    ...(person === undefined ? [] : [personTile(model, work, person, open, words)]),
    ...(code === undefined ? [] : [codeTile(model, work, code, open, words)]),
    {
      ...base,
      kind: 'table',
      title: words('dashboard.oldest', { set: set.label }),
      filter: open,
      axes: { order: created },
    },
  ];
}

function deadlineTile(
  base: Pick<Tile, 'uid' | 'set' | 'filter' | 'apply'>,
  deadline: Work['deadline'],
  words: Words,
): readonly Tile[] {
  if (deadline === undefined) return [];
  const { due, done } = deadline;
  return [
    {
      ...base,
      kind: 'number',
      title: words('dashboard.met'),
      filter: `${done} ne null and ${due} ne null`,
      axes: { share: `${done} le ${due}` },
    },
  ];
}

function personTile(
  model: Model,
  { set, type }: Work,
  path: string,
  open: string,
  words: Words,
): Tile {
  const target = model.types.get(memberAt(model, type, path)?.type ?? '');
  const title = target === undefined ? undefined : titlePath(model, target);
  const label = `${path}/${title ?? target?.key[0]?.path}`;
  const keys = (target?.key ?? []).map((part) => `${path}/${part.path}`);
  return {
    ...EMPTY,
    kind: 'bar',
    set: set.name,
    title: words('dashboard.persons', { set: set.label }),
    filter: open,
    apply: printApply({
      filter: undefined,
      groups: [...new Set([...keys, label])],
      aggregates: [COUNT],
    }),
    axes: { label },
  };
}

function codeTile(
  model: Model,
  { set, type }: Work,
  path: string,
  filter: string,
  words: Words,
): Tile {
  const member = memberAt(model, type, path);
  const coded = model.types.get(member?.type ?? '')?.coded;
  const label = `${path}/${coded?.text}`;
  const groups = [`${path}/${coded?.value}`, label];
  return {
    ...EMPTY,
    kind: 'bar',
    set: set.name,
    title: words('dashboard.byGroup', { set: set.label, group: member?.label ?? path }),
    filter,
    apply: printApply({ filter: undefined, groups, aggregates: [COUNT] }),
    axes: { label },
  };
}

function overview(model: Model, work: Work, words: Words): Tile {
  if (work.code !== undefined) return codeTile(model, work, work.code, '', words);
  return {
    ...EMPTY,
    kind: 'number',
    set: work.set.name,
    title: words('dashboard.all', { set: work.set.label }),
  };
}
