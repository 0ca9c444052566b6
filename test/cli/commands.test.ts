// This file runs the commands of docket as a user does: what they print, and with which code they end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { type Compiled, compileSources } from '../compiled.ts';

let compiled: Compiled;
let folder: string;
beforeAll(() => {
  compiled = compileSources();
  folder = mkdtempSync(join(tmpdir(), 'docket-cli-'));
}, 120_000);
afterAll(() => {
  compiled.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Given {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function launch(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const main = join(compiled.directory, 'cli', 'main.js');
  const script = `import(${JSON.stringify(main)}).then(async ({ main }) => { process.exitCode = await main(process.argv.slice(1)); })`;
  return spawn(process.execPath, ['-e', script, '--', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
}

function docket(words: readonly string[], { input = '', environment }: Given = {}): Promise<Ended> {
  const child = launch(words, environment);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin?.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** The first lines of a command that goes on, until one matches. */
async function waitFor(child: ChildProcess, pattern: RegExp): Promise<string> {
  let out = '';
  return await new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += chunk;
      if (pattern.test(out)) resolve(out);
    });
    child.on('close', (code) => reject(new Error(`ended with ${code}: ${out}`)));
  });
}

describe('docket', () => {
  it('shows every command, and each of them its flags', async () => {
    const help = await docket(['--help']);
    for (const name of [
      'init',
      'enable',
      'disable',
      'serve',
      'demo',
      'migrate',
      'model',
      'account',
      'files',
    ]) {
      expect(help.out).toContain(`  ${name}`);
      expect((await docket([name, '--help'])).code).toBe(0);
    }
  }, 60_000);

  it('refuses what it does not know, with the nearest right name and exit code 2', async () => {
    expect(await docket(['serve', '--prot', '1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--port'),
    });
    expect(await docket(['serv'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('serve'),
    });
    expect(await docket(['serve'], { environment: { DOCKET_PROT: '1' } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('DOCKET_PORT'),
    });
  }, 60_000);

  it('init makes an installation with an administrator, account adds, lists and disables', async () => {
    const data = join(folder, 'made');
    expect(
      await docket(['init', '--data', data, '--admin', 'boss'], {
        environment: { DOCKET_ADMIN_PASSWORD: 'short' },
      }),
    ).toMatchObject({ code: 1, err: expect.stringContaining('12') });
    for (const command of ['init', 'demo'])
      expect(
        await docket([command, '--data', data, '--admin', 'boss '], {
          environment: { DOCKET_ADMIN_PASSWORD: 'long enough to be good' },
        }),
      ).toMatchObject({ code: 1, err: expect.stringContaining('ends with a space') });
    expect(
      await docket(['init', '--data', data, '--admin', 'boss'], {
        input: 'long enough to be good\n',
      }),
    ).toMatchObject({ code: 0 });
    expect(
      await docket(['init', '--data', data, '--admin', 'boss'], {
        input: 'long enough to be good\n',
      }),
    ).toMatchObject({ code: 1, err: expect.stringContaining('already') });
    expect(
      await docket(['account', 'add', 'zoe', '--role', 'agent', '--data', data], {
        environment: { DOCKET_PASSWORD: 'another good password' },
      }),
    ).toMatchObject({ code: 0 });
    expect(await docket(['account', 'disable', 'zoe', '--data', data])).toMatchObject({ code: 0 });
    expect(await docket(['account', 'disable', 'nobody', '--data', data])).toMatchObject({
      code: 3,
    });
    const listed = await docket(['account', 'list', '--json', '--data', data]);
    expect(JSON.parse(listed.out)).toMatchObject([
      { loginName: 'boss', blocked: false, roles: ['administrator'] },
      { loginName: 'zoe', blocked: true },
    ]);
    expect((await docket(['account', 'list', '--data', data])).out).toMatch(/Name +State +Roles/);
    const installation = await openInstallation(readConfig({ data }, {}));
    const roles = installation.database.read('SELECT "Name" FROM "Roles" ORDER BY "Uid"', []);
    await installation.database.close();
    const shipped = ['administrator', 'agent', 'approver', 'requester', 'integration', 'auditor'];
    expect(roles.flat()).toEqual(shipped);
  }, 120_000);

  it('model check tells file, path and remedy; migrate shows its steps, makes them, and then there are none', async () => {
    const data = join(folder, 'migrated');
    const [wrong, right] = [join(folder, 'wrong.json'), join(folder, 'right.json')];
    const addition = (type: string) =>
      JSON.stringify({
        $Version: '4.01',
        'Service.Web.OData.Model': {
          ServiceRequest: { $Kind: 'EntityType', RoomNumber: { $Type: type, $Nullable: true } },
        },
      });
    writeFileSync(wrong, addition('Edm.Strin'));
    writeFileSync(right, addition('Edm.Int32'));
    const checked = await docket(['model', 'check', wrong]);
    expect(checked).toMatchObject({ code: 1 });
    expect(checked.out).toContain(wrong);
    expect(checked.out).toContain('$["Service.Web.OData.Model"].ServiceRequest.RoomNumber.$Type');
    expect(checked.out).toContain('"Edm.String"');
    expect(await docket(['model', 'check', right])).toMatchObject({ code: 0 });
    await docket(['init', '--data', data, '--admin', 'boss'], {
      input: 'long enough to be good\n',
    });
    const flags = ['--data', data, '--model', right];
    expect((await docket(['serve', '--port', '0', ...flags])).err).toContain(
      'docket migrate --plan',
    );
    expect((await docket(['migrate', '--plan', ...flags])).out).toContain(
      'Add the column "RoomNumber"',
    );
    expect(await docket(['migrate', ...flags])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Migration completed'),
    });
    expect((await docket(['migrate', '--plan', ...flags])).out).toContain('up to date');
    const { out, err } = await docket(['migrate', '--json', ...flags]);
    expect([JSON.parse(out), err]).toEqual([[], expect.stringContaining('up to date')]);
  }, 120_000);

  it('tells what the machine refuses, and the remedy, instead of lines of the program', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const bound = taken.address();
    const port = typeof bound === 'object' && bound !== null ? String(bound.port) : '';
    mkdirSync(join(folder, 'damaged'));
    writeFileSync(
      join(folder, 'damaged', 'docket.db'),
      'no database at all, but long enough '.repeat(200),
    );
    writeFileSync(join(folder, 'a-file'), '');
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['init', '--admin', 'ada', '--data', 'told'], { environment });
    const serveTold = (...flags: string[]) => ['serve', '--data', 'told', '--port', ...flags];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [serveTold(port), /^Port \d+ of 127\.0\.0\.1 is in use, perhaps by.*--port\.\n$/],
      [serveTold(port, '--workers', '2'), /^(Port \d+ .* in use.*\n)+The service cannot start\. /],
      [serveTold('0', '--host', '192.0.2.1'), /^192\.0\.2\.1 is not an address of this machine/],
      [['role', 'list', '--data', 'damaged'], /damaged.docket\.db is damaged\. .*docket restore/],
      [
        ['role', 'list', '--data', 'missing'],
        /^There is no installation in \S+missing\. Create one/,
      ],
      [
        ['init', '--admin', 'ada', '--data', 'a-file/x'],
        /cannot be used: .* a file, not a directory/,
      ],
      [
        ['role', 'list', '--data', 'told', '--config', '.'],
        /^The file \. cannot be read: it is a directory/,
      ],
    ];
    for (const [words, expected] of cases) {
      const { code, err } = await docket(words, { environment });
      expect([words, code, err]).toEqual([words, 1, expect.stringMatching(expected)]);
      expect(err).not.toMatch(/^\s+at /m);
    }
    taken.close();
  }, 60_000);

  it('backup copies an installation that is written to, files included, and never into a directory that holds something', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['demo', '--requests', '5', '--data', 'kept'], { environment });
    const serving = launch(['serve', '--data', 'kept', '--port', '0', '--log-level', 'silent']);
    await waitFor(serving, /serves/);
    const made = await docket(['backup', 'copy', '--data', 'kept']);
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringMatching(/^Copied the database and [1-9]\d* files to \S+copy\.\n$/),
    ]);
    const again = await docket(['backup', 'copy', '--data', 'kept']);
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('is not empty. Specify a new directory.'),
    ]);
    serving.kill('SIGKILL');
    rmSync(join(folder, 'kept'), { recursive: true });
    renameSync(join(folder, 'copy'), join(folder, 'kept'));
    const checked = await docket(['files', 'check', '--data', 'kept', '--json']);
    expect([checked.code, JSON.parse(checked.out)]).toMatchObject([
      0,
      { files: expect.any(Number), problems: [] },
    ]);
    expect((await docket(['account', 'list', '--data', 'kept'])).out).toContain('admin');
  }, 60_000);

  it('serve tells that an installation is not enabled', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['init', '--admin', 'ada', '--data', 'closed'], { environment });
    const child = launch(['serve', '--data', 'closed', '--port', '0']);
    const [said] = await once(child.stderr ?? child, 'data');
    expect(String(said)).toMatch(
      /^The service is disabled and returns 503\. Enable it with "docket enable --data \S+closed"\.\n$/,
    );
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  }, 30_000);

  it('start makes a demo installation, says how to ask it, keeps the password for its owner, and stops in order', async () => {
    const data = join(folder, 'demo');
    const told: string[] = [];
    for (const _round of ['first', 'second']) {
      const child = launch([
        'start',
        '--data',
        data,
        '--port',
        '0',
        '--requests',
        '30',
        '--log-level',
        'silent',
      ]);
      const out = await waitFor(child, /curl .*\n/);
      told.push(out.replaceAll(/:\d+/g, ''));
      const address = /serves (http:\S+)\/odata/.exec(out)?.[1] ?? '';
      const [, name = '', password = ''] = /account: (\S+), password (\S+)/.exec(out) ?? [];
      const token = await fetch(`${address}/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'password', username: name, password }),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      const answer = await fetch(`${address}/odata/ServiceRequests/$count`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      expect(await answer.text()).toBe('30');
      child.kill('SIGINT');
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    }
    expect(told[0]).toBe(told[1]);
    expect(statSync(join(data, 'demo-account.json')).mode & 0o077).toBe(0);
  }, 120_000);
});
