// This file says, for every table, how one of its rows is deleted: who must not point to it, who lets go of it, what goes with it.
// The identity of the row that goes is the local `gone`.
import { invariant } from '../../base/fault.ts';
import type { RowVariable } from '../../bind/bound.ts';
import type { Navigation } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { selfOfRows } from '../../plan/read/row-address.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { makeScope } from '../expression/expression.ts';
import { column, type Fragment, list, name, parameter, sql } from '../fragment.ts';
import { addressText } from '../read/row-address.ts';
import {
  columnName,
  FILE_COLUMN,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
} from '../schema/layout.ts';
import { leaving } from '../schema/model-layout.ts';
import { arrivalOf, membersOf } from '../schema/relation-storage.ts';
import { aliasOf, binding } from '../scope.ts';
import { noteRows } from './change-log.ts';
import { historyOfRows } from './history.ts';
import { noteConnections } from './previous-relations.ts';
import { stamps, statement, type WriteScope } from './steps.ts';
import type { Deletion, Detachment } from './write-script.ts';

const GONE = parameter({ kind: 'local', name: 'gone' });

/** A column of some table that can hold the identity of the row that goes. */
interface Pointer {
  readonly use: TableUse;
  readonly column: string;
  readonly navigation: Navigation;
}

/** Deletions of all tables, by table name. */
export function makeDeletions(layout: Layout, dialect: Dialect): ReadonlyMap<string, Deletion> {
  const pointers = allPointers(layout);
  return new Map(
    [...layout.bySource.values()].map((use) => [
      use.table.name,
      makeDeletion(layout, dialect, use, pointers.get(use.source.id) ?? []),
    ]),
  );
}

function makeDeletion(
  layout: Layout,
  dialect: Dialect,
  use: TableUse,
  pointers: readonly Pointer[],
): Deletion {
  const scope: WriteScope = { layout, dialect };
  const compiled = (fragment: Fragment) => statement(fragment, scope);
  const ruled = (rule: 'restrict' | 'set-null' | 'cascade') =>
    pointers.filter(({ navigation }) => (navigation.onDelete ?? 'restrict') === rule);
  return {
    table: use.table.name,
    ...(mayBeBlocked(layout, use) ? { blockedBy: BLOCKED } : {}),
    restricted: ruled('restrict').map((pointer) => ({
      set: pointer.use.source.id,
      navigation: pointer.column,
      count: compiled(othersAt(pointer)),
    })),
    detach: ruled('set-null').map((pointer) => detach(scope, pointer)),
    also: [
      ...containedUses(layout, use).map((child) => ({
        table: child.table.name,
        rows: compiled(rowsOf(child, PARENT_COLUMN)),
      })),
      ...ruled('cascade').map((pointer) => ({
        table: pointer.use.table.name,
        rows: compiled(rowsOf(pointer.use, pointer.column)),
      })),
    ],
    finally: [
      ...noteConnections(layout, use, GONE),
      ...unlink(layout, use),
      ...releaseFiles(use),
      noteDeletion(layout, dialect, use),
      remove(use),
    ].map(compiled),
  };
}

/** The property by which models, and the engine's own accounts, take a record out of use. */
const BLOCKED = 'Blocked';

function mayBeBlocked({ model }: Layout, { source }: TableUse): boolean {
  const member = model.members(source.type).get(BLOCKED);
  if (member?.kind !== 'property' || member.type !== 'Edm.Boolean' || member.collection)
    return false;
  return member.computed !== true && member.immutable !== true;
}

/** How many rows other than the one that goes lead to it. */
function othersAt({ use: { table }, column }: Pointer): Fragment {
  return sql`SELECT count(*) FROM ${name(table.name)} WHERE ${name(column)} = ${GONE} AND ${name(table.identity)} <> ${GONE}`;
}

function rowsOf(use: TableUse, column: string): Fragment {
  return sql`SELECT ${name(use.table.identity)} FROM ${name(use.table.name)} WHERE ${name(column)} = ${GONE}`;
}

function remove(use: TableUse): Fragment {
  return sql`DELETE FROM ${name(use.table.name)} WHERE ${name(use.table.identity)} = ${GONE}`;
}

