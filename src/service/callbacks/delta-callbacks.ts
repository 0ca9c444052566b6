// This file answers reads of delta links with the preference callback: where there are no changes, the client gets 202, and its URL is called
// as soon as there are some.
// Source: OData 4.01 Protocol, "Preference callback".
import type { Principal } from '../../access/principal.ts';
import { andThen, type MaybePromise } from '../../base/value-or-promise.ts';
import { readDeltaToken, writePosition } from '../../plan/read/tokens.ts';
import { appliedPreference, readPreferences } from '../../request/headers/parse-prefer.ts';
import type { Answer } from '../../response/response.ts';
import { kept } from '../../store/work.ts';
import type { Call, Service } from '../service.ts';
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
    const awaits = { kind: 'changes', ...found.waiting } as const;
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
  const token = /[?&](?:\$|%24)deltatoken=([^&]+)/i.exec(String(url))?.[1];
  if (typeof url !== 'string' || token === undefined) return undefined;
  const position = writePosition(readDeltaToken(decodeURIComponent(token)).span);
  return { url, waiting: { call: storedCall(call), position } };
}

/** What decides about the changes. The token is part of the query: it is checked against the rights of the account at that time. */
function storedCall({ path, query, headers, root }: Call): string {
  const kept = Object.entries(headers).filter(([name]) => DECISIVE.has(name));
  return JSON.stringify({ path, query, headers: Object.fromEntries(kept), root });
}

const DECISIVE = new Set([...['accept', 'accept-language', 'odata-version', 'odata-maxversion']]);

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
