// This file binds eq, ne, gt, ge, lt, le, in and has: both operands are promoted to one type, which must support the operator.
// OData 4.01 URL Conventions, "Logical Operators".
import type { Fault } from '../../base/fault.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import { fitFraction } from '../../edm/value/temporal.ts';
import type * as Tree from '../../request/tree.ts';
import type { ComparisonOperator, Expression, ValueType } from '../bound.ts';
import type { SlotValue } from '../parameter.ts';
import { type Frame, faultAt } from '../scope.ts';
import { itemValue, toCollection } from './collection.ts';
import { comparison, joinConditions } from './constructors.ts';
import { show } from './excerpt.ts';
import {
  askLiteral,
  constant,
  FALSE,
  fitLiteral,
  isNull,
  type LiteralExpression,
  TRUE,
} from './literal.ts';
import {
  bindOperand,
  codedValue,
  isObject,
  type Operand,
  promote,
  rejectCodedValue,
  sharedType,
} from './promotion.ts';
import {
  BOOLEAN,
  commonType,
  digitsOf,
  hasFraction,
  isCollection,
  itemType,
  NULL,
  STRING,
  singlePrimitive,
  typeName,
  typeOfReference,
} from './types.ts';

/** `left operator right`. Throws: bind.comparison, bind.coded, bind.collection, bind.unknown-member. */
export function compare(
  frame: Frame,
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
): Expression {
  const [first, second] = [decode(frame, left, right), decode(frame, right, left)];
  const type = sharedType(frame, first, second) ?? listType(first, second);
  if (type === undefined || !isComparable(type, operator, first, second)) {
    throw comparisonFault(frame, operator, left, right);
  }
  if (isFiner(first.value, second.value)) {
    return compareFiner(MIRRORED[operator], second.value, first.value);
  }
  if (isFiner(second.value, first.value)) return compareFiner(operator, first.value, second.value);
  return comparison(operator, promote(first.value, type), promote(second.value, type), type);
}

/** The type of a collection of values beside an untyped value, which may be a list. */
function listType(left: Operand, right: Operand): ValueType | undefined {
  const [one, other] = [left.value.type, right.value.type];
  if (isCollection(one) === isCollection(other)) return undefined;
  const [single, list] = isCollection(one) ? [other, one] : [one, other];
  return single.kind === 'untyped' && list.kind !== 'entity' ? list : undefined;
}

/** `left in (…)`, `left in […]` and `left in Collection`. Throws: as compare, bind.list, bind.operand. */
export function bindIn(frame: Frame, left: Operand, tree: Tree.Expression): Expression {
  const items = listItems(frame, tree);
  if (items === undefined) return inCollection(frame, left, tree);
  if (items.length === 0) throw faultAt(frame, tree.at, 'bind.list');
  const hasNull = items.some((item) => item.value.type.kind === 'null');
  const alternatives = hasNull
    ? [compare(frame, 'eq', left, { tree, value: constant(NULL, null) })]
    : [];
  const values = items.filter((item) => item.value.type.kind !== 'null');
  if (values.length > 0) alternatives.unshift(inValues(frame, left, values));
  return joinConditions('or', alternatives) ?? FALSE;
}

/** `left has NS.Flags'A,B'`. Throws: bind.operand, bind.unknown-member. */
export function bindHas(frame: Frame, left: Operand, right: Operand): Expression {
  const type = sharedType(frame, left, right);
  if (type?.kind === 'enum' && !type.collection && left.value.type.kind === 'enum') {
    return { kind: 'has', left: left.value, right: promote(right.value, type), type: BOOLEAN };
  }
  throw faultAt(frame, left.tree.at, 'bind.operand', {
    operator: 'has',
    types: `${typeName(left.value.type)} and ${typeName(right.value.type)}`,
    hint: ' It tests whether a flags enumeration contains a member.',
  });
}

/** Coded values are compared by their Value with null and with each other. Throws: bind.coded for other operands. */
function decode(frame: Frame, operand: Operand, other: Operand): Operand {
  const isNull = other.value.type.kind === 'null';
  const isComplex = other.value.type.kind === 'complex';
  if (!isNull && !isComplex) rejectCodedValue(frame, operand);
  return { tree: operand.tree, value: codedValue(frame, operand.value) };
}

/** Whether the type supports the operator. Any single value, including streams and geo values, can be tested for null. */
function isComparable(
  type: ValueType,
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
): boolean {
  const isEquality = operator === 'eq' || operator === 'ne';
  const isSimple = type.kind === 'primitive' || type.kind === 'enum';
  if (isObject(left.value) || isObject(right.value)) return isEquality && !isSimple;
  const hasNull = left.value.type.kind === 'null' || right.value.type.kind === 'null';
  if (isCollection(type)) return isEquality && !hasNull;
  if (type.kind !== 'primitive')
    return isEquality || type.kind === 'enum' || type.kind === 'null' || type.kind === 'untyped';
  const { comparison } = primitiveRow(type.name);
  if (comparison === 'ordered') return true;
  return isEquality && (hasNull || comparison === 'equatable');
}

