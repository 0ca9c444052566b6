// This file defines Seen, the union of all events reported to operators, and See, the listener type. Modules report events and
// observe/ logs them. Events contain no secrets: no token, password, body or query.

/** The six steps of a request. */
export type Stage = 'parse' | 'bind' | 'decide' | 'compile' | 'run' | 'render';

/** Milliseconds per stage. Stages that were not reached, or whose result was cached, are absent. */
type StageTimes = Readonly<Partial<Record<Stage, number>>>;

export interface RequestObservation {
  readonly kind: 'request';
  readonly id: string;
  readonly method: string;
  /** Path without the query, which can contain personal data. */
  readonly path: string;
  readonly status: number;
  /** Code of the error, if the request failed. */
  readonly fault: string | undefined;
  readonly milliseconds: number;
  readonly stages: StageTimes;
  /** Login name, if the request is authenticated. */
  readonly account: string | undefined;
  /** IP address of the client. */
  readonly address: string;
}

export type Observation =
  | RequestObservation
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
      /** password, refresh_token or other. */
      readonly grant: string;
      readonly outcome: string;
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
  /** A setting without effect. */
  | { readonly kind: 'setting'; readonly name: string; readonly reason: string }
  /** Statements of one template that took longer than limits.slowMilliseconds, in the last seconds. Times are in milliseconds. */
  | {
      readonly kind: 'slow statement';
      readonly template: string;
      readonly count: number;
      readonly milliseconds: number;
      readonly longest: number;
    }
  /** A new certificate is in use. */
  | { readonly kind: 'certificate'; readonly file: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' };

export type Observe = (event: Observation) => void;
