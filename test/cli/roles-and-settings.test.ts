// This file runs the commands about roles, the deletion of accounts, settings and the state beside a service that runs: what they change
// counts for clients at once, and nobody can lock everybody out.
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SettingDefinition } from '../../src/auth/runtime-settings.ts';
import { settingAsJson } from '../../src/cli/command/settings.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { adjustableSettings } from '../../src/cli/config/runtime-settings.ts';
import { packageVersion } from '../../src/cli/version.ts';
import { servedAddress } from '../child-output.ts';
import { suiteDefinition } from '../service-desk.ts';
import { docketHere, makeProgram, type Program } from './run-docket.ts';

const PASSWORD = 'correct horse battery';

let program: Program;
let server: ChildProcess;
let origin: string;
beforeAll(async () => {
  // As the service has it: each process stores what it is configured with.
  vi.stubEnv('DOCKET_LOG_LEVEL', 'silent');
  program = makeProgram();
  const environment = { DOCKET_ADMIN_PASSWORD: PASSWORD };
  expect(await docket(['demo', '--requests', '10', '--admin', 'boss'], environment)).toMatchObject({
    code: 0,
  });
  server = program.launch(['serve', '--port', '0', ...at('data'), '--log-level', 'silent']);
  origin = await servedAddress(server);
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGTERM');
  await ended;
  program.remove();
}, 60_000);

