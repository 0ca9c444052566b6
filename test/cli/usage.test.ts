// This file asks `docket usage` what accounts have requested, on both databases, and from a service that has ended.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeUsage } from '../../src/auth/usage/stored-usage.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { runService } from '../../src/cli/running-service.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { KINDS, type Library, makeLibrary, modelText, SHELF } from './library.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse battery';

let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-usage-'));
  model = join(folder, 'library.json');
  writeFileSync(model, modelText(SHELF));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(KINDS)('docket usage on %s', (kind) => {
  let library: Library;
  beforeAll(async () => {
    library = await makeLibrary(kind, folder, model);
    expect(await library.docket('enable')).toMatchObject({ code: 0 });
  }, 120_000);

  async function shown(...words: readonly string[]) {
    const { code, out, err } = await library.docket('usage', '--json', ...words);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  }

  const config = (more: object = {}) => ({
    ...readConfig({ data: library.data }, { ...library.environment, DOCKET_LOG_LEVEL: 'silent' }),
    ...more,
  });

  /** Requests by ada to a service that ends afterwards, with an API key or a log-in. */
  async function serve(
    urls: readonly string[],
    client: string,
    { key, ...more }: { readonly key?: string; readonly usageDays?: number } = {},
  ): Promise<void> {
    const { app, close } = await runService(config({ allowInsecureTokens: true, ...more }));
    const send = async (url: string, message: object) =>
      await app.server.inject({ url, ...message });
    const form = new URLSearchParams({
      ...{ grant_type: 'password', username: 'ada', password: PASSWORD },
    });
    const type = 'application/x-www-form-urlencoded';
    const login = { method: 'POST', headers: { 'content-type': type }, payload: String(form) };
    const token = key ?? (await send('/token', login)).json().access_token;
    const headers = { authorization: `Bearer ${token}`, 'user-agent': client };
    for (const url of urls) await send(`/odata/${url}`, { headers });
    await close();
  }

  it('shows requests by account and client, and adds those of several processes', async () => {
    expect(await shown()).toEqual([]);
    await serve(["Books?$filter=Title eq 'secret'", 'Books?$top=1', 'Bookz'], 'curl/8.5.0');
    await serve(['Books?$top=2'], 'curl/9');
    await serve(['Books?$top=2'], 'wget/1.21');
    const usage = await shown();
    const day = new Date().toISOString().slice(0, 10);
    expect(usage).toMatchObject([
      { account: 'ada', client: 'curl', requests: 4, rejected: 1, failed: 0, lastDay: day },
      { account: 'ada', client: 'wget', requests: 1, rejected: 0, failed: 0 },
    ]);
    expect(usage[0].bytes).toBeGreaterThan(300);
    expect(usage[0].microseconds).toBeGreaterThan(0);
    expect(JSON.stringify(usage)).not.toContain('secret');
    const { out } = await library.docket('usage', '--account', 'ADA');
    expect(out).toMatch(/^Account +Client +Requests/);
    expect(out).toMatch(/^ada +curl +4 +1 +0 +\d+\.\d s +\d+\.\d KiB/m);
    expect(await shown('--account', 'bob')).toEqual([]);
  }, 60_000);

  it('shows the requests of an API key by the Uid of the key, whatever program sends them', async () => {
    const { out } = await library.docket('key', 'add', 'ada', '--name', 'feed', '--json');
    const [{ uid }] = JSON.parse((await library.docket('key', 'list', '--json')).out);
    const { key } = JSON.parse(out);
    await serve(['Books?$top=1', 'Bookz'], 'curl/8.5.0', { key });
    await serve(['Books?$top=2'], 'wget/1.21', { key });
    expect(await shown()).toContainEqual(
      expect.objectContaining({
        account: 'ada',
        client: `API key ${uid}`,
        requests: 3,
        rejected: 1,
      }),
    );
  }, 60_000);

  it.each(['usage', 'audit prune'])('%s rejects days before all dates', async (command) => {
    const { code, err } = await library.docket(...command.split(' '), '--days', '99999999999');
    expect([code, err]).toEqual([2, expect.stringContaining('Expected at most 36500 days.')]);
  });

  it('counts nothing with usageDays 0, and removes what is older than that', async () => {
    const installation = await openInstallation(config());
    const { auth } = installation;
    const old = {
      ...{ account: 'bob', client: 'curl', requests: 7, rejected: 0, failed: 0 },
      ...{ microseconds: 1, bytes: 1 },
    };
    try {
      await storeUsage(auth, [old], Date.now() - 100 * DAY);
      await storeUsage(auth, [old], Date.now() - 20 * DAY);
    } finally {
      await installation.stores.close();
      await installation.database.close();
    }
    expect(await shown('--days', '200', '--account', 'bob')).toMatchObject([{ requests: 14 }]);
    expect(await shown('--days', '20', '--account', 'bob')).toEqual([]);
    expect(await shown('--days', '21', '--account', 'bob')).toMatchObject([{ requests: 7 }]);
    const { close: end } = await runService(config());
    await expect
      .poll(async () => (await shown('--days', '200', '--account', 'bob'))[0]?.requests)
      .toBe(7);
    await end();
    const { close } = await runService(config({ usageDays: 0 }));
    await expect.poll(async () => await shown('--days', '200')).toEqual([]);
    await close();
    await serve(['Books?$top=1'], 'curl/8', { usageDays: 0 });
    expect(await shown('--days', '200')).toEqual([]);
  }, 60_000);

  it('keeps 20 clients of an account in a day, and others together', async () => {
    const installation = await openInstallation(config());
    const counts = { requests: 1, rejected: 0, failed: 0, microseconds: 1, bytes: 1 };
    const from = (first: number) =>
      Array.from({ length: 15 }, (_, at) => ({
        ...{ account: 'eve', client: `c${first + at}`, ...counts },
      }));
    try {
      await storeUsage(installation.auth, from(0), Date.now());
      await storeUsage(installation.auth, from(10), Date.now());
    } finally {
      await installation.stores.close();
      await installation.database.close();
    }
    const usage = await shown('--account', 'eve');
    expect(usage).toHaveLength(21);
    const requestsOf = (name: string) =>
      usage.find(({ client }: { client: string }) => client === name)?.requests;
    expect([requestsOf('c12'), requestsOf('c0'), requestsOf('other')]).toEqual([2, 1, 5]);
  });
});
