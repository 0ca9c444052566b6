// This file turns headings of a table into columns of an entity type: a heading names a property by its path, and the model decides what a
// cell means. Values are validated when the record is stored, as those of JSON are.
import { didYouMean } from '../../base/nearest-name.ts';
import { type CodeBook, codesByText } from '../../bind/codes.ts';
import type { EntityType, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import { isOpen } from '../../edm/property-storage.ts';
import { type Source, targetSource } from '../../edm/source.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { asText, readerOf } from './cell-readers.ts';
import { isTextKey, type Keys, keyLiteral, keysOf, primitiveOf } from './record-keys.ts';

/** A column: where its values are in the record, and how they are written in JSON. */
export type Column =
  | {
      readonly kind: 'value';
      readonly path: readonly string[];
      readonly read: (text: string) => JsonInput;
      /** Whether the service sets the value, and ignores it in bodies. */
      readonly isComputed?: boolean;
    }
  /** A member of an item that identifies the entity, of which a row has at most one. */
  | {
      readonly kind: 'item';
      readonly path: readonly [collection: string, member: string];
      readonly read: (text: string) => JsonInput;
      /** The members that identify the item. */
      readonly keys: readonly string[];
    }
  /** A part of a key of a related entity. */
  | {
      readonly kind: 'key';
      readonly path: readonly string[];
      readonly navigation: string;
      readonly target: string;
      /** The type of the entities in the target. */
      readonly type: EntityType;
      readonly part: string;
      readonly isText: boolean;
      /** The keys of the related entity. */
      readonly keys: Keys;
    }
  /** A property of a related entity that does not identify it. */
  | {
      readonly kind: 'related';
      readonly path: readonly string[];
      readonly navigation: string;
      /** What to use instead. */
      readonly remedy: string;
    };

/** Why a column cannot be loaded. */
export interface ColumnMistake {
  readonly name: string;
  readonly reason: string;
}

type Described = Column | { readonly reason: string };

/** A cell of a row. */
export interface CellText {
  readonly text: string;
  /** Whether it is in quotes, so that an empty text is a text. */
  readonly isQuoted?: boolean;
}

/** What headings are resolved against. */
export interface Vocabulary {
  readonly model: Model;
  readonly codes: CodeBook;
}

/** The columns of a header by their index, and its mistakes. */
export function describeColumns(
  vocabulary: Vocabulary,
  source: Source,
  headings: readonly string[],
): { readonly columns: readonly Column[]; readonly mistakes: readonly ColumnMistake[] } {
  const names = headings.map((heading) => heading.trim());
  const mistakes: ColumnMistake[] = [];
  const found = names.flatMap((name, index) => {
    const described: Described =
      names.indexOf(name) < index
        ? { reason: 'There are several columns of this name.' }
        : describeColumn(vocabulary, source, name);
    if (!('reason' in described)) return [described];
    mistakes.push({ name, reason: described.reason });
    return [];
  });
  const columns = withRelatedKeys(found);
  return {
    columns,
    mistakes: [...mistakes, ...conflictingKeys(columns), ...incompleteItems(columns)],
  };
}

/** The record of a row. Empty cells are no values. */
export function recordOf(
  columns: readonly Column[],
  row: readonly CellText[],
): Record<string, JsonInput> {
  const record: Record<string, JsonInput> = {};
  columns.forEach((column, index) => {
    const { text = '', isQuoted = false } = row[index] ?? {};
    if (column.kind !== 'value' || (text === '' && !isQuoted)) return;
    place(record, column.path, column.read(text));
  });
  for (const [collection, item] of itemsIn(columns, row)) record[collection] = [item];
  for (const navigation of navigationsOf(columns)) {
    const address = addressIn(columns, row, navigation);
    if (address !== undefined) place(record, bindPath(navigation), address);
  }
  return record;
}

/** The items of a row that identify its entity, by their collection. */
export function itemsIn(
  columns: readonly Column[],
  row: readonly CellText[],
): ReadonlyMap<string, Record<string, JsonInput>> {
  const items = new Map<string, Record<string, JsonInput>>();
  columns.forEach((column, index) => {
    const { text = '' } = row[index] ?? {};
    if (column.kind !== 'item' || text === '') return;
    const [collection, member] = column.path;
    items.set(collection, { ...items.get(collection), [member]: column.read(text) });
  });
  return items;
}

/** The navigations that columns with keys identify. */
export function navigationsOf(columns: readonly Column[]): readonly string[] {
  const names = columns.flatMap((column) => (column.kind === 'key' ? [column.navigation] : []));
  return [...new Set(names)];
}

function bindName(navigation: string): string {
  return `${navigation}@odata.bind`;
}

/** The path of the member that relates an entity: `Assignment`, `AssigneePerson@odata.bind`. */
export function bindPath(navigation: string): readonly string[] {
  return bindName(navigation).split('/');
}

/** The address of the related entity in a row: `Persons(Searchcode='JANE')`; undefined if its cells are empty. */
export function addressIn(
  columns: readonly Column[],
  row: readonly CellText[],
  navigation: string,
): string | undefined {
  const parts: string[] = [];
  let set = '';
  columns.forEach((column, index) => {
    const { text = '' } = row[index] ?? {};
    if (column.kind !== 'key' || column.navigation !== navigation || text === '') return;
    const { part, target, isText } = column;
    set = target;
    parts.push(`${part}=${keyLiteral(text, isText)}`);
  });
  return parts.length === 0 ? undefined : `${set}(${parts.join(',')})`;
}

/** Sets a member. The parts of a complex value join one another. */
export function place(
  record: Record<string, JsonInput>,
  [name = '', ...rest]: readonly string[],
  value: JsonInput,
): void {
  const { [name]: present } = record;
  if (rest.length > 0) {
    // Without its code, the value of a code is null too.
    if (present === null && value === null) return;
    const nested = isJsonObject(present) ? { ...present } : {};
    place(nested, rest, value);
    record[name] = nested;
  } else if (!isJsonObject(present)) record[name] = value;
  else if (isJsonObject(value)) record[name] = { ...present, ...value };
}

const ANNOTATION = /^@(?:odata\.)?(type|etag)$/;
const BIND = /@(?:odata\.)?bind$/;

function describeColumn(vocabulary: Vocabulary, source: Source, name: string): Described {
  const { model } = vocabulary;
  const [, annotation] = ANNOTATION.exec(name) ?? [];
  if (annotation !== undefined)
    return { kind: 'value', path: [`@odata.${annotation}`], read: asText };
  if (/[;\t]/.test(name)) return { reason: 'Separate the columns by commas.' };
  const path = name.replace(BIND, '').split('/');
  const isBind = BIND.test(name);
  let owner: StructuredType = source.type;
  let isComputed = false;
  for (const [index, segment] of path.entries()) {
    const members = membersOf(model, owner);
    const member = members.get(segment);
    const rest = path.slice(index + 1);
    if (member === undefined && !isBind && mayBeDynamic(model, owner, segment))
      return dynamicColumn(path);
    if (member === undefined) return unknownMember(owner, segment.trim(), members.keys());
    if (member.kind === 'navigation') {
      if (isBind && rest.length === 0) return bindColumn(path, member);
      const prefix = path.slice(0, index + 1);
      return relatedColumn(vocabulary, source, { owner, member, path: prefix, rest });
    }
    const type = model.types.get(member.type);
    const isComplex = type !== undefined && isStructured(type);
    if (isBind) return { reason: `${segment} is not a navigation property.` };
    if (member.collection) return itemColumn(model, member, rest);
    isComputed ||= member.computed === true;
    if (!isComplex) return valueColumn(model, path, rest, { ...member, computed: isComputed });
    const { codeList } = member;
    if (rest.length === 0 && codeList !== undefined)
      return { kind: 'value', path, read: codeReader(vocabulary, codeList), isComputed };
    if (rest.length === 0)
      return {
        reason: `It is a complex property. ${suggest(name, membersOf(model, type).keys())}`,
      };
    owner = type;
  }
  return { reason: 'The name is empty.' };
}

function unknownMember(
  { name }: StructuredType,
  segment: string,
  members: Iterable<string>,
): Described {
  return { reason: `${name} has no property "${segment}".${didYouMean(segment, members)}` };
}

/** Whether the type is open, and a query can name the property; other names are rejected when they are written. */
export function mayBeDynamic(model: Model, owner: StructuredType, name: string): boolean {
  return isOpen(model, owner) && /^[A-Za-z_]\w{0,127}$/.test(name);
}

function dynamicColumn(path: readonly string[]): Described {
  if (path.length === 1) return { kind: 'value', path, read: readerOf('Edm.Untyped') };
  return { reason: `It is part of a dynamic property or an open complex value. ${OTHER_FORMATS}` };
}

/** A member of the items of a collection, if these identify entities. */
function itemColumn(model: Model, member: Property, rest: readonly string[]): Described {
  const { name, itemKey } = member;
  const type = model.types.get(member.type);
  const reason = `${name} is a collection. ${OTHER_FORMATS}`;
  if (itemKey === undefined || type?.kind !== 'complex') return { reason };
  const members = model.members(type);
  const [part = '', ...others] = rest;
  const found = members.get(part);
  const names = itemKey.map((one) => `${name}/${one}`).join(' and ');
  if (found?.kind !== 'property') return { reason: `${reason} Or use the columns ${names}.` };
  const column = valueColumn(model, [name, part], others, found);
  if ('reason' in column || column.kind !== 'value') return column;
  return { kind: 'item', path: [name, part], read: column.read, keys: itemKey };
}

/** A code is named by its text, or else by its value. */
function codeReader({ codes }: Vocabulary, list: string): (text: string) => JsonInput {
  const listing = codes.get(list);
  const hasText = (text: string) => listing !== undefined && codesByText(listing, text).length > 0;
  return (text) =>
    /^\d+$/.test(text) && !hasText(text) ? { Value: BigInt(text) } : { Text: text };
}

const OTHER_FORMATS = 'Cells have single values: use NDJSON for such records.';

function suggest(name: string, members: Iterable<string>): string {
  const paths = [...members].slice(0, 3).map((member) => `${name}/${member}`);
  return `Use columns such as ${paths.join(' or ')}.`;
}

/** The members of a type and of the types derived from it. */
export function membersOf(
  model: Model,
  type: StructuredType,
): ReadonlyMap<string, Property | Navigation> {
  return new Map(
    [type, ...model.derived(type)].reverse().flatMap((one) => [...model.members(one)]),
  );
}

function bindColumn(
  path: readonly string[],
  { name, collection, contained }: Navigation,
): Described {
  if (collection) return { reason: `${name} has several entities. ${OTHER_FORMATS}` };
  if (contained)
    return {
      reason: `${name} is contained in its record, and cannot be set to another entity. ${changeOf(name)}`,
    };
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

/** A property of a related entity, as part of its key until all columns are known. */
function relatedColumn(
  vocabulary: Vocabulary,
  source: Source,
  { owner, member, path, rest }: KeyPath,
): Described {
  const { model } = vocabulary;
  const { name, collection, contained } = member;
  if (collection) return { reason: `${name} has several entities. ${OTHER_FORMATS}` };
  const navigation = path.join('/');
  const target = targetSource(model, source, owner, member, navigation);
  const keys = target.set === undefined || contained ? [] : keysOf(model, target.type);
  const remedy = contained ? changeOf(navigation) : remedyOf(navigation, keys);
  const part = keys.flat().find((one) => one.path === rest.join('/'));
  if (part === undefined) {
    if (rest.length === 0) return { reason: `It is a navigation property. ${remedy}` };
    const inner = describeColumn(vocabulary, target, rest.join('/'));
    if ('reason' in inner) return inner;
    return { kind: 'related', path: [...path, ...rest], navigation, remedy };
  }
  const isText = isTextKey(model, target.type, part.path);
  return {
    kind: 'key',
    path: [...path, ...rest],
    navigation,
    target: encodeURIComponent(target.set?.name ?? ''),
    type: target.type,
    part: part.alias ?? part.path,
    isText,
    keys,
  };
}

function remedyOf(navigation: string, keys: Keys): string {
  const bind = bindName(navigation);
  if (keys.length === 0) return `Use the column ${bind}.`;
  const names = keys.map((parts) => parts.map(({ path }) => `${navigation}/${path}`).join(' and '));
  return `Use ${names.join(', or ')}, or ${bind}.`;
}

function changeOf(navigation: string): string {
  return `Create or change ${navigation} by a request of its own.`;
}

/** Of the keys that columns contain, the first complete one identifies the related entity. */
function withRelatedKeys(columns: readonly Column[]): readonly Column[] {
  const names = new Set(columns.map(({ path }) => path.join('/')));
  return columns.map((column) => {
    if (column.kind !== 'key') return column;
    const { navigation, path, keys } = column;
    const key = keys.find((parts) =>
      parts.every((part) => names.has(`${navigation}/${part.path}`)),
    );
    if (key?.some((part) => `${navigation}/${part.path}` === path.join('/'))) return column;
    return { kind: 'related', path, navigation, remedy: remedyOf(navigation, keys) };
  });
}

function valueColumn(
  model: Model,
  path: readonly string[],
  rest: readonly string[],
  { name, type: typeName, computed }: Property,
): Described {
  const type = primitiveOf(model, typeName);
  if (rest.length > 0) return { reason: `${name} is ${type} and has no properties.` };
  if (type === 'Edm.Stream')
    return { reason: `${name} is a stream. Upload its content to its own URL.` };
  return { kind: 'value', path, read: readerOf(type), isComputed: computed === true };
}

/** A column with the address of an entity excludes those with its key. */
function conflictingKeys(columns: readonly Column[]): readonly ColumnMistake[] {
  return columns.flatMap((column) => {
    if (column.kind !== 'key') return [];
    const bind = bindName(column.navigation);
    const isTwice = columns.some((one) => one.kind === 'value' && one.path.join('/') === bind);
    if (!isTwice) return [];
    const reason = `${bind} names the entity too. Remove one of them.`;
    return [{ name: column.path.join('/'), reason }];
  });
}

/** An item is identified by all parts of its key. */
function incompleteItems(columns: readonly Column[]): readonly ColumnMistake[] {
  const names = new Set(columns.map(({ path }) => path.join('/')));
  return columns.flatMap((column) => {
    if (column.kind !== 'item') return [];
    const keys = column.keys.map((key) => `${column.path[0]}/${key}`);
    const name = column.path.join('/');
    const reason = `An item needs the columns ${keys.join(' and ')}.`;
    return keys.every((key) => names.has(key)) ? [] : [{ name, reason }];
  });
}
