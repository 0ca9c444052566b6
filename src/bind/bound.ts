// This file defines bound requests, the output of binding: names are resolved to model elements, expressions have types, and every
// row is a variable. It is long because all nodes of bound requests are defined in one place, so that their unions can be read
// together. Rights are not applied yet: plan/ adds them at every hop.
import type { Calculation } from '../edm/clocks/clock-rules.ts';
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
import type { Route } from '../edm/restrictions.ts';
import type { Source } from '../edm/source.ts';
import type { PrimitiveName } from '../edm/value/primitives.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { AggregateMethod, FunctionName } from './expression/functions.ts';
import type { Parameter } from './parameter.ts';

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
      readonly codeList?: string | undefined;
    }
  | { readonly kind: 'entity'; readonly type: EntityType; readonly collection: boolean }
  /** The literal null. */
  | { readonly kind: 'null' }
  /** For example dynamic properties, whose type depends on the stored value. */
  | { readonly kind: 'untyped'; readonly collection: boolean };

// ---- rows -----------------------------------------------------------------------------------------------------------

/**
 * A variable that represents one row at a time. `id` is unique in a bound request.
 * entity: a row of a source. element: an item of a collection of primitive or complex values. derived: a row produced by $apply or
 * $crossjoin, with named columns.
 */
export type RowVariable =
  | {
      readonly kind: 'entity';
      readonly id: number;
      readonly source: Source;
      readonly type: EntityType;
      /** If a set restricts the navigation that reaches the rows. */
      readonly route?: Route | undefined;
    }
  | { readonly kind: 'element'; readonly id: number; readonly type: ValueType }
  | {
      readonly kind: 'derived';
      readonly id: number;
      readonly columns: ReadonlyMap<string, DerivedColumn>;
    };

/**
 * A column of a derived row. `Status/Text` keeps its path as its name. `entity` columns hold whole rows ($crossjoin, groupby);
 * `target` is the variable of such a row.
 */
export interface DerivedColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly entity?: Source | undefined;
  readonly target?: (RowVariable & { readonly kind: 'entity' }) | undefined;
  readonly indicates?: Indicator | undefined;
}

/**
 * Marks a helper column that describes the member `of` and is not part of the response. defined: whether the row has the member,
 * because rows of concat and rollup may differ. object: whether the object made of the columns below the path is not null.
 */
export interface Indicator {
  readonly what: 'defined' | 'object';
  readonly of: string;
}

