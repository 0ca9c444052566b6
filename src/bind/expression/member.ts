// This file resolves one step of a path by name: a property, a navigation, a cast, a bound function, or a dynamic property of an open
// type. A path with a cast is null on rows of other types.
import { Fault } from '../../base/fault.ts';
import type { Navigation, StructuredType } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import { spreadOut } from '../apply/collection-paths.ts';
import { isColumnName, rowsOfColumn } from '../apply/derived-columns.ts';
import { reachNested } from '../apply/nested-rows.ts';
import type { Collection, Computed, Expression, Rows, ValueType } from '../bound.ts';
import { fullName, narrowType } from '../names.ts';
import { bindKey, keyOfValue, rejectSecondKey } from '../path/key-predicate.ts';
import { checkPathDepth, type MemberOwner, navigate } from '../path/navigation.ts';
import {
  type Frame,
  type Guarded,
  placeOf,
  type Reached,
  type ResolvedRow,
  type ResolvedValue,
  reachValue,
  type Subject,
  whereOf,
} from '../scope.ts';
import { collectionOf, itemOf, itemValue, narrowRows, reachCollection } from './collection.ts';
import { itemTypeName, notAPath, unknownColumn, unknownProperty } from './member-errors.ts';
import { callFunction, overloadsFor } from './operation-call.ts';
import { BOOLEAN, typeOfReference, UNTYPED } from './types.ts';

/** A step from the current row, which may also have computed properties and nested rows. Throws: as stepByName. */
export function stepFromSubject(frame: Frame, subject: Subject, step: Tree.NameStep): Reached {
  const computed = step.arguments === undefined ? subject.computed.get(step.name) : undefined;
  const nested = subject.nested?.find(({ name }) => name === step.name);
  if (nested !== undefined && step.arguments === undefined) {
    return reachNested(frame, nested, step.at);
  }
  return computed === undefined
    ? stepByName(frame, subject.reached, step)
    : reachValue(computedValue(computed));
}

function computedValue({ name, expression }: Computed): Expression {
  return { kind: 'computed', name, definition: expression, type: expression.type };
}

/**
 * Resolves one step by name. Throws: bind.unknown-property, bind.unknown-function, bind.unrelated-type, bind.collection,
 * bind.aggregated-away, bind.not-a-path, bind.key.
 */
export function stepByName(frame: Frame, reached: Reached, step: Tree.NameStep): Reached {
  const computed = reached.kind === 'row' ? reached.computed?.get(step.name) : undefined;
  if (computed !== undefined && step.arguments === undefined) {
    return reachValue(computedValue(computed));
  }
  const isCast =
    step.arguments === undefined || (reached.kind === 'rows' && step.key === undefined);
  const type = isCast ? castType(frame, reached, step) : undefined;
  if (type !== undefined) {
    const cast = castTo(frame, reached, type, step.at);
    return cast.kind === 'rows' && step.arguments !== undefined
      ? rowByKey(frame, cast.rows, step.arguments, navigationTo(cast.rows))
      : cast;
  }
  if (reached.kind === 'derived') return stepToColumn(frame, reached, step);
  const collection = frame.spread === undefined ? undefined : collectionOf(frame, reached);
  if (frame.spread !== undefined && collection !== undefined) {
    return stepByName(frame, itemOf(spreadOut(frame, frame.spread, collection, step.at)), step);
  }
  const owner = holderOf(reached);
  if (owner !== undefined && !isFunctionName(frame, owner.type, step)) {
    return stepToMember(frame, owner, step);
  }
  return stepToFunction(frame, reached, step);
}

