// This file binds key predicates to conditions on the row. They contain the primary key or an alternate key, by position or by name.
// OData 4.01 URL Conventions, "Canonical URL"; Core vocabulary, "AlternateKeys".
import type { Fault } from '../../base/fault.ts';
import type { EntityType, KeyPart, Model, Navigation, Property } from '../../edm/model.ts';
import { propertyPath } from '../../edm/model.ts';
import { type KeyedCollection, keyedCollectionOf } from '../../edm/reference-functions.ts';
import { alternateKeys } from '../../edm/source.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, LiteralExpression, ValueType } from '../bound.ts';
import { comparison, propertyOf } from '../expression/constructors.ts';
import { showKey } from '../expression/excerpt.ts';
import { fitTruncated, showLiteral } from '../expression/literal.ts';
import { bindOperand, type Operand, promote } from '../expression/promotion.ts';
import { commonType, isInteger, typeName, typeOfReference } from '../expression/types.ts';
import { type EntityRow, type Frame, faultAt } from '../scope.ts';
import { hasItem } from './item-reference.ts';

const NULL_LITERAL: Tree.Literal = { kind: 'literal', at: 0, end: 0, value: { kind: 'null' } };

/** A bound key predicate. */
export interface KeyMatch {
  readonly where: readonly Expression[];
  /** The canonical key without parentheses: `5`, `Wing='A',Number=1`. */
  readonly text: string;
  /** The key as a literal, if it is a single integer of the request text. */
  readonly value?: LiteralExpression;
}

/** The rows that have the key, and the navigation to them, whose referential constraints may supply key properties. */
export interface Keyed {
  readonly row: EntityRow;
  readonly type: EntityType;
  readonly navigation?: Navigation;
}

/** A key property. */
export interface KeyProperty {
  /** The name in key predicates, which may be an alias. */
  readonly name: string;
  readonly path: readonly Property[];
  readonly type: ValueType;
}

/** The properties of a key; those of an item if the key is that of a collection. */
export interface ChosenKey {
  readonly parts: readonly KeyProperty[];
  readonly collection?: KeyedCollection;
}

/** `(5)`, `(Wing='A',Number=1)`, `(Email='a@b')`. Throws: bind.key, bind.duplicate. */
export function bindKey(frame: Frame, keyed: Keyed, args: Tree.Arguments): KeyMatch {
  const pairs = args.kind === 'named' ? args.pairs : positionalPairs(frame, keyed, args);
  rejectDuplicates(frame, pairs);
  const key = chooseKey(frame, keyed, args, pairs);
  const properties = key.parts.filter((part) => pairs.some(({ name }) => name === part.name));
  const values = properties.map((property) => {
    const pair = pairs.find(({ name }) => name === property.name);
    return bindValue(frame, keyed, property, pair?.value ?? NULL_LITERAL);
  });
  return matchKey(frame, keyed, { ...key, parts: properties }, values);
}

/** Only function calls may be followed by a second pair of parentheses with a key. Throws: bind.key. */
export function rejectSecondKey(
  frame: Frame,
  keyed: Keyed,
  { key }: { readonly key: Tree.Arguments | undefined },
): void {
  const reason = 'the path already addresses one entity, so remove this key';
  if (key !== undefined) throw keyedFault(frame, keyed, key, reason);
}

/** The predicate that the key properties equal the values. */
export function matchKey(
  frame: Frame,
  keyed: Keyed,
  { parts, collection }: ChosenKey,
  values: readonly Expression[],
): KeyMatch {
  const [first] = parts;
  const isAlone =
    parts.length === 1 && ownKey(frame, keyed).some(({ name }) => name === first?.name);
  const texts = parts.map((part, at) => {
    const value = values[at];
    if (isAlone && isNumber(value)) return String(value.parameter?.shown);
    const text = value?.kind === 'literal' ? showLiteral(value) : '';
    return isAlone ? text : `${part.name}=${text}`;
  });
  const where = collection
    ? [hasItem(frame, keyed.row, collection, values)]
    : parts.flatMap(({ path, type }, at) => {
        const value = values[at];
        const own = propertyOf(keyed.row, path, type);
        return value === undefined ? [] : [comparison('eq', own, value)];
      });
  const [only] = values;
  return { where, text: texts.join(','), ...(isAlone && isNumber(only) ? { value: only } : {}) };
}

/** Whether the expression is an integer literal of the request. */
function isNumber(value: Expression | undefined): value is LiteralExpression {
  return value?.kind === 'literal' && value.parameter !== undefined && isInteger(value.type);
}

/** The properties of the primary key that the navigation to the row does not supply. */
export function remainingKeyParts(frame: Frame, keyed: Keyed): readonly KeyProperty[] {
  return ownKey(frame, keyed).filter((part) => !isConstrained(frame, keyed, part));
}

function positionalPairs(
  frame: Frame,
  keyed: Keyed,
  args: Exclude<Tree.Arguments, { readonly kind: 'named' }>,
): readonly Tree.NamedArgument[] {
  const [value, ...others] = args.kind === 'positional' ? args.values : [];
  const [only, ...more] = remainingKeyParts(frame, keyed);
  if (value === undefined || only === undefined || others.length > 0 || more.length > 0) {
    throw keyedFault(frame, keyed, args, `expected ${expectedKey(frame, keyed)}`);
  }
  return [{ at: value.at, name: only.name, value }];
}

