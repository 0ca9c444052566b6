// This file finds all references of a body that lead to nothing, so that a client is told of them together and beside the other mistakes
// of the body. Whether something is there only the database knows; what may not be seen is not there.
import { Fault, type FaultDetail, toDetail } from '../../base/fault.ts';
import { Mistakes } from '../../bind/body/body-errors.ts';
import type { Reference } from '../../bind/write/bound-write.ts';
import { Writer, type WriteSetting } from '../../plan/write/write-scope.ts';
import type { WriteStep } from '../../plan/write-plan.ts';
import { identityQuery } from '../../sql/write/row-expressions.ts';
import { bindParameters, type Context } from '../../store/database.ts';
import type { Service } from '../service.ts';
import type { ReadRows } from './template.ts';

/** References that are looked at; no client mends more by hand. */
const MOST_LOOKS = 100;

/** What looking for rows needs. */
export interface Looking {
  readonly service: Service;
  readonly context: Context;
  readonly read: ReadRows;
}

type Find = WriteStep & { readonly kind: 'find' };

/** The fault of a body with mistakes, and with those of its references that lead to nothing; other errors as they are. */
export function withMissing(
  error: unknown,
  references: readonly Reference[],
  setting: WriteSetting,
  looking: Looking,
): unknown {
  if (!(error instanceof Fault) || error.code !== 'write.body') return error;
  const finds = references.slice(0, MOST_LOOKS).flatMap((one) => findOf(one, setting));
  const missing = missingAmong(finds, looking);
  return missing.length === 0 ? error : together([...error.details, ...missing], error);
}

/** The fault of a reference that leads to nothing, with all others of the write that do; other errors as they are. */
export function withOthersMissing(
  error: unknown,
  steps: readonly WriteStep[],
  looking: Looking,
): unknown {
  if (!(error instanceof Fault) || error.code !== 'write.missing-reference') return error;
  const finds = steps.filter((step): step is Find => step.kind === 'find' && isReference(step));
  const missing = missingAmong(finds.slice(0, MOST_LOOKS), looking);
  return missing.length < 2 ? error : together(missing, error);
}

function isReference({ missing, optional }: Find): boolean {
  return missing.code === 'write.missing-reference' && optional !== true;
}

/** Where the reference is looked for; nowhere where the account may not read anything there. */
function findOf(reference: Reference, setting: WriteSetting): readonly Find[] {
  const writer = new Writer(setting);
  try {
    writer.refer(reference);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
  return writer.finds.filter((step): step is Find => step.kind === 'find');
}

function missingAmong(
  finds: readonly Find[],
  { service, context, read }: Looking,
): readonly FaultDetail[] {
  return finds.flatMap(({ rows, missing: { code, parameters, place } }) => {
    const statement = identityQuery(rows, service);
    const isThere = read(statement.text, bindParameters(statement, context)).length > 0;
    return isThere ? [] : [toDetail(new Fault(code, parameters, place))];
  });
}

/** All mistakes as one fault. */
function together(details: readonly FaultDetail[], otherwise: Fault): Fault {
  const mistakes = new Mistakes();
  for (const detail of details) mistakes.note(detail);
  return mistakes.asFault() ?? otherwise;
}
