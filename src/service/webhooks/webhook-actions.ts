// This file implements the actions of subscriptions: RotateSecret, Test and Replay. They need the right to change the subscription.
import { storeEntry } from '../../auth/audit.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { systemSet } from '../../edm/administration-sets.ts';
import { REPLAY_FROM, WEBHOOK_DELIVERY_TYPE } from '../../edm/webhooks/webhook-sets.ts';
import {
  addressesIn,
  readDeltaToken,
  readPosition,
  writePosition,
} from '../../plan/read/tokens.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import type { SecretCaller } from '../accounts/create-key.ts';
import { evaluate } from '../action/evaluate-expression.ts';
import {
  type ActionSetting,
  type BoundInvoke,
  initialStates,
  runAction,
  send,
} from '../action/run-action.ts';
import type { ReplayStart } from './receiver-records.ts';
import { makeSecret } from './secrets.ts';
import {
  changeAt,
  hasSecret,
  moveTo,
  newestChange,
  queueTest,
  storeSecret,
} from './webhook-state.ts';

/** Whether the operation is an action of subscriptions. */
export function isWebhookAction({ operation }: BoundInvoke): boolean {
  return ACTIONS.has(operation.engine ?? '');
}

/** Throws: auth.key-alone, webhook.secret, webhook.position, and the faults of writes. */
export function* runWebhookAction(
  invoke: BoundInvoke,
  setting: ActionSetting,
  caller: SecretCaller,
): Work<Answer> {
  const run = ACTIONS.get(invoke.operation.engine ?? '');
  invariant(run !== undefined, `${invoke.operation.name} is no action of webhooks`);
  const subscription = yield* subscriptionOf(invoke, setting);
  return yield* run({ invoke, setting, caller, subscription });
}

interface ActionCall {
  readonly invoke: BoundInvoke;
  readonly setting: ActionSetting;
  readonly caller: SecretCaller;
  readonly subscription: bigint;
}

const ACTIONS: ReadonlyMap<string, (call: ActionCall) => Work<Answer>> = new Map([
  ['rotate-secret', rotateSecret],
  ['test-webhook', queueMessage],
  ['replay-webhook', replay],
]);

/** The key of the subscription, which the account may change. Throws: access.write, write.not-found, write.many. */
function* subscriptionOf(invoke: BoundInvoke, setting: ActionSetting): Work<bigint> {
  const [acting, ...others] = yield* initialStates(invoke, setting);
  if (acting?.it === undefined || others.length > 0)
    throw new Fault('not-built', { feature: `${invoke.operation.name} for several subscriptions` });
  yield* send(setting, 'PATCH', acting.it, '{}');
  const key = yield* evaluate(setting, acting, '$it/Uid');
  invariant(key.kind === 'value', 'a key is a value');
  return BigInt(key.json.replaceAll('"', ''));
}

/** Throws: auth.key-alone in a change set and for a repeatable request. */
function* rotateSecret({ invoke, setting, caller, subscription }: ActionCall): Work<Answer> {
  if (!caller.isAlone) throw new Fault('auth.key-alone', { action: 'RotateSecret' });
  const { world, secretOverlap } = setting.service;
  const secret = makeSecret(world);
  yield* storeSecret(subscription, secret, world.now() + secretOverlap);
  yield* note(setting, caller, subscription, 'secret rotated');
  const operation = { ...invoke.operation, expression: `'${secret}'` };
  const answer = yield* runAction({ ...invoke, operation }, setting);
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } };
}

/** Throws: webhook.secret. */
function* queueMessage({ invoke, setting, subscription }: ActionCall): Work<Answer> {
  if (!(yield* hasSecret(subscription))) throw new Fault('webhook.secret');
  const { model, world } = setting.service;
  const uid = yield* queueTest(subscription, setting.call.root, world.now());
  const set = systemSet(model, WEBHOOK_DELIVERY_TYPE);
  const operation = { ...invoke.operation, expression: `$root/${set?.name}(${uid})` };
  return yield* runAction({ ...invoke, operation }, setting);
}

/** Throws: webhook.position. */
function* replay({ invoke, setting, caller, subscription }: ActionCall): Work<Answer> {
  const from = String(invoke.parameters.get(REPLAY_FROM) ?? '').trim();
  const start = yield* startOf(from, setting.service.world.now());
  yield* requirePast(start.position);
  yield* moveTo(subscription, start, setting.service.world.now());
  yield* note(setting, caller, subscription, `replay from ${start.position}`);
  return yield* runAction(invoke, setting);
}

/** The position after an event, of a delta link, or at a point in time. */
function* startOf(text: string, now: number): Work<ReplayStart> {
  if (readPosition(text) !== undefined) return { position: text };
  const token = /[?&](?:\$|%24)?deltatoken=([^&#]+)/i.exec(text)?.[1] ?? text;
  if (/^1\.[0-9a-f]{8}\./.test(token)) return startIn(decodeURIComponent(token));
  if (!/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/i.test(text) || Number.isNaN(Date.parse(text)))
    throw notAPosition(`"${text.slice(0, 60)}" is none of them`);
  if (Date.parse(text) > now) throw notAPosition('the time is in the future');
  return { position: String(yield* changeAt(new Date(text).toISOString())) };
}

/** A position after the last change could not be continued, which would disable the subscription. Throws: webhook.position. */
function* requirePast(position: string): Work<void> {
  const newest = yield* newestChange();
  const { since = 0n, part } = readPosition(position) ?? {};
  if ((part === undefined ? since : since + 1n) <= newest) return;
  throw notAPosition(`${position} is after the last change, ${newest}`);
}

function startIn(text: string): ReplayStart {
  try {
    const token = readDeltaToken(text);
    return { position: writePosition(token.span), known: addressesIn(token) };
  } catch (error) {
    if (error instanceof Fault) throw notAPosition('the token is not complete');
    throw error;
  }
}

function notAPosition(reason: string): Fault {
  return new Fault('webhook.position', { reason }, { target: REPLAY_FROM });
}

/** Keeps a note in the audit trail. */
function* note(
  { service }: ActionSetting,
  { actor }: SecretCaller,
  subscription: bigint,
  detail: string,
): Work<void> {
  const target = `WebhookSubscriptions(${subscription})`;
  const time = service.world.now();
  yield* storeEntry({ time, kind: 'administration', ...actor, target, detail });
}
