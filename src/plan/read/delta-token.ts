// This file writes and reads delta tokens: opaque, URL-safe texts that say from which change on a client wants to know of changes. A
// token carries the version of its form, the signature of the query it belongs to and the number of the last change known; between the
// pages of an answer also the number of the last change that the answer tells of, and the row given last.
//     1.8f3c01aa.750            what changed after change 750
//     1.8f3c01aa.750.800.12     the same up to change 800, of rows behind that with the identity 12
//     1.8f3c01aa.750.800.12.p5  the same in pages of five rows
import { Fault } from '../../base/fault.ts';
import type { Span } from '../read-plan.ts';

const VERSION = '1';

export function writeDeltaToken(signature: string, { since, until, after, size }: Span): string {
  const pages = size === undefined ? [] : [`p${size}`];
  const rest = until === undefined || after === undefined ? [] : [until, after, ...pages];
  return [VERSION, signature, since, ...rest].join('.');
}

export interface DeltaToken {
  readonly signature: string;
  readonly span: Span;
}

/** Fault plan.deltatoken where the text is not one that writeDeltaToken wrote. */
export function readDeltaToken(token: string): DeltaToken {
  const match =
    /^1\.([0-9a-f]{8})\.(\d{1,18})(?:\.(\d{1,18})\.(\d{1,18})(?:\.p([1-9]\d{0,5}))?)?$/.exec(token);
  const [, signature, since, until, after, size] = match ?? [];
  if (signature === undefined || since === undefined) throw damaged();
  const span = { since: BigInt(since) };
  if (until === undefined || after === undefined) return { signature, span };
  if (BigInt(until) < span.since) throw damaged();
  const pages = size === undefined ? {} : { size: Number(size) };
  return { signature, span: { ...span, until: BigInt(until), after: BigInt(after), ...pages } };
}

function damaged(): Fault {
  const reason = 'it is not one that the service gave out';
  return new Fault('plan.deltatoken', { reason }, { target: '$deltatoken' });
}
