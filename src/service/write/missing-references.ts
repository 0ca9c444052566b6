// This file finds all references in a body to entities that do not exist, so that one response lists them along with the other mistakes.
// Entities that the account may not see count as missing.
import { Fault, type FaultDetail, faultDetail } from '../../base/fault.ts';
import { Mistakes } from '../../bind/body/body-errors.ts';
import type { Reference } from '../../bind/write/bound-write.ts';
import { Writer, type WriteSetting } from '../../plan/write/write-scope.ts';
import type { WriteStep } from '../../plan/write-plan.ts';
import { identityQuery } from '../../sql/write/row-expressions.ts';
import { bindParameters, type Context, type Inputs, type Work } from '../../store/database.ts';
import { query } from '../../store/work.ts';
import type { Service } from '../service.ts';

/** Maximum of references that are checked. */
const CHECK_LIMIT = 100;

export interface Lookup {
  readonly service: Service;
  readonly context: Context;
  /** The values of the request's parameters. */
  readonly values: Inputs;
}

type Find = WriteStep & { readonly kind: 'find' };

/** Adds missing references to a write.body fault. Returns other errors unchanged. */
export function* addMissingReferences(
  error: unknown,
  references: readonly Reference[],
  setting: WriteSetting,
  lookup: Lookup,
): Work<unknown> {
  if (!(error instanceof Fault) || error.code !== 'write.body') return error;
  const checked = references.slice(0, CHECK_LIMIT);
  const missing = yield* missingAmong(
    checked.flatMap((reference) => findSteps(reference, setting)),
    lookup,
  );
  return missing.length === 0 ? error : combine([...error.details, ...missing], error);
}

/** Adds all other missing references to a write.missing-reference fault. Returns other errors unchanged. */
export function* withOtherMissingReferences(
  error: unknown,
  steps: readonly WriteStep[],
  lookup: Lookup,
): Work<unknown> {
  if (!(error instanceof Fault) || error.code !== 'write.missing-reference') return error;
  const finds = steps.filter((step): step is Find => step.kind === 'find' && isReference(step));
  const missing = yield* missingAmong(finds.slice(0, CHECK_LIMIT), lookup);
  return missing.length < 2 ? error : combine(missing, error);
}

function isReference({ missing, optional }: Find): boolean {
  return missing.code === 'write.missing-reference' && optional !== true;
}

/** The steps that look the reference up; none if the account may not read its target. */
function findSteps(reference: Reference, setting: WriteSetting): readonly Find[] {
  const writer = new Writer(setting);
  try {
    writer.refer(reference);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
  return writer.finds.filter((step): step is Find => step.kind === 'find');
}

function* missingAmong(
  finds: readonly Find[],
  { service, context, values }: Lookup,
): Work<readonly FaultDetail[]> {
  const details: FaultDetail[] = [];
  for (const { rows, missing } of finds) {
    const { code, parameters, place } = missing;
    const statement = identityQuery(rows, service);
    const found = yield query(statement.text, bindParameters(statement, context, values));
    if (found.rows.length === 0) details.push(faultDetail(code, parameters, place?.target));
  }
  return details;
}

function combine(details: readonly FaultDetail[], original: Fault): Fault {
  const mistakes = new Mistakes();
  for (const detail of details) mistakes.note(detail);
  return mistakes.toFault() ?? original;
}
