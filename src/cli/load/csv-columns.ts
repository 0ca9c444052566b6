// This file turns rows of CSV into records: the header names properties by their paths, and the model decides what a cell means. An empty
// cell is no value. Values are validated when the record is stored, as those of JSON are.
import { didYouMean } from '../../base/nearest-name.ts';
import type { EntityType, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { entityType, isStructured } from '../../edm/model.ts';
import { setSource, targetSource } from '../../edm/source.ts';
import type { Cell } from '../../edm/tables/csv.ts';
import { type JsonInput, NumberText } from '../../edm/value/lossless-json.ts';

/** A column: where its values are in the record, and how they are written in JSON. */
export type Column =
  | {
      readonly kind: 'value';
      readonly path: readonly string[];
      readonly read: (text: string) => JsonInput;
    }
  /** A part of the key of a related entity. */
  | {
      readonly kind: 'key';
      readonly navigation: string;
      readonly target: string;
      readonly part: string;
      readonly isText: boolean;
    };

/** Why a column cannot be loaded. */
export interface ColumnMistake {
  readonly name: string;
  readonly reason: string;
}

type Described = Column | { readonly reason: string };

/** The columns of a header, and its mistakes. */
export function describeColumns(
  model: Model,
  set: string,
  header: readonly Cell[],
): { readonly columns: readonly Column[]; readonly mistakes: readonly ColumnMistake[] } {
  const names = header.map(({ text }) => text.trim());
  const mistakes: ColumnMistake[] = [];
  const columns = names.flatMap((name, index) => {
    const found: Described =
      names.indexOf(name) < index
        ? { reason: 'There are several columns of this name.' }
        : describeColumn(model, set, name);
    if (!('reason' in found)) return [found];
    mistakes.push({ name, reason: found.reason });
    return [];
  });
  return { columns, mistakes: [...mistakes, ...incompleteKeys(model, set, columns)] };
}

/** The record of a row. */
export function recordOf(
  columns: readonly Column[],
  row: readonly Cell[],
): Record<string, JsonInput> {
  const record: Record<string, JsonInput> = {};
  const keys = new Map<string, string[]>();
  columns.forEach((column, index) => {
    const text = row[index]?.text ?? '';
    if (text === '') return;
    if (column.kind === 'value') place(record, column.path, column.read(text));
    else {
      const { navigation, part, isText } = column;
      const literal = isText ? `'${text.replaceAll("'", "''")}'` : text;
      const parts = keys.get(navigation) ?? [];
      keys.set(navigation, [...parts, `${part}=${encodeURIComponent(literal)}`]);
      record[`${navigation}@odata.bind`] =
        `${column.target}(${(keys.get(navigation) ?? []).join(',')})`;
    }
  });
  return record;
}

function place(record: Record<string, JsonInput>, path: readonly string[], value: JsonInput): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    record[name] = value;
    return;
  }
  const inner = record[name];
  const nested = (inner ?? {}) as Record<string, JsonInput>;
  record[name] = nested;
  place(nested, rest, value);
}

const TYPE_ANNOTATION = /^@(?:odata\.)?type$/;
const BIND = /@(?:odata\.)?bind$/;

function describeColumn(model: Model, set: string, name: string): Described {
  const source = setSource(model, set);
  if (TYPE_ANNOTATION.test(name)) return { kind: 'value', path: ['@odata.type'], read: asText };
  if (/[;\t]/.test(name)) return { reason: 'Separate the columns by commas.' };
  const path = name.replace(BIND, '').split('/');
  const isBind = BIND.test(name);
  let owner: StructuredType = source.type;
  for (const [index, segment] of path.entries()) {
    const members = membersOf(model, owner);
    const member = members.get(segment);
    const rest = path.slice(index + 1);
    if (member === undefined)
      return {
        reason: `${owner.name} has no property "${segment}".${didYouMean(segment, members.keys())}`,
      };
    if (member.kind === 'navigation') {
      if (isBind && rest.length === 0) return bindColumn(path, member);
      const prefix = path.slice(0, index + 1);
      return keyColumn(model, set, { owner, member, path: prefix, rest });
    }
    const type = model.types.get(member.type);
    const isComplex = type !== undefined && isStructured(type);
    if (isBind) return { reason: `${segment} is not a navigation property.` };
    if (member.collection) return { reason: `${segment} is a collection. ${OTHER_FORMATS}` };
    if (!isComplex) return valueColumn(model, path, rest, member);
    if (rest.length === 0)
      return {
        reason: `It is a complex property. ${suggest(name, membersOf(model, type).keys())}`,
      };
    owner = type;
  }
  return { reason: 'The name is empty.' };
}

const OTHER_FORMATS = 'CSV has no nested values: load such records as JSON or NDJSON.';

function suggest(name: string, members: Iterable<string>): string {
  const paths = [...members].slice(0, 3).map((member) => `${name}/${member}`);
  return `Use columns such as ${paths.join(' or ')}.`;
}

