// This file binds calls of the canonical functions: it selects the overload by the argument types and converts the arguments to the
// parameter types. The signatures are in functions.ts.
import type { Fault } from '../../base/fault.ts';
import { adviceForFunction } from '../../request/expression/syntax-hints.ts';
import type * as Tree from '../../request/tree.ts';
import { indicatorValue, isAnyDefined } from '../apply/derived-columns.ts';
import type { Expression, ValueType } from '../bound.ts';
import { type Frame, faultAt, type Resolved, resolvedValue } from '../scope.ts';
import { collectionOf } from './collection.ts';
import { show } from './excerpt.ts';
import { FUNCTIONS, type FunctionName, type ParameterType, type Signature } from './functions.ts';
import { constant, TRUE } from './literal.ts';
import { stepFromSubject, valueAt } from './member.ts';
import { adviceForSet, callFunction, nearestFunction, overloadsFor } from './operation-call.ts';
import {
  bindOperand,
  isObject,
  type Operand,
  promote,
  requireSimple,
  retype,
} from './promotion.ts';
import {
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DURATION,
  INT32,
  INT64,
  isCollection,
  isFloating,
  isInteger,
  isNumeric,
  primitive,
  STRING,
  singlePrimitive,
  TIMESTAMP,
  typeName,
} from './types.ts';

/**
 * A name with parentheses that is the whole path: a canonical function, a function of the model, or an entity of a collection by its
 * key. Throws: bind.unknown-function, bind.argument, and the codes of operation-call.ts.
 */
export function resolveCall(frame: Frame, tree: Tree.Call): Resolved {
  const name = canonicalName(tree.name);
  if (name !== undefined && !isMember(frame, tree.name)) {
    return resolvedValue(callCanonical(frame, name, tree));
  }
  const step: Tree.NameStep = {
    kind: 'name',
    at: tree.at,
    name: tree.name,
    arguments: tree.arguments,
    key: undefined,
  };
  const { current } = frame;
  if (current !== undefined && (isMember(frame, tree.name) || isBound(frame, tree.name))) {
    return stepFromSubject(frame, current, step);
  }
  const { at, arguments: args } = tree;
  if (overloadsFor(frame, tree.name, undefined).length > 0) {
    return callFunction(frame, { name: tree.name, at, arguments: args, binding: undefined });
  }
  if (tree.name.toLowerCase() === 'isdefined') {
    return resolvedValue(isDefined(frame, tree));
  }
  throw unknownFunction(frame, tree);
}

/**
 * Whether a row produced by $apply has the property. All other rows have all declared properties.
 * OData Data Aggregation 4.0, "Function isdefined". Throws: bind.operand, and the codes of the path.
 */
function isDefined(frame: Frame, tree: Tree.Call): Expression {
  const [path, ...others] = tree.arguments.kind === 'positional' ? tree.arguments.values : [];
  if (path?.kind !== 'path' || others.length > 0) {
    throw faultAt(frame, tree.at, 'bind.operand', {
      operator: 'isdefined',
      types: path === undefined ? 'no argument' : show(path),
      hint: ' Pass exactly one property.',
    });
  }
  const resolved = frame.session.resolve(frame, path);
  if (resolved.kind === 'derived') return isAnyDefined(resolved.row, resolved.prefix) ?? TRUE;
  if (resolved.kind !== 'value' || resolved.value.kind !== 'column') return TRUE;
  return indicatorValue(resolved.value.row, 'defined', resolved.value.name) ?? TRUE;
}

/** Names of canonical functions are case-insensitive in OData 4.01. */
function canonicalName(name: string): FunctionName | undefined {
  const lower = name.toLowerCase();
  return isCanonical(lower) ? lower : undefined;
}

