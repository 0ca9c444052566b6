// Bound writes: what a path and a body create, change, delete or relate, in terms of the model.
// bound.ts defines how the response is read; plan/ adds rights and guards.
import type { ComplexType, EntityType, Operation, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { AddressStep, BoundRead, NavigationPath, Query, Rows } from '../bound.ts';
import type { Parameter } from '../parameter.ts';

/** A value for one stored property. `path` starts at the entity. */
export type InputValue =
  /** A primitive or enumeration value, or the Value of a coded one. */
  | {
      readonly kind: 'value';
      readonly path: readonly Property[];
      /** Never null for a parameter. */
      readonly value: Value;
      readonly parameter?: Parameter | undefined;
      readonly retained?: RetainedCode | undefined;
    }
  /** The exact text of a value stored as JSON: a collection, or an open or recursive complex value. */
  | {
      readonly kind: 'json';
      readonly path: readonly Property[];
      /** Never null for a parameter. */
      readonly text: string | null;
      readonly parameter?: Parameter | undefined;
      readonly retained?: RetainedCode | undefined;
    }
  /** Sets a complex value to null or not null; its members are separate inputs. */
  | {
      readonly kind: 'presence';
      readonly path: readonly Property[];
      readonly type: ComplexType;
      readonly present: boolean;
      /** Whether the body names the type, so that a stored value of another type becomes one of this type. */
      readonly typed?: boolean | undefined;
    };

/** Disabled codes that are sent with a change: write.code-disabled with the parameters, unless the entity has them already. */
export interface RetainedCode {
  /** The condition on the entity. */
  readonly condition: string;
  readonly parameters: Readonly<Record<'shown' | 'list' | 'permitted', string>>;
  readonly target: string;
}

/** A reference to one entity. If it does not exist, the write fails. */
export interface Reference {
  readonly rows: Rows;
  /** The text in the request, and its path: `Caller@odata.bind`. */
  readonly text: string;
  readonly target: string;
}

/** The references of a navigation in a body. */
export interface InputLink extends NavigationPath {
  /** set = the single target, or all targets of a collection; add = additional targets; clear = none. */
  readonly mode: 'set' | 'add' | 'clear';
  readonly references: readonly Reference[];
}

/** Entities that are created or changed together with their parent. */
export interface InputChildren extends NavigationPath {
  readonly source: Source;
  /** insert = additional new entities; full = exactly these; delta = these changes (`Nav@delta`). */
  readonly mode: 'insert' | 'full' | 'delta';
  readonly entities: readonly InputChild[];
}

export type InputChild =
  | { readonly kind: 'create'; readonly entity: EntityInput }
  /**
   * Changes the entity with the key or `@id`, or the target of a single-valued navigation. If it does not exist, `absent` decides:
   * create it (with the client's key, or for an empty navigation), or reject the write.
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
  /** The path of the entity in the body: `Workorders[2]`; empty for the body itself. */
  readonly target: string;
  readonly values: readonly InputValue[];
  /** Dynamic properties of an open type, and their types (`Since@odata.type`): JSON text by name, null to remove. */
  readonly dynamic: ReadonlyMap<string, string | null>;
  readonly links: readonly InputLink[];
  readonly children: readonly InputChildren[];
  /** The paths of properties that keep their value when the entity is replaced, because the model forbids to change them. */
  readonly kept?: readonly string[] | undefined;
  /** ETag in the body (4.01). */
  readonly etag?: string | undefined;
  /** Core.ContentID, repeated in the response. */
  readonly contentId?: string | undefined;
  /** The content of a media entity. */
  readonly file?: FileInput | undefined;
}

/** The content of a stream: the request body itself (`sent`), or a part of a JSON body (`inline`). */
export type FileInput =
  | { readonly kind: 'sent' }
  | { readonly kind: 'inline'; readonly mediaType: string; readonly bytes: Uint8Array };

/** Where a new entity is created. */
export type Destination =
  | { readonly kind: 'set'; readonly source: Source }
  /** Into a collection navigation: linked to its parent, or contained in it. */
  | (NavigationPath & {
      readonly kind: 'navigation';
      readonly source: Source;
      readonly parent: Rows;
    });

