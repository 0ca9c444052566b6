// This file turns the dynamic expressions of CSDL JSON into expressions of a URL, which are bound and compiled like those of a filter.
//     {"$Ge":[{"$Path":"EndsOn"},{"$Path":"StartsOn"}]}    EndsOn ge StartsOn
// OData CSDL JSON 4.01, "Dynamic Expression".
import { Fault } from '../../base/fault.ts';
import {
  isPlainRecord,
  type Json,
  type Model,
  memberType,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { printJson } from '../../edm/value/lossless-json.ts';
import { parseText, resolvePrimitive, writeLiteral } from '../../edm/value/primitives.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type {
  BinaryOperator,
  Call,
  Expression,
  Literal,
  LiteralValue,
  PathExpression,
  PathStep,
} from '../../request/tree.ts';

/** Where the paths of an expression start. */
export interface PathOrigin {
  readonly model: Model;
  readonly type: StructuredType;
  /** The steps from the entity to a value of the type, or the variable that represents one. */
  readonly prefix: readonly PathStep[];
  /** A path to a related entity that is to be taken as absent, so that everything below it is null. */
  readonly absent?: string | undefined;
}

const BINARY: Readonly<Record<string, BinaryOperator>> = {
  $And: 'and',
  $Or: 'or',
  $Eq: 'eq',
  $Ne: 'ne',
  $Gt: 'gt',
  $Ge: 'ge',
  $Lt: 'lt',
  $Le: 'le',
  $Has: 'has',
  $Add: 'add',
  $Sub: 'sub',
  $Mul: 'mul',
  $Div: 'div',
  $DivBy: 'divby',
  $Mod: 'mod',
};

/** Throws: bind.dynamic-expression for what is malformed or not supported, request.syntax for malformed paths. */
export function toExpression(origin: PathOrigin, json: Json): Expression {
  if (!isPlainRecord(json)) return constantOf(json);
  const [name = '', ...others] = Object.keys(json).filter((key) => key.startsWith('$'));
  const operand = json[name] ?? null;
  if (others.length === 0) {
    const binary = BINARY[name];
    if (binary !== undefined) return binaryOf(origin, binary, operand);
    if (name === '$Path') return pathOf(origin, textIn(operand, json));
    if (name === '$Not') return { kind: 'not', at: 0, operand: toExpression(origin, operand) };
    if (name === '$Neg') return { kind: 'negate', at: 0, operand: toExpression(origin, operand) };
    if (name === '$If') return conditional(origin, listOf(operand, 3, json));
    if (name === '$In') return membership(origin, listOf(operand, 2, json));
    if (name === '$Null') return constantOf(null);
  }
  if (json.$Function !== undefined && json.$Apply !== undefined) return callOf(origin, json);
  if (json.$Cast !== undefined) return castOf(origin, 'cast', json.$Cast, json);
  if (json.$IsOf !== undefined) return castOf(origin, 'isof', json.$IsOf, json);
  throw unsupported(
    json,
    'use $And, $Or, $Not, comparisons, arithmetic, $In, $If, $Path, $Apply, $Cast, $IsOf or a constant',
  );
}

function unsupported(json: Json, reason: string): Fault {
  return new Fault('bind.dynamic-expression', { shown: printJson(json).slice(0, 200), reason });
}

function listOf(operand: Json, count: number, json: Json): readonly Json[] {
  if (Array.isArray(operand) && operand.length === count) return operand;
  throw unsupported(json, `write an array of ${count} expressions`);
}

function textIn(operand: Json, json: Json): string {
  if (typeof operand === 'string') return operand;
  throw unsupported(json, 'write a string');
}

/** $And and $Or have two operands in the standard; more are joined from the left. */
function binaryOf(origin: PathOrigin, operator: BinaryOperator, operand: Json): Expression {
  const isChain = operator === 'and' || operator === 'or';
  const operands = Array.isArray(operand) ? operand : [];
  if (operands.length < 2 || (operands.length > 2 && !isChain))
    throw unsupported(operand, `write an array of two expressions for ${operator}`);
  const [first, ...others] = typedOperands(origin, operands);
  if (first === undefined) throw unsupported(operand, 'write an array of expressions');
  return others.reduce<Expression>(
    (left, right) => ({ kind: 'binary', at: 0, operator, left, right }),
    first,
  );
}

/** String constants get the type of the property that they are compared with, since JSON has no literals for dates and others. */
function typedOperands(origin: PathOrigin, operands: readonly Json[]): readonly Expression[] {
  const property = operands
    .map((one) => (isPlainRecord(one) && typeof one.$Path === 'string' ? one.$Path : undefined))
    .map((path) => (path === undefined ? undefined : propertyAt(origin, path.split('/'))))
    .find((found) => found !== undefined);
  return operands.map((one) =>
    typeof one === 'string' && property !== undefined
      ? typedConstant(origin.model, property, one)
      : toExpression(origin, one),
  );
}

