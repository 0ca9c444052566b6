// Derives the layout of a model: one table per set, singleton and containment, columns named by property paths, and link tables for
// many-to-many relations. layout.ts defines the hidden columns; the README of src/sql states the rules. It is long because the parts of a
// table are added to one draft.

import { invariant } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import { systemTable } from '../../edm/administration-sets.ts';
import {
  type EntityType,
  hasStream,
  type KeyPart,
  lineage,
  type Member,
  type Model,
  memberAt,
  type Property,
  type StructuredType,
  simpleName,
} from '../../edm/model.ts';
import {
  type InnerNavigation,
  isDocument,
  isOpen,
  isReference,
  membersWithDerived,
  navigationsOfMember,
} from '../../edm/property-storage.ts';
import { allSources, alternateKeys, type Source } from '../../edm/source.ts';
import { clockColumns } from './clock-columns.ts';
import { columnType } from './column-type.ts';
import { expressionsOf } from './computed-columns.ts';
import { fillValue } from './fill-value.ts';
import { itemIndexName } from './item-index.ts';
import {
  type ClockColumn,
  type Column,
  columnName,
  DYNAMIC_COLUMN,
  FILE_COLUMN,
  fileColumn,
  IDENTITY_COLUMN,
  type Index,
  type ItemIndex,
  type Layout,
  type LinkTable,
  PARENT_COLUMN,
  presenceColumn,
  type StoredLayout,
  type Table,
  type TableUse,
  type TextIndex,
  TYPE_COLUMN,
  VERSION_COLUMN,
} from './layout.ts';
import { membersOf, type Relations, resolveNavigation } from './relation-storage.ts';
import { BOOLEAN, INTEGER, JSON_TEXT, sameStorage, storageOf, TEXT } from './value-storage.ts';

/** The layout of a model that has passed lint. */
export const makeLayout = perObject((model: Model): Layout => {
  const names = tableNames(model);
  const bySource = new Map<string, TableUse>();
  for (const source of allSources(model)) {
    bySource.set(source.id, makeTable(model, source, names.get(source.id) ?? source.id));
  }
  resolveReferences({ model, bySource }, bySource);
  const tables = [...bySource.values()].map((use) => use.table);
  const parts = { model, bySource };
  return { ...parts, tables, links: makeLinks(parts), expressions: expressionsOf(parts) };
});

/** The part of a layout that is stored in the database. */
export function storedLayout({ tables, links, expressions }: StoredLayout): StoredLayout {
  return { tables, links, expressions };
}

function ownIdentity(model: Model, type: EntityType): string | undefined {
  const [part, ...others] = model.key(type);
  if (part === undefined || others.length > 0) return undefined;
  const property = model.stored(type).get(part.path);
  if (property?.kind !== 'property' || property.type !== 'Edm.Int64') return undefined;
  return property.generated?.by === 'key' ? part.path : undefined;
}

/** Sets keep their names. Containments are named `Owner/Navigation`, with the owner's qualified name if the short name is in use. */
function tableNames(model: Model): ReadonlyMap<string, string> {
  const names = new Set<string>();
  return new Map(
    allSources(model).map((source) => {
      const [owner = '', navigation] = source.id.split('/');
      const short =
        navigation === undefined
          ? (systemTable(source.type.name) ?? source.id)
          : `${simpleName(owner)}/${navigation}`;
      const name = names.has(short) ? source.id : short;
      names.add(name);
      return [source.id, name];
    }),
  );
}

/** A table under construction. */
interface Draft {
  readonly model: Model;
  readonly columns: Map<string, Column>;
  readonly indexes: Index[];
  readonly items: ItemIndex[];
  readonly searched: string[];
  readonly renamed: Map<Member, string>;
  readonly table: string;
  readonly identity: string;
}

/** The position of a member: its path so far, and whether all rows have it. */
interface Position {
  readonly path: string;
  readonly always: boolean;
}

