// This file compiles the annotations of an element to the rules that its values must follow: Pattern, Minimum, Maximum, MultipleOf,
// AllowedValues, MinItems and MaxItems. Null always follows them; nullability is a matter of the type.
// OData Vocabularies 4.0, Org.OData.Validation.V1.
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { memoized, perPair } from '../../base/memo.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Annotations, Json, Model, TypeReference } from '../model.ts';
import { isPlainRecord } from '../model.ts';
import { decimalOrder, isMultiple } from '../value/decimal.ts';
import { parseEnumJson } from '../value/enum.ts';
import { printJson } from '../value/lossless-json.ts';
import {
  isPrimitive,
  parseJson,
  primitiveRow,
  resolvePrimitive,
  writeLiteral,
} from '../value/primitives.ts';
import { expected, found, type ReadResult, type Value } from '../value/read-result.ts';
import { patternTest } from '../value/regular-expression.ts';
import { dayNumber, fitFraction } from '../value/temporal.ts';
import { isTimeZone, timeZoneHint } from '../value/time-zone.ts';

type NonNull = Exclude<Value, null>;

/** A rule for the values of an element, or for the items of a collection. */
export interface ValueRule {
  readonly term: ValueTerm;
  readonly holds: (value: NonNull) => boolean;
  /** What is permitted, by `Core.Description` of the annotation if it has one; completes "expected …". */
  readonly permitted: string;
  /** A sentence about a value that breaks the rule, or ''. */
  readonly hint: (value: NonNull) => string;
  /** The rule as an OData condition on a property, for values that only the database knows; undefined if there is none. */
  readonly condition?: ((path: string) => string) | undefined;
}

/** The permitted numbers of items of a collection. */
export interface ItemCounts {
  readonly least: number;
  readonly most: number;
}

/** An element with values: a property, a parameter, or an item of its collection. */
export interface RuledElement extends Pick<TypeReference, 'type' | 'facets'> {
  readonly annotations?: Annotations | undefined;
}

export const VALUE_TERMS = [
  'Validation.Pattern',
  'Validation.Minimum',
  'Validation.Maximum',
  'Validation.MultipleOf',
  'Validation.AllowedValues',
  'Docket.TimeZone',
] as const;

export type ValueTerm = (typeof VALUE_TERMS)[number];

const NO_RULES: readonly ValueRule[] = [];

/** The rules for values of the element, those of its type definition included. The model must have passed lint. */
export function valueRules(model: Model, element: RuledElement): readonly ValueRule[] {
  const { annotations, type } = element;
  const definition = isPrimitive(type) ? undefined : model.types.get(type);
  const own = annotations === undefined ? NO_RULES : compiledRules(model, annotations, element);
  if (definition?.kind !== 'definition' || definition.annotations === undefined) return own;
  const inherited = compiledRules(model, definition.annotations, element);
  return own.length === 0 ? inherited : [...own, ...inherited];
}

function compiledRules(
  model: Model,
  annotations: Annotations,
  element: RuledElement,
): readonly ValueRule[] {
  return memoized(rulesByType(model, annotations), element.type, () =>
    VALUE_TERMS.flatMap((term) => {
      const rule = compileRule(model, element, term, annotations);
      return rule?.kind === 'value' ? [rule.value] : [];
    }),
  );
}

/** Elements of different types may share their annotations. */
const rulesByType = perPair(
  (_model: Model, _: Annotations) => new Map<string, readonly ValueRule[]>(),
);

/** The types in Validation.DerivedTypeConstraint, of which and of whose derived types values are; undefined if there is no rule. */
export function permittedTypes(
  { definition }: Model,
  annotations: Annotations = {},
): readonly string[] | undefined {
  const names = annotations['Validation.DerivedTypeConstraint'];
  if (!Array.isArray(names)) return undefined;
  return names.map((written) => {
    const name = String(written).replace(/^Collection\((.+)\)$/, '$1');
    const dot = name.lastIndexOf('.');
    const schema = definition.namespaces.find(({ alias }) => alias === name.slice(0, dot));
    return schema === undefined ? name : `${schema.name}${name.slice(dot)}`;
  });
}

/** The permitted numbers of items; undefined if there is no rule. */
export function itemCounts({
  annotations,
}: Pick<RuledElement, 'annotations'>): ItemCounts | undefined {
  const least = annotations?.['Validation.MinItems'];
  const most = annotations?.['Validation.MaxItems'];
  if (least === undefined && most === undefined) return undefined;
  return { least: Number(least ?? 0), most: Number(most ?? Number.POSITIVE_INFINITY) };
}

/** The rule that this number of items breaks, and what it permits; undefined if there is none. */
export function brokenCount(
  { least, most }: ItemCounts,
  count: number,
): { readonly term: string; readonly permitted: string } | undefined {
  if (count < least)
    return { term: 'Validation.MinItems', permitted: `at least ${counted(least, 'item')}` };
  if (count > most)
    return { term: 'Validation.MaxItems', permitted: `at most ${counted(most, 'item')}` };
  return undefined;
}

