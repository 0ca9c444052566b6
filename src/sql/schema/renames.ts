// Renames of tables, columns, link tables and types: derives them from a model whose elements state what they were renamed from.
// rename-steps.ts writes the steps that rename what a database has.
import {
  type EntityType,
  formerTypeName,
  type Member,
  type Model,
  type StructuredType,
  simpleName,
} from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Layout, LinkTable, TableUse } from './layout.ts';
import { partnerOf } from './relation-storage.ts';

/** The old name of an element of a layout. */
export type Rename =
  /** `source` is the old and the present id of the table's source. */
  | {
      readonly kind: 'table';
      readonly from: string;
      readonly to: string;
      readonly source: readonly [from: string, to: string];
    }
  /** `table` is the present name of the table. */
  | { readonly kind: 'column'; readonly table: string; readonly from: string; readonly to: string }
  /** `isSwapped`: the old table had source and target the other way round. */
  | {
      readonly kind: 'link';
      readonly from: string;
      readonly to: string;
      readonly isSwapped: boolean;
    }
  /** Of an entity type, as rows and rights name it. */
  | { readonly kind: 'type'; readonly from: string; readonly to: string }
  /** Of a member of entity types, as rights name it. `types` are the present and old names of the types. */
  | {
      readonly kind: 'member';
      readonly types: readonly string[];
      readonly from: string;
      readonly to: string;
    };

/** The renames that the model states, whether they have happened or not. */
export function renamesOf(layout: Layout): readonly Rename[] {
  const { model } = layout;
  const uses = [...layout.bySource.values()];
  const former = new Map(uses.map((use) => [use.table.name, formerTable(use)]));
  const tables = uses.map((use): Rename => {
    const from = formerTable(use);
    return { kind: 'table', from, to: use.table.name, source: [formerId(use), use.source.id] };
  });
  const columns = uses.flatMap((use) =>
    use.table.columns.map(
      ({ name }): Rename => ({
        kind: 'column',
        table: use.table.name,
        from: formerPath(model, use, name),
        to: name,
      }),
    ),
  );
  const links = layout.links.flatMap((link) => linkRenames(layout, former, link));
  const entities = model.definition.types.filter((type) => type.kind === 'entity');
  const types = entities.map((type): Rename => {
    return { kind: 'type', from: formerTypeName(type) ?? type.name, to: type.name };
  });
  const members = entities.flatMap((type) =>
    type.members.map(({ name, renamedFrom = name }): Rename => {
      const all = [type, ...model.derived(type)].flatMap((one) => namesOf(one));
      return { kind: 'member', types: all, from: renamedFrom, to: name };
    }),
  );
  const all = [...types, ...members, ...tables, ...columns, ...links];
  return all.filter(({ from, to }) => from !== to);
}

/** The present and old names of a type, with and without their namespaces. */
function namesOf(type: EntityType): readonly string[] {
  const names = [type.name, formerTypeName(type) ?? type.name];
  return [...new Set([...names, ...names.map(simpleName)])];
}

/** What undoes the renames. */
export function inverted(renames: readonly Rename[]): readonly Rename[] {
  const former = new Map(
    renames.flatMap(({ kind, from, to }) => (kind === 'table' ? [[to, from] as const] : [])),
  );
  return renames.map((one) => {
    const turned = { ...one, from: one.to, to: one.from };
    if (turned.kind === 'column')
      return { ...turned, table: former.get(turned.table) ?? turned.table };
    return turned.kind === 'table'
      ? { ...turned, source: [turned.source[1], turned.source[0]] as const }
      : turned;
  });
}

function formerId({ source }: TableUse): string {
  if (source.navigation === undefined || source.owner === undefined)
    return source.set?.renamedFrom ?? source.id;
  const owner = formerTypeName(source.owner) ?? source.owner.name;
  return `${owner}/${source.navigation.renamedFrom ?? source.navigation.name}`;
}

function formerTable({ source, table }: TableUse): string {
  if (source.navigation === undefined || source.owner === undefined)
    return source.set?.renamedFrom ?? table.name;
  const owner = formerTypeName(source.owner) ?? source.owner.name;
  const navigation = source.navigation.renamedFrom ?? source.navigation.name;
  const isShort = !table.name.startsWith(`${source.owner.name}/`);
  return `${isShort ? simpleName(owner) : owner}/${navigation}`;
}

/** `Assignment/Assignee#` with the old names of its members. */
function formerPath(model: Model, use: TableUse, column: string): string {
  const hidden = /^[^#]*(#.*)$/.exec(column)?.[1] ?? '';
  const path = column.slice(0, column.length - hidden.length);
  if (path.startsWith('$')) return column;
  let types: readonly StructuredType[] = [use.source.type, ...model.derived(use.source.type)];
  const parts: string[] = [];
  for (const step of path.split('/')) {
    const found = memberNamed(model, types, step, use.renamed);
    parts.push(found === undefined ? step : formerStep(found, step));
    const type = found?.member.kind === 'property' ? model.types.get(found.member.type) : undefined;
    types = type?.kind === 'complex' ? [type, ...model.derived(type)] : [];
  }
  return `${parts.join('/')}${hidden}`;
}

interface FoundMember {
  readonly member: Member;
  readonly type: StructuredType;
}

function memberNamed(
  model: Model,
  types: readonly StructuredType[],
  step: string,
  renamed: ReadonlyMap<Member, string>,
): FoundMember | undefined {
  for (const type of types)
    for (const member of model.members(type).values())
      if ((renamed.get(member) ?? member.name) === step) return { member, type };
  return undefined;
}

/** A member that shares its name with one of a sibling type is stored with the name of its type. */
function formerStep({ member, type }: FoundMember, step: string): string {
  const own = member.renamedFrom ?? member.name;
  if (step === member.name) return own;
  return `${simpleName(formerTypeName(type) ?? type.name)}.${own}`;
}

function linkRenames(
  { model, bySource }: Layout,
  former: ReadonlyMap<string, string>,
  { name: to, source, target }: LinkTable,
): readonly Rename[] {
  const uses = [...bySource.values()];
  const useOf = (table: string | undefined) => uses.find((use) => use.table.name === table);
  const near = useOf(source);
  if (near === undefined) return [];
  const path = to.slice(source.length + 1);
  const from = `${former.get(source) ?? source}.${formerPath(model, near, path)}`;
  const renames: Rename[] = [{ kind: 'link', from, to, isSwapped: false }];
  const partner = partnerName(model, near.source, path, useOf(target)?.source);
  if (partner !== undefined && target !== undefined) {
    const other = `${former.get(target) ?? target}.${partner}`;
    renames.push({ kind: 'link', from: other, to, isSwapped: true });
  }
  return renames;
}

/** The old name of the navigation back, if there is one. */
function partnerName(
  model: Model,
  near: Source,
  path: string,
  far: Source | undefined,
): string | undefined {
  if (far === undefined) return undefined;
  const own = memberNamed(model, [near.type, ...model.derived(near.type)], path, new Map())?.member;
  if (own?.kind !== 'navigation') return undefined;
  const partner = partnerOf(model, own);
  return partner?.renamedFrom ?? partner?.name;
}
