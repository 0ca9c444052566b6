// This file defines the content of a response body, independent of its format: records as JSON text, and the annotations around them.
import type { ValueType } from '../bind/bound.ts';
import type { Shape } from '../plan/read-plan.ts';

/** A page of records. */
export interface CollectionPayload {
  readonly kind: 'entities' | 'references';
  readonly records: readonly string[];
  readonly context: string;
  readonly count: bigint | undefined;
  readonly nextLink: string | undefined;
  /** URL for later changes, in JSON only. */
  readonly deltaLink?: string | undefined;
  readonly shape: Shape;
}

export interface RecordPayload {
  readonly kind: 'entity' | 'reference';
  readonly record: string;
  readonly context: string;
  readonly shape: Shape;
}

/** A value that is not null. */
export interface ValuePayload {
  readonly kind: 'value';
  readonly json: string;
  readonly context: string;
  readonly type: ValueType;
  /** Whether the JSON is an object with the value and its type. */
  readonly isTyped?: boolean;
}

export type Payload = CollectionPayload | RecordPayload | ValuePayload;
