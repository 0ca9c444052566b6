// Converts the values of a template, which are paths with texts, to a body that is read like any other. The type of the property
// decides how a text is parsed: as a string, a number, the value or text of a code, the key or URL of another record, or JSON for
// structured values. Several values for a collection are appended.
import { didYouMean } from '../../base/nearest-name.ts';
import type { Member, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { pathName } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { isJsonArray, isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { primitiveRow, resolvePrimitive } from '../../edm/value/primitives.ts';
import { navigationSource } from '../path/navigation.ts';
import { type Mistakes, memberPath } from './body-errors.ts';

/** One value of a template; null sets the property to null. */
export interface TemplateValue {
  /** `Impact`, `Assignment/AssigneePerson`. */
  readonly property: string;
  readonly value: string | null;
}

export interface TemplateScope {
  readonly model: Model;
  readonly mistakes: Mistakes;
  readonly source: Source;
  /** Parses JSON without loss. Throws for invalid JSON. */
  readonly readJson: (text: string) => JsonInput;
}

/** An object of the body under construction. */
type MutableObject = { [name: string]: JsonInput };

/** A structured value in the body, and its path. */
interface Level {
  readonly scope: TemplateScope;
  readonly type: StructuredType;
  readonly path: readonly Property[];
  readonly object: MutableObject;
}

/** Returns the body. Unknown paths, and invalid JSON for structured values, become mistakes. */
export function templateBody(
  scope: TemplateScope,
  type: StructuredType,
  values: readonly TemplateValue[],
): JsonInput {
  const object: MutableObject = {};
  for (const { property, value } of values) {
    put({ scope, type, path: [], object }, property.split('/'), value);
  }
  return object;
}

function put(level: Level, [name = '', ...rest]: readonly string[], text: string | null): void {
  const { scope, type, path } = level;
  const member = scope.model.members(type).get(name);
  if (member === undefined) rejectName(level, name, [...scope.model.members(type).keys()]);
  else if (rest.length > 0) putInside(level, member, rest, text);
  else if (member.kind === 'navigation') putRelation(level, member, text);
  else putProperty(level, member, text, pathName([...path, member]));
}

/** Puts a member of a complex value: `Assignment/AssigneePerson`, `Status/Value`. */
function putInside(
  level: Level,
  member: Member,
  rest: readonly string[],
  text: string | null,
): void {
  const { scope, object, path } = level;
  const type = member.kind === 'property' ? scope.model.types.get(member.type) : undefined;
  if (member.kind === 'navigation' || type?.kind !== 'complex' || member.collection) {
    rejectName(level, [member.name, ...rest].join('/'), []);
    return;
  }
  const known = object[member.name];
  const inner: MutableObject = isJsonObject(known) ? { ...known } : {};
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
  const parsed = isList
    ? readJson(scope, text, target)
    : text === null
      ? null
      : parseValue(scope, property, text, target);
  if (parsed === undefined) return;
  if (!property.collection) object[property.name] = parsed;
  else {
    const items = isJsonArray(parsed) ? parsed : parsed === null ? [] : [parsed];
    object[property.name] = [...listAt(object, property.name), ...items];
  }
}

/** Parses the text of one value by the type of the property; undefined after a mistake. */
function parseValue(
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

/** Digits such as `111004` are the value of a code, anything else is its text. */
function codeOf(
  { value, text }: { readonly value: string; readonly text: string },
  written: string,
): JsonInput {
  return /^-?\d+$/.test(written) ? { [value]: BigInt(written) } : { [text]: written };
}

/** Puts a reference by key or URL, or a new record as JSON. Null is ignored. */
function putRelation(level: Level, navigation: Navigation, text: string | null): void {
  if (text === null) return;
  const { scope, object, path } = level;
  const isNew = /^\s*\{/.test(text);
  const name = isNew ? navigation.name : `${navigation.name}@odata.bind`;
  const item = isNew
    ? readJson(scope, text, pathName([...path, navigation]))
    : urlOf(level, navigation, text);
  if (item === undefined) return;
  object[name] = navigation.collection ? [...listAt(object, name), item] : item;
}

/** The URL of a record; a key alone refers to the target set of the navigation. */
function urlOf({ scope, type, path }: Level, navigation: Navigation, text: string): string {
  if (!/^\d+$/.test(text)) return text;
  const source = navigationSource(scope.model, scope.source, { path, type }, navigation);
  const [first = source] = source.members ?? [];
  return `${first.set?.name ?? first.id}(${text})`;
}

function listAt(object: MutableObject, name: string): readonly JsonInput[] {
  const known = object[name];
  return isJsonArray(known) ? known : [];
}

/** Parses JSON; undefined after a mistake. */
function readJson(scope: TemplateScope, text: string, target: string): JsonInput | undefined {
  try {
    return scope.readJson(text);
  } catch {
    scope.mistakes.add('write.template-json', { name: target }, target);
    return undefined;
  }
}

function rejectName(
  { scope, type, path }: Level,
  name: string,
  candidates: readonly string[],
): void {
  const hint = didYouMean(name, candidates);
  const place = memberPath(pathName(path), name);
  scope.mistakes.add(
    'write.unknown-property',
    { type: type.name, name: name.slice(0, 100), hint },
    place,
  );
}
