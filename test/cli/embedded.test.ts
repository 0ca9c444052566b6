// This file tests Docket as a part of another program: what createService does with requests of the Fetch API, with its settings, with a
// model that is applied meanwhile, and when it is closed.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createService,
  type EmbeddedService,
  type ServiceSettings,
} from '../../src/cli/embedded-service.ts';
import { docketHere } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const ADDRESS = '203.0.113.7';
const HERE = 'https://desk.example';
const folder = mkdtempSync(join(tmpdir(), 'docket-embedded-'));
const data = join(folder, 'data');
const settings: ServiceSettings = {
  data,
  logLevel: 'silent',
  limits: { bodyBytes: 300_000, resultMegabytes: 1 },
};

let docket: EmbeddedService;
let token: string;
let uids: readonly number[] = [];

beforeAll(async () => {
  await docketHere(['demo', '--requests', '5', '--data', data], {
    DOCKET_ADMIN_PASSWORD: PASSWORD,
  });
  docket = await createService(settings);
  token = (await jsonOf(await logIn(HERE, ADDRESS))).access_token;
  const { value } = await jsonOf(await ask('/odata/ServiceRequests?$select=Uid'));
  uids = value.map(({ Uid }: { readonly Uid: number }) => Uid);
}, 60_000);

afterAll(async () => {
  await docket.close();
  rmSync(folder, { recursive: true });
});

/** The address of a request of the demo. */
const request = (at = 0) => `/odata/ServiceRequests(${uids[at]})`;

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
const jsonOf = async (response: Response): Promise<any> => await response.json();

type Options = RequestInit & { readonly duplex?: 'half' };

const ask = async (path: string, options: Options = {}): Promise<Response> => {
  const headers = new Headers(options.headers);
  headers.set('authorization', `Bearer ${token}`);
  const sent = new Request(`${HERE}${path}`, { ...options, headers });
  return await docket.fetch(sent, { address: ADDRESS });
};

const FORM = { grant_type: 'password', username: 'admin', password: PASSWORD };

const logIn = (origin: string, address?: string): Promise<Response> => {
  const body = new URLSearchParams(FORM);
  const sent = new Request(`${origin}/token`, { method: 'POST', body });
  return docket.fetch(sent, { address });
};

const json = (method: string, body: object): Options => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

/** A body that counts what is read of it. */
function pieces(content: Uint8Array, size = 16_384) {
  const state = { read: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (state.read >= content.length) return controller.close();
      controller.enqueue(content.subarray(state.read, state.read + size));
      state.read += size;
    },
    cancel: () => {
      state.isCancelled = true;
    },
  });
  return { state, stream };
}