/** The members of a type and of the types derived from it. */
function membersOf(model: Model, type: StructuredType): ReadonlyMap<string, Property | Navigation> {
  return new Map(
    [type, ...model.derived(type)].reverse().flatMap((one) => [...model.members(one)]),
  );
}

function bindColumn(
  path: readonly string[],
  { name, collection, contained }: Navigation,
): Described {
  if (collection || contained) return { reason: `${name} has several entities. ${OTHER_FORMATS}` };
  const last = `${path.at(-1)}@odata.bind`;
  return { kind: 'value', path: [...path.slice(0, -1), last], read: asText };
}

interface KeyPath {
  readonly owner: StructuredType;
  readonly member: Navigation;
  /** The path to the navigation property, inclusive. */
  readonly path: readonly string[];
  readonly rest: readonly string[];
}

function keyColumn(model: Model, set: string, { owner, member, path, rest }: KeyPath): Described {
  const { name, collection, contained } = member;
  if (collection || contained) return { reason: `${name} has several entities. ${OTHER_FORMATS}` };
  const navigation = path.join('/');
  const target = targetSource(model, setSource(model, set), owner, member, navigation);
  const keys = model.key(target.type);
  const key = keys.find((one) => one.path === rest.join('/'));
  if (key === undefined || target.set === undefined || path.length > 1)
    return {
      reason: `It is a navigation property. ${
        target.set === undefined || path.length > 1
          ? `Use the column ${navigation}@odata.bind.`
          : `Use ${keys.map((one) => `${navigation}/${one.path}`).join(' and ')}, or ${navigation}@odata.bind.`
      }`,
    };
  const type = keyType(model, target.type, key.path);
  const isText = type === 'Edm.String' || !type.startsWith('Edm.');
  const part = key.alias ?? key.path;
  return { kind: 'key', navigation, target: encodeURIComponent(target.set.name), part, isText };
}

/** The primitive type of a key property; the name of an enumeration type. */
function keyType(model: Model, owner: EntityType, path: string): string {
  const [first = '', ...rest] = path.split('/');
  const member = model.members(owner).get(first);
  if (member?.kind !== 'property') return '';
  const type = model.types.get(member.type);
  if (type?.kind === 'complex') {
    const inner = rest.length === 1 ? model.members(type).get(rest[0] ?? '') : undefined;
    return inner?.kind === 'property' ? primitiveOf(model, inner.type) : '';
  }
  return primitiveOf(model, member.type);
}

function primitiveOf(model: Model, name: string): string {
  const type = model.types.get(name);
  return type?.kind === 'definition' ? type.underlying : name;
}

/** Types whose values are nested in JSON, or not values of a record. */
const WITHOUT_CELLS = /^Edm\.(?:Geo|Stream$|Untyped$)/;

function valueColumn(
  model: Model,
  path: readonly string[],
  rest: readonly string[],
  { name, type: typeName }: Property,
): Described {
  const type = primitiveOf(model, typeName);
  if (rest.length > 0) return { reason: `${name} is ${type} and has no properties.` };
  if (WITHOUT_CELLS.test(type)) return { reason: `${name} is ${type}. ${OTHER_FORMATS}` };
  return { kind: 'value', path, read: READERS[type] ?? asText };
}

const asText = (text: string): JsonInput => text;

/** Digits are numbers. Other texts stay texts, which are valid (INF) or rejected with what the type permits. */
function asNumber(text: string): JsonInput {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? new NumberText(text) : text;
}

function asBoolean(text: string): JsonInput {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

const READERS: Readonly<Record<string, (text: string) => JsonInput>> = {
  'Edm.Boolean': asBoolean,
  'Edm.Byte': asNumber,
  'Edm.SByte': asNumber,
  'Edm.Int16': asNumber,
  'Edm.Int32': asNumber,
  'Edm.Int64': asNumber,
  'Edm.Decimal': asNumber,
  'Edm.Double': asNumber,
  'Edm.Single': asNumber,
};

/** Columns with a part of a key need those with the others, and name the entity alone. */
function incompleteKeys(
  model: Model,
  set: string,
  columns: readonly Column[],
): readonly ColumnMistake[] {
  const members = membersOf(model, setSource(model, set).type);
  const given = columns.filter((column) => column.kind === 'key');
  return [...new Set(given.map(({ navigation }) => navigation))].flatMap((navigation) => {
    const member = members.get(navigation);
    const keys = member?.kind === 'navigation' ? model.key(entityType(model, member.target)) : [];
    const parts = given.filter((one) => one.navigation === navigation).map(({ part }) => part);
    const missing = keys.filter(({ path, alias }) => !parts.includes(alias ?? path));
    const bind = `${navigation}@odata.bind`;
    const reasons = [
      ...missing.map(({ path }) => `Add ${navigation}/${path}, or use ${bind}.`),
      ...(columns.some((one) => one.kind === 'value' && one.path[0] === bind)
        ? [`${bind} names the entity too. Remove one of them.`]
        : []),
    ];
    return reasons.map((reason) => ({ name: `${navigation}/${parts[0] ?? ''}`, reason }));
  });
}
