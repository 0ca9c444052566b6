// This file binds calls of functions of the model: it selects the overload by the binding parameter and the parameter names, binds the
// arguments, and replaces the call by the expression of the function.
import { Fault } from '../../base/fault.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { Operation, Parameter } from '../../edm/model.ts';
import { entityType, isAssignable, simpleName } from '../../edm/model.ts';
import { valueRules } from '../../edm/validation/value-rules.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, LiteralExpression } from '../bound.ts';
import { operationsNamed } from '../names.ts';
import type { Frame, Resolved } from '../scope.ts';
import { faultAt, notBuilt, resolvedValue, startFrame, subjectOf } from '../scope.ts';
import { resolvedTypeName } from './collection.ts';
import { show, showKey } from './excerpt.ts';
import { bindResultOf } from './limited-rows.ts';
import { constant } from './literal.ts';
import { declaredValue } from './object-value.ts';
import { bindOperand, promote } from './promotion.ts';
import { INT64, STRING, TIMESTAMP, typeName, typeOfReference } from './types.ts';

/** A call as written in the request. */
export interface FunctionCall {
  readonly name: string;
  readonly at: number;
  readonly arguments: Tree.Arguments | undefined;
  /** The value of the binding parameter; undefined for unbound functions. */
  readonly binding: Resolved | undefined;
  /** Looks up a parameter in the query options, as in `F?p=1`. */
  readonly implicit?: (name: string) => Tree.Expression | undefined;
}

/**
 * The result of the function. Throws: bind.unknown-function, bind.unknown-parameter, bind.argument, bind.duplicate, bind.unavailable,
 * bind.function-circle, not-built for functions without an expression in the model.
 */
export function callFunction(frame: Frame, call: FunctionCall): Resolved {
  const operation = chooseOverload(frame, call);
  requireAvailable(operation);
  const { expression, name } = operation;
  if (expression === undefined) {
    throw notBuilt(frame, `function ${name}`, call.at);
  }
  if (frame.resolving.includes(name))
    throw faultAt(frame, call.at, 'bind.function-circle', { name });
  const result = bindResultOf(bodyFrame(frame, operation, call), expression, name);
  return typedResult(operation, frame, result);
}

/** The operations of that name that can be bound to `binding`, or the unbound ones if it is undefined. */
export function overloadsFor(
  frame: Frame,
  name: string,
  binding: Resolved | undefined,
): readonly Operation[] {
  const all = operationsNamed(frame.model, name).filter(
    ({ bound }) => bound === (binding !== undefined),
  );
  return binding === undefined ? all : all.filter((item) => fitsBinding(frame, item, binding));
}

