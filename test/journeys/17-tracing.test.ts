// This file traces requests with the SDK of OpenTelemetry, and reads the log, over HTTP. Neither may contain what clients send.
import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from './desk.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const lines: string[] = [];
let desk: Desk;

beforeAll(async () => {
  provider.register();
  const settings = { tracing: true, logLevel: 'debug' };
  desk = await openDesk({ settings, onLog: (line) => void lines.push(line) });
});
afterAll(async () => {
  await desk?.close();
  await provider.shutdown();
  for (const api of [trace, context, propagation]) api.disable();
});
beforeEach(() => {
  exporter.reset();
  lines.length = 0;
});

const spans = () => exporter.getFinishedSpans();

/** The spans as a tree: `GET Persons: [database read, plan]`. Repeated names occur once. */
function treeOf(root: ReadableSpan): string {
  const children = spans().filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === root.spanContext().spanId,
  );
  const inner = [...new Set(children.map(treeOf))].sort();
  return inner.length === 0 ? root.name : `${root.name}: [${inner.join(', ')}]`;
}

function spanNamed(name: string): ReadableSpan {
  const found = spans().find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name}: ${spans().map((span) => span.name)}`);
  return found;
}

interface Line {
  readonly [name: string]: unknown;
}

const requestLines = () =>
  lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');

it('continues the trace of a client, with spans for the plan and the statements', async () => {
  const { headers } = await desk.get('/Persons?$top=1&$filter=Uid gt 0', { traceparent });
  const request = spanNamed('GET Persons');
  expect(request.spanContext().traceId).toBe(TRACE);
  expect(request.parentSpanContext?.spanId).toBe(PARENT);
  expect(request.attributes).toMatchObject({
    'http.route': 'Persons',
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'docket.request.id': headers['x-request-id'],
  });
  expect(treeOf(request)).toMatch(
    /^GET Persons: \[database (?:read|scan), (?:database read, )?plan\]$/,
  );
  const statement = spans().find(({ attributes }) =>
    String(attributes['db.query.text']).includes('SELECT'),
  );
  expect(statement?.spanContext().traceId).toBe(TRACE);
  expect(requestLines()).toMatchObject([{ path: 'Persons', trace: TRACE }]);
});

it('begins a trace where the client sends none, or an invalid one', async () => {
  await desk.get('/Persons?$top=1', { traceparent: '00-00000000000000000000000000000000-1-01' });
  const { traceId } = spanNamed('GET Persons').spanContext();
  expect(traceId).toMatch(/^[\da-f]{32}$/);
  expect(requestLines()).toMatchObject([{ trace: traceId }]);
});

it('shows the parts of a batch, those of change sets included', async () => {
  const requests = [
    { id: '1', method: 'GET', url: 'Persons?$top=1' },
    {
      id: '2',
      atomicityGroup: 'a',
      method: 'POST',
      url: 'ServiceRequests',
      body: { Description: 'x' },
    },
    { id: '3', atomicityGroup: 'a', method: 'POST', url: 'Workorders', body: { Description: 'y' } },
  ];
  const { json } = await desk.send('POST', '/$batch', {
    body: { requests },
    headers: { traceparent },
  });
  expect(json.responses.map(({ status }: { status: number }) => status)).toEqual([200, 201, 201]);
  const tree = treeOf(spanNamed('POST $batch'));
  expect(tree).toContain('GET Persons: [');
  expect(tree).toContain('POST ServiceRequests');
  expect(tree).toContain('POST Workorders');
  expect(spans().every((span) => span.spanContext().traceId === TRACE)).toBe(true);
});

it('marks server errors as failed, and errors of clients only by their code', async () => {
  const { database } = desk.service;
  const { read } = database;
  const failing = () => {
    throw new Error('marked: broken');
  };
  expect((await desk.get('/Persons?$filter=Nam eq 1')).status).toBe(400);
  Object.assign(database, { read: failing });
  try {
    expect((await desk.get('/Persons(1)?$select=Uid,Name')).status).toBe(500);
  } finally {
    Object.assign(database, { read });
  }
  const [client, server] = spans().filter(({ name }) => name.startsWith('GET'));
  expect([client?.status.code, client?.attributes['docket.error.code']]).toEqual([
    0,
    'bind.unknown-property',
  ]);
  expect(server?.status).toEqual({ code: 2 });
  expect(
    JSON.stringify(spans().map(({ attributes, events }) => [attributes, events])),
  ).not.toContain('marked');
});

it('contains nothing that clients send, in the log and in the spans', async () => {
  const mark = 'zqx7marked';
  const code = { Description: mark };
  const body = JSON.stringify({
    requests: [{ id: '1', method: 'GET', url: `Persons?$filter=Name eq '${mark}'` }],
  });
  const key = { Name: mark };
  const kinds: readonly [method: string, path: string, content?: unknown][] = [
    ['GET', `/Persons?$filter=Name eq '${mark}'`],
    ['GET', `/Persons?$filter=contains(Name,'${mark}')&$count=true`],
    ['GET', `/Persons?$search=${mark}`],
    ['GET', `/Persons('${mark}')`],
    ['GET', `/Persons/${mark}`],
    ['GET', `/Persons(1)/${mark}`],
    ['GET', `/${mark}`],
    ['GET', `/${mark}(1)/Name?$select=${mark}`],
    ['GET', `/Persons?$${mark}=1`],
    ['GET', `/Persons?$filter=${mark} eq 1`],
    ['GET', `/Persons?$apply=filter(Name eq '${mark}')/aggregate($count as N)`],
    ['GET', `/Persons?$filter=Name eq @p&@p='${mark}'`],
    ['GET', `/ServiceRequests/ByReference(System='${mark}',Id='${mark}')`],
    ['GET', `/EffectiveRights(Account='${mark}')`],
    ['POST', '/Persons/$query', `$filter=Name eq '${mark}'`],
    ['POST', '/ServiceRequests', code],
    ['POST', '/ServiceRequests', `{"Description": "${mark}`],
    ['POST', '/ServiceRequests', { [mark]: 1 }],
    ['PATCH', `/ServiceRequests(1)?${mark}=${mark}`, code],
    ['PUT', '/ServiceRequests(999)', code],
    ['DELETE', `/Persons('${mark}')`],
    ['POST', '/$batch', body],
    ['POST', '/CreateApiKey', key],
    ['POST', '/ChangePassword', { CurrentPassword: mark, NewPassword: mark }],
    ['POST', '/Accounts', { LoginName: mark, Password: `${mark} long enough` }],
    ['PATCH', "/Settings('corsOrigins')", { Value: `["https://${mark}"]` }],
  ];
  for (const [method, path, content] of kinds) {
    const contentType = path.endsWith('$query') ? 'text/plain' : 'application/json';
    const message =
      content === undefined ? {} : { body: content, headers: { 'content-type': contentType } };
    const { status } = await desk.send(method, path, message);
    expect([path, status < 500]).toEqual([path, true]);
  }
  const form = `grant_type=password&username=${mark}&password=${mark}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await desk.app.server.inject({ method: 'POST', url: '/token', payload: form, headers });
  const bearer = { authorization: `Bearer dkt_${mark}` };
  await desk.app.server.inject({ url: `/odata/Persons('${mark}')`, headers: bearer });
  await desk.app.server.inject({ url: `/console/s/Persons?$filter=${mark}` });
  await desk.app.server.inject({ url: `/${mark}` });
  expect(requestLines().length).toBeGreaterThan(kinds.length);
  const seen = spans().map(({ name, attributes, events, status }) => [
    name,
    attributes,
    events,
    status,
  ]);
  const texts = [...lines, ...seen.map((span) => JSON.stringify(span))];
  expect(texts.filter((text) => text.includes(mark) || text.includes(PASSWORD))).toEqual([]);
});
