// This file defines what goes into a body, whatever the format: records as the database wrote them, and what stands beside them.
import type { ValueType } from '../bind/bound.ts';
import type { Shape } from '../plan/read-plan.ts';

/** A page of records. */
export interface CollectionPayload {
  readonly kind: 'entities' | 'references';
  readonly records: readonly string[];
  readonly context: string;
  readonly count: bigint | undefined;
  readonly nextLink: string | undefined;
  /** Where later changes are told; only JSON has it. */
  readonly deltaLink?: string | undefined;
  readonly shape: Shape;
}

export interface RecordPayload {
  readonly kind: 'entity' | 'reference';
  readonly record: string;
  readonly context: string;
  readonly shape: Shape;
}

/** A value that is not null; `type` is that of the value itself. */
export interface ValuePayload {
  readonly kind: 'value';
  readonly json: string;
  readonly context: string;
  readonly type: ValueType;
}

export type Payload = CollectionPayload | RecordPayload | ValuePayload;