/** A navigation property, and the complex properties between its row and it. */
export interface NavigationPath {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

/** A single row inside an expression. */
export type RowExpression =
  | { readonly kind: 'variable'; readonly row: RowVariable }
  /** The target of a single-valued navigation, or no row. */
  | (NavigationPath & {
      readonly kind: 'follow';
      readonly from: RowExpression;
      readonly target: RowVariable & { readonly kind: 'entity' };
      /** The condition for the user to see the target. Added by plan/. */
      readonly visible?: Expression | undefined;
    })
  /** A row addressed by its key: `$root/Persons(7)`. */
  | { readonly kind: 'addressed'; readonly rows: Rows };

/** The rows of a path or a collection: their origin, and the conditions that each must meet. */
export interface Rows {
  readonly row: RowVariable & { readonly kind: 'entity' };
  readonly origin: RowOrigin;
  /** Key predicates, $filter segments, type casts (as `instance` expressions) and, after plan/, rights. All must be true. */
  readonly where: readonly Expression[];
  /** Properties computed for the rows. Present only while paths are being bound. */
  readonly computed?: readonly Computed[] | undefined;
  /** The order of the rows unless the request has another one. Present only while paths are being bound. */
  readonly orderby?: readonly OrderItem[] | undefined;
}

/** The first rows of an order; ties are broken by identity. Both numbers are integers; absent, null and negative ones are no limits. */
export interface RowLimit {
  readonly orderby: readonly OrderItem[];
  readonly skip?: Expression | undefined;
  readonly top?: Expression | undefined;
}

export type RowOrigin =
  /** All rows of the variable's source. */
  | { readonly kind: 'source' }
  /** The target rows of a navigation from the single row of `from`. */
  | (NavigationPath & { readonly kind: 'related'; readonly from: Rows })
  /** The target rows of a navigation from a row of the enclosing expression (lambda, $count, $expand). */
  | (NavigationPath & { readonly kind: 'navigated'; readonly from: RowExpression })
  /** `$these`: the rows of `of`, or else those of the transformation or option whose `these` is this variable. `limit` selects rows of `of`. */
  | {
      readonly kind: 'these';
      readonly of?: Rows | undefined;
      readonly limit?: RowLimit | undefined;
    };

// ---- expressions ----------------------------------------------------------------------------------------------------

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';

export type LiteralExpression = ExpressionOf<'literal'>;

export type Expression = AnyExpression & { readonly type: ValueType };

/** An expression of some kinds. */
export type ExpressionOf<Kind extends Expression['kind']> = Expression & { readonly kind: Kind };

type AnyExpression =
  | {
      readonly kind: 'literal';
      /** Never null for a parameter, whose value must not be read where `isNull` can be asked instead. */
      readonly value: Value;
      readonly parameter?: Parameter | undefined;
    }
  /** A constant JSON array or object, kept as exact JSON text. */
  | { readonly kind: 'json'; readonly type: ValueType; readonly text: string }
  /** A JSON array or object that contains values of the row: JSON text alternating with expressions. */
  | {
      readonly kind: 'built';
      readonly parts: readonly (string | Expression)[];
      /** The members of an object, for paths into it while the request is bound. */
      readonly members?: ReadonlyMap<string, Expression> | undefined;
    }
  /**
   * Known at run time only. now: the time of the result (DateTimeOffset). present: that of the request. me: the key of the user's person. account: the login name. session: the
   * key of the session.
   */
  | { readonly kind: 'context'; readonly name: 'now' | 'present' | 'me' | 'account' | 'session' }
  /** A property of a row, possibly inside complex values. Its value may be complex or a collection. An empty path is the element itself. */
  | { readonly kind: 'property'; readonly row: RowExpression; readonly path: readonly Property[] }
  /** A dynamic property of an open type, a member of an untyped property, or a member of its value (`inside`). */
  | {
      readonly kind: 'dynamic';
      readonly row: RowExpression;
      readonly path: readonly Property[];
      readonly name: string;
      /** The path from the value to the member. */
      readonly inside?: readonly string[] | undefined;
    }
  /** A column of a derived row. */
  | {
      readonly kind: 'column';
      readonly row: RowVariable & { readonly kind: 'derived' };
      readonly name: string;
    }
  /** A property defined by $compute. The definition is evaluated in place. */
  | {
      readonly kind: 'computed';
      readonly name: string;
      readonly definition: Expression;
      /** The definition refers to the variable `defined` and is evaluated for the variable `meant`. */
      readonly of?: { readonly defined: RowVariable; readonly meant: RowVariable };
    }
  /** A row as a value: `Caller eq null`, `$it eq …`. Compared by identity. */
  | { readonly kind: 'row'; readonly row: RowExpression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'negate'; readonly operand: Expression }
  /** Two or more operands, flattened so that long chains stay shallow. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  /** Both sides have been promoted to the type `operandType`. As in the standard, the results of eq and ne are never null. */
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly operandType: ValueType;
    }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'has'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'in';
      readonly left: Expression;
      readonly list: readonly Expression[];
      readonly operandType: ValueType;
    }
  | {
      readonly kind: 'in-collection';
      readonly left: Expression;
      readonly collection: Collection;
      readonly operandType: ValueType;
    }
  | {
      readonly kind: 'call';
      readonly function: FunctionName;
      readonly arguments: readonly Expression[];
    }
  | {
      readonly kind: 'case';
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
    }
  /** A conversion. If it fails, the result is null. */
  | { readonly kind: 'cast'; readonly operand: Expression }
  /** Tests whether a row or a complex value is an instance of a structured type. */
  | { readonly kind: 'instance'; readonly operand: Expression; readonly of: StructuredType }
  | {
      readonly kind: 'any' | 'all';
      readonly collection: Collection;
      readonly predicate?: Expression | undefined;
    }
  | { readonly kind: 'count'; readonly collection: Collection }
  /** An aggregation over the rows or items of a collection. */
  | {
      readonly kind: 'aggregate';
      readonly collection: Collection;
      readonly aggregation: Aggregation;
    }
  /** Tests whether the row matches $search. */
  | { readonly kind: 'search'; readonly row: RowExpression; readonly search: Search };

