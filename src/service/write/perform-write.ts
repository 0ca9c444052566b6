// This file performs prepared writes as units of work: the steps of the script, then the action or the response. Errors of cached
// scripts are worded by the same write prepared without the cache, as only that one names the values of the request. Functions that only
// pass work on return it instead of delegating to it, since each delegation costs time with every operation.
import type { Principal } from '../../access/principal.ts';
import type { Actor } from '../../auth/administration-rules.ts';
import { Fault, type FaultDetail } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import type { Answer } from '../../response/response.ts';
import { renderWrite } from '../../response/write-response.ts';
import { OUTDATED } from '../../sql/write/code-guard.ts';
import type { Context, Work, WorkResult } from '../../store/database.ts';
import { runWrite, type WriteOutcome } from '../../store/run-write-script.ts';
import type { Follow, WriteProgress } from '../../store/script-state.ts';
import { storeOwnPassword } from '../accounts/change-password.ts';
import { createKey, isKeyCreation } from '../accounts/create-key.ts';
import { isEndOfSessions } from '../accounts/end-sessions.ts';
import { isFactorAction, runFactorAction } from '../accounts/second-factor.ts';
import { type ActionSetting, type BoundInvoke, runAction } from '../action/run-action.ts';
import { isTransition, takeTransition } from '../action/transition.ts';
import { assignPerson } from '../approvals/assign-person.ts';
import { followApproval } from '../approvals/follow-approval.ts';
import { followPart } from '../approvals/follow-part.ts';
import { clockCalculator } from '../clocks/calculate-clocks.ts';
import { withPositions } from '../clocks/schedule-positions.ts';
import { doOnce, type Repeat } from '../deferred/repeatable-requests.ts';
import { isClockMove, requireMoved } from '../due/move-clock.ts';
import { importHolidays, isHolidayImport } from '../holidays/import-holidays.ts';
import { answerModelAction, isModelAction } from '../models/model-actions.ts';
import type { Call, Service } from '../service.ts';
import { newTrace, siteOf } from '../stage-inputs.ts';
import { isWebhookAction, runWebhookAction } from '../webhooks/webhook-actions.ts';
import { urlOfCreated } from './created-location.ts';
import { withOtherMissingReferences } from './missing-references.ts';
import {
  isPasswordChange,
  type PreparedAction,
  type PreparedWrite,
} from './prepare-uncached-write.ts';
import { prepareWrite } from './prepare-write.ts';
import { countAdvice, withAdvice } from './workflow-advice.ts';

/**
 * Runs the write, or returns the stored response if a repeatable request has run before.
 * @param isWhole whether this is all that its unit of work does
 * Throws: as performWrite and doOnce.
 */
export function* performOnce(
  prepared: PreparedWrite,
  repeat: Repeat | undefined,
  service: Service,
  isWhole = false,
): Work<WorkResult<Answer>> {
  const ends = isWhole && repeat === undefined;
  const result = yield* doOnce(repeat, () => performWrite(prepared, service, ends));
  return { result, keep: !prepared.plan.dryRun };
}

/** Runs a prepared write and renders its response. Throws: the faults of its guards. */
function* performWrite(prepared: PreparedWrite, service: Service, isWhole = false): Work<Answer> {
  const progress: WriteProgress = { hasChanged: false };
  let outcome: WriteOutcome;
  try {
    outcome = yield* runWithAudit(prepared, service, progress, isWhole);
  } catch (error) {
    return yield* performAgain(prepared, service, progress, error);
  }
  const { call, action, context } = prepared;
  yield* countAdvice(outcome.advice, String(context.now));
  if (isPasswordChange(prepared))
    yield* storeOwnPassword(prepared.ownPassword, service, actorOf(call, context));
  if (action === undefined) return yield* renderOutcome(prepared, outcome, service);
  if (isClockMove(action.invoke)) requireMoved(action.invoke);
  if (isEndOfSessions(action.invoke))
    yield* service.administration.endOtherSessions(prepared.principal, actorOf(call, context));
  const { invoke } = action;
  const setting = actionSetting(prepared, action, service);
  const caller = { principal: prepared.principal, actor: actorOf(call, context), isAlone: isWhole };
  if (isFactorAction(invoke)) return yield* runFactorAction(invoke, setting, caller);
  if (isKeyCreation(invoke)) return yield* createKey(invoke, setting, caller);
  if (isWebhookAction(invoke)) return yield* runWebhookAction(invoke, setting, caller);
  const answer = yield* runnerOf(invoke)(invoke, setting);
  return withAdvice(answer, setting.advice, prepared.tree.negotiated);
}

function runnerOf(invoke: BoundInvoke) {
  if (isTransition(invoke)) return takeTransition;
  if (isModelAction(invoke)) return answerModelAction;
  return isHolidayImport(invoke) ? importHolidays : runAction;
}

/**
 * Performs the write again with the codes of the database if its codes are outdated, and without the cache if its error names values.
 * Throws the error otherwise, with all missing references.
 */