describe('requests', () => {
  it('are answered with links to the URL that they were sent to', async () => {
    const response = await ask('/odata/ServiceRequests?$top=2&$select=Uid');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const body = await jsonOf(response);
    expect(body['@odata.context']).toMatch(/^https:\/\/desk\.example\/odata\/\$metadata#/);
    expect(body.value).toHaveLength(2);
  });

  it('write records', async () => {
    const changed = await ask(request(), json('PATCH', { Description: 'Printer on fire' }));
    expect([changed.status, changed.body]).toEqual([204, null]);
    const { Description } = await jsonOf(await ask(request()));
    expect(Description).toBe('Printer on fire');
  });

  it('whose results exceed the limit are rejected, by key as with pages', async () => {
    const join = (times: number): string =>
      times === 0 ? '@t' : `concat(${join(times - 1)},${join(times - 1)})`;
    const query = (times: number): Options => ({
      method: 'POST',
      body: `$select=Uid,T&$compute=${join(times)} as T&@t='${'x'.repeat(65_000)}'`,
      headers: { 'content-type': 'text/plain' },
    });
    const one = await ask(`${request()}/$query`, query(4));
    expect(one.status).toBe(200);
    for (const path of [request(), '/odata/ServiceRequests']) {
      const rejected = await ask(`${path}/$query`, query(5));
      expect([rejected.status, (await jsonOf(rejected)).error.code]).toEqual([
        400,
        'store.too-large',
      ]);
    }
  });

  it('run asynchronously may have larger responses, which consist of several results', async () => {
    const part = `concat(${'@t,concat('.repeat(6)}@t,@t)${')'.repeat(6)}`;
    const body = JSON.stringify({
      requests: [1, 2, 3].map((id) => ({
        id: String(id),
        method: 'post',
        url: `ServiceRequests(${uids[0]})/$query`,
        headers: { 'content-type': 'text/plain' },
        body: `$select=Uid,T&$compute=${part} as T&@t='${'x'.repeat(65_000)}'`,
      })),
    });
    const headers = { 'content-type': 'application/json', prefer: 'respond-async' };
    const accepted = await ask('/odata/$batch', { method: 'POST', body, headers });
    expect(accepted.status).toBe(202);
    const monitor = new URL(accepted.headers.get('location') ?? '');
    const read = async () => await ask(`${monitor.pathname}${monitor.search}`);
    await expect.poll(async () => (await read()).status).toBe(200);
    expect((await (await read()).text()).length).toBeGreaterThan(1_048_576);
  });

  it('with HEAD, or an ETag that matches, get no body', async () => {
    const whole = await ask(request());
    const head = await ask(request(), { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, null]);
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'));
    const headers = { 'if-none-match': whole.headers.get('etag') ?? '' };
    const unchanged = await ask(request(), { headers });
    expect([unchanged.status, unchanged.body]).toEqual([304, null]);
  });

  it('get errors as responses', async () => {
    const response = await ask('/odata/ServiceRequests?$filter=Nothing eq 1');
    expect([response.status, (await jsonOf(response)).error.code]).toEqual([
      400,
      'bind.unknown-property',
    ]);
    expect((await ask('/elsewhere')).status).toBe(404);
  });

  it('also reach the console, which keeps its cookies, and the other endpoints', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/api', '/odata/$metadata'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    const session = await ask('/console/session', {
      ...json('POST', { UserName: 'admin', Password: PASSWORD }),
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'x-docket-console': '1',
      },
    });
    expect(session.status).toBe(200);
    const [cookie = ''] = session.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/Secure/);
  });

  it('get compressed bodies if they accept them, and no headers about the connection', async () => {
    const path = '/odata/$metadata';
    const plain = await (await ask(path)).text();
    const packed = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(plain);
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(packed.headers.has(name)).toBe(false);
  });

  it('of several at a time are answered at the same time', async () => {
    const paths = Array.from({ length: 50 }, (_, at) => request(at % 5));
    const found = await Promise.all(paths.map(async (path) => await jsonOf(await ask(path))));
    expect(found.map(({ Uid }) => Uid)).toEqual(paths.map((_, at) => uids[at % 5]));
  });
});

