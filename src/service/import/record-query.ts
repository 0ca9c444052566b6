// This file writes the query options that read the properties of a row from the stored record.
import type { EntityType, Model, StructuredType } from '../../edm/model.ts';
import { entityType } from '../../edm/model.ts';
import { type Column, mayBeDynamic, membersOf } from './columns.ts';

interface Selection {
  readonly type: EntityType;
  readonly names: Set<string>;
  readonly expanded: Map<string, Selection>;
}

/** `$select=Uid,Status&$expand=Caller($select=Uid,Name)`, for paths of properties from the record. */
export function recordQuery(
  model: Model,
  type: EntityType,
  paths: Iterable<readonly string[]>,
): string {
  const selection = newSelection(model, type);
  for (const path of paths) addPath(model, selection, path);
  return optionsOf(selection)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
    .join('&');
}

/** The query options that read of each related record, by its navigation, what other columns than those of its key state. */
export function relatedQueries(
  model: Model,
  columns: readonly Column[],
): ReadonlyMap<string, string> {
  const queries = new Map<string, string>();
  for (const column of columns) {
    if (column.kind !== 'key') continue;
    const { navigation, type } = column;
    const depth = navigation.split('/').length;
    const paths = columns.flatMap((one) =>
      one.kind === 'related' && one.navigation === navigation ? [one.path.slice(depth)] : [],
    );
    if (paths.length > 0) queries.set(navigation, recordQuery(model, type, paths));
  }
  return queries;
}

/** With the key, so that nothing is selected without it. */
function newSelection(model: Model, type: EntityType): Selection {
  const keys = model.key(type).map(({ path }) => path.split('/')[0] ?? '');
  return { type, names: new Set(keys), expanded: new Map() };
}

/** @param within the complex properties before the path: `Assignment/` */
function addPath(
  model: Model,
  selection: Selection,
  [name = '', ...rest]: readonly string[],
  { owner, within }: { readonly owner: StructuredType; readonly within: string } = {
    owner: selection.type,
    within: '',
  },
): void {
  const member = membersOf(model, owner).get(name);
  if (member === undefined) {
    if (within === '' && mayBeDynamic(model, owner, name)) selection.names.add(name);
    return;
  }
  const cast = `${within}${castTo(model, owner, name)}`;
  if (member.kind === 'navigation') {
    const { expanded } = selection;
    const inner = expanded.get(cast) ?? newSelection(model, entityType(model, member.target));
    expanded.set(cast, inner);
    addPath(model, inner, rest);
    return;
  }
  const type = model.types.get(member.type);
  const isNavigated = type?.kind === 'complex' && hasNavigation(model, type, rest);
  if (isNavigated) addPath(model, selection, rest, { owner: type, within: `${cast}/` });
  else if (within === '') selection.names.add(cast);
}

/** Whether the path from a complex value ends in a related entity. */
function hasNavigation(
  model: Model,
  owner: StructuredType,
  [name = '', ...rest]: readonly string[],
): boolean {
  const member = membersOf(model, owner).get(name);
  if (member === undefined || member.kind === 'navigation') return member !== undefined;
  const type = model.types.get(member.type);
  return type?.kind === 'complex' && hasNavigation(model, type, rest);
}

/** The member, with a type cast if only a derived type has it. */
function castTo(model: Model, type: StructuredType, name: string): string {
  if (model.members(type).has(name)) return name;
  const owner = model.derived(type).find((one) => model.members(one).has(name));
  return owner === undefined ? name : `${owner.name}/${name}`;
}

function optionsOf({ names, expanded }: Selection): readonly (readonly [string, string])[] {
  const items = [...expanded].map(
    ([name, inner]) =>
      `${name}(${optionsOf(inner)
        .map((option) => option.join('='))
        .join(';')})`,
  );
  const select = ['$select', [...names].join(',')] as const;
  return items.length === 0 ? [select] : [select, ['$expand', items.join(',')]];
}
