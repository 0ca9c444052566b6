// This file defines Observation, the union of all events reported to operators, and Observe, the listener type. Modules report events, and
// observe/ logs and counts them. Events contain no secrets: no token, password, body or query.

/** The six steps of a request. */
export type Stage = 'parse' | 'bind' | 'decide' | 'compile' | 'run' | 'render';

/** Milliseconds per stage. Stages that were not reached, or whose result was cached, are absent. */
type StageTimes = Readonly<Partial<Record<Stage, number>>>;

export interface RequestObservation {
  readonly kind: 'request';
  readonly id: string;
  readonly method: string;
  /** The path without the query, for the audit trail only: it contains keys. */
  readonly path: string;
  /** The path without values, which can be personal data: `ServiceRequests(*)/Caller`. Computed on demand. */
  readonly route: () => string;
  /** Whether the request is part of a batch. */
  readonly isPart: boolean;
  readonly status: number;
  /** Code of the error, if the request failed. */
  readonly fault: string | undefined;
  readonly milliseconds: number;
  /** Length of the body of the response, 0 if it is not in memory; undefined for parts of a batch. */
  readonly bytes: number | undefined;
  readonly stages: StageTimes;
  /** Whether the plan was cached; undefined if none was looked up. */
  readonly planCached: boolean | undefined;
  /** Whether the response was cached; undefined if it cannot be. */
  readonly responseCached: boolean | undefined;
  /** Login name, if the request is authenticated. */
  readonly account: string | undefined;
  /** Key of the API key, if the request has one. */
  readonly apiKey: bigint | undefined;
  /** The header User-Agent. */
  readonly client: string | undefined;
  /** IP address of the client. */
  readonly address: string;
  /** The trace that the request belongs to, as in its header traceparent. */
  readonly trace: string | undefined;
}

/** One operation of the database. They are reported only if something counts them. */
export interface StatementObservation {
  readonly kind: 'statement';
  /** A quick read, a read of many records, or a transaction. */
  readonly operation: 'read' | 'scan' | 'write';
  /** Including the time in queues. */
  readonly milliseconds: number;
  readonly failed: boolean;
}

export type Observation =
  | RequestObservation
  | StatementObservation
  /** An internal error. The client received 500 and the request id. */
  | { readonly kind: 'failure'; readonly id: string; readonly error: unknown }
  /** A request rejected before it reached the service. */
  | {
      readonly kind: 'refused';
      readonly id: string;
      readonly status: number;
      readonly fault: string;
      readonly address: string;
    }
  | {
      readonly kind: 'token';
      readonly id: string;
      readonly address: string;
      readonly name: string;
      /** password, refresh_token, authorization_code or other. */
      readonly grant: string;
      readonly outcome: string;
      /** Why a sign-in at an issuer has failed. */
      readonly reason?: string;
    }
  | {
      readonly kind: 'session ended';
      readonly id: string;
      readonly account: string;
      readonly address: string;
    }
  /** A connection that sent no valid HTTP request, or sent it too slowly. */
  | { readonly kind: 'bad connection'; readonly status: number; readonly reason: string }
  /** A file store that is unavailable, full or has lost content. The client receives fewer details. */
  | {
      readonly kind: 'store of files fails';
      readonly store: string;
      readonly fault: string;
      readonly reason: string;
    }
  /** The database that the service has opened. */
  | { readonly kind: 'database'; readonly place: string; readonly engine: string }
  /** A database or a replica that is slower than it could be, or cannot be used. */
  | { readonly kind: 'database warning'; readonly reason: string }
  /** The configured model file differs from the model in force, or cannot be read. */
  | { readonly kind: 'model file'; readonly file: string; readonly reason: string }
  /** An administrator has moved the business time of a demo installation. Milliseconds since 1970. */
  | {
      readonly kind: 'clock moved';
      readonly id: string;
      readonly account: string;
      readonly address: string;
      readonly from: number;
      readonly to: number;
    }
  /** A subscription to events that the service has ended. */
  | { readonly kind: 'webhook disabled'; readonly subscription: string; readonly reason: string }
  /** What the record of a received message lacks, or what has not been done with it. */
  | { readonly kind: 'incoming mail'; readonly message: string; readonly reason: string }
  /** A setting without effect. */
  | { readonly kind: 'setting'; readonly name: string; readonly reason: string }
  /** Statements of one template that took longer than limits.slowMilliseconds, in the last seconds. Times are in milliseconds. */
  | {
      readonly kind: 'slow statement';
      readonly template: string;
      readonly count: number;
      readonly milliseconds: number;
      readonly longest: number;
      /** Statements and their plans, without values, and commands that would help; for the slowest ones only. */
      readonly statements?: readonly { readonly Sql: string; readonly Plan: readonly string[] }[];
      readonly advice?: readonly string[];
    }
  /** A new certificate is in use. */
  | { readonly kind: 'certificate'; readonly file: string }
  | { readonly kind: 'model'; readonly reason: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' };

export type Observe = (event: Observation) => void;

/** A listener that passes events on to all that are there. */
export function toAll(listeners: readonly (Observe | undefined)[]): Observe {
  const present = listeners.filter((listener) => listener !== undefined);
  return (event) => {
    for (const listener of present) listener(event);
  };
}
