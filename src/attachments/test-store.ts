// This file tries stores step by step. A store says what its steps are and what an administrator can do about each failure; the last
// three, with bytes, are the same for all.
import { randomBytes } from 'node:crypto';
import type { Fault } from '../base/fault.ts';
import { piecesOf } from './byte-streams.ts';
import { type AttachmentStore, makeKey, type ProbeStep } from './store.ts';

/** One step: `run` gives what is worth telling, and raises what is wrong. */
export interface Trial {
  readonly step: string;
  readonly run: () => Promise<string>;
  readonly remedy: (error: unknown) => string;
}

/** Does the trials one after the other, and ends after the first that fails. */
export async function* runTrials(trials: readonly Trial[]): AsyncGenerator<ProbeStep> {
  for (const trial of trials) {
    const step = await runTrial(trial);
    yield step;
    if (step.kind === 'failed') return;
  }
}

async function runTrial({ step, run, remedy }: Trial): Promise<ProbeStep> {
  try {
    return { kind: 'done', step, detail: await run() };
  } catch (error) {
    return { kind: 'failed', step, reason: reasonOf(error), remedy: remedy(error) };
  }
}

/** The innermost reason of an error, on one line: what stands around it is the service's own wording. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message.replaceAll(/\s+/g, ' ').trim() || error.name;
}

/** What a client is told, with the reason that only administrators are told. */
export function explained(fault: Fault): string {
  return fault.cause === undefined ? fault.message : `${fault.message} (${reasonOf(fault)})`;
}

/** Bytes of the file that is written for a trial. */
const TRIAL_SIZE = 1024;

/** Writes, reads back and takes away a small file. */
export function byteTrials(
  { put, get, remove, size }: Pick<AttachmentStore, 'put' | 'get' | 'remove' | 'size'>,
  mayNotWrite: string,
): readonly Trial[] {
  const key = makeKey(randomBytes);
  const bytes = randomBytes(TRIAL_SIZE);
  const readBack = async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of await get(key)) pieces.push(piece);
    if (!Buffer.concat(pieces).equals(bytes)) throw new Error('other bytes came back');
    return `${TRIAL_SIZE} bytes, the same`;
  };
  const takeAway = async () => {
    await remove(key);
    if ((await size(key)) !== undefined) throw new Error('the file is still there');
    return 'gone';
  };
  return [
    {
      step: 'write',
      run: async () => {
        await put(key, piecesOf(bytes));
        return `${TRIAL_SIZE} bytes`;
      },
      remedy: () => mayNotWrite,
    },
    {
      step: 'read back',
      run: readBack,
      remedy: () => 'Let the account read the files that it has written.',
    },
    {
      step: 'remove',
      run: takeAway,
      remedy: () => 'Let the account remove the files that it has written.',
    },
  ];
}
