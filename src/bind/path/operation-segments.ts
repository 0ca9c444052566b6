// This file resolves operations in the resource path: function imports and bound functions, which are called here, and actions, which
// are only identified. OData 4.01 URL Conventions, "Addressing Operations".
import { Fault, invariant } from '../../base/fault.ts';
import { RIGHTS_ACCOUNT } from '../../edm/account-sets.ts';
import { WHAT_IF_VALUES } from '../../edm/clocks/operations.ts';
import type { Operation, OperationImport } from '../../edm/model.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import { misplacedSegment } from '../../request/path.ts';
import type * as Tree from '../../request/tree.ts';
import type { AddressStep, CalculationCall, ExplanationCall, LiteralExpression } from '../bound.ts';
import { collectionOf, narrowRows } from '../expression/collection.ts';
import {
  bindParameters,
  callFunction,
  chooseOverload,
  type FunctionCall,
  mostSpecific,
  overloadsFor,
  ownParameters,
  requireAvailable,
} from '../expression/operation-call.ts';
import { typeOfReference } from '../expression/types.ts';
import { operationsNamed } from '../names.ts';
import {
  type Frame,
  faultAt,
  notBuilt,
  type Resolved,
  type ResolvedValue,
  resolvedValue,
} from '../scope.ts';
import { rejectSecondKey } from './key-predicate.ts';
import { takeItemKey, takeKey } from './key-segments.ts';
import {
  addStep,
  type Place,
  type Position,
  relate,
  rowOf,
  rowsOfExpression,
  unknownSegment,
  type ValuePosition,
} from './position.ts';

/** A function or action import. Throws: bind.unknown-segment, request.misplaced-segment, and the codes of callFunction. */
export function callImport(
  frame: Frame,
  imported: OperationImport,
  segment: Tree.NameSegment,
): Place {
  if (imported.kind === 'action-import') {
    const [operation] = operationsNamed(frame.model, imported.operation).filter(
      ({ bound }) => !bound,
    );
    if (operation === undefined) throw unknownSegment(frame, 'the service', segment);
    rejectArguments(segment);
    return { kind: 'action', operation, address: [operationStep(imported.name, false)] };
  }
  const call = functionCall(frame, imported.operation, segment, undefined);
  const operation = chooseOverload(frame, call);
  const resolved =
    operation.engine === 'set-rights' || operation.engine === 'model-in-force'
      ? resultOfEngine(frame, operation)
      : callFunction(frame, call);
  const many = resolved.kind === 'rows';
  const address = [operationStep(imported.name, many)];
  return placeOfResult(frame, { operation, resolved, segment, address, on: undefined });
}

/** An empty result of the right type. The service replaces it, because it depends on more than values that the model describes. */
function resultOfEngine(frame: Frame, { returns }: Operation): Resolved {
  invariant(returns !== undefined, 'a function has a result');
  const type = typeOfReference(frame.model, returns);
  return resolvedValue({ kind: 'json', type, text: returns.collection ? '[]' : '{}' });
}

/** A function or action bound to the rows of the position. Throws: as callBound. */
export function callInPath(frame: Frame, position: Position, segment: Tree.NameSegment): Place {
  const isOne = !position.many || position.each;
  const binding: Resolved = isOne ? rowOf(position) : { kind: 'rows', rows: position.rows };
  return callBound(frame, position, binding, segment);
}

/**
 * A function or action bound to `binding`, which the position addresses. Throws: bind.unknown-segment, request.misplaced-segment, and
 * the codes of callFunction.
 */
