// This file defines Seen, the union of everything that is worth observing, and See, who is told. Rooms tell; observe/ listens.
// Nothing secret stands in it: no token, no password, no body, no query.

/** The six steps of a request. */
export const STAGES = ['parse', 'bind', 'decide', 'compile', 'run', 'render'] as const;

export type Stage = (typeof STAGES)[number];

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
  readonly fault?: string;
  readonly milliseconds: number;
  readonly stages: StageTimes;
  /** Login name. */
  readonly account?: string;
}

export type Seen =
  | RequestSeen
  /** A mistake of ours: the client was told 500 and the id. */
  | { readonly kind: 'failure'; readonly id: string; readonly error: unknown }
  | {
      readonly kind: 'token';
      readonly address: string;
      readonly name: string;
      readonly outcome: string;
    }
  | { readonly kind: 'session ended'; readonly account: string }
  /** A connection whose bytes were no HTTP request, or came too slowly. */
  | { readonly kind: 'bad connection'; readonly status: number; readonly reason: string }
  /** A store of files that is out of reach, full, or has lost bytes; the client is told less. */
  | {
      readonly kind: 'store of files fails';
      readonly store: string;
      readonly fault: string;
      readonly reason: string;
    }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' };

export type See = (seen: Seen) => void;
