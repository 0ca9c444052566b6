// Compiles the deletion of rows of every table: references that prevent it, references that are cleared, and rows that are deleted, too.
// The local `gone` holds the identity of the deleted row.
import { invariant } from '../../base/fault.ts';
import type { RowVariable } from '../../bind/bound.ts';
import { type Navigation, pathName } from '../../edm/model.ts';
import { urlsOfRows } from '../../plan/read/row-urls.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { makeScope } from '../expression/expression.ts';
import { column, type Fragment, list, local, name, sql, tableName } from '../fragment.ts';
import { addressText } from '../read/row-address.ts';
import {
  columnName,
  FILE_COLUMN,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
} from '../schema/layout.ts';
import { navigationsOf } from '../schema/model-layout.ts';
import { type LinkUse, membersOf, resolveNavigation } from '../schema/relation-storage.ts';
import { aliasOf, bindRows } from '../scope.ts';
import { logChangesOf } from './change-log.ts';
import { changedDependents } from './dependents.ts';
import { historyOfRows } from './history.ts';
import { removeItems } from './keep-items.ts';
import { linkEnds, logLostRelations } from './lost-relations.ts';
import { stamps, statement, type WriteScope } from './steps.ts';
import type { Deletion, Detachment } from './write-script.ts';

const DELETED = local('gone', 'integer');

/** A column that can hold the identity of the deleted row. */
interface Pointer {
  readonly use: TableUse;
  readonly column: string;
  readonly navigation: Navigation;
}

/** A link table whose far end can hold the identity of the deleted row, and the collection that is stored in it. */
interface RestrictingLink {
  readonly set: string;
  readonly navigation: string;
  readonly link: LinkUse;
}

/** The deletions of all tables, by table name. */
export function makeDeletions(layout: Layout, dialect: Dialect): ReadonlyMap<string, Deletion> {
  const pointers = allPointers(layout);
  const links = restrictingLinks(layout);
  return new Map(
    [...layout.bySource.values()].map((use) => [
      use.table.name,
      makeDeletion(layout, dialect, use, {
        pointers: pointers.get(use.source.id) ?? [],
        links: links.get(use.source.id) ?? [],
      }),
    ]),
  );
}

/** What can refer to the rows of a table. */
interface Referrers {
  readonly pointers: readonly Pointer[];
  /** The links that prevent a deletion. The others are deleted with the row. */
  readonly links: readonly RestrictingLink[];
}

function makeDeletion(
  layout: Layout,
  dialect: Dialect,
  use: TableUse,
  { pointers, links }: Referrers,
): Deletion {
  const scope: WriteScope = { layout, dialect };
  const compiled = (fragment: Fragment) => statement(fragment, scope);
  const pointersWith = (rule: 'restrict' | 'set-null' | 'cascade') =>
    pointers.filter(({ navigation }) => (navigation.onDelete ?? 'restrict') === rule);
  return {
    table: use.table.name,
    blockedBy: mayBeBlocked(layout, use) ? BLOCKED : undefined,
    restricted: [
      ...pointersWith('restrict').map((pointer) => ({
        set: pointer.use.source.id,
        navigation: pointer.column,
        count: compiled(countOthers(pointer)),
      })),
      ...links.map(({ set, navigation, link }) => ({
        set,
        navigation,
        count: compiled(countLinked(link)),
      })),
    ],
    detach: pointersWith('set-null').map((pointer) => detach(scope, pointer)),
    cascade: [
      ...containedUses(layout, use).map((child) => ({
        table: child.table.name,
        rows: compiled(rowsOf(child, PARENT_COLUMN)),
      })),
      ...pointersWith('cascade').map((pointer) => ({
        table: pointer.use.table.name,
        rows: compiled(rowsOf(pointer.use, pointer.column)),
      })),
    ],
    finally: [
      ...logLostRelations(layout, use, DELETED),
      ...unlink(layout, use),
      ...(use.table.items ?? []).map((index) => removeItems(use, index, DELETED)),
      ...releaseFiles(use),
      logDeletion(layout, dialect, use),
      remove(use),
    ].map(compiled),
  };
}

/** The property that deactivates a record, in models and in the engine's own accounts. */
const BLOCKED = 'Blocked';

/** Whether clients can deactivate rows of the table. */
function mayBeBlocked({ model }: Layout, { source }: TableUse): boolean {
  const member = model.stored(source.type).get(BLOCKED);
  if (member?.kind !== 'property' || member.type !== 'Edm.Boolean' || member.collection)
    return false;
  return member.computed !== true && member.immutable !== true;
}

/** Counts the other rows that refer to the deleted one. */
function countOthers({ use: { table }, column }: Pointer): Fragment {
  return sql`SELECT count(*) FROM ${tableName(table.name)} WHERE ${name(column)} = ${DELETED} AND ${name(table.identity)} <> ${DELETED}`;
}

/** Counts the other rows whose collections contain the deleted one. */
function countLinked({ table, near, far }: LinkUse): Fragment {
  return sql`SELECT count(*) FROM ${tableName(table)} WHERE ${name(far)} = ${DELETED} AND ${name(near)} <> ${DELETED}`;
}

function rowsOf(use: TableUse, column: string): Fragment {
  return sql`SELECT ${name(use.table.identity)} FROM ${tableName(use.table.name)} WHERE ${name(column)} = ${DELETED}`;
}

function remove(use: TableUse): Fragment {
  return sql`DELETE FROM ${tableName(use.table.name)} WHERE ${name(use.table.identity)} = ${DELETED}`;
}

