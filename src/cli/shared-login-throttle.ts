// Shares the login throttle of the primary process with all workers: an attempt counts before its password is checked, whichever worker
// checks it.
import type { Worker } from 'node:cluster';
import { z } from 'zod';
import type { Admission, LoginThrottle, Outcome } from '../auth/login-throttle.ts';
import { Fault } from '../base/fault.ts';

/** A worker asks to check a password. `id` identifies the attempt within the worker. */
const admissionRequest = z.object({
  kind: z.literal('log-in'),
  id: z.number(),
  loginName: z.string(),
  machine: z.string(),
});

/** The result of an attempt. */
const attemptEnd = z.object({
  kind: z.literal('log-in end'),
  id: z.number(),
  outcome: z.enum(['failed', 'succeeded', 'undecided']) satisfies z.ZodType<Outcome>,
});

const workerMessage = z.discriminatedUnion('kind', [admissionRequest, attemptEnd]);

/** Seconds to wait, 0 if the attempt has begun, or `busy` if too many attempts are waiting. */
const admissionReply = z.object({
  kind: z.literal('log-in answer'),
  id: z.number(),
  seconds: z.union([z.number(), z.literal('busy')]),
});

type AdmissionReply = z.infer<typeof admissionReply>;

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
  worker.on('message', (received: unknown) => {
    const { data: message } = workerMessage.safeParse(received);
    if (message?.kind === 'log-in') {
      const { id, loginName, machine } = message;
      throttle.begin(loginName, machine).then(
        (admission) => admit(id, admission),
        () => reply(id, 'busy'),
      );
    } else if (message?.kind === 'log-in end') {
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
  process.on('message', (received: unknown) => {
    const { data: message } = admissionReply.safeParse(received);
    if (message === undefined) return;
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
function sendToPrimary(message: z.infer<typeof workerMessage>): boolean {
  if (!process.connected) return false;
  process.send?.(message);
  return true;
}