/** The resolved path as a value. Throws: bind.collection for rows, bind.aggregated-away for the prefix of a column. */
export function valueAt(frame: Frame, reached: Reached, tree: Tree.Expression): Expression {
  switch (reached.kind) {
    case 'row':
      return rowValue(reached);
    case 'value':
      return guarded(reached, reached.value);
    case 'derived':
      throw unknownColumn(frame, reached, tree.at, '');
    default:
      throw new Fault(
        'bind.collection',
        {
          thing: 'The path',
          type: itemTypeName(reached),
          instead:
            frame.spread === undefined
              ? 'use any, all or $count'
              : 'name one of the properties of its items',
          place: placeOf(frame, tree.at),
        },
        whereOf(frame, tree.at),
      );
  }
}

/** A row, or a complex value in a row, with the guards of the path to it. */
interface GuardedOwner extends MemberOwner, Guarded {}

/** The row or complex value whose members the next step can name, or undefined if it has no members. */
export function holderOf(reached: Reached): GuardedOwner | undefined {
  if (reached.kind === 'row') return { ...reached, path: [] };
  if (reached.kind !== 'value') return undefined;
  const value = reached.value.kind === 'computed' ? reached.value.definition : reached.value;
  if (value.kind !== 'property' || value.type.kind !== 'complex' || value.type.collection) {
    return undefined;
  }
  const { guards, cast } = reached;
  const base = { row: value.row, path: value.path, type: value.type.type, guards };
  return cast === undefined ? base : { ...base, cast };
}

function rowValue(reached: ResolvedRow): Expression {
  const operand = uncast(reached);
  if (reached.cast === undefined) return guarded(reached, operand);
  const type: ValueType = { kind: 'entity', type: reached.type, collection: false };
  return guarded(reached, { kind: 'cast', operand, type });
}

/** The value, or null if a guard is not true. */
function guarded({ guards }: Guarded, value: Expression): Expression {
  return guards.reduce<Expression>(
    (then, when) => ({ kind: 'case', branches: [{ when, then }], type: value.type }),
    value,
  );
}

// ---- casts ----------------------------------------------------------------------------------------------------------

/** The type that the step names. Members of the same name take precedence. */
function castType(frame: Frame, reached: Reached, step: Tree.NameStep): StructuredType | undefined {
  const { model } = frame.session.scope;
  if (!step.name.includes('.')) {
    // The names of derived rows are columns. A column may have the name of a type, because navigations are often named like their target.
    if (reached.kind === 'derived') return undefined;
    const owner = holderOf(reached) ?? itemOwner(frame, reached);
    if (owner !== undefined && model.members(owner.type).has(step.name)) return undefined;
  }
  const type = model.types.get(fullName(model, step.name));
  return type !== undefined && isStructured(type) ? type : undefined;
}

/** The item of a collection, where paths may traverse collections. */
function itemOwner(frame: Frame, reached: Reached): GuardedOwner | undefined {
  const collection = frame.spread === undefined ? undefined : collectionOf(frame, reached);
  return collection === undefined ? undefined : holderOf(itemOf(collection));
}

function castTo(frame: Frame, reached: Reached, type: StructuredType, at: number): Reached {
  switch (reached.kind) {
    case 'row': {
      const to = narrowType(frame, reached.type, type, at);
      return to === reached.type ? reached : { ...reached, type: to, ...castGuard(reached, to) };
    }
    case 'value':
      return castValue(frame, reached, type, at);
    case 'rows': {
      const { row } = reached.rows;
      const to = narrowType(frame, row.type, type, at);
      if (to === row.type) return reached;
      const operand = itemValue({ kind: 'rows', rows: reached.rows });
      const rows = narrowRows(reached.rows, instanceOf(operand, to));
      return { kind: 'rows', rows: { ...rows, row: { ...row, type: to } } };
    }
    case 'elements':
      return castElements(frame, reached.collection, type, at);
    default:
      throw notAPath(frame, reached, type.name, at);
  }
}

