// This file counts events for Prometheus. Labels have few values: routes contain no keys and are limited in number, and methods are those of
// HTTP. Histograms have no routes, because each of their series takes as many lines as it has buckets.
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import type { Observation, Observe, RequestObservation } from '../base/observation.ts';

/** Gauges of a process: all processes of an installation are added up. */
const PROCESS_GAUGES = {
  docket_requests_running: 'Requests in progress',
  docket_database_connections: 'Connections to PostgreSQL, or threads that run scans of SQLite',
  docket_database_busy_connections: 'Connections or threads that run a statement',
  docket_database_waiting_reads: 'Quick reads that wait for a connection',
  docket_database_waiting_scans: 'Reads of many records that wait for a connection or a thread',
  docket_database_waiting_writes: 'Transactions that wait for the writer',
} as const;

/** Gauges of the installation, which each process reads from the database. */
const INSTALLATION_GAUGES = {
  docket_database_up: '1 if the database answers, otherwise 0',
  docket_sessions: 'Sessions in use',
  docket_session_limit: 'The setting maximumUsers',
  docket_mail_waiting: 'Outgoing messages that wait to be sent',
  docket_mail_oldest_seconds: 'Age of the oldest outgoing message that waits to be sent',
  docket_deferred_requests_waiting:
    'Requests with Prefer: respond-async that have not been answered',
  docket_due_actions_waiting: 'Entities for which an action is due',
  docket_due_actions_failed: 'Due actions that could not be performed',
  docket_webhooks_active: 'Webhook subscriptions that are active',
  docket_webhooks_disabled: 'Webhook subscriptions that the service has disabled',
  docket_webhook_deliveries_waiting: 'Webhook deliveries that wait to be sent',
  docket_webhook_deliveries_retried: 'Webhook deliveries that a receiver has not accepted yet',
  docket_webhook_deliveries_oldest_seconds: 'Age of the oldest webhook delivery that waits',
} as const;

const GAUGES = { ...PROCESS_GAUGES, ...INSTALLATION_GAUGES };

/** Values that could not be read are absent. */
export type GaugeValues = Readonly<Partial<Record<keyof typeof GAUGES, number>>>;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Distinct routes that are counted by themselves. */
const MOST_ROUTES = 300;
const OTHER = 'other';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATEMENT_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

export interface Metrics {
  readonly observe: Observe;
  /** The metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

/**
 * Creates the metrics of a process, which a primary process can ask for.
 * @param read reads the gauges; called once for each time that the metrics are asked for
 */
export function makeMetrics(
  { version }: { readonly version: string },
  read: () => Promise<GaugeValues>,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addGauges(registry, read);
  new Gauge({
    name: 'docket_info',
    help: 'The version of Docket',
    labelNames: ['version'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version }, 1);
  AggregatorRegistry.setRegistries([registry]);
  return { observe: makeCounters(registry), text: async () => await registry.metrics() };
}

/** The metrics of all workers. For the primary process. */
export function workerMetrics(): Pick<Metrics, 'text'> {
  const registry = new AggregatorRegistry();
  return { text: async () => await registry.clusterMetrics() };
}

/** Lets the primary process ask for the metrics of this worker. */
export function answerPrimary(): void {
  new AggregatorRegistry();
}

function addGauges(registry: Registry, read: () => Promise<GaugeValues>): void {
  let reading: Promise<GaugeValues> | undefined;
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  for (const name of Object.keys(GAUGES) as (keyof typeof GAUGES)[])
    new Gauge({
      name,
      help: GAUGES[name],
      registers: [registry],
      aggregator: name in PROCESS_GAUGES ? 'sum' : 'max',
      async collect() {
        this.set((await readOnce())[name] ?? Number.NaN);
      },
    });
}

function makeCounters(registry: Registry): Observe {
  const registers = [registry];
  const statements = new Histogram({
    name: 'docket_database_operation_duration_seconds',
    help: 'Duration of reads, scans and transactions, including the time in queues',
    labelNames: ['operation'],
    buckets: STATEMENT_SECONDS,
    registers,
  });
  const failedStatements = new Counter({
    name: 'docket_database_operations_failed_total',
    help: 'Reads, scans and transactions that failed or were rolled back',
    labelNames: ['operation'],
    registers,
  });
  const events = new Counter({
    name: 'docket_events_total',
    help: 'Other events in the log, by kind',
    labelNames: ['kind'],
    registers,
  });
  const signIns = new Counter({
    name: 'docket_sign_ins_total',
    help: 'Requests to the token endpoints, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const { countRequest, countFault } = makeRequestCounters(registry);
  return (event: Observation) => {
    if (event.kind === 'request') return countRequest(event);
    if (event.kind === 'statement') {
      const { operation, milliseconds, failed } = event;
      statements.observe({ operation }, milliseconds / 1000);
      if (failed) failedStatements.inc({ operation });
      return undefined;
    }
    if (event.kind === 'refused') countFault(event.fault);
    if (event.kind === 'token') signIns.inc({ outcome: event.outcome });
    return events.inc({ kind: event.kind });
  };
}

function makeRequestCounters(registry: Registry) {
  const { requests, routeSeconds, durations, parts, stages, caches, faults } =
    requestCounters(registry);
  const routes = new Set<string>();
  const limited = (route: string) => {
    if (routes.has(route)) return route;
    if (routes.size >= MOST_ROUTES) return OTHER;
    routes.add(route);
    return route;
  };
  const countFault = (code: string) => faults.inc({ code });
  const countLookup = (cache: string, isFound: boolean | undefined) => {
    if (isFound !== undefined) caches.inc({ cache, result: isFound ? 'hit' : 'miss' });
  };
  const countRequest = (event: RequestObservation) => {
    const isInternal = event.address === '';
    const method = METHODS.has(event.method) ? event.method : OTHER;
    const { status, milliseconds, fault } = event;
    const seconds = milliseconds / 1000;
    if (event.isPart) parts.inc({ method, status });
    else if (!isInternal) {
      const route = limited(event.route());
      requests.inc({ method, route, status });
      routeSeconds.inc({ method, route }, seconds);
      durations.observe({ method }, seconds);
    }
    for (const [stage, time] of Object.entries(event.stages)) stages.inc({ stage }, time / 1000);
    countLookup('plan', event.planCached);
    countLookup('response', event.responseCached);
    if (fault !== undefined) countFault(fault);
  };
  return { countRequest, countFault };
}

function requestCounters(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'docket_requests_total',
    help: 'Requests by method, route and status. Routes contain no keys',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const routeSeconds = new Counter({
    name: 'docket_request_seconds_total',
    help: 'Time spent on requests, by method and route',
    labelNames: ['method', 'route'],
    registers,
  });
  const durations = new Histogram({
    name: 'docket_request_duration_seconds',
    help: 'Duration of requests, by method',
    labelNames: ['method'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const parts = new Counter({
    name: 'docket_batch_parts_total',
    help: 'Requests in batches, outside of change sets, by method and status',
    labelNames: ['method', 'status'],
    registers,
  });
  const stages = new Counter({
    name: 'docket_stage_seconds_total',
    help: 'Time spent in the stages of reads: parse, bind, decide, compile, run, render',
    labelNames: ['stage'],
    registers,
  });
  const caches = new Counter({
    name: 'docket_cache_lookups_total',
    help: 'Lookups in the caches of plans and of responses',
    labelNames: ['cache', 'result'],
    registers,
  });
  const faults = new Counter({
    name: 'docket_errors_total',
    help: 'Error responses by code',
    labelNames: ['code'],
    registers,
  });
  return { requests, routeSeconds, durations, parts, stages, caches, faults };
}
