// This file defines what binding makes of a syntax tree: names are things of the model, expressions have types, and every row that
// is spoken of is a variable. It is long because all nodes of bound requests stand together, so that their unions can
// be read. Rights are not applied yet: plan/ adds them at every hop.
import type {
  ComplexType,
  EntityType,
  EnumType,
  Facets,
  Navigation,
  Operation,
  Property,
  StructuredType,
} from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type { PrimitiveName } from '../edm/value/primitives.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { AggregateMethod, FunctionName } from './expression/functions.ts';

// ---- types of values ------------------------------------------------------------------------------------------------

export type ValueType =
  | {
      readonly kind: 'primitive';
      readonly name: PrimitiveName;
      readonly facets: Facets;
      readonly collection: boolean;
    }
  | { readonly kind: 'enum'; readonly type: EnumType; readonly collection: boolean }
  | {
      readonly kind: 'complex';
      readonly type: ComplexType;
      readonly collection: boolean;
      readonly codeList?: string;
    }
  | { readonly kind: 'entity'; readonly type: EntityType; readonly collection: boolean }
  /** The literal null, and dynamic properties whose type only the stored value knows. */
  | { readonly kind: 'null' }
  | { readonly kind: 'untyped'; readonly collection: boolean };

// ---- rows -----------------------------------------------------------------------------------------------------------

/**
 * A variable that stands for one row at a time. `id` is unique in a bound request.
 * entity: a row of a source. element: an item of a collection of primitive or complex values. derived: a row that $apply or
 * $crossjoin made, with columns by name.
 */
export type RowVariable =
  | {
      readonly kind: 'entity';
      readonly id: number;
      readonly source: Source;
      readonly type: EntityType;
    }
  | { readonly kind: 'element'; readonly id: number; readonly type: ValueType }
  | {
      readonly kind: 'derived';
      readonly id: number;
      readonly columns: ReadonlyMap<string, DerivedColumn>;
    };

/**
 * A column of a derived row; `Status/Text` keeps its path as its name. `entity` columns are whole rows ($crossjoin, groupby);
 * `target` is a variable for such a row.
 */
export interface DerivedColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly entity?: Source;
  readonly target?: RowVariable & { readonly kind: 'entity' };
  readonly tells?: Tells;
}

/**
 * A column that is not written, since it only tells something of another member. defined: whether the row has the member at all,
 * where others have and it has not (concat, rollup). object: whether the object of the columns below the path is not null.
 */
export interface Tells {
  readonly what: 'defined' | 'object';
  readonly of: string;
}

/** One row, seen from an expression. */
export type RowExpression =
  | { readonly kind: 'variable'; readonly row: RowVariable }
  /** The single row that a navigation leads to, or none. `path`: complex properties between the row and the navigation. */
  | {
      readonly kind: 'follow';
      readonly from: RowExpression;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
      readonly target: RowVariable & { readonly kind: 'entity' };
      /** What must hold of the target for the asker to see it: added by plan/. */
      readonly visible?: Expression;
    }
  /** A row named by its own address: `$root/Persons(7)`. */
  | { readonly kind: 'addressed'; readonly rows: Rows };

/** Which rows a path or a collection denotes: where they come from, and what must hold of each. */
export interface Rows {
  readonly row: RowVariable & { readonly kind: 'entity' };
  readonly origin: RowOrigin;
  /** Key predicates, $filter segments, type casts (as `instance` expressions), and, after plan/, rights: all must be true. */
  readonly where: readonly Expression[];
  /** Properties that have been computed of them: only while paths are bound. */
  readonly computed?: readonly Computed[];
}

export type RowOrigin =
  /** All rows of the variable's source. */
  | { readonly kind: 'source' }
  /** The rows that a navigation leads to from the one row of `from`. */
  | {
      readonly kind: 'related';
      readonly from: Rows;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
    }
  /** The rows that a navigation leads to from a row of the expression around it (lambda, $count, $expand). */
  | {
      readonly kind: 'navigated';
      readonly from: RowExpression;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
    }
  /**
   * `$these`, the rows that what is being said is said of: those of `of`, or else of the transformation or option that names the
   * variable.
   */
  | { readonly kind: 'these'; readonly of?: Rows };

