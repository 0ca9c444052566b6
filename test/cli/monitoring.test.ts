// This file serves an installation with metrics, and reads them as Prometheus does. The dashboard in deploy/ must ask for metrics that exist.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startListening } from '../../src/cli/command/serve.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { databaseSettings, removeDatabase } from '../database.ts';
import { docketHere } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const TOKEN = 'a-token-for-prometheus';
const data = mkdtempSync(join(tmpdir(), 'docket-metrics-'));
let settings: Awaited<ReturnType<typeof databaseSettings>>;
let service: Awaited<ReturnType<typeof startListening>>;
let bearer: string;

beforeAll(async () => {
  settings = await databaseSettings();
  const environment: Record<string, string> =
    settings.database === undefined ? {} : { DOCKET_DATABASE: settings.database };
  const words = ['demo', '--requests', '5', '--data', data];
  await docketHere(words, { ...environment, DOCKET_ADMIN_PASSWORD: PASSWORD });
  const flags = { data, port: 0, logLevel: 'silent', metrics: { port: 0, token: TOKEN } };
  service = await startListening(readConfig(flags, environment));
  const form = { grant_type: 'password', username: 'admin', password: PASSWORD };
  const response = await fetch(`${origin()}/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  bearer = ((await response.json()) as { access_token: string }).access_token;
}, 60_000);

afterAll(async () => {
  await service.stop();
  await removeDatabase(settings);
  rmSync(data, { recursive: true });
});

const origin = () => `http://127.0.0.1:${service.port}`;

async function send(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const response = await fetch(`${origin()}/odata/${path}`, { headers, ...init });
  await response.text();
  return response.status;
}

async function metrics(token = TOKEN): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`, { headers });
}

/** The samples by name and labels. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const lines = (await (await metrics()).text()).split('\n');
  const values = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    values.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))] as const;
    }),
  );
}

it('counts requests by method, route and status, without keys', async () => {
  const before = await samples();
  const marked = 'marked7f3a';
  expect(await send('ServiceRequests?$top=2')).toBe(200);
  expect(await send('ServiceRequests(999999901)')).toBe(404);
  expect(await send(`Persons/${marked}/Name`)).toBe(404);
  expect(await send(`Persons(${marked}=1)`)).toBe(400);
  expect(await send(marked)).toBe(404);
  const after = await samples();
  const added = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const requests = (route: string, status: number) =>
    added(`docket_requests_total{method="GET",route="${route}",status="${status}"}`);
  expect(requests('ServiceRequests', 200)).toBe(1);
  expect(requests('ServiceRequests(*)', 404)).toBe(1);
  expect(requests('Persons/*/Name', 404) + requests('Persons/*/Name', 400)).toBe(1);
  expect(requests('*', 404)).toBe(1);
  const text = [...after.keys()].join('\n');
  expect(text).not.toContain(marked);
  expect(text).not.toContain('999999901');
  expect(added('docket_request_duration_seconds_count{method="GET"}')).toBe(5);
});

it('keeps the number of routes within bounds', async () => {
  const { makeMetrics } = await import('../../src/observe/metrics.ts');
  const { observe, text } = makeMetrics({ version: '0' }, async () => ({}));
  for (let index = 0; index < 1000; index++)
    observe({
      kind: 'request',
      id: '',
      method: `M${index}`,
      path: '',
      route: () => `route${index}`,
      isPart: false,
      status: 200,
      fault: undefined,
      milliseconds: 1,
      bytes: 0,
      stages: {},
      planCached: undefined,
      responseCached: undefined,
      account: undefined,
      apiKey: undefined,
      client: undefined,
      address: '192.0.2.1',
      trace: undefined,
    });
  const series = (await text()).match(/^docket_requests_total\{.*$/gm) ?? [];
  expect(series).toHaveLength(301);
  expect(series.join()).toContain('method="other",route="other",status="200"} 700');
});

it('shows the database, caches, sessions and queues', async () => {
  const before = await samples();
  for (let index = 0; index < 3; index++) await send('Persons?$top=1');
  const requests = [{ id: '1', method: 'GET', url: 'Persons?$top=1' }];
  await send('$batch', { method: 'POST', body: JSON.stringify({ requests }) });
  const body = JSON.stringify({ Description: 'Counted' });
  expect(await send('ServiceRequests', { method: 'POST', body })).toBe(201);
  const after = await samples();
  const added = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const operations = 'docket_database_operation_duration_seconds_count';
  expect(added(`${operations}{operation="write"}`)).toBeGreaterThan(0);
  expect(added(`${operations}{operation="read"}`)).toBeGreaterThan(0);
  expect(added('docket_cache_lookups_total{cache="plan",result="hit"}')).toBeGreaterThan(0);
  expect(added('docket_cache_lookups_total{cache="plan",result="miss"}')).toBeGreaterThan(0);
  expect(added('docket_batch_parts_total{method="GET",status="200"}')).toBe(1);
  expect(after.get('docket_sessions')).toBe(1);
  expect(after.get('docket_session_limit')).toBe(100);
  const queues = ['mail_waiting', 'deferred_requests_waiting', 'due_actions_failed'];
  const deliveries = ['waiting', 'retried', 'oldest_seconds'].map(
    (one) => `webhook_deliveries_${one}`,
  );
  for (const name of [...queues, 'webhooks_active', 'webhooks_disabled', ...deliveries])
    expect([name, after.get(`docket_${name}`)]).toEqual([name, 0]);
  expect(after.get('docket_due_actions_waiting')).toBeGreaterThanOrEqual(0);
  expect(after.get('docket_database_up')).toBe(1);
  expect(after.get('docket_database_waiting_writes')).toBe(0);
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
});

it('requires the token, and serves nothing else', async () => {
  const wrong = await metrics('another-token-that-is-wrong');
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(await wrong.text()).not.toContain('docket_');
  const right = await metrics();
  expect([right.status, right.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const other = await fetch(`http://127.0.0.1:${service.metricsPort}/odata/`);
  expect(other.status).toBe(404);
  expect((await fetch(`${origin()}/metrics`)).status).toBe(404);
});

it('is off by default, and open to other machines only with a token', () => {
  expect(readConfig({}, {}).metrics.port).toBeUndefined();
  const open = { metrics: { port: 9464, host: '0.0.0.0' } };
  expect(() => readConfig(open, {})).toThrow(
    /^metrics\.token: other machines can reach 0\.0\.0\.0/,
  );
  expect(readConfig(open, { DOCKET_METRICS_TOKEN: TOKEN }).metrics.host).toBe('0.0.0.0');
  expect(readConfig({ metrics: { port: 9464 } }, {}).metrics.host).toBe('127.0.0.1');
});

it('has a dashboard that shows every metric, and asks for metrics and labels that exist', async () => {
  const file = new URL('../../deploy/grafana/docket.json', import.meta.url);
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly panels: readonly {
      readonly title: string;
      readonly targets?: readonly { readonly expr: string }[];
    }[];
  };
  // A write that is rolled back, because metrics with labels have no samples before the first event.
  const nobody = { method: 'PATCH', body: JSON.stringify({ LastName: 'Nobody' }) };
  expect(await send('Persons(999999)', nobody)).toBe(404);
  const text = await (await metrics()).text();
  const known = new Map<string, Set<string>>();
  for (const [, type, name] of text.matchAll(/^# (TYPE|HELP) (\w+)/gm))
    if (type === 'TYPE') known.set(name ?? '', new Set());
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) {
      const names = known.get(name) ?? new Set();
      known.set(name, names.add(label));
    }
  const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
  const shown = new Set(expressions.flatMap(([, expr]) => expr.match(/\bdocket_\w+/g) ?? []));
  const own = [...text.matchAll(/^# TYPE (docket_\w+)/gm)].map(([, name = '']) => name);
  expect(own.length).toBeGreaterThan(20);
  const hidden = own.filter((name) => !shown.has(name) && !shown.has(`${name}_bucket`));
  expect(hidden).toEqual([]);
  for (const [title, expr] of expressions) {
    const names = expr.match(/\b(?:docket|process|nodejs)_\w+/g) ?? [];
    expect([title, names.length > 0]).toEqual([title, true]);
    const unknown = names.filter((name) => !known.has(name));
    expect([title, unknown]).toEqual([title, []]);
    const labels = new Set(names.flatMap((name) => [...(known.get(name) ?? [])]));
    const used = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(/, */),
    );
    expect([title, used.filter((label) => label !== 'instance' && !labels.has(label))]).toEqual([
      title,
      [],
    ]);
  }
});