/** Compiles one term; undefined if the annotations do not have it; a mistake describes what the term expects. */
export function compileRule(
  model: Model,
  element: RuledElement,
  term: ValueTerm,
  annotations: Annotations,
): ReadResult<ValueRule> | undefined {
  const operand = annotations[term];
  if (operand === undefined) return undefined;
  const compiled = compileTerm(model, element, term, { operand, annotations });
  if (compiled.kind === 'mistake') return compiled;
  const { holds, permitted, hint, condition } = compiled.value;
  const described = annotations[`${term}@Core.Description`];
  return found({
    term,
    holds,
    permitted: typeof described === 'string' ? described : permitted,
    hint: hint ?? (() => ''),
    condition,
  });
}

interface Check {
  readonly holds: (value: NonNull) => boolean;
  readonly permitted: string;
  readonly hint?: (value: NonNull) => string;
  readonly condition?: ((path: string) => string) | undefined;
}

interface Operand {
  readonly operand: Json;
  readonly annotations: Annotations;
}

function compileTerm(
  model: Model,
  element: RuledElement,
  term: ValueTerm,
  { operand, annotations }: Operand,
): ReadResult<Check> {
  switch (term) {
    case 'Validation.Pattern':
      return compilePattern(model, element, operand);
    case 'Validation.Minimum':
      return compileBound(model, element, operand, isExclusive(annotations, term) ? 'gt' : 'ge');
    case 'Validation.Maximum':
      return compileBound(model, element, operand, isExclusive(annotations, term) ? 'lt' : 'le');
    case 'Validation.MultipleOf':
      return compileMultiple(model, element, operand);
    case 'Validation.AllowedValues':
      return compileAllowed(model, element, operand);
    case 'Docket.TimeZone':
      return compileTimeZone(model, element, operand);
  }
}

/** Whether the bound is annotated with Validation.Exclusive. */
export function isExclusive(annotations: Annotations, term: ValueTerm): boolean {
  return annotations[`${term}@Validation.Exclusive`] === true;
}

/** The pattern can match any part of the text, unless it has anchors. */
function compilePattern(model: Model, element: RuledElement, operand: Json): ReadResult<Check> {
  if (classOf(model, element) !== 'string') return expected('a property of type Edm.String');
  if (typeof operand !== 'string') return expected('a regular expression as a string');
  try {
    const matches = patternTest(operand);
    return found({
      holds: (value) => matches(String(value)),
      permitted: `text that matches the pattern ${operand}`,
      condition: (path) => `matchesPattern(${path},${writeLiteral('Edm.String', operand)})`,
    });
  } catch (error) {
    if (error instanceof Fault) return expected(`another pattern: ${error.message}`);
    throw error;
  }
}

const BOUND_TEXTS = {
  ge: 'a value of at least',
  gt: 'a value greater than',
  le: 'a value of at most',
  lt: 'a value less than',
} as const;

function compileBound(
  model: Model,
  element: RuledElement,
  operand: Json,
  operator: keyof typeof BOUND_TEXTS,
): ReadResult<Check> {
  const compare = comparisonOf(model, element);
  if (compare === undefined)
    return expected('a property with a number, a date, a time or a duration');
  const bound = readOperand(model, element, operand);
  if (bound.kind === 'mistake') return bound;
  const isMet = {
    ge: (order: number) => order >= 0,
    gt: (order: number) => order > 0,
    le: (order: number) => order <= 0,
    lt: (order: number) => order < 0,
  }[operator];
  return found({
    holds: (value) => !isNotANumber(value) && isMet(compare(value, bound.value)),
    permitted: `${BOUND_TEXTS[operator]} ${printJson(operand).replaceAll('"', '')}`,
    condition: (path) => `${path} ${operator} ${literalOf(model, element, bound.value)}`,
  });
}

function compileMultiple(model: Model, element: RuledElement, operand: Json): ReadResult<Check> {
  const unit = parseJson('Edm.Decimal', {}, operand);
  if (unit.kind === 'mistake' || !(Number(unit.value) > 0))
    return expected('a positive number as the unit');
  const amount = amountOf(model, element);
  if (amount === undefined)
    return expected('a property with a number, a point in time, a time of day or a duration');
  const text = String(unit.value);
  return found({
    holds: (value) => isMultiple(amount.of(value), text),
    permitted: `a multiple of ${text}${amount.unit}`,
    condition: amount.unit === '' ? (path) => `${path} mod ${text} eq 0` : undefined,
  });
}

function compileAllowed(model: Model, element: RuledElement, operand: Json): ReadResult<Check> {
  const values = allowedValues(operand);
  if (values === undefined) return expected('a list of records with the member Value');
  const readings = values.map((value) => readOperand(model, element, value));
  const wrong = readings.find(({ kind }) => kind === 'mistake');
  if (wrong?.kind === 'mistake') return wrong;
  const normal = normalizer(model, element);
  const permitted = new Set(
    readings.flatMap((one) => (one.kind === 'value' ? [normal(one.value)] : [])),
  );
  const texts = values.map((value) => (typeof value === 'string' ? value : printJson(value)));
  const literals = [...permitted].map((value) => literalOf(model, element, value));
  return found({
    holds: (value) => permitted.has(normal(value)),
    permitted: `one of ${texts.join(', ')}`,
    condition: literals.length === 0 ? undefined : (path) => `${path} in (${literals.join(',')})`,
    hint: (value) => (typeof value === 'string' ? didYouMean(value, texts) : ''),
  });
}

