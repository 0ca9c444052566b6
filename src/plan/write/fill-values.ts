// Completes the values of a body: adds generated values and defaults, and, if an entity is replaced, null for omitted properties.
// OData Protocol 4.01, "Create an Entity", "Update an Entity".
import { invariant } from '../../base/fault.ts';
import { memoized, perPair } from '../../base/memo.ts';
import type { WriteMode } from '../../bind/body/body-context.ts';
import { keyProperties } from '../../bind/body/body-keys.ts';
import { defaultBody } from '../../bind/body/default-body.ts';
import { readSingleProperty, type SingleProperty } from '../../bind/body/entity-body.ts';
import { documentText } from '../../bind/body/property-value.ts';
import type { InputValue } from '../../bind/write/bound-write.ts';
import {
  type ComplexType,
  type EntityType,
  type Member,
  type Model,
  type Property,
  pathName,
  type StructuredType,
  structuredType,
} from '../../edm/model.ts';
import { flattenedType, isDocument, isOpen } from '../../edm/property-storage.ts';
import type { Source } from '../../edm/source.ts';
import {
  isJsonObject,
  type JsonInput,
  parseExactJson,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { resolvePrimitive } from '../../edm/value/primitives.ts';
import type { DocumentMember, DocumentType, StoredValue } from '../write-plan.ts';
import { bindModelExpression } from './model-expression.ts';

/** Settings of the installation needed to complete values. */
export interface FillScope {
  readonly model: Model;
}

export interface FillTarget {
  readonly source: Source;
  readonly type: EntityType;
  readonly mode: WriteMode;
  /** The paths of properties that keep their value. */
  readonly kept?: readonly string[] | undefined;
  /** The path of a complex value, if only that is replaced. */
  readonly path?: readonly Property[];
}

/** Returns the values to store, in the order of the model. */
export function fillValues(
  scope: FillScope,
  target: FillTarget,
  values: readonly InputValue[],
): readonly StoredValue[] {
  if (target.mode === 'merge') {
    return [...groupDocumentMembers(scope, target, values), ...computedValues(scope, target)];
  }
  const fill = newFill(scope, target, values);
  const path = target.path ?? [];
  const owner = path.at(-1);
  const structureType = owner === undefined ? target.type : scope.model.types.get(owner.type);
  invariant(
    structureType?.kind === 'entity' || structureType?.kind === 'complex',
    'values belong to a structure',
  );
  const structure = fillStructure(fill, structureType, path);
  return target.path === undefined
    ? structure
    : [...valuesOutside(values, path), ...structure, ...computedValues(scope, target)];
}

/** Values computed by an expression, which every update recomputes. The row can be of a derived type. */
function computedValues(scope: FillScope, { source, type }: FillTarget): readonly StoredValue[] {
  const { model } = scope;
  return [
    ...computedIn(scope, { source, type }, model.stored(type).values()),
    ...model
      .derived(type)
      .flatMap((of) =>
        computedIn(scope, { source, type: of }, of.members).map((one) => ({ ...one, of })),
      ),
  ];
}

function computedIn(
  scope: FillScope,
  target: Pick<FillTarget, 'source' | 'type'>,
  members: Iterable<Member>,
): readonly ExpressionValue[] {
  return [...members].flatMap((member) =>
    member.kind === 'property' && member.generated?.by === 'expression'
      ? [expressionValue(scope, target, [member], member.generated.expression)]
      : [],
  );
}

type ExpressionValue = StoredValue & { readonly kind: 'expression' };

/** Values that are not below the path. */
function valuesOutside(
  values: readonly InputValue[],
  path: readonly Property[],
): readonly InputValue[] {
  return values.filter((value) => value.path.length <= path.length);
}

interface Fill {
  readonly scope: FillScope;
  readonly target: FillTarget;
  readonly inputs: Map<string, InputValue[]>;
  readonly keys: ReadonlySet<string>;
}

function newFill(scope: FillScope, target: FillTarget, values: readonly InputValue[]): Fill {
  const own = keyProperties(scope.model, target.type).map(({ name }) => name);
  const keys = new Set([...own, ...(target.kept ?? [])]);
  const fill: Fill = { scope, target, inputs: new Map(), keys };
  addInputs(fill, values);
  return fill;
}

function addInputs(fill: Fill, values: readonly InputValue[]): void {
  for (const value of values) {
    const text = pathName(value.path);
    fill.inputs.set(text, [...(fill.inputs.get(text) ?? []), value]);
  }
}

function fillStructure(
  fill: Fill,
  type: StructuredType,
  path: readonly Property[],
): readonly StoredValue[] {
  return [...fill.scope.model.stored(type).values()].flatMap((member) =>
    member.kind === 'property' ? fillProperty(fill, member, [...path, member]) : [],
  );
}

function fillProperty(
  fill: Fill,
  property: Property,
  path: readonly Property[],
): readonly StoredValue[] {
  const { target, scope } = fill;
  const isReplaced = target.mode === 'replace';
  if (isReplaced && (fill.keys.has(pathName(path)) || property.immutable === true)) return [];
  const generated = generatedValue(fill, property, path);
  if (generated !== undefined) return generated;
  if (!fill.inputs.has(pathName(path))) addDefault(fill, property, path);
  const inputs = fill.inputs.get(pathName(path)) ?? [];
  const complex = flattenedType(scope.model, property);
  const presence = inputs.find((value) => value.kind === 'presence');
  if (complex === undefined && presence?.kind === 'presence' && presence.present)
    return [newDocument(fill, path, presence.type)];
  if (complex === undefined) return inputs.length > 0 ? inputs : absentValue(fill, property, path);
  return fillComplex(fill, complex, path, inputs);
}

function fillComplex(
  fill: Fill,
  type: ComplexType,
  path: readonly Property[],
  inputs: readonly InputValue[],
): readonly StoredValue[] {
  const property = path.at(-1);
  const presence = inputs.find((value) => value.kind === 'presence');
  if (presence?.kind === 'presence' && !presence.present) return inputs;
  const isPresent =
    presence !== undefined || property?.nullable === false || hasGenerated(fill, type);
  if (isPresent) {
    return [{ kind: 'presence', path, type, present: true }, ...fillStructure(fill, type, path)];
  }
  return fill.target.mode === 'create' ? [] : [{ kind: 'presence', path, type, present: false }];
}

/** Whether new values of the type contain generated values and so are never null. */
function hasGenerated({ scope, target }: Fill, type: ComplexType): boolean {
  if (target.mode !== 'create') return false;
  return [...scope.model.stored(type).values()].some(
    (member) =>
      member.kind === 'property' &&
      member.generated !== undefined &&
      member.generated.by !== 'initial',
  );
}

/** Values generated regardless of the body; undefined if there are none. */
function generatedValue(
  { scope, target, inputs }: Fill,
  property: Property,
  path: readonly Property[],
): readonly StoredValue[] | undefined {
  const { generated } = property;
  if (generated === undefined) {
    return property.computed === true && target.mode === 'replace' ? [] : undefined;
  }
  // Only a load contains values that the service generates.
  if (generated.by !== 'expression' && inputs.has(pathName(path))) return undefined;
  switch (generated.by) {
    case 'key':
    case 'sequence':
      return target.mode === 'create' ? [{ kind: 'generated', path, by: generated.by }] : [];
    case 'created':
    case 'modified':
      return target.mode === 'create' ? [{ kind: 'generated', path, by: 'now' }] : [];
    case 'creator':
    case 'modifier':
      return target.mode === 'create' ? [{ kind: 'generated', path, by: 'account' }] : [];
    case 'initial':
      return [expressionValue(scope, target, path, generated.expression)];
    default:
      return [expressionValue(scope, target, path, generated.expression)];
  }
}

function expressionValue(
  scope: FillScope,
  { source, type }: Pick<FillTarget, 'source' | 'type'>,
  path: readonly Property[],
  text: string,
): ExpressionValue {
  return {
    kind: 'expression',
    path,
    expression: bindModelExpression(scope.model, text, source, type),
  };
}

/** Adds the default of a property as if it were in the body. */
function addDefault(fill: Fill, property: Property, path: readonly Property[]): void {
  const { defaultValue } = property;
  if (defaultValue === undefined) return;
  const { scope, target } = fill;
  const key = `${target.type.name}/${pathName(path)}`;
  const values = memoized(defaultsOf(scope.model, property), key, () => {
    const body = defaultBody(scope.model, target.type);
    const draft = readSingleProperty(body, lonePlace(target, property, path), defaultValue);
    invariant(body.mistakes.count === 0, `the default of ${key} is not a value of its type`);
    return draft.values;
  });
  addInputs(fill, values);
}

/** By entity type and path. */
const defaultsOf = perPair(
  (_model: Model, _: Property) => new Map<string, readonly InputValue[]>(),
);

function lonePlace(
  { source, type }: FillTarget,
  property: Property,
  path: readonly Property[],
): SingleProperty {
  const place = { source, type, mode: 'create', target: '', supplied: new Map() } as const;
  return { place, parents: path.slice(0, -1), property };
}

/** Groups changes to members of JSON documents by document. */
function groupDocumentMembers(
  scope: FillScope,
  target: FillTarget,
  values: readonly InputValue[],
): readonly StoredValue[] {
  const documents = new Map<string, DocumentMember[]>();
  const stored: StoredValue[] = [];
  for (const value of values) {
    const index = value.path.findIndex((step) => isDocument(scope.model, step));
    const path = value.path.slice(0, index + 1);
    const isRoot = index >= 0 && index === value.path.length - 1;
    const isWhole = index < 0 || (isRoot && !(value.kind === 'presence' && value.present));
    const existing = documents.get(pathName(path));
    if (isWhole) stored.push(value);
    else if (existing !== undefined) existing.push(memberOf(value, index));
    else {
      const members = isRoot ? [] : [memberOf(value, index)];
      documents.set(pathName(path), members);
      const type = isRoot && value.kind === 'presence' ? value.type : undefined;
      const base = baseText(scope, target, path, type);
      const isTyped = value.kind === 'presence' && value.typed === true;
      const as = type && isTyped ? documentType(scope.model, path, type, base) : undefined;
      stored.push({ kind: 'members', path, base, members, as });
    }
  }
  return stored;
}

function memberOf(value: InputValue, index: number): DocumentMember {
  const steps = value.path.slice(index + 1).map((step) => step.name);
  if (value.kind === 'presence' && value.present) return { kind: 'ensure', steps };
  if (value.kind === 'json' && value.text !== null) return { kind: 'set', steps, text: value.text };
  return value.kind === 'json' ? { kind: 'remove', steps } : { kind: 'set', steps, text: 'null' };
}

/** The document with all members at their defaults, or null without one. */
function baseText(
  scope: FillScope,
  { type: owner }: Pick<FillTarget, 'type'>,
  path: readonly Property[],
  type: ComplexType | undefined,
): string {
  const property = path.at(-1);
  invariant(property !== undefined, 'a value has a path');
  const typed = type === undefined ? {} : { '@odata.type': `#${type.name}` };
  return documentText(defaultBody(scope.model, owner), property, typed, pathName(path));
}

function documentType(
  model: Model,
  path: readonly Property[],
  type: ComplexType,
  base: string,
): DocumentType {
  const declared = structuredType(model, path.at(-1)?.type ?? '');
  const own = model.members(type);
  const whole = parseExactJson(base);
  const defaults = Object.entries(isJsonObject(whole) ? whole : {}).flatMap(
    ([name, value]): [string, string][] => (own.has(name) ? [[name, printJson(value)]] : []),
  );
  const others = [declared, ...model.derived(declared)].flatMap((other) => [
    ...model.members(other).keys(),
  ]);
  const foreign = [...new Set(others)].filter((name) => !own.has(name));
  const name = type === declared ? undefined : `#${type.name}`;
  return { type, name, defaults: new Map(defaults), isOpen: isOpen(model, type), foreign };
}

/** The text of a document in a new entity whose members come one by one, as an update that creates the entity sends them. */
function newDocument(fill: Fill, path: readonly Property[], type: ComplexType): InputValue {
  const text = pathName(path);
  const inside = [...fill.inputs].flatMap(([key, values]) =>
    key.startsWith(`${text}/`) ? values : [],
  );
  const base = parseExactJson(baseText(fill.scope, fill.target, path, type));
  const members = inside.map((value) => memberOf(value, path.length - 1));
  const whole = members.reduce((document, member) => withMember(document, member, 0), base);
  return { kind: 'json', path, text: printJson(whole) };
}

function withMember(document: JsonInput, member: DocumentMember, depth: number): JsonInput {
  const name = member.steps[depth];
  if (name === undefined) {
    if (member.kind === 'set') return parseExactJson(member.text);
    return member.kind === 'ensure' && !isJsonObject(document) ? {} : document;
  }
  const { [name]: before = null, ...others } = isJsonObject(document) ? document : {};
  const isRemoved = member.kind === 'remove' && depth === member.steps.length - 1;
  if (isRemoved) return others;
  const whole = isJsonObject(document) ? document : {};
  return { ...whole, [name]: withMember(before, member, depth + 1) };
}

/** The value of a property that is not in the body and has no default. */
function absentValue(
  { scope, target }: Fill,
  property: Property,
  path: readonly Property[],
): readonly StoredValue[] {
  if (property.computed === true || resolvePrimitive(scope.model, property)?.type === 'Edm.Stream')
    return [];
  if (property.collection) return [{ kind: 'json', path, text: '[]' }];
  if (target.mode === 'create' || !property.nullable) return [];
  return isDocument(scope.model, property)
    ? [{ kind: 'json', path, text: null }]
    : [{ kind: 'value', path, value: null }];
}
