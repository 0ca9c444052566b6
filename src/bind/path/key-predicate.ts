// This file binds key predicates: the key of a type or one of its alternate keys, by position or by name, to the conditions that
// the row must meet. OData 4.01 URL Conventions, "Canonical URL"; Core vocabulary, "AlternateKeys".
import { Fault } from '../../base/fault.ts';
import type { EntityType, KeyPart, Model, Navigation, Property } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, LiteralExpression, ValueType } from '../bound.ts';
import { showKey } from '../expression/excerpt.ts';
import { fitGiven, showLiteral } from '../expression/literal.ts';
import { bindOperand, type Operand, promote } from '../expression/promotion.ts';
import { BOOLEAN, commonType, isInteger, typeName, typeOfReference } from '../expression/types.ts';
import { type EntityRow, type Frame, placeOf, whereOf } from '../scope.ts';

const NULL_LITERAL: Tree.Literal = { kind: 'literal', at: 0, end: 0, value: { kind: 'null' } };

/** What a key predicate asks for. */
export interface KeyMatch {
  readonly where: readonly Expression[];
  /** Canonical text without parentheses: `5`, `Wing='A',Number=1`. */
  readonly text: string;
  /** What the text says, where it is nothing but a whole number of the request. */
  readonly value?: LiteralExpression;
}

/** Whose key it is, and the navigation that it stands behind, whose constraints may give parts of it. */
export interface Keyed {
  readonly row: EntityRow;
  readonly type: EntityType;
  readonly navigation?: Navigation;
}

/** One key property under the name by which it is written. */
export interface Part {
  readonly name: string;
  readonly path: readonly Property[];
  readonly type: ValueType;
}

/** `(5)`, `(Wing='A',Number=1)`, `(Email='a@b')`. Faults: bind.key, bind.duplicate. */
export function bindKey(frame: Frame, keyed: Keyed, args: Tree.Arguments): KeyMatch {
  const pairs = args.kind === 'named' ? args.pairs : positionalPairs(frame, keyed, args);
  refuseTwins(frame, pairs);
  const parts = chooseKey(frame, keyed, args, pairs);
  const given = parts.filter((part) => pairs.some(({ name }) => name === part.name));
  const values = given.map((part) => {
    const pair = pairs.find(({ name }) => name === part.name);
    return bindValue(frame, keyed, part, pair?.value ?? NULL_LITERAL);
  });
  return matchKey(frame, keyed, given, values);
}

/** Only the result of a function takes a key in second parentheses. Faults: bind.key. */
export function refuseSecondKey(
  frame: Frame,
  keyed: Keyed,
  { key }: { readonly key: Tree.Arguments | undefined },
): void {
  if (key !== undefined) throw refuse(frame, keyed, key, 'a key stands there already');
}

/** The conditions that the parts have the values. */
export function matchKey(
  frame: Frame,
  keyed: Keyed,
  parts: readonly Part[],
  values: readonly Expression[],
): KeyMatch {
  const [first] = parts;
  const isAlone =
    parts.length === 1 && ownKey(frame, keyed).some(({ name }) => name === first?.name);
  const texts = parts.map((part, at) => {
    const value = values[at];
    const text = value?.kind === 'literal' ? showLiteral(value) : '';
    return isAlone ? text : `${part.name}=${text}`;
  });
  const where = parts.flatMap((part, at) => {
    const value = values[at];
    return value === undefined ? [] : [partEquals(keyed.row, part, value)];
  });
  const [only] = values;
  return { where, text: texts.join(','), ...(isAlone && isNumber(only) ? { value: only } : {}) };
}

/** Whether the expression is a whole number that stands in the request. */
function isNumber(value: Expression | undefined): value is LiteralExpression {
  return (
    value?.kind === 'literal' &&
    value.place !== undefined &&
    typeof value.value === 'bigint' &&
    isInteger(value.type)
  );
}

/** The parts of the type's own key that the way to the row does not give already. */
export function openKeyParts(frame: Frame, keyed: Keyed): readonly Part[] {
  return ownKey(frame, keyed).filter((part) => !isConstrained(frame, keyed, part));
}

function keyPath(frame: Frame, type: EntityType, part: KeyPart): readonly Property[] | undefined {
  const { model } = frame.session.scope;
  const path: Property[] = [];
  let members = model.members(type);
  for (const name of part.path.split('/')) {
    const member = members.get(name);
    if (member?.kind !== 'property') return undefined;
    path.push(member);
    const inner = model.types.get(member.type);
    members = inner !== undefined && isStructured(inner) ? model.members(inner) : new Map();
  }
  return path;
}

function positionalPairs(
  frame: Frame,
  keyed: Keyed,
  args: Exclude<Tree.Arguments, { readonly kind: 'named' }>,
): readonly Tree.NamedArgument[] {
  const [value, ...others] = args.kind === 'positional' ? args.values : [];
  const [only, ...more] = openKeyParts(frame, keyed);
  if (value === undefined || only === undefined || others.length > 0 || more.length > 0) {
    throw refuse(frame, keyed, args, `expected ${expectedKey(frame, keyed)}`);
  }
  return [{ at: value.at, name: only.name, value }];
}

