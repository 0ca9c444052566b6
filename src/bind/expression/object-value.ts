// Gives JSON objects and lists in expressions their declared type, and resolves paths into complex values that are not stored in a row:
// parameters, and objects that an expression composes. OData 4.01 URL Conventions, "Complex and Collection Literals".
import { Fault } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import {
  type ComplexType,
  isAssignable,
  type Model,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { isOpen } from '../../edm/property-storage.ts';
import { parseEnumJson } from '../../edm/value/enum.ts';
import {
  isJsonObject,
  type JsonInput,
  parseExactJson,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { parseJson, resolvePrimitive } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type * as Tree from '../../request/tree.ts';
import { Mistakes, type Slot } from '../body/body-errors.ts';
import { documentText } from '../body/property-value.ts';
import type { Expression, ExpressionOf } from '../bound.ts';
import { codeBook } from '../codes.ts';
import { fullName } from '../names.ts';
import { type Frame, faultAt } from '../scope.ts';
import { composed } from './json-literal.ts';
import { constant, fitTruncated } from './literal.ts';
import { unknownProperty } from './member-errors.ts';
import { promote } from './promotion.ts';
import { commonType, structureOf, typeName, typeOfReference } from './types.ts';

/**
 * The value as one of the declared type; undefined if its type is another. Objects and lists are checked like those in bodies, and
 * absent members get their defaults. Throws: bind.parameter for mistakes in them, bind.unknown-property.
 */
export function declaredValue(
  frame: Frame,
  slot: Slot,
  value: Expression,
  at: number,
): Expression | undefined {
  const type = typeOfReference(frame.model, slot);
  if (value.kind === 'literal') return fitTruncated(value, type);
  if (value.kind === 'json' && type.kind !== 'untyped') return readDocument(frame, slot, value, at);
  const isObject = value.kind === 'built' && value.members !== undefined;
  if (isObject && type.kind === 'complex' && !type.collection && type.type.coded === undefined)
    return composeObject(frame, slot, { value, type: type.type }, at);
  const common = commonType(frame.model, value.type, type);
  const isWideEnough = common !== undefined && typeName(common) === typeName(type);
  return isWideEnough ? promote(value, type) : undefined;
}

function readDocument(
  frame: Frame,
  slot: Slot,
  { text }: ExpressionOf<'json'>,
  at: number,
): Expression {
  const { model, session } = frame;
  const mistakes = new Mistakes();
  const [language = 'en'] = model.definition.languages;
  const scope = { model, codes: session.scope.codes ?? codesOf(model), language, mistakes };
  const complete = documentText(scope, slot, parseExactJson(text), slot.name);
  const [first] = mistakes.details;
  if (first === undefined)
    return { kind: 'json', type: typeOfReference(model, slot), text: complete };
  const reason = mistakes.details.map(({ message }) => message).join(' ');
  const { target } = frame.part;
  const place = { position: at, target, details: mistakes.details };
  throw new Fault('bind.parameter', { name: slot.name, reason }, place);
}

const codesOf = perObject((model: Model) => codeBook(model.definition.codeLists));

/** An object with the members of the type. Throws: bind.unknown-property, bind.parameter. */
function composeObject(
  frame: Frame,
  slot: Slot,
  { value, type }: { readonly value: ExpressionOf<'built'>; readonly type: ComplexType },
  at: number,
): Expression {
  const given = value.members ?? new Map<string, Expression>();
  const declared = propertiesOf(frame.model, type);
  const names = new Set(declared.map(({ name }) => name));
  const unknown = [...given.keys()].find((name) => !names.has(name));
  if (unknown !== undefined && !isOpen(frame.model, type))
    throw unknownProperty(frame, type, nameStep(at, unknown));
  const members = new Map(declared.map((one) => [one.name, memberValue(frame, one, given, at)]));
  const others = [...given].filter(([name]) => !names.has(name));
  const parts = [...members, ...others].flatMap(([name, member], index) => [
    `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
    member.kind === 'json' ? member.text : member,
  ]);
  const whole = typeOfReference(frame.model, slot);
  return composed(whole, ['{', ...parts, '}'], new Map([...members, ...others]));
}

function nameStep(at: number, name: string): Tree.NameStep {
  return { kind: 'name', at, name, arguments: undefined, key: undefined };
}

function memberValue(
  frame: Frame,
  property: Property,
  given: ReadonlyMap<string, Expression>,
  at: number,
): Expression {
  const type = typeOfReference(frame.model, property);
  const value = given.get(property.name);
  if (value === undefined && property.collection) return { kind: 'json', type, text: '[]' };
  if (value === undefined) return constant(type, null);
  const declared = declaredValue(frame, property, value, at);
  if (declared !== undefined) return declared;
  if (commonType(frame.model, value.type, type) !== undefined)
    return { kind: 'cast', operand: promote(value, type), type };
  const reason = `Write a value of type ${typeName(type)} instead of ${typeName(value.type)}.`;
  throw faultAt(frame, at, 'bind.parameter', { name: property.name, reason });
}

function propertiesOf(model: Model, type: StructuredType): readonly Property[] {
  return [...model.members(type).values()].filter((member) => member.kind === 'property');
}

function memberOfUntyped(value: Expression, name: string): Expression | undefined {
  const isSingle = value.type.kind === 'untyped' && !value.type.collection;
  if (!isSingle || name.includes('.')) return undefined;
  if (value.kind === 'dynamic') return { ...value, inside: [...(value.inside ?? []), name] };
  return value.kind === 'property' ? { ...value, kind: 'dynamic', name } : undefined;
}

/**
 * The member of a complex value that is not stored in a row, or of an untyped value; undefined for other values and unknown members. Untyped
 * values may be objects with any members; other values have none, so that these are null.
 */
export function memberOfObject(
  frame: Frame,
  value: Expression,
  name: string,
): Expression | undefined {
  if (value.type.kind === 'untyped') return memberOfUntyped(value, name);
  const structure = structureOf(value.type);
  const member = structure && frame.model.members(structure).get(name);
  if (value.type.kind !== 'complex' || value.type.collection || member?.kind !== 'property')
    return undefined;
  switch (value.kind) {
    case 'literal':
      return constant(typeOfReference(frame.model, member), null);
    case 'json':
      return memberOfText(frame.model, value.text, member);
    case 'built':
      return value.members?.get(name);
    case 'case':
      return memberOfCase(frame, value, member);
    default:
      return undefined;
  }
}

function memberOfCase(
  frame: Frame,
  { branches }: ExpressionOf<'case'>,
  member: Property,
): Expression | undefined {
  const type = typeOfReference(frame.model, member);
  const parts = branches.flatMap(({ when, then: whole }) => {
    const then = memberOfObject(frame, whole, member.name) ?? memberOfStored(whole, member, type);
    return then === undefined ? [] : [{ when, then }];
  });
  return parts.length === branches.length ? { kind: 'case', branches: parts, type } : undefined;
}

function memberOfStored(
  value: Expression,
  member: Property,
  type: Expression['type'],
): Expression | undefined {
  return value.kind === 'property' ? { ...value, path: [...value.path, member], type } : undefined;
}

/** The text is that of a value whose members have been checked. */
function memberOfText(model: Model, text: string, member: Property): Expression {
  const type = typeOfReference(model, member);
  const whole = parseExactJson(text);
  const input: JsonInput = (isJsonObject(whole) ? whole[member.name] : null) ?? null;
  if (input === null) return constant(type, null);
  const scalar = member.collection ? undefined : scalarOf(model, member, input);
  return scalar === undefined
    ? { kind: 'json', type, text: printJson(input) }
    : constant(type, scalar);
}

function scalarOf(model: Model, member: Property, input: JsonInput): Value | undefined {
  const type = model.types.get(member.type);
  const primitive = resolvePrimitive(model, member);
  if (type?.kind !== 'enum' && primitive === undefined) return undefined;
  const reading =
    type?.kind === 'enum'
      ? parseEnumJson(type, input)
      : primitive && parseJson(primitive.type, primitive.facets, input);
  return reading?.kind === 'value' ? reading.value : undefined;
}

/** The complex value if it is an instance of the type, else null; undefined for values that are stored in a row. */
export function castObject(
  frame: Frame,
  value: Expression,
  to: ComplexType,
): Expression | undefined {
  const type = { kind: 'complex', type: to, collection: false } as const;
  if (value.kind === 'literal') return constant(type, null);
  if (value.kind !== 'json') return undefined;
  const whole = parseExactJson(value.text);
  const annotated = isJsonObject(whole) ? whole['@odata.type'] : undefined;
  const name = typeof annotated === 'string' ? annotated.replace(/^.*#/, '') : '';
  const actual = frame.model.types.get(fullName(frame.model, name));
  const isInstance = actual?.kind === 'complex' && isAssignable(frame.model, actual, to);
  return isInstance ? { ...value, type } : constant(type, null);
}
