// This file answers the function ModelInForce: the version of the model with its files, and the last application of a model.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { bind } from '../../bind/bind-read.ts';
import { MODEL_OPERATIONS } from '../../edm/versions/model-operations.ts';
import type { Answer } from '../../response/response.ts';
import { currentModel } from '../../store/model/stored-models.ts';
import { runQueries } from '../../store/work.ts';
import { answerRead } from '../read.ts';
import { answerConstant } from '../schedules/answer-calculation.ts';
import type { Call, Service } from '../service.ts';
import { isReading, type RequestTrace, readTree, scopeOf } from '../stage-inputs.ts';
import { requireModelRight } from './model-actions.ts';
import { applicationJson, readApplication } from './stored-application.ts';

/** Whether the request may call the function. A cheap check before the path is parsed. */
export function mayAskForModel(call: Call): boolean {
  const { path } = call;
  return isReading(call) && (path.includes(MODEL_OPERATIONS.inForce) || path.startsWith('%'));
}

/** Answers the function, and other reads as usual. Throws: access.models, store.migration-due, and the faults of reads. */
export async function answerModelInForce(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const tree = readTree(call, service, trace);
  const bound = bind(tree, scopeOf(call, service));
  if (bound.kind !== 'evaluate' || bound.operation.engine !== 'model-in-force')
    return await answerRead(call, service, principal, trace);
  requireModelRight(service, principal);
  const text = JSON.stringify(await readModelVersion(service));
  const result = (type: typeof bound.value.type) => ({ kind: 'json', type, text }) as const;
  return await answerConstant(result, bound.operation, tree, { call, service, principal });
}

/** The members of `Docket.System.ModelVersion`. Throws: store.migration-due. */
async function readModelVersion({ database, world }: Service) {
  const stored = await currentModel(database);
  if (stored === undefined) throw new Fault('store.migration-due');
  const last = await runQueries(readApplication(world.now()), database);
  const { version, applied, author, origin, docket, checksum, files } = stored;
  return {
    Version: version,
    Applied: applied,
    Author: author,
    Origin: origin,
    Program: docket,
    Checksum: checksum,
    Files: files.map(({ name, text }) => ({ Name: name, Content: text })),
    LastApplication: last === undefined ? null : applicationJson(last),
  };
}