function castValue(
  frame: Frame,
  reached: ResolvedValue,
  type: StructuredType,
  at: number,
): Reached {
  const { value } = reached;
  if (value.kind !== 'property' || value.type.kind !== 'complex') {
    throw notAPath(frame, reached, type.name, at);
  }
  const collection = collectionOf(frame, reached);
  if (collection?.kind === 'elements') return castElements(frame, collection, type, at);
  const to = narrowType(frame, value.type.type, type, at);
  if (to === value.type.type) return reached;
  const narrower: Expression = { ...value, type: { ...value.type, type: to } };
  return { ...reached, value: narrower, ...castGuard(reached, to) };
}

function castElements(
  frame: Frame,
  collection: Collection & { readonly kind: 'elements' },
  type: StructuredType,
  at: number,
): Reached {
  const item = collection.row.type;
  if (item.kind !== 'complex') throw notAPath(frame, reachCollection(collection), type.name, at);
  const to = narrowType(frame, item.type, type, at);
  if (to === item.type) return reachCollection(collection);
  const where = [...collection.where, instanceOf(itemValue(collection), to)];
  const row = { ...collection.row, type: { ...item, type: to } };
  return { kind: 'elements', collection: { ...collection, row, where } };
}

/** The guard of a cast. If casts follow each other, only the last type is tested. */
function castGuard(
  reached: ResolvedRow | ResolvedValue,
  to: StructuredType,
): Pick<Guarded, 'cast'> {
  const operand = uncast(reached);
  const from = structureOf(operand.type);
  return from === undefined ? {} : { cast: { from, guard: instanceOf(operand, to) } };
}

/** The value without trailing casts. */
function uncast(reached: ResolvedRow | ResolvedValue): Expression {
  const from = reached.cast?.from;
  if (reached.kind === 'row') {
    const type = from?.kind === 'entity' ? from : reached.type;
    return { kind: 'row', row: reached.row, type: { kind: 'entity', type, collection: false } };
  }
  const { value } = reached;
  return value.kind === 'property' && value.type.kind === 'complex' && from?.kind === 'complex'
    ? { ...value, type: { ...value.type, type: from } }
    : value;
}

function structureOf(type: ValueType): StructuredType | undefined {
  return type.kind === 'complex' || type.kind === 'entity' ? type.type : undefined;
}

export function instanceOf(operand: Expression, of: StructuredType): Expression {
  return { kind: 'instance', operand, of, type: BOOLEAN };
}

// ---- members --------------------------------------------------------------------------------------------------------

/** Whether the step can only be a function: no member has the name, and it is qualified or followed by parentheses. */
function isFunctionName(frame: Frame, type: StructuredType, step: Tree.NameStep): boolean {
  const isMember = frame.session.scope.model.members(type).has(step.name);
  return !isMember && (step.name.includes('.') || step.arguments !== undefined);
}

function stepToMember(frame: Frame, owner: GuardedOwner, step: Tree.NameStep): Reached {
  const { model } = frame.session.scope;
  const { row, path, type } = owner;
  const member = model.members(type).get(step.name);
  const guards = guardsFor(frame, owner, step.name);
  if (member === undefined) {
    if (type.open !== true) throw unknownProperty(frame, type, step);
    const value: Expression = { kind: 'dynamic', row, path, name: step.name, type: UNTYPED };
    return { kind: 'value', value, guards };
  }
  if (member.kind === 'property') {
    if (step.arguments !== undefined) throw unknownProperty(frame, type, step);
    const valueType = typeOfReference(model, member);
    const value: Expression = { kind: 'property', row, path: [...path, member], type: valueType };
    return { kind: 'value', value, guards };
  }
  checkPathDepth(frame, row, step.at);
  const target = withGuards(navigate(frame.session, owner, member), guards);
  return step.arguments === undefined ? target : memberByKey(frame, target, member, step);
}

function guardsFor(frame: Frame, owner: GuardedOwner, name: string): readonly Expression[] {
  const { cast, guards } = owner;
  if (cast === undefined) return guards;
  const { model } = frame.session.scope;
  const isOwn = model.members(owner.type).has(name) && !model.members(cast.from).has(name);
  return isOwn ? guards : [...guards, cast.guard];
}

