// This file decides which members of an entity a form shows and which it may change, and how they are read.
import type { SetRights } from '../app/rights.ts';
import { isComputed, isFixed } from '../model/changeable.ts';
import { referenceExpand } from '../model/entity.ts';
import {
  type Column,
  columnAt,
  type FormGroup,
  formGroups,
  isHidden,
  titlePath,
} from '../model/layout.ts';
import { isWithin } from '../model/member-path.ts';
import { type EntitySet, type Model, memberAt, type StructuredType } from '../model/model.ts';

/** A member in a form. */
export interface Field extends Column {
  readonly readOnly: boolean;
  readonly required: boolean;
  /** Of references: the set that contains the targets. */
  readonly targetSet: string | undefined;
}

export interface FieldGroup extends Omit<FormGroup, 'fields'> {
  readonly fields: readonly Field[];
}

/** What the account may do with the members of an entity; the whole entity is locked if `Change` is false. */
export interface MemberRights {
  readonly Change?: boolean;
  readonly Members?: readonly {
    readonly Name: string;
    readonly Read: boolean;
    readonly Change: boolean;
  }[];
}

/** What the account may give when it creates an entity. That a member never changes afterwards, as keys do not, says nothing about that. */
export function rightsToGive(
  { key, members }: StructuredType,
  { Unchangeable = [] }: SetRights,
): MemberRights {
  const isConstant = (path: string) =>
    members.get(path.split('/')[0] ?? path)?.immutable === true ||
    key.some((part) => part.path === path);
  return {
    Members: Unchangeable.filter((path) => !isConstant(path)).map((Name) => ({
      Name,
      Read: true,
      Change: false,
    })),
  };
}

interface FieldRules {
  readonly set: EntitySet | undefined;
  readonly rights: MemberRights | undefined;
  /** Paths that the account can read in no entity of the set. */
  readonly unreadable: readonly string[];
  readonly mode: 'create' | 'change';
}

/**
 * The groups of the form of a type, without members that may not be read.
 *
 * @param rules in the mode `create`, members that never change can be given, and what the service computes is left out
 */
export function fieldGroups(
  model: Model,
  type: StructuredType,
  rules: FieldRules,
): readonly FieldGroup[] {
  return withComplexMembers(model, type, formGroups(model, type))
    .map((group) => {
      const columns = group.fields.filter(({ member }) => member.kind !== 'stream');
      return { ...group, fields: fieldsOf(type, columns, rules) };
    })
    .filter(({ fields }) => fields.length > 0);
}

/** The streams of a type, those of its complex values included. */
export function streamFields(
  model: Model,
  type: StructuredType,
  rules: FieldRules,
): readonly Field[] {
  const paths = [...type.members.values()].flatMap((member) => {
    if (member.collection || isHidden(member.annotations)) return [];
    const inner = member.kind === 'complex' ? model.types.get(member.type)?.members.values() : [];
    return [member.name, ...[...(inner ?? [])].map(({ name }) => `${member.name}/${name}`)];
  });
  const columns = paths.flatMap((path) => columnAt(model, type, path) ?? []);
  return fieldsOf(
    type,
    columns.filter(({ member }) => member.kind === 'stream' && !isHidden(member.annotations)),
    rules,
  );
}

/** What of the columns may be read, and may be changed where they are for a new entity. */
function fieldsOf(
  type: StructuredType,
  columns: readonly Column[],
  { set, rights, unreadable, mode }: FieldRules,
): readonly Field[] {
  const byName = new Map((rights?.Members ?? []).map((member) => [member.Name, member]));
  const rightsOf = (path: string) => byName.get(path) ?? byName.get(path.split('/')[0] ?? path);
  const toField = (column: Column): Field => {
    const isLocked = rights?.Change === false || rightsOf(column.path)?.Change === false;
    return {
      ...column,
      readOnly: isLocked || (mode === 'create' ? isComputed : isFixed)(type, column),
      required: isRequired(type, column),
      targetSet: set?.bindings.get(column.path),
    };
  };
  return columns
    .filter(({ path }) => !isWithin(path, unreadable) && rightsOf(path)?.Read !== false)
    .map(toField)
    .filter(({ readOnly }) => mode === 'change' || !readOnly);
}

/** Adds what the layout leaves to each screen: collections of complex values, and complex values inside of others. */
function withComplexMembers(
  model: Model,
  type: StructuredType,
  groups: readonly FormGroup[],
): readonly FormGroup[] {
  const shown = new Set(groups.flatMap(({ fields }) => fields.map(({ path }) => path)));
  const paths = [...type.members.values()].flatMap((member) => {
    if (member.kind !== 'complex' || isHidden(member.annotations)) return [];
    if (member.collection) return [member.name];
    const inner = [...(model.types.get(member.type)?.members.values() ?? [])];
    return inner
      .filter(({ kind }) => kind === 'complex')
      .map(({ name }) => `${member.name}/${name}`);
  });
  const groupOf = (path: string): string => {
    const outer = path.split('/')[0] ?? path;
    if (type.members.get(outer)?.computed === true) return 'system';
    return groups.some(({ id }) => id === outer) ? outer : (groups[0]?.id ?? 'main');
  };
  const missing = paths.filter((path) => !shown.has(path));
  return groups.map((group) => ({
    ...group,
    fields: [
      ...group.fields,
      ...missing
        .filter((path) => groupOf(path) === group.id)
        .flatMap((path) => columnAt(model, type, path) ?? []),
    ],
  }));
}

function isRequired(type: StructuredType, { path, member }: Column): boolean {
  const [outerName, inner] = path.split('/');
  const outer = type.members.get(outerName ?? path);
  return (
    !member.nullable &&
    !member.collection &&
    member.defaultValue === undefined &&
    member.type !== 'Edm.Boolean' &&
    member.annotations['Core.ComputedDefaultValue'] !== true &&
    outer?.annotations['Core.ComputedDefaultValue'] !== true &&
    (inner === undefined || outer?.nullable !== true)
  );
}

/** The query of a read that returns everything which the form shows: references with key and title. */
export function recordQuery(model: Model, type: StructuredType, paths: readonly string[]): string {
  const isNavigation = (path: string) => memberAt(model, type, path)?.kind === 'navigation';
  const title = titlePath(model, type);
  const wanted = [
    ...type.key.map(({ path }) => path),
    ...(title === undefined ? [] : [title]),
    ...paths.filter((path) => !isNavigation(path)),
  ];
  const names = [...new Set(wanted.filter((path) => !isNavigation(path)))];
  // A whole complex value makes the paths into it redundant, and dynamic properties come only with all others.
  const select = [
    ...(type.open ? ['*'] : []),
    ...names.filter(
      (path) => !path.includes('/') || !(type.open || names.includes(path.split('/')[0] ?? '')),
    ),
  ];
  const expand = [...new Set(paths)].flatMap((path) => {
    const member = memberAt(model, type, path);
    return member?.kind === 'navigation' && !member.collection
      ? [referenceExpand(model, path, member)]
      : [];
  });
  return [
    `$select=${encodeURIComponent(select.join(','))}`,
    ...(expand.length === 0 ? [] : [`$expand=${encodeURIComponent(expand.join(','))}`]),
  ].join('&');
}
