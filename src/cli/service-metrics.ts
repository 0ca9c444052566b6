// This file measures a process for Prometheus. Workers report to the primary process, which serves the metrics of all of them.
import type { Observe } from '../base/observation.ts';
import type { App } from '../http/app.ts';
import { listenForMetrics, type MetricsListener } from '../http/metrics-listener.ts';
import type { GaugeValues, Metrics } from '../observe/metrics.ts';
import type { Config } from './config/config.ts';
import { countDueActions, readRunningState } from './running-state.ts';
import { packageVersion } from './version.ts';
import type { WiredService } from './wire.ts';

/** What the gauges are read from, once the service has been wired. */
interface Measured {
  readonly wired: WiredService;
  readonly app: Pick<App, 'pending'>;
}

export interface ServiceMetrics {
  readonly observe: Observe;
  readonly measure: (measured: Measured) => void;
  /** Serves the metrics; undefined if the primary process does. */
  readonly listen: (observe: Observe) => Promise<MetricsListener | undefined>;
}

/** The metrics of this process; undefined unless they are configured. Their code is loaded on demand. */
export async function openMetrics(
  { metrics: settings }: Pick<Config, 'metrics'>,
  isWorker: boolean,
): Promise<ServiceMetrics | undefined> {
  if (settings.port === undefined) return undefined;
  const { answerPrimary, makeMetrics } = await import('../observe/metrics.ts');
  let measured: Measured | undefined;
  const read = async () => (measured === undefined ? {} : await readGauges(measured));
  const metrics = makeMetrics({ version: packageVersion() }, read);
  if (isWorker) answerPrimary();
  return {
    observe: metrics.observe,
    measure: (what) => {
      measured = what;
    },
    listen: async (observe) =>
      isWorker ? undefined : await serveMetrics(settings, metrics, observe),
  };
}

/** Serves the metrics of all workers, if they are configured. For the primary process. */
export async function serveWorkerMetrics(
  { metrics: settings }: Pick<Config, 'metrics'>,
  observe: Observe,
): Promise<MetricsListener | undefined> {
  if (settings.port === undefined) return undefined;
  const { workerMetrics } = await import('../observe/metrics.ts');
  return await serveMetrics(settings, workerMetrics(), observe);
}

async function serveMetrics(
  { host, port = 0, token }: Config['metrics'],
  { text }: Pick<Metrics, 'text'>,
  observe: Observe,
): Promise<MetricsListener> {
  const listener = await listenForMetrics({ host, port, token }, text);
  const name = host.includes(':') ? `[${host}]` : host;
  observe({ kind: 'listening', address: `http://${name}:${listener.port}/metrics` });
  return listener;
}

async function readGauges({ wired, app }: Measured): Promise<GaugeValues> {
  const { service, current } = wired;
  const load = service.database.load();
  const { maximumUsers, idleMinutes } = current();
  const own = {
    docket_requests_running: app.pending(),
    docket_database_connections: load.connections,
    docket_database_busy_connections: load.busyConnections,
    docket_database_waiting_reads: load.waitingReads,
    docket_database_waiting_scans: load.waitingScans,
    docket_database_waiting_writes: load.waitingWrites,
    docket_session_limit: maximumUsers,
  };
  try {
    const state = await readRunningState(service, idleMinutes);
    return {
      ...own,
      docket_database_up: 1,
      docket_sessions: state.sessions,
      docket_mail_waiting: state.mailWaiting,
      docket_mail_oldest_seconds: state.mailOldestSeconds,
      docket_deferred_requests_waiting: state.deferredRequests,
      docket_due_actions_waiting: await countDueActions(service),
      docket_due_actions_failed: state.failedActions,
      docket_webhooks_active: state.subscriptions.active,
      docket_webhooks_disabled: state.subscriptions.disabled,
      docket_webhook_deliveries_waiting: state.deliveriesWaiting,
      docket_webhook_deliveries_retried: state.deliveriesRetried,
      docket_webhook_deliveries_oldest_seconds: state.deliveriesOldestSeconds,
    };
  } catch (error) {
    // Metrics are needed most when the database does not answer.
    service.observe({ kind: 'failure', id: 'metrics', error });
    return { ...own, docket_database_up: 0 };
  }
}
