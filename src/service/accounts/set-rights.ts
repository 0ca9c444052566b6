// This file answers the function SetRights: what the account may do with each set.
import type { Principal } from '../../access/principal.ts';
import { bind } from '../../bind/bind-read.ts';
import { setRights } from '../../plan/rights/set-rights.ts';
import type { Answer } from '../../response/response.ts';
import { answerRead } from '../read.ts';
import { answerConstant } from '../schedules/answer-calculation.ts';
import type { Call, Service } from '../service.ts';
import { isReading, type RequestTrace, readTree, rightsOf, scopeOf } from '../stage-inputs.ts';

/** Whether the request may call the function. A cheap check before the path is parsed. */
export function mayAskForSetRights(call: Call): boolean {
  const { path } = call;
  return isReading(call) && (path.includes('SetRights') || path.startsWith('%'));
}

/** Answers the function, and other reads as usual. Throws: the faults of reads. */
export async function answerSetRights(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const tree = readTree(call, service, trace);
  const bound = bind(tree, scopeOf(call, service));
  if (bound.kind !== 'evaluate' || bound.operation.engine !== 'set-rights')
    return await answerRead(call, service, principal, trace);
  const text = JSON.stringify(setRights(service.model, rightsOf(service, principal)));
  const result = (type: typeof bound.value.type) => ({ kind: 'json', type, text }) as const;
  return await answerConstant(result, bound.operation, tree, { call, service, principal });
}
