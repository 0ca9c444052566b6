// Writes and reads delta tokens: opaque, URL-safe texts that mark the last change a client knows. A token holds its format
// version, the signature of its query and the number of that change. Between the pages of one delta response it also holds the
// last change of that response, the last row returned, and the page size.
//     1.8f3c01aa.750            changes after change 750
//     1.8f3c01aa.750.800.12     the same up to change 800, for rows after identity 12
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

/** Parses a token written by `writeDeltaToken`. Throws: plan.deltatoken. */
export function readDeltaToken(token: string): DeltaToken {
  const match =
    /^1\.([0-9a-f]{8})\.(\d{1,18})(?:\.(\d{1,18})\.(\d{1,18})(?:\.p([1-9]\d{0,5}))?)?$/.exec(token);
  const [, signature, since, until, after, size] = match ?? [];
  if (signature === undefined || since === undefined) throw invalidToken();
  const span = { since: BigInt(since) };
  if (until === undefined || after === undefined) return { signature, span };
  if (BigInt(until) < span.since) throw invalidToken();
  const pages = size === undefined ? {} : { size: Number(size) };
  return { signature, span: { ...span, until: BigInt(until), after: BigInt(after), ...pages } };
}

function invalidToken(): Fault {
  const reason = 'the service did not issue it';
  return new Fault('plan.deltatoken', { reason }, { target: '$deltatoken' });
}
