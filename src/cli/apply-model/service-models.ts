// This file implements the models of the service by threads, one for each request, which work with connections of their own.
import { Worker } from 'node:worker_threads';
import { invariant } from '../../base/fault.ts';
import type { Models } from '../../service/models/models.ts';
import type { Config } from '../config/config.ts';
import { uploadedFiles } from '../model-source.ts';
import { faultOf, type ThreadMessage, type ThreadTask } from './thread-messages.ts';

export function serviceModels(config: Config): Models {
  return {
    plan: async (files) =>
      (await planned(startThread({ config, files: uploadedFiles(files) }))).json,
    prepare: async ({ files, ...apply }) => {
      const thread = startThread({ config, files: uploadedFiles(files), apply });
      const { inForce, isSame, origin } = await planned(thread);
      return {
        inForce,
        isSame,
        origin,
        start: (application, report) => {
          thread.on('error', (error) => report(`A model cannot be applied: ${error.message}`));
          thread.postMessage(application);
        },
        cancel: () => void thread.terminate(),
      };
    },
  };
}

function startThread(task: ThreadTask): Worker {
  return new Worker(new URL('./model-thread.js', import.meta.url), { workerData: task });
}

/** The plan of the thread. Throws the fault that it has sent, or the error that has ended it. */
async function planned(thread: Worker): Promise<ThreadMessage & { readonly kind: 'plan' }> {
  const message = await new Promise<ThreadMessage>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread that plans a model has ended.')));
  });
  if (message.kind === 'fault') throw faultOf(message);
  invariant(message.kind === 'plan', 'a thread sends a plan or a fault');
  return message;
}
