// This file finds elements of a model whose tables or columns have names that a database reserves or cannot distinguish: SQLite ignores the
// case of ASCII letters, and PostgreSQL uses the first 63 bytes. A model has to fit both, because installations can move from one to the
// other. PostgreSQL, "Identifiers and Key Words", "System Columns"; SQLite, "CREATE TABLE".
import { systemTable } from '../../edm/administration-sets.ts';
import { areRelated, isStructured, type Model } from '../../edm/model.ts';
import { elementPath, type Mistake, mistake } from '../../edm/model-error.ts';
import type { Source } from '../../edm/source.ts';
import type { Layout, LinkTable, TableUse } from './layout.ts';

/** The name of a table or column, and the path of the element of the model that it belongs to. */
interface StoredName {
  readonly name: string;
  readonly path: string;
}

const RESERVED_TABLE = /^(?:docket_|sqlite_|pg_)/i;
const RESERVED_COLUMN = /^(?:tableoid|xmin|cmin|xmax|cmax|ctid)$/;

/** A mistake for each element whose name is reserved, or that some database cannot distinguish from an earlier one. */
export function nameMistakes({ model, bySource, links }: Layout): readonly Mistake[] {
  const uses = [...bySource.values()];
  const tables = [
    ...uses.flatMap((use) => tableNames(model, use)),
    ...links.map((link) => linkName(model, uses, link)),
  ];
  const columns = uses.map((use) => columnNames(model, use));
  const own = uses.filter(({ source, table }) => systemTable(source.type.name) !== table.name);
  return [
    ...reserved(
      own.map(({ source, table: { name } }) => ({ name, path: pathOf(model, source) })),
      RESERVED_TABLE,
    ),
    ...columns.flatMap((names) => reserved(names, RESERVED_COLUMN)),
    ...[tables, ...columns].flatMap(indistinct),
  ];
}

function reserved(names: readonly StoredName[], pattern: RegExp): readonly Mistake[] {
  return names
    .filter(({ name }) => pattern.test(name))
    .map(({ name, path }) =>
      mistake(path, `The name ${name} is reserved by the databases.`, 'Rename it.'),
    );
}

function indistinct(names: readonly StoredName[]): readonly Mistake[] {
  return [
    ...alike(names, foldCase, 'differ only in case, which SQLite does not distinguish'),
    ...alike(names, cut, 'have the same first 63 bytes, and PostgreSQL ignores the rest'),
  ];
}

function alike(
  names: readonly StoredName[],
  stored: (name: string) => string,
  reason: string,
): readonly Mistake[] {
  const known = new Map<string, string>();
  return names.flatMap(({ name, path }) => {
    const earlier = known.get(stored(name));
    if (earlier === undefined) known.set(stored(name), name);
    if (earlier === undefined || earlier === name) return [];
    return [mistake(path, `${earlier} and ${name} ${reason}.`, 'Rename one of them.')];
  });
}

function foldCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const MAX_BYTES = 63;

function cut(name: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(name).subarray(0, MAX_BYTES));
}

/** A table, and those of its indexes that are tables. */
function tableNames(model: Model, { source, table }: TableUse): readonly StoredName[] {
  const indexes = table.text === undefined ? [] : [table.text.words, table.text.grams];
  const items = (table.items ?? []).map(({ name }) => name);
  return [table.name, ...indexes, ...items].map((name) => ({ name, path: pathOf(model, source) }));
}

function pathOf(model: Model, { id, owner, navigation }: Source): string {
  return owner === undefined || navigation === undefined
    ? elementPath(model.definition.container, id)
    : elementPath(owner.name, navigation.name);
}

function linkName(model: Model, uses: readonly TableUse[], link: LinkTable): StoredName {
  const { name, source } = link;
  const from = uses.find(({ table }) => table.name === source);
  const path = name.slice(source.length + 1);
  return { name, path: from === undefined ? '$' : memberOf(model, from.source, path) };
}

function columnNames(model: Model, { source, table }: TableUse): readonly StoredName[] {
  return table.columns.map(({ name }) => ({ name, path: memberOf(model, source, name) }));
}

/** The path of the member that a column or link starts with, in the type that declares it. */
function memberOf(model: Model, { type }: Source, name: string): string {
  const [first = name] = name.split('/');
  const declaring = model.definition.types.find(
    (one) =>
      isStructured(one) &&
      areRelated(model, one, type) &&
      one.members.some((member) => member.name === first),
  );
  return declaring === undefined ? elementPath(type.name) : elementPath(declaring.name, first);
}
