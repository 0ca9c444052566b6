// This file decides what follows from an attempt.
import type { World } from '../base/world.ts';
import type { Outcome, Queued } from './delivery-queue.ts';
import { retryAfter, retryDelay } from './retry-delay.ts';
import type { Reply } from './send-message.ts';

/** What follows from an attempt for the message, for its subscription, and for the receiver. */
export interface Verdict {
  readonly outcome: Outcome;
  /** Why the subscription ends. */
  readonly disabled: string | undefined;
  /** Whether the receiver has accepted the message. */
  readonly isAccepted: boolean;
}

export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly now: number;
  readonly randomBytes: World['randomBytes'];
  /** Milliseconds after the first attempt for which others follow. */
  readonly span: number;
}

const GONE = 410;

/** Standard Webhooks: 2xx is success, 410 ends the subscription, and everything else is followed by another attempt. */
export function verdictOf(item: Queued, reply: Reply, attempt: Attempt): Verdict {
  const status = reply.kind === 'response' ? reply.status : undefined;
  const response = reply.kind === 'response' ? reply.text : reply.reason;
  const isAccepted = status !== undefined && status >= 200 && status < 300;
  const ended = { status, response, nextAttempt: undefined };
  const disabled = item.isTest ? undefined : endOf(item, status, response, attempt);
  if (isAccepted) return { outcome: { state: 'delivered', ...ended }, disabled, isAccepted };
  if (item.isTest) return { outcome: { state: 'failed', ...ended }, disabled, isAccepted };
  const nextAttempt = disabled === undefined ? nextOf(item, reply, attempt) : undefined;
  return { outcome: { ...ended, state: 'queued', nextAttempt }, disabled, isAccepted };
}

function nextOf({ attempts }: Queued, reply: Reply, { now, randomBytes }: Attempt): number {
  const requested = reply.kind === 'response' ? retryAfter(reply.retryAfter, now) : 0;
  const [byte = 0] = randomBytes(1);
  return now + retryDelay(attempts + 1, byte / 255, requested);
}

function endOf(
  { firstAttempt }: Queued,
  status: number | undefined,
  response: string,
  { at, now, span }: Attempt,
): string | undefined {
  if (status === GONE) return 'The receiver has returned 410 (Gone).';
  if (status !== undefined && status >= 200 && status < 300) return undefined;
  if (now - (firstAttempt ?? at) < span) return undefined;
  const last = status === undefined ? response : `status ${status}`;
  return `A message was not accepted for ${span / 3_600_000} hours; last: ${last}.`;
}
