// This file merges the elements of an extension into those of the model that it extends: types with their members, operations, and the
// container with its sets. An element that both have keeps what the extension does not mention.
import { misspeltName } from '../../base/nearest-name.ts';
import { type Mistake, memberPath, mistake, warning } from '../model-error.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';
import { type ElementKind, isSame, objectionTo } from './override-rules.ts';

export interface MergeContext {
  readonly mistakes: Mistake[];
  /** Replaces aliases in a type name of the extension. */
  readonly fullName: (name: string) => string;
  /** The canonical name of a term: `Core.Description`. */
  readonly termName: (name: string) => string;
  /** Types with members that an extension enables by naming them, by simple name. */
  readonly optional: JsonObject;
}

/** An element of the model and the same element of the extension. */
interface Pair {
  readonly path: string;
  readonly known: JsonObject;
  readonly added: JsonObject;
}

/** Members whose values are type names. */
const TYPE_NAMES = ['$Type', '$BaseType', '$Function', '$Action'];

/** Merges the elements of a schema that both have. Elements that only the extension has are added. */
export function mergeSchema(context: MergeContext, pair: Pair): JsonObject {
  return mergeMembers(context, pair, 'schema', (_, known, value, path) => {
    if (isJsonArray(known)) return mergeOverloads(context, known, value, path);
    return isJsonObject(value)
      ? mergeElement(context, { path, known, added: value })
      : notAnObject(context, path, known);
  });
}

type Descend = (name: string, known: JsonObject, value: JsonInput, path: string) => JsonInput;

/**
 * Merges `$` members and annotations by the rules for the kind of element, and the other members by `descend` if the element has them.
 * Others are added.
 */
function mergeMembers(
  context: MergeContext,
  { path, known, added }: Pair,
  kind: ElementKind,
  descend: Descend,
): JsonObject {
  const merged: Record<string, JsonInput> = { ...known };
  for (const [written, value] of Object.entries(added)) {
    const name = canonicalName(context, written);
    const existing = known[name];
    const place = memberPath(path, written);
    if (/[$@]/.test(name)) {
      const given = TYPE_NAMES.includes(name) ? resolved(context, value) : value;
      const isAllowed = checkOverride(context, {
        kind,
        name,
        place,
        known: existing,
        value: given,
      });
      if (isAllowed) merged[name] = mergedTerm(name, existing, given);
    } else if (existing === undefined) merged[name] = value;
    else merged[name] = descend(name, existing as JsonObject, value, place);
  }
  return merged;
}

/** `Name@Core.Description` of an enumeration member has the name of the member before the term. */
function canonicalName({ termName }: MergeContext, written: string): string {
  const at = written.indexOf('@');
  return at < 0 ? written : `${written.slice(0, at + 1)}${termName(written.slice(at + 1))}`;
}

function resolved({ fullName }: MergeContext, value: JsonInput): JsonInput {
  return typeof value === 'string' ? fullName(value) : value;
}

interface Override {
  readonly kind: ElementKind;
  readonly name: string;
  readonly place: string;
  readonly known: JsonInput | undefined;
  readonly value: JsonInput;
}

function checkOverride(
  { mistakes }: MergeContext,
  { kind, name, place, known, value }: Override,
): boolean {
  const rule = name.slice(Math.max(name.indexOf('@'), 0));
  const objection = objectionTo(kind, rule, known, value);
  if (objection === undefined) return true;
  mistakes.push({ path: place, message: objection[0], remedy: objection[1] });
  return false;
}

/** Lists of indexes and languages are extended, and records get the members that they do not have; other values are replaced. */
function mergedTerm(name: string, known: JsonInput | undefined, value: JsonInput): JsonInput {
  const isList = name === '@Docket.Indexes' || name === '@Docket.Languages';
  if (isList && isJsonArray(known) && isJsonArray(value)) {
    return [...known, ...value.filter((item) => !known.some((other) => isSame(other, item)))];
  }
  const isRecord = name.startsWith('@Capabilities.') && isJsonObject(known) && isJsonObject(value);
  return isRecord ? { ...known, ...value } : value;
}

function notAnObject({ mistakes }: MergeContext, path: string, known: JsonInput): JsonInput {
  mistakes.push({ path, message: 'Expected an object.', remedy: 'Write an object in braces.' });
  return known;
}

// ---- types -----------------------------------------------------------------------------------------------------------

function mergeElement(context: MergeContext, pair: Pair): JsonInput {
  const { path, known, added } = pair;
  if (added.$Kind !== undefined && added.$Kind !== known.$Kind) {
    const message = `The name belongs to an element of the kind ${String(known.$Kind)}.`;
    context.mistakes.push({
      path: memberPath(path, '$Kind'),
      message,
      remedy: 'Rename the new element.',
    });
    return known;
  }
  switch (known.$Kind) {
    case 'EntityType':
    case 'ComplexType':
      return mergeStructured(context, pair);
    case 'EnumType':
      return mergeEnumeration(context, pair);
    default:
      return mergeMembers(context, pair, 'definition', (_, member) => member);
  }
}

