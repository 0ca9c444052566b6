// This file defines the requests and responses of a $batch independently of its two formats, and the handler that answers them.
import type { Principal } from '../../access/principal.ts';
import type { Fault } from '../../base/fault.ts';
import type { MaybePromise } from '../../base/value-or-promise.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import type { Staging } from '../files/uploads.ts';
import type { Call, Service } from '../service.ts';
import type { WrittenPart } from '../write/write.ts';

/** Answers the requests of a batch for an authenticated principal. Credentials within these requests do not count. */
export interface SubrequestHandler {
  readonly service: Service;
  readonly principal: Principal;
  /** The principal with its current rights. Throws: auth.token-invalid if it may send no more requests. */
  readonly current: () => MaybePromise<Principal>;
  /** Answers a request with the current rights, as if it had been sent alone. Never throws. */
  readonly answer: (call: Call) => MaybePromise<Answer>;
  /** Performs a write as part of a transaction, after others of which the last one returned the service. Throws: the faults of all stages. */
  readonly write: (
    call: Call,
    service: Service,
    principal: Principal,
    staging: Staging,
  ) => Work<WrittenPart>;
}

/** One request of a batch. */
export interface BatchRequest {
  /** Content-ID of a part, or `id` in JSON. Other requests refer to it as `$id`. */
  readonly id: string | undefined;
  readonly method: string;
  /** Absolute, relative to the host, or relative to the service root. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
  /** Ids of earlier requests and groups that must have succeeded. */
  readonly dependsOn: readonly string[];
  /** The expression in `if`. It is not supported: a request that has one fails. */
  readonly condition: string | undefined;
}

export type BatchItem =
  | { readonly kind: 'request'; readonly request: BatchRequest }
  /** A change set or atomicity group. */
  | {
      readonly kind: 'group';
      readonly id: string | undefined;
      readonly requests: readonly BatchRequest[];
    }
  /** A part that cannot be parsed. It gets a 400 response of its own. */
  | { readonly kind: 'malformed'; readonly id: string | undefined; readonly fault: Fault };

/** The response to one request, for either format. */
export interface BatchAnswer {
  readonly id: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as X-Request-ID. */
  readonly requestId: string;
  readonly body: string | Uint8Array | undefined;
}

/** The responses to one item. */
export type AnsweredItem =
  | { readonly kind: 'answer'; readonly answer: BatchAnswer }
  | {
      readonly kind: 'group';
      readonly id: string | undefined;
      readonly answers: readonly BatchAnswer[];
      /** If the group has failed: its response in formats with one response per failed group. */
      readonly failure: BatchAnswer | undefined;
    };
