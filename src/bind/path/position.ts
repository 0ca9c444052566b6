// This file defines the result of resolving a resource path, or the part of it so far, and the steps that several files share.
// Unlike in expressions, the target rows of a navigation are related to the preceding rows, not to one row.
import { type Fault, invariant } from '../../base/fault.ts';
import {
  type EntityType,
  entityType,
  type Navigation,
  type Operation,
  type Property,
  type StructuredType,
  structuredType,
} from '../../edm/model.ts';
import { declaringType } from '../../edm/source.ts';
import { adviceForSegment } from '../../request/expression/syntax-hints.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  AddressStep,
  CalculationCall,
  ExplanationCall,
  Expression,
  RowExpression,
  Rows,
} from '../bound.ts';
import { narrowRows } from '../expression/collection.ts';
import { variable } from '../expression/constructors.ts';
import { hintAt, operationsNamed } from '../names.ts';
import { requireNavigable } from '../query/restrictions.ts';
import type { ElementRow, Frame, ResolvedRow, Session } from '../scope.ts';
import { faultAt, newEntityRow } from '../scope.ts';
import type { KeyMatch } from './key-predicate.ts';
import { navigationRoute, navigationSource } from './navigation.ts';

/** A value inside the row that the path addresses. */
export interface ValuePosition {
  /** Refers to the variable of the position's rows. */
  readonly value: Expression;
  /** The properties to the value. Dynamic properties have an entry with their name; results of functions have none. */
  readonly path: readonly Property[];
  /** Selects an item of the collection. */
  readonly index?: number | undefined;
  /** The items of the collection, limited by $filter segments and casts. */
  readonly elements?: { readonly row: ElementRow; readonly where: readonly Expression[] };
  /** Type tests of the casts before the value. */
  readonly guards: readonly Expression[];
}

/** Entities, or a value in one of them. */
export interface Position {
  readonly kind: 'position';
  readonly rows: Rows;
  /** Whether the rows are a collection. */
  readonly many: boolean;
  /** The last navigation of the path. */
  readonly navigation?: Navigation | undefined;
  /** The row whose absence returns 404 although the last step may be empty. */
  readonly parent?: Rows | undefined;
  readonly nullable: boolean;
  readonly address: readonly AddressStep[];
  readonly value?: ValuePosition | undefined;
  /** The last segment, if it requests another representation. */
  readonly mark?: 'value' | 'count' | 'ref' | 'rights' | 'transitions' | undefined;
  /** The last segment, if it is a calculation with the entity. */
  readonly calculation?: CalculationCall | undefined;
  /** The last segment, if it explains clocks. */
  readonly explanation?: ExplanationCall | undefined;
  /** For `rights`: the login name of the account, if it is not the user's own. */
  readonly whose?: string | undefined;
  /** `$each` follows the rows: the request applies to every entity instead of the collection. */
  readonly each: boolean;
  /** The function that returned the position, if it is not composable. */
  readonly closed?: string | undefined;
}

/** The target of a resource path. */
export type Place =
  | Position
  | { readonly kind: 'document'; readonly document: 'service' | 'metadata' | 'ping' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'all'; readonly type?: EntityType | undefined }
  | {
      readonly kind: 'crossjoin';
      readonly sets: readonly { readonly at: number; readonly name: string }[];
    }
  /** A function result that is not part of a row. */
  | {
      readonly kind: 'result';
      readonly operation: Operation;
      readonly value: Expression;
      readonly nullable: boolean;
      readonly raw: boolean;
    }
  /** An action and its binding parameter. */
  | {
      readonly kind: 'action';
      readonly operation: Operation;
      readonly on?: Position | undefined;
      readonly address: readonly AddressStep[];
    };

/** The row that a position addresses, as the start of a path. */
export function rowOf({ rows: { row } }: Position): ResolvedRow {
  return { kind: 'row', row: variable(row), type: row.type, guards: [] };
}

export function addStep(position: Position, step: AddressStep): readonly AddressStep[] {
  return [...position.address, step];
}

/** The steps to the last entity of an address and its casts, without the properties and casts of values after it. */
export function entitySteps(address: readonly AddressStep[]): readonly AddressStep[] {
  const entity = address.findLastIndex(({ kind }) => kind !== 'property' && kind !== 'cast');
  const first = address.findIndex(({ kind }, index) => index > entity && kind === 'property');
  return first < 0 ? address : address.slice(0, first);
}

/** Follows a navigation from the position's row, or from a complex value inside it if `path` is not empty. */
export function followNavigation(
  frame: Frame,
  position: Position,
  path: readonly Property[],
  navigation: Navigation,
): Position {
  const { collection, nullable } = navigation;
  const rows = relatedRows(frame.session, position.rows, path, navigation);
  requireNavigable(rows);
  return {
    kind: 'position',
    rows,
    many: collection,
    navigation,
    parent: position.rows,
    nullable: collection || nullable,
    address: addStep(position, navigationStep(frame.session, position.rows, path, navigation)),
    each: false,
  };
}

