// This file implements the actions by which accounts add and remove their second factor. Their responses contain secrets, which are returned
// once and not stored. The password and the code of a removal are verified before the transaction, as attempts are slowed down.
import type { Principal } from '../../access/principal.ts';
import { endOtherLogins } from '../../auth/auth-store.ts';
import { uriOf } from '../../auth/second-factor/codes.ts';
import { beginFactor, confirmFactor } from '../../auth/second-factor/stored-factor.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { CODE, CURRENT_PASSWORD } from '../../edm/account-sets.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { answerValues } from '../action/action-result.ts';
import { type ActionSetting, type BoundInvoke, runAction } from '../action/run-action.ts';
import type { Call, Service } from '../service.ts';
import type { SecretCaller } from './create-key.ts';

/** Whether the operation is one of the actions. */
export function isFactorAction({ operation }: BoundInvoke): boolean {
  return ACTIONS.has(operation.engine ?? '');
}

/** Verifies what an action needs besides the session. Throws: auth.current-password, auth.second-factor-*, auth.slowed, auth.busy. */
export async function confirmFactorAction(
  { operation, parameters }: BoundInvoke,
  principal: Principal,
  { address }: Call,
  { confirmPassword, confirmCode }: Pick<Service, 'confirmPassword' | 'confirmCode'>,
): Promise<void> {
  const text = (name: string) => String(parameters.get(name) ?? '');
  if (operation.engine === 'begin-second-factor')
    await confirmPassword(principal, { password: text(CURRENT_PASSWORD), address });
  if (operation.engine === 'remove-second-factor') await confirmCode(principal, text(CODE));
}

/** Throws: auth.key-alone, auth.second-factor-exists, auth.second-factor-none, auth.second-factor-code. */
export function* runFactorAction(
  invoke: BoundInvoke,
  setting: ActionSetting,
  caller: SecretCaller,
): Work<Answer> {
  const { engine, name } = invoke.operation;
  if (!caller.isAlone)
    throw new Fault('auth.key-alone', { action: name.slice(name.lastIndexOf('.') + 1) });
  const run = ACTIONS.get(engine ?? '');
  invariant(run !== undefined, `${name} concerns no second factor`);
  const answer = yield* run(invoke, setting, caller);
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } };
}

type Run = (invoke: BoundInvoke, setting: ActionSetting, caller: SecretCaller) => Work<Answer>;

const begin: Run = function* (invoke, setting, { principal }) {
  const secret = yield* beginFactor(principal.account, setting.service.world);
  return yield* answerValues(setting, invoke, [JSON.stringify(uriOf(secret, principal.loginName))]);
};

/** Sessions that were opened with the password alone end. */
const confirm: Run = function* (invoke, setting, caller) {
  const { account } = caller.principal;
  const code = String(invoke.parameters.get(CODE) ?? '');
  const codes = yield* confirmFactor(account, code, setting.service.world);
  yield* endOtherLogins(caller.principal);
  yield* setting.service.administration.noteFactor(account, 'added', caller.actor);
  return yield* answerValues(setting, invoke, [JSON.stringify(codes)]);
};

const remove: Run = function* (invoke, setting, { principal, actor }) {
  yield* setting.service.administration.removeFactor(principal.account, actor);
  return yield* runAction(invoke, setting);
};

const ACTIONS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['begin-second-factor', begin],
  ['confirm-second-factor', confirm],
  ['remove-second-factor', remove],
]);