/** The key with the given names: the primary key without what the navigation supplies, an alternate key, or that of an item. */
function chooseKey(
  frame: Frame,
  keyed: Keyed,
  args: Tree.Arguments,
  pairs: readonly Tree.NamedArgument[],
): ChosenKey {
  const own = ownKey(frame, keyed);
  const names = pairs.map((pair) => pair.name);
  const isNamed = (part: KeyProperty) => names.includes(part.name);
  const hasAll = (parts: readonly KeyProperty[]) =>
    names.every((name) => parts.some((part) => part.name === name));
  const isOwn = own.every((part) => isNamed(part) || isConstrained(frame, keyed, part));
  if (names.length > 0 && isOwn && hasAll(own)) return { parts: own };
  for (const parts of alternateKeys(frame.model, keyed.type)) {
    const alternate = keyParts(frame.model, keyed.type, parts);
    if (alternate.every(isNamed) && hasAll(alternate)) return { parts: alternate };
  }
  const item = itemKey(frame, keyed.type);
  if (item?.parts.every(isNamed) && hasAll(item.parts)) return item;
  throw keyedFault(frame, keyed, args, `expected ${expectedKey(frame, keyed)}`);
}

/** The key of the items that identify entities of the type. */
export function itemKey({ model }: Frame, type: EntityType): ChosenKey | undefined {
  const collection = keyedCollectionOf(model, type);
  if (collection === undefined) return undefined;
  const parts = collection.members.map((member) => ({
    name: member.name,
    path: [member],
    type: typeOfReference(model, member),
  }));
  return { parts, collection };
}

function ownKey(frame: Frame, keyed: Keyed): readonly KeyProperty[] {
  return keyParts(frame.model, keyed.type, frame.model.key(keyed.type));
}

/** The properties of a key, with the names that key predicates use. */
export function keyParts(
  model: Model,
  type: EntityType,
  parts: readonly KeyPart[],
): readonly KeyProperty[] {
  return parts.flatMap((part) => {
    const path = propertyPath(model, type, part.path);
    const property = path?.at(-1);
    if (path === undefined || property === undefined) return [];
    return [{ name: part.alias ?? part.path, path, type: typeOfReference(model, property) }];
  });
}

/** Whether the source row supplies the property. OData 4.01 URL Conventions, "URLs for Related Entities with Referential Constraints". */
function isConstrained(frame: Frame, keyed: Keyed, part: KeyProperty): boolean {
  const partner = keyed.navigation?.partner;
  if (partner === undefined) return false;
  const reverse = frame.model.members(keyed.type).get(partner);
  if (reverse?.kind !== 'navigation') return false;
  return reverse.constraints?.some(({ property }) => property === part.name) ?? false;
}

function bindValue(
  frame: Frame,
  keyed: Keyed,
  part: KeyProperty,
  tree: Tree.Expression,
): Expression {
  const { type } = part;
  const operand = bindOperand(frame, tree);
  const value = fitKey(frame, operand, type);
  if (value !== undefined) return value;
  const actual = operand.value.type.kind === 'null' ? 'null' : typeName(operand.value.type);
  const expected = `${part.name} is of type ${typeName(type)}, not ${actual}`;
  const args: Tree.Arguments = { kind: 'positional', at: tree.at, values: [tree] };
  throw keyedFault(frame, keyed, args, expected);
}

function fitKey(
  frame: Frame,
  { value }: Operand,
  type: Expression['type'],
): Expression | undefined {
  if (value.type.kind === 'null') return undefined;
  if (value.kind === 'literal') return fitTruncated(value, type);
  const common = commonType(frame.model, value.type, type);
  return common === undefined ? undefined : promote(value, common);
}

function rejectDuplicates(frame: Frame, pairs: readonly Tree.NamedArgument[]): void {
  const duplicate = pairs.find(
    (pair, index) => pairs.findIndex(({ name }) => name === pair.name) < index,
  );
  if (duplicate === undefined) return;
  throw faultAt(frame, duplicate.at, 'bind.duplicate', { name: duplicate.name });
}

/** `(Id=…) or (Number=…)`. */
function expectedKey(frame: Frame, keyed: Keyed): string {
  const own = ownKey(frame, keyed).map((part) => `${part.name}=…`);
  const alternates = alternateKeys(frame.model, keyed.type);
  const others = alternates.map((parts) =>
    parts.map((part) => `${part.alias ?? part.path}=…`).join(','),
  );
  const item = itemKey(frame, keyed.type)?.parts.map(({ name }) => `${name}=…`) ?? [];
  return [own.join(','), ...others, ...(item.length > 0 ? [item.join(',')] : [])]
    .map((text) => `(${text})`)
    .join(' or ');
}

/** The error for a key after values, which are not entities. */
export function keyOfValue(frame: Frame, type: string, key: Tree.Arguments, at: number): Fault {
  return keyFault(frame, type, { ...key, at }, 'values have no key, so remove the parentheses');
}

function keyedFault(frame: Frame, keyed: Keyed, args: Tree.Arguments, expected: string): Fault {
  return keyFault(frame, keyed.type.name, args, expected);
}

export function keyFault(
  frame: Frame,
  type: string,
  args: Tree.Arguments,
  expected: string,
): Fault {
  return faultAt(frame, args.at, 'bind.key', { key: showKey(args), type, expected });
}
