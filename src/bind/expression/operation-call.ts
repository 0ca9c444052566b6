// This file binds calls of the model's own functions: it picks the overload by what the function is bound to and by the names of
// the parameters, binds these, and puts the function's expression in the place of the call.
import { Fault, invariant } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Operation, Parameter } from '../../edm/model.ts';
import { entityType, isAssignable, simpleName } from '../../edm/model.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { operationsNamed } from '../names.ts';
import {
  type Frame,
  placeOf,
  type Reached,
  reachValue,
  startFrame,
  subjectOf,
  whereOf,
} from '../scope.ts';
import { reachedType } from './collection.ts';
import { show, showKey } from './excerpt.ts';
import { constant, fitGiven } from './literal.ts';
import { bindOperand, promote } from './promotion.ts';
import { commonType, INT64, primitive, STRING, typeName, typeOfReference } from './types.ts';

/** A call as it was written. */
export interface FunctionCall {
  readonly name: string;
  readonly at: number;
  readonly arguments: Tree.Arguments | undefined;
  /** What it is bound to; undefined for functions that are not bound. */
  readonly binding: Reached | undefined;
  /** Parameters that are given by options of their name, `F?p=1`. */
  readonly implicit?: (name: string) => Tree.Expression | undefined;
}

/**
 * What the function gives back. Faults: bind.unknown-function, bind.unknown-parameter, bind.argument, not-built for functions
 * whose model says nothing of what they do.
 */
export function callFunction(frame: Frame, call: FunctionCall): Reached {
  const operation = chooseOverload(frame, call);
  requireAvailable(operation);
  const { expression, name } = operation;
  if (expression === undefined) {
    throw new Fault('not-built', { feature: `function ${name}` }, whereOf(frame, call.at));
  }
  invariant(!frame.resolving.includes(name), `the function ${name} calls itself`);
  const body = readBody(expression, name);
  return typedResult(
    operation,
    frame,
    frame.session.reach(bodyFrame(frame, operation, call), body),
  );
}

/** The functions of that name that can be bound to what was reached (or are not bound, where nothing was). */
export function overloadsFor(
  frame: Frame,
  name: string,
  binding: Reached | undefined,
): readonly Operation[] {
  const { model } = frame.session.scope;
  const all = operationsNamed(model, name).filter(({ bound }) => bound === (binding !== undefined));
  return binding === undefined ? all : all.filter((item) => fitsBinding(frame, item, binding));
}

/** The overload that is meant. Faults: bind.unknown-function, bind.unknown-parameter. */
export function chooseOverload(frame: Frame, call: FunctionCall): Operation {
  const candidates = overloadsFor(frame, call.name, call.binding).filter(
    ({ kind }) => kind === 'function',
  );
  if (candidates.length === 0) throw unknownFunction(frame, call);
  const names = new Set(givenArguments(frame, call).map(({ name }) => name));
  refuseRepeated(frame, call, names);
  const implicit = call.implicit;
  const fitting = candidates.filter((operation) => {
    const parameters = ownParameters(operation);
    const isKnown = [...names].every((name) => parameters.some((item) => item.name === name));
    return (
      isKnown &&
      parameters.every(
        (item) =>
          item.optional === true || names.has(item.name) || implicit?.(item.name) !== undefined,
      )
    );
  });
  const first = mostSpecific(frame, fitting);
  if (first !== undefined) return first;
  throw new Fault(
    'bind.unknown-parameter',
    {
      name: call.name,
      given: [...names].join(','),
      expected: candidates.map(signature).join(' or '),
      place: placeOf(frame, call.at),
    },
    whereOf(frame, call.at),
  );
}

/** A parameter is given once, in the parentheses or as an option. Faults: bind.duplicate. */
function refuseRepeated(frame: Frame, call: FunctionCall, names: ReadonlySet<string>): void {
  const seen = new Set([...names].filter((name) => call.implicit?.(name) !== undefined));
  const repeated = givenArguments(frame, call).find(
    ({ name }) => seen.size === seen.add(name).size,
  );
  if (repeated === undefined) return;
  const place = placeOf(frame, call.at);
  throw new Fault('bind.duplicate', { name: repeated.name, place }, whereOf(frame, call.at));
}

