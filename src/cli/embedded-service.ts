// This file is what programs import from the package: Docket as a part of another server, which passes it requests of the Fetch API.
import { type FetchHandler, fetchHandler } from '../http/fetch-handler.ts';
import { type Ending, endingOf } from '../http/server.ts';
import { type Config, ConfigError, type EmbeddedSettings, readSettings } from './config/config.ts';
import { followModels } from './model-handover.ts';
import { type RunningService, runService } from './running-service.ts';
import { databaseOf } from './wire.ts';

/** Settings about the server that listens, which is the one of the program. */
const HOST_SETTINGS = ['host', 'port', 'tls', 'workers', 'drainSeconds'] as const;

/** The keys of docket.yaml apart from those about the server. `config` names a file with others of them. */
export type ServiceSettings = Omit<EmbeddedSettings, (typeof HOST_SETTINGS)[number]>;

/** Docket within a program. */
export interface EmbeddedService {
  /**
   * Answers a request to the OData service, the console or another endpoint. The response is complete: errors have a body as well.
   * Rejects if the request is aborted.
   */
  readonly fetch: FetchHandler;
  /** Completes the requests in progress and closes the database. From then on, requests return 503. */
  readonly close: () => Promise<void>;
}

/**
 * Starts Docket with an installation that exists, as `docket serve` does, and with a model that is applied meanwhile.
 * Throws an error that states every invalid setting, and what `docket serve` reports otherwise.
 */
export async function createService(settings: ServiceSettings = {}): Promise<EmbeddedService> {
  const config = configOf(settings);
  let current = await start(config);
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const database = await databaseOf(config);
  const restart = async () => {
    current = await start(config);
    return current;
  };
  const say = (reason: string) => current.observe({ kind: 'model', reason });
  const ended = followModels(current, { database, stopped, restart, say }).catch((error) =>
    current.observe({ kind: 'failure', id: 'model', error }),
  );
  return {
    fetch: async (request, client) => await current.fetch(request, client),
    close: async () => {
      stop();
      await ended;
      await current.stop();
    },
  };
}

/** The program would expect settings to have an effect. Those of the file are for commands. */
function configOf(settings: ServiceSettings): Config {
  const [name] = HOST_SETTINGS.filter((one) => one in settings);
  if (name !== undefined)
    throw new ConfigError(`${name}: this is up to the server that embeds Docket. Remove it.`);
  return readSettings(settings);
}

type Serving = Pick<RunningService, 'observe' | 'version' | 'handover'> &
  Ending & { readonly fetch: FetchHandler };

async function start(config: Config): Promise<Serving> {
  const running = await runService(config);
  const { app, observe, close } = running;
  try {
    await app.server.ready();
    await running.listenForMetrics();
    await running.resume();
  } catch (error) {
    await close();
    throw error;
  }
  return { ...running, ...endingOf(app, observe, close), fetch: fetchHandler(app.server.server) };
}
