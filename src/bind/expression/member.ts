// This file takes one step of a path by name: to a property, over a navigation, through a cast, into a bound function, or to a
// dynamic property of an open type. Casts do not fail on rows of another type: the path is null there.
import { Fault } from '../../base/fault.ts';
import type { Navigation, StructuredType } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import { spreadOut } from '../apply/collection-paths.ts';
import { isColumnName, rowsOfColumn } from '../apply/derived-columns.ts';
import { reachNested } from '../apply/nested-rows.ts';
import type { Collection, Computed, Expression, Rows, ValueType } from '../bound.ts';
import { fullName, narrowType } from '../names.ts';
import { bindKey, keyOfValue, refuseSecondKey } from '../path/key-predicate.ts';
import { type Holder, navigate, refuseDeeper } from '../path/navigation.ts';
import {
  type Frame,
  type Guarded,
  placeOf,
  type Reached,
  type ReachedRow,
  type ReachedValue,
  reachValue,
  type Subject,
  whereOf,
} from '../scope.ts';
import { collectionOf, itemOf, itemValue, narrowRows, reachCollection } from './collection.ts';
import { itemTypeName, notAPath, unknownColumn, unknownProperty } from './member-errors.ts';
import { callFunction, overloadsFor } from './operation-call.ts';
import { BOOLEAN, typeOfReference, UNTYPED } from './types.ts';

/** The step from the row in focus, whose computed properties can be named too. */
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
 * One step by name. Faults: bind.unknown-property, bind.unknown-function, bind.unrelated-type, bind.collection,
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
  const holder = holderOf(reached);
  if (holder !== undefined && !isFunctionName(frame, holder.type, step)) {
    return stepToMember(frame, holder, step);
  }
  return stepToFunction(frame, reached, step);
}

/** The value that a path ends with. Faults: bind.collection where it ends with rows. */
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
              ? 'ask of its items with any, all or $count'
              : 'name one of the properties of its items',
          place: placeOf(frame, tree.at),
        },
        whereOf(frame, tree.at),
      );
  }
}

/** What has members: a row, or a complex value in one. */
export interface Held extends Holder, Guarded {}

/** The row or complex value that members are looked for in, or undefined where there are none. */
export function holderOf(reached: Reached): Held | undefined {
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

function rowValue(reached: ReachedRow): Expression {
  const whole = uncast(reached);
  if (reached.cast === undefined) return guarded(reached, whole);
  const type: ValueType = { kind: 'entity', type: reached.type, collection: false };
  return guarded(reached, { kind: 'cast', operand: whole, type });
}

/** The value, or null where a guard does not hold. */
function guarded({ guards }: Guarded, value: Expression): Expression {
  return guards.reduce<Expression>(
    (then, when) => ({ kind: 'case', branches: [{ when, then }], type: value.type }),
    value,
  );
}

// ---- casts ----------------------------------------------------------------------------------------------------------

/** The type that the step names; members of the same name come first. */
function castType(frame: Frame, reached: Reached, step: Tree.NameStep): StructuredType | undefined {
  const { model } = frame.session.scope;
  if (!step.name.includes('.')) {
    // A derived row has names of columns only, and these may be those of types: a navigation is often called like its target.
    if (reached.kind === 'derived') return undefined;
    const holder = holderOf(reached) ?? holderOfItem(frame, reached);
    if (holder !== undefined && model.members(holder.type).has(step.name)) return undefined;
  }
  const type = model.types.get(fullName(model, step.name));
  return type !== undefined && isStructured(type) ? type : undefined;
}

/** What has members where paths lead through collections. */
function holderOfItem(frame: Frame, reached: Reached): Held | undefined {
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
      const whole = itemValue({ kind: 'rows', rows: reached.rows });
      const rows = narrowRows(reached.rows, instanceOf(whole, to));
      return { kind: 'rows', rows: { ...rows, row: { ...row, type: to } } };
    }
    case 'elements':
      return castElements(frame, reached.collection, type, at);
    default:
      throw notAPath(frame, reached, type.name, at);
  }
}

function castValue(frame: Frame, reached: ReachedValue, type: StructuredType, at: number): Reached {
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

/** The cast that the path has just made. One cast behind another asks for the narrower type only. */
function castGuard(reached: ReachedRow | ReachedValue, to: StructuredType): Pick<Guarded, 'cast'> {
  const whole = uncast(reached);
  const from = structureOf(whole.type);
  return from === undefined ? {} : { cast: { from, guard: instanceOf(whole, to) } };
}

/** The value as it was before the casts at its end. */
function uncast(reached: ReachedRow | ReachedValue): Expression {
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

/** Parentheses behind a name that no navigation has are those of a function. */
function isFunctionName(frame: Frame, type: StructuredType, step: Tree.NameStep): boolean {
  const isMember = frame.session.scope.model.members(type).has(step.name);
  return !isMember && (step.name.includes('.') || step.arguments !== undefined);
}

function stepToMember(frame: Frame, held: Held, step: Tree.NameStep): Reached {
  const { model } = frame.session.scope;
  const { row, path, type } = held;
  const member = model.members(type).get(step.name);
  const guards = guardsFor(frame, held, step.name);
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
  refuseDeeper(frame, held.row, step.at);
  const target = withGuards(navigate(frame.session, held, member), guards);
  return step.arguments === undefined ? target : memberByKey(frame, target, member, step);
}

function guardsFor(frame: Frame, held: Held, name: string): readonly Expression[] {
  const { cast, guards } = held;
  if (cast === undefined) return guards;
  const { model } = frame.session.scope;
  const isOwn = model.members(held.type).has(name) && !model.members(cast.from).has(name);
  return isOwn ? guards : [...guards, cast.guard];
}

function withGuards(reached: Reached, guards: readonly Expression[]): Reached {
  if (guards.length === 0) return reached;
  if (reached.kind === 'row') return { ...reached, guards };
  return reached.kind === 'rows'
    ? { kind: 'rows', rows: guards.reduce(narrowRows, reached.rows) }
    : reached;
}

/** `Workorders(5)`: one row of the collection. */
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
        hint: ' It leads to one entity, so it takes no key.',
      },
      whereOf(frame, step.at),
    );
  }
  const { row } = reached.rows;
  refuseSecondKey(frame, { row, type: row.type }, step);
  return rowByKey(frame, reached.rows, args, navigation);
}

/** The one row of the collection that has the key. */
export function rowByKey(
  frame: Frame,
  rows: Rows,
  args: Tree.Arguments,
  navigation?: Navigation,
): ReachedRow {
  const { row } = rows;
  const keyed = { row, type: row.type };
  const match = bindKey(frame, navigation === undefined ? keyed : { ...keyed, navigation }, args);
  return reachAddressed(match.where.reduce(narrowRows, rows));
}

/** The one entity of a collection that a path has narrowed. Faults: bind.key, also where the items are values. */
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

/** The navigation that the rows were reached by, whose constraints may give parts of their keys. */
function navigationTo({ origin }: Rows): Navigation | undefined {
  return origin.kind === 'navigated' || origin.kind === 'related' ? origin.navigation : undefined;
}

export function reachAddressed(rows: Rows): ReachedRow {
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
    const holder = holderOf(reached);
    if (holder !== undefined) throw unknownProperty(frame, holder.type, step);
    throw notAPath(frame, reached, step.name, step.at);
  }
  const { name, at } = step;
  const result = callFunction(frame, { name, at, arguments: step.arguments, binding: reached });
  if (step.key === undefined) return result;
  if (result.kind !== 'rows') throw notAPath(frame, result, '(…)', at);
  return rowByKey(frame, result.rows, step.key);
}
