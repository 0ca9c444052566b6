// This file resolves the paths of template values in a model, and writes the query that reads them.
//     Caller/Name, Status   ->   $select=Status&$expand=Caller($select=Name)
import { nearestName } from '../../base/nearest-name.ts';
import {
  type EntityType,
  lineage,
  type Member,
  type Model,
  memberType,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';

/** The members along a path, or why it does not exist. */
export type ResolvedPath =
  | { readonly kind: 'members'; readonly members: readonly Member[] }
  | { readonly kind: 'mistake'; readonly reason: string };

/** Follows a path of names. Only its last member may be a collection. */
export function resolvePath(model: Model, start: StructuredType, path: string): ResolvedPath {
  let owner: StructuredType | undefined = start;
  const members: Member[] = [];
  for (const step of path.split('/')) {
    if (owner === undefined || members.at(-1)?.collection === true)
      return { kind: 'mistake', reason: `"${path}" continues after ${members.at(-1)?.name}` };
    const known = model.members(owner);
    const member = known.get(step);
    if (member === undefined) {
      const hint = nearestHint(step, known.keys());
      return { kind: 'mistake', reason: `${owner.name} has no "${step}"${hint}` };
    }
    members.push(member);
    owner = memberType(model, member);
  }
  return { kind: 'members', members };
}

/** The end of a reason: the name that was probably meant. */
export function nearestHint(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name.slice(0, 100), candidates);
  return nearest === undefined ? '' : `; the nearest name is "${nearest}"`;
}

/** Why a path is not that of a value which a template can contain; undefined if it is. */
export function valueMistake(model: Model, start: EntityType, path: string): string | undefined {
  const resolved = resolvePath(model, start, path);
  if (resolved.kind === 'mistake') return resolved.reason;
  const last = resolved.members.at(-1);
  if (last?.kind !== 'property') return `"${path}" is an entity; name one of its properties`;
  const inner = memberType(model, last);
  const isCode = inner?.kind === 'complex' && inner.coded !== undefined;
  return inner === undefined || isCode
    ? undefined
    : `"${path}" has several parts; name one of them`;
}

/** The query for the values at paths that exist. */
export function valueQuery(model: Model, start: EntityType, paths: readonly string[]): string {
  const root = newSelection(model, start);
  for (const path of paths) addPath(model, start, root, path.split('/'));
  return optionsOf(root).join('&');
}

interface Selection {
  readonly names: Set<string>;
  readonly expansions: Map<string, Selection>;
}

/** Keys are selected, because the rules of the service contract require them. */
function newSelection(model: Model, type: StructuredType | undefined): Selection {
  const types = type === undefined ? [] : lineage(type, model.types);
  const key = types.flatMap((one) => (one.kind === 'entity' ? (one.key ?? []) : []));
  return { names: new Set(key.map(({ path }) => path)), expansions: new Map() };
}

function addPath(
  model: Model,
  start: StructuredType,
  root: Selection,
  steps: readonly string[],
): void {
  let owner: StructuredType | undefined = start;
  let selection = root;
  let prefix = '';
  for (const step of steps) {
    const member: Member | undefined = owner && model.members(owner).get(step);
    if (member === undefined) return;
    prefix += prefix === '' ? step : `/${step}`;
    owner = memberType(model, member);
    if (member.kind === 'property') continue;
    const inner = selection.expansions.get(prefix) ?? newSelection(model, owner);
    selection.expansions.set(prefix, inner);
    selection = inner;
    prefix = '';
  }
  selection.names.add(prefix);
}

function optionsOf({ names, expansions }: Selection): readonly string[] {
  const expanded = [...expansions].map(([path, inner]) => `${path}(${optionsOf(inner).join(';')})`);
  return [
    ...(names.size === 0 ? [] : [`$select=${[...names].join(',')}`]),
    ...(expanded.length === 0 ? [] : [`$expand=${expanded.join(',')}`]),
  ];
}

/** In which language and time zone values are written. */
export interface ReaderSettings {
  readonly language: string;
  readonly timeZone: string;
}

/** The value at a path in a response, as readable text. */
export function valueText(
  model: Model,
  start: EntityType,
  path: string,
  row: unknown,
  reader: ReaderSettings,
): string {
  const resolved = resolvePath(model, start, path);
  const last = resolved.kind === 'members' ? resolved.members.at(-1) : undefined;
  const steps = path.split('/');
  const value = steps.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), row);
  return last?.kind === 'property' ? textOf(model, last, value, reader) : '';
}

function textOf(model: Model, property: Property, value: unknown, reader: ReaderSettings): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value.map((one) => textOf(model, property, one, reader)).join(', ');
  const type = model.types.get(property.type);
  if (type?.kind === 'complex' && type.coded !== undefined) {
    const { value: code, text } = type.coded;
    return String(Reflect.get(Object(value), text) ?? Reflect.get(Object(value), code) ?? '');
  }
  return property.type === 'Edm.DateTimeOffset' ? timeText(String(value), reader) : String(value);
}

/** A point in time as the reader writes it; with unknown settings as in ISO 8601. */
function timeText(value: string, { language, timeZone }: ReaderSettings): string {
  try {
    return new Intl.DateTimeFormat(language, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone,
    }).format(new Date(value));
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
}