function isCanonical(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

function isMember(frame: Frame, name: string): boolean {
  const resolved = frame.current?.resolved;
  if (resolved?.kind !== 'row') return false;
  const member = frame.model.members(resolved.type).get(name);
  return member?.kind === 'navigation';
}

function isBound(frame: Frame, name: string): boolean {
  const resolved = frame.current?.resolved;
  return resolved !== undefined && overloadsFor(frame, name, resolved).length > 0;
}

function callCanonical(frame: Frame, name: FunctionName, tree: Tree.Call): Expression {
  if (tree.arguments.kind === 'named') throw argumentFault(frame, tree, name, []);
  const trees = tree.arguments.kind === 'positional' ? tree.arguments.values : [];
  const operands = trees.map((argument) => bindArgument(frame, argument));
  const signature = FUNCTIONS[name].find((one) => accepts(one, operands));
  if (signature === undefined) {
    for (const operand of operands) requireSimple(frame, operand);
    throw argumentFault(frame, tree, name, operands);
  }
  checkValues(frame, name, operands);
  if (name === 'now') {
    return { kind: 'context', name: frame.session.now, type: TIMESTAMP };
  }
  const args = operands.map(({ value }, index) => fitArgument(value, signature.parameters[index]));
  return {
    kind: 'call',
    function: name,
    arguments: args.map((one, at) => withoutCheckedPlace(name, one, at)),
    type: resultType(signature, args),
  };
}

/** Unlike other operands, an argument may be a collection. */
function bindArgument(frame: Frame, tree: Tree.Expression): Operand {
  const resolved = frame.session.resolve(frame, tree);
  if (resolved.kind === 'value' || collectionOf(frame, resolved) === undefined) {
    return { tree, value: valueAt(frame, resolved, tree) };
  }
  return bindOperand(frame, tree);
}

function accepts({ parameters }: Signature, operands: readonly Operand[]): boolean {
  return (
    parameters.length === operands.length &&
    operands.every(({ value }, at) => isOfKind(value.type, parameters[at]) && !isObject(value))
  );
}

/** null and single values without a declared type are accepted by every parameter except collections. */
function isOfKind(type: ValueType, kind: ParameterType | undefined): boolean {
  if (kind === undefined) return false;
  if (type.kind === 'null') return true;
  if (kind === 'collection') return isCollection(type);
  if (type.kind === 'untyped') return !type.collection;
  const single = singlePrimitive(type);
  if (single === undefined) return false;
  switch (kind) {
    case 'int':
      return isInteger(single);
    case 'decimal':
      return isNumeric(single) && !isFloating(single);
    case 'double':
      return isFloating(single);
    default:
      return single.name === PARAMETER_TYPES[kind].name;
  }
}

const PARAMETER_TYPES = {
  string: STRING,
  int: INT64,
  decimal: DECIMAL,
  double: DOUBLE,
  boolean: BOOLEAN,
  date: DATE,
  datetime: TIMESTAMP,
  time: primitive('Edm.TimeOfDay'),
  duration: DURATION,
  geographypoint: primitive('Edm.GeographyPoint'),
  geographylinestring: primitive('Edm.GeographyLineString'),
  geographypolygon: primitive('Edm.GeographyPolygon'),
  geometrypoint: primitive('Edm.GeometryPoint'),
  geometrylinestring: primitive('Edm.GeometryLineString'),
  geometrypolygon: primitive('Edm.GeometryPolygon'),
  collection: undefined,
} as const satisfies Record<ParameterType, ValueType | undefined>;

/** The argument, converted to the type of its parameter. */
function fitArgument(value: Expression, kind: ParameterType | undefined): Expression {
  const type = kind && PARAMETER_TYPES[kind];
  if (type === undefined) return value;
  if (value.type.kind === 'null') return promote(value, type);
  if (value.type.kind === 'untyped') return retype(value, type);
  return kind === 'decimal' ? promote(value, DECIMAL) : value;
}

function resultType({ result }: Signature, args: readonly Expression[]): ValueType {
  const [first] = args;
  if (result === 'same') return first?.type ?? STRING;
  // A time of day has as many fraction digits as the point in time that it is part of.
  const point = result === 'time' ? first && singlePrimitive(first.type) : undefined;
  if (point !== undefined) return primitive('Edm.TimeOfDay', point.facets);
  return result === 'int' ? INT32 : PARAMETER_TYPES[result];
}

// ---- constant arguments ---------------------------------------------------------------------------------------------

const TIMESTAMP_PARTS: ReadonlySet<FunctionName> = new Set([
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'date',
  'time',
  'totaloffsetminutes',
]);

/**
 * Timestamps are stored in UTC, so their parts can be taken from UTC literals only. The length of a substring cannot be negative.
 * OData 4.01 URL Conventions, "Date and Time Functions", "substring". Throws: bind.literal.
 */
function checkValues(frame: Frame, name: FunctionName, operands: readonly Operand[]): void {
  const [first, , third] = operands;
  const literal = first?.tree.kind === 'literal' ? first.tree.value : undefined;
  if (first !== undefined && TIMESTAMP_PARTS.has(name) && literal?.kind === 'dateTimeOffset') {
    if (
      !/z$/i.test(String(frame.session.scope.parameters?.ofNode(first.tree)?.value ?? literal.text))
    ) {
      throw invalidValue(frame, first, 'expected a timestamp in UTC, ending with Z');
    }
  }
  if (name !== 'substring' || third?.value.kind !== 'literal') return;
  if (typeof third.value.value === 'bigint' && third.value.value < 0n) {
    throw invalidValue(frame, third, 'expected a length of 0 or more');
  }
}

/** A constant that has been checked is no plan parameter. */
function withoutCheckedPlace(name: FunctionName, value: Expression, at: number): Expression {
  const isChecked = TIMESTAMP_PARTS.has(name) || (name === 'substring' && at === 2);
  return isChecked && value.kind === 'literal' ? constant(value.type, value.value) : value;
}

function invalidValue(frame: Frame, operand: Operand, expected: string): Fault {
  const { tree } = operand;
  return faultAt(frame, tree.at, 'bind.literal', { text: show(tree), expected });
}

// ---- faults ---------------------------------------------------------------------------------------------------------

function argumentFault(
  frame: Frame,
  tree: Tree.Call,
  name: FunctionName,
  operands: readonly Operand[],
): Fault {
  const signatures = FUNCTIONS[name];
  return faultAt(frame, tree.at, 'bind.argument', {
    name: tree.name,
    types: operands.map(({ value }) => typeName(value.type)).join(','),
    expected:
      signatures.map(({ parameters }) => `${name}(${parameters.join(',')})`).join(' or ') +
      castHint(operands),
  });
}

/** An Edm.Geography can hold any shape, so no parameter accepts it without a cast. */
function castHint(operands: readonly Operand[]): string {
  const abstract = operands
    .map(({ value }) => typeName(value.type))
    .find((name) => name === 'Edm.Geography' || name === 'Edm.Geometry');
  return abstract === undefined
    ? ''
    : `, and cast the ${abstract} to its type, such as cast(…,${abstract}Point)`;
}

function unknownFunction(frame: Frame, tree: Tree.Call): Fault {
  return faultAt(frame, tree.at, 'bind.unknown-function', {
    name: tree.name,
    thing: 'expressions',
    hint:
      adviceForSet(frame, tree.name, tree.arguments) ||
      adviceForFunction(tree.name) ||
      nearestFunction(frame, tree.name, {
        bindings: [undefined, frame.current?.resolved],
        others: Object.keys(FUNCTIONS),
      }),
  });
}
