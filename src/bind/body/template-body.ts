// This file turns the values of a template, paths with texts, into the body that says the same, so that it can be read as any body. A
// text stands for what the property is: the characters of a string, the digits of a number, a code by its value or its text, another
// record by its key or its URL; JSON stands for what has members. Values for the same collection add up.
import { didYouMean } from '../../base/nearest-name.ts';
import type { Member, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { isJsonList, isJsonObject } from '../../edm/value/lossless-json.ts';
import { primitiveRow, resolvePrimitive } from '../../edm/value/primitives.ts';
import { sourceBehind } from '../path/navigation.ts';
import type { Mistakes } from './body-errors.ts';
import { within } from './body-errors.ts';

/** One value of a template; null empties the property. */
export interface TemplateValue {
  /** `Impact`, `Assignment/AssigneePerson`. */
  readonly property: string;
  readonly value: string | null;
}

export interface TemplateScope {
  readonly model: Model;
  readonly mistakes: Mistakes;
  readonly source: Source;
  /** Reads JSON without loss. Raises faults. */
  readonly readJson: (text: string) => JsonInput;
}

/** An object of a body while it is being made. */
type Making = { [name: string]: JsonInput };

/** A structured value of the body, and where it stands. */
interface Level {
  readonly scope: TemplateScope;
  readonly type: StructuredType;
  readonly path: readonly Property[];
  readonly object: Making;
}

/** The body. Paths that lead nowhere, and texts that are no JSON where it is needed, are noted as mistakes. */
export function templateBody(
  scope: TemplateScope,
  type: StructuredType,
  values: readonly TemplateValue[],
): JsonInput {
  const object: Making = {};
  for (const { property, value } of values) {
    put({ scope, type, path: [], object }, property.split('/'), value);
  }
  return object;
}

function put(level: Level, [name = '', ...rest]: readonly string[], text: string | null): void {
  const { scope, type, path } = level;
  const member = scope.model.members(type).get(name);
  if (member === undefined) refuseName(level, name, [...scope.model.members(type).keys()]);
  else if (rest.length > 0) putInside(level, member, rest, text);
  else if (member.kind === 'navigation') putRelation(level, member, text);
  else putProperty(level, member, text, placeOf([...path, member]));
}

/** `Assignment/AssigneePerson`, `Status/Value`: a member of a complex value. */
function putInside(
  level: Level,
  member: Member,
  rest: readonly string[],
  text: string | null,
): void {
  const { scope, object, path } = level;
  const type = member.kind === 'property' ? scope.model.types.get(member.type) : undefined;
  if (member.kind === 'navigation' || type?.kind !== 'complex' || member.collection) {
    refuseName(level, [member.name, ...rest].join('/'), []);
    return;
  }
  const known = object[member.name];
  const inner: Making = isJsonObject(known) ? { ...known } : {};
  object[member.name] = inner;
  put({ scope, type, path: [...path, member], object: inner }, rest, text);
}

function putProperty(
  { scope, object }: Level,
  property: Property,
  text: string | null,
  target: string,
): void {
  const isList = property.collection && text !== null && /^\s*\[/.test(text);
  const meaning = isList
    ? readJson(scope, text, target)
    : text === null
      ? null
      : meaningOf(scope, property, text, target);
  if (meaning === undefined) return;
  if (!property.collection) object[property.name] = meaning;
  else {
    const items = isJsonList(meaning) ? meaning : meaning === null ? [] : [meaning];
    object[property.name] = [...listAt(object, property.name), ...items];
  }
}

/** What the text means for one value of the property's type. */
function meaningOf(
  scope: TemplateScope,
  property: Property,
  text: string,
  target: string,
): JsonInput | undefined {
  const type = scope.model.types.get(property.type);
  if (type?.kind === 'complex') {
    const isCode = type.coded !== undefined && !/^\s*\{/.test(text);
    return isCode && type.coded !== undefined
      ? codeOf(type.coded, text)
      : readJson(scope, text, target);
  }
  const primitive = resolvePrimitive(scope.model, property);
  switch (primitive === undefined ? 'string' : primitiveRow(primitive.type).class) {
    case 'boolean':
      return /^(true|false)$/.test(text) ? text === 'true' : text;
    case 'integer':
      return /^-?\d+$/.test(text) ? BigInt(text) : text;
    case 'floating':
      return Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text;
    case 'geo':
    case 'untyped':
      return readJson(scope, text, target);
    default:
      return text;
  }
}

/** `111004` is the value of a code, everything else its text. */
function codeOf(
  { value, text }: { readonly value: string; readonly text: string },
  written: string,
): JsonInput {
  return /^-?\d+$/.test(written) ? { [value]: BigInt(written) } : { [text]: written };
}

/** A record by its key or URL, or a new one as JSON. Nothing is nothing. */
function putRelation(level: Level, navigation: Navigation, text: string | null): void {
  if (text === null) return;
  const { scope, object, path } = level;
  const isNew = /^\s*\{/.test(text);
  const name = isNew ? navigation.name : `${navigation.name}@odata.bind`;
  const item = isNew
    ? readJson(scope, text, placeOf([...path, navigation]))
    : urlOf(level, navigation, text);
  if (item === undefined) return;
  object[name] = navigation.collection ? [...listAt(object, name), item] : item;
}

/** A key alone stands for the record of that key in the set where the navigation leads. */
function urlOf({ scope, type, path }: Level, navigation: Navigation, text: string): string {
  if (!/^\d+$/.test(text)) return text;
  const source = sourceBehind(scope.model, scope.source, { path, type }, navigation);
  const [first = source] = source.members ?? [];
  return `${first.set?.name ?? first.id}(${text})`;
}

function listAt(object: Making, name: string): readonly JsonInput[] {
  const known = object[name];
  return isJsonList(known) ? known : [];
}

/** Undefined where it is no JSON, and a mistake noted. */
function readJson(scope: TemplateScope, text: string, target: string): JsonInput | undefined {
  try {
    return scope.readJson(text);
  } catch {
    scope.mistakes.add('write.template-json', { name: target }, target);
    return undefined;
  }
}

function refuseName(
  { scope, type, path }: Level,
  name: string,
  candidates: readonly string[],
): void {
  const hint = didYouMean(name, candidates);
  const place = within(placeOf(path), name);
  scope.mistakes.add(
    'write.unknown-property',
    { type: type.name, name: name.slice(0, 100), hint },
    place,
  );
}

function placeOf(path: readonly Member[]): string {
  return path.map((step) => step.name).join('/');
}