function makeTable(model: Model, source: Source, table: string): TableUse {
  const own = ownIdentity(model, source.type);
  const identity = own ?? IDENTITY_COLUMN;
  const draft: Draft = {
    model,
    columns: new Map(),
    indexes: [],
    items: [],
    searched: [],
    renamed: renamedInDocuments(model, source),
    table,
    identity,
  };
  addColumn(draft, { name: identity, storage: INTEGER, notNull: true });
  addHidden(draft, source);
  for (const member of model.stored(source.type).values()) {
    addMember(draft, member, { path: '', always: true });
  }
  for (const type of model.derived(source.type)) addDerived(draft, source.type, type);
  addKeys(draft, source);
  addIndexes(draft, source);
  const clocks = addClocks(draft, source);
  const { columns, renamed } = draft;
  const finished = finishTable(draft, source.set?.kind === 'singleton');
  return { source, table: finished, columns, renamed, clocks };
}

function finishTable(draft: Draft, isSingle: boolean): Table {
  const { table, searched, identity, columns, indexes, items } = draft;
  const index: TextIndex = { words: `${table}$search`, grams: `${table}$grams`, columns: searched };
  return {
    name: table,
    identity,
    columns: [...columns.values()],
    indexes,
    text: searched.length === 0 ? undefined : index,
    ...(items.length === 0 ? {} : { items }),
    ...(isSingle ? { isSingle: true as const } : {}),
  };
}

function addHidden(draft: Draft, source: Source): void {
  const { model } = draft;
  const types = [source.type, ...model.derived(source.type)];
  if (types.length > 1 || source.type.abstract === true) {
    addColumn(draft, typeColumn(source, types));
  }
  if (source.kind === 'containment') {
    addColumn(draft, { name: PARENT_COLUMN, storage: INTEGER, notNull: true });
    addIndex(draft, [PARENT_COLUMN], source.navigation?.collection === false);
  }
  addColumn(draft, { name: VERSION_COLUMN, storage: INTEGER, notNull: true, default: '1' });
  if (types.some((type) => isOpen(model, type))) {
    addColumn(draft, { name: DYNAMIC_COLUMN, storage: JSON_TEXT, notNull: false });
  }
  if (types.some((type) => type.kind === 'entity' && hasStream(model, type))) {
    addFile(draft, FILE_COLUMN);
  }
}

/** Existing rows without a type get the declared one. */
function typeColumn({ type }: Source, types: readonly StructuredType[]): Column {
  const names = types.filter((one) => one.abstract !== true).map((one) => one.name);
  return {
    name: TYPE_COLUMN,
    storage: TEXT,
    type: { kind: 'type', types: names, collection: false },
    notNull: true,
    ...(type.abstract === true ? {} : { fill: `'${type.name}'` }),
  };
}

function addFile(draft: Draft, column: string): void {
  addColumn(draft, { name: column, storage: INTEGER, notNull: false, references: 'docket_file' });
  addIndex(draft, [column], false);
}

/** Adds members that only some derived types have. Their columns are empty in rows of other types. */
function addDerived(draft: Draft, base: EntityType, type: StructuredType): void {
  const inherited = draft.model.stored(base);
  for (const member of draft.model.stored(type).values()) {
    if (inherited.get(member.name) === member || draft.renamed.has(member)) continue;
    if (clashes(draft, member)) {
      draft.renamed.set(
        member,
        `${simpleName(declaring(draft.model, type, member))}.${member.name}`,
      );
    }
    addMember(draft, member, { path: '', always: false });
  }
}

/** Whether a sibling type has a column of that name with another storage. */
function clashes(draft: Draft, member: Member): boolean {
  const existing = draft.columns.get(member.name);
  if (existing === undefined) return false;
  if (member.kind === 'navigation') return existing.storage.kind !== 'integer';
  return !sameStorage(existing.storage, storageOf(typeOfReference(draft.model, member)));
}

function declaring(model: Model, type: StructuredType, member: Member): string {
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  const inherits =
    base?.kind === 'entity' && model.stored(base).get(member.name) === member ? base : undefined;
  return inherits === undefined ? type.name : declaring(model, inherits, member);
}

function addMember(draft: Draft, member: Member, position: Position): void {
  const own = draft.renamed.get(member) ?? member.name;
  const path = `${position.path}${own}`;
  if (member.kind === 'navigation') {
    if (isReference(draft.model, member)) addReference(draft, path);
    return;
  }
  addProperty(draft, member, { ...position, path });
}