describe('bodies', () => {
  const attachments = () => `${request()}/Attachments`;
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('are streamed to files and back', async () => {
    const content = randomBytes(3_000_000);
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="core.bin"',
    };
    const body = pieces(content).stream;
    const made = await ask(attachments(), { method: 'POST', headers, body, duplex: 'half' });
    expect(made.status).toBe(201);
    const { Uid } = await jsonOf(made);
    const read = await ask(`${attachments()}(${Uid})/$value`);
    expect(read.headers.get('content-length')).toBe('3000000');
    expect(digest(new Uint8Array(await read.arrayBuffer()))).toBe(digest(content));
    const part = await ask(`${attachments()}(${Uid})/$value`, { headers: { range: 'bytes=9-11' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(9, 12));
  });

  it('beyond the limit are rejected before they are read', async () => {
    const { state, stream } = pieces(new Uint8Array(50_000_000));
    const headers = { 'content-type': 'application/json' };
    const path = '/odata/ServiceRequests';
    const response = await ask(path, { method: 'POST', headers, body: stream, duplex: 'half' });
    expect([response.status, (await jsonOf(response)).error.code]).toEqual([
      413,
      'request.body-too-large',
    ]);
    await expect.poll(() => state.isCancelled).toBe(true);
    expect(state.read).toBeLessThan(2_000_000);
  });

  it('that fail let the request fail', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.error(new Error('the disk is full')),
    });
    const sent = ask(attachments(), { method: 'POST', body, duplex: 'half' });
    await expect(sent).rejects.toThrow('the disk is full');
  });

  it('cannot contain a second request after the announced length', async () => {
    const first = '{"Description":"a"}';
    const second = `DELETE ${request(4)} HTTP/1.1\r\nHost: desk.example\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const sent = ask(request(1), {
      method: 'PATCH',
      body: `${first}${second}`,
      headers: { 'content-type': 'application/json', 'content-length': String(first.length) },
    });
    await expect(sent).rejects.toThrow(/content-length/i);
    expect((await ask(request(4))).status).toBe(200);
  });

  it('are not expected where the headers of a request announce one that it does not have', async () => {
    const headers = { 'content-length': '20', 'transfer-encoding': 'chunked', connection: 'close' };
    expect((await ask(request(), { headers })).status).toBe(200);
  });
});

describe('a request that is aborted', () => {
  it('rejects with the reason, before and while it is sent', async () => {
    await expect(ask('/healthz', { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow(
      'left',
    );
    const abort = new AbortController();
    const { promise, started } = startedBody();
    const sent = ask(`${request()}/Attachments`, {
      method: 'POST',
      body: started,
      duplex: 'half',
      signal: abort.signal,
    });
    await promise;
    abort.abort(new Error('gone'));
    await expect(sent).rejects.toThrow('gone');
    expect((await ask(request())).status).toBe(200);
  });
});

/** A body that never ends, and the promise that its first piece is read. */
function startedBody() {
  let note = () => {};
  const promise = new Promise<void>((resolve) => {
    note = resolve;
  });
  const started = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      controller.enqueue(new Uint8Array(1));
      note();
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  });
  return { promise, started };
}

describe('the client', () => {
  it('sends passwords over HTTP only from this machine', async () => {
    const status = async (...from: Parameters<typeof logIn>) => (await logIn(...from)).status;
    expect(await status('http://desk.example')).toBe(403);
    expect(await status('http://desk.example', ADDRESS)).toBe(403);
    expect(await status('http://desk.example', '127.0.0.1')).toBe(200);
    expect(await status('https://desk.example')).toBe(200);
  });

  it('uses its token from its own address only', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const read = () => new Request(`${HERE}${request()}`, { headers });
    expect((await docket.fetch(read(), { address: ADDRESS })).status).toBe(200);
    expect((await docket.fetch(read(), { address: '203.0.113.8' })).status).toBe(401);
  });

  it('is told to use HTTPS if it does', async () => {
    const header = async (url: string) =>
      (await docket.fetch(new Request(url))).headers.get('strict-transport-security');
    expect(await header('https://desk.example/healthz')).toContain('max-age');
    expect(await header('http://desk.example/healthz')).toBeNull();
  });
});

describe('settings', () => {
  const failure = async (given: object) =>
    await createService(given as ServiceSettings).then(
      () => 'started',
      (error) => (error as Error).message,
    );

  it('that are unknown or invalid are reported, all of them', async () => {
    const reported = await failure({ data, basepath: '/x', limits: { pageSize: 'many' } });
    expect(reported).toContain('"basepath" is unknown. Did you mean "basePath"?');
    expect(reported).toContain('limits.pageSize');
  });

  it.each(['host', 'port', 'tls', 'workers', 'drainSeconds'])(
    '%s is up to the server that embeds Docket',
    async (name) => {
      expect(await failure({ data, [name]: 1 })).toContain(`${name}: this is up to the server`);
    },
  );

  it('name an installation that exists', async () => {
    expect(await failure({ data: join(folder, 'nowhere') })).toContain('docket init');
  });

  it('come from the file that is named, and from nowhere else', async () => {
    const file = join(folder, 'docket.yaml');
    writeFileSync(file, `data: ${data}\nbasePath: /api\nport: 1\nlogLevel: silent\n`);
    process.env.DOCKET_BASE_PATH = '/env';
    try {
      const other = await createService({ config: file });
      const root = await other.fetch(new Request(`${HERE}/api/`));
      expect(root.status).toBe(401);
      await other.close();
    } finally {
      delete process.env.DOCKET_BASE_PATH;
    }
  });
});

describe('close', () => {
  const readiness = async (one: EmbeddedService) =>
    (await one.fetch(new Request(`${HERE}/readyz`))).status;

  it('completes the requests in progress, and rejects those after them', async () => {
    const other = await createService(settings);
    let send = (_: string) => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (text) => {
          controller.enqueue(Buffer.from(text));
          if (text.endsWith('}')) controller.close();
        };
      },
    });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const options = { method: 'PATCH', headers, body, duplex: 'half' } as const;
    const changed = other.fetch(new Request(HERE + request(2), options), { address: ADDRESS });
    send('{"Description":');
    expect(await readiness(other)).toBe(200);
    const closing = other.close();
    await expect.poll(async () => await readiness(other)).toBe(503);
    send('"Late"}');
    expect((await changed).status).toBe(204);
    await closing;
    expect(await readiness(other)).toBe(503);
    expect((await other.fetch(new Request(`${HERE}/odata/`))).status).toBe(503);
    await other.close();
    expect(await readiness(docket)).toBe(200);
  });

  // Requests in progress may take 20 seconds, and that of a client who has left must not.
  it('does not wait for clients that have left', async () => {
    const other = await createService(settings);
    const abort = new AbortController();
    const { promise, started } = startedBody();
    const headers = { authorization: `Bearer ${token}` };
    const options = { method: 'POST', headers, body: started, duplex: 'half' } as const;
    const path = `${HERE}${request()}/Attachments`;
    const sent = other.fetch(new Request(path, { ...options, signal: abort.signal }), {
      address: ADDRESS,
    });
    await promise;
    expect(await readiness(other)).toBe(200);
    abort.abort(new Error('gone'));
    await expect(sent).rejects.toThrow('gone');
    const exported = await ask('/openapi.json');
    await exported.body?.cancel();
    const begun = performance.now();
    await other.close();
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether something accepts connections on the port of this machine. */
const isListening = async (port: number) =>
  await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

describe('A second service with the same installation', () => {
  it('does the background jobs when the first one has been closed', async () => {
    const own = join(folder, 'two');
    await docketHere(['demo', '--requests', '1', '--data', own], {
      DOCKET_ADMIN_PASSWORD: PASSWORD,
    });
    const ports = [await freePort(), await freePort()];
    const services: EmbeddedService[] = [];
    for (const port of ports) {
      const mail = { account: 'admin', listen: { port, recipients: ['desk@example.com'] } };
      services.push(await createService({ data: own, logLevel: 'silent', mail }));
    }
    const [first, second] = services;
    const listening = async () => await Promise.all(ports.map(isListening));
    const within = { timeout: 20_000 };
    await expect.poll(listening, within).toEqual([true, false]);
    await first?.close();
    await expect.poll(listening, within).toEqual([false, true]);
    await second?.close();
  }, 60_000);
});

const DESK = 'Service.Web.OData.Model';
const PRINTERS = {
  $Version: '4.01',
  $EntityContainer: 'Office.Container',
  Office: {
    Printer: { $Kind: 'EntityType', $BaseType: `${DESK}.Record`, Room: {} },
    Container: {
      $Kind: 'EntityContainer',
      $Extends: `${DESK}.Container`,
      Printers: { $Collection: true, $Type: 'Office.Printer', '@Docket.Singular': 'Printer' },
    },
  },
};

describe('another model', () => {
  it('is in force once it is applied', async () => {
    const status = async () => (await ask('/odata/Printers')).status;
    expect(await status()).toBe(404);
    const file = join(folder, 'printers.csdl.json');
    writeFileSync(file, JSON.stringify(PRINTERS));
    const applied = docketHere(['model', 'apply', file, '--data', data]);
    await expect.poll(status, { timeout: 100_000 }).toBe(200);
    expect(await applied).toMatchObject({ code: 0 });
  }, 120_000);
});
