// This file builds the response to a delta link: rows that match the query as records, other changed rows as removed, and a link to the
// next page or to later changes. The database has already written records and ids.
// OData JSON Format 4.01, "Delta Payload"; OData Protocol 4.01, "Using Delta Links".

import type { ChangedRow, DeltaOutcome, ReadOutcome } from '../plan/outcome.ts';
import { goneFault } from '../plan/read/delta.ts';
import { writeKnown } from '../plan/read/known-records.ts';
import { writeDeltaToken } from '../plan/read/tokens.ts';
import type { DeltaPlan, ReadResponse } from '../plan/read-plan.ts';
import type { Tree } from '../request/tree.ts';
import { contextUrl, deltaLink } from './links.ts';
import type { CollectionPayload } from './payload.ts';
import type { Site } from './site.ts';

/** Returns the page of changes. Throws: plan.delta-gone. */
export function deltaPage(
  plan: DeltaPlan,
  outcome: DeltaOutcome,
  tree: Tree,
  { root }: Pick<Site, 'root'>,
): Omit<CollectionPayload, 'kind' | 'shape'> {
  requireRetained(plan, outcome, tree);
  const { span, limit, size, signature, known } = plan;
  const shown = outcome.rows.slice(0, limit);
  const until = span.until ?? outcome.newest;
  const last = shown.at(-1);
  const hasMore = outcome.rows.length > shown.length && last !== undefined;
  const next = hasMore
    ? { since: span.since, until, after: last.identity < 0n ? 0n : last.identity, size }
    : { since: until };
  const records = known?.kind === 'listed' ? knownAfter(known.addresses, shown, tree) : undefined;
  const link = deltaLink(root, tree, writeDeltaToken(signature, next, records));
  return {
    records: shown.map((row) => row.json ?? removed(plan, row, tree, root)),
    context: contextUrl(root, plan.context),
    count: plan.select.count ? outcome.count : undefined,
    nextLink: hasMore ? link : undefined,
    deltaLink: hasMore ? undefined : link,
  };
}

/** The records that the client knows after a page. Throws: plan.delta-gone if they are too many for a link. */
function knownAfter(
  known: readonly string[],
  rows: readonly ChangedRow[],
  { options }: Tree,
): string {
  const addresses = new Set(known);
  for (const { address, json } of rows) {
    if (address === null) continue;
    if (json === null) addresses.delete(address);
    else addresses.add(address);
  }
  const text = writeKnown(addresses);
  if (text === undefined) throw goneFault(options, TOO_MANY);
  return text;
}

export const TOO_MANY = 'the account sees more of these records by now than a delta link can list';

/** Throws plan.delta-gone if the requested changes were deleted from the change log, or never existed in this database. */
export function requireRetained(
  { span }: DeltaPlan,
  outcome: DeltaOutcome,
  { options }: Tree,
): void {
  const { oldest, newest } = outcome;
  if (span.since < oldest - 1n) throw goneFault(options, 'it is older than the retained changes');
  if (span.since > newest) throw goneFault(options, 'the changes it refers to were rolled back');
}

/** A plan with the token for changes after a tracked read. */
export interface TrackedResponse extends ReadResponse {
  readonly deltatoken?: string | undefined;
}

/** Adds the token for later changes to a tracked read. Changes are not tracked if the account sees more records than a token can list. */
export function withDeltaToken(plan: ReadResponse, outcome: ReadOutcome): TrackedResponse {
  if (plan.tracking === undefined) return plan;
  const deltatoken = tokenAfter(plan.tracking, outcome);
  if (deltatoken !== undefined) return { ...plan, deltatoken };
  const applied = plan.applied.filter((name) => !name.endsWith('track-changes'));
  return { ...plan, tracking: undefined, applied };
}

function tokenAfter(
  { signature, since, address, known }: NonNullable<ReadResponse['tracking']>,
  outcome: Pick<ReadOutcome, 'lastChange' | 'known'>,
): string | undefined {
  const start = since ?? outcome.lastChange;
  const listed = address === undefined ? known : writeKnown(outcome.known ?? []);
  const isComplete = address === undefined || listed !== undefined;
  return start !== undefined && isComplete
    ? writeDeltaToken(signature, { since: start }, listed)
    : undefined;
}

/**
 * A row that no longer matches the query.
 *     4.0     {"@odata.context":"…#Persons/$deletedEntity","id":"Persons(7)","reason":"deleted"}
 *     4.01    {"@removed":{"reason":"changed"},"@id":"Persons(7)"}
 */
export function removed(
  plan: Pick<DeltaPlan, 'removedContext'>,
  row: ChangedRow,
  { negotiated }: Pick<Tree, 'negotiated'>,
  root: string,
): string {
  const reason = row.isDeleted ? 'deleted' : 'changed';
  const id = row.address;
  const context = contextUrl(root, plan.removedContext);
  if (negotiated.version === '4.0')
    return JSON.stringify({ '@odata.context': context, id, reason });
  const isFull = negotiated.format.kind === 'json' && negotiated.format.metadata === 'full';
  const head = isFull ? { '@context': context } : {};
  return JSON.stringify({ ...head, '@removed': { reason }, '@id': id });
}