function addReference(draft: Draft, path: string): void {
  addColumn(draft, { name: path, storage: INTEGER, notNull: false });
  addIndex(draft, [path], false);
}

function addProperty(draft: Draft, property: Property, position: Position): void {
  const { model } = draft;
  const { path, always } = position;
  const complex = model.types.get(property.type);
  if (property.type === 'Edm.Stream') {
    addFile(draft, fileColumn(path));
    return;
  }
  if (complex?.kind !== 'complex' || complex.coded !== undefined || isDocument(model, property)) {
    addValue(draft, property, position);
    addInnerReferences(draft, property, path);
    return;
  }
  if (property.nullable || !always) {
    const name = presenceColumn(path);
    addColumn(draft, { name, storage: BOOLEAN, notNull: true, default: '0' });
  }
  const inside = { path: `${path}/`, always: always && !property.nullable };
  for (const member of model.stored(complex).values()) addMember(draft, member, inside);
}

/** The columns of the relations in a value that is stored as a document. */
function addInnerReferences(draft: Draft, property: Property, path: string): void {
  for (const inner of navigationsOfMember(draft.model, property)) {
    if (!isReference(draft.model, inner.navigation)) continue;
    const below = columnName(draft, [...inner.path.slice(1), inner.navigation]);
    addReference(draft, `${path}/${below}`);
  }
}

/**
 * Names for the columns of relations in documents. Types derived from one base can have different members of one name, of which the
 * first keeps its name.
 */
function renamedInDocuments(model: Model, source: Source): Map<Member, string> {
  const renamed = new Map<Member, string>();
  const visited = new Set<StructuredType>();
  const visit = (type: StructuredType) => {
    if (visited.has(type)) return;
    visited.add(type);
    const first = new Map<string, Member>();
    for (const member of membersWithDerived(model, type)) {
      const other = first.get(member.name) ?? member;
      first.set(member.name, other);
      const isRelated = [member, other].some((one) => navigationsOfMember(model, one).length > 0);
      if (type.kind === 'complex' && other !== member && isRelated) {
        const owner = model.derived(type).find(({ members }) => members.includes(member)) ?? type;
        renamed.set(member, `${simpleName(owner.name)}.${member.name}`);
      }
      const isSingle = member.kind === 'property' && !member.collection;
      const inner = isSingle ? model.types.get(member.type) : undefined;
      if (inner?.kind === 'complex') visit(inner);
    }
  };
  visit(source.type);
  return renamed;
}

function addValue(draft: Draft, property: Property, { path, always }: Position): void {
  if (path === draft.identity) return;
  const valueType = typeOfReference(draft.model, property);
  const storage = storageOf(valueType);
  const type = columnType(valueType);
  const typed = type === undefined ? { storage } : { storage, type };
  const isFilledLater =
    property.generated?.by === 'expression' || property.generated?.by === 'initial';
  if (property.collection) {
    addColumn(draft, { name: path, ...typed, notNull: true, default: "'[]'" });
    const { itemKey: members } = property;
    const name = itemIndexName(draft.table, path);
    if (members !== undefined) draft.items.push({ name, column: path, members });
    return;
  }
  const notNull = always && !property.nullable && !isFilledLater;
  const fill = notNull ? fillValue(draft.model, property, storage) : undefined;
  addColumn(draft, { name: path, ...typed, notNull, ...(fill === undefined ? {} : { fill }) });
  if (property.unique === true) addIndex(draft, [path], true);
  else if (property.indexed === true) addIndex(draft, [path], false);
  if (property.searchable === true && property.type === 'Edm.String') draft.searched.push(path);
}

function addKeys(draft: Draft, source: Source): void {
  const { model } = draft;
  const inParent = source.kind === 'containment' ? [PARENT_COLUMN] : [];
  const paths = (parts: readonly KeyPart[]) => parts.map((part) => part.path);
  const key = paths(model.key(source.type));
  if (ownIdentity(model, source.type) === undefined && key.length > 0) {
    addIndex(draft, [...inParent, ...key], true);
  }
  for (const alternate of alternateKeys(model, source.type)) {
    addIndex(draft, [...inParent, ...paths(alternate)], true);
  }
}