// ---- expressions ----------------------------------------------------------------------------------------------------

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';

/** Where in the request a literal stands, so that a plan made for one request can serve another of the same shape. */
export interface LiteralPlace {
  /** `path`, or the name of the query option without `$`, or an alias with `@`. */
  readonly part: string;
  /** Zero-based offset in the decoded text of that part. */
  readonly at: number;
}

export type LiteralExpression = Expression & { readonly kind: 'literal' };

export type Expression =
  | {
      readonly kind: 'literal';
      readonly type: ValueType;
      readonly value: Value;
      readonly place?: LiteralPlace;
    }
  /** A list or object literal of JSON, kept as exact JSON text. */
  | { readonly kind: 'json'; readonly type: ValueType; readonly text: string }
  /** A list or object of JSON in which values of the row stand: pieces of JSON text, and what is written between them. */
  | {
      readonly kind: 'built';
      readonly type: ValueType;
      readonly parts: readonly (string | Expression)[];
    }
  /** Known only when the request runs: now = the request's time (canonical DateTimeOffset), me = key of the asker's person, account = the asker's login name. */
  | { readonly kind: 'context'; readonly name: 'now' | 'me' | 'account'; readonly type: ValueType }
  /** A property of a row; `path` walks through complex values. The last step may be complex or a collection. An empty path on an element row is the element. */
  | {
      readonly kind: 'property';
      readonly row: RowExpression;
      readonly path: readonly Property[];
      readonly type: ValueType;
    }
  /** A dynamic property of an open type. */
  | {
      readonly kind: 'dynamic';
      readonly row: RowExpression;
      readonly path: readonly Property[];
      readonly name: string;
      readonly type: ValueType;
    }
  /** A column of a derived row. */
  | {
      readonly kind: 'column';
      readonly row: RowVariable & { readonly kind: 'derived' };
      readonly name: string;
      readonly type: ValueType;
    }
  /** A property defined by $compute; the definition is evaluated in place. */
  | {
      readonly kind: 'computed';
      readonly name: string;
      readonly definition: Expression;
      readonly type: ValueType;
      /** The definition speaks of one row, and is meant of another like it. */
      readonly of?: { readonly defined: RowVariable; readonly meant: RowVariable };
    }
  /** The row itself as a value: `Caller eq null`, `$it eq …`. Compared by identity. */
  | { readonly kind: 'row'; readonly row: RowExpression; readonly type: ValueType }
  | { readonly kind: 'not'; readonly operand: Expression; readonly type: ValueType }
  | { readonly kind: 'negate'; readonly operand: Expression; readonly type: ValueType }
  /** Two or more operands; kept flat so that long chains stay shallow. */
  | {
      readonly kind: 'and' | 'or';
      readonly operands: readonly Expression[];
      readonly type: ValueType;
    }
  /** Both sides have been promoted to one comparable type, `operandType`; null follows the standard (eq and ne are never null). */
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly operandType: ValueType;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'has';
      readonly left: Expression;
      readonly right: Expression;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'in';
      readonly left: Expression;
      readonly list: readonly Expression[];
      readonly operandType: ValueType;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'in-collection';
      readonly left: Expression;
      readonly collection: Collection;
      readonly operandType: ValueType;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'call';
      readonly function: FunctionName;
      readonly arguments: readonly Expression[];
      readonly type: ValueType;
    }
  | {
      readonly kind: 'case';
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
      readonly type: ValueType;
    }
  /** Conversion of a value; a failed one is null. */
  | { readonly kind: 'cast'; readonly operand: Expression; readonly type: ValueType }
  /** Whether a row or a complex value is an instance of a structured type. */
  | {
      readonly kind: 'instance';
      readonly operand: Expression;
      readonly of: StructuredType;
      readonly type: ValueType;
    }
  | {
      readonly kind: 'any' | 'all';
      readonly collection: Collection;
      readonly predicate?: Expression;
      readonly type: ValueType;
    }
  | { readonly kind: 'count'; readonly collection: Collection; readonly type: ValueType }
  /** What an aggregation makes of the rows or items of a collection. */
  | {
      readonly kind: 'aggregate';
      readonly collection: Collection;
      readonly aggregation: Aggregation;
      readonly type: ValueType;
    }
  /** Whether the row contains what $search asks for. */
  | {
      readonly kind: 'search';
      readonly row: RowExpression;
      readonly search: Search;
      readonly type: ValueType;
    };

