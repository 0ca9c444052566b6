// This file binds the expressions by which a model says what an action does and gives back. They are bound one by one while the action
// is carried out, since later ones can speak of what earlier ones have made; entities are known by their addresses.
// OData Protocol 4.01, "Actions".
import { invariant } from '../../base/fault.ts';
import type { EntityType, Model, Operation, Parameter } from '../../edm/model.ts';
import { type Source, typeSource } from '../../edm/source.ts';
import { writeJson } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../../request/cursor.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import { readPath } from '../../request/path.ts';
import type * as Tree from '../../request/tree.ts';
import { bindPlace } from '../bind-read.ts';
import type { AddressStep, BoundReading, Expression, Rows } from '../bound.ts';
import { startSession } from '../expression/expression.ts';
import { constant } from '../expression/literal.ts';
import { reachAddressed } from '../expression/member.ts';
import {
  contextParameters,
  ownParameters,
  readBody,
  typedResult,
} from '../expression/operation-call.ts';
import { BOOLEAN, typeOfReference } from '../expression/types.ts';
import { placeOfResult } from '../path/operation-segments.ts';
import { navigationStep, type Place, type Position, rowOf } from '../path/position.ts';
import { walkPath } from '../path/resource-path.ts';
import { outermostLevel } from '../query/option-scope.ts';
import {
  allRows,
  type Frame,
  type Reached,
  reachValue,
  type Scope,
  type Session,
  startFrame,
  subjectOf,
} from '../scope.ts';

/** What is known while an action is carried out. Addresses are percent-encoded and relative to the service root. */
export interface Acting {
  readonly operation: Operation;
  /** How the address of the result is told in context URLs. */
  readonly address: readonly AddressStep[];
  /** Address of the entity or collection that the action is bound to. */
  readonly it?: string;
  /** Values of parameters, as BoundWrite has them. */
  readonly parameters: ReadonlyMap<string, Value>;
  /** Addresses of the entities that a parameter names, or that an effect has made, by its name. */
  readonly entities: ReadonlyMap<string, readonly string[]>;
}

/** How the value of an expression is found: read as JSON, or, where it is entities of the type, as their references. */
export type BoundEffect =
  | { readonly form: 'value'; readonly read: BoundReading }
  | {
      readonly form: 'reference' | 'references';
      readonly read: BoundReading;
      readonly type: EntityType;
    }
  /** A parameter that could name an entity, and names none. */
  | { readonly form: 'none' };

/** An expression of an effect. Faults: bind.* where the model is wrong. */
export function bindEffect(scope: Scope, acting: Acting, text: string): BoundEffect {
  const { place, level } = reachPlace(scope, acting, text, false);
  if (place.kind === 'result' && place.value.type.kind === 'entity') return { form: 'none' };
  if (place.kind !== 'position' || place.value !== undefined)
    return { form: 'value', read: bindPlace(level, place, NO_OPTIONS) };
  const read = bindPlace(level, { ...place, mark: 'ref' }, NO_OPTIONS);
  return { form: place.many ? 'references' : 'reference', read, type: place.rows.row.type };
}

/** What the action gives back, with what $select and $expand ask of it. Faults: bind.*, request.misplaced-option. */
export function bindActionResult(
  scope: Scope,
  acting: Acting,
  text: string,
  options: Tree.Options,
): BoundReading {
  const { place, session } = reachPlace(scope, acting, text, true);
  return bindPlace(outermostLevel(session, options.aliases), place, options);
}

function reachPlace(scope: Scope, acting: Acting, text: string, isResult: boolean) {
  const { operation } = acting;
  const { frame, on, known } = actingFrame(scope, acting);
  const { session } = frame;
  const found = session.reach(frame, readBody(text, operation.name));
  const reached = isResult ? typedResult(operation, frame, found) : found;
  const segment = { at: 0, key: undefined };
  const place: Place = placeOfResult(frame, {
    operation,
    reached,
    segment,
    address: acting.address,
    on,
  });
  const level = outermostLevel(session, new Map());
  if (place.kind !== 'position') return { place, session, level };
  const isKnown = place.rows.row.source.kind === 'containment' && place.value === undefined;
  const address = isKnown ? stepsTo(session, place.rows, known) : place.address;
  return { place: { ...place, address }, session, level };
}

/** Addresses by the numbers of the row variables that stand for them. */
type KnownRows = ReadonlyMap<number, readonly AddressStep[]>;

/** Where addresses are walked, and what is known of the rows at their ends. */
interface Walking {
  readonly frame: Frame;
  readonly known: Map<number, readonly AddressStep[]>;
}

