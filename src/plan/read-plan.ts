// This file defines what shall happen for a request: one plan of plain data, with rights, page, order and the shape of the answer
// decided. A plan says nothing of SQL; sql/compile.ts turns it into statements.
import type {
  Computed,
  Expression,
  LiteralPlace,
  OrderItem,
  RowExpression,
  Rows,
  RowVariable,
  Transformation,
} from '../bind/bound.ts';
import type { Navigation, Property, StructuredType } from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type { Value } from '../edm/value/read-result.ts';

// ---- reading --------------------------------------------------------------------------------------------------------

/** Which part of a collection one answer holds. */
export interface Page {
  /** Rows to give at most. */
  readonly limit: number;
  /** Whether to look for one row more, so as to know whether a next link is due. */
  readonly more: boolean;
  readonly skip: number;
  /** Values of the order items of the last row already given: go on behind it. */
  readonly after?: readonly Value[];
}

/** What is read of a set of rows; used for the request itself and for every expansion in it. */
export interface Selecting {
  readonly rows: Rows;
  /** The variable of the rows after `apply`; that of `rows` where nothing was applied. */
  readonly row: RowVariable;
  readonly apply: readonly Transformation[];
  readonly compute: readonly Computed[];
  /** $filter and $search in one. */
  readonly filter?: Expression;
  /** A total order: the key comes last where the rows are entities. */
  readonly order: readonly OrderItem[];
  /** `order` is only for rows that are equal in the order that `apply` has put them in. */
  readonly inAppliedOrder?: true;
  readonly page?: Page;
  readonly count: boolean;
  /** What `$these` means: all the rows, or those that fit a condition, under a variable of their own. */
  readonly these?: readonly { readonly row: RowVariable; readonly where?: Expression }[];
}

export interface ReadPlan {
  readonly kind: 'read';
  /** Language of code texts in the conditions and the order; the installation's first where it is left out. */
  readonly language?: string;
  readonly select: Selecting;
  readonly output: Output;
  /** Asked when nothing was found: a row that must exist, or else the answer is 404. */
  readonly parent?: Rows;
  /** Nothing found means 204 (the last step of the path may be null), else 404. */
  readonly nullable: boolean;
  /** One context variant of the URL: see response/links.ts. */
  readonly context: string;
  /** The keys of the request that stand in the context, from the left to the right. */
  readonly contextKeys: readonly TextKey[];
  /** Rows that the client still wants after this page, where it said $top. */
  readonly remaining?: number;
  /** How the next page is found, where there may be one. */
  readonly paging?: Paging;
  /** Where changes are tracked: what the delta link on the last page is made of. */
  readonly tracking?: Tracking;
  /** Preferences that were followed, as Preference-Applied names them. */
  readonly applied: readonly string[];
  /** Bytes of files stand in the answer. */
  readonly showsFiles?: true;
}

/** A key of the request in a text: digits, which begin at this offset. */
export interface TextKey {
  readonly at: number;
  readonly length: number;
  readonly place: LiteralPlace;
}

/** How the next page of an answer is found; page.ts makes and reads the tokens. */
export interface Paging {
  /** Stands in each token, so that a token of another query is refused. */
  readonly signature: string;
  /** values = behind the order values of the last row; offset = behind that many rows, for rows that have no key. */
  readonly by: 'values' | 'offset';
  /** The page size that the client prefers, for the following pages. */
  readonly size?: number;
}

/** From which change on the delta link of an answer tells changes; delta-token.ts makes and reads the tokens. */
export interface Tracking {
  /** Stands in each token, so that a token of another query is refused. */
  readonly signature: string;
  /** Number of the last change before the first page was read; undefined on that page itself. */
  readonly since?: bigint;
}

type ElementRow = RowVariable & { readonly kind: 'element' };

export type Output =
  | { readonly kind: 'entities'; readonly shape: Shape }
  | { readonly kind: 'entity'; readonly shape: Shape }
  /** Each row gives its reference: `{"@odata.id":…}`. */
  | { readonly kind: 'references'; readonly shape: Shape }
  | { readonly kind: 'reference'; readonly shape: Shape }
  | { readonly kind: 'count' }
  /** One value of one row, as JSON. */
  | {
      readonly kind: 'property';
      readonly member: ValueMember;
      readonly form: ValueForm;
      readonly etag: Expression | undefined;
    }
  /** One primitive value of one row, as text. */
  | {
      readonly kind: 'raw';
      readonly value: Expression;
      readonly form: ValueForm;
      /** One item of a collection: its position, from the end where negative. */
      readonly item?: { readonly row: ElementRow; readonly index: number };
    }
  /** The number of items of a collection value; null where the row is there but the collection is not. */
  | { readonly kind: 'property-count'; readonly member: ValueMember }
  /** What is known of bytes; `fileName` is the name that the file of a media entity had. */
  | { readonly kind: 'stream'; readonly property?: Property; readonly fileName?: Expression };