/** The key whose names were given: the type's own, where parts may come from the navigation, or an alternate one. */
function chooseKey(
  frame: Frame,
  keyed: Keyed,
  args: Tree.Arguments,
  pairs: readonly Tree.NamedArgument[],
): readonly Part[] {
  const own = ownKey(frame, keyed);
  const names = pairs.map((pair) => pair.name);
  const given = (part: Part) => names.includes(part.name);
  const known = (parts: readonly Part[]) =>
    names.every((name) => parts.some((part) => part.name === name));
  const isOwn = own.every((part) => given(part) || isConstrained(frame, keyed, part));
  if (names.length > 0 && isOwn && known(own)) return own;
  for (const parts of alternateKeys(frame.session.scope.model, keyed.type)) {
    const alternate = resolveParts(frame, keyed.type, parts);
    if (alternate.every(given) && known(alternate)) return alternate;
  }
  throw refuse(frame, keyed, args, `expected ${expectedKey(frame, keyed)}`);
}

/** Inherited ones first. */
function alternateKeys(model: Model, type: EntityType): readonly (readonly KeyPart[])[] {
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  const inherited = base?.kind === 'entity' ? alternateKeys(model, base) : [];
  return [...inherited, ...(type.alternateKeys ?? [])];
}

function ownKey(frame: Frame, keyed: Keyed): readonly Part[] {
  return resolveParts(frame, keyed.type, frame.session.scope.model.key(keyed.type));
}

function resolveParts(frame: Frame, type: EntityType, parts: readonly KeyPart[]): readonly Part[] {
  const { model } = frame.session.scope;
  return parts.flatMap((part) => {
    const path = keyPath(frame, type, part);
    const property = path?.at(-1);
    if (path === undefined || property === undefined) return [];
    return [{ name: part.alias ?? part.path, path, type: typeOfReference(model, property) }];
  });
}

/** Whether the row that the path comes from gives the part. OData 4.01 URL Conventions, "URLs for Related Entities with Referential Constraints". */
function isConstrained(frame: Frame, keyed: Keyed, part: Part): boolean {
  const partner = keyed.navigation?.partner;
  if (partner === undefined) return false;
  const back = frame.session.scope.model.members(keyed.type).get(partner);
  if (back?.kind !== 'navigation') return false;
  return back.constraints?.some(({ property }) => property === part.name) ?? false;
}

function bindValue(frame: Frame, keyed: Keyed, part: Part, tree: Tree.Expression): Expression {
  const { type } = part;
  const operand = bindOperand(frame, tree);
  const value = fitKey(frame, operand, type);
  if (value !== undefined) return value;
  const given = operand.value.type.kind === 'null' ? 'null' : typeName(operand.value.type);
  const expected = `${part.name} is of type ${typeName(type)}, not ${given}`;
  const args: Tree.Arguments = { kind: 'positional', at: tree.at, values: [tree] };
  throw refuse(frame, keyed, args, expected);
}

function fitKey(
  frame: Frame,
  { value }: Operand,
  type: Expression['type'],
): Expression | undefined {
  if (value.type.kind === 'null') return undefined;
  if (value.kind === 'literal') return fitGiven(value, type);
  const common = commonType(frame.session.scope.model, value.type, type);
  return common === undefined ? undefined : promote(value, common);
}

function partEquals(row: EntityRow, { path, type }: Part, value: Expression): Expression {
  return {
    kind: 'compare',
    operator: 'eq',
    left: { kind: 'property', row: { kind: 'variable', row }, path, type },
    right: value,
    operandType: type,
    type: BOOLEAN,
  };
}

function refuseTwins(frame: Frame, pairs: readonly Tree.NamedArgument[]): void {
  const twin = pairs.find(
    (pair, index) => pairs.findIndex(({ name }) => name === pair.name) < index,
  );
  if (twin === undefined) return;
  throw new Fault(
    'bind.duplicate',
    { name: twin.name, place: placeOf(frame, twin.at) },
    whereOf(frame, twin.at),
  );
}

/** `(Id=…) or (Number=…)`. */
function expectedKey(frame: Frame, keyed: Keyed): string {
  const own = ownKey(frame, keyed).map((part) => `${part.name}=…`);
  const alternates = alternateKeys(frame.session.scope.model, keyed.type);
  const others = alternates.map((parts) =>
    parts.map((part) => `${part.alias ?? part.path}=…`).join(','),
  );
  return [own.join(','), ...others].map((text) => `(${text})`).join(' or ');
}

/** The fault for a key behind values, which are no entities. */
export function keyOfValue(frame: Frame, type: string, key: Tree.Arguments, at: number): Fault {
  return keyFault(frame, type, { ...key, at }, 'values have no key, so leave the parentheses out');
}

function refuse(frame: Frame, keyed: Keyed, args: Tree.Arguments, expected: string): Fault {
  return keyFault(frame, keyed.type.name, args, expected);
}

export function keyFault(
  frame: Frame,
  type: string,
  args: Tree.Arguments,
  expected: string,
): Fault {
  return new Fault(
    'bind.key',
    {
      key: showKey(args),
      type,
      expected,
      place: placeOf(frame, args.at),
    },
    whereOf(frame, args.at),
  );
}
