// Binds the expressions of the effects and the result of an action. They are bound one by one while the action runs, because later
// expressions can refer to entities that earlier effects created. Entities are identified by address.
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
import type { AddressStep, BoundReadRequest, Expression, Rows } from '../bound.ts';
import { comparison, entityValue, joinConditions, variable } from '../expression/constructors.ts';
import { startSession } from '../expression/expression.ts';
import { bindResultOf } from '../expression/limited-rows.ts';
import { constant, FALSE } from '../expression/literal.ts';
import {
  contextParameters,
  ownParameters,
  readBody,
  typedResult,
} from '../expression/operation-call.ts';
import { typeOfReference } from '../expression/types.ts';
import { placeOfResult } from '../path/operation-segments.ts';
import { navigationStep, type Place, type Position, unlimitedRows } from '../path/position.ts';
import { walkPath } from '../path/resource-path.ts';
import { outermostLevel } from '../query/option-scope.ts';
import type { Frame, Resolved, Scope, Session } from '../scope.ts';
import { addressedRow, allRows, resolvedValue, startFrame, subjectOf } from '../scope.ts';

/** The state of a running action. Addresses are percent-encoded and relative to the service root. */
export interface ActionContext {
  readonly operation: Operation;
  /** The address of the result in context URLs. */
  readonly address: readonly AddressStep[];
  /** Address of the entity or collection that the action is bound to. */
  readonly it?: string;
  /** Address of the entity whose change is evaluated: `$this`. */
  readonly this?: string;
  /** Values of parameters, as BoundWrite has them. */
  readonly parameters: ReadonlyMap<string, Value>;
  /** Addresses of entities by name: entity parameters, and entities that effects created. */
  readonly entities: ReadonlyMap<string, readonly string[]>;
}

/** How to read the value of an expression: as JSON, or as references for entities. */
export type BoundEffect =
  | { readonly form: 'value'; readonly read: BoundReadRequest }
  | {
      readonly form: 'reference' | 'references';
      readonly read: BoundReadRequest;
      readonly type: EntityType;
    }
  /** An entity parameter without a value. */
  | { readonly form: 'none' };

/** Binds an expression of an effect. Throws: bind.* if the model is wrong. */
export function bindEffect(scope: Scope, state: ActionContext, text: string): BoundEffect {
  const { place, level } = reachPlace(scope, state, text, false);
  if (place.kind === 'result' && place.value.type.kind === 'entity') return { form: 'none' };
  if (place.kind !== 'position' || place.value !== undefined)
    return { form: 'value', read: bindPlace(level, place, NO_OPTIONS) };
  const read = bindPlace(level, { ...place, mark: 'ref' }, NO_OPTIONS);
  return { form: place.many ? 'references' : 'reference', read, type: place.rows.row.type };
}

/** Binds the result of the action with the options of the request. Throws: bind.*, request.misplaced-option. */
export function bindActionResult(
  scope: Scope,
  state: ActionContext,
  text: string,
  options: Tree.Options,
): BoundReadRequest {
  const { place, session } = reachPlace(scope, state, text, true);
  return bindPlace(outermostLevel(session, options.aliases), place, options);
}

function reachPlace(scope: Scope, state: ActionContext, text: string, isResult: boolean) {
  const { operation } = state;
  const { frame, on, known } = actionFrame(scope, state);
  const { session } = frame;
  const resolved = isResult
    ? typedResult(operation, frame, bindResultOf(frame, text, operation.name))
    : session.resolve(frame, readBody(text, operation.name));
  const segment = { at: 0, key: undefined };
  const place: Place = placeOfResult(frame, {
    operation,
    resolved,
    segment,
    address: state.address,
    on,
  });
  const level = outermostLevel(session, new Map());
  if (place.kind !== 'position') return { place, session, level };
  const isKnown = place.rows.row.source.kind === 'containment' && place.value === undefined;
  const address = isKnown ? stepsTo(session, unlimitedRows(place.rows), known) : place.address;
  return { place: { ...place, address }, session, level };
}

/** Addresses by the id of their row variable. */
type KnownRows = ReadonlyMap<number, readonly AddressStep[]>;

/** The frame for resolving addresses, and the addresses resolved so far. */
interface Walk {
  readonly frame: Frame;
  readonly known: Map<number, readonly AddressStep[]>;
}