function withGuards(reached: Reached, guards: readonly Expression[]): Reached {
  if (guards.length === 0) return reached;
  if (reached.kind === 'row') return { ...reached, guards };
  return reached.kind === 'rows'
    ? { kind: 'rows', rows: guards.reduce(narrowRows, reached.rows) }
    : reached;
}

/** `Workorders(5)`: one row of the collection. Throws: bind.operand for a single-valued navigation, bind.key. */
function memberByKey(
  frame: Frame,
  reached: Reached,
  navigation: Navigation,
  step: Tree.NameStep,
): Reached {
  const args = step.arguments;
  if (reached.kind !== 'rows' || args === undefined) {
    throw new Fault(
      'bind.operand',
      {
        operator: '(…)',
        types: step.name,
        place: placeOf(frame, step.at),
        hint: ' It refers to a single entity, so remove the key.',
      },
      whereOf(frame, step.at),
    );
  }
  const { row } = reached.rows;
  rejectSecondKey(frame, { row, type: row.type }, step);
  return rowByKey(frame, reached.rows, args, navigation);
}

/** The row of the collection with the key. Throws: bind.key, bind.duplicate. */
export function rowByKey(
  frame: Frame,
  rows: Rows,
  args: Tree.Arguments,
  navigation?: Navigation,
): ResolvedRow {
  const { row } = rows;
  const keyed = { row, type: row.type };
  const match = bindKey(frame, navigation === undefined ? keyed : { ...keyed, navigation }, args);
  return reachAddressed(match.where.reduce(narrowRows, rows));
}

/** The entity of a filtered collection with the key. Throws: bind.key, also if the items are values. */
export function itemByKey(
  frame: Frame,
  collection: Collection,
  key: Tree.Arguments,
  at: number,
): Reached {
  if (collection.kind === 'rows') {
    const { rows } = collection;
    return rowByKey(frame, rows, key, navigationTo(rows));
  }
  throw keyOfValue(frame, itemTypeName(reachCollection(collection)), key, at);
}

/** The navigation to the rows, whose referential constraints may supply key properties. */
function navigationTo({ origin }: Rows): Navigation | undefined {
  return origin.kind === 'navigated' || origin.kind === 'related' ? origin.navigation : undefined;
}

export function reachAddressed(rows: Rows): ResolvedRow {
  return { kind: 'row', row: { kind: 'addressed', rows }, type: rows.row.type, guards: [] };
}

function stepToColumn(
  frame: Frame,
  reached: Reached & { readonly kind: 'derived' },
  step: Tree.NameStep,
): Reached {
  const name = reached.prefix === '' ? step.name : `${reached.prefix}/${step.name}`;
  const column = reached.row.columns.get(name);
  if (column !== undefined) {
    const rows = rowsOfColumn(reached.row, column);
    if (rows !== undefined) return reachAddressed(rows);
    return reachValue({ kind: 'column', row: reached.row, name, type: column.type });
  }
  const isPart = isColumnName(reached.row, name);
  if (!isPart || step.arguments !== undefined) throw unknownColumn(frame, reached, step.at, name);
  return { ...reached, prefix: name };
}

function stepToFunction(frame: Frame, reached: Reached, step: Tree.NameStep): Reached {
  const hasOverload = overloadsFor(frame, step.name, reached).length > 0;
  if (!hasOverload && step.arguments === undefined) {
    const owner = holderOf(reached);
    if (owner !== undefined) throw unknownProperty(frame, owner.type, step);
    throw notAPath(frame, reached, step.name, step.at);
  }
  const { name, at } = step;
  const result = callFunction(frame, { name, at, arguments: step.arguments, binding: reached });
  if (step.key === undefined) return result;
  if (result.kind !== 'rows') throw notAPath(frame, result, '(…)', at);
  return rowByKey(frame, result.rows, step.key);
}
