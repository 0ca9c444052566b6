// This file applies models while services run, each in a process of its own, on both databases: the services continue with the new model,
// two commands do not both win, and a command that is killed leaves no mixture.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedAddress } from '../child-output.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere, makeProgram, type Program } from './run-docket.ts';

const PASSWORD = 'correct horse battery';

let program: Program;
beforeAll(() => {
  program = makeProgram();
}, 120_000);
afterAll(() => program.remove());

describe.each(SAMPLED_DATABASES)('with %s', (kind) => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  const running: ChildProcess[] = [];
  let url: string | undefined;
  const place = () => ['--data', join(folder, 'data')];
  const docket = async (...words: readonly string[]) =>
    await docketHere([...words, ...place()], environment);
  /** Applies the model in a process of its own, beside requests and other commands. */
  const apply = async (file: string) =>
    await program.docket(['model', 'apply', file, ...place()], environment);
  const versions = async (): Promise<readonly { readonly version: number }[]> =>
    JSON.parse((await docket('model', 'list', '--json')).out);

  /** A model whose service requests have the properties. */
  const modelWith = (...names: readonly string[]) => {
    const file = join(folder, `${names.join('-')}.json`);
    const members = names.map((name) => [name, { $Type: 'Edm.Int32', $Nullable: true }]);
    const type = { $Kind: 'EntityType', ...Object.fromEntries(members) };
    const model = { $Version: '4.01', 'Service.Web.OData.Model': { ServiceRequest: type } };
    writeFileSync(file, JSON.stringify(model));
    return file;
  };

  async function serve(...words: readonly string[]): Promise<string> {
    const port = String(await freePort());
    const child = program.launch(
      ['serve', '--port', port, '--log-level', 'error', ...words, ...place()],
      environment,
    );
    running.push(child);
    return await servedAddress(child);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docket-handover-'));
    environment = { DOCKET_ADMIN_PASSWORD: PASSWORD };
    if (kind === 'PostgreSQL') {
      url = await postgresUrl();
      environment = { ...environment, DOCKET_DATABASE: url };
    }
    expect(await docket('demo', '--requests', '30')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(async () => {
    await stopAll(running);
    rmSync(folder, { recursive: true });
    if (url !== undefined) await dropDatabase(url);
  }, 60_000);

  it.each([
    ['one process', []],
    ['several workers', ['--workers', '2']],
  ])(
    'a service of %s continues with the model that is applied, and fails no request otherwise',
    async (_, words) => {
      const origins = [
        await serve(...words),
        ...(kind === 'SQLite' ? [] : [await serve(...words)]),
      ];
      const file = modelWith(words.length === 0 ? 'Room' : 'Floor');
      const tokens = await Promise.all(origins.map(tokenAt));
      const watching = origins.map((origin, at) => statusesOf(origin, tokens[at] ?? ''));
      const applied = await apply(file);
      expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('is in force') });
      for (const [at, origin] of origins.entries())
        await untilServed(origin, tokens[at] ?? '', words.length === 0 ? 'Room' : 'Floor');
      for (const watch of watching) {
        const statuses = await watch.end();
        expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
        expect(statuses).toContain(200);
      }
      await stopAll(running.splice(0));
    },
    120_000,
  );

  it('of two commands at the same time, one wins, and the other is told', async () => {
    const before = (await versions()).length;
    const files = [modelWith('Floor', 'North'), modelWith('Floor', 'South')];
    const ended = await Promise.all(files.map(apply));
    const lost = ended.filter(({ code }) => code !== 0);
    expect((await versions()).length - before + lost.length).toBe(2);
    for (const { code, err } of lost) {
      expect(code).toBe(1);
      expect(err).toMatch(/was applied in the meantime|would lose/);
    }
    expect(await docket('status')).toMatchObject({ code: 0 });
  }, 120_000);

  it('a command that is killed leaves the former model or the new one', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `Extra${at}`);
    const { length } = await versions();
    for (const delay of [400, 700, 900]) {
      const file = modelWith('Floor', ...names.slice(0, delay / 100));
      const child = program.launch(
        ['model', 'apply', file, '--allow-loss', ...place()],
        environment,
      );
      await pause(delay);
      child.kill('SIGKILL');
      expect(await docket('status')).toMatchObject({ code: 0 });
    }
    expect((await versions()).length).toBeGreaterThanOrEqual(length);
  }, 120_000);

  it('an announcement of a command that was killed does not keep a service from starting for long', async () => {
    const origin = await serve();
    const child = program.launch(['model', 'apply', modelWith('Late'), ...place()], environment);
    await pause(1500);
    child.kill('SIGKILL');
    await untilAnswered(origin);
    expect(await docket('status')).toMatchObject({ code: 0 });
  }, 60_000);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const ended = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await ended;
  }
}

async function tokenAt(origin: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const response = await fetch(`${origin}/token`, { method: 'POST', body });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** The status of a read on a connection that stays open; 0 if it is reset or rejected. */
async function statusOf(origin: string, token: string, query = ''): Promise<number> {
  try {
    const response = await fetch(`${origin}/odata/ServiceRequests?$top=1${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    if (response.status === 503) expect(response.headers.get('retry-after')).not.toBeNull();
    if (response.status === 200) JSON.parse(text);
    return response.status;
  } catch {
    return 0;
  }
}

/** Reads again and again, until the end. */
function statusesOf(origin: string, token: string) {
  const statuses = new Set<number>();
  let isEnding = false;
  const run = async () => {
    while (!isEnding) {
      statuses.add(await statusOf(origin, token));
      await pause(10);
    }
  };
  const running = run();
  return {
    end: async (): Promise<ReadonlySet<number>> => {
      isEnding = true;
      await running;
      return statuses;
    },
  };
}

async function untilServed(origin: string, token: string, property: string): Promise<void> {
  while ((await statusOf(origin, token, `&$select=${property}`)) !== 200) await pause(50);
}

async function untilAnswered(origin: string): Promise<void> {
  const isReady = async () => {
    try {
      return (await fetch(`${origin}/readyz`)).status === 200;
    } catch {
      return false;
    }
  };
  while (!(await isReady())) await pause(100);
}
