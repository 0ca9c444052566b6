// This file defines the syntax tree of URL and headers, before names are resolved against a model. It is long because it contains all
// nodes and their unions. `at` is the zero-based start offset of a node in the decoded option value or resource path.

import type { Preferences } from './headers/preferences.ts';
import type { Template } from './template.ts';

// ---- Literals ----

/** A constant. Its spelling is `text[at .. end)` of the option or path, so that the plan cache can extract it. */
export interface Literal {
  readonly kind: 'literal';
  readonly at: number;
  readonly end: number;
  readonly value: LiteralValue;
}

/** Temporal, guid and binary values keep their lexical form; edm/ converts them. */
export type LiteralValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** Digits without point and exponent, of any length; the suffix L is dropped. */
  | { readonly kind: 'integer'; readonly value: bigint }
  /** Digits with a point and without exponent, as written, without a leading plus. */
  | { readonly kind: 'decimal'; readonly text: string }
  /** A number with exponent, as written, or INF, -INF, NaN. */
  | { readonly kind: 'double'; readonly text: string }
  /** Also an enumeration value or duration without prefix, which only the model can distinguish. */
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'guid'; readonly text: string }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'dateTimeOffset'; readonly text: string }
  | { readonly kind: 'timeOfDay'; readonly text: string }
  /** The ISO 8601 text between the quotes of duration'…'. */
  | { readonly kind: 'duration'; readonly text: string }
  /** The base64url text between the quotes of binary'…'. */
  | { readonly kind: 'binary'; readonly text: string }
  /** NS.Type'A,B' : member names or integers, in the order written. */
  | { readonly kind: 'enum'; readonly type: string; readonly members: readonly string[] }
  | GeoLiteral;

export interface GeoLiteral {
  readonly kind: 'geography' | 'geometry';
  /** The name of the shape in the spelling of GeoJSON. */
  readonly shape: GeoShape;
  /** The text between the quotes: SRID=…;Point(…). */
  readonly text: string;
}

export type GeoShape =
  | `${'' | 'Multi'}${'Point' | 'LineString' | 'Polygon'}`
  | 'GeometryCollection';

// ---- Expressions ----

export type Expression =
  | Literal
  | ArrayLiteral
  | ObjectLiteral
  | Alias
  | PathExpression
  | Call
  | Cast
  | Case
  | Unary
  | Binary
  | List;

/** A JSON array; its items may be expressions, such as $root/Persons(1). */
export interface ArrayLiteral {
  readonly kind: 'array';
  readonly at: number;
  readonly end: number;
  readonly items: readonly Expression[];
}

/** A JSON object, with its members in order. */
export interface ObjectLiteral {
  readonly kind: 'object';
  readonly at: number;
  readonly end: number;
  readonly members: readonly ObjectMember[];
}

export interface ObjectMember {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
}

/** @name alone: a parameter alias, or, if no such alias exists, an annotation of the default namespace. */
export interface Alias {
  readonly kind: 'alias';
  readonly at: number;
  /** Without the leading @. */
  readonly name: string;
}

/** A path: Name, Caller/Name, $it/Name, Workorders/any(w:…), NS.Type/Name, Workorders(5)/Name, $root/Persons(1)/Name. */
export interface PathExpression {
  readonly kind: 'path';
  readonly at: number;
  readonly root: PathRoot;
  /** Empty only after a root other than `current`. */
  readonly steps: readonly PathStep[];
}

export type PathRoot =
  /** The path starts with its first step: a member of the current instance or a lambda variable. */
  | { readonly kind: 'current' }
  | { readonly kind: 'it' }
  | { readonly kind: 'this' }
  | { readonly kind: 'these' }
  | { readonly kind: 'root' }
  | { readonly kind: 'alias'; readonly name: string };

export type PathStep =
  | NameStep
  | AnnotationStep
  | CountStep
  | FilterStep
  | LambdaStep
  | AggregateStep
  | OrdinalStep;

/** A property, navigation property, type cast, lambda variable, function or, after $root, a set; the model decides. */
export interface NameStep {
  readonly kind: 'name';
  readonly at: number;
  /** Simple or qualified. */
  readonly name: string;
  /** The first parentheses: a key, or the parameters of a function. */
  readonly arguments: Arguments | undefined;
  /** The second parentheses: the key after the parameters of a function, F(p=1)(2). */
  readonly key: Arguments | undefined;
}