function* performAgain(
  prepared: PreparedWrite,
  service: Service,
  { hasChanged }: WriteProgress,
  error: unknown,
): Work<Answer> {
  const { isShared, plan, context, values, files } = prepared;
  if (error instanceof Fault && error.code === OUTDATED.code) {
    const current = yield* withCurrentCodes(service);
    const own = yield* prepared.prepareAgain(current);
    return yield* performWrite(withFiles(own, files), current);
  }
  if (!isShared)
    throw yield* withOtherMissingReferences(error, plan.steps, { service, context, values });
  const namesValues = error instanceof Fault && NAMING_VALUES.has(error.code);
  if (hasChanged || !namesValues) throw error;
  const own = yield* prepared.prepareAgain(service);
  return yield* performWrite(withFiles(own, files), service);
}

function withFiles(prepared: PreparedWrite, files: PreparedWrite['files']): PreparedWrite {
  return files === undefined ? prepared : { ...prepared, files };
}

/** The service with the code lists as the transaction sees them. */
export function* withCurrentCodes(service: Service): Work<Service> {
  return { ...service, ...(yield* service.readCodes()) };
}

/** Errors that name values of the request. Their guards run before the first change, so the write can run again. */
const NAMING_VALUES: ReadonlySet<string> = new Set(['write.not-found', 'write.missing-reference']);

function* renderOutcome(
  { call, tree, plan, location, context, files }: PreparedWrite,
  outcome: WriteOutcome,
  service: Service,
): Work<Answer> {
  if (files !== undefined) yield* service.vault.requireQuota(accountIn(context));
  const { subject, isCreated, shown } = outcome;
  const url = isCreated ? urlOfCreated(location, outcome, String(context.root)) : undefined;
  const digest = files?.get('sent')?.sha256;
  const result = { version: subject?.version, digest, isCreated, location: url, shown };
  const answer = renderWrite(plan, result, tree, siteOf(call, service, 'entity'));
  const advice = outcome.advice.flatMap(({ details }) => details);
  return advice.length === 0 ? answer : withAdvice(answer, advice, tree.negotiated);
}

/** Effects of an action run as separate requests within the same transaction. */
function actionSetting(
  { call, principal, tree, context }: PreparedWrite,
  { setting }: PreparedAction,
  service: Service,
): ActionSetting & { readonly advice: readonly FaultDetail[] } {
  const advice: FaultDetail[] = [];
  const isDryRun = call.isDryRun === true || tree.negotiated.prefer.dryRun;
  return {
    advice,
    call,
    tree,
    service,
    setting,
    context,
    *write(inner) {
      const environment = { principal, trace: newTrace() };
      const effect = isDryRun ? { ...inner, isDryRun } : inner;
      const prepared = yield* prepareWrite(effect, service, environment);
      const answer = yield* performWrite(prepared, service);
      advice.push(...(answer.advice ?? []));
      return answer;
    },
  };
}

/**
 * Runs the script. Changes to accounts, roles and settings are checked and audited in the same transaction.
 * Throws: access.rule, access.rule-member, access.rule-type, auth.setting, auth.login-name, auth.account-exists,
 * auth.last-administrator, auth.password.
 */
function runWithAudit(
  prepared: PreparedWrite,
  service: Service,
  progress: WriteProgress,
  isWhole: boolean,
): Work<WriteOutcome> {
  const { plan, script, location, context, values, files, action } = prepared;
  const { administration } = service;
  const isAudited = administration.concerns(plan.sources);
  const isLast = isWhole && !isAudited && files === undefined && action === undefined;
  const calculate = calculatorOf(service);
  const read = location?.kind === 'read' ? location : undefined;
  const follow = followerOf(prepared, service);
  const inputs = {
    inputs: values,
    files,
    progress,
    location: read,
    isWhole: isLast,
    calculate,
    follow,
    withPositions: (own: Context) => withPositions(service, own, Date.parse(String(own.now))),
  };
  const work = runWrite(script, context, inputs);
  return isAudited ? administer(work, prepared, administration) : work;
}

/** Sends the requests of the service that follow from a change, within the same transaction. */
function followerOf({ context, call }: PreparedWrite, service: Service): Follow {
  const write = function* (own: Call, principal: Principal): Work<Answer> {
    const prepared = yield* prepareWrite(own, service, { principal, trace: newTrace() });
    return yield* performWrite(prepared, service);
  };
  const setting = { service, context, call, write };
  return (change) => {
    if (change.event === 'group') return assignPerson(change, setting);
    if (change.event === 'part' || change.event === 'added') return followPart(change, setting);
    return followApproval(change, setting);
  };
}

const calculatorOf = perObject(clockCalculator);

function* administer(
  work: Work<WriteOutcome>,
  prepared: PreparedWrite,
  administration: Service['administration'],
): Work<WriteOutcome> {
  const { call, principal, plan, context, password, resetsFactor } = prepared;
  const { mustChangePassword: mustChange } = prepared;
  const before = yield* administration.begin(plan.sources);
  const outcome = yield* work;
  const actor = actorOf(call, context);
  yield* administration.finish(before, actor, principal);
  const account = outcome.subject?.identity;
  if (account === undefined) return outcome;
  const isNew = password !== undefined;
  if (isNew) yield* administration.setPassword({ account }, password, actor);
  if (isNew || mustChange !== undefined)
    yield* administration.limitPassword(account, { isNew, mustChange }, principal, actor);
  if (resetsFactor) yield* administration.removeFactor(account, actor);
  return outcome;
}

function actorOf({ address, id }: Call, { account }: Context): Actor {
  return { account: String(account ?? ''), address, request: id };
}

function accountIn({ accountKey }: Context): bigint {
  return typeof accountKey === 'bigint' ? accountKey : 0n;
}