/** An operation can be switched off by Core.OperationAvailable. Faults: bind.unavailable. */
export function requireAvailable({ name, annotations }: Operation): void {
  if (annotations?.['Core.OperationAvailable'] === false)
    throw new Fault('bind.unavailable', { name });
}

/** The parameters without the binding parameter. */
export function ownParameters(operation: Operation): readonly Parameter[] {
  return operation.bound ? operation.parameters.slice(1) : operation.parameters;
}

function fitsBinding(frame: Frame, operation: Operation, binding: Reached): boolean {
  const { model } = frame.session.scope;
  const [parameter] = operation.parameters;
  if (parameter === undefined) return false;
  const wanted = typeOfReference(model, parameter);
  switch (binding.kind) {
    case 'row':
      return (
        wanted.kind === 'entity' &&
        !wanted.collection &&
        isAssignable(model, binding.type, wanted.type)
      );
    case 'rows':
      return (
        wanted.kind === 'entity' &&
        wanted.collection &&
        isAssignable(model, binding.rows.row.type, wanted.type)
      );
    case 'made': {
      const { type } = binding.collection;
      const isFor = wanted.kind === 'entity' && wanted.collection;
      return isFor && type !== undefined && isAssignable(model, type, wanted.type);
    }
    case 'value':
      return fitsValue(frame, binding.value, parameter);
    default:
      return false;
  }
}

function fitsValue(frame: Frame, value: Expression, parameter: Parameter): boolean {
  const wanted = typeOfReference(frame.session.scope.model, parameter);
  if (value.type.kind === 'complex' && wanted.kind === 'complex') {
    return (
      value.type.collection === wanted.collection &&
      isAssignable(frame.session.scope.model, value.type.type, wanted.type)
    );
  }
  return typeName(value.type) === typeName(wanted);
}

/** The overload for the most derived type. OData CSDL 4.01, "Action Overloads", "Function Overloads". */
export function mostSpecific(frame: Frame, overloads: readonly Operation[]): Operation | undefined {
  return overloads.toSorted((one, other) => specificity(frame, other) - specificity(frame, one))[0];
}

/** How far down the hierarchy the type is that a function is bound to: the overload of the most derived type wins. */
function specificity(frame: Frame, operation: Operation): number {
  const { model } = frame.session.scope;
  let type = model.types.get(operation.bound ? (operation.parameters[0]?.type ?? '') : '');
  let depth = 0;
  while (type !== undefined && (type.kind === 'entity' || type.kind === 'complex')) {
    depth += 1;
    type = type.base === undefined ? undefined : model.types.get(type.base);
  }
  return depth;
}

function givenArguments(frame: Frame, call: FunctionCall): readonly Tree.NamedArgument[] {
  const args = call.arguments;
  if (args === undefined || args.kind === 'empty') return [];
  if (args.kind === 'named') return args.pairs;
  const expected = overloadsFor(frame, call.name, call.binding).map(signature).join(' or ');
  throw new Fault(
    'bind.argument',
    {
      name: call.name,
      types: args.values.map(show).join(','),
      expected,
      place: placeOf(frame, call.at),
    },
    whereOf(frame, call.at),
  );
}

function signature(operation: Operation): string {
  const names = ownParameters(operation).map(({ name }) => `${name}=…`);
  return `${simpleName(operation.name)}(${names.join(',')})`;
}

/** ` Write $root/Persons(31).` for an entity that is written in an expression as in a path. */
export function adviceForSet(
  { session }: Frame,
  name: string,
  key: Tree.Arguments | undefined,
): string {
  const { sets, singulars } = session.scope.model;
  const set = sets.get(name) ?? singulars.get(name);
  if (set === undefined || key === undefined || set.kind === 'singleton' || key.kind === 'empty')
    return '';
  return ` Write $root/${set.name}(${showKey(key)}).`;
}

function unknownFunction(frame: Frame, call: FunctionCall): Fault {
  const { model } = frame.session.scope;
  const names = [...model.operations.values()].flat().filter(({ kind }) => kind === 'function');
  const nearest = didYouMean(
    call.name,
    names.map(({ name }) => (call.name.includes('.') ? name : simpleName(name))),
  );
  const hint = adviceForSet(frame, call.name, call.arguments) || nearest;
  const thing = call.binding === undefined ? 'the service' : reachedType(call.binding);
  return new Fault(
    'bind.unknown-function',
    { name: call.name, thing, hint, place: placeOf(frame, call.at) },
    whereOf(frame, call.at),
  );
}

