// The builder of $filter and $orderby expressions of generated clients. Fields are proxies that follow the types of the model, so that a
// literal is written as its type requires: '2024-05-01' for a string, 2024-05-01 for a date. Values that a type cannot have are rejected,
// because they could otherwise change the meaning of a URL.

/** `Edm.String` or another primitive type, an enumeration, a structured type, or an array with one of them for a collection. */
export type MemberInfo = ItemInfo | readonly [ItemInfo];
export type ItemInfo = string | EnumInfo | TypeInfo;

export interface MembersInfo {
  readonly [name: string]: MemberInfo;
}

export interface EnumInfo {
  readonly enumeration: string;
}

/** A structured type. Functions allow types to refer to one another. */
export interface TypeInfo {
  readonly name: string;
  readonly base?: () => TypeInfo;
  readonly members: () => MembersInfo;
  /** The types of the key, by name. */
  readonly key?: MembersInfo;
}

/** A structured type with the fields that filters use. The fields exist for the compiler only. */
export interface TypeWithFields<F> extends TypeInfo {
  readonly fields?: F;
}

/** Part of `$orderby`. */
export interface SortOrder {
  readonly order: string;
}

export interface Field<V> {
  eq(value: V | Field<V> | null): Condition;
  ne(value: V | Field<V> | null): Condition;
  in(values: readonly V[]): Condition;
  asc(): SortOrder;
  desc(): SortOrder;
}

export interface OrderedField<V> extends Field<V> {
  lt(value: V | Field<V>): Condition;
  le(value: V | Field<V>): Condition;
  gt(value: V | Field<V>): Condition;
  ge(value: V | Field<V>): Condition;
}

export interface TextField<V extends string = string> extends OrderedField<V> {
  contains(text: string): Condition;
  startsWith(text: string): Condition;
  endsWith(text: string): Condition;
  toLower(): TextField;
  toUpper(): TextField;
  trim(): TextField;
  length(): NumberField;
}

export interface NumberField<V extends number | bigint = number | bigint> extends OrderedField<V> {
  plus(value: number): NumberField;
  minus(value: number): NumberField;
}

/** A date or a point in time. A `Date` is written in UTC. */
export interface DateField extends OrderedField<Date | string> {
  year(): NumberField;
  month(): NumberField;
  day(): NumberField;
}

/** A flags enumeration is compared as well with `has`. */
export interface EnumField<V extends string> extends Field<V> {
  has(member: V): Condition;
}

/** A member of an open type. The literal is that of the JavaScript value. */
export type DynamicField = OrderedField<string | number | boolean | Date>;

/** A collection. The parameter of `any` and `all` has the fields of an item, or is the item itself. */
export interface ManyField<F> {
  any(condition?: (item: F) => Condition): Condition;
  all(condition: (item: F) => Condition): Condition;
  count(): NumberField;
}

/** The fields of a structured value. */
export interface StructuredFields {
  $eq(value: null): Condition;
  $ne(value: null): Condition;
  /** The fields of a derived type. */
  $as<F>(type: TypeWithFields<F>): F;
}

export interface OpenFields {
  $property(name: string): DynamicField;
}

/** A condition of `$filter`. */
export class Condition {
  readonly text: string;
  readonly #isAlternative: boolean;

  constructor(text: string, isAlternative = false) {
    this.text = text;
    this.#isAlternative = isAlternative;
  }

  and(other: Condition): Condition {
    return new Condition(`${this.#operand()} and ${other.#operand()}`);
  }

  or(other: Condition): Condition {
    return new Condition(`${this.text} or ${other.text}`, true);
  }

  not(): Condition {
    return new Condition(`not (${this.text})`);
  }

  #operand(): string {
    return this.#isAlternative ? `(${this.text})` : this.text;
  }
}

/** A property, or a function of one. It has the methods of all fields; the types of fields choose among them. */
class FieldPath {
  readonly path: string;
  readonly type: ItemInfo;

  constructor(path: string, type: ItemInfo) {
    this.path = path;
    this.type = type;
  }