export function callBound(
  frame: Frame,
  position: Position,
  binding: Resolved,
  segment: Tree.NameSegment,
): Place {
  const candidates = overloadsFor(frame, segment.name, binding);
  const action = mostSpecific(
    frame,
    candidates.filter(({ kind }) => kind === 'action'),
  );
  if (candidates.length === 0) throw unknownSegment(frame, position.rows.row.type, segment);
  if (action !== undefined) {
    rejectArguments(segment);
    const address = addStep(position, operationStep(action.name, false));
    return { kind: 'action', operation: action, on: position, address };
  }
  if (position.each) throw misplacedSegment(segment.name, 'after $each', segment.at);
  const call = functionCall(frame, segment.name, segment, binding);
  const operation = chooseOverload(frame, call);
  if (operation.engine === 'effective-rights' && position.value === undefined) {
    const address = addStep(position, operationStep(operation.name, false));
    const rights = { mark: 'rights', closed: operation.name, nullable: false, address } as const;
    return { ...position, ...rights, ...accountArgument(frame, operation, call) };
  }
  if (operation.engine === 'by-reference') {
    rejectSecondKey(frame, { row: position.rows.row, type: position.rows.row.type }, segment);
    return takeReference(frame, position, operation, call);
  }
  if (operation.engine === 'allowed-transitions') {
    const address = addStep(position, operationStep(operation.name, position.many));
    return { ...position, mark: 'transitions', closed: operation.name, address };
  }
  if (operation.engine === 'explain' || operation.engine === 'what-if') {
    const explanation = explanationOf(frame, operation, call);
    const address = addStep(position, operationStep(operation.name, position.many));
    return { ...position, explanation, closed: operation.name, nullable: false, address };
  }
  if (isCalculation(operation) && !position.many && position.value === undefined) {
    const address = addStep(position, operationStep(operation.name, false));
    const calculation = { operation, values: literalArguments(frame, operation, call) };
    return { ...position, calculation, closed: operation.name, nullable: false, address };
  }
  const resolved = callFunction(frame, {
    ...call,
    binding: boundTo(frame, operation, position, binding),
  });
  const address = addStep(position, operationStep(operation.name, resolved.kind === 'rows'));
  return placeOfResult(frame, { operation, resolved, segment, address, on: position });
}

/**
 * The value of `$it` in the expression of the function. If the function returns rows, its SQL statement has no variable for the bound
 * row, so conditions such as `Id ne $it/Id` look that row up by its address.
 */
function boundTo(
  frame: Frame,
  { returns }: Operation,
  { rows }: Position,
  binding: Resolved,
): Resolved {
  const returnsRows =
    returns !== undefined && typeOfReference(frame.model, returns).kind === 'entity';
  if (!returnsRows) return binding;
  const row = { kind: 'addressed', rows } as const;
  if (binding.kind === 'row') return { ...binding, row };
  const isOfRow = binding.kind === 'value' && binding.value.kind === 'property';
  return isOfRow ? { ...binding, value: { ...binding.value, row } } : binding;
}

/** The entity that has the item with the arguments as its key: `ServiceRequests/ByReference(System='jira',Id='X-1')`. Throws: bind.argument. */
function takeReference(
  frame: Frame,
  position: Position,
  operation: Operation,
  call: FunctionCall,
): Position {
  const values = [...bindParameters(frame, operation, call)].flatMap(([name, argument]) =>
    argument.kind === 'value' ? [[name, argument.value] as const] : [],
  );
  const missing = values.find(([, value]) => value.kind === 'literal' && isNull(value));
  if (missing !== undefined) {
    const expected = `a string for ${missing[0]}`;
    throw faultAt(frame, call.at, 'bind.argument', { name: call.name, types: 'null', expected });
  }
  return takeItemKey(frame, position, new Map(values));
}

/** A parameter is never null. */
function isNull(literal: LiteralExpression): boolean {
  return literal.parameter === undefined && literal.value === null;
}

/** The account argument of EffectiveRights, which must be a string literal. Throws: bind.argument. */
function accountArgument(
  frame: Frame,
  operation: Operation,
  call: FunctionCall,
): Pick<Position, 'whose'> {
  if (ownParameters(operation).length === 0) return {};
  const argument = bindParameters(frame, operation, call).get(RIGHTS_ACCOUNT);
  const literal =
    argument?.kind === 'value' && argument.value.kind === 'literal' ? argument.value : undefined;
  if (typeof literal?.value === 'string') return { whose: literal.value };
  const types = literal === undefined ? 'an expression' : 'null';
  const expected = `the login name of an account for ${RIGHTS_ACCOUNT}, such as 'ada'`;
  throw faultAt(frame, call.at, 'bind.argument', { name: call.name, types, expected });
}

/** What WhatIf is asked about, or nothing for Explain. Throws: bind.argument. */
function explanationOf(frame: Frame, operation: Operation, call: FunctionCall): ExplanationCall {
  if (operation.engine === 'explain') return { operation };
  const argument = bindParameters(frame, operation, call).get(WHAT_IF_VALUES);
  const value = argument?.kind === 'value' ? argument.value : undefined;
  if (value?.kind === 'json' && value.text.startsWith('{'))
    return { operation, values: value.text };
  const expected = `a JSON object for ${WHAT_IF_VALUES}, such as @v with @v={"Name":"value"}`;
  throw faultAt(frame, call.at, 'bind.argument', {
    name: call.name,
    types: 'another value',
    expected,
  });
}

