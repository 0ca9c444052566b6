// This file applies the model to the sets Entities and Attributes, which describe it to clients. Records of what is still there keep their
// keys, also after a rename, because templates and transitions refer to them.
import { createHash } from 'node:crypto';
import {
  ATTRIBUTE_SET,
  type DescribedAttribute,
  type DescribedEntity,
  describeEntities,
  ENTITY_SET,
  hasCatalog,
} from '../../edm/catalog.ts';
import { type Model, simpleName } from '../../edm/model.ts';
import { setSource } from '../../edm/source.ts';
import { ARGUMENT, list, name, sql, tableName } from '../../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../../sql/schema/ddl.ts';
import { type Layout, tableOf, VERSION_COLUMN } from '../../sql/schema/layout.ts';
import type { Rename } from '../../sql/schema/renames.ts';
import { readStoredCodes } from '../codes/stored-codes.ts';
import type { Cell, Work } from '../database.ts';
import { settingOf, storeSetting } from '../installation-settings.ts';
import { recordInsert } from '../load/bulk-load.ts';
import { allocate, change, query } from '../work.ts';
import { removeRow } from './remove-row.ts';

/** The setting with a checksum of the catalog that has been applied last. */
const CATALOG_SETTING = 'catalog';

/** Whether the catalog differs from the one that was applied last. */
export function* hasNewCatalog({ model }: Layout): Work<boolean> {
  if (!hasCatalog(model)) return false;
  return (yield* settingOf(CATALOG_SETTING)) !== checksumOf(model);
}

function checksumOf(model: Model): string {
  const entities = describeEntities(model).map(({ values, attributes }) => [
    values,
    attributes.map((attribute) => [attribute.values, attribute.property.codeList]),
  ]);
  return createHash('sha256').update(JSON.stringify(entities)).digest('hex');
}

/**
 * Adds, updates and removes the records. The code lists of the model must have been applied before.
 * @param renames the renames of types and members since the model in force
 */
export function* applyModelCatalog(layout: Layout, renames: readonly Rename[] = []): Work<void> {
  const { model } = layout;
  if (!hasCatalog(model)) return;
  const entities = describeEntities(model);
  const keys = yield* applyEntities(layout, entities, renames);
  yield* applyAttributes(layout, entities, { keys, renames });
  yield* storeSetting(CATALOG_SETTING, checksumOf(model));
}

/** Returns the identities of the records by name. */
function* applyEntities(
  layout: Layout,
  entities: readonly DescribedEntity[],
  renames: readonly Rename[],
): Work<ReadonlyMap<string, bigint>> {
  const stored = yield* readRecords(layout, ENTITY_SET, entities[0]?.values ?? {});
  const known = matched(entities, stored, [
    ({ values }, { Name }) => values.Name === Name,
    ({ type }, { Name }) =>
      renames.some(
        ({ kind, from, to }) => kind === 'type' && to === type.name && simpleName(from) === Name,
      ),
    ({ values }, { EntitySet }) => values.EntitySet === EntitySet,
  ]);
  yield* removeOthers(layout, ENTITY_SET, stored, known);
  const keys = new Map<string, bigint>();
  for (const entity of entities) {
    const { values } = entity;
    keys.set(values.Name, yield* storeRecord(layout, ENTITY_SET, values, known.get(entity)));
  }
  return keys;
}