/** The address of the rows, starting at a known address. Contained entities have no other address. */
function stepsTo(
  session: Session,
  { row, origin }: Rows,
  known: KnownRows,
): readonly AddressStep[] {
  const address = known.get(row.id);
  if (address !== undefined) return address;
  if (origin.kind !== 'related')
    return [{ name: row.source.set?.name ?? row.source.id, kind: 'set', many: true }];
  const { from, path, navigation } = origin;
  return [
    ...stepsTo(session, from, known),
    ...path.map((step) => ({ name: step.name, kind: 'property', many: false }) as const),
    navigationStep(session, from, path, navigation),
  ];
}

/**
 * The frame of a running action: `$it` is its binding parameter, `$this` the entity that an effect changes. Other parameters and created
 * entities have names.
 */
function actionFrame(
  scope: Scope,
  state: ActionContext,
): { readonly frame: Frame; readonly on: Position | undefined; readonly known: KnownRows } {
  const session = startSession(scope);
  const { name } = state.operation;
  const part = { name: undefined, target: `the action ${name}` };
  const outside = { ...startFrame(session, part, undefined), resolving: [name] };
  const walk: Walk = { frame: outside, known: new Map() };
  const on = state.it === undefined ? undefined : walkTo(walk, state.it);
  const binding = on === undefined ? undefined : reachPosition(on);
  const subject = binding === undefined ? undefined : subjectOf(binding);
  const changed =
    state.this === undefined ? undefined : addressedRow(walkTo(walk, state.this).rows);
  const parameters = new Map([...contextParameters(outside), ...knownNames(walk, state)]);
  const own = changed === undefined ? subject : subjectOf(changed);
  return {
    frame: { ...outside, current: subject, it: subject, this: own, parameters },
    on,
    known: walk.known,
  };
}

function reachPosition(position: Position): Resolved {
  return position.many ? { kind: 'rows', rows: position.rows } : addressedRow(position.rows);
}

function walkTo({ frame, known }: Walk, address: string): Position {
  const place = walkPath(frame, readPath(address, new Budget(DEFAULT_TREE_LIMITS)).path);
  invariant(place.kind === 'position' && place.value === undefined, `no entity at ${address}`);
  known.set(place.rows.row.id, place.address);
  return place;
}

// ---- parameters and created entities --------------------------------------------------------------------------------

function knownNames(walk: Walk, state: ActionContext): readonly (readonly [string, Resolved])[] {
  const { operation, parameters, entities } = state;
  const { model } = walk.frame.session.scope;
  const own = ownParameters(operation);
  const ownValues = own.map((parameter): readonly [string, Resolved] => {
    const { name } = parameter;
    const isEntity = model.types.get(parameter.type)?.kind === 'entity';
    if (!isEntity)
      return [
        name,
        resolvedValue(valueOfParameter(model, parameter, parameters.get(name) ?? null)),
      ];
    const addresses = entities.get(name) ?? [];
    const source = typeSource(model, parameter.type);
    return [
      name,
      parameter.collection
        ? reachMany(walk, source, addresses)
        : reachOne(walk, parameter, addresses),
    ];
  });
  const created = [...entities].filter(
    ([name]) => !own.some((parameter) => parameter.name === name),
  );
  return [
    ...ownValues,
    ...created.flatMap(([name, [address]]) =>
      address === undefined ? [] : [[name, addressedRow(walkTo(walk, address).rows)] as const],
    ),
  ];
}

function reachOne(walk: Walk, parameter: Parameter, [address]: readonly string[]): Resolved {
  return address === undefined
    ? resolvedValue(constant(typeOfReference(walk.frame.model, parameter), null))
    : addressedRow(walkTo(walk, address).rows);
}

/** The rows of the source that are at one of the addresses. */
function reachMany(walk: Walk, source: Source, addresses: readonly string[]): Resolved {
  const rows = allRows(walk.frame.session, source);
  const { type } = rows.row;
  const own = entityValue(variable(rows.row), type);
  const matches = addresses.map((address) => {
    const target = { kind: 'addressed', rows: walkTo(walk, address).rows } as const;
    return comparison('eq', own, entityValue(target, type));
  });
  const condition = joinConditions('or', matches) ?? FALSE;
  return { kind: 'rows', rows: { ...rows, where: [condition] } };
}

/** The value as a constant: a literal for primitive values, JSON text for others. */
function valueOfParameter(model: Model, parameter: Parameter, value: Value): Expression {
  const type = typeOfReference(model, parameter);
  if (value === null) return constant(type, null);
  if (typeof value === 'string' && (parameter.collection || type.kind === 'complex'))
    return { kind: 'json', type, text: value };
  if (type.kind !== 'complex') return constant(type, value);
  const name = type.type.coded?.value ?? 'Value';
  return { kind: 'json', type, text: `{${JSON.stringify(name)}:${writeJson('Edm.Int64', value)}}` };
}
