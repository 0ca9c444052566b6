import type { Navigation, StructuredType } from '../../edm/model.ts';
import { isDynamicName } from '../../edm/property-storage.ts';
import type * as Tree from '../../request/tree.ts';
import { registerCollection } from '../apply/collection-paths.ts';
import { isColumnName, rowsOfColumn } from '../apply/derived-columns.ts';
import { reachNested } from '../apply/nested-rows.ts';
import type { Collection, Computed, Expression, Rows, ValueType } from '../bound.ts';
import { narrowType, structuredNamed } from '../names.ts';
import { bindKey, keyOfValue, rejectSecondKey } from '../path/key-predicate.ts';
import { checkPathDepth, type MemberOwner, navigate } from '../path/navigation.ts';
import type { Frame, Guarded, Resolved, ResolvedRow, ResolvedValue, Subject } from '../scope.ts';
import { addressedRow, countInserted, faultAt, resolvedValue } from '../scope.ts';
import {
  castRows,
  collectionOf,
  itemOf,
  itemValue,
  narrowRows,
  resolvedCollection,
} from './collection.ts';
import { entityValue, instanceOf } from './constructors.ts';
import { itemTypeName, notAPath, unknownColumn, unknownProperty } from './member-errors.ts';
import { castObject, memberOfObject } from './object-value.ts';
import { callFunction, overloadsFor } from './operation-call.ts';
import { structureOf, typeOfReference, UNTYPED } from './types.ts';

/** A step from the current row, which may also have computed properties and nested rows. Throws: as stepByName. */
export function stepFromSubject(frame: Frame, subject: Subject, step: Tree.NameStep): Resolved {
  const computed = step.arguments === undefined ? subject.computed.get(step.name) : undefined;
  const nested = subject.nested?.find(({ name }) => name === step.name);
  if (nested !== undefined && step.arguments === undefined) {
    return reachNested(frame, nested, step.at);
  }
  return computed === undefined
    ? stepByName(frame, subject.resolved, step)
    : resolvedValue(computedValue(frame, computed));
}

function computedValue(frame: Frame, { name, expression, parts = 1 }: Computed): Expression {
  countInserted(frame, parts);
  return { kind: 'computed', name, definition: expression, type: expression.type };
}

/**
 * Resolves one step by name. Throws: bind.unknown-property, bind.unknown-function, bind.unrelated-type, bind.collection,
 * bind.aggregated-away, bind.not-a-path, bind.key.
 */
export function stepByName(frame: Frame, resolved: Resolved, step: Tree.NameStep): Resolved {
  const computed = resolved.kind === 'row' ? resolved.computed?.get(step.name) : undefined;
  if (computed !== undefined && step.arguments === undefined) {
    return resolvedValue(computedValue(frame, computed));
  }
  const isCast =
    step.arguments === undefined || (resolved.kind === 'rows' && step.key === undefined);
  const type = isCast ? castType(frame, resolved, step) : undefined;
  if (type !== undefined) {
    const cast = castTo(frame, resolved, type, step.at);
    return cast.kind === 'rows' && step.arguments !== undefined
      ? rowByKey(frame, cast.rows, step.arguments, navigationTo(cast.rows))
      : cast;
  }
  if (resolved.kind === 'derived') return stepToColumn(frame, resolved, step);
  const collection =
    frame.pathCollections === undefined ? undefined : collectionOf(frame, resolved);
  if (frame.pathCollections !== undefined && collection !== undefined) {
    return stepByName(
      frame,
      itemOf(registerCollection(frame, frame.pathCollections, collection, step.at)),
      step,
    );
  }
  if (resolved.kind === 'value' && step.arguments === undefined) {
    const value = memberOfObject(frame, resolved.value, step.name);
    if (value !== undefined) return { kind: 'value', value, guards: resolved.guards };
  }
  const owner = memberOwner(resolved);
  if (owner !== undefined && !isFunctionName(frame, owner.type, step)) {
    return stepToMember(frame, owner, step);
  }
  return stepToFunction(frame, resolved, step);
}

/** The resolved path as a value. Throws: bind.collection for rows, bind.aggregated-away for the prefix of a column. */
export function valueAt(frame: Frame, resolved: Resolved, tree: Tree.Expression): Expression {
  switch (resolved.kind) {
    case 'row':
      return rowValue(resolved);
    case 'value':
      return guarded(resolved, resolved.value);
    case 'derived':
      throw unknownColumn(frame, resolved, tree.at, '');
    default:
      throw faultAt(frame, tree.at, 'bind.collection', {
        thing: 'The path',
        type: itemTypeName(resolved),
        instead:
          frame.pathCollections === undefined
            ? 'use any, all or $count'
            : 'name one of the properties of its items',
      });
  }
}

/** A row, or a complex value in a row, with the guards of the path to it. */
interface GuardedOwner extends MemberOwner, Guarded {}