/** The matching overload. Throws: bind.unknown-function, bind.unknown-parameter, bind.argument, bind.duplicate. */
export function chooseOverload(frame: Frame, call: FunctionCall): Operation {
  const candidates = overloadsFor(frame, call.name, call.binding).filter(
    ({ kind }) => kind === 'function',
  );
  if (candidates.length === 0) throw unknownFunction(frame, call);
  const names = new Set(namedArguments(frame, call).map(({ name }) => name));
  rejectDuplicates(frame, call, names);
  const implicit = call.implicit;
  const matching = candidates.filter((operation) => {
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
  const first = mostSpecific(frame, matching);
  if (first !== undefined) return first;
  throw faultAt(frame, call.at, 'bind.unknown-parameter', {
    name: call.name,
    given: [...names].join(','),
    expected: candidates.map(signature).join(' or '),
  });
}

/** A parameter may be passed only once, in parentheses or as a query option. Throws: bind.duplicate. */
function rejectDuplicates(frame: Frame, call: FunctionCall, names: ReadonlySet<string>): void {
  const known = new Set([...names].filter((name) => call.implicit?.(name) !== undefined));
  const duplicate = namedArguments(frame, call).find(
    ({ name }) => known.size === known.add(name).size,
  );
  if (duplicate === undefined) return;
  throw faultAt(frame, call.at, 'bind.duplicate', { name: duplicate.name });
}

/** Core.OperationAvailable can disable an operation. Throws: bind.unavailable. */
export function requireAvailable({ name, annotations }: Operation): void {
  if (annotations?.['Core.OperationAvailable'] === false)
    throw new Fault('bind.unavailable', { name });
}

/** The parameters except the binding parameter. */
export function ownParameters(operation: Operation): readonly Parameter[] {
  return operation.bound ? operation.parameters.slice(1) : operation.parameters;
}

function fitsBinding(frame: Frame, operation: Operation, binding: Resolved): boolean {
  const { model } = frame;
  const [parameter] = operation.parameters;
  if (parameter === undefined) return false;
  const expected = typeOfReference(model, parameter);
  switch (binding.kind) {
    case 'row':
      return (
        expected.kind === 'entity' &&
        !expected.collection &&
        isAssignable(model, binding.type, expected.type)
      );
    case 'rows':
      return (
        expected.kind === 'entity' &&
        expected.collection &&
        isAssignable(model, binding.rows.row.type, expected.type)
      );
    case 'made': {
      const { type } = binding.collection;
      const isEntities = expected.kind === 'entity' && expected.collection;
      return isEntities && type !== undefined && isAssignable(model, type, expected.type);
    }
    case 'value':
      return fitsValue(frame, binding.value, parameter);
    default:
      return false;
  }
}

function fitsValue(frame: Frame, value: Expression, parameter: Parameter): boolean {
  const expected = typeOfReference(frame.model, parameter);
  if (value.type.kind === 'complex' && expected.kind === 'complex') {
    return (
      value.type.collection === expected.collection &&
      isAssignable(frame.model, value.type.type, expected.type)
    );
  }
  return typeName(value.type) === typeName(expected);
}

/** The overload for the most derived binding type. OData CSDL 4.01, "Action Overloads", "Function Overloads". */
export function mostSpecific(frame: Frame, overloads: readonly Operation[]): Operation | undefined {
  return overloads.toSorted(
    (one, other) => bindingDepth(frame, other) - bindingDepth(frame, one),
  )[0];
}

/** The depth of the binding type in the type hierarchy. */
function bindingDepth(frame: Frame, operation: Operation): number {
  const { model } = frame;
  let type = model.types.get(operation.bound ? (operation.parameters[0]?.type ?? '') : '');
  let depth = 0;
  while (type !== undefined && (type.kind === 'entity' || type.kind === 'complex')) {
    depth += 1;
    type = type.base === undefined ? undefined : model.types.get(type.base);
  }
  return depth;
}

/** Functions of the model take named arguments only. Throws: bind.argument. */
function namedArguments(frame: Frame, call: FunctionCall): readonly Tree.NamedArgument[] {
  const args = call.arguments;
  if (args === undefined || args.kind === 'empty') return [];
  if (args.kind === 'named') return args.pairs;
  const expected = overloadsFor(frame, call.name, call.binding).map(signature).join(' or ');
  throw faultAt(frame, call.at, 'bind.argument', {
    name: call.name,
    types: args.values.map(show).join(','),
    expected,
  });
}

function signature(operation: Operation): string {
  const names = ownParameters(operation).map(({ name }) => `${name}=…`);
  return `${simpleName(operation.name)}(${names.join(',')})`;
}

/** ` Write $root/Persons(31).` for an entity address that lacks $root. */
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
  const { name, at, binding } = call;
  const place = { bindings: [binding], isPath: call.implicit !== undefined };
  const hint = adviceForSet(frame, name, call.arguments) || nearestFunction(frame, name, place);
  const thing = binding === undefined ? 'the service' : resolvedTypeName(binding);
  return faultAt(frame, at, 'bind.unknown-function', { name, thing, hint });
}

interface FunctionPlace {
  readonly bindings: readonly (Resolved | undefined)[];
  /** Whether the function is called by the path of the request. Expressions can only call those that are expressions themselves. */
  readonly isPath?: boolean;
  /** Other names that can be called there. */
  readonly others?: readonly string[];
}

/**
 * ` Did you mean "NS.Grown"?`: the function of the model whose name without its namespace is nearest, of those that can be bound to one
 * of `bindings`, or one of `others`.
 */
export function nearestFunction(
  frame: Frame,
  name: string,
  { bindings, isPath = false, others = [] }: FunctionPlace,
): string {
  const callable = [...frame.model.operations.keys()].filter((one) =>
    bindings.some((binding) =>
      overloadsFor(frame, one, binding).some(
        ({ kind, expression }) => kind === 'function' && (isPath || expression !== undefined),
      ),
    ),
  );
  const qualified = new Map(callable.map((one) => [simpleName(one), one]));
  const nearest = nearestName(simpleName(name).slice(0, 100), [...others, ...qualified.keys()]);
  return nearest === undefined ? '' : ` Did you mean "${qualified.get(nearest) ?? nearest}"?`;
}

/** Parses an expression of the model. Throws: request.syntax if the model has an error. */
export function readBody(expression: string, name: string): Tree.Expression {
  return parseExpression(expression, `the operation ${name}`);
}

/** In the expression of a function, `$it` is the binding parameter, and the other parameters are aliases. */
function bodyFrame(frame: Frame, operation: Operation, call: FunctionCall): Frame {
  const subject = call.binding === undefined ? undefined : subjectOf(call.binding);
  const part = { name: undefined, target: `the function ${operation.name}` };
  return {
    ...startFrame(frame.session, part, subject),
    parameters: bindParameters(frame, operation, call),
    resolving: [...frame.resolving, operation.name],
  };
}

/** The arguments by parameter name. Omitted parameters are null. Throws: bind.argument. */
export function bindParameters(
  frame: Frame,
  operation: Operation,
  call: FunctionCall,
): ReadonlyMap<string, Resolved> {
  const explicitValues = new Map(
    namedArguments(frame, call).map(({ name, value }) => [name, value]),
  );
  const entries = ownParameters(operation).map((parameter): [string, Resolved] => {
    const explicit = explicitValues.get(parameter.name);
    const implicit = call.implicit?.(parameter.name);
    if (explicit !== undefined)
      return [parameter.name, bindParameter(frame, operation, parameter, explicit)];
    const valueFrame = optionFrame(frame, parameter.name);
    return implicit === undefined
      ? [parameter.name, resolvedValue(constant(typeOfReference(frame.model, parameter), null))]
      : [parameter.name, bindParameter(valueFrame, operation, parameter, implicit)];
  });
  return new Map([...contextParameters(frame), ...entries]);
}

function optionFrame(frame: Frame, name: string): Frame {
  return { ...frame, part: { name: undefined, target: name } };
}

/** The parameters that every expression of the model has: the user, the account, the session and the request time. */
export function contextParameters(frame: Frame): ReadonlyMap<string, Resolved> {
  return new Map<string, Resolved>([
    ['me', resolvedValue({ kind: 'context', name: 'me', type: personKeyType(frame) })],
    ['account', resolvedValue({ kind: 'context', name: 'account', type: STRING })],
    ['session', resolvedValue({ kind: 'context', name: 'session', type: INT64 })],
    ['now', resolvedValue({ kind: 'context', name: frame.session.now, type: TIMESTAMP })],
  ]);
}

function personKeyType(frame: Frame): Expression['type'] {
  const { model } = frame;
  const set = model.sets.get(model.definition.people ?? '');
  if (set === undefined) return INT64;
  const type = entityType(model, set.type);
  const [part, ...others] = model.key(type);
  const property = part === undefined ? undefined : model.members(type).get(part.path);
  return property?.kind === 'property' && others.length === 0
    ? typeOfReference(model, property)
    : INT64;
}

function bindParameter(
  frame: Frame,
  operation: Operation,
  parameter: Parameter,
  tree: Tree.Expression,
): Resolved {
  const type = typeOfReference(frame.model, parameter);
  if (type.kind === 'entity') return frame.session.resolve(frame, tree);
  const { value } = bindOperand(frame, tree);
  const declared = declaredValue(frame, parameter, value, tree.at);
  if (declared !== undefined) {
    if (declared.kind === 'literal') requireRules(frame, parameter, declared, tree);
    return resolvedValue(declared);
  }
  throw faultAt(frame, tree.at, 'bind.argument', {
    name: operation.name,
    types: `${parameter.name}=${show(tree)} of type ${typeName(value.type)}`,
    expected: `a value of type ${typeName(type)}`,
  });
}

/** The rules of a parameter apply to values in the request; documents are checked as they are read. Throws: bind.parameter. */
function requireRules(
  frame: Frame,
  parameter: Parameter,
  literal: LiteralExpression,
  tree: Tree.Expression,
): void {
  const rules = valueRules(frame.model, parameter);
  if (rules.length === 0) return;
  const { value } = literal;
  const broken = value === null ? undefined : rules.find((rule) => !rule.holds(value));
  if (value === null || broken === undefined) return;
  const { name } = parameter;
  const reason = `Expected ${broken.permitted} (${broken.term}).${broken.hint(value)}`;
  throw faultAt(frame, tree.at, 'bind.parameter', { name, reason });
}

/** The result, converted to the declared return type. */
export function typedResult(operation: Operation, frame: Frame, resolved: Resolved): Resolved {
  if (operation.returns === undefined || resolved.kind !== 'value') return resolved;
  const type = typeOfReference(frame.model, operation.returns);
  if (type.kind === 'entity') return resolved;
  const { value } = resolved;
  const isObject = value.kind === 'json' || value.kind === 'built';
  const slot = { ...operation.returns, name: operation.name };
  const declared = isObject ? declaredValue(frame, slot, value, 0) : undefined;
  return resolvedValue(declared ?? promote(value, type));
}