/** The parentheses after a name. */
export type Arguments =
  | { readonly kind: 'empty'; readonly at: number }
  | { readonly kind: 'positional'; readonly at: number; readonly values: readonly Expression[] }
  | { readonly kind: 'named'; readonly at: number; readonly pairs: readonly NamedArgument[] };

export interface NamedArgument {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
}

/** @NS.Term or @NS.Term#Qualifier, without the @. */
export interface AnnotationStep {
  readonly kind: 'annotation';
  readonly at: number;
  readonly term: string;
  readonly qualifier: string | undefined;
}

/** $count, in expressions also $count($filter=…;$search=…). */
export interface CountStep {
  readonly kind: 'count';
  readonly at: number;
  readonly filter: Expression | undefined;
  readonly search: SearchExpression | undefined;
}

/** $filter(condition), optionally followed by the key of one entity, in a member path or a resource path. */
export interface FilterStep {
  readonly kind: 'filter';
  readonly at: number;
  readonly condition: Expression;
  readonly key: Arguments | undefined;
}

/** any(v:condition), all(v:condition); any() has neither variable nor condition. */
export interface LambdaStep {
  readonly kind: 'any' | 'all';
  readonly at: number;
  readonly variable: string | undefined;
  readonly condition: Expression | undefined;
}

/** aggregate(Amount with sum) after a collection. */
interface AggregateStep {
  readonly kind: 'aggregate';
  readonly at: number;
  readonly item: AggregateItem;
}

/** Position in an ordered collection; negative counts from the end. */
export interface OrdinalStep {
  readonly kind: 'ordinal';
  readonly at: number;
  readonly index: number;
}

/** name(…) alone: a canonical function (contains, geo.length, isdefined), a custom function, or a collection navigation property with
 *  its key. With further steps it is a PathExpression instead. Names keep their spelling. */
export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly name: string;
  readonly arguments: Arguments;
}

/** cast(operand,Type) and isof(operand,Type); the default operand is the current instance. */
export interface Cast {
  readonly kind: 'cast' | 'isof';
  readonly at: number;
  readonly operand: Expression | undefined;
  readonly type: TypeName;
}

export interface TypeName {
  readonly at: number;
  /** Simple or qualified, such as Edm.String; the item type if `collection` is set. */
  readonly name: string;
  readonly collection: boolean;
}

export interface Case {
  readonly kind: 'case';
  readonly at: number;
  readonly branches: readonly CaseBranch[];
}

export interface CaseBranch {
  readonly condition: Expression;
  readonly value: Expression;
}

export interface Unary {
  readonly kind: 'not' | 'negate';
  readonly at: number;
  readonly operand: Expression;
}

/** Operators of higher power bind more tightly. OData 4.01 URL Conventions, "Operator Precedence". */
export const BINARY_POWER = {
  or: 1,
  and: 2,
  eq: 3,
  ne: 3,
  gt: 4,
  ge: 4,
  lt: 4,
  le: 4,
  add: 5,
  sub: 5,
  mul: 6,
  div: 6,
  divby: 6,
  mod: 6,
  has: 8,
  in: 8,
} as const;

export type BinaryOperator = keyof typeof BINARY_POWER;

/** The power of - and not: above arithmetic, below has and in. */
export const UNARY_POWER = 7;

