// Read plans: plain data that fixes rights, page, order and record shape of a response. Plans contain no SQL; sql/compile.ts
// translates them into statements. It is long because all nodes of plans are defined in one place, like those of bound requests.
import type {
  BoundDocument,
  Computed,
  Expression,
  LiteralExpression,
  NavigationPath,
  OrderItem,
  RowExpression,
  Rows,
  RowVariable,
  Transformation,
} from '../bind/bound.ts';
import type { Parameter } from '../bind/parameter.ts';
import type { ClockRules } from '../edm/clocks/clock-rules.ts';
import type { EntityType, Property, StructuredType } from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type { Value } from '../edm/value/read-result.ts';

// ---- reads ----------------------------------------------------------------------------------------------------------

/** The part of a collection that one response returns. */
export interface Page {
  /** Maximum number of rows. */
  readonly limit: number;
  /** Whether to fetch one extra row to find out if a next link is needed. */
  readonly more: boolean;
  readonly skip: number;
  /** `skip` as a parameter of the plan. */
  readonly skipParameter?: Parameter | undefined;
  /** Order values of the last row returned so far; the page starts after it. */
  readonly after?: readonly LiteralExpression[] | undefined;
}

/** A selection of rows, for the request itself and for each of its expansions. */
export interface RowSelection {
  readonly rows: Rows;
  /** The row variable after `apply`; the variable of `rows` without $apply. */
  readonly row: RowVariable;
  readonly apply: readonly Transformation[];
  readonly compute: readonly Computed[];
  /** $filter and $search combined. */
  readonly filter?: Expression | undefined;
  /** A total order: entities are ordered by key last. */
  readonly order: readonly OrderItem[];
  /** `order` only breaks ties in the order that `apply` produces. */
  readonly inAppliedOrder?: true | undefined;
  readonly page?: Page | undefined;
  readonly count: boolean;
  /** The meaning of `$these`: all rows or those matching a condition, each under its own variable. */
  readonly these?:
    | readonly { readonly row: RowVariable; readonly where?: Expression | undefined }[]
    | undefined;
}

export interface ReadPlan {
  readonly kind: 'read';
  /** Language of code texts in conditions and order; defaults to the first installed language. */
  readonly language?: string | undefined;
  readonly select: RowSelection;
  readonly output: Output;
  /** Checked if no row is found: without this row the response is 404. */
  readonly parent?: Rows | undefined;
  /** Whether an empty result means 204 (the last path step may be null) instead of 404. */
  readonly nullable: boolean;
  /** The context URL fragment; see response/links.ts. */
  readonly context: string;
  /** Keys of the request URL that appear in the context, from left to right. */
  readonly contextKeys: readonly TextKey[];
  /** Rows left of $top after this page. */
  readonly remaining?: number | undefined;
  /** How to find the next page, if there may be one. */
  readonly paging?: Paging | undefined;
  /** Content of the delta link on the last page, if changes are tracked. */
  readonly tracking?: Tracking | undefined;
  /** Applied preferences, as listed in Preference-Applied. */
  readonly applied: readonly string[];
  /** The type of the records, if they contain deadlines that the service calculates. */
  readonly showsDeadlines?: EntityType | undefined;
  /** The response contains the bytes of files. */
  readonly showsFiles?: true | undefined;
}

/** A numeric key of the request URL within a text, from this offset. */
export interface TextKey {
  readonly at: number;
  readonly length: number;
  /** The slot of the parameter. */
  readonly slot: number;
}

/** How to find the next page; read/page.ts writes and reads the tokens. */
export interface Paging {
  /** Part of each token, so that tokens of other queries are rejected. */
  readonly signature: string;
  /** values = after the order values of the last row; offset = after that many rows, for rows without a key. */
  readonly by: 'values' | 'offset';
  /** The preferred page size, carried over to the following pages. */
  readonly size?: number | undefined;
}