/** Whether `one` is a constant with more fraction digits than the non-constant `other` can have. */
function isFiner(one: Expression, other: Expression): one is LiteralExpression {
  if (one.kind !== 'literal' || other.kind === 'literal' || isNull(one)) return false;
  const [fine, coarse] = [singlePrimitive(one.type), singlePrimitive(other.type)];
  if (fine === undefined || fine.name !== coarse?.name || !hasFraction(fine.name)) return false;
  const digits = digitsOf(coarse);
  const of = (value: SlotValue) => !fitFraction(String(value), digits).exact;
  return askLiteral(one, { name: `finer than ${digits} digits`, of });
}

/** No value with fewer digits equals the constant, so the comparison uses the constant truncated to those digits. */
function compareFiner(
  operator: ComparisonOperator,
  left: Expression,
  right: LiteralExpression,
): Expression {
  if (operator === 'eq' || operator === 'ne') return operator === 'eq' ? FALSE : TRUE;
  const type = singlePrimitive(left.type) ?? STRING;
  const { value } = fitFraction(String(right.value), digitsOf(type));
  const isBelow = operator === 'lt' || operator === 'le';
  return comparison(isBelow ? 'le' : 'gt', left, constant(type, value), type);
}

const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};

/** The items of the list, or undefined if the tree is not a list. */
function listItems(frame: Frame, tree: Tree.Expression): readonly Operand[] | undefined {
  if (tree.kind === 'list' || tree.kind === 'array') {
    return tree.items.map((item) => bindOperand(frame, item));
  }
  if (tree.kind !== 'alias' || frame.parameters.has(tree.name)) return undefined;
  const value = frame.aliases.get(tree.name);
  const isList = value?.kind === 'list' || value?.kind === 'array';
  return isList ? listItems(aliasFrame(frame, tree.name), value) : undefined;
}

function aliasFrame(frame: Frame, name: string): Frame {
  return { ...frame, part: { name: `@${name}`, target: `@${name}` } };
}

function inValues(frame: Frame, left: Operand, items: readonly Operand[]): Expression {
  const widened = items.reduce((subject, item) => widen(frame, subject, item), {
    tree: left.tree,
    value: codedLeft(frame, left, items),
  });
  const operandType = widened.value.type;
  const comparable = items.filter((item) => !isFiner(item.value, widened.value));
  if (comparable.length === 0) return FALSE;
  const list = comparable.map((item) => promote(item.value, operandType));
  return { kind: 'in', left: widened.value, list, operandType, type: BOOLEAN };
}

function codedLeft(frame: Frame, left: Operand, items: readonly Operand[]): Expression {
  const [first] = items;
  return first === undefined ? left.value : decode(frame, left, first).value;
}

/** The left operand, promoted to a type that can also hold the item. */
function widen(frame: Frame, left: Operand, item: Operand): Operand {
  const type = sharedType(frame, left, item);
  if (type === undefined || !isComparable(type, 'eq', left, item)) {
    throw comparisonFault(frame, 'in', left, item);
  }
  return isFiner(item.value, left.value)
    ? left
    : { tree: left.tree, value: promote(left.value, type) };
}

/** `Name in Nicknames`, `Mother in $root/Animals`. */
function inCollection(frame: Frame, left: Operand, tree: Tree.Expression): Expression {
  const collection = toCollection(frame, frame.session.resolve(frame, tree), tree, 'in');
  if (collection.kind === 'made') {
    throw faultAt(frame, tree.at, 'bind.operand', {
      operator: 'in',
      types: 'rows produced by $apply',
      hint: ' Use any(…).',
    });
  }
  const item: Operand = { tree, value: itemValue(collection) };
  const operandType = sharedType(frame, left, item);
  if (operandType === undefined || !isComparable(operandType, 'eq', left, item)) {
    throw comparisonFault(frame, 'in', left, item);
  }
  return {
    kind: 'in-collection',
    left: promote(left.value, operandType),
    collection,
    operandType,
    type: BOOLEAN,
  };
}

function comparisonFault(
  frame: Frame,
  operator: ComparisonOperator | 'in',
  left: Operand,
  right: Operand,
): Fault {
  const mirrored = operator === 'in' ? operator : MIRRORED[operator];
  return faultAt(frame, left.tree.at, 'bind.comparison', {
    operator,
    left: show(left.tree),
    leftType: typeName(left.value.type),
    right: show(right.tree),
    rightType: typeName(right.value.type),
    hint: hintFor(frame, mirrored, left, right) ?? hintFor(frame, operator, right, left) ?? '',
  });
}