function propertyAt({ model, type }: PathOrigin, names: readonly string[]): Property | undefined {
  let current: StructuredType | undefined = type;
  let property: Property | undefined;
  for (const name of names) {
    if (current === undefined) return undefined;
    if (name.includes('.')) {
      const cast = model.types.get(name);
      current = cast?.kind === 'entity' || cast?.kind === 'complex' ? cast : undefined;
      continue;
    }
    const member = model.members(current).get(name);
    if (member === undefined) return undefined;
    property = member.kind === 'property' ? member : undefined;
    current = memberType(model, member);
  }
  return property;
}

function typedConstant(model: Model, property: Property, text: string): Expression {
  const primitive = resolvePrimitive(model, property);
  if (primitive === undefined || primitive.type === 'Edm.String') return constantOf(text);
  const reading = parseText(primitive.type, primitive.facets, text);
  if (reading.kind === 'mistake') throw unsupported(text, reading.expected);
  return parseExpression(writeLiteral(primitive.type, reading.value), 'the model');
}

function pathOf({ prefix, absent }: PathOrigin, text: string): Expression {
  if (absent !== undefined && `${text}/`.startsWith(`${absent}/`)) return constantOf(null);
  const tree = parseExpression(text, 'the model');
  if (tree.kind !== 'path' || tree.root.kind !== 'current')
    throw unsupported({ $Path: text }, 'write a path that starts at the annotated type');
  return pathExpression([...prefix, ...tree.steps]);
}

export function pathExpression(steps: readonly PathStep[]): PathExpression {
  return { kind: 'path', at: 0, root: { kind: 'current' }, steps };
}

export function nameStep(name: string): PathStep {
  return { kind: 'name', at: 0, name, arguments: undefined, key: undefined };
}

/** `$If` with a condition, a value, and the value otherwise. */
function conditional(origin: PathOrigin, [when, then, otherwise]: readonly Json[]): Expression {
  return {
    kind: 'case',
    at: 0,
    branches: [
      { condition: toExpression(origin, when ?? null), value: toExpression(origin, then ?? null) },
      { condition: constantOf(true), value: toExpression(origin, otherwise ?? null) },
    ],
  };
}

function membership(origin: PathOrigin, [item = null, list = null]: readonly Json[]): Expression {
  if (!Array.isArray(list)) {
    const [left, right] = [toExpression(origin, item), toExpression(origin, list)];
    return { kind: 'binary', at: 0, operator: 'in', left, right };
  }
  const [left, ...others] = typedOperands(origin, [item, ...list]);
  const items = others.filter((one): one is Literal => one.kind === 'literal');
  if (left === undefined || items.length < others.length)
    throw unsupported(list, 'write a list of constants');
  return {
    kind: 'binary',
    at: 0,
    operator: 'in',
    left,
    right: { kind: 'list', at: 0, end: 0, items },
  };
}

/** A canonical function: `odata.concat` is `concat`, which has two parameters in URLs. */
function callOf(origin: PathOrigin, json: { readonly [name: string]: Json }): Expression {
  const name = textIn(json.$Function ?? null, json);
  const args = Array.isArray(json.$Apply) ? json.$Apply : [];
  if (!name.startsWith('odata.'))
    throw unsupported(json, 'use a canonical function, such as odata.concat');
  const values = typedOperands(origin, args);
  const [first, ...others] = values;
  if (name !== 'odata.concat' || first === undefined) return call(name.slice(6), values);
  return others.reduce((left, right) => call('concat', [left, right]), first);
}

function call(name: string, values: readonly Expression[]): Call {
  const none = { kind: 'empty', at: 0 } as const;
  return {
    kind: 'call',
    at: 0,
    name,
    arguments: values.length === 0 ? none : { kind: 'positional', at: 0, values },
  };
}

function castOf(
  origin: PathOrigin,
  kind: 'cast' | 'isof',
  operand: Json,
  json: { readonly [name: string]: Json },
): Expression {
  const name = typeof json.$Type === 'string' ? json.$Type : 'Edm.String';
  const type = { at: 0, name, collection: json.$Collection === true };
  return { kind, at: 0, operand: toExpression(origin, operand), type };
}

function constantOf(json: Json): Expression {
  const literal = (value: LiteralValue): Literal => ({ kind: 'literal', at: 0, end: 0, value });
  if (json === null) return literal({ kind: 'null' });
  if (typeof json === 'boolean') return literal({ kind: 'boolean', value: json });
  if (typeof json === 'number') return parseExpression(String(json), 'the model');
  if (typeof json === 'string') return literal({ kind: 'string', value: json });
  throw unsupported(json, 'lists are supported by $In only');
}

/** The paths in an expression: `[["Customer", "Blocked"], ["Total"]]`. */
export function pathsIn(json: Json): readonly (readonly string[])[] {
  if (Array.isArray(json)) return json.flatMap((item: Json) => pathsIn(item));
  if (!isPlainRecord(json)) return [];
  return Object.entries(json).flatMap(([name, value]) =>
    name === '$Path' && typeof value === 'string' ? [value.split('/')] : pathsIn(value),
  );
}
