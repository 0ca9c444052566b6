// This file makes the answer to a write: what became of the record, where it is, and, where it is wanted, what it looks like now.
// OData 4.01 Protocol, "Data Modification"; "Preference return=representation and return=minimal".
import type { ReadOutcome } from '../plan/outcome.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { Tree } from '../request/tree.ts';
import { headersOf } from './headers.ts';
import { render } from './render.ts';
import type { Answer } from './response.ts';
import type { Site } from './site.ts';

/** What running a write left behind. */
export interface WriteResult {
  /** Version of the subject. */
  readonly version: bigint | undefined;
  /** SHA-256 of the bytes that were kept, in hexadecimal. */
  readonly digest?: string | undefined;
  /** Whether the subject was made by this write. */
  readonly isCreated: boolean;
  /** Absolute address of the subject. */
  readonly location: string | undefined;
  readonly shown: ReadOutcome | undefined;
}

/** 201 or 200 with the record, or 204 without. */
export function renderWrite(plan: WritePlan, result: WriteResult, tree: Tree, site: Site): Answer {
  const shown = showRecord(plan, result, tree, site);
  const headers = { ...facts(plan, result, tree), ...shown?.headers, ...applied(plan, shown) };
  if (shown === undefined || shown.body === undefined)
    return { status: 204, headers: { ...headers, ...entityId(result) }, body: undefined };
  return { status: result.isCreated ? 201 : 200, headers, body: shown.body };
}

/** The record as reading it would show it. */
function showRecord(
  plan: WritePlan,
  { shown }: WriteResult,
  tree: Tree,
  site: Site,
): Answer | undefined {
  // What was made or changed may be out of the account's sight.
  if (plan.result === undefined || shown === undefined || shown.rows.length === 0) return undefined;
  return render(shown, plan.result, tree, site);
}

function facts(plan: WritePlan, result: WriteResult, tree: Tree): Readonly<Record<string, string>> {
  const etag = tagOf(plan, result);
  const location: Record<string, string> =
    result.isCreated && result.location !== undefined ? { Location: result.location } : {};
  return { ...headersOf(tree.wishes, { etag }), ...location };
}

/** Of what was asked for: a record's is its version, that of a stream the digest of its bytes. */
function tagOf(
  { answer, stream }: WritePlan,
  { version, digest }: WriteResult,
): string | undefined {
  if (answer === 'deleted' || stream === 'removed') return undefined;
  if (stream === 'kept') return digest === undefined ? undefined : `"${digest}"`;
  return version === undefined ? undefined : `W/"${version}"`;
}

/** OData 4.01 Protocol, "Header OData-EntityId": with 204 to a creation. */
function entityId({ isCreated, location }: WriteResult): Readonly<Record<string, string>> {
  return isCreated && location !== undefined ? { 'OData-EntityId': location } : {};
}

/** Preferences about the write, after those about what is shown. */
function applied(
  { applied: preferences = [] }: WritePlan,
  shown: Answer | undefined,
): Readonly<Record<string, string>> {
  const ofShown = shown?.headers['Preference-Applied'];
  const all = ofShown === undefined ? preferences : [ofShown, ...preferences];
  return all.length === 0 ? {} : { 'Preference-Applied': all.join(', ') };
}
