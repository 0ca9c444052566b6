// Finds missing members of a new or replaced entity: required members without a value in the body, a default, or a value from the
// service, and required values that the service cannot compute because the body omits their inputs. It reports only what is certain;
// if an expression evaluates to null for other reasons, the database rejects the write.
import { perObject, perPair } from '../../base/memo.ts';
import { determinedNavigations } from '../../edm/dependents.ts';
import {
  type EntityType,
  type Member,
  type Model,
  type Navigation,
  type Property,
  pathName,
  type StructuredType,
} from '../../edm/model.ts';
import { flattenedType, isServerGenerated } from '../../edm/property-storage.ts';
import { itemCounts } from '../../edm/validation/value-rules.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type { Call, Expression } from '../../request/tree.ts';
import type { EntityInput } from '../write/bound-write.ts';
import { type Body, type EntityPlace, pathText } from './body-context.ts';
import { memberPath } from './body-errors.ts';
import { keyProperties } from './body-keys.ts';

export interface MissingMember {
  /** `Description`, `Care/Name`. */
  readonly path: string;
  readonly type: string;
  /** Properties of which any one makes the value computable. */
  readonly sources?: readonly string[];
}

/** The parameters of write.required for a missing member; `place` is the path of its entity in the body. */
export function requiredErrorParameters(
  place: string,
  { path, type, sources = [] }: MissingMember,
): { readonly name: string; readonly type: string; readonly hint: string } {
  const named = sources.map((source) => `"${memberPath(place, source)}"`).join(' or ');
  const hint = named === '' ? '' : `; send it, or ${named}, from which the service computes it`;
  return { name: memberPath(place, path), type, hint };
}

export interface RequiredScope {
  readonly model: Model;
  /** Whether the entity is new. A replaced entity keeps its key, its relations and immutable properties. */
  readonly create: boolean;
  /** Navigations that the position of the entity determines. */
  readonly supplied: { readonly has: (name: string) => boolean };
  /** Whether the body has the member, but with a mistake. */
  readonly isMistaken?: (path: string) => boolean;
}

/** Adds one mistake for each missing member, unless it already has one. */
export function noteMissing(
  { model, mistakes }: Pick<Body, 'model' | 'mistakes'>,
  place: EntityPlace,
  input: EntityInput,
): void {
  const scope = {
    model,
    create: place.mode === 'create',
    supplied: place.supplied,
    isMistaken: (path: string) => mistakes.hasUnder(memberPath(place.target, path)),
  };
  for (const missing of missingMembers(scope, input)) {
    const lack = requiredErrorParameters(place.target, missing);
    if (!mistakes.hasUnder(lack.name)) mistakes.add('write.required', lack, lack.name);
  }
}

/** The missing members of the entity. */
export function missingMembers(scope: RequiredScope, input: EntityInput): readonly MissingMember[] {
  const written = pathsIn(input);
  const own = scope.create ? [] : keyProperties(scope.model, input.type).map(({ name }) => name);
  const keys = new Set([...own, ...(input.kept ?? [])]);
  return missingIn({ ...scope, written, keys, entity: input.type }, input.type, []);
}

interface Search extends RequiredScope {
  readonly written: InputPaths;
  readonly keys: ReadonlySet<string>;
  readonly entity: EntityType;
}

interface InputPaths {
  readonly paths: ReadonlySet<string>;
  /** Complex values that are null. */
  readonly absent: ReadonlySet<string>;
  /** Other values that are null. */
  readonly empty: ReadonlySet<string>;
}

function pathsIn({ values, links, children }: EntityInput): InputPaths {
  const paths = new Set<string>();
  const absent = new Set<string>();
  const empty = new Set<string>();
  for (const value of values) {
    const path = pathName(value.path);
    paths.add(path);
    if (value.kind === 'presence' && !value.present) absent.add(path);
    if (value.kind === 'value' && value.parameter === undefined && value.value === null)
      empty.add(path);
  }
  for (const { path, navigation } of [...links, ...children])
    paths.add(pathText(path, navigation.name));
  return { paths, absent, empty };
}

function missingIn(
  search: Search,
  type: StructuredType,
  path: readonly Property[],
): readonly MissingMember[] {
  return neededMembers(search.model, type).flatMap((member) => {
    const text = pathText(path, member.name);
    if (member.immutable === true && !search.create) return [];
    if (search.create && member.kind === 'property' && member.nullable && isNeverNull(member))
      return [];
    return member.kind === 'navigation'
      ? missingNavigation(search, member, text)
      : missingProperty(search, member, path, text);
  });
}

/** Whether the property of an existing entity is never null. A file always has a name, even if it was created without one. */
export function isNeverNull({ nullable, filePart }: Property): boolean {
  return !nullable || filePart === 'name';
}

/** The members that can be missing, cached per type because every body is checked and most members are optional. */
const neededMembers = perPair((model: Model, type: StructuredType): readonly Member[] =>
  [...model.members(type).values()].filter((member) => !isOptional(model, member)),
);

/** Whether the member can always be omitted. */
function isOptional(model: Model, member: Member): boolean {
  if (member.kind === 'property' && isRequiredExpression(member)) return false;
  if (member.computed === true) return true;
  if (member.kind === 'navigation')
    return member.nullable || member.collection || member.inverse === true;
  if (flattenedType(model, member) !== undefined) return false;
  const isFilled = member.generated !== undefined || isServerGenerated(member);
  if (member.collection && (itemCounts(member)?.least ?? 0) > 0)
    return member.defaultValue !== undefined || isFilled;
  return !isNeverNull(member) || member.collection || member.defaultValue !== undefined || isFilled;
}

