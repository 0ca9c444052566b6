// This file defines bound writes: what a body and a path ask to be created, changed, deleted or related, in things of the model.
// Reading what is answered afterwards is bound.ts's business. Rights and guards are added by plan/.
import type { ComplexType, EntityType, Navigation, Operation, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { AddressStep, BoundRead, LiteralPlace, Query, Rows } from '../bound.ts';

/** A value for one stored property. `path` walks through complex values to it. */
export type InputValue =
  /** A primitive or enumeration value, or the Value of a coded one. */
  | {
      readonly kind: 'value';
      readonly path: readonly Property[];
      readonly value: Value;
      readonly place?: LiteralPlace;
    }
  /** A value that is kept as JSON: collections, open or recursive complex values. Exact text. */
  | {
      readonly kind: 'json';
      readonly path: readonly Property[];
      readonly text: string | null;
      readonly place?: LiteralPlace;
    }
  /** A complex value that is set to null, or made to be there: its members are inputs of their own. */
  | {
      readonly kind: 'presence';
      readonly path: readonly Property[];
      readonly type: ComplexType;
      readonly present: boolean;
    };

/** An entity named by its address: exactly one row, or a fault when it is not there (bind.reference, 400). */
export interface Reference {
  readonly rows: Rows;
  /** As the client wrote it, and where: `Caller@odata.bind`. */
  readonly text: string;
  readonly target: string;
}

/** What a body says of a navigation. */
export interface InputLink {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
  /** set = the single target, or all targets of a collection; add = these besides the others; clear = none. */
  readonly mode: 'set' | 'add' | 'clear';
  readonly references: readonly Reference[];
}

/** Entities that are created or changed along with the one around them. */
export interface InputChildren {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
  readonly source: Source;
  /** insert = new ones besides those there are; full = exactly these; delta = these changes (`Nav@delta`). */
  readonly mode: 'insert' | 'full' | 'delta';
  readonly entities: readonly InputChild[];
}

export type InputChild =
  | { readonly kind: 'create'; readonly entity: EntityInput }
  /**
   * Found by key (or `@id`), or the one that a single navigation leads to, and changed. Where it is not there, it is created
   * (the keys are the client's and stand in the reference, or the navigation is empty), or the write is refused.
   */
  | {
      readonly kind: 'change';
      readonly reference: Reference;
      readonly entity: EntityInput;
      readonly absent: 'create' | 'refuse';
    }
  | { readonly kind: 'link'; readonly reference: Reference }
  | {
      readonly kind: 'remove';
      readonly reference: Reference;
      readonly reason: 'deleted' | 'changed';
    };

/** The body of a POST, PATCH or PUT, checked and typed. */
export interface EntityInput {
  /** The declared type, or the derived one that `@odata.type` names. */
  readonly type: EntityType;
  /** Where the entity stands in the body: `Workorders[2]`; empty for the body itself. */
  readonly target: string;
  readonly values: readonly InputValue[];
  /** Dynamic properties of an open type: JSON text by name, null to remove. */
  readonly dynamic: ReadonlyMap<string, string | null>;
  readonly links: readonly InputLink[];
  readonly children: readonly InputChildren[];
  /** ETag in the body (4.01). */
  readonly etag?: string;
  /** Core.ContentID, echoed in the answer. */
  readonly contentId?: string;
  /** Of a media entity: what it is made of. */
  readonly file?: FileInput;
}

/** The bytes of a stream: those that come with the request (`sent`), or that stand in its body. */
export type FileInput =
  | { readonly kind: 'sent' }
  | { readonly kind: 'inline'; readonly mediaType: string; readonly bytes: Uint8Array };

/** Where a new entity goes. */
export type Destination =
  | { readonly kind: 'set'; readonly source: Source }
  /** Into a collection navigation: linked to its parent, or contained in it. */
  | {
      readonly kind: 'navigation';
      readonly source: Source;
      readonly parent: Rows;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
    };

interface Writing {
  readonly address: readonly AddressStep[];
  /** How the result would be read: for return=representation and Location. */
  readonly result: BoundRead;
}

export type BoundWrite =
  | (Writing & {
      readonly kind: 'create';
      readonly into: Destination;
      readonly input: EntityInput;
      readonly media?: 'stream';
    })
  /** The one row of `rows` is changed; with `create` it may be created where it is not there (upsert with the client's keys). */
  | (Writing & {
      readonly kind: 'change';
      readonly rows: Rows;
      readonly mode: 'merge' | 'replace';
      readonly input: EntityInput;
      readonly create?: Destination;
      /** Of an entity that a single navigation contains: the client's key, which stands in the body only. */
      readonly key?: readonly InputValue[];
      /** The path may lead to no row: `ServiceRequests(1)/Caller`. */
      readonly nullable: boolean;
    })
  | (Writing & { readonly kind: 'delete'; readonly rows: Rows })
  /** `$ref`: references of one row's navigation. */
  | (Writing & {
      readonly kind: 'relate';
      readonly rows: Rows;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
      readonly target: Source;
      readonly action: 'set' | 'add' | 'remove' | 'clear' | 'replace';
      readonly references: readonly Reference[];
    })
  /** PUT, PATCH, POST, DELETE on a property or its `/$value`. append = POST to a collection; null value = DELETE. */
  | (Writing & {
      readonly kind: 'property';
      readonly rows: Rows;
      readonly path: readonly Property[];
      readonly mode: 'replace' | 'merge' | 'append' | 'clear';
      readonly values: readonly InputValue[];
      /** Relations inside a complex value. */
      readonly links: readonly InputLink[];
      /** Item of an ordered collection, negative from the end. */
      readonly index?: number;
    })
  /** `/$filter(…)/$each` or a collection path: every row of `rows`. */
  | (Writing & {
      readonly kind: 'each';
      readonly rows: Rows;
      readonly query: Query;
      readonly deed:
        | { readonly kind: 'change'; readonly input: EntityInput }
        | { readonly kind: 'delete' };
    })
  /** PATCH with a delta payload, or PUT of all entities, on a collection. */
  | (Writing & {
      readonly kind: 'collection';
      readonly into: Destination;
      readonly rows: Rows;
      readonly mode: 'full' | 'delta';
      readonly entities: readonly InputChild[];
    })
  /** An action has no result that could be read beforehand. */
  | {
      readonly kind: 'invoke';
      readonly address: readonly AddressStep[];
      readonly operation: Operation;
      /** The one row that it is bound to. */
      readonly rows?: Rows;
      /** The rows that it is bound to, where it is bound to a collection. */
      readonly collection?: Rows;
      /** The rows of `/$each`, to every one of which it is bound. */
      readonly members?: Rows;
      /** Canonical values; the Value of a coded one; JSON text of a collection or complex value. */
      readonly parameters: ReadonlyMap<string, Value>;
      /** Entities that parameters name. */
      readonly references: ReadonlyMap<string, Reference>;
    }
  /** Bytes of a media entity or stream property; the bytes themselves do not pass through here. */
  | (Writing & {
      readonly kind: 'stream';
      readonly rows: Rows;
      readonly property?: Property;
      readonly action: 'put' | 'remove';
      /** What the request says of a file that it brings. */
      readonly values: readonly InputValue[];
    });
