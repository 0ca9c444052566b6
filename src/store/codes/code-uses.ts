// This file finds the records that have a code: in columns and JSON documents of all tables whose properties refer to its list, and
// what the model itself refers to by value.
import { isStructured, type Model, type Property, type StructuredType } from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { column, name, some, sql, tableName, value } from '../../sql/fragment.ts';
import { columnName, type Layout, type TableUse } from '../../sql/schema/layout.ts';
import type { Work } from '../database.ts';
import { firstRow } from '../work.ts';

/** A column that can hold codes of a list. */
interface CodeColumn {
  readonly use: TableUse;
  readonly column: string;
  /** If the column holds a JSON document, the names in quotes that values of codes have in it. */
  readonly inside: readonly string[] | undefined;
  /** Undefined if the lists in a document are not known. */
  readonly list: string | undefined;
}

/** `12 ServiceRequests (Status)` for each property in which records have the code. Deleted records do not count. */
export function* usesOfCode(
  layout: Layout,
  code: bigint,
  list: string | undefined,
): Work<readonly string[]> {
  const uses: string[] = [];
  for (const place of codeColumns(layout)) {
    if (list !== undefined && place.list !== undefined && place.list !== list) continue;
    const count = yield* countIn(place, code);
    if (count > 0) uses.push(`${count} ${place.use.table.name} (${place.column})`);
  }
  return uses;
}

function* countIn({ use, column: own, inside }: CodeColumn, code: bigint): Work<number> {
  const content = column(name('t'), own);
  const from = sql`SELECT count(*) FROM ${tableName(use.table.name)} t WHERE`;
  const row = yield* firstRow(
    inside !== undefined
      ? sql`${from} ${some(inside.flatMap((member) => [`${member}:${code}}`, `${member}:${code},`]).map((part) => sql`${content} LIKE ${value(`%${part}%`)}`))}`
      : sql`${from} ${content} = ${value(code)}`,
  );
  return Number(row?.[0] ?? 0);
}

function codeColumns({ model, bySource }: Layout): readonly CodeColumn[] {
  const known = new Set<string>();
  return [...bySource.values()].flatMap((use) => {
    const { type } = use.source;
    return [type, ...model.derived(type)]
      .flatMap((one) => columnsOf(model, use, one, []))
      .filter(({ column: own }) => {
        const key = `${use.table.name}\n${own}`;
        return use.columns.has(own) && !known.has(key) && known.add(key);
      });
  });
}

function columnsOf(
  model: Model,
  use: TableUse,
  type: StructuredType,
  path: readonly Property[],
): readonly CodeColumn[] {
  return [...model.members(type).values()].flatMap((member): readonly CodeColumn[] => {
    if (member.kind !== 'property') return [];
    const whole = [...path, member];
    const own = columnName(use, whole);
    const inner = model.types.get(member.type);
    if (inner?.kind !== 'complex') return [];
    if (isDocument(model, member)) {
      const inside = [...codeNames(model, inner, new Set())];
      return inside.length === 0 ? [] : [{ use, column: own, inside, list: member.codeList }];
    }
    return inner.coded === undefined
      ? columnsOf(model, use, inner, whole)
      : [{ use, column: own, inside: undefined, list: member.codeList }];
  });
}

/** The names of the values of all codes that a value of the type can contain: `"Value"`. */
function codeNames(
  model: Model,
  type: StructuredType,
  seen: Set<StructuredType>,
): ReadonlySet<string> {
  if (type.kind === 'complex' && type.coded !== undefined)
    return new Set([JSON.stringify(type.coded.value)]);
  if (seen.has(type)) return new Set();
  seen.add(type);
  const members = [type, ...model.derived(type)].flatMap((one) => [...model.members(one).values()]);
  return new Set(
    members.flatMap((member) => {
      const inner = member.kind === 'property' ? model.types.get(member.type) : undefined;
      return inner?.kind === 'complex' ? [...codeNames(model, inner, seen)] : [];
    }),
  );
}

/** The properties whose default is the code, such as `ServiceRequest/Status`, and those that the service sets to it. */
export function modelUsesOf(model: Model, code: bigint): readonly string[] {
  return [...model.types.values()].filter(isStructured).flatMap((type) =>
    type.members.flatMap((member) => {
      if (member.kind !== 'property' || member.codeList === undefined) return [];
      const isOwn =
        isValue(model, member, code) || member.changeCode?.toString() === code.toString();
      return isOwn ? [`${type.name.slice(type.name.lastIndexOf('.') + 1)}/${member.name}`] : [];
    }),
  );
}

/** Whether the default of a property is the code, by its value or by a text of the model. */
function isValue(model: Model, { defaultValue, type, codeList }: Property, code: bigint): boolean {
  const coded = model.types.get(type);
  if (!isJsonObject(defaultValue as JsonInput) || coded?.kind !== 'complex') return false;
  const members = defaultValue as Readonly<Record<string, JsonInput>>;
  const own = members[coded.coded?.value ?? 'Value'];
  if (own !== undefined && own !== null) return String(own) === code.toString();
  const written = String(members[coded.coded?.text ?? 'Text']).toLowerCase();
  const declared = model.codeLists
    .get(codeList ?? '')
    ?.codes.find(({ value: one }) => one === code);
  return Object.values(declared?.texts ?? {}).some((text) => text.toLowerCase() === written);
}