/** The start of the delta link of a response; read/tokens.ts writes and reads the tokens. */
interface Tracking {
  /** Part of each token, so that tokens of other queries are rejected. */
  readonly signature: string;
  /** Number of the last change before the first page was read; undefined on the first page. */
  readonly since?: bigint | undefined;
  /**
   * For an account that may read some records of the set: the URL of a row, of which the first page collects those of all rows, and the
   * records that the client knows then, as text.
   */
  readonly address?: readonly LinkPart[] | undefined;
  readonly known?: string | undefined;
}

type EntityVariable = RowVariable & { readonly kind: 'entity' };

type ElementRow = RowVariable & { readonly kind: 'element' };

export type Output =
  | { readonly kind: 'entities'; readonly shape: Shape }
  | { readonly kind: 'entity'; readonly shape: Shape }
  /** One entity reference per row: `{"@odata.id":…}`. */
  | { readonly kind: 'references'; readonly shape: Shape }
  | { readonly kind: 'reference'; readonly shape: Shape }
  | { readonly kind: 'count' }
  /** One value of one row, as JSON. */
  | {
      readonly kind: 'property';
      readonly member: ValueMember;
      readonly form: ValueForm;
      readonly etag: Expression | undefined;
      /** For a dynamic property: writes its member with the type, instead of the value alone. */
      readonly dynamic?: DynamicMember | undefined;
    }
  /** One primitive value of one row, as text. */
  | {
      readonly kind: 'raw';
      readonly value: Expression;
      readonly form: ValueForm;
      /** One item of a collection: its position, counted from the end if negative. */
      readonly item?: { readonly row: ElementRow; readonly index: number };
    }
  /** The number of items of a collection value; null if the collection is null. */
  | { readonly kind: 'property-count'; readonly member: ValueMember }
  /** Metadata of a stream; `fileName` is the file name of a media entity. */
  | {
      readonly kind: 'stream';
      readonly property?: Property | undefined;
      readonly fileName?: Expression | undefined;
    };

/** How values are serialised. */
export interface ValueForm {
  /** Int64 and Decimal as strings. */
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
  /** Language of code texts. */
  readonly language: string;
  /** Prefix of annotations: `@odata.` in 4.0, `@` in 4.01. */
  readonly prefix: '@odata.' | '@';
  /** The metadata level: how much control information is included. */
  readonly metadata: 'none' | 'minimal' | 'full';
}

/** The layout of a record: its members in output order. */
export interface Shape {
  readonly row: RowVariable;
  readonly form: ValueForm;
  readonly members: readonly ShapeMember[];
}

export interface ValueMember {
  readonly kind: 'value';
  readonly name: string;
  readonly value: Expression;
  /** Members of a complex value; absent for primitives, enums, and values stored and written as JSON. */
  readonly members?: readonly ShapeMember[] | undefined;
  /** Members to append to a complex value, or to each item, that is written as stored. */
  readonly besides?: readonly ShapeMember[] | undefined;
  /** For collection values: which items, in which order. */
  readonly items?: {
    readonly row: RowVariable & { readonly kind: 'element' };
    readonly filter?: Expression | undefined;
    readonly order: readonly OrderItem[];
    readonly skip?: number | undefined;
    readonly top?: number | undefined;
    /** Returns one item instead of the array: its position, counted from the end if negative; null if there is none. */
    readonly index?: number | undefined;
  };
  /** Omit the member if its value is null (omit-values=nulls) or equals the default (omit-values=defaults). */
  readonly omit?: 'null' | { readonly value: Value } | undefined;
  /** Only for rows of this type. */
  readonly onType?: StructuredType | undefined;
  /** Only for rows that satisfy this condition, such as a right to read the member. */
  readonly when?: Expression | undefined;
}

/** An object or a JSON text in an array, for rows that satisfy the condition. */
export type ListItem = { readonly when?: Expression | undefined } & (
  | { readonly members: readonly ShapeMember[] }
  | { readonly json: string }
);

export type DynamicMember = ShapeMember & { readonly kind: 'dynamic' };

