import { isAssignable, isStructured, type Model, structuredType } from '../../edm/model.ts';
import {
  castToString,
  hasAnyPrecision,
  isPrimitive,
  parseText,
  primitiveRow,
} from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { findType, fullName } from '../names.ts';
import { type Frame, faultAt } from '../scope.ts';
import { comparison, instanceOf } from './constructors.ts';
import { show } from './excerpt.ts';
import {
  constant,
  enumValue,
  FALSE,
  fitLiteral,
  isNull,
  type LiteralExpression,
  TRUE,
} from './literal.ts';
import { valueAt } from './member.ts';
import {
  bindCondition,
  bindOperand,
  isObject,
  type Operand,
  promote,
  retype,
} from './promotion.ts';
import {
  BOOLEAN,
  commonType,
  DECIMAL,
  isCollection,
  NULL,
  singlePrimitive,
  typeName,
  typeOfReference,
} from './types.ts';

/** `cast(Price,Edm.String)`, `cast(NS.Derived)`. Throws: bind.cast, bind.unknown-type, bind.no-row. */
export function bindCast(frame: Frame, tree: Tree.Cast): Expression {
  const named = namedType(frame, tree.type);
  const operand = operandOf(frame, tree);
  const { value } = operand;
  const type = isTimeOfAnyPrecision(value.type, named) ? value.type : named;
  if (value.type.kind === 'null') return constant(type, null);
  if (isObject(value) && isSimple(type)) return constant(type, null);
  if (value.type.kind === 'untyped') return castUntyped(value, type);
  if (!isCastable(frame.model, value.type, type)) {
    throw faultAt(frame, tree.at, 'bind.cast', {
      thing: show(operand.tree),
      from: typeName(value.type),
      to: typeName(type),
    });
  }
  if (value.kind === 'literal') return castLiteral(value, type);
  return typeName(value.type) === typeName(type) && type.kind !== 'primitive'
    ? value
    : { kind: 'cast', operand: value, type };
}

/** Numbers and Booleans become texts as JSON writes them. OData 4.01 URL Conventions, "cast". */
function castUntyped(value: Expression, type: ValueType): Expression {
  const isText = singlePrimitive(type)?.name === 'Edm.String' && !isCollection(value.type);
  if (!isText) return retype(value, type);
  const branches = [type, DECIMAL, BOOLEAN].map((kind) => {
    const operand = retype(value, kind);
    const then: Expression = kind === type ? operand : { kind: 'cast', operand, type };
    return { when: isNotNull(operand, kind), then };
  });
  return { kind: 'case', branches, type };
}

/** Whether the value is a time of any precision and of the type that is named, so that a cast leaves it as it is. */
function isTimeOfAnyPrecision(from: ValueType, to: ValueType): boolean {
  return (
    from.kind === 'primitive' && hasAnyPrecision(from.facets) && typeName(from) === typeName(to)
  );
}

/** `isof(Mother,NS.Bird)`, `isof(NS.Bird)`. Throws: bind.unknown-type, bind.no-row. */
export function bindIsof(frame: Frame, tree: Tree.Cast): Expression {
  const { model } = frame;
  const type = namedType(frame, tree.type);
  const { value } = operandOf(frame, tree);
  if (value.type.kind === 'null') return FALSE;
  const declared = value.type;
  const isStructure = declared.kind === 'entity' || declared.kind === 'complex';
  if (isStructure && (type.kind === 'entity' || type.kind === 'complex')) {
    const isRelated =
      isAssignable(model, declared.type, type.type) ||
      isAssignable(model, type.type, declared.type);
    return isRelated ? instanceOf(value, structuredType(model, type.type.name)) : FALSE;
  }
  if (isObject(value) && isSimple(type)) return FALSE;
  if (declared.kind === 'untyped') return isNotNull(retype(value, type), type);
  if (isShapeOf(type, declared)) return isNotNull({ kind: 'cast', operand: value, type }, type);
  const isSame = typeName(declared) === typeName(type) || isAnyPrimitive(declared, type);
  return isSame || isShapeOf(declared, type) ? isNotNull(value, declared) : FALSE;
}

function isSimple({ kind }: ValueType): boolean {
  return kind === 'primitive' || kind === 'enum';
}

/** `case(A gt 5:'high',true:'low')`. Throws: bind.condition, bind.operand if the results have no common type. */
export function bindCase(frame: Frame, tree: Tree.Case): Expression {
  const branches = tree.branches.map(({ condition, value }) => ({
    when: bindCondition(frame, condition),
    operand: bindOperand(frame, value),
  }));
  const type = branches.reduce<ValueType>(
    (common, { operand }) => resultType(frame, common, operand),
    NULL,
  );
  return {
    kind: 'case',
    branches: branches.map(({ when, operand }) => {
      const then = promote(operand.value, type);
      return { when, then };
    }),
    type,
  };
}

