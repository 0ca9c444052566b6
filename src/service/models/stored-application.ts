// This file stores the last application of a model by ApplyModel as a setting of the database, since the service that answers about it is
// another one than the service that began it.
import { Fault } from '../../base/fault.ts';
import type { ApplicationState } from '../../edm/versions/model-operations.ts';
import type { Work } from '../../store/database.ts';
import { settingOf, storeSetting } from '../../store/installation-settings.ts';

const APPLICATION_SETTING = 'model-application';

/** The setting with the time of the last announcement of a program that waits to apply a model. Milliseconds since 1970. */
export const HANDOVER_SETTING = 'model-handover';

/**
 * An application that has not ended was interrupted if it has not been announced for so long. It is announced every second while it waits
 * for the database, and while it migrates the database nobody reads it. Milliseconds.
 */
const LIMIT = 15_000;

/** An application of a model. Points in time are in ISO 8601. */
export interface ModelApplication {
  readonly state: ApplicationState;
  /** The version that the model becomes. */
  readonly version: number;
  readonly origin: string;
  readonly account: string;
  readonly started: string;
  readonly ended?: string;
  /** Why the model could not be applied. */
  readonly message?: string;
  /** The path of the copy of the database, if there is one. */
  readonly backup?: string | undefined;
}

/** The last application; undefined if there was none. */
export function* readApplication(now: number): Work<ModelApplication | undefined> {
  const text = yield* settingOf(APPLICATION_SETTING);
  if (text === undefined) return undefined;
  const stored = JSON.parse(text) as ModelApplication;
  if (stored.state !== 'applying') return stored;
  const announced = Number((yield* settingOf(HANDOVER_SETTING)) ?? 0);
  const isOver = now - Math.max(Date.parse(stored.started), announced) > LIMIT;
  return isOver ? { ...stored, state: 'interrupted' } : stored;
}

/** Stores the state of an application. */
export function storeApplication(application: ModelApplication): Work<void> {
  return storeSetting(APPLICATION_SETTING, JSON.stringify(application));
}

/** Begins an application. Throws: model.busy, while another one runs. */
export function* beginApplication(application: ModelApplication, now: number): Work<void> {
  const last = yield* readApplication(now);
  if (last?.state === 'applying')
    throw new Fault('model.busy', {}, { headers: { 'Retry-After': '10' } });
  yield* storeApplication(application);
}

/** The members of `Docket.System.ModelApplication`. */
export function applicationJson(application: ModelApplication) {
  const { state, version, origin, account, started, ended, message, backup } = application;
  return {
    State: state,
    Version: version,
    Origin: origin,
    Account: account,
    Started: started,
    Ended: ended ?? null,
    Message: message ?? null,
    Backup: backup ?? null,
  };
}
