// This file runs prepared writes in an open transaction: the steps of the script, then the action or the response. Errors of cached
// scripts are worded by the same write prepared without the cache, as only that one names the values of the request.
import type { Actor } from '../../auth/administration-rules.ts';
import type { RunStatement } from '../../auth/database.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import { renderWrite } from '../../response/write-response.ts';
import { toStatement } from '../../sql/fragment.ts';
import {
  bindParameters,
  type Context,
  type Transaction,
  type WorkResult,
} from '../../store/database.ts';
import { readResult, runWrite, type WriteOutcome } from '../../store/run-write-script.ts';
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
export function performOnce(
  prepared: PreparedWrite,
  repeat: Repeat | undefined,
  service: Service,
  transaction: Transaction,
): WorkResult<Answer> {
  const perform = () => performWrite(prepared, service, transaction);
  return { result: doOnce(repeat, transaction, perform), keep: !prepared.plan.dryRun };
}

/** Runs a prepared write and renders its response. Throws: the faults of its guards. */
export function performWrite(
  prepared: PreparedWrite,
  service: Service,
  transaction: Transaction,
): Answer {
  const { uncached, files } = prepared;
  if (uncached === undefined) return perform(prepared, service, transaction);
  let hasChanged = false;
  const watched: Transaction = {
    ...transaction,
    change: (text, values, place) => {
      hasChanged = true;
      return transaction.change(text, values, place);
    },
  };
  try {
    return perform(prepared, service, watched);
  } catch (error) {
    const namesValues = error instanceof Fault && NAMING_VALUES.has(error.code);
    if (hasChanged || !namesValues) throw error;
    const own = { ...uncached(), ...(files === undefined ? {} : { files }) };
    return perform(own, service, transaction);
  }
}

/** Errors that name values of the request. Their guards run before the first change, so the write can run again. */
const NAMING_VALUES: ReadonlySet<string> = new Set(['write.not-found', 'write.missing-reference']);

function perform(prepared: PreparedWrite, service: Service, transaction: Transaction): Answer {
  const { call, action, context } = prepared;
  const outcome = runListingMissing(prepared, service, transaction);
  if (isPasswordChange(prepared)) {
    const run = statementRunner(service, transaction, context);
    storeOwnPassword(prepared.ownPassword, service, run, actorOf(call, context));
  }
  return action === undefined
    ? renderOutcome(prepared, outcome, service, transaction)
    : runAction(action.invoke, actionSetting(prepared, action, service, transaction));
}

function renderOutcome(
  { call, tree, plan, location, context, files }: PreparedWrite,
  outcome: WriteOutcome,
  service: Service,
  transaction: Transaction,
): Answer {
  const { subject, isCreated, shown } = outcome;
  if (files !== undefined) service.vault.requireQuota(transaction, accountIn(context));
  const url =
    location === undefined ? undefined : idIn(readResult(outcome, location, transaction, context));
  const digest = files?.get('sent')?.sha256;
  const result = { version: subject?.version, digest, isCreated, location: url, shown };
  return renderWrite(plan, result, tree, siteOf(call, service, 'entity'));
}

/** Effects of an action run as separate requests within the same transaction. */
function actionSetting(
  { call, tree, context }: PreparedWrite,
  { principal, setting }: PreparedAction,
  service: Service,
  transaction: Transaction,
): ActionSetting {
  const read = transaction.rows;
  return {
    call,
    tree,
    service,
    setting,
    context,
    rows: read,
    write: (inner) => {
      const environment = { principal, trace: newTrace(), read };
      return performWrite(prepareWrite(inner, service, environment), service, transaction);
    },
  };
}

/** Runs the script. An error about a missing reference lists all of them, unless a cached script has failed. */
function runListingMissing(
  prepared: PreparedWrite,
  service: Service,
  transaction: Transaction,
): WriteOutcome {
  try {
    return runWithAudit(prepared, service, transaction);
  } catch (error) {
    const { uncached, plan, context, values } = prepared;
    if (uncached !== undefined) throw error;
    const lookup = { service, context, read: transaction.rows, values };
    throw withOtherMissingReferences(error, plan.steps, lookup);
  }
}

/**
 * Runs the script. Changes to accounts, roles and settings are checked and audited in the same transaction.
 * Throws: access.rule, access.rule-member, access.rule-type, auth.setting, auth.login-name, auth.account-exists,
 * auth.last-administrator, auth.password.
 */
function runWithAudit(
  { call, plan, script, context, values, password, files }: PreparedWrite,
  service: Service,
  transaction: Transaction,
): WriteOutcome {
  const { administration } = service;
  const inputs = { inputs: values, ...(files === undefined ? {} : { files }) };
  if (!administration.concerns(plan.sources)) return runWrite(script, transaction, context, inputs);
  const run = statementRunner(service, transaction, context);
  const before = administration.begin(run, plan.sources);
  const outcome = runWrite(script, transaction, context, inputs);
  const actor = actorOf(call, context);
  administration.finish(run, before, actor);
  if (password !== undefined && outcome.subject !== undefined)
    administration.setPassword(run, { account: outcome.subject.identity }, password, actor);
  return outcome;
}

/** Runs statements of `auth/` in the transaction. */
function statementRunner(
  { dialect }: Service,
  transaction: Transaction,
  context: Context,
): RunStatement {
  return (fragment) => {
    const statement = toStatement(fragment, dialect.placeholder);
    const rows = transaction.rows(statement.text, bindParameters(statement, context));
    return rows.map((row) => row.map((cell) => (cell instanceof Uint8Array ? null : cell)));
  };
}

function actorOf({ address, id }: Call, { account }: Context): Actor {
  return { account: String(account ?? ''), address, request: id };
}

function accountIn({ accountKey }: Context): bigint {
  return typeof accountKey === 'bigint' ? accountKey : 0n;
}