function mergeStructured(context: MergeContext, pair: Pair): JsonObject {
  const { path, known } = pair;
  const name = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1);
  const added = withOptionalMembers(context, name, pair);
  if (known['@Docket.Coded'] !== undefined) reportNewMembers(context, { path, known, added });
  const optional = Object.keys(context.optional[name] ?? {});
  reportMisspelt(context, { path, known, added: pair.added }, optional);
  return mergeMembers(context, { path, known, added }, 'type', (_, member, value, place) => {
    if (!isJsonObject(value)) return notAnObject(context, place, member);
    const isNavigation = member.$Kind === 'NavigationProperty';
    const kind = isNavigation ? 'navigation' : 'property';
    return mergeMember(context, { path: place, known: member, added: value }, kind);
  });
}

/** Members that the extension enables have the definition of the catalogue, which the extension may override. */
function withOptionalMembers(context: MergeContext, name: string, { path, known, added }: Pair) {
  const catalogue = context.optional[name];
  if (!isJsonObject(catalogue)) return added;
  const members = Object.entries(added).map(([member, value]) => {
    const definition = known[member] === undefined ? catalogue[member] : undefined;
    if (/[$@]/.test(member) || !isJsonObject(definition) || !isJsonObject(value))
      return [member, value] as const;
    const pair = { path: memberPath(path, member), known: definition, added: value };
    return [member, mergeMember(context, pair, 'property')] as const;
  });
  return Object.fromEntries(members);
}

function reportNewMembers({ mistakes }: MergeContext, { path, known, added }: Pair): void {
  for (const name of Object.keys(added)) {
    if (/[$@]/.test(name) || known[name] !== undefined) continue;
    const message = 'Coded values have no other members: only the value is stored.';
    const remedy = 'Add a property to the type that has the coded value.';
    mistakes.push({ path: memberPath(path, name), message, remedy });
  }
}

/** A new property without a type, whose name resembles that of a known one, was probably meant to override it. */
function reportMisspelt(
  { mistakes }: MergeContext,
  { path, known, added }: Pair,
  optional: readonly string[],
): void {
  const candidates = [...Object.keys(known), ...optional].filter((name) => !/[$@]/.test(name));
  for (const [name, value] of Object.entries(added)) {
    if (/[$@]/.test(name) || candidates.includes(name) || !isJsonObject(value)) continue;
    const members = Object.keys(value);
    const meant = misspeltName(name, candidates);
    if (meant === undefined || members.length === 0 || !members.every(isOverriding)) continue;
    const message = `${name} is a new property of type Edm.String.`;
    const remedy = `Write ${meant} to override that property, or add $Type to confirm the new one.`;
    const place = memberPath(path, name);
    // Nobody adds a property that is hidden.
    const isCertain = value['@Docket.Hidden'] === true;
    mistakes.push(isCertain ? mistake(place, message, remedy) : warning(place, message, remedy));
  }
}

/** Whether an override has the member, too. */
function isOverriding(member: string): boolean {
  return member.startsWith('@') || ['$Nullable', '$DefaultValue', '$MaxLength'].includes(member);
}

function mergeMember(
  context: MergeContext,
  pair: Pair,
  kind: 'property' | 'navigation',
): JsonObject {
  const { path, known, added } = pair;
  const isMany = known.$Collection === true;
  if (
    kind === 'navigation' &&
    isMany &&
    known.$Partner === undefined &&
    added.$Partner !== undefined
  ) {
    const message =
      'A collection without a partner cannot get one, because its relations are already stored.';
    const remedy = 'Remove $Partner here and in the partner.';
    context.mistakes.push({ path: memberPath(path, '$Partner'), message, remedy });
  }
  return mergeMembers(context, pair, kind, (_, member) => member);
}

function mergeEnumeration(context: MergeContext, { path, known, added }: Pair): JsonObject {
  for (const [name, value] of Object.entries(added)) {
    const existing = known[name];
    if (/[$@]/.test(name) || existing === undefined || isSame(existing, value)) continue;
    const message = `${name} is already stored as ${String(existing)}.`;
    context.mistakes.push({ path: memberPath(path, name), message, remedy: 'Add another member.' });
  }
  return mergeMembers(
    context,
    { path, known, added },
    'enumeration',
    (name) => known[name] ?? null,
  );
}

// ---- operations ------------------------------------------------------------------------------------------------------

