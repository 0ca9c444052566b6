// This file answers writes: prepare (parse -> bind -> decide -> compile) -> perform in one transaction -> render. Preparing and performing
// are separate so that a batch can perform several writes in one transaction.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import type { Work, WorkResult } from '../../store/database.ts';
import { kept, runQueries } from '../../store/work.ts';
import { readOwnPassword } from '../accounts/change-password.ts';
import { confirmFactorAction, isFactorAction } from '../accounts/second-factor.ts';
import { type Repeat, repeatedInstead, repeatOf } from '../deferred/repeatable-requests.ts';
import { isClockMove, moveClock } from '../due/move-clock.ts';
import { withRelated } from '../files/multipart-related.ts';
import { receive, requireWholeBody, type Staging } from '../files/uploads.ts';
import { isModelAction, performModelAction } from '../models/model-actions.ts';
import type { Call, Service } from '../service.ts';
import { newTrace, type RequestTrace } from '../stage-inputs.ts';
import { performOnce, withCurrentCodes } from './perform-write.ts';
import { isPasswordChange, type PreparedWrite } from './prepare-uncached-write.ts';
import { prepareWrite } from './prepare-write.ts';
import { answerUpload } from './upload-write.ts';

/** Answers a write. Throws: the faults of all stages. */
export async function answerWrite(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  requireWholeBody(call);
  const received = await receive(await withRelated(call), service);
  const environment = { principal, trace };
  const preparing = prepareWrite(received, service, environment);
  const plan = () => runQueries(preparing, service.database);
  const repeat = repeatOf(call, principal, service);
  let prepared: PreparedWrite;
  try {
    prepared = await (service.spans?.within('plan', {}, plan) ?? plan());
  } catch (error) {
    return await answerOfFirst(error, repeat, service);
  }
  if (prepared.plan.files !== undefined) return await answerUpload(prepared, service, environment);
  const isRepeatable = repeat !== undefined;
  const ready = await performOutside(prepared, service, { principal, isRepeatable });
  // A repeated request gets its stored response, whatever password it contains.
  if (ready.ownPassword instanceof Fault && repeat === undefined) throw ready.ownPassword;
  return await service.database.write(() => performOnce(ready, repeat, service, true));
}

/** The response to an earlier request with the same key. Throws: the error if there is none, and as repeatedInstead. */
async function answerOfFirst(
  error: unknown,
  repeat: Repeat | undefined,
  { database }: Service,
): Promise<Answer> {
  if (repeat === undefined) throw error;
  return await database.write(() => kept(repeatedInstead(error, repeat)));
}

/** The outcome of a write that is part of a transaction. */
export interface WrittenPart extends WorkResult<Answer> {
  /** The service for the next write of the transaction: with other codes if this one has edited them. */
  readonly next: Service;
}

/** Prepares and performs a write as part of a transaction. Throws: the faults of all stages. */
export function* writeInTransaction(
  call: Call,
  service: Service,
  principal: Principal,
  staging: Staging,
): Work<WrittenPart> {
  requireWholeBody(call);
  const repeat = repeatOf(call, principal, service);
  let prepared: PreparedWrite;
  try {
    prepared = yield* prepareWrite(call, service, { principal, trace: newTrace() });
  } catch (error) {
    if (repeat === undefined) throw error;
    return { result: yield* repeatedInstead(error, repeat), keep: true, next: service };
  }
  const files = staging.filesOf(call, prepared.plan);
  const ready = files.size === 0 ? prepared : { ...prepared, files };
  const { result, keep } = yield* performOnce(ready, repeat, service);
  const editsCodes = service.administration.concernsCodes(prepared.plan.sources);
  return { result, keep, next: editsCodes ? yield* withCurrentCodes(service) : service };
}

/** Does what belongs before the transaction. */
async function performOutside(
  prepared: PreparedWrite,
  service: Service,
  { principal, isRepeatable }: { readonly principal: Principal; readonly isRepeatable: boolean },
): Promise<PreparedWrite> {
  if (isPasswordChange(prepared)) return await withOwnPassword(prepared, service, principal);
  const { action, call, plan } = prepared;
  if (action !== undefined && isFactorAction(action.invoke))
    await confirmFactorAction(action.invoke, principal, call, service);
  const perform = action === undefined ? undefined : performerOf(action.invoke);
  if (action === undefined || perform === undefined) return prepared;
  const request = { call, principal, isRepeatable, dryRun: plan.dryRun };
  return {
    ...prepared,
    action: { ...action, invoke: await perform(action.invoke, service, request) },
  };
}

/** What performs an action that cannot be a part of a transaction. */
function performerOf(invoke: Parameters<typeof isClockMove>[0]) {
  if (isClockMove(invoke)) return moveClock;
  return isModelAction(invoke) ? performModelAction : undefined;
}

/** Verifies the current password and hashes the new one before the transaction, since both take long. */
async function withOwnPassword(
  prepared: PreparedWrite & Required<Pick<PreparedWrite, 'action'>>,
  service: Service,
  principal: Principal,
): Promise<PreparedWrite> {
  const { action, call } = prepared;
  const ownPassword = await readOwnPassword(action.invoke, principal, call.address, service);
  return { ...prepared, ownPassword };
}
