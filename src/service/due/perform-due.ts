// This file performs the due actions of an installation. One process of many does it; should two do so for a moment, the ETags decide.
import { setTimeout as wait } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { startJob } from '../../store/background-job.ts';
import { type Send, sender } from '../internal-requests.ts';
import type { Service } from '../service.ts';
import {
  type DueAction,
  type DueEntity,
  type DueOutcome,
  dueActions,
  findDue,
  performDue,
} from './due-actions.ts';
import { type FailedAction, readFailed, removeFailed, storeFailed } from './failed-actions.ts';

/** Milliseconds between searches. */
const INTERVAL = 1000;
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
const SCHEDULE: Principal = {
  account: 0n,
  loginName: 'docket schedule',
  person: undefined,
  roles: [],
  administrator: true,
};

/** Performs what is due, now and every second. Returns the function that stops this. Errors are observed. */
export function startDueActions(service: Service): () => Promise<void> {
  const actions = dueActions(service.model);
  if (actions.length === 0) return async () => undefined;
  const send = sender(service, SCHEDULE, { id: 'due', address: '' });
  return startJob('due actions', INTERVAL, service.observe, async (signal) => {
    const unfinished = new Map<DueAction, DueRound>();
    do {
      const failed = await readFailed(authDatabase(service.database));
      for (const action of actions) {
        const round =
          unfinished.get(action) ??
          new DueRound(service, send, action, failed.filter(failuresOf(action)));
        if (await round.isDoneAfterTurn(signal)) unfinished.delete(action);
        else unfinished.set(action, round);
      }
    } while (unfinished.size > 0 && !signal.aborted);
  });
}

function failuresOf({ name, set }: DueAction) {
  return ({ action, entity }: FailedAction) => action === name && entity.startsWith(`${set}(`);
}

/** Performs everything for which one action is due, in turns, so that thousands of entities do not delay other actions. */
class DueRound {
  readonly #service: Service;
  readonly #send: Send;
  readonly #action: DueAction;
  readonly #failed: Map<string, FailedAction>;
  /** What has been attempted in this round, by entity and time. */
  readonly #outcomes = new Map<string, DueOutcome>();

  constructor(service: Service, send: Send, action: DueAction, failed: readonly FailedAction[]) {
    this.#service = service;
    this.#send = send;
    this.#action = action;
    this.#failed = new Map(failed.map((one) => [one.entity, one]));
  }

  /** Performs what is due until the turn or the round ends. Returns whether the round has ended. */
  async isDoneAfterTurn(signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + TURN;
    while (!signal.aborted && performance.now() < end) {
      const limit = WIDTH + this.#failed.size;
      const now = this.#service.world.now();
      const found = await findDue(this.#send, this.#action, now, limit);
      await this.#rejectUnended(found);
      const next = found.filter((entity) => this.#isNext(entity, now)).slice(0, WIDTH);
      if (next.length === 0) {
        if (found.length < limit) await this.#forgetOthers(found);
        return true;
      }
      await this.#performPolitely(next, signal);
    }
    return false;
  }

  /** Whether it has not been attempted yet, or its next attempt has come. At another time it is due again. */
  #isNext(entity: DueEntity, now: number): boolean {
    if (this.#outcomes.has(keyOf(entity))) return false;
    const failed = this.#failed.get(entity.address);
    if (failed === undefined || failed.due !== entity.due) return true;
    return failed.nextAttempt !== undefined && failed.nextAttempt <= now;
  }

  async #performPolitely(entities: readonly DueEntity[], signal: AbortSignal): Promise<void> {
    if (this.#outcomes.size < RUSH) return await this.#perform(entities);
    for (let from = 0; from < entities.length && !signal.aborted; from += SLOW_WIDTH) {
      const began = performance.now();
      await this.#perform(entities.slice(from, from + SLOW_WIDTH));
      await wait(performance.now() - began);
    }
  }

  async #perform(entities: readonly DueEntity[]): Promise<void> {
    const attempts = await Promise.all(
      entities.map(
        async (entity) => [entity, await performDue(this.#send, this.#action, entity)] as const,
      ),
    );
    // What has changed meanwhile is for the next round.
    for (const [entity, outcome] of attempts) this.#outcomes.set(keyOf(entity), outcome);
    await this.#reject(
      attempts.flatMap(([entity, outcome]) =>
        outcome.kind === 'failed' ? [[entity, outcome.message] as const] : [],
      ),
    );
  }

  /** An action must not be due at the same time after it has been performed: it would be performed without end. */
  async #rejectUnended(found: readonly DueEntity[]): Promise<void> {
    const { name, where, at } = this.#action;
    const message = `${name} has left its condition true: ${where}. Let it change ${at} or the condition.`;
    const unended = found.filter((entity) => this.#outcomes.get(keyOf(entity))?.kind === 'done');
    for (const entity of unended) this.#outcomes.set(keyOf(entity), { kind: 'failed', message });
    await this.#reject(unended.map((entity) => [entity, message] as const));
  }

  /** Stores failures, with the time of the next attempt. */
  async #reject(rejected: readonly (readonly [DueEntity, string])[]): Promise<void> {
    const now = this.#service.world.now();
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
