// This file defines the context of binding: Scope, that of a request; Session, shared within one call of bind; Frame,
// what names mean in one part of an expression; and Reached, the result of resolving a path.
import { Fault, type FaultCode, type FaultParameters } from '../base/fault.ts';
import type { EntityType, Model, StructuredType } from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type * as Tree from '../request/tree.ts';
import type {
  Collection,
  Computed,
  Expression,
  NestedRows,
  RowExpression,
  Rows,
  RowVariable,
  StoredCollection,
} from './bound.ts';
import type { CodeBook } from './codes.ts';
import type { Parameters } from './parameter.ts';

/** Limits of one request. */
export interface BindLimits {
  /** Maximum levels of $expand, including those of $levels. */
  readonly expandDepth: number;
  /** Maximum navigations in one $expand. `*` counts as the navigations that it includes. */
  readonly expandWidth: number;
  /** Maximum number of parts of a query. */
  readonly nodes: number;
}

/** The context of a request, most of which all requests to a service share. */
export interface Scope {
  readonly model: Model;
  /** service: extra rules of the API contract apply to $select and $expand. odata: only those of the standard do. */
  readonly rules: 'service' | 'odata';
  readonly limits: BindLimits;
  /** The public URL of the service root, ending with a slash. URLs in `$id` may start with it. */
  readonly root?: string | undefined;
  /** The codes in force, if they can differ from those of the model. */
  readonly codes?: CodeBook | undefined;
  /** The literals of the request, for a plan that other requests may share. */
  readonly parameters?: Parameters | undefined;
}

export const DEFAULT_BIND_LIMITS: BindLimits = {
  expandDepth: 6,
  expandWidth: 16,
  nodes: 10_000,
};

export type EntityRow = RowVariable & { readonly kind: 'entity' };
export type ElementRow = RowVariable & { readonly kind: 'element' };
export type DerivedRow = RowVariable & { readonly kind: 'derived' };

/** The state of one call of bind. The functions are injected to avoid import cycles within the module. */
export interface Session {
  readonly scope: Scope;
  /** Allocates a row variable id that is unique in the request. */
  readonly rowId: () => number;
  /** The time that `now()` and `@now` are. */
  readonly now: 'now' | 'present';
  /** Single-valued navigations already followed, so that equal paths share one row. */
  readonly follows: Map<string, RowExpression>;
  /** The parts that have been bound so far. */
  readonly parts: { count: number };
  /** Binds an expression that must be a value. */
  readonly bind: (frame: Frame, tree: Tree.Expression) => Expression;
  /** Binds an expression that may also be a row or a collection. */
  readonly resolve: (frame: Frame, tree: Tree.Expression) => Resolved;
}

/**
 * Counts the parts of an expression that is inserted once more. A few aliases or computed properties, each of which names the one before it
 * twice, would otherwise become a statement of any size.
 * Throws: bind.too-large.
 */
export function countInserted({ session, part }: Frame, parts: number): void {
  const { parts: bound, scope } = session;
  const limit = scope.limits.nodes;
  bound.count += parts;
  if (bound.count > limit) throw new Fault('bind.too-large', { limit }, { target: part.target });
}

/** The text that positions refer to: a query option, the path, or an alias. */
export interface Part {
  /** `path`, the name of the query option without `$`, or an alias with `@`. Undefined for expressions of the model. */
  readonly name: string | undefined;
  /** Its name in error targets: `$filter`. */
  readonly target: string;
}

/** A row with its computed properties. */
export interface Subject {
  readonly resolved: Resolved;
  readonly computed: ReadonlyMap<string, Computed>;
  /** Rows nested into it by $apply. */
  readonly nested?: readonly NestedRows[] | undefined;
}

/** Collections that the paths of one transformation traverse. Equal navigations share one collection. */
export interface PathCollections {
  readonly collections: Map<string, StoredCollection>;
}

/** The meaning of `$these`: all rows or items that an expression is evaluated for. */
export interface These {
  /** The collection; undefined if `$these` is not supported for it. */
  readonly resolve: () => Resolved | undefined;
  /** The variable of its rows, if an expression has used it. */
  readonly used: () => RowVariable | undefined;
}

