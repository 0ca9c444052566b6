// This file defines Seen, the union of everything that is worth observing, and See, who is told. Rooms tell; observe/ listens.
// Nothing secret stands in it: no token, no password, no body, no query.

/** The six steps of a request. */
export type Stage = 'parse' | 'bind' | 'decide' | 'compile' | 'run' | 'render';

/** Milliseconds by stage; a stage that was not reached, or was remembered, is absent. */
export type StageTimes = Readonly<Partial<Record<Stage, number>>>;

export interface RequestSeen {
  readonly kind: 'request';
  readonly id: string;
  readonly method: string;
  /** Path without the query, since that can hold what people search for. */
  readonly path: string;
  readonly status: number;
  /** Stable code of the refusal, where it was one. */
  readonly fault: string | undefined;
  readonly milliseconds: number;
  readonly stages: StageTimes;
  /** Login name, where it is known who asks. */
  readonly account: string | undefined;
  /** IP address of the client. */
  readonly address: string;
}

export type Seen =
  | RequestSeen
  /** A mistake of ours: the client was told 500 and the id. */
  | { readonly kind: 'failure'; readonly id: string; readonly error: unknown }
  /** What was refused before it came to a request of the service. */
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
      /** password or refresh_token, as far as the client has said one of them. */
      readonly grant: string;
      readonly outcome: string;
    }
  | {
      readonly kind: 'session ended';
      readonly id: string;
      readonly account: string;
      readonly address: string;
    }
  /** A connection whose bytes were no HTTP request, or came too slowly. */
  | { readonly kind: 'bad connection'; readonly status: number; readonly reason: string }
  /** A store of files that is out of reach, full, or has lost bytes; the client is told less. */
  | {
      readonly kind: 'store of files fails';
      readonly store: string;
      readonly fault: string;
      readonly reason: string;
    }
  /** Another certificate is used from now on. */
  | { readonly kind: 'certificate'; readonly file: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' };

export type See = (seen: Seen) => void;
