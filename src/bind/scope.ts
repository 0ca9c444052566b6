// This file defines the surroundings of binding: Scope, what holds for a whole service; Session, what one call of bind shares;
// Frame, what names mean at one place of an expression; and Reached, where the walk along a path has come to.
import type { FaultPlace } from '../base/fault.ts';
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

/** How much one request may ask for. */
export interface BindLimits {
  /** Levels of $expand, those of $levels included. */
  readonly expandDepth: number;
  /** Navigations that one $expand may name, `*` counted as what it stands for. */
  readonly expandWidth: number;
}

/** What holds for every request to one service. */
export interface Scope {
  readonly model: Model;
  /** service: the contract's extra rules for $select and $expand hold; odata: those of the standard. */
  readonly rules: 'service' | 'odata';
  readonly limits: BindLimits;
  /** The service root as the client sees it, with a slash at its end: URLs in `$id` may start with it. */
  readonly root?: string;
}

export const DEFAULT_BIND_LIMITS: BindLimits = { expandDepth: 6, expandWidth: 16 };

export type EntityRow = RowVariable & { readonly kind: 'entity' };
export type ElementRow = RowVariable & { readonly kind: 'element' };
export type DerivedRow = RowVariable & { readonly kind: 'derived' };

/** What one call of bind shares. The functions are the doors of other files of this room, handed in so that none imports in a circle. */
export interface Session {
  readonly scope: Scope;
  /** A number that no other row variable of the request has. */
  readonly rowId: () => number;
  /** Single navigations already followed, so that the same path always means the same row. */
  readonly follows: Map<string, RowExpression>;
  /** Binds an expression to a value. */
  readonly bind: (frame: Frame, tree: Tree.Expression) => Expression;
  /** Binds an expression to whatever it leads to, collections and rows included. */
  readonly reach: (frame: Frame, tree: Tree.Expression) => Reached;
}

/** Which text positions count in: that of an option, of the path, or of an alias. */
export interface Part {
  /** `path`, the name of the query option without `$`, or an alias with `@`; undefined for expressions of the model. */
  readonly name: string | undefined;
  /** As faults call it: `$filter`. */
  readonly target: string;
}

/** A row with the names that $compute has added to it. */
export interface Subject {
  readonly reached: Reached;
  readonly computed: ReadonlyMap<string, Computed>;
  /** Rows that $apply has made members of it. */
  readonly nested?: readonly NestedRows[];
}

/** Collections that the paths of one transformation lead through; the same navigation is the same collection in all of them. */
export interface Spread {
  readonly collections: Map<string, StoredCollection>;
}

/** All that an expression is said of: what `$these` means. */
export interface These {
  /** The collection; undefined where it is one that cannot be spoken of. */
  readonly reach: () => Reached | undefined;
  /** The variable of its rows, once it has been spoken of. */
  readonly used: () => RowVariable | undefined;
}

export interface Frame {
  readonly session: Session;
  readonly part: Part;
  /** What a path without a root starts from. */
  readonly current: Subject | undefined;
  readonly it: Subject | undefined;
  readonly this: Subject | undefined;
  /** What `$these` means; nothing in expressions of the model. */
  readonly these?: These | undefined;
  /** Lambda variables, and sets of a $crossjoin. */
  readonly variables: ReadonlyMap<string, Reached>;
  /** Parameter aliases in the text of the client. */
  readonly aliases: ReadonlyMap<string, Tree.Expression>;
  /** Parameters of the function of the model whose expression is being bound. */
  readonly parameters: ReadonlyMap<string, Reached>;
  /** Inside aggregate and groupby, where paths may lead through collections: those that they have led through. */
  readonly spread?: Spread | undefined;
  /** Options without $ and @, which give parameters of functions in the path. */
  readonly custom?: ReadonlyMap<string, readonly string[]>;
  /** Aliases and functions that are being resolved just now: none may come up again. */
  readonly resolving: readonly string[];
}

/** The frame of an expression that is said of the subject, and in which nothing else has a name. */
export function startFrame(session: Session, part: Part, subject: Subject | undefined): Frame {
  return {
    session,
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

/** Where a path leads. */
export type Reached =
  | ReachedRow
  /** A derived row; `prefix` is the part of a column's name that the path has spelled so far. */
  | { readonly kind: 'derived'; readonly row: DerivedRow; readonly prefix: string }
  | ReachedValue
  | { readonly kind: 'rows'; readonly rows: Rows }
  | { readonly kind: 'elements'; readonly collection: Collection & { readonly kind: 'elements' } }
  | { readonly kind: 'made'; readonly collection: Collection & { readonly kind: 'made' } };

/** What must hold for a path through casts to lead anywhere; where it does not hold, the path is null. */
export interface Guarded {
  readonly guards: readonly Expression[];
  /** The last step was a cast. Members that only the narrower type has are null on other rows anyway and need no guard. */
  readonly cast?: { readonly from: StructuredType; readonly guard: Expression };
}

/** One row, or none; `type` is narrower than the row's after a cast. */
export interface ReachedRow extends Guarded {
  readonly kind: 'row';
  readonly row: RowExpression;
  readonly type: EntityType;
  /** What has been computed of it. */
  readonly computed?: ReadonlyMap<string, Computed>;
}

export interface ReachedValue extends Guarded {
  readonly kind: 'value';
  readonly value: Expression;
}

const NOTHING_COMPUTED: ReadonlyMap<string, Computed> = new Map();

export function subjectOf(
  reached: Reached,
  computed: ReadonlyMap<string, Computed> = NOTHING_COMPUTED,
): Subject {
  return { reached, computed };
}

/** What a row variable is to a path. */
export function reachVariable(row: RowVariable): Reached {
  switch (row.kind) {
    case 'entity':
      return { kind: 'row', row: { kind: 'variable', row }, type: row.type, guards: [] };
    case 'element':
      return reachValue({
        kind: 'property',
        row: { kind: 'variable', row },
        path: [],
        type: row.type,
      });
    case 'derived':
      return { kind: 'derived', row, prefix: '' };
  }
}

export function reachValue(value: Expression): ReachedValue {
  return { kind: 'value', value, guards: [] };
}

export function newEntityRow(session: Session, source: Source, type: EntityType): EntityRow {
  return { kind: 'entity', id: session.rowId(), source, type };
}

/** All rows of a source under a new variable. */
export function allRows(session: Session, source: Source): Rows {
  return { row: newEntityRow(session, source, source.type), origin: { kind: 'source' }, where: [] };
}

/** `at position 7 of $filter`, for the end of messages. */
export function placeOf(frame: Frame, at: number): string {
  return `at position ${at} of ${frame.part.target}`;
}

/** The target and position that faults carry. */
export function whereOf(frame: Frame, at: number): FaultPlace {
  return { position: at, target: frame.part.target };
}
