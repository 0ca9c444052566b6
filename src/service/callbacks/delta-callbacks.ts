// This file answers reads of delta links with the preference callback: where there are no changes, the client gets 202, and its URL is called
// as soon as there are some.
// Source: OData 4.01 Protocol, "Preference callback".
import type { Principal } from '../../access/principal.ts';
import { invariant } from '../../base/fault.ts';
import { andThen, type MaybePromise } from '../../base/value-or-promise.ts';
import { appliedPreference, readPreferences } from '../../request/headers/parse-prefer.ts';
import { requireRetained } from '../../response/delta.ts';
import type { Answer } from '../../response/response.ts';
import { kept } from '../../store/work.ts';
import { prepareRead } from '../read-plans.ts';
import { runPrepared } from '../run-prepared.ts';
import type { Call, Service } from '../service.ts';
import { contextOf, newTrace } from '../stage-inputs.ts';
import { acceptCallback, mayHaveCallback } from './accept-callback.ts';
import type { WaitingLink } from './callback-table.ts';

/** Whether the call reads a delta link with a callback. Asynchronous requests wait for their changes after they are finished. */
export function mayWaitForChanges(call: Call): boolean {
  return call.repeat === undefined && isDeltaRead(call) && mayHaveCallback(call);
}

function isDeltaRead({ method, query }: Call): boolean {
  return method === 'GET' && /(?:^|&)(?:\$|%24)?deltatoken=/i.test(query);
}

/** The response, or 202 if it has no changes and the callback is accepted. Throws: as acceptCallback. */
export function withCallback(
  reading: MaybePromise<Answer>,
  call: Call,
  service: Service,
  principal: Principal,
): MaybePromise<Answer> {
  return andThen(reading, async (answer) => {
    const found = unchangedLink(call, answer);
    if (found === undefined) return answer;
    const awaits = { kind: 'changes', link: found.waiting } as const;
    const isApplied = await service.database.write(() =>
      kept(acceptCallback(call, principal, service, awaits)),
    );
    return isApplied ? accepted(call, answer, found.url) : answer;
  });
}

interface UnchangedLink {
  /** The URL of the next delta link. */
  readonly url: string;
  readonly waiting: WaitingLink;
}

/** The next delta link of a response without changes; undefined for any other response. */
export function unchangedLink(call: Call, { status, body }: Answer): UnchangedLink | undefined {
  if (status !== 200 || !isDeltaRead(call) || body === undefined) return undefined;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const facts: Readonly<Record<string, unknown>> = JSON.parse(text);
  if (!Array.isArray(facts.value) || facts.value.length > 0) return undefined;
  const url = facts['@odata.deltaLink'] ?? facts['@deltaLink'];
  return typeof url === 'string' ? { url, waiting: storedCall(call) } : undefined;
}

/** What decides about the changes. */
function storedCall({ path, query, headers, root }: Call): string {
  const kept = Object.entries(headers).filter(([name]) => DECISIVE.has(name));
  return JSON.stringify({ path, query, headers: Object.fromEntries(kept), root });
}

const DECISIVE = new Set([...['accept', 'accept-language', 'odata-version', 'odata-maxversion']]);

/**
 * Whether a stored link has changes for an account, whose rights are those of the moment.
 * Throws: plan.delta-gone, access.*, and the faults of parsing, binding, deciding and the store.
 */
export async function hasChanges(
  link: WaitingLink,
  principal: Principal,
  service: Service,
): Promise<boolean> {
  const call = readingCall(link);
  const trace = newTrace();
  const prepared = prepareRead(call, service, principal, trace);
  const context = contextOf(call, service, principal);
  const outcome = await runPrepared(prepared, call, service, context, trace);
  const { plan, tree } = prepared;
  invariant(
    plan.kind === 'delta' && outcome.kind === 'delta',
    'a callback waits for no delta link',
  );
  requireRetained(plan, outcome, tree);
  return outcome.rows.length > 0;
}

/** The call that reads the changes of a stored link. */
export function readingCall(stored: string): Call {
  return {
    id: `callback-${process.pid}`,
    method: 'GET',
    body: undefined,
    address: '',
    ...JSON.parse(stored),
  };
}

function accepted({ headers: sent }: Call, { headers }: Answer, url: string): Answer {
  const { 'Content-Type': _, 'Content-Length': __, ETag: ___, ...others } = headers;
  const own = appliedPreference(readPreferences(sent.prefer), 'callback');
  const applied = [headers['Preference-Applied'], own].filter((one) => one !== undefined);
  return {
    status: 202,
    headers: { ...others, Location: url, 'Preference-Applied': applied.join(', ') },
    body: undefined,
  };
}
