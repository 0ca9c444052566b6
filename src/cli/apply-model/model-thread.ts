// This file is the entry point of a thread that plans a model, and applies it if the service agrees. Reading a model, counting the rows that a step
// loses, and migrating an SQLite database would keep the service from answering meanwhile, even with 503.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, invariant } from '../../base/fault.ts';
import type { WantedModel } from '../../service/models/models.ts';
import {
  type ModelApplication,
  storeApplication,
} from '../../service/models/stored-application.ts';
import type { Work } from '../../store/database.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { requireIdentities, requireNoLoss } from '../../store/model/migrate.ts';
import { ConfigError } from '../config/config.ts';
import { writeTo } from '../model-handover.ts';
import type { ModelFiles } from '../model-source.ts';
import { databaseOf } from '../wire.ts';
import { type AppliedModel, applyPlan } from './apply-plan.ts';
import { storeModelEntry } from './model-entry.ts';
import { planJson } from './plan-json.ts';
import { type ModelPlan, planModel } from './plan-model.ts';
import { faultMessage, type ThreadMessage, type ThreadTask } from './thread-messages.ts';

const port = parentPort;
invariant(port !== null, 'model-thread.ts must run in a worker thread');
await perform(workerData as ThreadTask, port);

async function perform(task: ThreadTask, port: NonNullable<typeof parentPort>): Promise<void> {
  const { config, files, apply } = task;
  const send = (message: ThreadMessage) => port.postMessage(message);
  try {
    const database = await databaseOf(config);
    const plan = await planModel(config, database, { files, origin: originOf(files) });
    const { inForce = 0, isSame, application } = plan;
    if (apply !== undefined) requireApplicable(plan, apply);
    const json = planJson(plan, config);
    // A listener keeps the thread running, so that it waits for the service to agree.
    if (apply !== undefined && !isSame)
      port.once('message', (application: ModelApplication) => {
        void applyAndStore(database, plan, apply, application);
      });
    send({ kind: 'plan', inForce, isSame, origin: application.origin, json });
  } catch (error) {
    send(faultMessage(clientFault(error)));
  }
}

function originOf({ files }: ModelFiles): string {
  return `upload of ${files.map(({ name }) => name).join(', ')}`.slice(0, 500);
}

/** The error as clients get it. Throws any other error. */
function clientFault(error: unknown): Fault {
  if (error instanceof ConfigError) return new Fault('model.settings', { reason: error.message });
  if (!(error instanceof Fault)) throw error;
  if (error.code !== 'cli.model') return error;
  const details = error.details.map((detail) => ({ ...detail, code: 'model.mistakes' }));
  return new Fault('model.mistakes', { count: details.length }, { target: 'Files', details });
}

/** Throws: store.model-changed, store.keys-unfit, store.items-repeated, store.migration-loses. */
function requireApplicable(
  { inForce = 0, steps }: ModelPlan,
  wanted: ThreadTask['apply'] & object,
): void {
  if (inForce !== wanted.version) throw new Fault('store.model-changed', { version: inForce });
  requireIdentities(steps);
  if (!wanted.mayLose) requireNoLoss(steps);
}

/** Applies the model and stores the outcome: in the same transaction, or in one of its own with an audit entry if it fails. */
async function applyAndStore(
  database: InstallationDatabase,
  plan: ModelPlan,
  { mayLose, applicant }: Wanted,
  application: ModelApplication,
): Promise<void> {
  const finish = ({ backup }: AppliedModel) =>
    storeOutcome({ ...application, state: 'applied', backup });
  const options = { mayLose, author: applicant.account, entryOf: applicant };
  try {
    await applyPlan(database, plan, { ...options, say: () => undefined, finish });
  } catch (error) {
    const message = error instanceof Fault ? error.message : 'Internal error; see the log.';
    await writeTo(database, function* () {
      yield* storeOutcome({ ...application, state: 'failed', message });
      yield* storeModelEntry(plan, applicant, message);
    });
    if (!(error instanceof Fault)) throw error;
  }
}

type Wanted = Omit<WantedModel, 'files'>;

function storeOutcome(application: ModelApplication): Work<void> {
  return storeApplication({ ...application, ended: new Date().toISOString() });
}