  readonly eq = (value: unknown) => this.#compare('eq', value);
  readonly ne = (value: unknown) => this.#compare('ne', value);
  readonly lt = (value: unknown) => this.#compare('lt', value);
  readonly le = (value: unknown) => this.#compare('le', value);
  readonly gt = (value: unknown) => this.#compare('gt', value);
  readonly ge = (value: unknown) => this.#compare('ge', value);
  readonly has = (value: unknown) => this.#compare('has', value);
  readonly contains = (text: string) => this.#test('contains', text);
  readonly startsWith = (text: string) => this.#test('startswith', text);
  readonly endsWith = (text: string) => this.#test('endswith', text);
  readonly toLower = () => this.#function('tolower', 'Edm.String');
  readonly toUpper = () => this.#function('toupper', 'Edm.String');
  readonly trim = () => this.#function('trim', 'Edm.String');
  readonly length = () => this.#function('length', 'Edm.Int32');
  readonly year = () => this.#function('year', 'Edm.Int32');
  readonly month = () => this.#function('month', 'Edm.Int32');
  readonly day = () => this.#function('day', 'Edm.Int32');
  readonly plus = (value: number) => this.#calculate('add', value);
  readonly minus = (value: number) => this.#calculate('sub', value);
  readonly asc = () => ({ order: this.path });
  readonly desc = () => ({ order: `${this.path} desc` });

  in(values: readonly unknown[]): Condition {
    // An empty list is not valid in OData, and no value is in it.
    if (values.length === 0) return new Condition('false');
    const list = values.map((value) => literal(value, this.type));
    return new Condition(`${this.path} in (${list.join(',')})`);
  }

  #compare(operator: string, value: unknown): Condition {
    return new Condition(`${this.path} ${operator} ${literal(value, this.type)}`);
  }

  #test(name: string, text: string): Condition {
    return new Condition(`${name}(${this.path},${literal(text, 'Edm.String')})`);
  }

  #function(name: string, type: string): FieldPath {
    return new FieldPath(`${name}(${this.path})`, type);
  }

  #calculate(operator: string, value: number): FieldPath {
    return new FieldPath(`(${this.path} ${operator} ${literal(value, this.type)})`, this.type);
  }
}

/** The fields of a type for a condition about it. */
export function fieldsOf<F>(type: TypeWithFields<F>): F {
  return structuredFields(type, '') as F;
}

/** The member of the type or of one of its base types. */
export function memberOf(type: TypeInfo, name: string): MemberInfo | undefined {
  const members = type.members();
  return Object.hasOwn(members, name) ? members[name] : type.base && memberOf(type.base(), name);
}

/** A structured type at the end of a path such as `Assignment/AssigneePerson`, and whether the path leads to a collection of it. */
export function relationOf(type: TypeInfo, path: string): { type: TypeInfo; isMany: boolean } {
  let at = { type, isMany: false };
  for (const name of path.split('/')) {
    const member = memberOf(at.type, name);
    const item = typeof member === 'string' || member === undefined ? undefined : itemOf(member);
    if (typeof item !== 'object' || 'enumeration' in item)
      throw new TypeError(`${at.type.name} has no relation ${name}.`);
    at = { type: item, isMany: Array.isArray(member) };
  }
  return at;
}

export function itemOf(member: MemberInfo): ItemInfo {
  return isCollection(member) ? member[0] : member;
}

export function isCollection(member: MemberInfo): member is readonly [ItemInfo] {
  return Array.isArray(member);
}

const SPECIAL = {
  $eq: (path: string) => (value: unknown) => new FieldPath(path, 'Edm.String').eq(value),
  $ne: (path: string) => (value: unknown) => new FieldPath(path, 'Edm.String').ne(value),
  $as: (path: string) => (type: TypeInfo) => structuredFields(type, joined(path, type.name)),
  $property: (path: string) => (name: string) => {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw new TypeError(`${name} is not a name.`);
    return new FieldPath(joined(path, name), '');
  },
};

function structuredFields(type: TypeInfo, path: string): unknown {
  return new Proxy(type, {
    get: (_, name) => {
      if (typeof name === 'symbol') return undefined;
      if (name in SPECIAL) return SPECIAL[name as keyof typeof SPECIAL](path);
      const member = memberOf(type, name);
      if (member === undefined) throw new TypeError(`${type.name} has no property ${name}.`);
      return memberField(member, joined(path, name));
    },
  });
}