/** Clears the references; the referring rows get a new version, log and history entries like those of any other update. */
function detach(scope: WriteScope, { use, column: path, navigation }: Pointer): Detachment {
  const { source, table } = use;
  const column = use.columns.get(path);
  invariant(column !== undefined, `no column ${path} in ${table.name}`);
  const rows = sql`${name(path)} = ${DELETED}`;
  const referring = tableName(table.name);
  const history = historyOfRows(scope, use, { column, path }, rows);
  const logEntries = logChangesOf(
    { kind: 'update', source, identity: name(table.identity) },
    sql`${referring} WHERE ${rows}`,
  );
  const dependents = changedDependents(use, navigation, undefined, scope).map(
    (dependent) => sql`${name(dependent.column.name)} = NULL`,
  );
  const assignments = list([sql`${name(path)} = NULL`, ...dependents, ...stamps(use, scope)]);
  const steps = [logEntries, ...history, sql`UPDATE ${referring} SET ${assignments} WHERE ${rows}`];
  return {
    count: statement(sql`SELECT count(*) FROM ${referring} WHERE ${rows}`, scope),
    statements: steps.map((step) => statement(step, scope)),
  };
}

/** The change log entry of the deletion. It keeps the address of the row, by which delta clients know it. */
function logDeletion(layout: Layout, dialect: Dialect, use: TableUse): Fragment {
  const { source, table } = use;
  const row: RowVariable = { kind: 'entity', id: 0, source, type: source.type };
  const [self] = urlsOfRows(layout.model, { row, origin: { kind: 'source' }, where: [] }, []);
  const scope = bindRows(makeScope(layout, dialect), row);
  const alias = aliasOf(scope, row);
  return logChangesOf(
    {
      kind: 'delete',
      source,
      identity: DELETED,
      address: self && addressText(scope, self.parts),
    },
    sql`${tableName(table.name)} ${alias} WHERE ${column(alias, table.identity)} = ${DELETED}`,
  );
}

function unlink(layout: Layout, use: TableUse): readonly Fragment[] {
  return layout.links.flatMap((link) =>
    linkEnds(link, use).map(
      (end) => sql`DELETE FROM ${tableName(link.name)} WHERE ${name(end)} = ${DELETED}`,
    ),
  );
}

/** Marks files as released. They are deleted later, when no reader can need them any more. */
function releaseFiles(use: TableUse): readonly Fragment[] {
  const columns = [...use.columns.keys()].filter(
    (column) => column === FILE_COLUMN || column.endsWith('#file'),
  );
  return columns.map(
    (column) =>
      sql`UPDATE ${tableName('docket_file')} SET "state" = 'released' WHERE "id" = (SELECT ${name(column)} FROM ${tableName(use.table.name)} WHERE ${name(use.table.identity)} = ${DELETED})`,
  );
}

/** The tables of the entities that rows of this table contain. */
export function containedUses(layout: Layout, use: TableUse): readonly TableUse[] {
  const found = new Map<string, TableUse>();
  for (const { path, navigation } of navigationsOf(layout.model, use.source)) {
    if (path.length > 0 || !navigation.contained || navigation.inverse === true) continue;
    const { target } = resolveNavigation(layout, { from: use.source, path, navigation });
    const child = layout.bySource.get(target.id);
    if (child !== undefined) found.set(target.id, child);
  }
  return [...found.values()];
}

/** Ids of the sources whose deletions can delete rows of the targets, including the targets themselves. */
export function cascadingSources(layout: Layout, targets: readonly string[]): ReadonlySet<string> {
  const pointers = allPointers(layout);
  const cascades = ({ source }: TableUse) =>
    (pointers.get(source.id) ?? []).filter(({ navigation }) => navigation.onDelete === 'cascade');
  const found = new Set(targets);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const use of layout.bySource.values()) {
      const children = [...containedUses(layout, use), ...cascades(use).map((one) => one.use)];
      if (children.some(({ source }) => found.has(source.id))) found.add(use.source.id);
    }
  }
  return found;
}

/** The columns that can refer to the rows of each source, by source id. */
function allPointers(layout: Layout): ReadonlyMap<string, readonly Pointer[]> {
  const pointers = new Map<string, Pointer[]>();
  for (const use of layout.bySource.values()) {
    for (const { path, navigation } of navigationsOf(layout.model, use.source)) {
      const { source: from } = use;
      const { relation, target } = resolveNavigation(layout, { from, path, navigation });
      if (relation.kind !== 'reference') continue;
      const pointer = { use, column: columnName(use, [...path, navigation]), navigation };
      for (const { id } of membersOf(target))
        pointers.set(id, [...(pointers.get(id) ?? []), pointer]);
    }
  }
  return pointers;
}

/** The collections that prevent the deletion of the rows of each source, by source id. */
function restrictingLinks(layout: Layout): ReadonlyMap<string, readonly RestrictingLink[]> {
  const found = new Map<string, RestrictingLink[]>();
  for (const { source: from } of layout.bySource.values()) {
    for (const { path, navigation } of navigationsOf(layout.model, from)) {
      if (navigation.onDelete !== 'restrict') continue;
      const { relation, target } = resolveNavigation(layout, { from, path, navigation });
      if (relation.kind !== 'links') continue;
      const set = from.id;
      const column = pathName([...path, navigation]);
      const links = relation.links.map((link) => ({ set, navigation: column, link }));
      for (const { id } of membersOf(target)) found.set(id, [...(found.get(id) ?? []), ...links]);
    }
  }
  return found;
}
