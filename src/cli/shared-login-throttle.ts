// Shares the login throttle of the primary process with all workers: an attempt counts before its password is checked, whichever worker
// checks it.
import type { Worker } from 'node:cluster';
import type { Admission, LoginThrottle, Outcome } from '../auth/login-throttle.ts';
import { Fault } from '../base/fault.ts';

/** A worker asks to check a password. `id` identifies the attempt within the worker. */
interface AdmissionRequest {
  readonly kind: 'log-in';
  readonly id: number;
  readonly loginName: string;
  readonly machine: string;
}

/** Seconds to wait, 0 if the attempt has begun, or `busy` if too many attempts are waiting. */
interface AdmissionReply {
  readonly kind: 'log-in answer';
  readonly id: number;
  readonly seconds: number | 'busy';
}

/** The result of an attempt. */
interface AttemptEnd {
  readonly kind: 'log-in end';
  readonly id: number;
  readonly outcome: Outcome;
}

/** Answers the admission requests of a worker. When the worker exits, its open attempts end as undecided. */
export function serveLoginThrottle(throttle: LoginThrottle, worker: Worker): void {
  const running = new Map<number, (outcome: Outcome) => void>();
  const reply = (id: number, seconds: AdmissionReply['seconds']) => {
    const message: AdmissionReply = { kind: 'log-in answer', id, seconds };
    if (worker.isConnected()) worker.send(message);
  };
  const admit = (id: number, admission: Admission) => {
    if (admission.kind === 'slowed') return reply(id, admission.seconds);
    if (worker.isDead()) return admission.end('undecided');
    running.set(id, admission.end);
    reply(id, 0);
  };
  worker.on('message', (message: unknown) => {
    if (isAdmissionRequest(message)) {
      const { id, loginName, machine } = message;
      throttle.begin(loginName, machine).then(
        (admission) => admit(id, admission),
        () => reply(id, 'busy'),
      );
    } else if (isAttemptEnd(message)) {
      running.get(message.id)?.(message.outcome);
      running.delete(message.id);
    }
  });
  worker.once('exit', () => {
    for (const end of running.values()) end('undecided');
    running.clear();
  });
}

/** The login throttle of the primary process. Its methods throw auth.busy when that process is gone. */
export function primaryLoginThrottle(): LoginThrottle {
  const pending = new Map<number, (seconds: AdmissionReply['seconds']) => void>();
  let lastId = 0;
  process.on('message', (message: unknown) => {
    if (!isAdmissionReply(message)) return;
    pending.get(message.id)?.(message.seconds);
    pending.delete(message.id);
  });
  process.once('disconnect', () => {
    for (const resolve of pending.values()) resolve('busy');
    pending.clear();
  });
  return {
    begin: async (loginName, machine) => {
      const id = ++lastId;
      const seconds = await new Promise<AdmissionReply['seconds']>((resolve) => {
        pending.set(id, resolve);
        if (!sendToPrimary({ kind: 'log-in', id, loginName, machine })) resolve('busy');
      });
      if (seconds === 'busy') throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '2' } });
      if (seconds > 0) return { kind: 'slowed', seconds };
      return {
        kind: 'begun',
        end: (outcome) => void sendToPrimary({ kind: 'log-in end', id, outcome }),
      };
    },
  };
}

/** Returns false if the primary process is gone. */
function sendToPrimary(message: AdmissionRequest | AttemptEnd): boolean {
  if (!process.connected) return false;
  process.send?.(message);
  return true;
}

function isAdmissionRequest(message: unknown): message is AdmissionRequest {
  return (
    isOfKind(message, 'log-in') &&
    'loginName' in message &&
    typeof message.loginName === 'string' &&
    'machine' in message &&
    typeof message.machine === 'string'
  );
}

function isAdmissionReply(message: unknown): message is AdmissionReply {
  return (
    isOfKind(message, 'log-in answer') &&
    'seconds' in message &&
    (typeof message.seconds === 'number' || message.seconds === 'busy')
  );
}

function isAttemptEnd(message: unknown): message is AttemptEnd {
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