/** The way to rows, from the entities whose addresses are known: what is contained has no other address. */
function stepsTo(
  session: Session,
  { row, origin }: Rows,
  known: KnownRows,
): readonly AddressStep[] {
  const there = known.get(row.id);
  if (there !== undefined) return there;
  if (origin.kind !== 'related')
    return [{ name: row.source.set?.name ?? row.source.id, kind: 'set', many: true }];
  const { from, path, navigation } = origin;
  return [
    ...stepsTo(session, from, known),
    ...path.map((step) => ({ name: step.name, kind: 'property', many: false }) as const),
    navigationStep(session, from, path, navigation),
  ];
}

/** `$it` is what the action is bound to; parameters and what was made are aliases. */
function actingFrame(
  scope: Scope,
  acting: Acting,
): { readonly frame: Frame; readonly on: Position | undefined; readonly known: KnownRows } {
  const session = startSession(scope);
  const { name } = acting.operation;
  const part = { name: undefined, target: `the action ${name}` };
  const outside = { ...startFrame(session, part, undefined), resolving: [name] };
  const walking: Walking = { frame: outside, known: new Map() };
  const on = acting.it === undefined ? undefined : walkTo(walking, acting.it);
  const binding = on === undefined ? undefined : reachPosition(on);
  const subject = binding === undefined ? undefined : subjectOf(binding);
  const parameters = new Map([...contextParameters(outside), ...knownNames(walking, acting)]);
  return {
    frame: { ...outside, current: subject, it: subject, this: subject, parameters },
    on,
    known: walking.known,
  };
}

function reachPosition(position: Position): Reached {
  return position.many ? { kind: 'rows', rows: position.rows } : rowOf(position);
}

function walkTo({ frame, known }: Walking, address: string): Position {
  const place = walkPath(frame, readPath(address, new Budget(DEFAULT_TREE_LIMITS)).path);
  invariant(place.kind === 'position' && place.value === undefined, `no entity at ${address}`);
  known.set(place.rows.row.id, place.address);
  return place;
}

// ---- parameters and what was made -----------------------------------------------------------------------------------

function knownNames(walking: Walking, acting: Acting): readonly (readonly [string, Reached])[] {
  const { operation, parameters, entities } = acting;
  const { model } = walking.frame.session.scope;
  const own = ownParameters(operation);
  const given = own.map((parameter): readonly [string, Reached] => {
    const { name } = parameter;
    const isEntity = model.types.get(parameter.type)?.kind === 'entity';
    if (!isEntity)
      return [name, reachValue(valueOfParameter(model, parameter, parameters.get(name) ?? null))];
    const addresses = entities.get(name) ?? [];
    const source = typeSource(model, parameter.type);
    return [
      name,
      parameter.collection
        ? reachMany(walking, source, addresses)
        : reachOne(walking, parameter, addresses),
    ];
  });
  const made = [...entities].filter(([name]) => !own.some((parameter) => parameter.name === name));
  return [
    ...given,
    ...made.flatMap(([name, [address]]) =>
      address === undefined ? [] : [[name, reachAddressed(walkTo(walking, address).rows)] as const],
    ),
  ];
}

function reachOne(walking: Walking, parameter: Parameter, [address]: readonly string[]): Reached {
  return address === undefined
    ? reachValue(constant(typeOfReference(walking.frame.session.scope.model, parameter), null))
    : reachAddressed(walkTo(walking, address).rows);
}

/** The rows at the addresses, as those of the source that are one of them. */
function reachMany(walking: Walking, source: Source, addresses: readonly string[]): Reached {
  const rows = allRows(walking.frame.session, source);
  const type = { kind: 'entity', type: rows.row.type, collection: false } as const;
  const left: Expression = { kind: 'row', row: { kind: 'variable', row: rows.row }, type };
  const matches = addresses.map((address): Expression => {
    const named = walkTo(walking, address).rows;
    const right: Expression = { kind: 'row', row: { kind: 'addressed', rows: named }, type };
    return { kind: 'compare', operator: 'eq', left, right, operandType: type, type: BOOLEAN };
  });
  const [first = constant(BOOLEAN, false), ...others] = matches;
  const condition: Expression =
    others.length === 0 ? first : { kind: 'or', operands: matches, type: BOOLEAN };
  return { kind: 'rows', rows: { ...rows, where: [condition] } };
}

/** The value as a constant: a primitive one as a literal, all others as JSON text. */
function valueOfParameter(model: Model, parameter: Parameter, value: Value): Expression {
  const type = typeOfReference(model, parameter);
  if (value === null) return constant(type, null);
  if (typeof value === 'string' && (parameter.collection || type.kind === 'complex'))
    return { kind: 'json', type, text: value };
  if (type.kind !== 'complex') return constant(type, value);
  const name = type.type.coded?.value ?? 'Value';
  return { kind: 'json', type, text: `{${JSON.stringify(name)}:${writeJson('Edm.Int64', value)}}` };
}
