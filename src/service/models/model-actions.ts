// This file implements the actions PlanModel and ApplyModel. Planning reads the database with connections of its own, and a model is applied after
// the service has closed it, so both happen before the transaction of the request, which only returns the result.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { MODEL_PARAMETERS } from '../../edm/versions/model-operations.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import type { ModelFile } from '../../store/model/stored-models.ts';
import { kept } from '../../store/work.ts';
import { answerValues } from '../action/action-result.ts';
import type { ActionSetting, BoundInvoke } from '../action/run-action.ts';
import type { Call, Service } from '../service.ts';
import { rightsOf } from '../stage-inputs.ts';
import { applicationJson, beginApplication, type ModelApplication } from './stored-application.ts';

/** Whether the operation plans or applies a model. */
export function isModelAction({ operation }: BoundInvoke): boolean {
  return operation.engine === 'plan-model' || operation.engine === 'apply-model';
}

interface ModelRequest {
  readonly call: Call;
  readonly principal: Principal;
  readonly isRepeatable: boolean;
  /** Whether nothing is to be changed. */
  readonly dryRun: boolean;
}

/**
 * Plans or applies the model, and returns the call with its result. Throws: access.models, model.*, store.model-changed,
 * store.migration-loses, store.keys-unfit, store.items-repeated.
 */
export async function performModelAction(
  invoke: BoundInvoke,
  service: Service,
  request: ModelRequest,
): Promise<BoundInvoke> {
  requireModelRight(service, request.principal);
  if (request.isRepeatable) throw notAlone(invoke);
  const files = filesOf(invoke, service);
  const isPlan = invoke.operation.engine === 'plan-model';
  const result = isPlan
    ? await service.models.plan(files)
    : applicationJson(await applyModel(invoke, files, service, request));
  const operation = { ...invoke.operation, expression: JSON.stringify(result) };
  return { ...invoke, operation };
}

/** Throws: access.models. */
export function requireModelRight(service: Service, principal: Principal): void {
  if (!rightsOf(service, principal).everything) throw new Fault('access.models');
}

/** Renders the result of performModelAction. Throws: model.alone if it has not been called, since the request is a part of another one. */
export function answerModelAction(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const { expression } = invoke.operation;
  if (expression === undefined) throw notAlone(invoke);
  return answerValues(setting, invoke, [expression]);
}

function notAlone({ operation }: BoundInvoke): Fault {
  return new Fault('model.alone', { name: operation.name.replace(/^.*\./, '') });
}

/** Throws: model.too-large, if the files exceed the limit together. */
function filesOf({ parameters }: BoundInvoke, { limits }: Service): readonly ModelFile[] {
  const { files } = MODEL_PARAMETERS;
  const sent = JSON.parse(String(parameters.get(files) ?? '[]')) as readonly SentFile[];
  const bytes = sent.reduce((sum, { Content }) => sum + Buffer.byteLength(Content), 0);
  if (bytes > limits.modelBytes)
    throw new Fault('model.too-large', { bytes, limit: limits.modelBytes }, { target: files });
  return sent.map(({ Name, Content }) => ({ name: Name, text: Content }));
}

interface SentFile {
  readonly Name: string;
  readonly Content: string;
}

/** Starts to apply the model, unless it is in force. The response is sent before the service hands over the database. */
async function applyModel(
  { parameters }: BoundInvoke,
  files: readonly ModelFile[],
  service: Service,
  { call, principal, dryRun }: ModelRequest,
): Promise<ModelApplication> {
  const { world, models, database, observe } = service;
  const account = principal.loginName;
  const ready = await models.prepare({
    files,
    version: Number(parameters.get(MODEL_PARAMETERS.version)),
    mayLose: parameters.get(MODEL_PARAMETERS.allowLoss) === true,
    applicant: { account, address: call.address, request: call.id },
  });
  const now = world.now();
  const started = new Date(now).toISOString();
  const { inForce, isSame, origin } = ready;
  const common = { origin, account, started };
  try {
    if (isSame) {
      ready.cancel();
      return { ...common, state: 'applied', version: inForce, ended: started };
    }
    const application = { ...common, state: 'applying', version: inForce + 1 } as const;
    if (dryRun) ready.cancel();
    else {
      await database.write(() => kept(beginApplication(application, now)));
      ready.start(application, (reason) => observe({ kind: 'model', reason }));
    }
    return application;
  } catch (error) {
    ready.cancel();
    throw error;
  }
}