/** Values that people type for lists of strings. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['corsOrigins', 'https://a.example, https://b.example'],
  ['trustedProxies', '10.0.0.0/8,::1'],
]);

/** Values that people type for a setting, derived from its range as the list of settings shows it. */
function typedValues({ name: setting, range }: SettingDefinition): readonly string[] {
  const names = [...range.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  if (range.startsWith('one of')) return names;
  if (range === 'true or false') return ['true', 'false'];
  if (range.startsWith('a list of')) return [LISTS.get(setting) ?? names[0] ?? 'a, b'];
  const [lowest = ''] = /\d+/.exec(range) ?? [];
  return [range.includes('above') ? `${lowest}.5` : lowest];
}

const at = (name: string) => ['--data', join(program.folder, name)];

const docket: Program['docket'] = async (words, environment) =>
  await docketHere([...words, ...at('data')], environment);

async function json(...words: readonly string[]) {
  const { code, out, err } = await docket([...words, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

async function logIn(username: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body });
  const { access_token } = (await answer.json()) as { access_token?: string };
  return access_token ?? '';
}

async function ask(token: string, url: string) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${origin}/odata/${url}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

/** Waits until the service notices what a command has changed. */
async function untilStatus(token: string, url: string, status: number): Promise<void> {
  while ((await ask(token, url)).status !== status)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

const access = (entity: string, ...actions: readonly string[]) => ({
  Entity: entity,
  ...Object.fromEntries(
    ['Read', 'Create', 'Change', 'Delete', 'Attach'].map((one) => [one, actions.includes(one)]),
  ),
});

describe('roles by commands', () => {
  it('a role is added, edited and deleted, and a client sees each at once', async () => {
    const added = await docket([
      'role',
      'add',
      'night shift',
      '--description',
      'Watches at night',
      '--allow',
      'ServiceRequest=read where Uid gt 0',
      '--allow',
      'Person=Read,Change',
      '--withhold',
      'Person/Birthdate',
    ]);
    expect([added.code, added.err]).toEqual([0, '']);
    expect(added.out).toMatch(
      /^Added the role night shift \(\d+\)\.\nnight shift: Watches at night/,
    );
    expect(added.out).toMatch(/ServiceRequest +Read +Uid gt 0\n/);
    expect(added.out).toMatch(/Person +Read Change\n/);
    await docket(['account', 'add', 'nina', '--role', 'night shift'], {
      DOCKET_PASSWORD: PASSWORD,
    });
    const nina = await logIn('nina');
    await untilStatus(nina, 'ServiceRequests?$top=1', 200);
    expect((await ask(nina, 'Locations?$top=1')).status).toBe(403);

    const edited = await json(
      'role',
      'edit',
      'night shift',
      ...[
        '--name',
        'late shift',
        '--update-all',
        'yes',
        '--second-factor',
        'yes',
        '--deny',
        'ServiceRequest',
      ],
      ...['--allow', 'Location=Read', '--read-only', 'Location/Name'],
      ...['--release', 'Person/Birthdate'],
    );
    expect(edited).toMatchObject({
      Name: 'late shift',
      Description: 'Watches at night',
      UpdateAllAllowed: true,
      SecondFactorRequired: true,
      EntityAccess: [access('Person', 'Read', 'Change'), access('Location', 'Read')],
      AttributeAccess: [{ Entity: 'Location', Attribute: 'Name', Read: true, Modify: false }],
    });
    await untilStatus(nina, 'Sessions', 403);
    expect((await docket(['role', 'show', 'late shift'])).out).toContain('need a second factor.');
    await docket(['role', 'edit', 'late shift', '--second-factor', 'no']);
    await untilStatus(nina, 'Locations?$top=1', 200);
    expect((await ask(nina, 'ServiceRequests?$top=1')).status).toBe(403);

    const replaced = await json('role', 'edit', 'late shift', '--allow', 'Person=Read');
    expect(replaced.EntityAccess).toMatchObject([
      access('Location', 'Read'),
      access('Person', 'Read'),
    ]);
    expect(await docket(['role', 'delete', 'late shift'])).toMatchObject({
      code: 0,
      out: 'Deleted the role late shift and removed it from nina.\n',
    });
    await untilStatus(nina, 'Locations?$top=1', 403);
    expect((await docket(['role', 'show', 'late shift'])).code).toBe(3);
  }, 60_000);

  it('what role show writes as JSON makes a role that is the same', async () => {
    const shown = await docket(['role', 'show', 'requester', '--json']);
    writeFileSync(join(program.folder, 'requester.json'), shown.out);
    const made = await json(
      'role',
      'add',
      'asker',
      '--from',
      join(program.folder, 'requester.json'),
    );
    const bare = (role: Record<string, unknown>) => {
      const { Uid: _uid, Name: _name, Registration: _registration, ...rest } = role;
      return JSON.parse(JSON.stringify(rest, (key, value) => (key === 'Uid' ? undefined : value)));
    };
    expect(bare(made)).toEqual(bare(JSON.parse(shown.out)));
    const emptied = await json(
      ...['role', 'edit', 'asker', '--from', join(program.folder, 'requester.json')],
      ...['--deny', 'ServiceRequest', '--description', 'Reads'],
    );
    expect(emptied.EntityAccess).toHaveLength(made.EntityAccess.length - 1);
    expect(emptied).toMatchObject({ Name: 'asker', Description: 'Reads' });
  }, 60_000);

  it.each([
    [['role', 'add', 'agent'], 1, 'Name'],
    [['role', 'add', ''], 1, 'The name of a role must not be empty.'],
    [['role', 'edit', 'agent', '--name', ' '], 1, 'The name of a role must not be empty.'],
    [['role', 'add', 'x', '--allow', 'Persn=Read'], 1, 'Did you mean "Person"?'],
    [['role', 'add', 'x', '--allow', 'Person=Raed'], 2, 'Read, Create, Change, Delete, Attach'],
    [['role', 'add', 'x', '--allow', 'Person'], 2, 'is invalid'],
    [['role', 'add', 'x', '--allow', 'Person=Read where Nmae eq 1'], 1, 'Did you mean "Name"?'],
    [['role', 'add', 'x', '--withhold', 'Birthdate'], 2, 'TYPE/MEMBER'],
    [['role', 'add', 'x', '--withhold', 'Person/Birthdaet'], 1, 'Did you mean "Birthdate"?'],
    [['role', 'add', 'x', '--from', 'missing.json'], 1, 'missing.json cannot be read'],
    [['role', 'edit', 'agent'], 2, 'Specify what to change'],
    [['role', 'edit', 'agnet', '--description', 'x'], 3, 'Did you mean "agent"?'],
    [['role', 'edit', 'agent', '--deny', 'Attachmnt'], 3, 'Did you mean "Attachment"?'],
    [['role', 'edit', 'agent', '--release', 'Person/Email'], 3, 'no restriction of'],
    [['role', 'edit', 'administrator', '--name', 'root'], 1, 'could log in any more'],
    [['role', 'delete', 'administrator'], 1, 'could log in any more'],
    [['role', 'delete', 'approver'], 1, 'Templates refer to it through Roles.'],
    [['role', 'delete', 'agnet'], 3, 'Did you mean "agent"?'],
    [['account', 'delete', 'boss'], 1, 'could log in any more'],
    [['account', 'delete', 'bos'], 3, 'Did you mean "boss"?'],
    [['settings', 'set', 'limits.pageSise', '5'], 3, 'Did you mean "limits.pageSize"?'],
    [['settings', 'set', 'limits.pageSize', '0'], 1, 'a whole number from 1 to 250'],
    [['settings', 'set', 'limits.pageSize', 'many'], 1, 'a whole number from 1 to 250'],
    [['settings', 'set', 'limits.pageSize'], 2, '--reset'],
    [['settings', 'set', 'limits.pageSize', '5', '--reset'], 2, '--reset'],
    [['settings', 'set', 'serverTiming', 'yes'], 1, 'expected true or false, not "yes".'],
    [['settings', 'set', 'language', 'sv'], 1, 'one of "en", "nl", "de", "fr"'],
    [['settings', 'set', 'trustedProxies', '10.0.0.0/33'], 1, '10.0.0.0/8'],
  ] as const)(
    '%j changes nothing: exit code %i, and what to do instead',
    async (words, code, told) => {
      const before = [await json('role', 'list'), await json('settings', 'list')];
      const ended = await docket(words);
      expect([ended.code, ended.out]).toEqual([code, '']);
      expect(ended.err).toContain(told);
      const after = [await json('role', 'list'), await json('settings', 'list')];
      expect(after).toEqual(before);
    },
    30_000,
  );
});

describe('account delete', () => {
  it('ends the sessions of the account at once, and the trail notes it', async () => {
    await docket(['account', 'add', 'otto', '--role', 'agent'], { DOCKET_PASSWORD: PASSWORD });
    const otto = await logIn('otto');
    expect((await ask(otto, 'ServiceRequests?$top=1')).status).toBe(200);
    expect(await docket(['account', 'delete', 'otto'])).toMatchObject({
      code: 0,
      out: 'Deleted the account otto and ended its sessions.\n',
    });
    await untilStatus(otto, 'ServiceRequests?$top=1', 401);
    expect(await logIn('otto')).toBe('');
    const entries = await json('audit', 'list', '--kind', 'administration');
    expect(entries.at(-1)).toMatchObject({ Account: 'docket command', Detail: 'delete' });
  }, 60_000);

  it('of two administrators one can be deleted, not both', async () => {
    const environment = { DOCKET_PASSWORD: PASSWORD };
    await docket(['account', 'add', 'second', '--role', 'administrator'], environment);
    const deleted = await Promise.all([
      program.docket(['account', 'delete', 'boss', ...at('data')]),
      program.docket(['account', 'delete', 'second', ...at('data')]),
    ]);
    expect(deleted.map(({ code }) => code).sort()).toEqual([0, 1]);
    const names = (await json('account', 'list'))
      .filter(({ roles }: { roles: readonly string[] }) => roles.includes('administrator'))
      .map(({ loginName }: { loginName: string }) => loginName);
    expect(names).toHaveLength(1);
    await docket(['account', 'add', 'boss', '--role', 'administrator'], environment);
  }, 60_000);
});

describe('settings by commands', () => {
  const settingNow = async (wanted: string) =>
    (await json('settings', 'list')).find(({ name }: { name: string }) => name === wanted);

  it('are listed as a table with what they take, and set as people write them', async () => {
    const { out } = await docket(['settings', 'list']);
    expect(out).toMatch(/^Name +Value +Configured +Applies +Values\n/);
    expect(out).toMatch(/\nlimits\.pageSize +20 +20 +at the next start +a whole number from 1/);
    for (const [name, text, value] of [
      ['logLevel', 'debug', 'debug'],
      ['logLevel', '"warn"', 'warn'],
      ['maximumUsers', '7', 7],
      ['serverTiming', 'true', true],
      ['anonymous', 'ping, metadata', ['ping', 'metadata']],
      ['anonymous', '["ping"]', ['ping']],
      ['anonymous', '', []],
      ['trustedProxies', '10.0.0.0/8,fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
      ['language', 'de', 'de'],
    ] as const) {
      expect(await json('settings', 'set', name, text)).toMatchObject({ value, isSet: true });
      expect(await settingNow(name)).toMatchObject({ value, isSet: true });
      const reset = await docket(['settings', 'set', name, '--reset']);
      expect([reset.code, reset.out]).toEqual([0, expect.stringContaining(', as configured. It')]);
      expect((await settingNow(name)).isSet).toBe(false);
    }
  }, 60_000);

  const definitions = adjustableSettings(readConfig({}, {}), suiteDefinition);

  it.each(definitions)('$name takes a value as people write it', (definition) => {
    for (const text of typedValues(definition)) {
      const value: unknown = JSON.parse(settingAsJson(definition.kind, text));
      expect([text, definition.mistake(value)]).toEqual([text, undefined]);
    }
  });

  it('count for the service that runs', async () => {
    expect((await fetch(`${origin}/odata/$metadata`)).status).toBe(401);
    const set = await docket(['settings', 'set', 'anonymous', 'metadata']);
    expect(set.out).toBe('anonymous is now ["metadata"]. It applies immediately.\n');
    while ((await fetch(`${origin}/odata/$metadata`)).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 25));
    await docket(['settings', 'set', 'anonymous', '--reset']);
  }, 30_000);

  it('are there before the first start of the service', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: PASSWORD };
    await docketHere(['init', '--admin', 'ada', ...at('unstarted')], environment);
    const set = await docketHere(['settings', 'set', 'limits.pageSize', '5', ...at('unstarted')]);
    expect([set.code, set.out]).toEqual([
      0,
      'limits.pageSize is now 5. It applies at the next start.\n',
    ]);
    const { out } = await docketHere(['settings', 'list', '--json', ...at('unstarted')]);
    expect(JSON.parse(out)).toContainEqual(
      expect.objectContaining({ name: 'limits.pageSize', value: 5, configured: 20, isSet: true }),
    );
  }, 30_000);
});

describe('docket status', () => {
  it('tells what there is and that the service answers', async () => {
    const { port } = new URL(origin);
    const { code, out } = await docket(['status', '--port', port]);
    expect(code).toBe(0);
    expect(out).toMatch(/\nservice +responds at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(out).toMatch(/\nmigration +not required\n/);
    expect(out).toMatch(/\nenabled +yes\n/);
    const status = await json('status', '--port', port);
    expect(status).toMatchObject({
      data: join(program.folder, 'data'),
      model: { version: 1, origin: '', docket: packageVersion() },
      modelFile: null,
      migrationSteps: 0,
      service: { address: origin, answers: true },
      contents: {
        enabled: true,
        roles: 7,
        sessions: expect.any(Number),
        files: expect.any(Number),
        maximumUsers: 100,
        running: { mailWaiting: 0, deferredRequests: 0, dueActions: expect.any(Number) },
      },
    });
    expect(status.freeBytes).toBeGreaterThan(0);
    expect(out).toMatch(/^disk +\d+\.\d [MG]iB free$/m);
    expect(out).toMatch(/^sessions +\d+, \d+ in use of 100 permitted$/m);
    expect(status.contents.accounts).toBe((await json('account', 'list')).length);
  }, 30_000);

  it('tells that no service answers, and that the configured model file is not in force', async () => {
    const model = {
      $Version: '4.01',
      'Service.Web.OData.Model': {
        ServiceRequest: { $Kind: 'EntityType', Room: { $Type: 'Edm.Int32', $Nullable: true } },
      },
    };
    const file = join(program.folder, 'rooms.json');
    writeFileSync(file, JSON.stringify(model));
    const { code, out } = await docket(['status', '--port', '1', '--model', file]);
    expect([code, out]).toEqual([0, expect.stringContaining('does not respond at')]);
    expect(out).toContain(`${file} differs: see "docket model diff"`);
  }, 30_000);
});
