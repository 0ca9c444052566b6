// This file writes and reads delta tokens: opaque, URL-safe texts that say from which change on a client wants to know of changes. A
// token carries the version of its form, the signature of the query it belongs to and the number of the last change known; between the
// pages of an answer also the number of the last change that the answer tells of, and the row given last.
//     1.8f3c01aa.750            what changed after change 750
//     1.8f3c01aa.750.800.12     the same up to change 800, of rows behind that with the identity 12
import { Fault } from '../base/fault.ts';
import type { Span } from './plan.ts';

const VERSION = '1';

export function writeDeltaToken(signature: string, { since, until, after }: Span): string {
  const rest = until === undefined || after === undefined ? [] : [until, after];
  return [VERSION, signature, since, ...rest].join('.');
}

export interface DeltaToken {
  readonly signature: string;
  readonly span: Span;
}

/** Fault plan.deltatoken where the text is not one that writeDeltaToken wrote. */
export function readDeltaToken(token: string): DeltaToken {
  const match = /^1\.([0-9a-f]{8})\.(\d{1,18})(?:\.(\d{1,18})\.(\d{1,18}))?$/.exec(token);
  const [, signature, since, until, after] = match ?? [];
  if (signature === undefined || since === undefined) throw damaged();
  const span = { since: BigInt(since) };
  if (until === undefined || after === undefined) return { signature, span };
  if (BigInt(until) < span.since) throw damaged();
  return { signature, span: { ...span, until: BigInt(until), after: BigInt(after) } };
}

function damaged(): Fault {
  const reason = 'it is not one that the service gave out';
  return new Fault('plan.deltatoken', { reason }, { target: '$deltatoken' });
}