/** The indexes that the type, its ancestors and the types derived from it declare. */
function addIndexes(draft: Draft, { type }: Source): void {
  const { model } = draft;
  for (const owner of [...lineage(type, model.types), ...model.derived(type)]) {
    if (owner.kind !== 'entity') continue;
    for (const paths of owner.indexes ?? []) {
      addIndex(
        draft,
        paths.map((path) => columnAt(draft, owner, path)),
        false,
      );
    }
  }
}

/** Adds the schedules by which clocks run. An index holds the positions until which time remains, in the order of each schedule. */
function addClocks(draft: Draft, { type }: Source): ReadonlyMap<string, ClockColumn> {
  const clocks = clockColumns(draft.model, type, (owner, path) => columnAt(draft, owner, path));
  for (const [column, { kind, schedule }] of clocks) {
    addColumn(draft, { name: schedule, storage: INTEGER, notNull: false });
    if (kind === 'remaining') addIndex(draft, [schedule, column], false);
  }
  return clocks;
}

/** The column of a path of members of a type, which may derive from that of the source. */
export function columnAt(
  { model, renamed }: Pick<Draft, 'model'> & Pick<TableUse, 'renamed'>,
  owner: EntityType,
  path: string,
): string {
  const steps = path.split('/');
  const members = steps.map((_, index) =>
    memberAt(model, owner, steps.slice(0, index + 1).join('/')),
  );
  return members.map((member, index) => (member && renamed.get(member)) ?? steps[index]).join('/');
}

/** Members of two derived types can share a column, which has no type if theirs differ. */
function addColumn({ columns }: Draft, column: Column): void {
  const existing = columns.get(column.name);
  const { type, ...untyped } = existing ?? column;
  if (existing === undefined) columns.set(column.name, column);
  else if (JSON.stringify(type) !== JSON.stringify(column.type)) columns.set(column.name, untyped);
}

function addIndex(draft: Draft, columns: readonly string[], unique: boolean): void {
  const name = `${draft.table}|${columns.join(',')}`;
  const at = draft.indexes.findIndex((index) => index.name === name);
  if (at < 0) draft.indexes.push({ name, columns, unique });
  else if (unique) draft.indexes[at] = { name, columns, unique };
}

/** All navigations of a source's rows, those inside single complex values included. */
export function navigationsOf(model: Model, { type }: Source): readonly InnerNavigation[] {
  return membersWithDerived(model, type).flatMap((member) => navigationsOfMember(model, member));
}

/** Adds the foreign keys. This requires the names of all tables. */
function resolveReferences(relations: Relations, bySource: Map<string, TableUse>): void {
  for (const [id, use] of bySource) {
    const columns = new Map(use.columns);
    for (const { path, navigation } of navigationsOf(relations.model, use.source)) {
      if (!isReference(relations.model, navigation)) continue;
      const { target } = resolveNavigation(relations, { from: use.source, path, navigation });
      const own = columnName(use, [...path, navigation]);
      const column = columns.get(own);
      invariant(column !== undefined, `no column for ${own} of ${id}`);
      const references = bySource.get(target.id)?.table.name;
      if (references !== undefined) columns.set(own, { ...column, references });
    }
    bySource.set(id, { ...use, columns, table: { ...use.table, columns: [...columns.values()] } });
  }
}

function makeLinks(relations: Relations): readonly LinkTable[] {
  const links = new Map<string, LinkTable>();
  for (const { source } of relations.bySource.values()) {
    for (const { path, navigation } of navigationsOf(relations.model, source)) {
      const { relation, target } = resolveNavigation(relations, { from: source, path, navigation });
      if (relation.kind !== 'links') continue;
      for (const link of relation.links.filter((use) => use.near === 'source')) {
        links.set(link.table, linkTable(relations, link.table, source, target));
      }
    }
  }
  return [...links.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function linkTable(relations: Relations, name: string, from: Source, to: Source): LinkTable {
  const tableName = (source: Source) => relations.bySource.get(source.id)?.table.name;
  const source = tableName(from);
  const [only, ...others] = membersOf(to);
  invariant(source !== undefined && only !== undefined, `a link of ${name} has no end`);
  const target = others.length === 0 ? tableName(only) : undefined;
  return { name, source, target };
}