/** A collection inside an expression. Predicates refer to its items by the variable `row`. */
export type Collection =
  | StoredCollection
  /** `$these` where the rows were produced by $apply. */
  | {
      readonly kind: 'made';
      readonly row: RowVariable & { readonly kind: 'derived' };
      readonly where: readonly Expression[];
      /** The original entity type of the rows, so that functions bound to collections of it accept them. */
      readonly type?: EntityType | undefined;
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
  | { readonly kind: 'word'; readonly text: string; readonly parameter?: Parameter | undefined }
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
  /** The number of parts of the expression, with those of computed properties in it. Undefined if the service has added it. */
  readonly parts?: number;
}

/** The $select of one structured value. */
export interface Selection {
  /** No $select, or one with `*`: every declared property and, on open types, every stored one. */
  readonly all: boolean;
  readonly items: readonly SelectedItem[];
  /** Properties that $compute adds to a complex value. They are returned if named, or all of them with `all`. */
  readonly compute?: readonly Computed[] | undefined;
}

export type SelectedItem =
  /** A property. `selection` limits a complex value to some of its members. */
  | {
      readonly kind: 'property';
      readonly property: Property;
      readonly onType?: StructuredType | undefined;
      readonly selection?: Selection | undefined;
      readonly query?: ElementQuery | undefined;
    }
  /** A computed or dynamic property. */
  | { readonly kind: 'named'; readonly name: string }
  /** A navigation link, without the related entities. */
  | {
      readonly kind: 'navigation';
      readonly navigation: Navigation;
      readonly onType?: StructuredType | undefined;
    }
  | { readonly kind: 'operation'; readonly name: string }
  /** An annotation by its name in the response (`@Core.Description`), as JSON; undefined if the model has none. */
  | { readonly kind: 'annotation'; readonly name: string; readonly json: string | undefined };

/** Options on the items of a collection-valued property inside $select. */
export interface ElementQuery {
  readonly row: RowVariable & { readonly kind: 'element' };
  readonly filter?: Expression | undefined;
  readonly orderby: readonly OrderItem[];
  readonly skip?: number | undefined;
  readonly top?: number | undefined;
  readonly count: boolean;
}

/** One navigation of $expand with its nested options. */
export interface Expansion extends NavigationPath {
  /** The derived type that declares the navigation, if a cast precedes it. */
  readonly onType?: StructuredType | undefined;
  readonly rows: Rows;
  readonly form: 'entities' | 'references' | 'count';
  readonly query: Query;
  /** Included by `*`, not by name: omitted without an error for users who may not read it. */
  readonly isStarred?: true | undefined;
}

/** A stream property, or else the media stream, that $expand includes inline. */
export interface StreamExpansion {
  readonly property?: Property | undefined;
  /** The derived type that declares the property, if a cast precedes it. */
  readonly onType?: StructuredType | undefined;
}

/** The query options of a collection. Their expressions refer to the variable `row`. */
export interface Query {
  readonly row: RowVariable;
  readonly apply: readonly Transformation[];
  readonly compute: readonly Computed[];
  readonly search?: Search | undefined;
  readonly filter?: Expression | undefined;
  readonly orderby: readonly OrderItem[];
  readonly count: boolean;
  readonly skip?: number | undefined;
  readonly top?: number | undefined;
  readonly selection: Selection;
  readonly expansions: readonly Expansion[];
  readonly streams: readonly StreamExpansion[];
  readonly nested?: readonly NestedRows[] | undefined;
  /** The variables for `$these`, by the option that uses it. */
  readonly these?: { readonly [option in 'compute' | 'filter' | 'orderby']?: RowVariable };
}

/** Rows that nest or addnested has made a member of another row. */
export interface NestedRows {
  readonly name: string;
  /** Their origin; undefined for nest, which nests the rows of the read itself. */
  readonly rows?: Rows | undefined;
  /** At most one row instead of a collection. */
  readonly single: boolean;
  readonly query: Query;
}

// ---- $apply ---------------------------------------------------------------------------------------------------------