function* applyAttributes(
  layout: Layout,
  entities: readonly DescribedEntity[],
  { keys, renames }: { keys: ReadonlyMap<string, bigint>; renames: readonly Rename[] },
): Work<void> {
  const lists = (yield* readStoredCodes(layout))?.lists;
  const attributes = entities.flatMap((entity) =>
    entity.attributes.map((attribute) => {
      const CodeList = lists?.get(attribute.property.codeList ?? '')?.identity ?? null;
      const Entity = keys.get(entity.values.Name) ?? null;
      return { entity, attribute, values: { ...attribute.values, CodeList, Entity } };
    }),
  );
  const stored = yield* readRecords(layout, ATTRIBUTE_SET, attributes[0]?.values ?? {});
  const known = matched(attributes, stored, [
    ({ values }, { Name, Entity }) => values.Name === Name && values.Entity === Entity,
    ({ entity, attribute, values }, { Name, Entity }) =>
      values.Entity === Entity && isRenamed(entity, attribute, { former: Name, renames }),
  ]);
  yield* removeOthers(layout, ATTRIBUTE_SET, stored, known);
  for (const attribute of attributes)
    yield* storeRecord(layout, ATTRIBUTE_SET, attribute.values, known.get(attribute));
}

function isRenamed(
  { type }: DescribedEntity,
  { values }: DescribedAttribute,
  { former, renames }: { readonly former: Cell | undefined; readonly renames: readonly Rename[] },
): boolean {
  return renames.some(
    (rename) =>
      rename.kind === 'member' &&
      rename.to === values.Name &&
      rename.from === former &&
      rename.types.includes(type.name),
  );
}

interface StoredRecord {
  readonly identity: bigint;
  readonly values: Readonly<Record<string, Cell>>;
}

/** The records with the columns of `like`. */
function* readRecords(layout: Layout, set: string, like: object): Work<readonly StoredRecord[]> {
  const { table } = tableOf(layout, setSource(layout.model, set));
  const columns = Object.keys(like);
  const { rows } = yield query(
    sql`SELECT ${list([table.identity, ...columns].map(name))} FROM ${tableName(table.name)} ORDER BY 1`,
  );
  return rows.map(([identity, ...cells]) => ({
    identity: BigInt(String(identity)),
    values: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? null])),
  }));
}

type Rule<Item> = (item: Item, stored: StoredRecord['values']) => boolean;

/** Finds the stored record of each item by the first rule that applies. */
function matched<Item>(
  items: readonly Item[],
  stored: readonly StoredRecord[],
  rules: readonly Rule<Item>[],
): ReadonlyMap<Item, StoredRecord> {
  const found = new Map<Item, StoredRecord>();
  const free = new Set(stored);
  for (const rule of rules)
    for (const item of items) {
      if (found.has(item)) continue;
      const record = [...free].find(({ values }) => rule(item, values));
      if (record === undefined) continue;
      found.set(item, record);
      free.delete(record);
    }
  return found;
}

function* removeOthers(
  layout: Layout,
  set: string,
  stored: readonly StoredRecord[],
  known: ReadonlyMap<unknown, StoredRecord>,
): Work<void> {
  const kept = new Set(known.values());
  const use = tableOf(layout, setSource(layout.model, set));
  for (const record of stored)
    if (!kept.has(record)) yield* removeRow(layout, use, record.identity);
}

/** Returns the identity of the record. */
function* storeRecord(
  layout: Layout,
  set: string,
  values: Readonly<Record<string, Cell | number>>,
  stored: StoredRecord | undefined,
): Work<bigint> {
  const { table } = tableOf(layout, setSource(layout.model, set));
  if (stored === undefined) {
    const identity = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
    yield recordInsert(layout, { set, uid: identity, values });
    return identity;
  }
  const { identity } = stored;
  const changed = Object.entries(values).filter(
    ([column, cell]) => comparable(cell) !== comparable(stored.values[column]),
  );
  if (changed.length === 0) return identity;
  const version = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
  const cells = list([...changed.map(([column]) => sql`${name(column)} = ${ARGUMENT}`), version]);
  yield change(
    sql`UPDATE ${tableName(table.name)} SET ${cells} WHERE ${name(table.identity)} = ${ARGUMENT}`,
    [...changed.map(([, cell]) => cell), identity],
  );
  return identity;
}

/** Databases return booleans and integers in different types. */
function comparable(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'boolean' ? String(Number(cell)) : String(cell);
}
