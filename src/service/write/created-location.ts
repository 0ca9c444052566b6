// This file determines the URL of a created entity, whose format does not depend on that of the response: by a read of its own, unless
// the identity of the entity is all that the URL needs.
import { EVERYTHING } from '../../bind/query/option-scope.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import { decideRead } from '../../plan/decide-read.ts';
import { mayBeVisible } from '../../plan/decide-write.ts';
import type { ReadOutcome } from '../../plan/outcome.ts';
import type { WriteSetting } from '../../plan/write/write-scope.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { DEFAULT_JSON } from '../../request/headers/headers.ts';
import type { Negotiated, Tree } from '../../request/tree.ts';
import { compileResult } from '../../sql/compile.ts';
import { type IdentityUrl, identityUrl } from '../../sql/read/identity-url.ts';
import { escapeUrl } from '../../sql/read/write-record.ts';
import type { ReadScript } from '../../sql/script.ts';
import type { WriteOutcome } from '../../store/run-write-script.ts';
import type { Service } from '../service.ts';

export type Location = ReadScript | IdentityUrl;

/** How to get the URL of the created entity; undefined if the write creates nothing that the account may see. */
export function compileLocation(
  bound: BoundWrite,
  plan: WritePlan,
  tree: Tree,
  service: Service,
  setting: WriteSetting,
): Location | undefined {
  const { subject, answer } = plan;
  if (subject === undefined || bound.kind === 'invoke') return undefined;
  if (answer !== 'created' && answer !== 'upserted') return undefined;
  if (!mayBeVisible({ guard: setting }, bound.result)) return undefined;
  const { query } = bound.result;
  const plainQuery = { ...query, selection: EVERYTHING, expansions: [], streams: [], compute: [] };
  const reference = decideRead(
    { ...bound.result, wanted: { kind: 'reference' }, query: plainQuery },
    { options: tree.options, negotiated: withDefaultFormat(tree.negotiated) },
    setting,
  );
  const { layout, dialect } = service;
  return identityUrl(reference, layout) ?? compileResult(reference, subject, layout, dialect);
}

/** The negotiated options for an internal read. */
export function withDefaultFormat(negotiated: Negotiated): Negotiated {
  return { ...negotiated, version: '4.0', format: DEFAULT_JSON };
}

/** The URL of the created entity. */
export function urlOfCreated(
  location: Location | undefined,
  { subject, location: read }: Pick<WriteOutcome, 'subject' | 'location'>,
  root: string,
): string | undefined {
  if (read !== undefined) return idIn(read);
  if (location?.kind !== 'url' || subject === undefined) return undefined;
  return `${escapeUrl(root)}${location.before}${subject.identity}${location.after}`;
}

/** The "@odata.id" of a reference. */
function idIn({ rows }: ReadOutcome): string | undefined {
  const reference: unknown = JSON.parse(rows[0]?.json ?? 'null');
  const id =
    typeof reference === 'object' && reference !== null && '@odata.id' in reference
      ? reference['@odata.id']
      : undefined;
  return typeof id === 'string' ? id : undefined;
}