/** A collection inside an expression. `row` is the variable that predicates speak of. */
export type Collection =
  | StoredCollection
  /** `$these`, where the rows are those that $apply has made. */
  | {
      readonly kind: 'made';
      readonly row: RowVariable & { readonly kind: 'derived' };
      readonly where: readonly Expression[];
      /** What the rows were at first: functions bound to collections of it take them. */
      readonly type?: EntityType;
    };

export type StoredCollection =
  | { readonly kind: 'rows'; readonly rows: Rows }
  /** Items of a collection-valued property, or of a JSON array literal. */
  | {
      readonly kind: 'elements';
      readonly of: Expression;
      readonly row: RowVariable & { readonly kind: 'element' };
      readonly where: readonly Expression[];
    };

export type Search =
  | { readonly kind: 'word'; readonly text: string; readonly place?: LiteralPlace }
  | { readonly kind: 'phrase'; readonly text: string }
  | { readonly kind: 'not'; readonly operand: Search }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Search[] };

// ---- options --------------------------------------------------------------------------------------------------------

export interface OrderItem {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** A property that $compute defines. */
export interface Computed {
  readonly name: string;
  readonly expression: Expression;
}

/** What $select asks for of one structured value. */
export interface Selection {
  /** No $select, or one with `*`: every property that is declared (and, on open types, stored). */
  readonly all: boolean;
  readonly items: readonly SelectedItem[];
  /** Properties that $compute has added to a complex value; they are shown where they are named, or all with `all`. */
  readonly compute?: readonly Computed[];
}

export type SelectedItem =
  /** A property (also a computed or dynamic one by name); of a complex value possibly only parts. */
  | {
      readonly kind: 'property';
      readonly property: Property;
      readonly onType?: StructuredType;
      readonly selection?: Selection;
      readonly query?: ElementQuery;
    }
  | { readonly kind: 'named'; readonly name: string }
  /** A navigation: its link, not its content. */
  | {
      readonly kind: 'navigation';
      readonly navigation: Navigation;
      readonly onType?: StructuredType;
    }
  | { readonly kind: 'operation'; readonly name: string }
  /** What the model says of the value, as it is called (`@Core.Description`), and as JSON; left out where it says nothing. */
  | { readonly kind: 'annotation'; readonly name: string; readonly json: string | undefined };

/** Options on the items of a collection-valued property inside $select. */
export interface ElementQuery {
  readonly row: RowVariable & { readonly kind: 'element' };
  readonly filter?: Expression;
  readonly orderby: readonly OrderItem[];
  readonly skip?: number;
  readonly top?: number;
  readonly count: boolean;
}

/** One navigation of $expand with what is asked of its target. */
export interface Expansion {
  /** Complex properties between the row and the navigation. */
  readonly path: readonly Property[];
  /** The derived type that has the navigation, where a cast stands before it. */
  readonly onType?: StructuredType;
  readonly navigation: Navigation;
  readonly rows: Rows;
  readonly form: 'entities' | 'references' | 'count';
  readonly query: Query;
  /** Not named, but meant by `*`: whoever may not read it is not refused, and is not shown it. */
  readonly isStarred?: true;
}

/** A stream property or media stream that $expand asks for inline. */
export interface StreamExpansion {
  readonly property?: Property;
  /** The derived type that has the property, where a cast stands before it. */
  readonly onType?: StructuredType;
}

/** All that can be asked of a collection of rows; `row` is the variable its expressions speak of. */
export interface Query {
  readonly row: RowVariable;
  readonly apply: readonly Transformation[];
  readonly compute: readonly Computed[];
  readonly search?: Search;
  readonly filter?: Expression;
  readonly orderby: readonly OrderItem[];
  readonly count: boolean;
  readonly skip?: number;
  readonly top?: number;
  readonly selection: Selection;
  readonly expansions: readonly Expansion[];
  readonly streams: readonly StreamExpansion[];
  readonly nested?: readonly NestedRows[];
  /** The variables by which options speak of all the rows that they are about: `$these`. */
  readonly these?: { readonly [option in 'compute' | 'filter' | 'orderby']?: RowVariable };
}

/** Rows that nest and addnested have made a member of a row. */
export interface NestedRows {
  readonly name: string;
  /** Where they come from; left out for nest, where they are those of the reading itself. */
  readonly rows?: Rows;
  /** One row or none, not a collection. */
  readonly single: boolean;
  readonly query: Query;
}

// ---- $apply ---------------------------------------------------------------------------------------------------------

/** One aggregation: `Amount with sum as Total`. Without an expression it counts rows. */
export interface Aggregation {
  readonly alias: string;
  readonly method: AggregateMethod | 'count';
  readonly expression?: Expression;
  /**
   * The collections that the expression leads through, where it leads through any: the first from the row, each of the others from a
   * row or an item of those before it.
   */
  readonly over?: readonly StoredCollection[];
  readonly type: ValueType;
  /** `from Time with average`: aggregate first by the grouping properties, then by the next method. */
  readonly from: readonly AggregationStep[];
}

export interface AggregationStep {
  readonly groupings: readonly Expression[];
  readonly method: AggregateMethod;
}

export interface Grouping {
  /** Name of the output column: the property path. */
  readonly name: string;
  readonly expression: Expression;
  readonly type: ValueType;
  /** The collections that the path leads through, if any, as in an aggregation. */
  readonly over?: readonly StoredCollection[];
  readonly tells?: Tells;
  /** Of a whole entity: its source, and a variable for it. */
  readonly entity?: Source;
  readonly target?: RowVariable & { readonly kind: 'entity' };
  /** rolluprecursive: rows are in the groups of their node and of all the nodes above it, which the grouping is by. */
  readonly tree?: NodeTree;
}

/** A recursive hierarchy: a tree that a single navigation from each node to its parent makes of entities. */
export interface NodeTree {
  readonly nodes: Rows;
  readonly parent: Navigation;
  /** How rows are related to nodes that they are not themselves: a value of theirs is the identifier of a node. */
  readonly related?: { readonly value: Expression; readonly identifier: Expression };
  /** What chooses among the nodes. */
  readonly start: readonly Transformation[];
}

/**
 * One transformation of $apply. `input` is the variable of the rows that go in, `output` of those that come out;
 * where the rows are only chosen or ordered the two are the same.
 */
export type Transformation = AnyTransformation & {
  /** The variable by which it speaks of all its input: `$these`. */
  readonly these?: RowVariable;
};

type AnyTransformation =
  | { readonly kind: 'identity'; readonly input: RowVariable; readonly output: RowVariable }
  | {
      readonly kind: 'filter';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly predicate: Expression;
    }
  | {
      readonly kind: 'search';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly search: Search;
    }
  | {
      readonly kind: 'orderby';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly items: readonly OrderItem[];
    }
  | {
      readonly kind: 'skip' | 'top';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly count: number;
    }
  | {
      readonly kind: 'compute';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly computed: readonly Computed[];
    }
  | {
      readonly kind: 'aggregate';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly aggregations: readonly Aggregation[];
    }
  /** Every grouping set is a list of indexes into `groupings`; a plain groupby has one set, rollup several. `then` runs inside each group. */
  | {
      readonly kind: 'groupby';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly groupings: readonly Grouping[];
      readonly sets: readonly (readonly number[])[];
      readonly aggregations: readonly Aggregation[];
      readonly then: readonly Transformation[];
    }
  | {
      readonly kind: 'concat';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly branches: readonly (readonly Transformation[])[];
    }
  /** topcount, bottomsum and the like: rows ordered by `by`, cut by number, sum or percentage `amount`. */
  | {
      readonly kind: 'extreme';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly end: 'top' | 'bottom';
      readonly measure: 'count' | 'sum' | 'percent';
      readonly amount: Expression;
      readonly by: Expression;
    }
  | {
      readonly kind: 'join';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly outer: boolean;
      readonly rows: Rows;
      readonly alias: string;
      readonly then: readonly Transformation[];
    }
  /** One row for all of them, which has no values of its own: see NestedRows. */
  | { readonly kind: 'nest'; readonly input: RowVariable; readonly output: RowVariable }
  /** ancestors, descendants, traverse over a recursive hierarchy made by a single navigation to the same source. */
  | {
      readonly kind: 'hierarchy';
      readonly input: RowVariable;
      readonly output: RowVariable;
      readonly walk: 'ancestors' | 'descendants' | 'traverse';
      /** Of traverse, `start` chooses among the nodes. */
      readonly tree: NodeTree;
      /** Of ancestors and descendants: where the walk starts from, among the rows. */
      readonly start: readonly Transformation[];
      readonly distance?: number;
      readonly keepStart: boolean;
      readonly order?: 'preorder' | 'postorder';
      readonly orderby: readonly OrderItem[];
    };

// ---- requests -------------------------------------------------------------------------------------------------------

/** What of the addressed rows is wanted. */
export type Wanted =
  | { readonly kind: 'entities' }
  | { readonly kind: 'entity' }
  | { readonly kind: 'references' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'count' }
  /** What who asks may do with the one row, or the account of that log-in name. */
  | { readonly kind: 'rights'; readonly whose?: string }
  /** A property's value in its JSON wrapper; `index` picks an item of an ordered collection. */
  | {
      readonly kind: 'property';
      readonly value: Expression;
      readonly path: readonly Property[];
      readonly index?: number;
      readonly elements?: ElementQuery;
      readonly selection?: Selection;
    }
  /** A primitive value as text. */
  | {
      readonly kind: 'raw';
      readonly value: Expression;
      readonly path: readonly Property[];
      /** One item of an ordered collection. */
      readonly index?: number;
    }
  /** Number of items of a collection-valued property. */
  | {
      readonly kind: 'property-count';
      readonly value: Expression;
      readonly elements?: ElementQuery;
    }
  /** The bytes of a media entity or of a stream property. */
  | { readonly kind: 'stream'; readonly property?: Property };

/** One step of the address, for context URLs and canonical links. */
export interface AddressStep {
  /** As written canonically: `ServiceRequests`, `Caller`, `Service.Web.OData.Model.Code`. */
  readonly name: string;
  readonly kind:
    | 'set'
    | 'singleton'
    | 'navigation'
    | 'containment'
    | 'property'
    | 'cast'
    | 'operation';
  /** Canonical key predicate text without parentheses, where one was given. */
  readonly key?: string;
  /** What the key says, where it is nothing but a whole number of the request: another request may have another one. */
  readonly value?: LiteralExpression;
  readonly many: boolean;
  /** The type that has the member, where entities of the set before it need not be of it: `Animals(1)/Odd.Zoo.Bird/Eggs`. */
  readonly cast?: string;
}

export interface BoundRead {
  readonly kind: 'read';
  readonly rows: Rows;
  readonly wanted: Wanted;
  readonly query: Query;
  readonly address: readonly AddressStep[];
  /** The row whose absence makes a 404 although the last step may be empty: `ServiceRequests(10)` of `ServiceRequests(10)/Workorders`. */
  readonly parent?: Rows;
  /** The last step may be null: then the answer is 204, not 404. */
  readonly nullable: boolean;
}

/** `$crossjoin(A,B)`: rows of derived columns, one entity column per set. */
export interface BoundCrossjoin {
  readonly kind: 'crossjoin';
  readonly sources: readonly { readonly name: string; readonly rows: Rows }[];
  /** Which of the combinations are meant. */
  readonly where: readonly Expression[];
  /** The row that $apply starts from, where there is one: the identities of the entities, by the names of their sets. */
  readonly combined?: RowVariable & { readonly kind: 'derived' };
  readonly query: Query;
}

/** `$all`, optionally cast: one query per source, in order. */
export interface BoundAll {
  readonly kind: 'all';
  readonly reads: readonly BoundRead[];
  readonly count: boolean;
  readonly skip?: number;
  readonly top?: number;
}

/** A function whose result is a value, not rows: evaluated by the database without a table. */
export interface BoundEvaluation {
  readonly kind: 'evaluate';
  readonly operation: Operation;
  readonly value: Expression;
  readonly nullable: boolean;
  readonly raw: boolean;
}

export interface BoundDocument {
  readonly kind: 'document';
  readonly document: 'service' | 'metadata' | 'ping' | 'openapi';
}

export type BoundReading = BoundRead | BoundCrossjoin | BoundAll | BoundEvaluation | BoundDocument;
