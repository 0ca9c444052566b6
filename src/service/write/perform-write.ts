// This file performs prepared writes as units of work: the steps of the script, then the action or the response. Errors of cached
// scripts are worded by the same write prepared without the cache, as only that one names the values of the request. Functions that only
// pass work on return it instead of delegating to it, since each delegation costs time with every operation.
import type { Actor } from '../../auth/administration-rules.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import { renderWrite } from '../../response/write-response.ts';
import type { Context, Work, WorkResult } from '../../store/database.ts';
import {
  readResult,
  runWrite,
  type WriteOutcome,
  type WriteProgress,
} from '../../store/run-write-script.ts';
import { storeOwnPassword } from '../accounts/change-password.ts';
import { type ActionSetting, runAction } from '../action/run-action.ts';
import { doOnce, type Repeat } from '../deferred/repeatable-requests.ts';
import type { Call, Service } from '../service.ts';
import { newTrace, siteOf } from '../stage-inputs.ts';
import { idIn } from './created-location.ts';
import { withOtherMissingReferences } from './missing-references.ts';
import {
  isPasswordChange,
  type PreparedAction,
  type PreparedWrite,
} from './prepare-uncached-write.ts';
import { prepareWrite } from './prepare-write.ts';

/** Runs the write, or returns the stored response if a repeatable request has run before. Throws: as performWrite and doOnce. */
export function* performOnce(
  prepared: PreparedWrite,
  repeat: Repeat | undefined,
  service: Service,
): Work<WorkResult<Answer>> {
  const result = yield* doOnce(repeat, () => performWrite(prepared, service));
  return { result, keep: !prepared.plan.dryRun };
}

/** Runs a prepared write and renders its response. Throws: the faults of its guards. */
export function* performWrite(prepared: PreparedWrite, service: Service): Work<Answer> {
  const progress: WriteProgress = { hasChanged: false };
  let outcome: WriteOutcome;
  try {
    outcome = yield* runWithAudit(prepared, service, progress);
  } catch (error) {
    return yield* performUncached(prepared, service, progress, error);
  }
  const { call, action, context } = prepared;
  if (isPasswordChange(prepared))
    yield* storeOwnPassword(prepared.ownPassword, service, actorOf(call, context));
  if (action === undefined) return yield* renderOutcome(prepared, outcome, service);
  return yield* runAction(action.invoke, actionSetting(prepared, action, service));
}

/** Performs the write again without the cache if its error names values. Throws the error otherwise, with all missing references. */
function* performUncached(
  { uncached, plan, context, values, files }: PreparedWrite,
  service: Service,
  { hasChanged }: WriteProgress,
  error: unknown,
): Work<Answer> {
  if (uncached === undefined)
    throw yield* withOtherMissingReferences(error, plan.steps, { service, context, values });
  const namesValues = error instanceof Fault && NAMING_VALUES.has(error.code);
  if (hasChanged || !namesValues) throw error;
  const own = yield* uncached();
  return yield* performWrite(files === undefined ? own : { ...own, files }, service);
}

/** Errors that name values of the request. Their guards run before the first change, so the write can run again. */
const NAMING_VALUES: ReadonlySet<string> = new Set(['write.not-found', 'write.missing-reference']);

function* renderOutcome(
  { call, tree, plan, location, context, files }: PreparedWrite,
  outcome: WriteOutcome,
  service: Service,
): Work<Answer> {
  const { subject, isCreated, shown } = outcome;
  if (files !== undefined) yield* service.vault.requireQuota(accountIn(context));
  const url =
    location === undefined ? undefined : idIn(yield* readResult(outcome, location, context));
  const digest = files?.get('sent')?.sha256;
  const result = { version: subject?.version, digest, isCreated, location: url, shown };
  return renderWrite(plan, result, tree, siteOf(call, service, 'entity'));
}

/** Effects of an action run as separate requests within the same transaction. */
function actionSetting(
  { call, tree, context }: PreparedWrite,
  { principal, setting }: PreparedAction,
  service: Service,
): ActionSetting {
  return {
    call,
    tree,
    service,
    setting,
    context,
    *write(inner) {
      const environment = { principal, trace: newTrace() };
      const prepared = yield* prepareWrite(inner, service, environment);
      return yield* performWrite(prepared, service);
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
  { administration }: Service,
  progress: WriteProgress,
): Work<WriteOutcome> {
  const { plan, script, context, values, files } = prepared;
  const work = runWrite(script, context, { inputs: values, files, progress });
  return administration.concerns(plan.sources) ? administer(work, prepared, administration) : work;
}

function* administer(
  work: Work<WriteOutcome>,
  { call, plan, context, password }: PreparedWrite,
  administration: Service['administration'],
): Work<WriteOutcome> {
  const before = yield* administration.begin(plan.sources);
  const outcome = yield* work;
  const actor = actorOf(call, context);
  yield* administration.finish(before, actor);
  if (password !== undefined && outcome.subject !== undefined)
    yield* administration.setPassword({ account: outcome.subject.identity }, password, actor);
  return outcome;
}

function actorOf({ address, id }: Call, { account }: Context): Actor {
  return { account: String(account ?? ''), address, request: id };
}

function accountIn({ accountKey }: Context): bigint {
  return typeof accountKey === 'bigint' ? accountKey : 0n;
}