/** Overloads with the same parameters are replaced member by member; others are added. */
function mergeOverloads(
  context: MergeContext,
  known: readonly JsonInput[],
  value: JsonInput,
  path: string,
): JsonInput {
  if (!isJsonArray(value)) {
    const message = 'The model already has operations of this name.';
    context.mistakes.push({ path, message, remedy: 'Rename the new element.' });
    return known;
  }
  const signatures = value.map((item) => signatureOf(context, item));
  const replaced = known.map((old) => {
    const added = value[signatures.indexOf(signatureOf(context, old))];
    return isJsonObject(old) && isJsonObject(added) ? { ...old, ...added } : old;
  });
  const existing = known.map((old) => signatureOf(context, old));
  return [...replaced, ...value.filter((_, at) => !existing.includes(signatures[at] ?? ''))];
}

function signatureOf({ fullName }: MergeContext, operation: JsonInput): string {
  const list = isJsonObject(operation) ? operation.$Parameter : undefined;
  const parameters = (isJsonArray(list) ? list : []).map((parameter) => {
    const { $Name, $Type, $Collection } = isJsonObject(parameter) ? parameter : {};
    return `${String($Name)}:${fullName(String($Type ?? 'Edm.String'))}:${$Collection === true}`;
  });
  return parameters.join();
}

// ---- the container ---------------------------------------------------------------------------------------------------

/**
 * Merges the children and annotations of the extending container.
 * @param own the qualified name of the extending container, which targets may begin with
 */
export function mergeContainer(context: MergeContext, pair: Pair, own: string): JsonObject {
  const { path, known } = pair;
  const { $Kind: _, $Extends: __, ...rest } = pair.added;
  const added = withShortTargets(context, rest, own);
  const lists = [known, added].map((container) => container['@Docket.CodeLists']);
  checkLists(context, lists[0], lists[1], memberPath(path, '@Docket.CodeLists'));
  const merged = mergeMembers(
    context,
    { path, known, added },
    'container',
    (_, child, value, place) =>
      isJsonObject(value)
        ? mergeChild(context, { path: place, known: child, added: value })
        : notAnObject(context, place, child),
  );
  const all = lists.flatMap((list) => (isJsonArray(list) ? list : []));
  return all.length === 0 ? merged : { ...merged, '@Docket.CodeLists': all };
}

function mergeChild(context: MergeContext, pair: Pair): JsonObject {
  const { path, known, added } = pair;
  const bindings = known.$NavigationPropertyBinding;
  const { $NavigationPropertyBinding: own, ...others } = added;
  const isImport = '$Function' in known || '$Action' in known;
  const merged = mergeMembers(
    context,
    { path, known, added: others },
    isImport ? 'import' : 'set',
    (_, member) => member,
  );
  if (!isJsonObject(own)) return merged;
  const place = memberPath(path, '$NavigationPropertyBinding');
  const before = isJsonObject(bindings) ? bindings : {};
  for (const [name, target] of Object.entries(own)) {
    if (before[name] === undefined || isSame(before[name], target)) continue;
    const message = `${name} is already bound to ${String(before[name])}.`;
    context.mistakes.push({
      path: memberPath(place, name),
      message,
      remedy: 'Remove the binding.',
    });
  }
  return { ...merged, $NavigationPropertyBinding: { ...own, ...before } };
}

/** Targets in the extending container are targets in the extended one. */
function withShortTargets({ fullName }: MergeContext, container: JsonObject, own: string) {
  const shorten = (target: JsonInput): JsonInput => {
    if (typeof target !== 'string') return target;
    const [first = '', ...rest] = target.split('/');
    return rest.length > 0 && fullName(first) === own ? rest.join('/') : target;
  };
  const shortened = ([name, child]: readonly [string, JsonInput]) => {
    if (/[$@]/.test(name) || !isJsonObject(child)) return [name, child] as const;
    const { $NavigationPropertyBinding: bindings, $EntitySet: set } = child;
    const targets = isJsonObject(bindings)
      ? Object.entries(bindings).map(([path, target]) => [path, shorten(target)])
      : undefined;
    const own = {
      ...child,
      ...(set === undefined ? {} : { $EntitySet: shorten(set) }),
      ...(targets && { $NavigationPropertyBinding: Object.fromEntries(targets) }),
    };
    return [name, own] as const;
  };
  return Object.fromEntries(Object.entries(container).map(shortened));
}

/** A list of the model keeps its order and its hierarchy. */
function checkLists(
  { mistakes }: MergeContext,
  known: JsonInput | undefined,
  added: JsonInput | undefined,
  path: string,
): void {
  const lists = (isJsonArray(known) ? known : []).filter(isJsonObject);
  for (const [at, list] of (isJsonArray(added) ? added : []).entries()) {
    const existing = isJsonObject(list) ? lists.find(({ Name }) => Name === list.Name) : undefined;
    for (const member of ['Ordered', 'Hierarchical'] as const) {
      if (existing?.[member] !== true || !isJsonObject(list) || list[member] !== false) continue;
      const message = `The model has the list ${String(list.Name)} with ${member} true, and relies on it.`;
      mistakes.push({ path: `${path}[${at}].${member}`, message, remedy: `Remove ${member}.` });
    }
  }
}