/** Members that are the same in all plans for this row variable, format and rights, so that they are compiled once. */
export interface SharedMembers {
  readonly kind: 'shared';
  readonly members: readonly ShapeMember[];
}

export type ShapeMember =
  | ValueMember
  | SharedMembers
  /** A URL built from constants, the service root and row values: ids, edit links, navigation links, media links. */
  | {
      readonly kind: 'link';
      readonly name: string;
      readonly parts: readonly LinkPart[];
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
    }
  /** `"@odata.etag":"W/\"7\""`. */
  | {
      readonly kind: 'etag';
      readonly name: string;
      readonly row: RowExpression;
      readonly when?: Expression | undefined;
    }
  /** `"@odata.type":"#NS.T"` if the row's type differs from `declared`, or always. */
  | {
      readonly kind: 'type';
      readonly name: string;
      readonly row: RowExpression;
      readonly declared: StructuredType;
      readonly always: boolean;
    }
  /** A member with the same JSON text in every row. */
  | {
      readonly kind: 'constant';
      readonly name: string;
      readonly json: string;
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
    }
  /** The stored media type or ETag of a media entity or stream property; omitted if there is no content. */
  | {
      readonly kind: 'media';
      readonly name: string;
      readonly row: RowExpression;
      readonly property?: Property | undefined;
      readonly fact: 'type' | 'etag';
      readonly onType?: StructuredType | undefined;
    }
  /**
   * The bytes of a stream property or media entity. The database writes a placeholder that names where they are stored, or null if
   * there are none. `typeName` is the name of the type annotation, which announces base64url where a reader would expect text.
   */
  | {
      readonly kind: 'bytes';
      readonly name: string;
      readonly typeName: string;
      readonly row: RowExpression;
      readonly property?: Property | undefined;
      readonly onType?: StructuredType | undefined;
    }
  /** What clocks depend on, as a JSON array, from which the service calculates what other members contain. */
  | {
      readonly kind: 'clock-inputs';
      readonly name: string;
      readonly row: EntityVariable;
      readonly rules: ClockRules;
      readonly expressions: readonly Expression[];
    }
  /** An array of some of the items. */
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly items: readonly ListItem[];
    }
  /** An object even if all its members are null, such as a group of $apply: `{"Status":{"Text":…}}`. Null unless `notNull` holds. */
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly members: readonly ShapeMember[];
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
      readonly notNull?: Expression | undefined;
    }
  /** The dynamic properties of an open value: all, or those in `names`. */
  | {
      readonly kind: 'dynamic';
      readonly row: RowExpression;
      readonly path: readonly Property[];
      readonly names?: readonly string[] | undefined;
    }
  /** The target of an expanded single-valued navigation property, or null. */
  | {
      readonly kind: 'one';
      readonly name: string;
      readonly select: RowSelection;
      readonly shape: Shape;
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
    }
  /** The rows of an expanded collection, with its count and next link. */
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly select: RowSelection;
      readonly shape: Shape;
      /** The next link up to the page size in its token; the instant and the position are appended. */
      readonly nextLink?: readonly LinkPart[] | undefined;
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
    }
  /** The number of rows of an expanded collection: `"Workorders@odata.count":3`. */
  | {
      readonly kind: 'count';
      readonly name: string;
      readonly select: RowSelection;
      readonly onType?: StructuredType | undefined;
      readonly when?: Expression | undefined;
    };

export type LinkPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The service root `http://host/odata/`, known at run time. */
  | { readonly kind: 'root' }
  /** A key value in its URL literal form, percent-encoded. */
  | { readonly kind: 'key'; readonly value: Expression };

/** A value computed without rows: the result of a function. */
export interface EvaluationPlan {
  readonly kind: 'evaluate';
  readonly member: ValueMember;
  readonly form: ValueForm;
  readonly raw: boolean;
  readonly nullable: boolean;
  readonly context: string;
  readonly applied: readonly string[];
}

/**
 * The rows of several sources in sequence, each with its own context ($all). Every part is read up to the end of the page. The
 * page is then cut from the concatenated rows: `skip` rows are dropped and `limit` returned.
 */
