// This file decides whether a callback is accepted. One that cannot be is ignored, as any preference, unless the client sends handling=strict.
// Source: OData 4.01 Protocol, "Preference callback"; RFC 7240, "The handling Processing Preference".
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { readPreferences } from '../../request/headers/parse-prefer.ts';
import type { Work } from '../../store/database.ts';
import type { Call, Service } from '../service.ts';
import { ownerStateOf } from '../webhooks/webhook-state.ts';
import { type Awaited, addCallback } from './callback-table.ts';

/** Whether the client sends the preference. A cheap check. */
export function mayHaveCallback({ headers }: Call): boolean {
  return headers.prefer?.includes('callback') === true;
}

/**
 * Stores the callback that the call asks for. Returns whether it is applied.
 * Throws with handling=strict: webhook.callback, webhook.callbacks.
 */
export function* acceptCallback(
  call: Call,
  principal: Principal,
  { callbacks }: Pick<Service, 'callbacks'>,
  awaits: Awaited,
): Work<boolean> {
  if (!mayHaveCallback(call) || principal.anonymous === true) return false;
  const { spellings, callback: url, handling } = readPreferences(call.headers.prefer);
  if (!spellings.has('callback')) return false;
  const isStrict = handling === 'strict';
  const reason = url === undefined ? 'it has no url' : callbacks.urlMistake(url);
  if (url === undefined || reason !== undefined) {
    if (isStrict) throw new Fault('webhook.callback', { reason: reason ?? '' }, PLACE);
    return false;
  }
  const { limit } = callbacks;
  const isStored = yield* addCallback({ url, owner: ownerStateOf(principal), awaits }, limit);
  if (!isStored && isStrict) throw new Fault('webhook.callbacks', { limit }, PLACE);
  return isStored;
}

const PLACE = { target: 'Prefer' } as const;