/** How values are written. */
export interface ValueForm {
  /** Int64 and Decimal as strings. */
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
  /** Language of code texts. */
  readonly language: string;
  /** Prefix of annotations: `@odata.` in 4.0, `@` in 4.01. */
  readonly prefix: '@odata.' | '@';
  /** How much control information there is. */
  readonly metadata: 'none' | 'minimal' | 'full';
}

/** What each record of the answer looks like: members in the order in which they are written. */
export interface Shape {
  readonly row: RowVariable;
  readonly form: ValueForm;
  readonly members: readonly ShapeMember[];
}

/** A value under its name. `name` is the JSON member's. */
export interface ValueMember {
  readonly kind: 'value';
  readonly name: string;
  readonly value: Expression;
  /** For complex values: their members; absent for primitives, enums, and for values kept as JSON and written whole. */
  readonly members?: readonly ShapeMember[];
  /** Behind the members of a complex value, or of each item, that is written as it is kept. */
  readonly besides?: readonly ShapeMember[];
  /** For collection values: choose and order items. */
  readonly items?: {
    readonly row: RowVariable & { readonly kind: 'element' };
    readonly filter?: Expression;
    readonly order: readonly OrderItem[];
    readonly skip?: number;
    readonly top?: number;
    /** One item instead of the array: its position, from the end where negative; null where there is none. */
    readonly index?: number;
  };
  /** Leave the member out where its value is null (omit-values=nulls), or equals the default (omit-values=defaults). */
  readonly omit?: 'null' | { readonly value: Value };
  /** Only for rows that are of this type. */
  readonly onType?: StructuredType;
  /** Only where this holds: in rows in which it may be read, in rows that have it at all. */
  readonly when?: Expression;
}

export type ShapeMember =
  | ValueMember
  /** Text put together from constants, the service root and values of rows: ids, edit links, navigation links, media links. */
  | {
      readonly kind: 'link';
      readonly name: string;
      readonly parts: readonly LinkPart[];
      readonly onType?: StructuredType;
      readonly when?: Expression;
    }
  /** `"@odata.etag":"W/\"7\""` of the row. */
  | {
      readonly kind: 'etag';
      readonly name: string;
      readonly row: RowExpression;
      readonly when?: Expression;
    }
  /** `"@odata.type":"#NS.T"` where the row's type is not `declared`, or always. */
  | {
      readonly kind: 'type';
      readonly name: string;
      readonly row: RowExpression;
      readonly declared: StructuredType;
      readonly always: boolean;
    }
  /** A fixed member: its JSON text. */
  | {
      readonly kind: 'constant';
      readonly name: string;
      readonly json: string;
      readonly onType?: StructuredType;
      readonly when?: Expression;
    }
  /** The stored media type or ETag of a media entity's stream or of a stream property; left out where there are no bytes. */
  | {
      readonly kind: 'media';
      readonly name: string;
      readonly row: RowExpression;
      readonly property?: Property;
      readonly fact: 'type' | 'etag';
      readonly onType?: StructuredType;
    }
  /**
   * The bytes of a stream property or of a media entity, in the place of which a mark is written that says where they are kept; null
   * where there are none. `typeName` is what the annotation with the type is called, which tells of base64url for what should be text.
   */
  | {
      readonly kind: 'bytes';
      readonly name: string;
      readonly typeName: string;
      readonly row: RowExpression;
      readonly property?: Property;
      readonly onType?: StructuredType;
    }
  /** An array of objects whose number the plan knows. */
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly items: readonly (readonly ShapeMember[])[];
    }
  /** An object whatever its members hold, such as groups of $apply: `{"Status":{"Text":…}}`. `notNull`: null where it does not hold. */
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly members: readonly ShapeMember[];
      readonly onType?: StructuredType;
      readonly when?: Expression;
      readonly notNull?: Expression;
    }
  /** The dynamic properties of an open value, all or those named. */
  | {
      readonly kind: 'dynamic';
      readonly row: RowExpression;
      readonly path: readonly Property[];
      readonly names?: readonly string[];
    }
  /** The row that an expanded single navigation leads to, or null. */
  | {
      readonly kind: 'one';
      readonly name: string;
      readonly select: Selecting;
      readonly shape: Shape;
      readonly onType?: StructuredType;
      readonly when?: Expression;
    }
  /** The rows of an expanded collection: the array, and its count and next link beside it. */
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly select: Selecting;
      readonly shape: Shape;
      /** Where the rest is read: everything but the token, which is appended to it. */
      readonly nextLink?: readonly LinkPart[];
      readonly onType?: StructuredType;
    }
  /** Only the number of rows of an expanded collection: `"Workorders@odata.count":3`. */
  | {
      readonly kind: 'count';
      readonly name: string;
      readonly select: Selecting;
      readonly onType?: StructuredType;
    };