/** The values in the records of AllowedValues, without null; undefined if the annotation is malformed. */
export function allowedValues(operand: Json): readonly Json[] | undefined {
  if (!Array.isArray(operand)) return undefined;
  const records = operand.filter((item) => isPlainRecord(item) && item.Value !== undefined);
  if (records.length < operand.length) return undefined;
  return operand.flatMap((item) => (isPlainRecord(item) ? (item.Value ?? []) : []));
}

function compileTimeZone(model: Model, element: RuledElement, operand: Json): ReadResult<Check> {
  if (classOf(model, element) !== 'string') return expected('a property of type Edm.String');
  if (operand !== true) return expected('true');
  return found({
    holds: (value) => isTimeZone(String(value)),
    permitted: 'a name of the IANA time zone database, such as Europe/Amsterdam',
    hint: (value) => timeZoneHint(String(value)),
  });
}

function literalOf(model: Model, element: RuledElement, value: NonNull): string {
  const primitive = resolvePrimitive(model, element);
  return primitive === undefined
    ? `${element.type}'${value}'`
    : writeLiteral(primitive.type, value);
}

// ---- values ---------------------------------------------------------------------------------------------------------

function classOf(model: Model, element: RuledElement): string | undefined {
  const primitive = resolvePrimitive(model, element);
  return primitive === undefined ? undefined : primitiveRow(primitive.type).class;
}

/** Reads a value of an annotation without the facets of the element, whose limits concern its own values. */
function readOperand(model: Model, element: RuledElement, operand: Json): ReadResult<NonNull> {
  const type = model.types.get(element.type);
  const primitive = resolvePrimitive(model, element);
  const reading =
    type?.kind === 'enum'
      ? parseEnumJson(type, operand)
      : primitive === undefined
        ? expected('a property of a primitive type')
        : parseJson(primitive.type, wideFacets(primitive.type), operand);
  if (reading.kind === 'mistake') return reading;
  return reading.value === null ? expected('a value') : found(reading.value);
}

function wideFacets(type: string): TypeReference['facets'] {
  return type === 'Edm.Decimal' ? { scale: 'floating' } : { precision: 12, srid: 'variable' };
}

type Normalizer = (value: NonNull) => NonNull;

/** Maps equal values to the same one, whatever the number of fraction digits of their element. */
function normalizer(model: Model, element: RuledElement): Normalizer {
  const kind = classOf(model, element);
  const isTimed = kind === 'point' || kind === 'time';
  return isTimed ? (value) => fitFraction(String(value), 12).value : (value) => value;
}

function isNotANumber(value: NonNull): boolean {
  return value === 'NaN' || Number.isNaN(value);
}

type Compare = (left: NonNull, right: NonNull) => number;

/** Compares canonical values exactly; undefined for types without an order. Text has none that all databases share. */
function comparisonOf(model: Model, element: RuledElement): Compare | undefined {
  switch (classOf(model, element)) {
    case 'integer':
    case 'floating':
    case 'date':
    case 'duration':
      return order;
    case 'decimal':
      return (left, right) => order(decimalOrder(String(left)), decimalOrder(String(right)));
    case 'point':
    case 'time': {
      const normal = normalizer(model, element);
      return (left, right) => order(normal(left), normal(right));
    }
    default:
      return undefined;
  }
}

function order(left: NonNull, right: NonNull): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

interface Amount {
  /** The number as a decimal. */
  readonly of: (value: NonNull) => string;
  readonly unit: string;
}

const SECONDS = ' seconds';
const NANOSECOND_DIGITS = 9;

/** How values become numbers: temporal ones count seconds. */
function amountOf(model: Model, element: RuledElement): Amount | undefined {
  switch (classOf(model, element)) {
    case 'integer':
    case 'decimal':
    case 'floating':
      return { of: String, unit: '' };
    case 'duration':
      return { of: (value) => `${value}e-${NANOSECOND_DIGITS}`, unit: SECONDS };
    case 'time':
    case 'point':
      return { of: (value) => secondsOf(String(value)), unit: SECONDS };
    default:
      return undefined;
  }
}

/** `2026-01-31T12:00:00.5Z` and `12:00:00.5` as seconds since the first day, and since midnight. */
function secondsOf(text: string): string {
  const [time = '', date] = text.replace('Z', '').split('T').reverse();
  const [hours, minutes, seconds = '0'] = time.split(':');
  const days = date === undefined ? 0 : (dayNumber(date) ?? 0);
  const whole = days * 86_400 + Number(hours) * 3600 + Number(minutes) * 60;
  const [units, fraction = '0'] = seconds.split('.');
  return `${whole + Number(units)}.${fraction}`;
}