/** The address step of a navigation, with the cast that it requires. */
export function navigationStep(
  { scope }: Session,
  { row }: Rows,
  path: readonly Property[],
  { name, collection, contained, inverse }: Navigation,
): AddressStep {
  const kind = contained && inverse !== true ? 'containment' : 'navigation';
  const isNarrow = path.length === 0 && !scope.model.members(row.source.type).has(name);
  return {
    name,
    kind,
    many: collection,
    ...(isNarrow ? { cast: declaringType(scope.model, row.type, name).name } : {}),
  };
}

function relatedRows(
  session: Session,
  from: Rows,
  path: readonly Property[],
  navigation: Navigation,
): Rows {
  const { model } = session.scope;
  const last = path.at(-1);
  const owner = last === undefined ? from.row.type : structuredType(model, last.type);
  const source = navigationSource(model, from.row.source, { path, type: owner }, navigation);
  return {
    row: newEntityRow(
      session,
      source,
      entityType(model, navigation.target),
      navigationRoute(from.row, { path }, navigation),
    ),
    origin: { kind: 'related', from, path, navigation },
    where: [],
  };
}

/** The rows of which a limit selects the first ones; otherwise the rows themselves. */
export function unlimitedRows(rows: Rows): Rows {
  return (rows.origin.kind === 'these' && rows.origin.of) || rows;
}

/** Converts rows of an expression about the single row of `start` to rows that are related to it. */
export function relate(session: Session, start: Rows | undefined, rows: Rows): Rows {
  const { origin } = rows;
  switch (origin.kind) {
    case 'source':
      return rows;
    case 'these': {
      const of = origin.of && relate(session, start, origin.of);
      return { ...rows, origin: { ...origin, of } };
    }
    case 'related':
      return { ...rows, origin: { ...origin, from: relate(session, start, origin.from) } };
    case 'navigated': {
      const from = rowsOfExpression(session, start, origin.from);
      const { path, navigation } = origin;
      return { ...rows, origin: { kind: 'related', from, path, navigation } };
    }
  }
}

/** Converts the row of an expression about the single row of `start` to rows. */
export function rowsOfExpression(
  session: Session,
  start: Rows | undefined,
  row: RowExpression,
): Rows {
  switch (row.kind) {
    case 'variable':
      invariant(start !== undefined, 'a row variable requires a bound function');
      return start;
    case 'addressed':
      return relate(session, start, row.rows);
    case 'follow': {
      return {
        row: newEntityRow(session, row.target.source, row.target.type, row.target.route),
        origin: {
          kind: 'related',
          from: rowsOfExpression(session, start, row.from),
          path: row.path,
          navigation: row.navigation,
        },
        where: [],
      };
    }
  }
}

export function narrowPosition(position: Position, conditions: readonly Expression[]): Position {
  return { ...position, rows: conditions.reduce(narrowRows, position.rows) };
}

export function keyedPosition(position: Position, { where, text, value }: KeyMatch): Position {
  const last = position.address.at(-1);
  const keyed = { key: text, many: false, value };
  const step = last === undefined ? [] : [{ ...last, ...keyed }];
  return {
    ...narrowPosition(position, where),
    many: false,
    nullable: false,
    address: [...position.address.slice(0, -1), ...step],
  };
}

/** The error for a segment that the type does not have. */
export function unknownSegment(
  frame: Frame,
  type: StructuredType | string,
  segment: { readonly at: number; readonly name: string },
): Fault {
  const { name } = segment;
  const nearest = () =>
    typeof type === 'string' ? '' : hintAt(frame.model, type, name, segmentNames(frame, type));
  return faultAt(frame, segment.at, 'bind.unknown-segment', {
    type: typeof type === 'string' ? type : type.name,
    name: name.slice(0, 100),
    hint: bindingHint(frame, name) ?? (adviceForSegment(name) || nearest()),
  });
}

/** The binding type of an operation of that name. */
function bindingHint(frame: Frame, name: string): string | undefined {
  const bound = operationsNamed(frame.model, name).filter((one) => one.bound);
  const [first] = bound.flatMap(({ parameters }) => parameters.slice(0, 1));
  if (first === undefined) return undefined;
  const type = first.collection ? `Collection(${first.type})` : first.type;
  return ` The operation is bound to ${type}.`;
}

/** The names that a path can continue with after the type. */
function segmentNames(frame: Frame, type: StructuredType): readonly string[] {
  const casts = frame.model.derived(type).map(({ name }) => name);
  return [...frame.model.members(type).keys(), ...casts, ...frame.model.operations.keys()];
}

/** The segment in messages. */
export function nameOf(segment: Tree.Segment): string {
  if (segment.kind === 'name') return segment.name;
  return segment.kind === 'text' ? segment.text.slice(0, 100) : `$${segment.kind}`;
}