/** ` Write Caller/Uid eq 31.`: suggests to compare the key of the entity, if it is a single property. */
function keyHint(
  frame: Frame,
  operator: ComparisonOperator | 'in',
  { value, tree }: Operand,
  entity: Operand,
): string {
  const path = show(entity.tree);
  const key = keyOf(frame, entity.value.type);
  if (key === undefined) return ` Compare one of its properties, or write ${path} eq null.`;
  const isKey =
    value.kind === 'literal' && !isNull(value) && fitLiteral(value, key.type) !== undefined;
  if (!isKey) return ` Compare its key ${path}/${key.name}, or write ${path} eq null.`;
  const operand = operator === 'in' ? `(${show(tree)})` : show(tree);
  return ` Write ${path}/${key.name} ${operator} ${operand}.`;
}

/** The key property, or undefined if the type is no single entity or its key has several properties. */
function keyOf(
  frame: Frame,
  type: ValueType,
): { readonly name: string; readonly type: ValueType } | undefined {
  if (type.kind !== 'entity' || type.type.kind !== 'entity' || type.collection) return undefined;
  const { model } = frame;
  const [first, ...others] = model.key(type.type) ?? [];
  const property = first === undefined ? undefined : model.members(type.type).get(first.path);
  if (property?.kind !== 'property' || others.length > 0) return undefined;
  return { name: property.name, type: typeOfReference(model, property) };
}

/**
 * `Caller eq Persons(31)` parses as a function call. The error suggests to compare the key. Throws: bind.unknown-function.
 */
export function rejectEntityAddress(
  frame: Frame,
  operator: ComparisonOperator,
  left: Operand,
  tree: Tree.Expression,
): void {
  if (left.value.type.kind !== 'entity' || tree.kind !== 'call') return;
  const [key, ...others] = tree.arguments.kind === 'positional' ? tree.arguments.values : [];
  const property = keyOf(frame, left.value.type);
  const isSet = frame.model.sets.has(tree.name) || frame.model.singulars.has(tree.name);
  if (!isSet || key === undefined || others.length > 0 || property === undefined) return;
  const comparison = `${show(left.tree)}/${property.name} ${operator} ${show(key)}`;
  const parameters = { name: tree.name, thing: 'expressions', hint: ` Write ${comparison}.` };
  throw faultAt(frame, tree.at, 'bind.unknown-function', { ...parameters });
}

/** A suggestion for `other operator operand`, which cannot be compared; it may be undefined. */
function hintFor(
  frame: Frame,
  operator: ComparisonOperator | 'in',
  operand: Operand,
  other: Operand,
): string | undefined {
  const { value } = operand;
  const type = other.value.type;
  if (isCollection(type)) return collectionHint(frame, operator, operand, other);
  if (type.kind === 'complex') return ` Compare one of the properties in ${show(other.tree)}.`;
  if (type.kind === 'entity') return keyHint(frame, operator, operand, other);
  if (value.kind !== 'literal' || type.kind !== 'primitive') return undefined;
  const from = singlePrimitive(value.type)?.name;
  if (type.name === 'Edm.String') return ` Write '${value.value}' with quotes.`;
  if (from === 'Edm.String') return ` Write the value as ${type.name}, without quotes.`;
  if (type.name === 'Edm.DateTimeOffset' && from === 'Edm.Date') {
    return ` Write ${value.value}T00:00:00Z, or date(${show(other.tree)}).`;
  }
  return undefined;
}

/** A suggestion for a collection and what it cannot be compared with. */
function collectionHint(
  { model }: Frame,
  operator: ComparisonOperator | 'in',
  { value, tree }: Operand,
  collection: Operand,
): string {
  const { type, kind } = collection.value;
  const shown = show(collection.tree);
  if (isCollection(value.type))
    return operator === 'eq' || operator === 'ne'
      ? ' The items of both must have the same type.'
      : ' Collections can only be compared with eq and ne.';
  if (value.type.kind === 'null')
    return ` A collection is never null; write ${shown}/$count ${operator} 0.`;
  const isConstant = kind === 'json' || kind === 'built';
  const hasSame = commonType(model, value.type, itemType(type)) !== undefined;
  if (isConstant && hasSame && operator === 'eq') return ` Write ${show(tree)} in ${shown}.`;
  if (isConstant) return ` Compare ${show(tree)} with a single value.`;
  const item = hasSame && operator !== 'in' ? `${operator} ${show(tree)}` : 'eq …';
  return ` Test its items: ${shown}/any(x:x ${item}).`;
}