function isCalculation(operation: Operation): operation is CalculationCall['operation'] {
  return operation.calculates !== undefined;
}

/** The arguments of a calculation, which are literals, since the database does not evaluate them. Throws: bind.argument. */
function literalArguments(
  frame: Frame,
  operation: Operation,
  call: FunctionCall,
): CalculationCall['values'] {
  requireAvailable(operation);
  const bound = bindParameters(frame, operation, call);
  return ownParameters(operation).map(({ name, type }) => {
    const argument = bound.get(name);
    const value = argument?.kind === 'value' ? argument.value : undefined;
    if (value?.kind === 'literal' && value.value !== null) return value.value;
    const types = value?.kind === 'literal' ? 'null' : 'an expression';
    const expected = `a literal ${type} for ${name}`;
    throw faultAt(frame, call.at, 'bind.argument', { name: call.name, types, expected });
  });
}

/** The result of an operation in a path. */
interface OperationResult {
  readonly operation: Operation;
  readonly resolved: Resolved;
  readonly segment: Pick<Tree.NameSegment, 'at' | 'key'>;
  readonly address: Position['address'];
  /** The position that the operation is bound to, if any. */
  readonly on: Position | undefined;
}

/** The result as a place. If the function is not composable, the path must end here. Throws: bind.key, not-built. */
export function placeOfResult(frame: Frame, result: OperationResult): Place {
  const { operation, resolved, segment, address, on } = result;
  const parent = on?.many === true ? on.parent : on?.rows;
  const base = {
    kind: 'position',
    nullable: operation.returns?.nullable ?? true,
    address,
    each: false,
    ...(operation.composable === true ? {} : { closed: operation.name }),
    parent,
  } as const;
  switch (resolved.kind) {
    case 'rows': {
      const rows = relate(frame.session, on?.rows, resolved.rows);
      const place: Position = { ...base, rows, many: true };
      return segment.key === undefined ? place : takeKey(frame, place, segment.key);
    }
    case 'row': {
      const rows = rowsOfExpression(frame.session, on?.rows, resolved.row);
      return { ...base, rows: resolved.guards.reduce(narrowRows, rows), many: false };
    }
    case 'value':
      return on === undefined || on.many
        ? { kind: 'result', operation, value: resolved.value, nullable: base.nullable, raw: false }
        : { ...on, ...base, nullable: true, value: resultValue(frame, resolved) };
    default:
      throw notBuilt(frame, `the result of ${operation.name}`, segment.at);
  }
}

function resultValue(frame: Frame, resolved: ResolvedValue): ValuePosition {
  const { value, guards } = resolved;
  const collection = collectionOf(frame, resolved);
  return collection?.kind === 'elements'
    ? { value, path: [], guards, elements: { row: collection.row, where: collection.where } }
    : { value, path: [], guards };
}

function functionCall(
  frame: Frame,
  name: string,
  segment: Tree.NameSegment,
  binding: Resolved | undefined,
): FunctionCall {
  return {
    name,
    at: segment.at,
    arguments: segment.arguments,
    binding,
    implicit: (parameter) => implicitValue(frame, parameter),
  };
}

/** The value of an implicit parameter alias, `F?p=1`. OData 4.01 Protocol, "Implicit Parameter Aliases". Throws: bind.duplicate. */
function implicitValue(frame: Frame, name: string): Tree.Expression | undefined {
  const values = frame.custom?.get(name);
  const [text, ...others] = values ?? [];
  if (text === undefined) return undefined;
  if (others.length > 0) {
    throw new Fault('bind.duplicate', { name, place: 'in the query' }, { target: name });
  }
  return parseExpression(text, name);
}

function operationStep(name: string, many: boolean): AddressStep {
  return { name, kind: 'operation', many };
}

/** Parameters of actions are sent in the request body. Throws: request.misplaced-segment. */
function rejectArguments(segment: Tree.NameSegment): void {
  const args = segment.arguments;
  if (args === undefined || args.kind === 'empty') return;
  throw misplacedSegment(
    `${segment.name}(…)`,
    'with parameters in the URL; send the parameters of an action in the request body',
    segment.at,
  );
}