/** All binary operators are left-associative. Grouping parentheses have no node. */
export interface Binary {
  readonly kind: 'binary';
  readonly at: number;
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** (1,2,3), only on the right of `in`. The grammar allows an empty list. */
export interface List {
  readonly kind: 'list';
  readonly at: number;
  readonly end: number;
  readonly items: readonly Literal[];
}

// ---- Resource path ----

export interface ResourcePath {
  /** The decoded path without leading and trailing slash. */
  readonly text: string;
  /** Empty for the service document. */
  readonly segments: readonly Segment[];
}

export type Segment = NameSegment | TextSegment | MarkSegment | FilterStep | CrossjoinSegment;

/** Set, singleton, property, navigation, cast, operation, each with optional parentheses; or a key written as a segment. */
export interface NameSegment {
  readonly kind: 'name';
  readonly at: number;
  /** Simple or qualified. */
  readonly name: string;
  readonly arguments: Arguments | undefined;
  readonly key: Arguments | undefined;
  /** The whole decoded segment, in case it is a key. */
  readonly text: string;
}

/** A segment that is not a name: a key (1, O'Neil) or an index of an ordered collection (0, -1). */
export interface TextSegment {
  readonly kind: 'text';
  readonly at: number;
  readonly text: string;
}

/** Segments that consist of a reserved name: $value, $count, $ref, … The parser removes $query (see Tree). */
interface MarkSegment {
  readonly kind: (typeof MARKS)[number];
  readonly at: number;
}

export const MARKS = [
  'all',
  'batch',
  'count',
  'each',
  'entity',
  'metadata',
  'ping',
  'ref',
  'value',
] as const;

/** $crossjoin(A,B). */
export interface CrossjoinSegment {
  readonly kind: 'crossjoin';
  readonly at: number;
  readonly sets: readonly { readonly at: number; readonly name: string }[];
}

// ---- Query options ----

/** The options of a request. Absent options are undefined. */
export interface Options extends NestedOptions {
  readonly format: string | undefined;
  readonly skiptoken: string | undefined;
  readonly deltatoken: string | undefined;
  /** An unparsed IRI. */
  readonly id: string | undefined;
  readonly index: number | undefined;
  readonly schemaversion: string | undefined;
  /** Decoded values of the options without $ and @, by name. The service ignores them, except as implicit parameter aliases (F?p=1),
   *  which bind/ looks up here. */
  readonly custom: ReadonlyMap<string, readonly string[]>;
}

/** Options that are also allowed in parentheses after an item of $expand or $select. */
export interface NestedOptions {
  readonly apply: Apply | undefined;
  readonly compute: readonly ComputeItem[] | undefined;
  readonly search: SearchExpression | undefined;
  readonly filter: Expression | undefined;
  readonly count: boolean | undefined;
  readonly orderby: readonly OrderItem[] | undefined;
  readonly skip: number | undefined;
  readonly top: number | undefined;
  readonly expand: readonly ExpandItem[] | undefined;
  readonly select: readonly SelectItem[] | undefined;
  /** Only inside $expand. */
  readonly levels: number | 'max' | undefined;
  /** Parameter aliases by name without @. Positions are relative to the start of the alias's own value. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

export interface OrderItem {
  readonly at: number;
  readonly expression: Expression;
  readonly descending: boolean;
}

/** The result of an operation in a model: a collection can be ordered and limited. */
export interface ModelQuery {
  readonly expression: Expression;
  readonly orderby?: readonly OrderItem[];
  readonly skip?: Expression;
  readonly top?: Expression;
}

/** expression as alias. */
export interface ComputeItem {
  readonly at: number;
  readonly expression: Expression;
  readonly alias: string;
}

export type SelectItem =
  /** * : all structural properties. */
  | { readonly kind: 'star'; readonly at: number }
  /** NS.* : all operations of a namespace. */
  | { readonly kind: 'operations'; readonly at: number; readonly namespace: string }
  | SelectPath;

export interface SelectPath {
  readonly kind: 'path';
  readonly at: number;
  readonly steps: readonly (SelectStep | AnnotationStep)[];
  readonly options: NestedOptions | undefined;
}

/** A property, cast or operation of a $select path. */
export interface SelectStep {
  readonly kind: 'name';
  readonly at: number;
  readonly name: string;
  /** NS.Function(p,q): the parameter names that select an overload. */
  readonly parameters: readonly string[] | undefined;
}

export type ExpandItem =
  /** $value: the media stream of the entity. */
  { readonly kind: 'value'; readonly at: number } | ExpandStar | ExpandPath;

/** *, a/*, with /$ref or ($levels=…). */
export interface ExpandStar {
  readonly kind: 'star';
  readonly at: number;
  /** The steps before the star, if any. */
  readonly steps: readonly ExpandStep[];
  readonly ref: boolean;
  readonly levels: number | 'max' | undefined;
}

/** A path to a navigation or stream property, possibly through casts and complex properties. */
export interface ExpandPath {
  readonly kind: 'path';
  readonly at: number;
  readonly steps: readonly ExpandStep[];
  readonly suffix: 'ref' | 'count' | undefined;
  readonly options: NestedOptions | undefined;
}

export type ExpandStep =
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | AnnotationStep;

export type SearchExpression =
  | { readonly kind: 'word'; readonly at: number; readonly text: string }
  /** "…" : the text between the quotes. */
  | { readonly kind: 'phrase'; readonly at: number; readonly text: string }
  /** '…' : text that a user is still typing, to be matched leniently; the text between the quotes. */
  | { readonly kind: 'incomplete'; readonly at: number; readonly text: string }
  | { readonly kind: 'not'; readonly at: number; readonly operand: SearchExpression }
  | {
      readonly kind: 'and' | 'or';
      readonly at: number;
      readonly left: SearchExpression;
      readonly right: SearchExpression;
    };

// ---- $apply ----

/** Transformations in the order in which they are applied; never empty. */
export type Apply = readonly Transformation[];

export type RankMethod = `${'top' | 'bottom'}${'count' | 'sum' | 'percent'}`;

export type Transformation =
  | { readonly kind: 'identity'; readonly at: number }
  | { readonly kind: 'aggregate'; readonly at: number; readonly items: readonly AggregateItem[] }
  | {
      readonly kind: 'groupby';
      readonly at: number;
      readonly elements: readonly GroupElement[];
      readonly apply: Apply | undefined;
    }
  | { readonly kind: 'filter'; readonly at: number; readonly condition: Expression }
  | { readonly kind: 'search'; readonly at: number; readonly search: SearchExpression }
  | { readonly kind: 'orderby'; readonly at: number; readonly items: readonly OrderItem[] }
  | { readonly kind: 'skip' | 'top'; readonly at: number; readonly count: number }
  | { readonly kind: 'compute'; readonly at: number; readonly items: readonly ComputeItem[] }
  | { readonly kind: 'concat'; readonly at: number; readonly branches: readonly Apply[] }
  /** topcount(amount,value) and the other five rank methods. */
  | {
      readonly kind: 'rank';
      readonly at: number;
      readonly method: RankMethod;
      readonly amount: Expression;
      readonly value: Expression;
    }
  /** join(path as alias,apply) and outerjoin. */
  | {
      readonly kind: 'join' | 'outerjoin';
      readonly at: number;
      readonly path: PathExpression;
      readonly alias: string;
      readonly apply: Apply | undefined;
    }
  | { readonly kind: 'nest'; readonly at: number; readonly items: readonly NestItem[] }
  | {
      readonly kind: 'addnested';
      readonly at: number;
      readonly path: PathExpression;
      readonly items: readonly NestItem[];
    }
  | {
      readonly kind: 'ancestors' | 'descendants';
      readonly at: number;
      readonly hierarchy: HierarchyReference;
      readonly start: Apply;
      readonly distance: number | undefined;
      readonly keepStart: boolean;
    }
  | {
      readonly kind: 'traverse';
      readonly at: number;
      readonly hierarchy: HierarchyReference;
      readonly order: 'preorder' | 'postorder';
      readonly start: Apply | undefined;
      readonly orderby: readonly OrderItem[];
    }
  /** NS.Function(p=1) as a transformation. */
  | {
      readonly kind: 'function';
      readonly at: number;
      readonly name: string;
      readonly arguments: Arguments;
    };

/** One item of aggregate(…). The aggregate function of expressions has no alias; for custom aggregates it is optional. */
export type AggregateItem = AggregateSubject & {
  readonly at: number;
  readonly from: readonly AggregateFrom[];
  readonly alias: string | undefined;
};

export type AggregateSubject =
  /** Amount with sum as Total; `method` is sum, min, max, average, countdistinct or a qualified name. */
  | { readonly kind: 'method'; readonly operand: Expression; readonly method: string }
  /** $count as Total, Workorders/$count as Total; `path` is the part before /$count. */
  | { readonly kind: 'count'; readonly path: PathExpression | undefined }
  /** Forecast, Sales/Forecast as Plan: a custom aggregate of the model. */
  | { readonly kind: 'custom'; readonly path: PathExpression };

/** from Time,Product/Name with average; the method is optional only for custom aggregates. */
export interface AggregateFrom {
  readonly at: number;
  readonly properties: readonly PathExpression[];
  readonly method: string | undefined;
}

export type GroupElement =
  | { readonly kind: 'property'; readonly at: number; readonly path: PathExpression }
  /** rollup(a,b): at least two levels. */
  | { readonly kind: 'rollup'; readonly at: number; readonly levels: readonly PathExpression[] }
  /** rollup(Qualifier): a leveled hierarchy of the model. */
  | { readonly kind: 'rollup-named'; readonly at: number; readonly hierarchy: string }
  | {
      readonly kind: 'rolluprecursive';
      readonly at: number;
      readonly hierarchy: HierarchyReference;
      readonly apply: Apply | undefined;
    };

/** $root/Set,Qualifier,path: a recursive hierarchy and the property that contains the node. */
export interface HierarchyReference {
  readonly at: number;
  readonly nodes: PathExpression;
  readonly qualifier: string;
  readonly property: PathExpression;
}

/** apply as alias, inside nest and addnested. */
export interface NestItem {
  readonly at: number;
  readonly apply: Apply;
  readonly alias: string;
}

// ---- Headers ----

export type Version = '4.0' | '4.01';

/** A media type. Its name and parameter names are in lower case; parameter values are unquoted. */
export interface MediaType {
  /** type/subtype. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** One entry of Accept (or $format): a media range and its weight, 0 to 1. */
export interface MediaRange extends MediaType {
  readonly quality: number;
}

/** Format of the response. */
export type Format =
  | ErrorFormat
  /** /$count: text/plain. */
  | { readonly kind: 'text'; readonly charset: boolean }
  /** /$value: text/plain or the media type of a stream, which the model decides. See `accepts` in media-types.ts. */
  | { readonly kind: 'raw'; readonly charset: boolean }
  /** multipart/mixed, for $batch. */
  | { readonly kind: 'multipart' }
  | ExportFormat;

/** All pages of a collection as a file. */
export interface ExportFormat {
  readonly kind: 'export';
  readonly type:
    | 'text/csv'
    | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    | 'application/x-ndjson'
    | 'application/jsonl';
  /** How the database writes the records. */
  readonly records: JsonFormat;
  readonly headings: 'names' | 'labels';
  /** Whether texts that spreadsheets take for formulas are written as they are, in CSV. */
  readonly keepsFormulas: boolean;
  /** Whether CSV begins with a byte order mark. */
  readonly bom: boolean;
  readonly charset: boolean;
}

/** Format of an error response. */
export type ErrorFormat = JsonFormat | XmlFormat;

/** OData Atom, and CSDL XML for $metadata. */
export interface XmlFormat {
  readonly kind: 'xml';
  /** The Content-Type to send. */
  readonly type: 'application/atom+xml' | 'application/xml' | 'text/xml';
  readonly charset: boolean;
}

export interface JsonFormat {
  readonly kind: 'json';
  readonly metadata: 'none' | 'minimal' | 'full';
  /** Edm.Int64 and Edm.Decimal as strings. */
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
  readonly streaming: boolean;
  /** Whether the client requested charset=utf-8, so that Content-Type includes it. */
  readonly charset: boolean;
}

/** If-Match or If-None-Match. */
export type EntityTags =
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly tags: readonly EntityTag[] };

export interface EntityTag {
  readonly weak: boolean;
  /** Between the quotes. */
  readonly value: string;
}

/** The request headers and $format after negotiation. */
export interface Negotiated {
  /** Version of the response. */
  readonly version: Version;
  /** Version of the request body. */
  readonly bodyVersion: Version;
  /** Whether OData-Version or OData-MaxVersion is 4.01 or higher. False without either header. */
  readonly supports401: boolean;
  readonly format: Format;
  /** Format of errors. Resources with a single format still return errors in the requested one. */
  readonly errorFormat: ErrorFormat;
  /** Media ranges of $format or Accept, for /$value; empty if any type is accepted. */
  readonly accept: readonly MediaRange[];
  readonly prefer: Preferences;
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
  readonly isolation: 'snapshot' | undefined;
  /** Language tags of Accept-Language, best first, without * and tags of weight 0. */
  readonly languages: readonly string[];
  readonly contentType: MediaType | undefined;
}

// ---- Request ----

export const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** A parsed request. POST …/$query is converted to the equivalent GET. */
export interface Tree {
  readonly method: Method;
  readonly path: ResourcePath;
  readonly options: Options;
  readonly negotiated: Negotiated;
  /** The text of path and options without the values of their literals. */
  readonly template: Template;
}