function memberField(member: MemberInfo, path: string): unknown {
  if (isCollection(member)) return manyField(member[0], path);
  return typeof member === 'string' || 'enumeration' in member
    ? new FieldPath(path, member)
    : structuredFields(member, path);
}

function manyField(item: ItemInfo, path: string): ManyField<unknown> {
  const lambda = (name: string, condition: (item: unknown) => Condition) => {
    // A variable of an inner expression must differ from those around it, one of which its path begins with.
    const variable = `x${Number(/^x(\d+)\b/.exec(path)?.[1] ?? 0) + 1}`;
    return new Condition(
      `${path}/${name}(${variable}:${condition(memberField(item, variable)).text})`,
    );
  };
  return {
    any: (condition) =>
      condition === undefined ? new Condition(`${path}/any()`) : lambda('any', condition),
    all: (condition) => lambda('all', condition),
    count: () => new FieldPath(`${path}/$count`, 'Edm.Int32') as unknown as NumberField,
  };
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

const NUMBER = /^-?(\d+(\.\d+)?(e[+-]?\d+)?|INF)$|^NaN$/i;
const INTEGER = /^-?\d+$/;

/** The literals of primitive types other than strings. */
const LITERALS: { readonly [type: string]: RegExp } = {
  'Edm.Boolean': /^(true|false)$/,
  'Edm.Byte': INTEGER,
  'Edm.SByte': INTEGER,
  'Edm.Int16': INTEGER,
  'Edm.Int32': INTEGER,
  'Edm.Int64': INTEGER,
  'Edm.Decimal': NUMBER,
  'Edm.Double': NUMBER,
  'Edm.Single': NUMBER,
  'Edm.Guid': /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  'Edm.Date': /^-?\d{4,}-\d\d-\d\d$/,
  'Edm.DateTimeOffset': /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,12})?)?(Z|[+-]\d\d:\d\d)$/i,
  'Edm.TimeOfDay': /^\d\d:\d\d(:\d\d(\.\d{1,12})?)?$/,
  'Edm.Duration': /^[+-]?P[\dDTHMS.]+$/,
  'Edm.Binary': /^[\w-]*={0,2}$/,
};

/** The prefixes of literals in quotation marks. */
const PREFIXES: { readonly [type: string]: string } = {
  'Edm.Duration': 'duration',
  'Edm.Binary': 'binary',
};

/** A value as a literal of a URL. Throws: TypeError, if it is not a value of the type. */
export function literal(value: unknown, type: ItemInfo): string {
  if (value === null) return 'null';
  if (value instanceof FieldPath) return value.path;
  if (typeof type === 'object') {
    if ('enumeration' in type) return `${type.enumeration}${quoted(String(value))}`;
    throw new TypeError(`${type.name} has no literals.`);
  }
  if (type === '') return dynamicLiteral(value);
  if (type === 'Edm.String') return quoted(String(value));
  const text = value instanceof Date ? dateText(value, type) : numberText(value);
  const pattern = LITERALS[type];
  if (pattern === undefined) throw new TypeError(`${type} has no literals.`);
  if (!pattern.test(text)) throw new TypeError(`${text} is not a value of ${type}.`);
  const prefix = PREFIXES[type];
  return prefix === undefined ? text : `${prefix}'${text}'`;
}

function dynamicLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return literal(
    value,
    value instanceof Date ? 'Edm.DateTimeOffset' : (TYPE_NAMES[typeof value] ?? 'Edm.Untyped'),
  );
}

const TYPE_NAMES: { readonly [type: string]: string } = {
  boolean: 'Edm.Boolean',
  number: 'Edm.Double',
  bigint: 'Edm.Int64',
};

function dateText(date: Date, type: string): string {
  const text = date.toISOString();
  return type === 'Edm.Date' ? text.slice(0, 10) : text;
}

/** Infinite numbers are INF in OData. */
export function numberText(value: unknown): string {
  return String(value).replace('Infinity', 'INF');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