export interface ChainPlan {
  readonly kind: 'chain';
  readonly parts: readonly ReadPlan[];
  readonly count: boolean;
  readonly skip: number;
  readonly limit: number;
  /** Whether to fetch one extra row to find out if a next link is needed. */
  readonly more: boolean;
  readonly remaining?: number | undefined;
  readonly paging: Paging;
  readonly context: string;
  readonly applied: readonly string[];
}

/** Combinations of rows of several sources ($crossjoin). */
export interface CrossjoinPlan {
  readonly kind: 'crossjoin';
  readonly sources: readonly { readonly name: string; readonly rows: Rows }[];
  readonly where: readonly Expression[];
  /** The row variable of the combinations, if $apply transforms them. */
  readonly combined?: (RowVariable & { readonly kind: 'derived' }) | undefined;
  readonly select: Omit<RowSelection, 'rows'>;
  readonly shape: Shape;
  readonly context: string;
  readonly remaining?: number | undefined;
  readonly paging: Paging;
  readonly applied: readonly string[];
}

/** The changes to the rows of a query: rows that belong to it now, and rows that no longer do. */
export interface DeltaPlan {
  readonly kind: 'delta';
  /** Language of code texts in conditions. */
  readonly language?: string | undefined;
  /** The rows that belong to the query now, unpaged and unordered. */
  readonly select: RowSelection;
  readonly shape: Shape;
  /** The URL of a row, which identifies it to the client when it is removed. */
  readonly address: readonly LinkPart[];
  readonly dependencies: RowDependencies;
  readonly span: Span;
  /** The records that the client knows, for an account that may read some records: those that no longer match are removed. */
  readonly known?: KnownRecords | undefined;
  /** Whether the principal may see some rows only: nothing is reported about others that the client does not know. */
  readonly hidesInvisible?: boolean;
  /** The order of the rows: pages of delta links are cut by identity, events come in the order of the last changes. */
  readonly order: 'identity' | 'change';
  /** Maximum number of changed rows; one extra row is fetched to find out if a next link is needed. */
  readonly limit: number;
  /** The preferred page size, carried over to the following pages. */
  readonly size?: number | undefined;
  /** records = the changes; count = only their number; addresses = the addresses of all rows that match, changed or not. */
  readonly output: 'records' | 'count' | 'addresses';
  readonly signature: string;
  readonly context: string;
  /** Context of removed rows. */
  readonly removedContext: string;
  readonly applied: readonly string[];
}

/** Records that a client knows: their addresses, or the reader for which the database stores them. */
export type KnownRecords =
  | { readonly kind: 'listed'; readonly addresses: readonly string[] }
  | { readonly kind: 'stored'; readonly reader: bigint };

/** The range of changes to return: after `since`, up to `until` if an earlier page fixed the end, for rows after `after`. */
export interface Span {
  readonly since: bigint;
  /** The rows of the change after `since` up to this identity are known, too: many rows may depend on one change. */
  readonly part?: bigint | undefined;
  readonly until?: bigint | undefined;
  /** Identity of the last row returned. */
  readonly after?: bigint | undefined;
  /** The preferred page size, carried over to the following pages. */
  readonly size?: number | undefined;
}

/** The rows a response depends on: those of a source, and those reached from them through navigation properties. */
export interface RowDependencies {
  readonly source: Source;
  readonly steps: readonly DependencyStep[];
}

export interface DependencyStep extends NavigationPath {
  readonly target: RowDependencies;
}

export type Plan =
  | ReadPlan
  | EvaluationPlan
  | ChainPlan
  | CrossjoinPlan
  | DeltaPlan
  | BoundDocument;

/** What the response to a read needs of its plan, once the script is compiled. */
export type ReadResponse = Omit<ReadPlan, 'select' | 'parent'> & {
  readonly select: Pick<RowSelection, 'page'>;
};

export type ResponsePlan = Exclude<Plan, ReadPlan> | ReadResponse;
