// This file defines what a $batch holds, whichever of its two formats it came in: requests one after the other, some of them in groups
// that succeed or fail as one.
import type { Fault } from '../../base/fault.ts';

/** One request of a batch. */
export interface BatchRequest {
  /** Content-ID of a part, `id` of JSON; other requests refer to it as `$id`. */
  readonly id: string | undefined;
  readonly method: string;
  /** As written: absolute, from the host's root, or relative to the service root. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
  /** Ids of requests and groups that must have succeeded before. */
  readonly dependsOn: readonly string[];
  /** The expression of `if`, which is not evaluated: a request that has one fails. */
  readonly condition: string | undefined;
}

export type BatchItem =
  | { readonly kind: 'request'; readonly request: BatchRequest }
  /** A change set, an atomicity group. */
  | {
      readonly kind: 'group';
      readonly id: string | undefined;
      readonly requests: readonly BatchRequest[];
    }
  /** A part that cannot be read: it alone is answered with 400. */
  | { readonly kind: 'malformed'; readonly id: string | undefined; readonly fault: Fault };

/** The answer to one request, ready to be written in either format. */
export interface BatchAnswer {
  readonly id: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Goes out as X-Request-ID. */
  readonly requestId: string;
  readonly body: string | Uint8Array | undefined;
}

/** Answers in the order of the items. */
export type AnsweredItem =
  | { readonly kind: 'answer'; readonly answer: BatchAnswer }
  | {
      readonly kind: 'group';
      readonly id: string | undefined;
      readonly answers: readonly BatchAnswer[];
      /** Stands for all of them where the group has failed and the format has one answer for it. */
      readonly failure: BatchAnswer | undefined;
    };