/** One aggregation: `Amount with sum as Total`. Without an expression, it counts rows. */
export interface Aggregation {
  readonly alias: string;
  readonly method: AggregateMethod | 'count';
  readonly expression?: Expression | undefined;
  /** The collections that the path traverses, if any: the first starts at the row, each other one at an item of an earlier one. */
  readonly over?: readonly StoredCollection[] | undefined;
  readonly type: ValueType;
  /** `from Time with average`: aggregates by the grouping properties first, then by the next method. */
  readonly from: readonly AggregationStep[];
}

interface AggregationStep {
  readonly groupings: readonly Expression[];
  readonly method: AggregateMethod;
}

export interface Grouping {
  /** The name of the output column, which is the property path. */
  readonly name: string;
  readonly expression: Expression;
  readonly type: ValueType;
  /** The collections that the path traverses, as in an aggregation. */
  readonly over?: readonly StoredCollection[] | undefined;
  readonly indicates?: Indicator | undefined;
  /** Set when grouping by a whole entity: its source, and a variable for it. */
  readonly entity?: Source | undefined;
  readonly target?: (RowVariable & { readonly kind: 'entity' }) | undefined;
  /** rolluprecursive: each row belongs to the groups of its node and of all ancestors of that node. */
  readonly tree?: NodeTree | undefined;
}

/** A recursive hierarchy: entities with a single-valued navigation from each node to its parent. */
export interface NodeTree {
  readonly nodes: Rows;
  readonly parent: Navigation;
  /** Set when the rows are not the nodes themselves: a row belongs to the node whose `identifier` equals its `value`. */
  readonly related?: { readonly value: Expression; readonly identifier: Expression } | undefined;
  /** Selects the nodes. */
  readonly start: readonly Transformation[];
}

/**
 * One transformation of $apply. `input` is the variable of the input rows, `output` that of the output rows. The two are the same
 * if the transformation only selects or orders rows.
 */
export type Transformation = AnyTransformation & {
  readonly input: RowVariable;
  readonly output: RowVariable;
  /** The variable for all input rows, `$these`, if the transformation uses it. */
  readonly these?: RowVariable | undefined;
};

type AnyTransformation =
  | { readonly kind: 'identity' }
  | { readonly kind: 'filter'; readonly predicate: Expression }
  | { readonly kind: 'search'; readonly search: Search }
  | { readonly kind: 'orderby'; readonly items: readonly OrderItem[] }
  | { readonly kind: 'skip' | 'top'; readonly count: number }
  | { readonly kind: 'compute'; readonly computed: readonly Computed[] }
  | { readonly kind: 'aggregate'; readonly aggregations: readonly Aggregation[] }
  /** Each set lists indexes into `groupings`: a plain groupby has one set, rollup has several. `then` runs inside each group. */
  | {
      readonly kind: 'groupby';
      readonly groupings: readonly Grouping[];
      readonly sets: readonly (readonly number[])[];
      readonly aggregations: readonly Aggregation[];
      readonly then: readonly Transformation[];
    }
  | { readonly kind: 'concat'; readonly branches: readonly (readonly Transformation[])[] }
  /** topcount, bottomsum and so on: rows ordered by `by`, limited by count, sum or percentage. */
  | {
      readonly kind: 'extreme';
      readonly end: 'top' | 'bottom';
      readonly measure: 'count' | 'sum' | 'percent';
      readonly amount: Expression;
      readonly by: Expression;
    }
  | {
      readonly kind: 'join';
      readonly outer: boolean;
      readonly rows: Rows;
      readonly alias: string;
      readonly then: readonly Transformation[];
    }
  /** A single output row without values of its own; see NestedRows. */
  | { readonly kind: 'nest' }
  /** ancestors, descendants or traverse over a recursive hierarchy. */
  | {
      readonly kind: 'hierarchy';
      readonly walk: 'ancestors' | 'descendants' | 'traverse';
      /** For traverse, its `start` selects the start nodes. */
      readonly tree: NodeTree;
      /** For ancestors and descendants: selects the start rows. */
      readonly start: readonly Transformation[];
      readonly distance?: number | undefined;
      readonly keepStart: boolean;
      readonly order?: 'preorder' | 'postorder' | undefined;
      readonly orderby: readonly OrderItem[];
    };

// ---- requests -------------------------------------------------------------------------------------------------------