/** Those that let go change as by any other change. */
function detach(scope: WriteScope, { use, column: named }: Pointer): Detachment {
  const { source, table } = use;
  const column = use.columns.get(named);
  invariant(column !== undefined, `no column ${named} in ${table.name}`);
  const rows = sql`${name(named)} = ${GONE}`;
  const from = name(table.name);
  const history = historyOfRows(scope, use, { column, path: named }, rows);
  const note = noteRows(
    { deed: 'update', source, identity: name(table.identity) },
    sql`${from} WHERE ${rows}`,
  );
  const empty = list([sql`${name(named)} = NULL`, ...stamps(use, scope)]);
  const steps = [note, ...history, sql`UPDATE ${from} SET ${empty} WHERE ${rows}`];
  return {
    count: statement(sql`SELECT count(*) FROM ${from} WHERE ${rows}`, scope),
    statements: steps.map((step) => statement(step, scope)),
  };
}

/** What is gone has no address any more, but its readers know it by that: the note keeps it. */
function noteDeletion(layout: Layout, dialect: Dialect, use: TableUse): Fragment {
  const { source, table } = use;
  const row: RowVariable = { kind: 'entity', id: 0, source, type: source.type };
  const [self] = selfOfRows(layout.model, { row, origin: { kind: 'source' }, where: [] }, []);
  const scope = binding(makeScope(layout, dialect), row);
  const alias = aliasOf(scope, row);
  return noteRows(
    {
      deed: 'delete',
      source,
      identity: GONE,
      ...(self === undefined ? {} : { address: addressText(scope, self.parts) }),
    },
    sql`${name(table.name)} ${alias} WHERE ${column(alias, table.identity)} = ${GONE}`,
  );
}

function unlink(layout: Layout, use: TableUse): readonly Fragment[] {
  return layout.links.flatMap((link) => {
    const ends: ('source' | 'target')[] = [];
    if (link.source === use.table.name) ends.push('source');
    if (link.target === use.table.name || link.target === undefined) ends.push('target');
    return ends.map((end) => sql`DELETE FROM ${name(link.name)} WHERE ${name(end)} = ${GONE}`);
  });
}

/** Files are not deleted in the transaction: they are marked, and swept when nobody can need them any more. */
function releaseFiles(use: TableUse): readonly Fragment[] {
  const columns = [...use.columns.keys()].filter(
    (column) => column === FILE_COLUMN || column.endsWith('#file'),
  );
  return columns.map(
    (column) =>
      sql`UPDATE "docket_file" SET "state" = 'released' WHERE "id" = (SELECT ${name(column)} FROM ${name(use.table.name)} WHERE ${name(use.table.identity)} = ${GONE})`,
  );
}

/** Tables of what rows of this one contain. */
function containedUses(layout: Layout, use: TableUse): readonly TableUse[] {
  const { model } = layout;
  const types = new Set(
    [use.source.type, ...model.derived(use.source.type)].flatMap((type) => [
      ...model.members(type).values(),
    ]),
  );
  const found = new Map<string, TableUse>();
  for (const member of types) {
    if (member.kind !== 'navigation' || !member.contained || member.inverse === true) continue;
    const { target } = arrivalOf(layout, { from: use.source, path: [], navigation: member });
    const child = layout.bySource.get(target.id);
    if (child !== undefined) found.set(target.id, child);
  }
  return [...found.values()];
}

/** Ids of the sources whose rows, when they are deleted, can take rows of one of the targets along; the targets are among them. */
export function takingAlong(layout: Layout, targets: readonly string[]): ReadonlySet<string> {
  const pointers = allPointers(layout);
  const goesWith = ({ source }: TableUse) =>
    (pointers.get(source.id) ?? []).filter(({ navigation }) => navigation.onDelete === 'cascade');
  const found = new Set(targets);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const use of layout.bySource.values()) {
      const children = [...containedUses(layout, use), ...goesWith(use).map((one) => one.use)];
      if (children.some(({ source }) => found.has(source.id))) found.add(use.source.id);
    }
  }
  return found;
}

/** By source id: the columns of all tables that can point to its rows. */
function allPointers(layout: Layout): ReadonlyMap<string, readonly Pointer[]> {
  const pointers = new Map<string, Pointer[]>();
  for (const use of layout.bySource.values()) {
    for (const { path, navigation } of leaving(layout.model, use.source)) {
      const { relation, target } = arrivalOf(layout, { from: use.source, path, navigation });
      if (relation.kind !== 'reference') continue;
      const pointer = { use, column: columnName(use, [...path, navigation]), navigation };
      for (const member of membersOf(target)) addPointer(pointers, member, pointer);
    }
  }
  return pointers;
}

function addPointer(pointers: Map<string, Pointer[]>, target: Source, pointer: Pointer): void {
  pointers.set(target.id, [...(pointers.get(target.id) ?? []), pointer]);
}