export interface Frame {
  readonly session: Session;
  readonly model: Model;
  readonly part: Part;
  /** The start of paths without a root. */
  readonly current: Subject | undefined;
  readonly it: Subject | undefined;
  readonly this: Subject | undefined;
  /** `$these`; undefined in expressions of the model. */
  readonly these?: These | undefined;
  /** Lambda variables and the sets of a $crossjoin. */
  readonly variables: ReadonlyMap<string, Resolved>;
  /** Parameter aliases of the request. */
  readonly aliases: ReadonlyMap<string, Tree.Expression>;
  /** Parameters of the model function whose expression is being bound. */
  readonly parameters: ReadonlyMap<string, Resolved>;
  /** Set inside aggregate and groupby, where paths may traverse collections. */
  readonly pathCollections?: PathCollections | undefined;
  /** Query options without $ and @, which may be parameters of functions in the path. */
  readonly custom?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Aliases and functions being resolved, to detect cycles. */
  readonly resolving: readonly string[];
}

/** A frame for expressions about the subject, without variables, aliases or parameters. */
export function startFrame(session: Session, part: Part, subject: Subject | undefined): Frame {
  return {
    session,
    model: session.scope.model,
    part,
    current: subject,
    it: subject,
    this: subject,
    variables: new Map(),
    aliases: new Map(),
    parameters: new Map(),
    resolving: [],
  };
}

/** The result of resolving a path. */
export type Resolved =
  | ResolvedRow
  /** A derived row. `prefix` is the leading part of a column name that the path has named so far. */
  | { readonly kind: 'derived'; readonly row: DerivedRow; readonly prefix: string }
  | ResolvedValue
  | { readonly kind: 'rows'; readonly rows: Rows }
  | { readonly kind: 'elements'; readonly collection: Collection & { readonly kind: 'elements' } }
  | { readonly kind: 'made'; readonly collection: Collection & { readonly kind: 'made' } };

/** The type tests of a path with casts. If one of them is not true, the path is null. */
export interface Guarded {
  readonly guards: readonly Expression[];
  /** Set if the last step is a cast. Members that only the derived type has need no guard, because they are null on other rows. */
  readonly cast?: { readonly from: StructuredType; readonly guard: Expression };
}

/** One row or none. After a cast, `type` is derived from the type of the row. */
export interface ResolvedRow extends Guarded {
  readonly kind: 'row';
  readonly row: RowExpression;
  readonly type: EntityType;
  readonly computed?: ReadonlyMap<string, Computed> | undefined;
}

export interface ResolvedValue extends Guarded {
  readonly kind: 'value';
  readonly value: Expression;
}

const NOTHING_COMPUTED: ReadonlyMap<string, Computed> = new Map();

export function subjectOf(
  resolved: Resolved,
  computed: ReadonlyMap<string, Computed> = NOTHING_COMPUTED,
): Subject {
  return { resolved, computed };
}

/** A row variable as the start of a path. */
export function resolvedVariable(row: RowVariable): Resolved {
  switch (row.kind) {
    case 'entity':
      return { kind: 'row', row: { kind: 'variable', row }, type: row.type, guards: [] };
    case 'element':
      return resolvedValue({
        kind: 'property',
        row: { kind: 'variable', row },
        path: [],
        type: row.type,
      });
    case 'derived':
      return { kind: 'derived', row, prefix: '' };
  }
}

export function resolvedValue(value: Expression): ResolvedValue {
  return { kind: 'value', value, guards: [] };
}

/** The single one of the rows as the start of a path. */
export function addressedRow(rows: Rows): ResolvedRow {
  return { kind: 'row', row: { kind: 'addressed', rows }, type: rows.row.type, guards: [] };
}

export function newEntityRow(
  session: Session,
  source: Source,
  type: EntityType,
  route?: EntityRow['route'],
): EntityRow {
  const row = { kind: 'entity', id: session.rowId(), source, type } as const;
  return route === undefined ? row : { ...row, route };
}

/** All rows of a source, with a new variable. */
export function allRows(session: Session, source: Source): Rows {
  return { row: newEntityRow(session, source, source.type), origin: { kind: 'source' }, where: [] };
}

/** The position as messages show it: `at position 7 of $filter`. */
export function positionText(frame: Frame, at: number): string {
  return `at position ${at} of ${frame.part.target}`;
}

/** An error at a position of the part. The message shows the position as `{place}`. */
export function faultAt(
  frame: Frame,
  position: number,
  code: FaultCode,
  parameters: FaultParameters = {},
): Fault {
  const place = positionText(frame, position);
  return new Fault(code, { place, ...parameters }, { position, target: frame.part.target });
}

/** The error for a feature that the service does not have. */
export function notBuilt(frame: Frame, feature: string, at: number): Fault {
  return faultAt(frame, at, 'not-built', { feature });
}
