// This file reads one record, and in one request beside it what the page shows around the form: rights, transitions, history, attachments.

import { useQuery } from '@tanstack/react-query';
import { type BatchResult, readTogether } from '../api/batch.ts';
import { request } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Page } from '../api/read-all.ts';
import { RequestFailed } from '../api/request-failed.ts';
import { useUnreadable } from '../app/unreadable.ts';
import { type Entity, entityPath, referenceSelect, titleOf } from '../model/entity.ts';
import { attachmentsMember } from '../model/layout.ts';
import { isWithin } from '../model/member-path.ts';
import {
  concreteTypes,
  type EntitySet,
  isTracked,
  type Member,
  type Model,
  type Operation,
  operationsOf,
  type StructuredType,
  typeNamed,
  typeOfSet,
} from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { useModel } from '../model/use-model.tsx';
import { fieldGroups, recordQuery } from './fields.ts';

export interface ReadRecord {
  readonly entity: Entity;
  readonly etag: string | undefined;
  readonly type: StructuredType;
  /** Paths that requests must not name, since the account cannot read them. */
  readonly unreadable: readonly string[];
}

interface MemberRight {
  readonly Name: string;
  readonly Read: boolean;
  readonly Change: boolean;
}

interface EffectiveRights {
  readonly Read: boolean;
  readonly Create: boolean;
  readonly Change: boolean;
  readonly Delete: boolean;
  readonly Attach: boolean;
  readonly Members: readonly MemberRight[];
}

export interface AllowedTransition {
  readonly Symbol: string;
  /** The code of the next state. */
  readonly To: string;
  /** The symbol of the next state. */
  readonly State: string;
  readonly Label: string;
  /** Whether rights and roles permit it, whatever it lacks. */
  readonly Permitted: boolean;
  readonly Takers: readonly string[];
  readonly Guard: string | null;
  readonly Comment: boolean;
  /** Paths of members that need a value. */
  readonly Missing: readonly string[];
  /** Paths of members that may be given with it. */
  readonly Prompt: readonly string[];
  readonly Clocks: readonly ClockEffect[];
}

export interface ClockEffect {
  readonly Clock: string;
  readonly Effect: string;
  /** The deadline after it, if nothing else changes. */
  readonly Deadline: string | null;
}

/** What a record page shows beside the form. What the type does not have, or the account may not read, is undefined. */
export interface Surroundings {
  readonly rights: EffectiveRights | undefined;
  readonly transitions: readonly AllowedTransition[] | undefined;
  readonly history: Page | undefined;
  readonly attachments: Page | undefined;
}

/** The ETag in an entity (OData JSON Format 4.0 and 4.01). */
export function etagOf(entity: Entity): string | undefined {
  const etag = entity['@odata.etag'] ?? entity['@etag'];
  return typeof etag === 'string' ? etag : undefined;
}

/** The path of a record, with the segment of its type where the set contains others. */
export function recordPath(set: EntitySet, key: string, type: StructuredType): string {
  const path = set.kind === 'singleton' ? set.name : entityPath(set.name, key);
  return type.name === set.type ? path : `${path}/${type.name}`;
}

/** The path whose changes are those of a record; undefined where its key has several parts. */
export function changesPath(
  set: EntitySet,
  key: string,
  { key: parts }: StructuredType,
): string | undefined {
  const [part, ...others] = parts;
  if (!isTracked(set) || part === undefined || others.length > 0) return undefined;
  const filter = `${part.path} eq ${key}`;
  return pathWith(set.name, [
    ['$select', part.path],
    ['$filter', filter],
  ]);
}

export const queryOf = (
  model: Model,
  set: EntitySet,
  type: StructuredType,
  unreadable: readonly string[],
): string => {
  const groups = fieldGroups(model, type, { set, rights: undefined, unreadable, mode: 'change' });
  return recordQuery(
    model,
    type,
    groups.flatMap(({ fields }) => fields.map(({ path }) => path)),
  );
};

export async function readRecord(
  model: Model,
  set: EntitySet,
  key: string,
  unreadable: readonly string[],
  signal?: AbortSignal,
): Promise<ReadRecord> {
  const type = await typeOfRecord(model, set, key, signal);
  const path = `${recordPath(set, key, type)}?${queryOf(model, set, type, unreadable)}`;
  const response = await request(path, { signal });
  const entity = (await response.json()) as Entity;
  const etag = etagOf(entity) ?? response.headers.get('ETag') ?? undefined;
  return { entity, etag, type, unreadable };
}