export type LinkPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `http://host/odata/`, known when the request runs. */
  | { readonly kind: 'root' }
  /** A key value in its URL literal form, percent-encoded. */
  | { readonly kind: 'key'; readonly value: Expression };

/** A value computed without any row: the result of a function. */
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
 * Rows of several sources one after the other, each written with its own context ($all). Every part is read up to the end of
 * the page, so the page is cut out of the parts' rows laid end to end: `skip` of them left out, `limit` given.
 */
export interface ChainPlan {
  readonly kind: 'chain';
  readonly parts: readonly ReadPlan[];
  readonly count: boolean;
  readonly skip: number;
  readonly limit: number;
  /** Whether to look for one row more, so as to know whether a next link is due. */
  readonly more: boolean;
  readonly remaining?: number;
  readonly paging: Paging;
  readonly context: string;
  readonly applied: readonly string[];
}

/** Pairs of rows of several sources ($crossjoin). */
export interface CrossjoinPlan {
  readonly kind: 'crossjoin';
  readonly sources: readonly { readonly name: string; readonly rows: Rows }[];
  readonly where: readonly Expression[];
  /** Where $apply transforms the combinations: the row of each. */
  readonly combined?: RowVariable & { readonly kind: 'derived' };
  readonly select: Omit<Selecting, 'rows'>;
  readonly shape: Shape;
  readonly context: string;
  readonly remaining?: number;
  readonly paging: Paging;
  readonly applied: readonly string[];
}

/** What has changed in the rows of a query since it was read: those that belong to it now, and those that do no longer. */
export interface DeltaPlan {
  readonly kind: 'delta';
  /** Language of code texts in the conditions. */
  readonly language?: string;
  /** The rows that belong to the query now; without page and order. */
  readonly select: Selecting;
  readonly shape: Shape;
  /** The address of a row, by which the client knows it when it is removed. */
  readonly address: readonly LinkPart[];
  readonly watched: Watched;
  readonly span: Span;
  /** Changed rows to give at most; one more is looked for, so as to know whether a next link is due. */
  readonly limit: number;
  /** The page size that the client prefers, for the following pages. */
  readonly size?: number;
  /** records = the changes; count = nothing but their number. */
  readonly output: 'records' | 'count';
  readonly signature: string;
  readonly context: string;
  /** Context of what is removed. */
  readonly removedContext: string;
  readonly applied: readonly string[];
}

/** Which changes are told: those after `since`, up to `until` where an earlier page has set the end, of rows behind `after`. */
export interface Span {
  readonly since: bigint;
  readonly until?: bigint;
  /** Identity of the last row that was given. */
  readonly after?: bigint;
  /** The page size that the client prefers, for the following pages. */
  readonly size?: number | undefined;
}

/** Rows that an answer depends on: those of a source, and the rows that navigations lead to from them. */
export interface Watched {
  readonly source: Source;
  readonly steps: readonly WatchedStep[];
}

export interface WatchedStep {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
  readonly target: Watched;
}

/** A document that needs no database: service document, metadata, ping. */
export interface DocumentPlan {
  readonly kind: 'document';
  readonly document: 'service' | 'metadata' | 'ping' | 'openapi';
}

export type Plan = ReadPlan | EvaluationPlan | ChainPlan | CrossjoinPlan | DeltaPlan | DocumentPlan;