function missingNavigation(
  search: Search,
  navigation: Member & { readonly kind: 'navigation' },
  text: string,
): readonly MissingMember[] {
  if (!search.create || search.written.paths.has(text) || search.supplied.has(text)) return [];
  if (isDetermined(search, navigation)) return [];
  return [{ path: text, type: navigation.target }];
}

function missingProperty(
  search: Search,
  property: Property,
  path: readonly Property[],
  text: string,
): readonly MissingMember[] {
  const { model, written } = search;
  const type = flattenedType(model, property);
  if (type !== undefined) {
    const isPresent = !property.nullable || written.paths.has(text);
    return isPresent && !written.absent.has(text)
      ? missingIn(search, type, [...path, property])
      : [];
  }
  if (written.paths.has(text) || search.keys.has(text)) return [];
  if (path.length === 0 && isDependent(search, text)) return [];
  if (!isRequiredExpression(property)) return [{ path: text, type: property.type }];
  const isAbsent = (other: Property) => isLeftNull(search, other);
  const sources = absentSources(model, search.entity, property, isAbsent);
  return sources === undefined ? [] : [{ path: text, type: property.type, sources }];
}

/** Whether the body has the dependent properties that determine the relation. */
function isDetermined({ model, entity, written }: Search, navigation: Navigation): boolean {
  const found = determinedNavigations(model, entity).find((one) => one.navigation === navigation);
  return (
    found?.pairs.every(
      ({ property: { name, defaultValue } }) =>
        written.paths.has(name) || defaultValue !== undefined,
    ) === true
  );
}

/** Whether a relation in the body, or the position of the entity, determines the property. */
function isDependent({ model, entity, written, supplied }: Search, name: string): boolean {
  return [...model.members(entity).values()].some(
    (member) =>
      member.kind === 'navigation' &&
      member.constraints?.some(({ property }) => property === name) === true &&
      (written.paths.has(member.name) || supplied.has(member.name)),
  );
}

/** Whether a property of the entity will certainly be null: it is null in the body, or nothing sets it. */
function isLeftNull(search: Search, property: Property): boolean {
  const { model, written, create, keys, isMistaken } = search;
  const { name, collection, computed, generated, defaultValue, immutable } = property;
  if (written.paths.has(name)) return written.empty.has(name);
  if (isMistaken?.(name) === true) return false;
  const isFilled = generated !== undefined || computed === true || isServerGenerated(property);
  const isUnchanged = !create && (immutable === true || keys.has(name));
  const isWhole = flattenedType(model, property) === undefined && !collection;
  return isWhole && !isFilled && !isUnchanged && defaultValue === undefined;
}

/** Functions that return null if any argument is null. */
const NULL_PROPAGATING: ReadonlySet<string> = new Set([
  'concat',
  'substring',
  'tolower',
  'toupper',
  'trim',
]);

/** Whether an expression generates the value, and the value is required. */
function isRequiredExpression({ generated, nullable }: Property): boolean {
  return generated !== undefined && 'expression' in generated && !nullable;
}

/**
 * The properties of which any one makes the value computable; all its inputs if one alone is not enough. Undefined if the value can
 * be computed, or if only the database knows.
 * @param isAbsent whether a property of the entity will certainly be null
 */
function absentSources(
  model: Model,
  type: EntityType,
  property: Property,
  isAbsent: (property: Property) => boolean,
): readonly string[] | undefined {
  const tree = expressionOf(property);
  const members = [...model.members(type).values()];
  const absent = members.flatMap((member) =>
    member.kind === 'property' && isAbsent(member) ? [member.name] : [],
  );
  if (tree === undefined || !isNull(tree, new Set(absent))) return undefined;
  const used = namesIn(tree);
  const named = absent.filter((name) => used.includes(name));
  const sufficient = named.filter((name) => {
    const others = new Set(absent);
    others.delete(name);
    return !isNull(tree, others);
  });
  return sufficient.length > 0 ? sufficient : named;
}

function expressionOf({ generated }: Property): Expression | undefined {
  if (generated === undefined || !('expression' in generated)) return undefined;
  return parsed(generated);
}

const parsed = perObject(({ expression }: { readonly expression: string }) =>
  parseExpression(expression, 'the model'),
);

/** Whether the expression is certainly null if these properties are null. */
function isNull(tree: Expression, absent: ReadonlySet<string>): boolean {
  switch (tree.kind) {
    case 'literal':
      return tree.value.kind === 'null';
    case 'path':
      return namesIn(tree).some((name) => absent.has(name));
    case 'case':
      return tree.branches.every(({ value }) => isNull(value, absent));
    case 'call':
      return (
        NULL_PROPAGATING.has(tree.name) &&
        argumentsOf(tree).some((argument) => isNull(argument, absent))
      );
    default:
      return false;
  }
}

/** The properties of the entity that can make the value null. */
function namesIn(tree: Expression): readonly string[] {
  switch (tree.kind) {
    case 'path': {
      const [step, ...more] = tree.steps;
      const isOwn = tree.root.kind === 'current' && more.length === 0;
      return isOwn && step?.kind === 'name' ? [step.name] : [];
    }
    case 'case':
      return tree.branches.flatMap(({ value }) => namesIn(value));
    case 'call':
      return argumentsOf(tree).flatMap(namesIn);
    default:
      return [];
  }
}

function argumentsOf({ arguments: args }: Call): readonly Expression[] {
  return args.kind === 'positional' ? args.values : [];
}