function operandOf(frame: Frame, tree: Tree.Cast): Operand {
  if (tree.operand !== undefined) return bindOperand(frame, tree.operand);
  const resolved = frame.current?.resolved;
  const self: Tree.Expression = { kind: 'path', at: tree.at, root: { kind: 'it' }, steps: [] };
  if (resolved !== undefined) return { tree: self, value: valueAt(frame, resolved, self) };
  throw faultAt(frame, tree.at, 'bind.no-row', { thing: tree.kind });
}

function namedType(frame: Frame, { name, collection, at }: Tree.TypeName): ValueType {
  const type = isPrimitive(name) ? name : findType(frame, fullName(frame.model, name), at).name;
  return typeOfReference(frame.model, { type, collection, nullable: true, facets: {} });
}

/** Strings convert to and from most types, numbers to numbers, and structured types to their base and derived types. */
function isCastable(model: Model, from: ValueType, to: ValueType): boolean {
  if (from.kind === 'null' || to.kind === 'null' || from.collection !== to.collection) return false;
  if (from.kind === 'primitive' && to.kind === 'primitive') {
    const [source, target] = [primitiveRow(from.name).class, primitiveRow(to.name).class];
    if (to.name === 'Edm.PrimitiveType') return true;
    if (source === 'geo' && target === 'geo') return isGeography(from) === isGeography(to);
    if (source === target) return true;
    if (source === 'string') return target !== 'stream' && target !== 'abstract';
    return target === 'string'
      ? source !== 'stream' && source !== 'binary'
      : isNumber(source) && isNumber(target);
  }
  if (from.kind === 'enum' || to.kind === 'enum') return isEnumCast(from, to);
  if (!('type' in from) || !('type' in to)) return false;
  if (!isStructured(from.type) || !isStructured(to.type)) return false;
  return isAssignable(model, from.type, to.type) || isAssignable(model, to.type, from.type);
}

/** There is no cast between geography and geometry. */
function isGeography(type: ValueType): boolean {
  return type.kind === 'primitive' && type.name.startsWith('Edm.Geography');
}

function isEnumCast(from: ValueType, to: ValueType): boolean {
  if (from.kind === 'enum' && to.kind === 'enum') return from.type === to.type;
  const other = from.kind === 'enum' ? to : from;
  return (
    other.kind === 'primitive' &&
    (other.name === 'Edm.String' || primitiveRow(other.name).class === 'integer')
  );
}

function isNumber(kind: string): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'floating';
}

function isAnyPrimitive(declared: ValueType, type: ValueType): boolean {
  return (
    declared.kind === 'primitive' && type.kind === 'primitive' && type.name === 'Edm.PrimitiveType'
  );
}

/** Whether the type is a concrete type of the abstract Edm.Geography or Edm.Geometry. OData CSDL 4.01, "Primitive Types". */
function isShapeOf(type: ValueType, general: ValueType): boolean {
  if (type.kind !== 'primitive' || general.kind !== 'primitive') return false;
  const isGeneral = general.name === 'Edm.Geography' || general.name === 'Edm.Geometry';
  const isShape = type.name !== general.name && type.name.startsWith(general.name);
  return isGeneral && isShape && type.collection === general.collection;
}

/** A constant that is cast is no plan parameter, because the result depends on its value. A failed cast is null. */
function castLiteral(value: LiteralExpression, type: ValueType): Expression {
  const fitted = fitLiteral(value, type);
  if (fitted !== undefined) return constant(type, fitted.value);
  if (value.value === null || value.type.kind === 'null') return constant(type, null);
  if (value.type.kind !== 'primitive') return { kind: 'cast', operand: value, type };
  const text = castToString(value.type.name, value.value);
  if (type.kind === 'enum') {
    const result = enumValue(type.type, text.split(','));
    return constant(type, 'unknown' in result ? null : result.value);
  }
  if (type.kind !== 'primitive') return constant(type, null);
  const isNarrowing = value.type.name !== 'Edm.String' && type.name !== 'Edm.String';
  if (isNarrowing) return { kind: 'cast', operand: constant(value.type, value.value), type };
  const reading = parseText(type.name, type.facets, text);
  return constant(type, reading.kind === 'value' ? reading.value : null);
}

function resultType(frame: Frame, common: ValueType, operand: Operand): ValueType {
  const { value, tree } = operand;
  const isConstant = value.kind === 'literal' && !isNull(value) && common.kind !== 'null';
  if (isConstant && fitLiteral(value, common) !== undefined) return common;
  const type = commonType(frame.model, common, value.type);
  if (type !== undefined) return type;
  throw faultAt(frame, tree.at, 'bind.operand', {
    operator: 'case',
    types: `${typeName(common)} and ${typeName(value.type)}`,
    hint: ' All results must have the same type.',
  });
}

function isNotNull(value: Expression, type: ValueType): Expression {
  if (value.kind === 'literal') return isNull(value) ? FALSE : TRUE;
  return comparison('ne', value, constant(type, null), type);
}
