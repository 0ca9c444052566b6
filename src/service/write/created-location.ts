// This file determines the URL of a created entity with a read of its own, whose format does not depend on that of the response.
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
import type { ReadScript } from '../../sql/script.ts';
import type { Service } from '../service.ts';

/** Compiles the read of the created entity's reference; undefined if the write creates nothing that the account may see. */
export function compileLocation(
  bound: BoundWrite,
  plan: WritePlan,
  tree: Tree,
  service: Service,
  setting: WriteSetting,
): ReadScript | undefined {
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
  return compileResult(reference, subject, service.layout, service.dialect);
}

/** The negotiated options for an internal read. */
export function withDefaultFormat(negotiated: Negotiated): Negotiated {
  return { ...negotiated, version: '4.0', format: DEFAULT_JSON };
}

/** The "@odata.id" of a reference. */
export function idIn({ rows }: ReadOutcome): string | undefined {
  const reference: unknown = JSON.parse(rows[0]?.json ?? 'null');
  const id =
    typeof reference === 'object' && reference !== null && '@odata.id' in reference
      ? reference['@odata.id']
      : undefined;
  return typeof id === 'string' ? id : undefined;
}
