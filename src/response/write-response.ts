// This file renders the response to a write: status, location and, if requested, the record.
// OData 4.01 Protocol, "Data Modification"; "Preference return=representation and return=minimal".
import type { ReadOutcome } from '../plan/outcome.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { Tree } from '../request/tree.ts';
import { headersOf } from './headers.ts';
import { render } from './render.ts';
import type { Answer } from './response.ts';
import type { Site } from './site.ts';

export interface WriteResult {
  /** Version of the written entity. */
  readonly version: bigint | undefined;
  /** SHA-256 of the stored content, in hexadecimal. */
  readonly digest?: string | undefined;
  /** Whether this write created the entity. */
  readonly isCreated: boolean;
  /** Absolute URL of the entity. */
  readonly location: string | undefined;
  readonly shown: ReadOutcome | undefined;
}

/** Renders 201 or 200 with the record, or 204 without it. */
export function renderWrite(plan: WritePlan, result: WriteResult, tree: Tree, site: Site): Answer {
  const shown = showRecord(plan, result, tree, site);
  const headers = { ...facts(plan, result, tree), ...shown?.headers, ...applied(plan, shown) };
  if (shown === undefined || shown.body === undefined)
    return { status: 204, headers: { ...headers, ...entityId(result) }, body: undefined };
  return { status: result.isCreated ? 201 : 200, headers, body: shown.body };
}

/** Renders the record like a read. */
function showRecord(
  plan: WritePlan,
  { shown }: WriteResult,
  tree: Tree,
  site: Site,
): Answer | undefined {
  // The account may not have the right to read the record it has written.
  if (plan.result === undefined || shown === undefined || shown.rows.length === 0) return undefined;
  return render(shown, plan.result, tree, site);
}

function facts(plan: WritePlan, result: WriteResult, tree: Tree): Readonly<Record<string, string>> {
  const etag = tagOf(plan, result);
  const location: Record<string, string> =
    result.isCreated && result.location !== undefined ? { Location: result.location } : {};
  return { ...headersOf(tree.negotiated, { etag }), ...location };
}

/** The ETag of a record, also of a new media entity, is its version, that of a stream the digest of its content. */
function tagOf(
  { answer, stream }: WritePlan,
  { version, digest, isCreated }: WriteResult,
): string | undefined {
  if (answer === 'deleted' || stream === 'removed') return undefined;
  if (stream === 'kept' && !isCreated) return digest === undefined ? undefined : `"${digest}"`;
  return version === undefined ? undefined : `W/"${version}"`;
}

/** OData 4.01 Protocol, "Header OData-EntityId": required if a creation returns 204. */
function entityId({ isCreated, location }: WriteResult): Readonly<Record<string, string>> {
  return isCreated && location !== undefined ? { 'OData-EntityId': location } : {};
}

/** Lists the preferences applied to the record before those applied to the write. */
function applied(
  { applied: preferences = [] }: WritePlan,
  shown: Answer | undefined,
): Readonly<Record<string, string>> {
  const ofShown = shown?.headers['Preference-Applied'];
  const all = ofShown === undefined ? preferences : [ofShown, ...preferences];
  return all.length === 0 ? {} : { 'Preference-Applied': all.join(', ') };
}
