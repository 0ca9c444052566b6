// This file implements the action CreateApiKey. Its response contains the key, which is stored nowhere: not for requests that are repeated,
// nor for asynchronous ones.
import type { Principal } from '../../access/principal.ts';
import type { Actor } from '../../auth/administration-rules.ts';
import type { KeyRequest } from '../../auth/issue-key.ts';
import { Fault } from '../../base/fault.ts';
import { KEY_PARAMETERS } from '../../edm/account-sets.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { textsOf } from '../../store/stored-values.ts';
import { type ActionSetting, type BoundInvoke, runAction } from '../action/run-action.ts';

/** Whether the operation is CreateApiKey. */
export function isKeyCreation({ operation }: BoundInvoke): boolean {
  return operation.engine === 'api-key';
}

/** Whether the path calls CreateApiKey, by whichever name, or another action that returns a secret. A cheap check. */
export function mayReturnSecret(path: string): boolean {
  return /CreateApiKey|RotateSecret|SecondFactor/.test(path);
}

/**
 * Creates the key and renders it.
 * Throws: auth.key-alone in a change set and for a repeatable request, and the faults of `issueKey`.
 */
export function* createKey(
  invoke: BoundInvoke,
  setting: ActionSetting,
  { principal, actor, isAlone }: SecretCaller,
): Work<Answer> {
  if (!isAlone) throw new Fault('auth.key-alone', { action: 'CreateApiKey' });
  const { administration, limits } = setting.service;
  const request = keyRequestOf(invoke, limits.maximumPage);
  const text = yield* administration.issueKey(request, principal, actor);
  const operation = { ...invoke.operation, expression: `'${text}'` };
  const answer = yield* runAction({ ...invoke, operation }, setting);
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } };
}

/** Who calls an action that returns a secret. */
export interface SecretCaller {
  readonly principal: Principal;
  readonly actor: Actor;
  /** Whether the response is sent, and not stored. */
  readonly isAlone: boolean;
}

function keyRequestOf({ parameters }: BoundInvoke, maximumPage: number): KeyRequest {
  const value = (name: keyof typeof KEY_PARAMETERS) =>
    parameters.get(KEY_PARAMETERS[name]) ?? undefined;
  const text = (name: keyof typeof KEY_PARAMETERS) => {
    const found = value(name);
    return found === undefined ? undefined : String(found);
  };
  const [roles, pageSize] = [text('roles'), text('pageSize')];
  return {
    name: text('name') ?? '',
    account: text('account'),
    expires: text('expires'),
    readOnly: value('readOnly') === true,
    roles: roles === undefined ? undefined : textsOf(roles),
    pageSize: pageSize === undefined ? undefined : BigInt(pageSize),
    maximumPage,
  };
}