/** The row or complex value whose members the next step can name, or undefined if it has no members. */
export function memberOwner(resolved: Resolved): GuardedOwner | undefined {
  if (resolved.kind === 'row') return { ...resolved, path: [] };
  if (resolved.kind !== 'value') return undefined;
  const value = resolved.value.kind === 'computed' ? resolved.value.definition : resolved.value;
  if (value.kind !== 'property' || value.type.kind !== 'complex' || value.type.collection) {
    return undefined;
  }
  const { guards, cast } = resolved;
  const base = { row: value.row, path: value.path, type: value.type.type, guards };
  return cast === undefined ? base : { ...base, cast };
}

function rowValue(resolved: ResolvedRow): Expression {
  const operand = uncast(resolved);
  if (resolved.cast === undefined) return guarded(resolved, operand);
  const type: ValueType = { kind: 'entity', type: resolved.type, collection: false };
  return guarded(resolved, { kind: 'cast', operand, type });
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
function castType(
  frame: Frame,
  resolved: Resolved,
  step: Tree.NameStep,
): StructuredType | undefined {
  if (!step.name.includes('.')) {
    // The names of derived rows are columns. A column may have the name of a type, because navigations are often named like their target.
    if (resolved.kind === 'derived') return undefined;
    if (resolved.kind === 'value' && resolved.value.type.kind === 'untyped') return undefined;
    const owner = memberOwner(resolved) ?? itemOwner(frame, resolved);
    const structure = owner?.type ?? valueStructure(resolved);
    if (structure !== undefined && frame.model.members(structure).has(step.name)) return undefined;
  }
  return structuredNamed(frame.model, step.name);
}

function valueStructure(resolved: Resolved): StructuredType | undefined {
  return resolved.kind === 'value' ? structureOf(resolved.value.type) : undefined;
}

/** The item of a collection, where paths may traverse collections. */
function itemOwner(frame: Frame, resolved: Resolved): GuardedOwner | undefined {
  const collection =
    frame.pathCollections === undefined ? undefined : collectionOf(frame, resolved);
  return collection === undefined ? undefined : memberOwner(itemOf(collection));
}

function castTo(frame: Frame, resolved: Resolved, type: StructuredType, at: number): Resolved {
  switch (resolved.kind) {
    case 'row': {
      const to = narrowType(frame, resolved.type, type, at);
      return to === resolved.type
        ? resolved
        : { ...resolved, type: to, ...castGuard(resolved, to) };
    }
    case 'value':
      return castValue(frame, resolved, type, at);
    case 'rows': {
      const { rows } = resolved;
      return { kind: 'rows', rows: castRows(rows, narrowType(frame, rows.row.type, type, at)) };
    }
    case 'elements':
      return castElements(frame, resolved.collection, type, at);
    default:
      throw notAPath(frame, resolved, type.name, at);
  }
}

function castValue(
  frame: Frame,
  resolved: ResolvedValue,
  type: StructuredType,
  at: number,
): Resolved {
  const { value } = resolved;
  if (value.type.kind === 'complex' && !value.type.collection) {
    const to = narrowType(frame, value.type.type, type, at);
    const cast = castObject(frame, value, to);
    if (cast !== undefined) return { ...resolved, value: cast };
  }
  if (value.kind !== 'property' || value.type.kind !== 'complex') {
    throw notAPath(frame, resolved, type.name, at);
  }
  const collection = collectionOf(frame, resolved);
  if (collection?.kind === 'elements') return castElements(frame, collection, type, at);
  const to = narrowType(frame, value.type.type, type, at);
  if (to === value.type.type) return resolved;
  const narrower: Expression = { ...value, type: { ...value.type, type: to } };
  return { ...resolved, value: narrower, ...castGuard(resolved, to) };
}

function castElements(
  frame: Frame,
  collection: Collection & { readonly kind: 'elements' },
  type: StructuredType,
  at: number,
): Resolved {
  const item = collection.row.type;
  if (item.kind !== 'complex') throw notAPath(frame, resolvedCollection(collection), type.name, at);
  const to = narrowType(frame, item.type, type, at);
  if (to === item.type) return resolvedCollection(collection);
  const where = [...collection.where, instanceOf(itemValue(collection), to)];
  const row = { ...collection.row, type: { ...item, type: to } };
  return { kind: 'elements', collection: { ...collection, row, where } };
}

/** The guard of a cast. If casts follow each other, only the last type is tested. */
function castGuard(
  resolved: ResolvedRow | ResolvedValue,
  to: StructuredType,
): Pick<Guarded, 'cast'> {
  const operand = uncast(resolved);
  const from = structureOf(operand.type);
  return from === undefined ? {} : { cast: { from, guard: instanceOf(operand, to) } };
}

/** The value without trailing casts. */
function uncast(resolved: ResolvedRow | ResolvedValue): Expression {
  const from = resolved.cast?.from;
  if (resolved.kind === 'row') {
    const type = from?.kind === 'entity' ? from : resolved.type;
    return entityValue(resolved.row, type);
  }
  const { value } = resolved;
  return value.kind === 'property' && value.type.kind === 'complex' && from?.kind === 'complex'
    ? { ...value, type: { ...value.type, type: from } }
    : value;
}

// ---- members --------------------------------------------------------------------------------------------------------

/** Whether the step can only be a function: no member has the name, and it is qualified or followed by parentheses. */
function isFunctionName(frame: Frame, type: StructuredType, step: Tree.NameStep): boolean {
  const isMember = frame.model.members(type).has(step.name);
  return !isMember && (step.name.includes('.') || step.arguments !== undefined);
}

function stepToMember(frame: Frame, owner: GuardedOwner, step: Tree.NameStep): Resolved {
  const { row, path, type } = owner;
  const member = frame.model.members(type).get(step.name);
  const guards = guardsFor(frame, owner, step.name);
  if (member === undefined) {
    if (!isDynamicName(frame.model, type, step.name)) throw unknownProperty(frame, type, step);
    const value: Expression = { kind: 'dynamic', row, path, name: step.name, type: UNTYPED };
    return { kind: 'value', value, guards };
  }
  if (member.kind === 'property') {
    if (step.arguments !== undefined) throw unknownProperty(frame, type, step);
    const valueType = typeOfReference(frame.model, member);
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
  const isOwn =
    frame.model.members(owner.type).has(name) && !frame.model.members(cast.from).has(name);
  return isOwn ? guards : [...guards, cast.guard];
}

function withGuards(resolved: Resolved, guards: readonly Expression[]): Resolved {
  if (guards.length === 0) return resolved;
  if (resolved.kind === 'row') return { ...resolved, guards };
  return resolved.kind === 'rows'
    ? { kind: 'rows', rows: guards.reduce(narrowRows, resolved.rows) }
    : resolved;
}

/** `Workorders(5)`: one row of the collection. Throws: bind.operand for a single-valued navigation, bind.key. */
function memberByKey(
  frame: Frame,
  resolved: Resolved,
  navigation: Navigation,
  step: Tree.NameStep,
): Resolved {
  const args = step.arguments;
  if (resolved.kind !== 'rows' || args === undefined) {
    throw faultAt(frame, step.at, 'bind.operand', {
      operator: '(…)',
      types: step.name,
      hint: ' It refers to a single entity, so remove the key.',
    });
  }
  const { row } = resolved.rows;
  rejectSecondKey(frame, { row, type: row.type }, step);
  return rowByKey(frame, resolved.rows, args, navigation);
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
  return addressedRow(match.where.reduce(narrowRows, rows));
}

/** The entity of a filtered collection with the key. Throws: bind.key, also if the items are values. */
export function itemByKey(
  frame: Frame,
  collection: Collection,
  key: Tree.Arguments,
  at: number,
): Resolved {
  if (collection.kind === 'rows') {
    const { rows } = collection;
    return rowByKey(frame, rows, key, navigationTo(rows));
  }
  throw keyOfValue(frame, itemTypeName(resolvedCollection(collection)), key, at);
}

/** The navigation to the rows, whose referential constraints may supply key properties. */
function navigationTo({ origin }: Rows): Navigation | undefined {
  return origin.kind === 'navigated' || origin.kind === 'related' ? origin.navigation : undefined;
}

function stepToColumn(
  frame: Frame,
  resolved: Resolved & { readonly kind: 'derived' },
  step: Tree.NameStep,
): Resolved {
  const name = resolved.prefix === '' ? step.name : `${resolved.prefix}/${step.name}`;
  const column = resolved.row.columns.get(name);
  if (column !== undefined) {
    const rows = rowsOfColumn(resolved.row, column);
    if (rows !== undefined) return addressedRow(rows);
    return resolvedValue({ kind: 'column', row: resolved.row, name, type: column.type });
  }
  const isPart = isColumnName(resolved.row, name);
  if (!isPart || step.arguments !== undefined) throw unknownColumn(frame, resolved, step.at, name);
  return { ...resolved, prefix: name };
}

function stepToFunction(frame: Frame, resolved: Resolved, step: Tree.NameStep): Resolved {
  const hasOverload = overloadsFor(frame, step.name, resolved).length > 0;
  if (!hasOverload && step.arguments === undefined) {
    const owner = memberOwner(resolved);
    if (owner !== undefined) throw unknownProperty(frame, owner.type, step);
    throw notAPath(frame, resolved, step.name, step.at);
  }
  const { name, at } = step;
  const result = callFunction(frame, { name, at, arguments: step.arguments, binding: resolved });
  if (step.key === undefined) return result;
  if (result.kind !== 'rows') throw notAPath(frame, result, '(…)', at);
  return rowByKey(frame, result.rows, step.key);
}
