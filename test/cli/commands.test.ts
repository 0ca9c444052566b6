// This file runs the commands of docket as a user does: what they print, and with which code they end. Those that serve, or read from
// standard input, run in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { compileSources } from '../compiled.ts';
import { docketHere, type Ended, makeProgram, type Program } from './run-docket.ts';

let program: Program;
let folder: string;
beforeAll(() => {
  program = makeProgram();
  folder = program.folder;
}, 120_000);
afterAll(() => program.remove());

const path = (name: string) => join(folder, name);

interface Given {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

async function docket(
  words: readonly string[],
  { input, environment }: Given = {},
): Promise<Ended> {
  return words[0] === 'serve' || input !== undefined
    ? await program.docket(words, environment, input)
    : await docketHere(words, environment);
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
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
    const data = path('made');
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
        environment: { DOCKET_ADMIN_PASSWORD: 'long enough to be good' },
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
    expect((await docket(['account', 'list', '--data', data])).out).toMatch(
      /Name +State +Second factor +Roles/,
    );
    const installation = await openInstallation(readConfig({ data }, {}));
    const roles = await installation.database.read('SELECT "Name" FROM "Roles" ORDER BY "Uid"', []);
    await installation.database.close();
    const shipped = ['administrator', 'agent', 'approver', 'requester', 'integration', 'auditor'];
    expect(roles.flat()).toEqual(shipped);
  }, 120_000);

  it.each([
    ['Ctrl-C', 'secret\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('init that is interrupted by %s at the password creates nothing', async (_, keys) => {
    const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keyboard });
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
    Object.defineProperty(process, 'stdin', { value: keyboard, configurable: true });
    try {
      keyboard.write(keys);
      const ended = await docket(['init', '--data', path('interrupted'), '--admin', 'root']);
      expect(ended.code, ended.err).toBe(1);
      expect(ended.err).toBe('Password of root: \nInterrupted: nothing was changed.\n');
      expect(existsSync(join(path('interrupted'), 'docket.db'))).toBe(false);
    } finally {
      Object.defineProperty(process, 'stdin', stdin);
    }
  });

  it('model check tells file, path and remedy; model apply shows its steps, makes them, and then there are none', async () => {
    const data = path('migrated');
    const [wrong, right] = [path('wrong.json'), path('right.json')];
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
      environment: { DOCKET_ADMIN_PASSWORD: 'long enough to be good' },
    });
    const flags = [right, '--data', data];
    expect((await docket(['model', 'apply', '--plan', ...flags])).out).toContain(
      'Add the column "RoomNumber"',
    );
    expect(await docket(['model', 'apply', ...flags])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Version 2 of the model is in force.'),
    });
    expect((await docket(['model', 'apply', '--plan', ...flags])).out).toContain(
      'This model is in force already, as version 2.',
    );
    expect((await docket(['migrate', '--data', data])).out).toContain('up to date');
    const { out, err } = await docket(['migrate', '--json', '--data', data]);
    expect([JSON.parse(out), err]).toEqual([[], expect.stringContaining('up to date')]);
  }, 120_000);

  it('tells what the machine refuses, and the remedy, instead of lines of the program', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const bound = taken.address();
    const port = typeof bound === 'object' && bound !== null ? String(bound.port) : '';
    mkdirSync(path('damaged'));
    writeFileSync(path('damaged/docket.db'), 'no database at all, but long enough '.repeat(200));
    mkdirSync(path('a-directory/docket.db'), { recursive: true });
    writeFileSync(path('a-file'), '');
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['init', '--admin', 'ada', '--data', path('told')], { environment });
    const serveTold = (...flags: string[]) => ['serve', '--data', path('told'), '--port', ...flags];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [serveTold(port), /^Port \d+ of 127\.0\.0\.1 is in use, perhaps by.*--port\.\n$/],
      [serveTold(port, '--workers', '2'), /^(Port \d+ .* in use.*\n)+The service cannot start\. /],
      [serveTold('0', '--host', '192.0.2.1'), /^192\.0\.2\.1 is not an address of this machine/],
      [
        ['role', 'list', '--data', path('damaged')],
        /damaged.docket\.db is damaged\. .*docket restore/,
      ],
      [
        ['role', 'list', '--data', path('a-directory')],
        /a-directory.docket\.db is a directory, not a file\. Rename or remove it/,
      ],
      [
        ['role', 'list', '--data', path('missing')],
        /^There is no installation in \S+missing\. Create one/,
      ],
      [
        ['init', '--admin', 'ada', '--data', path('a-file/x')],
        /cannot be used: .* a file, not a directory/,
      ],
      [
        ['role', 'list', '--data', path('told'), '--config', '.'],
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
    await docket(['demo', '--requests', '5', '--data', path('kept')], { environment });
    const serving = program.launch([
      'serve',
      '--data',
      path('kept'),
      '--port',
      '0',
      '--log-level',
      'silent',
    ]);
    await waitFor(serving, /serves/);
    const made = await docket(['backup', path('copy'), '--data', path('kept')]);
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringMatching(/^Copied the database and [1-9]\d* files? to \S+copy\.\n$/),
    ]);
    const again = await docket(['backup', path('copy'), '--data', path('kept')]);
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('is not empty. Specify a new directory.'),
    ]);
    serving.kill('SIGKILL');
    rmSync(path('kept'), { recursive: true });
    renameSync(path('copy'), path('kept'));
    const checked = await docket(['files', 'check', '--data', path('kept'), '--json']);
    expect([checked.code, JSON.parse(checked.out)]).toMatchObject([
      0,
      { files: expect.any(Number), problems: [] },
    ]);
    expect((await docket(['account', 'list', '--data', path('kept')])).out).toContain('admin');
  }, 60_000);

  it('serve reports an anonymousRole that the installation does not have', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['init', '--admin', 'ada', '--data', path('roles')], { environment });
    const data = ['--data', path('roles'), '--port', '0'];
    const child = program.launch(['serve', ...data], { DOCKET_ANONYMOUS_ROLE: 'requestr' });
    const log = await waitFor(child, /"listening"/);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(log).toContain(
      'There is no role \\"requestr\\", so requests without a token are rejected.',
    );
  });

  it('serve tells that an installation is not enabled', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    await docket(['init', '--admin', 'ada', '--data', path('closed')], { environment });
    const child = program.launch(['serve', '--data', path('closed'), '--port', '0']);
    const [said] = await once(child.stderr ?? child, 'data');
    expect(String(said)).toMatch(
      /^The service is disabled and returns 503\. Enable it with "docket enable --data \S+closed"\.\n$/,
    );
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  }, 30_000);

  it.runIf(existsSync('/dev/full'))(
    'a full disk of the output ends commands with its reason, and a service goes on',
    async () => {
      const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
      await docket(['init', '--admin', 'ada', '--data', path('full')], { environment });
      const full = openSync('/dev/full', 'w');
      const bin = join(dirname(compileSources()), 'bin', 'docket');
      const launch = (words: readonly string[], errors: 'pipe' | number) =>
        spawn(process.execPath, [bin, ...words, '--data', path('full')], {
          stdio: ['ignore', full, errors],
        });
      const list = launch(['role', 'list'], 'pipe');
      const [said] = await once(list.stderr ?? list, 'data');
      expect(String(said)).toBe(
        'docket: standard output cannot be written: no space left on device. Free some disk space, or write to another file.\n',
      );
      expect(list.exitCode ?? (await once(list, 'close'))[0]).toBe(1);
      const port = await freePort();
      const service = launch(['serve', '--port', String(port)], full);
      const status = async () =>
        await fetch(`http://127.0.0.1:${port}/odata/`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(status, { timeout: 20_000 }).toBe(503);
      service.kill('SIGTERM');
      expect((await once(service, 'close'))[0]).toBe(0);
      closeSync(full);
    },
    60_000,
  );

  it('start makes a demo installation, says how to ask it, keeps the password for its owner, and stops in order', async () => {
    const data = path('demo');
    const told: string[] = [];
    for (const _round of ['first', 'second']) {
      const child = program.launch([
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