/** An expression of the model. Faults: request.syntax where the model is wrong. */
export function readBody(expression: string, name: string): Tree.Expression {
  return parseExpression(expression, `the operation ${name}`);
}

/** In the expression of a function `$it` is what it is bound to, and its parameters are aliases. */
function bodyFrame(frame: Frame, operation: Operation, call: FunctionCall): Frame {
  const subject = call.binding === undefined ? undefined : subjectOf(call.binding);
  const part = { name: undefined, target: `the function ${operation.name}` };
  return {
    ...startFrame(frame.session, part, subject),
    parameters: bindParameters(frame, operation, call),
    resolving: [...frame.resolving, operation.name],
  };
}

/** What is given for the parameters of the overload, by name. Faults: bind.argument. */
export function bindParameters(
  frame: Frame,
  operation: Operation,
  call: FunctionCall,
): ReadonlyMap<string, Reached> {
  const given = new Map(givenArguments(frame, call).map((pair) => [pair.name, pair.value]));
  const { model } = frame.session.scope;
  const entries = ownParameters(operation).map((parameter): [string, Reached] => {
    const explicit = given.get(parameter.name);
    const implicit = call.implicit?.(parameter.name);
    if (explicit !== undefined) return [parameter.name, bindParameter(frame, parameter, explicit)];
    const valueFrame = optionFrame(frame, parameter.name);
    return implicit === undefined
      ? [parameter.name, reachValue(constant(typeOfReference(model, parameter), null))]
      : [parameter.name, bindParameter(valueFrame, parameter, implicit)];
  });
  return new Map([...contextParameters(frame), ...entries]);
}

function optionFrame(frame: Frame, name: string): Frame {
  return { ...frame, part: { name: undefined, target: name } };
}

/** What every expression of the model may ask for: who asks, and when. */
export function contextParameters(frame: Frame): ReadonlyMap<string, Reached> {
  return new Map<string, Reached>([
    ['me', reachValue({ kind: 'context', name: 'me', type: personKeyType(frame) })],
    ['account', reachValue({ kind: 'context', name: 'account', type: STRING })],
    [
      'now',
      reachValue({
        kind: 'context',
        name: 'now',
        type: primitive('Edm.DateTimeOffset', { precision: 3 }),
      }),
    ],
  ]);
}

function personKeyType(frame: Frame): Expression['type'] {
  const { model } = frame.session.scope;
  const set = model.sets.get(model.definition.people ?? '');
  if (set === undefined) return INT64;
  const type = entityType(model, set.type);
  const [part, ...others] = model.key(type);
  const property = part === undefined ? undefined : model.members(type).get(part.path);
  return property?.kind === 'property' && others.length === 0
    ? typeOfReference(model, property)
    : INT64;
}

function bindParameter(frame: Frame, parameter: Parameter, tree: Tree.Expression): Reached {
  const { model } = frame.session.scope;
  const type = typeOfReference(model, parameter);
  if (type.kind === 'entity') return frame.session.reach(frame, tree);
  const { value } = bindOperand(frame, tree);
  const fitted = value.kind === 'literal' ? fitGiven(value, type) : undefined;
  if (fitted !== undefined) return reachValue(fitted);
  const common = commonType(model, value.type, type);
  const isWideEnough = common !== undefined && typeName(common) === typeName(type);
  if (isWideEnough && value.kind !== 'literal') return reachValue(promote(value, type));
  throw new Fault(
    'bind.argument',
    {
      name: parameter.name,
      types: `${show(tree)} of type ${typeName(value.type)}`,
      expected: `a value of type ${typeName(type)}`,
      place: placeOf(frame, tree.at),
    },
    whereOf(frame, tree.at),
  );
}

/** The result in the type that the function declares. */
export function typedResult(operation: Operation, frame: Frame, reached: Reached): Reached {
  if (operation.returns === undefined || reached.kind !== 'value') return reached;
  const type = typeOfReference(frame.session.scope.model, operation.returns);
  return type.kind === 'entity' ? reached : reachValue(promote(reached.value, type));
}
