// This file defines where the walk along a resource path has come to, and the small steps of it that several files share: making
// one position out of another, and rows that are related to rows instead of navigated from expressions.
import { Fault, invariant } from '../../base/fault.ts';
import type {
  EntityType,
  Navigation,
  Operation,
  Property,
  StructuredType,
} from '../../edm/model.ts';
import { entityType, structuredType } from '../../edm/model.ts';
import { declaringType } from '../../edm/source.ts';
import { adviceForSegment } from '../../request/expression/syntax-hints.ts';
import type { AddressStep, Expression, RowExpression, Rows } from '../bound.ts';
import { narrowRows } from '../expression/collection.ts';
import { hintAt, operationsNamed } from '../names.ts';
import {
  type ElementRow,
  type Frame,
  newEntityRow,
  type ReachedRow,
  reachVariable,
  type Session,
  whereOf,
} from '../scope.ts';
import type { KeyMatch } from './key-predicate.ts';
import { rowSource, sourceBehind } from './navigation.ts';

/** A value of the one row that the path has come to. */
export interface ValuePosition {
  /** On the variable of the position's rows. */
  readonly value: Expression;
  /** The properties to it; a dynamic one has an entry of its name, the result of a function none. */
  readonly path: readonly Property[];
  /** Which item of the collection. */
  readonly index?: number;
  /** Which items of the collection, by $filter segments and casts. */
  readonly elements?: { readonly row: ElementRow; readonly where: readonly Expression[] };
  /** The owning complex types, for navigations in it. */
  readonly guards: readonly Expression[];
}

/** Rows of entities, or a value in one of them. */
export interface Position {
  readonly kind: 'position';
  readonly rows: Rows;
  /** The rows are a collection, not one entity. */
  readonly many: boolean;
  /** The navigation that was taken last. */
  readonly navigation?: Navigation;
  /** The row whose absence is a 404 even where nothing need be behind it. */
  readonly parent?: Rows;
  readonly nullable: boolean;
  readonly address: readonly AddressStep[];
  readonly value?: ValuePosition;
  /** The last segment, where it says in which form the rows or the value are wanted. */
  readonly mark?: 'value' | 'count' | 'ref' | 'rights';
  /** Of `rights`: the log-in name of another account whose rights are meant. */
  readonly whose?: string;
  /** `$each` stood behind the rows: every one of them is meant, not the collection. */
  readonly each: boolean;
  /** The function that led here, where no path may go on from its result. */
  readonly closed?: string;
}

/** What a resource path leads to. */
export type Place =
  | Position
  | { readonly kind: 'document'; readonly document: 'service' | 'metadata' | 'ping' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'all'; readonly type?: EntityType }
  | {
      readonly kind: 'crossjoin';
      readonly sets: readonly { readonly at: number; readonly name: string }[];
    }
  /** The result of a function that is a value of no row. */
  | {
      readonly kind: 'result';
      readonly operation: Operation;
      readonly value: Expression;
      readonly raw: boolean;
    }
  /** An action, and what it is bound to. */
  | {
      readonly kind: 'action';
      readonly operation: Operation;
      readonly on?: Position;
      readonly address: readonly AddressStep[];
    };

/** The one row that a position addresses, for looking up its members. */
export function rowOf(position: Position): ReachedRow {
  const reached = reachVariable(position.rows.row);
  return reached.kind === 'row'
    ? reached
    : {
        kind: 'row',
        row: { kind: 'variable', row: position.rows.row },
        type: position.rows.row.type,
        guards: [],
      };
}

export function addStep(position: Position, step: AddressStep): readonly AddressStep[] {
  return [...position.address, step];
}

/** Behind a navigation out of the position's row, from inside a complex value where `path` is not empty. */
export function goOver(
  frame: Frame,
  position: Position,
  path: readonly Property[],
  navigation: Navigation,
): Position {
  const { collection, nullable } = navigation;
  return {
    kind: 'position',
    rows: relatedRows(frame.session, position.rows, path, navigation),
    many: collection,
    navigation,
    parent: position.rows,
    nullable: collection || nullable,
    address: addStep(position, navigationStep(frame.session, position.rows, path, navigation)),
    each: false,
  };
}

/** The step over a navigation, with the cast that it needs. */
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
  const source = sourceBehind(model, from.row.source, { path, type: owner }, navigation);
  return {
    row: newEntityRow(session, source, entityType(model, navigation.target)),
    origin: { kind: 'related', from, path, navigation },
    where: [],
  };
}

/** Rows that an expression has reached from the one row of `start`, as rows related to it. */
export function relate(session: Session, start: Rows | undefined, rows: Rows): Rows {
  const { origin } = rows;
  switch (origin.kind) {
    case 'source':
    case 'these':
      return rows;
    case 'related':
      return { ...rows, origin: { ...origin, from: relate(session, start, origin.from) } };
    case 'navigated': {
      const from = rowsOfExpression(session, start, origin.from);
      const { path, navigation } = origin;
      return { ...rows, origin: { kind: 'related', from, path, navigation } };
    }
  }
}

/** The one row of an expression as rows. */
export function rowsOfExpression(
  session: Session,
  start: Rows | undefined,
  row: RowExpression,
): Rows {
  switch (row.kind) {
    case 'variable':
      invariant(start !== undefined, 'only what a function is bound to can be its variable');
      return start;
    case 'addressed':
      return relate(session, start, row.rows);
    case 'follow': {
      const source = rowSource(row) ?? row.target.source;
      return {
        row: newEntityRow(session, source, row.target.type),
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

/** The position with fewer rows. */
export function narrowPosition(position: Position, conditions: readonly Expression[]): Position {
  return { ...position, rows: conditions.reduce(narrowRows, position.rows) };
}

/** The position of the one row that has the key. */
export function keyedPosition(position: Position, { where, text, value }: KeyMatch): Position {
  const last = position.address.at(-1);
  const keyed = { key: text, many: false, ...(value === undefined ? {} : { value }) };
  const step = last === undefined ? [] : [{ ...last, ...keyed }];
  return {
    ...narrowPosition(position, where),
    many: false,
    nullable: false,
    address: [...position.address.slice(0, -1), ...step],
  };
}

/** The fault for a name that a path cannot go on with. */
export function unknownSegment(
  frame: Frame,
  type: StructuredType | string,
  segment: { readonly at: number; readonly name: string },
): Fault {
  const { name } = segment;
  const nearest = () =>
    typeof type === 'string'
      ? ''
      : hintAt(frame.session.scope.model, type, name, namesBehind(frame, type));
  return new Fault(
    'bind.unknown-segment',
    {
      type: typeof type === 'string' ? type : type.name,
      name: name.slice(0, 100),
      hint: boundElsewhere(frame, name) ?? (adviceForSegment(name) || nearest()),
    },
    whereOf(frame, segment.at),
  );
}

/** An operation of the name that is bound to something else. */
function boundElsewhere(frame: Frame, name: string): string | undefined {
  const bound = operationsNamed(frame.session.scope.model, name).filter((one) => one.bound);
  const [first] = bound.flatMap(({ parameters }) => parameters.slice(0, 1));
  if (first === undefined) return undefined;
  const type = first.collection ? `Collection(${first.type})` : first.type;
  return ` It is called for ${type}.`;
}

function namesBehind(frame: Frame, type: StructuredType): readonly string[] {
  const { model } = frame.session.scope;
  const casts = model.derived(type).map(({ name }) => name);
  return [...model.members(type).keys(), ...casts, ...model.operations.keys()];
}