interface WriteBase {
  readonly address: readonly AddressStep[];
  /** The read of the result, for return=representation and Location. */
  readonly result: BoundRead;
}

export type BoundWrite =
  | (WriteBase & {
      readonly kind: 'create';
      readonly into: Destination;
      readonly input: EntityInput;
      readonly media?: 'stream' | undefined;
    })
  /** Changes the row; with `create`, creates it if it does not exist (upsert with the client's key). */
  | (WriteBase & {
      readonly kind: 'change';
      readonly rows: Rows;
      readonly mode: 'merge' | 'replace';
      readonly input: EntityInput;
      readonly create?: Destination | undefined;
      /** The client's key of an entity contained in a single-valued navigation, which is only in the body. */
      readonly key?: readonly InputValue[] | undefined;
      /** The target of the path may not exist: `ServiceRequests(1)/Caller`. */
      readonly nullable: boolean;
    })
  | (WriteBase & { readonly kind: 'delete'; readonly rows: Rows })
  /** `$ref`: changes the references of a navigation. */
  | (WriteBase &
      NavigationPath & {
        readonly kind: 'relate';
        readonly rows: Rows;
        readonly target: Source;
        readonly action: 'set' | 'add' | 'remove' | 'clear' | 'replace';
        readonly references: readonly Reference[];
      })
  /** PUT, PATCH, POST, DELETE on a property or its `/$value`. append = POST to a collection; null value = DELETE. */
  | (WriteBase & {
      readonly kind: 'property';
      readonly rows: Rows;
      readonly path: readonly Property[];
      readonly mode: 'replace' | 'merge' | 'append' | 'clear';
      readonly values: readonly InputValue[];
      /** Relations inside a complex value. */
      readonly links: readonly InputLink[];
      /** Item of an ordered collection, negative from the end. */
      readonly index?: number | undefined;
    })
  /** `/$filter(…)/$each` or a collection path: every row of `rows`. */
  | (WriteBase & {
      readonly kind: 'each';
      readonly rows: Rows;
      readonly query: Query;
      readonly action:
        | { readonly kind: 'change'; readonly input: EntityInput }
        | { readonly kind: 'delete' };
    })
  /** PATCH with a delta payload, or PUT of all entities, on a collection. */
  | (WriteBase & {
      readonly kind: 'collection';
      readonly into: Destination;
      readonly rows: Rows;
      readonly mode: 'full' | 'delta';
      readonly entities: readonly InputChild[];
    })
  /** The result of an action is bound after the action has run. */
  | {
      readonly kind: 'invoke';
      readonly address: readonly AddressStep[];
      readonly operation: Operation;
      /** The binding parameter of an action bound to an entity. */
      readonly rows?: Rows | undefined;
      /** The binding parameter of an action bound to a collection. */
      readonly collection?: Rows | undefined;
      /** The rows of `/$each`; the action is called for each of them. */
      readonly members?: Rows | undefined;
      /** Canonical values: the Value of a code, the JSON text of a collection or complex value. */
      readonly parameters: ReadonlyMap<string, Value>;
      /** Entity parameters. */
      readonly references: ReadonlyMap<string, Reference>;
      /** The parameters of the action Transition. */
      readonly transition?: TransitionInput | undefined;
    }
  /** Writes a media entity or stream property. The content itself is transferred separately. */
  | (WriteBase & {
      readonly kind: 'stream';
      readonly rows: Rows;
      readonly property?: Property | undefined;
      readonly action: 'put' | 'remove';
      /** File names from the headers of an upload. */
      readonly values: readonly InputValue[];
      /** The media entity that a PUT of its content creates if it does not exist. */
      readonly creation?: Creation | undefined;
    });

/** An entity that an upsert creates, under the key in its URL or with `key`. */
export interface Creation {
  readonly rows: Rows;
  readonly address: readonly AddressStep[];
  readonly input: EntityInput;
  readonly create: Destination;
  readonly key?: readonly InputValue[] | undefined;
}

/** What a call of the action Transition wants. */
export interface TransitionInput {
  /** The code of the next state. */
  readonly to: bigint;
  /** Members of a body that changes the entity. */
  readonly values: JsonObject;
  /** The request that stores the comment. */
  readonly comment: { readonly path: string; readonly values: JsonObject } | undefined;
}
