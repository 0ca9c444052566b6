// Tests stores step by step. Each store defines its connection steps and the remedies for their failures. The last three steps, which
// write, read and remove a file, are the same for all stores.
import { randomBytes } from 'node:crypto';
import type { Fault } from '../base/fault.ts';
import { chunksOf } from './byte-streams.ts';
import { type AttachmentStore, makeKey, type ProbeStep } from './store.ts';

/** One step of a test. `run` returns details for the administrator and throws if the step fails. */
export interface TestStep {
  readonly step: string;
  readonly run: () => Promise<string>;
  readonly remedy: (error: unknown) => string;
}

/** Runs the steps in order until one fails. */
export async function* runSteps(steps: readonly TestStep[]): AsyncGenerator<ProbeStep> {
  for (const step of steps) {
    const result = await runStep(step);
    yield result;
    if (result.kind === 'failed') return;
  }
}

async function runStep({ step, run, remedy }: TestStep): Promise<ProbeStep> {
  try {
    return { kind: 'done', step, detail: await run() };
  } catch (error) {
    return { kind: 'failed', step, reason: reasonOf(error), remedy: remedy(error) };
  }
}

/** The message of the innermost cause of an error, on one line. Outer errors only carry messages of the service itself. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message.replaceAll(/\s+/g, ' ').trim() || error.name;
}

/** The message of an error with its cause, for administrators. Clients get the message without the cause. */
export function messageWithCause(fault: Fault): string {
  return fault.cause === undefined ? fault.message : `${fault.message} (${reasonOf(fault)})`;
}

/** Size of the test file in bytes. */
const TEST_SIZE = 1024;

/** The steps that write, read and remove a small file. */
export function fileSteps(
  { put, get, remove, size }: Pick<AttachmentStore, 'put' | 'get' | 'remove' | 'size'>,
  writeRemedy: string,
): readonly TestStep[] {
  const key = makeKey(randomBytes);
  const bytes = randomBytes(TEST_SIZE);
  const readBack = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await get(key)) chunks.push(chunk);
    if (!Buffer.concat(chunks).equals(bytes))
      throw new Error('the content differs from what was written');
    return `${TEST_SIZE} bytes, unchanged`;
  };
  const removeAndCheck = async () => {
    await remove(key);
    if ((await size(key)) !== undefined) throw new Error('the file still exists');
    return 'removed';
  };
  return [
    {
      step: 'write',
      run: async () => {
        await put(key, chunksOf(bytes));
        return `${TEST_SIZE} bytes`;
      },
      remedy: () => writeRemedy,
    },
    {
      step: 'read back',
      run: readBack,
      remedy: () => 'Allow the account to read the files that it has written.',
    },
    {
      step: 'remove',
      run: removeAndCheck,
      remedy: () => 'Allow the account to remove the files that it has written.',
    },
  ];
}
