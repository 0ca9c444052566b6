// This file creates expressions from their parts: rows and properties as values, comparisons, and conditions.
import { isVolatile } from '../../edm/clocks/clock-members.ts';
import {
  type EntityType,
  type Model,
  type Property,
  pathName,
  type StructuredType,
} from '../../edm/model.ts';
import type {
  ComparisonOperator,
  Expression,
  RowExpression,
  RowVariable,
  ValueType,
} from '../bound.ts';
import type { EntityRow } from '../scope.ts';
import type { FunctionName } from './functions.ts';
import { constant } from './literal.ts';
import { BOOLEAN } from './types.ts';

export function variable(row: RowVariable): RowExpression {
  return { kind: 'variable', row };
}

/** The variable that represents the row. */
export function variableIn(row: RowExpression): RowVariable {
  switch (row.kind) {
    case 'variable':
      return row.row;
    case 'follow':
      return row.target;
    case 'addressed':
      return row.rows.row;
  }
}

/** The entity that the row is; undefined for collection items and derived rows. */
export function entityIn(row: RowExpression): EntityRow | undefined {
  const found = variableIn(row);
  return found.kind === 'entity' ? found : undefined;
}

/** Whether the value of a property changes without a write: elapsed and remaining time. */
export function isOfTheMoment(
  model: Model,
  { row, path }: { readonly row: RowExpression; readonly path: readonly Property[] },
): boolean {
  const type = entityIn(row)?.type;
  return type !== undefined && isVolatile(model, type, pathName(path));
}

/** An entity as a value. */
export function entityValue(row: RowExpression, type: EntityType): Expression {
  return { kind: 'row', row, type: { kind: 'entity', type, collection: false } };
}

/** A property of the row; the row itself if the path is empty. */
export function propertyOf(
  row: RowVariable,
  path: readonly Property[],
  type: ValueType,
): Expression {
  return { kind: 'property', row: variable(row), path, type };
}

/** A comparison of operands that have the type. */
export function comparison(
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
  operandType: ValueType = left.type,
): Expression {
  return { kind: 'compare', operator, left, right, operandType, type: BOOLEAN };
}

export function isNotNull(value: Expression): Expression {
  return comparison('ne', value, constant(value.type, null));
}

export function not(operand: Expression): Expression {
  return { kind: 'not', operand, type: BOOLEAN };
}

export function instanceOf(operand: Expression, of: StructuredType): Expression {
  return { kind: 'instance', operand, of, type: BOOLEAN };
}

/** Joins conditions by `and` or `or`, flattening nested ones; undefined if there are none. */
export function joinConditions(
  kind: 'and' | 'or',
  conditions: readonly [Expression, ...Expression[]],
): Expression;
export function joinConditions(
  kind: 'and' | 'or',
  conditions: readonly Expression[],
): Expression | undefined;
export function joinConditions(
  kind: 'and' | 'or',
  conditions: readonly Expression[],
): Expression | undefined {
  const operands = conditions.flatMap((one) => (one.kind === kind ? one.operands : [one]));
  return operands.length > 1 ? { kind, operands, type: BOOLEAN } : operands[0];
}

/** A call of a canonical function whose arguments have the types of its parameters. */
export function call(name: FunctionName, args: readonly Expression[], type: ValueType): Expression {
  return { kind: 'call', function: name, arguments: args, type };
}