/** The type of an entity: where a set contains several types, responses name it. */
async function typeOfRecord(
  model: Model,
  set: EntitySet,
  key: string,
  signal: AbortSignal | undefined,
): Promise<StructuredType> {
  const base = typeOfSet(model, set);
  if (concreteTypes(model, base.name).every(({ name }) => name === base.name)) return base;
  const path = set.kind === 'singleton' ? set.name : entityPath(set.name, key);
  const select = encodeURIComponent(referenceSelect(model, base));
  const response = await request(`${path}?$select=${select}`, { signal });
  const entity = (await response.json()) as Entity;
  const name = String(entity['@odata.type'] ?? entity['@type'] ?? '').replace(/^.*#/, '');
  return model.types.has(name) ? typeNamed(model, name) : base;
}

const recordKey = (set: string, key: string) => ['record', set, key] as const;
const surroundingsKey = (set: string, key: string) => ['surroundings', set, key] as const;

export function useRecord(set: EntitySet, key: string) {
  const model = useModel();
  const unreadable = useUnreadable(set);
  return useQuery({
    queryKey: recordKey(set.name, key),
    queryFn: async ({ signal }) => await readRecord(model, set, key, unreadable, signal),
  });
}

/** Reads again what surrounds a record, and the record itself unless it is given. */
export async function refreshRecord(set: string, key: string, record?: ReadRecord): Promise<void> {
  if (record === undefined) await queryClient.invalidateQueries({ queryKey: recordKey(set, key) });
  else queryClient.setQueryData(recordKey(set, key), record);
  await queryClient.invalidateQueries({ queryKey: surroundingsKey(set, key) });
  await queryClient.invalidateQueries({ queryKey: ['related', set, key] });
}

/** Rejects with the error of a change, after reading the record again if others have changed it: then the change can be repeated. */
export async function rejectChange(set: string, key: string, error: unknown): Promise<never> {
  if (error instanceof RequestFailed && error.status === 412) await refreshRecord(set, key);
  throw error;
}

/** The operation with a name, bound to entities of a type, that needs no parameters. */
function plainFunction(model: Model, type: StructuredType, name: string): Operation | undefined {
  return operationsOf(model, type, false).find(
    ({ kind, name: full, parameters }) =>
      kind === 'function' && full.endsWith(`.${name}`) && parameters.length === 0,
  );
}

/** The contained entities that record changes and notes: those with an old and a new value. */
export function historyMember(model: Model, type: StructuredType): Member | undefined {
  return [...type.members.values()].find(
    (member) =>
      member.contained &&
      member.collection &&
      ['Attribute', 'OldValue', 'NewValue', 'CreatedAt'].every((name) =>
        model.types.get(member.type)?.members.has(name),
      ),
  );
}

/**
 * The name of the account, or of the part of the service, that has written a line of the history. Undefined if the account may not see who it
 * was.
 */
export function authorOf(model: Model, history: Member, line: Entity): string | undefined {
  const author = typeNamed(model, history.type).members.get('CreatedBy');
  return nameOf(model, author, line.CreatedBy) || String(line.Origin ?? '') || undefined;
}

function nameOf(model: Model, author: Member | undefined, value: unknown): string {
  if (author === undefined || value === null || value === undefined) return '';
  if (author.kind !== 'navigation') return String(value);
  return titleOf(model, typeNamed(model, author.type), value);
}

/** Headers that make pages of 50 lines. */
export const PAGES = { Prefer: 'maxpagesize=50' } as const;

/**
 * The query of a page of the history, the newest lines first.
 * @param unreadable paths from the record
 */
export function historyQuery(
  model: Model,
  member: Member,
  unreadable: readonly string[],
  filter?: string,
): string {
  const isHidden = (name: string) => isWithin(`${member.name}/${name}`, unreadable);
  const type = typeNamed(model, member.type);
  const author = type.members.get('CreatedBy');
  const files = attachmentsMember(model, type);
  const expand = [
    ...(author?.kind === 'navigation' && !isHidden(author.name)
      ? [`CreatedBy($select=${referenceSelect(model, typeNamed(model, author.type))})`]
      : []),
    ...(files === undefined || isHidden(files.name) ? [] : [files.name]),
  ];
  const order = type.key.map(({ path }) => `${path} desc`).join(',');
  return [
    `$orderby=${encodeURIComponent(`CreatedAt desc,${order}`)}`,
    ...(expand.length === 0 ? [] : [`$expand=${encodeURIComponent(expand.join(','))}`]),
    ...(filter === undefined ? [] : [`$filter=${encodeURIComponent(filter)}`]),
  ].join('&');
}

export function useSurroundings(set: EntitySet, key: string, type: StructuredType | undefined) {
  const model = useModel();
  const unreadable = useUnreadable(set);
  return useQuery({
    queryKey: surroundingsKey(set.name, key),
    queryFn: async ({ signal }) =>
      await readSurroundings(
        model,
        set,
        key,
        { type: type ?? typeOfSet(model, set), unreadable },
        signal,
      ),
    // A single type is known before the record is read.
    enabled:
      type !== undefined || concreteTypes(model, set.type).every(({ name }) => name === set.type),
  });
}

async function readSurroundings(
  model: Model,
  set: EntitySet,
  key: string,
  { type, unreadable }: Pick<ReadRecord, 'type' | 'unreadable'>,
  signal: AbortSignal,
): Promise<Surroundings> {
  const path = recordPath(set, key, type);
  const history = historyMember(model, type);
  const files = attachmentsMember(model, type);
  const rights = plainFunction(model, type, 'EffectiveRights');
  const transitions = plainFunction(model, type, 'AllowedTransitions');
  const wanted = [
    rights && `${path}/${rights.name}()`,
    transitions && `${path}/${transitions.name}()`,
    history &&
      !isWithin(history.name, unreadable) &&
      `${path}/${history.name}?${historyQuery(model, history, unreadable)}`,
    files && !isWithin(files.name, unreadable) && `${path}/${files.name}`,
  ];
  const paths = wanted.filter((one) => typeof one === 'string');
  const results =
    paths.length === 0
      ? []
      : await readTogether(
          paths.map((one) => ({ path: one, headers: PAGES })),
          signal,
        );
  const resultOf = (one: string | false | undefined): BatchResult | undefined =>
    typeof one === 'string' ? results[paths.indexOf(one)] : undefined;
  const valueOfPath = <T>(one: string | false | undefined): T | undefined => {
    const result = resultOf(one);
    return result?.kind === 'value' ? (result.value as T) : undefined;
  };
  return {
    rights: valueOfPath<EffectiveRights>(wanted[0]),
    transitions: valueOfPath<{ Transitions: readonly AllowedTransition[] }>(wanted[1])?.Transitions,
    history: valueOfPath<Page>(wanted[2]),
    attachments: valueOfPath<Page>(wanted[3]),
  };
}
