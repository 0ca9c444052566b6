// This file performs everything for which one action is due, in turns, and notes what fails. An action that fails is performed again later, each
// time after a longer delay, and holds up no other.
import { setTimeout as wait } from 'node:timers/promises';
import { servicePrincipal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { type Send, sender } from '../internal-requests.ts';
import type { Service } from '../service.ts';
import {
  type DueAction,
  type DueEntity,
  type DueOutcome,
  findDue,
  performDue,
} from './due-actions.ts';
import { type FailedAction, removeFailed, storeFailed } from './failed-actions.ts';

/** Actions that are found and performed at the same time; other requests run between them. */
const WIDTH = 20;
/** Milliseconds after which it is the turn of the other actions. */
const TURN = 500;
/** So many actions are performed without a rest. More follow from edited rules, and must not slow down requests. */
const RUSH = 1000;
/** Actions that are performed at the same time after that, followed by a rest that is as long. */
const SLOW_WIDTH = 4;
const MOST_ATTEMPTS = 8;
const FIRST_DELAY = 1000;
const LONGEST_DELAY = 600_000;

/** The account that due actions are performed and audited with. */
const SCHEDULE = servicePrincipal('docket schedule');

/** Sends the requests of due actions. */
export function scheduleSender(service: Service): Send {
  return sender(service, SCHEDULE, { id: 'due', address: '' });
}

/** An attempt in this round, and the ETag that the entity had. */
type Attempt = DueOutcome & Pick<DueEntity, 'tag'>;

/** Performs everything for which one action is due, in turns, so that thousands of entities do not delay other actions. */
export class DueRound {
  readonly #service: Service;
  readonly #send: Send;
  readonly #action: DueAction;
  readonly #failed: Map<string, FailedAction>;
  /** What has been attempted in this round, by entity and time. */
  readonly #attempts = new Map<string, Attempt>();

  /** @param failed the failed actions of all rounds */
  constructor(service: Service, send: Send, action: DueAction, failed: readonly FailedAction[]) {
    this.#service = service;
    this.#send = send;
    this.#action = action;
    const own = failed.filter(
      (one) => one.action === action.name && one.entity.startsWith(`${action.set}(`),
    );
    this.#failed = new Map(own.map((one) => [one.entity, one]));
  }

  /** Performs what is due until the turn or the round ends. Returns whether the round has ended. */
  async isDoneAfterTurn(signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + TURN;
    while (!signal.aborted && performance.now() < end) {
      const limit = WIDTH + this.#failed.size;
      const now = this.#service.businessTime();
      const found = await this.#find(now, limit);
      const next = found.filter((entity) => this.#isNext(entity, now)).slice(0, WIDTH);
      if (next.length === 0) {
        if (found.length < limit) await this.#forgetOthers(found);
        return true;
      }
      await this.#performPolitely(next, signal);
    }
    return false;
  }

  /** What has been due for longest at a time, apart from what has failed in this round. */
  async nextUntil(time: number): Promise<DueEntity | undefined> {
    const found = await this.#find(time, 1 + this.#failed.size);
    return found.find((entity) => this.#isNext(entity, time));
  }

  async #find(time: number, limit: number): Promise<readonly DueEntity[]> {
    const found = await findDue(this.#send, this.#action, time, limit);
    await this.#rejectUnended(found);
    return found;
  }

  /** Whether it has not been attempted yet, or its next attempt has come. At another time it is due again. */
  #isNext(entity: DueEntity, now: number): boolean {
    const attempt = this.#attempts.get(keyOf(entity));
    if (attempt !== undefined) return attempt.kind === 'outdated' && attempt.tag !== entity.tag;
    const failed = this.#failed.get(entity.address);
    if (failed === undefined || failed.due !== entity.due) return true;
    return failed.nextAttempt !== undefined && failed.nextAttempt <= now;
  }

  async #performPolitely(entities: readonly DueEntity[], signal: AbortSignal): Promise<void> {
    if (this.#attempts.size < RUSH) return await this.perform(entities);
    for (let from = 0; from < entities.length && !signal.aborted; from += SLOW_WIDTH) {
      const began = performance.now();
      await this.perform(entities.slice(from, from + SLOW_WIDTH));
      await wait(performance.now() - began);
    }
  }

  /** Performs the action for entities that are due. */
  async perform(entities: readonly DueEntity[]): Promise<void> {
    const attempts = await Promise.all(
      entities.map(
        async (entity) => [entity, await performDue(this.#send, this.#action, entity)] as const,
      ),
    );
    for (const [entity, outcome] of attempts) this.#note(entity, outcome);
    await this.#reject(
      attempts.flatMap(([entity, outcome]) =>
        outcome.kind === 'failed' ? [[entity, outcome.message] as const] : [],
      ),
    );
  }

  #note(entity: DueEntity, outcome: DueOutcome): void {
    this.#attempts.set(keyOf(entity), { ...outcome, tag: entity.tag });
  }

  /** An action must not be due at the same time after it has been performed: it would be performed without end. */
  async #rejectUnended(found: readonly DueEntity[]): Promise<void> {
    const { name, where, at } = this.#action;
    const message = `${name} has left its condition true: ${where}. Let it change ${at} or the condition.`;
    const unended = found.filter((entity) => this.#attempts.get(keyOf(entity))?.kind === 'done');
    for (const entity of unended) this.#note(entity, { kind: 'failed', message });
    await this.#reject(unended.map((entity) => [entity, message] as const));
  }

  /** Stores failures, with the time of the next attempt. */
  async #reject(rejected: readonly (readonly [DueEntity, string])[]): Promise<void> {
    const now = this.#service.businessTime();
    const failed = rejected.map(([{ address, due }, error]) => {
      const former = this.#failed.get(address);
      const attempts = former?.due === due ? former.attempts + 1 : 1;
      const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY);
      const nextAttempt = attempts < MOST_ATTEMPTS ? now + delay : undefined;
      const { name } = this.#action;
      return { action: name, entity: address, due, attempts, lastAttempt: now, nextAttempt, error };
    });
    for (const one of failed) this.#failed.set(one.entity, one);
    await storeFailed(authDatabase(this.#service.database), failed);
  }

  /** Removes the failures of entities for which the action is not due any more. */
  async #forgetOthers(found: readonly DueEntity[]): Promise<void> {
    const due = new Set(found.map(({ address }) => address));
    const obsolete = [...this.#failed.values()].filter(({ entity }) => !due.has(entity));
    await removeFailed(authDatabase(this.#service.database), obsolete);
  }
}

const keyOf = ({ address, due }: DueEntity) => `${address} ${due}`;