/** The part or form of the addressed rows that the request reads. */
export type Wanted =
  | { readonly kind: 'entities' }
  | { readonly kind: 'entity' }
  | { readonly kind: 'references' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'count' }
  /** The effective rights on the row, of the user or of the account with that login name. */
  | { readonly kind: 'rights'; readonly whose?: string | undefined }
  /** What the workflow of the row, or of each row, permits. */
  | { readonly kind: 'transitions' | 'transition-lists' }
  /** The result of a calculation with the row, which the service does. */
  | ({ readonly kind: 'calculation' } & CalculationCall)
  /** How the clocks of the row come about, which the service finds out. */
  | ({ readonly kind: 'explanation' } & ExplanationCall)
  /** A property value in its JSON wrapper. `index` selects an item of an ordered collection. */
  | {
      readonly kind: 'property';
      readonly value: Expression;
      readonly path: readonly Property[];
      readonly index?: number | undefined;
      readonly elements?: ElementQuery | undefined;
      readonly selection?: Selection | undefined;
    }
  /** A primitive value as plain text. */
  | {
      readonly kind: 'raw';
      readonly value: Expression;
      readonly path: readonly Property[];
      /** Selects an item of an ordered collection. */
      readonly index?: number | undefined;
    }
  /** The number of items of a collection-valued property. */
  | {
      readonly kind: 'property-count';
      readonly value: Expression;
      readonly elements?: ElementQuery | undefined;
    }
  /** The bytes of a media entity or of a stream property. */
  | { readonly kind: 'stream'; readonly property?: Property | undefined };

/** A call of a function that the service calculates, with the values of its parameters in order. */
export interface CalculationCall {
  readonly operation: Operation & { readonly calculates: Calculation };
  readonly values: readonly Value[];
}

/** A call of Explain, or of WhatIf with the members of an entity as JSON text. */
export interface ExplanationCall {
  readonly operation: Operation;
  readonly values?: string | undefined;
}

/** One step of the canonical address, for context URLs and links. */
export interface AddressStep {
  /** The canonical name: `ServiceRequests`, `Caller`, `Service.Web.OData.Model.Code`. */
  readonly name: string;
  readonly kind:
    | 'set'
    | 'singleton'
    | 'navigation'
    | 'containment'
    | 'property'
    | 'cast'
    | 'operation';
  /** The canonical key without parentheses, if the step has one. */
  readonly key?: string | undefined;
  /** The key as a literal, if it is a single integer of the request text. Requests that share the plan may have another value. */
  readonly value?: LiteralExpression | undefined;
  readonly many: boolean;
  /** The type that declares the member, if the preceding step may have entities of other types: `Animals(1)/Odd.Zoo.Bird/Eggs`. */
  readonly cast?: string | undefined;
}

export interface BoundRead {
  readonly kind: 'read';
  readonly rows: Rows;
  readonly wanted: Wanted;
  readonly query: Query;
  readonly address: readonly AddressStep[];
  /** The row whose absence returns 404 although the last step may be empty: `ServiceRequests(10)` in `ServiceRequests(10)/Workorders`. */
  readonly parent?: Rows | undefined;
  /** The last step may be null, which returns 204 instead of 404. */
  readonly nullable: boolean;
}

/** `$crossjoin(A,B)`: rows of derived columns, one entity column per set. */
export interface BoundCrossjoin {
  readonly kind: 'crossjoin';
  readonly sources: readonly { readonly name: string; readonly rows: Rows }[];
  /** The conditions that a combination must meet. */
  readonly where: readonly Expression[];
  /** The input row of $apply, if there is one: the identities of the entities, by entity set name. */
  readonly combined?: (RowVariable & { readonly kind: 'derived' }) | undefined;
  readonly query: Query;
}

/** `$all`, optionally with a cast: one query per source, in order. */
export interface BoundAll {
  readonly kind: 'all';
  readonly reads: readonly BoundRead[];
  readonly count: boolean;
  readonly skip?: number | undefined;
  readonly top?: number | undefined;
}

/** A function that returns a value instead of rows. The database evaluates it without a table. */
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
  /** For `metadata`: whether to omit base types; by default as the service is configured. */
  readonly flat?: boolean;
  /** For `metadata`: whether to include the administrative sets and all other parts of the engine. */
  readonly engine?: boolean;
}

export type BoundReadRequest =
  | BoundRead
  | BoundCrossjoin
  | BoundAll
  | BoundEvaluation
  | BoundDocument;
