// This file lets all workers ask one brake on guessing, that of the process which started them: an attempt counts before its password is
// tried, whichever worker tries it.
import type { Worker } from 'node:cluster';
import type { Admission, Brake, Outcome } from '../auth/login-throttle.ts';
import { Fault } from '../base/fault.ts';

/** A worker wants to try a password. `id` is its own number for that. */
interface Asking {
  readonly kind: 'log-in';
  readonly id: number;
  readonly loginName: string;
  readonly machine: string;
}

/** Whether it may: seconds to wait, 0 when it has begun, or that too many wait. */
interface Answer {
  readonly kind: 'log-in answer';
  readonly id: number;
  readonly seconds: number | 'busy';
}

/** What came of it. */
interface Ending {
  readonly kind: 'log-in end';
  readonly id: number;
  readonly outcome: Outcome;
}

/** Answers what a worker asks, as long as it lives; what it leaves undecided is taken back. */
export function lendBrake(brake: Brake, worker: Worker): void {
  const begun = new Map<number, (outcome: Outcome) => void>();
  const answer = (id: number, seconds: Answer['seconds']) => {
    const message: Answer = { kind: 'log-in answer', id, seconds };
    if (worker.isConnected()) worker.send(message);
  };
  const admit = (id: number, admission: Admission) => {
    if (admission.kind === 'slowed') return answer(id, admission.seconds);
    if (worker.isDead()) return admission.end('undecided');
    begun.set(id, admission.end);
    answer(id, 0);
  };
  worker.on('message', (message: unknown) => {
    if (isAsking(message)) {
      const { id, loginName, machine } = message;
      brake.begin(loginName, machine).then(
        (admission) => admit(id, admission),
        () => answer(id, 'busy'),
      );
    } else if (isEnding(message)) {
      begun.get(message.id)?.(message.outcome);
      begun.delete(message.id);
    }
  });
  worker.once('exit', () => {
    for (const end of begun.values()) end('undecided');
    begun.clear();
  });
}

/** The brake of the process that started this worker. Without that process nothing is tried: fault auth.busy. */
export function lentBrake(): Brake {
  const asked = new Map<number, (seconds: Answer['seconds']) => void>();
  let newest = 0;
  process.on('message', (message: unknown) => {
    if (!isAnswer(message)) return;
    asked.get(message.id)?.(message.seconds);
    asked.delete(message.id);
  });
  process.once('disconnect', () => {
    for (const resolve of asked.values()) resolve('busy');
    asked.clear();
  });
  return {
    begin: async (loginName, machine) => {
      const id = ++newest;
      const seconds = await new Promise<Answer['seconds']>((resolve) => {
        asked.set(id, resolve);
        if (!tell({ kind: 'log-in', id, loginName, machine })) resolve('busy');
      });
      if (seconds === 'busy') throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '2' } });
      if (seconds > 0) return { kind: 'slowed', seconds };
      return { kind: 'begun', end: (outcome) => void tell({ kind: 'log-in end', id, outcome }) };
    },
  };
}

/** Whether there is still somebody to be told. */
function tell(message: Asking | Ending): boolean {
  if (!process.connected) return false;
  process.send?.(message);
  return true;
}

function isAsking(message: unknown): message is Asking {
  return (
    isOfKind(message, 'log-in') &&
    'loginName' in message &&
    typeof message.loginName === 'string' &&
    'machine' in message &&
    typeof message.machine === 'string'
  );
}

function isAnswer(message: unknown): message is Answer {
  return (
    isOfKind(message, 'log-in answer') &&
    'seconds' in message &&
    (typeof message.seconds === 'number' || message.seconds === 'busy')
  );
}

function isEnding(message: unknown): message is Ending {
  return (
    isOfKind(message, 'log-in end') &&
    'outcome' in message &&
    (message.outcome === 'failed' ||
      message.outcome === 'succeeded' ||
      message.outcome === 'undecided')
  );
}

function isOfKind(message: unknown, kind: string): message is { readonly id: number } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === kind &&
    'id' in message &&
    typeof message.id === 'number'
  );
}
