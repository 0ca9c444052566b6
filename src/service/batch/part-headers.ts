// This file determines the headers of a request in a batch: its own, and those of the batch that apply to it.
import type { Call } from '../service.ts';
import type { BatchRequest } from './batch-request.ts';
import type { RequestResults } from './request-results.ts';
import { tagOfPart } from './request-url.ts';

/** Headers of the batch that apply to parts without them. */
const INHERITED = ['accept-language', 'odata-maxversion', 'odata-version', 'user-agent'] as const;
/** The preference of a batch that its parts cannot override. */
const DRY_RUN = 'dry-run';
/** Headers that are ignored in parts: the credentials of the batch count. */
const IGNORED: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** The batch itself, and whether it prefers that no request stores anything. */
interface Envelope {
  readonly call: Call;
  readonly dryRun: boolean;
}

/** The headers of a part that has none of its own. */
export function inheritedFrom({
  call: batch,
  dryRun,
}: Envelope): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const name of INHERITED) {
    if (batch.headers[name] !== undefined) headers[name] = batch.headers[name];
  }
  if (dryRun) headers.prefer = DRY_RUN;
  return headers;
}

/** Throws: batch.reference, batch.dependency. */
export function headersOfPart(
  request: BatchRequest,
  envelope: Envelope,
  results: RequestResults,
): Call['headers'] {
  const headers = inheritedFrom(envelope);
  for (const [name, value] of request.headers) if (!IGNORED.has(name)) headers[name] = value;
  // First, so that no mistake in the preferences of the part can hide it.
  if (envelope.dryRun && headers.prefer !== DRY_RUN)
    headers.prefer = `${DRY_RUN}, ${headers.prefer}`;
  for (const name of ['if-match', 'if-none-match'] as const) {
    if (name in headers) headers[name] = tagOfPart(name, headers[name], results);
  }
  return headers;
}
