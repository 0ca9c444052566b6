// This file runs commands as they are typed beside a service that runs in a process of its own: what they change counts for its clients.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedAddress } from '../child-output.ts';
import { docketHere, type Ended, makeProgram, type Program } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'eleven brisk herons';

let program: Program;
let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  program = makeProgram();
  const made = await docket(['init', '--admin', 'boss'], { DOCKET_ADMIN_PASSWORD: PASSWORD });
  expect(made).toMatchObject({ code: 0 });
  expect(await docket(['enable'])).toMatchObject({ code: 0 });
  server = program.launch(['serve', '--port', '0', '--log-level', 'silent', ...place()]);
  origin = await servedAddress(server);
}, 180_000);
afterAll(async () => {
  const ended = new Promise((resolve) => server?.once('close', resolve));
  server?.kill('SIGTERM');
  await ended;
  program.remove();
}, 60_000);

const place = () => ['--data', join(program.folder, 'data')];

async function docket(
  words: readonly string[],
  environment?: Record<string, string>,
): Promise<Ended> {
  return await docketHere(words[0] === 'completion' ? words : [...words, ...place()], environment);
}

async function json(...words: readonly string[]) {
  const { code, out, err } = await docket([...words, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

async function token(username: string, password: string) {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body });
  return { status: answer.status, json: (await answer.json()) as Record<string, string> };
}

async function ask(access: string | undefined, path = ''): Promise<number> {
  const answer = await fetch(`${origin}/odata/${path}`, {
    headers: { authorization: `Bearer ${access}` },
  });
  await answer.text();
  return answer.status;
}

/** Kept when the service that runs has noticed, which takes it a moment. */
async function untilRefused(access: string | undefined): Promise<void> {
  while ((await ask(access)) !== 401) await new Promise((resolve) => setTimeout(resolve, 25));
}

describe('Commands beside a service that runs', () => {
  it('account add --temporary: the password must be changed before anything else', async () => {
    const words = ['account', 'add', 'temp', '--temporary'];
    expect(await docket(words, { DOCKET_PASSWORD: PASSWORD })).toMatchObject({ code: 0 });
    const { json: tokens } = await token('temp', PASSWORD);
    expect(await ask(tokens.access_token)).toBe(200);
    expect(await ask(tokens.access_token, 'Sessions')).toBe(403);
    expect(await docket(['account', 'delete', 'temp'])).toMatchObject({ code: 0 });
  });

  it('account add, roles, list: the account logs in at once', async () => {
    const added = await docket(['account', 'add', 'zoe', '--role', 'agent'], {
      DOCKET_PASSWORD: PASSWORD,
    });
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('Added the account zoe') });
    expect((await token('zoe', PASSWORD)).status).toBe(200);
    const roles = await docket(['account', 'roles', 'zoe', '--add', 'auditor', '--json']);
    expect(JSON.parse(roles.out)).toEqual(['agent', 'auditor']);
    const less = await docket(['account', 'roles', 'zoe', '--remove', 'auditor', '--json']);
    expect(JSON.parse(less.out)).toEqual(['agent']);
    expect(await json('account', 'list')).toMatchObject([
      { loginName: 'boss', blocked: false, roles: ['administrator'] },
      { loginName: 'zoe', blocked: false, hasSecondFactor: false, roles: ['agent'], person: null },
    ]);
    expect((await docket(['account', 'list'])).out).toMatch(
      /Uid +Name +State +Second factor +Roles +Person\n-/,
    );
  }, 60_000);

  it('a session that is ended is refused by the service within a second', async () => {
    const { json: pair } = await token('zoe', PASSWORD);
    expect(await ask(pair.access_token)).toBe(200);
    const [session] = (await json('session', 'list')).filter(
      (one: { account: string; lastUsed: unknown }) => one.account === 'zoe' && one.lastUsed,
    );
    expect(session).toMatchObject({ account: 'zoe', address: '127.0.0.1' });
    const both = await docket(['session', 'end', String(session.uid), '--account', 'boss']);
    expect(both).toMatchObject({ code: 2, out: '' });
    expect(both.err).toMatch(/^Specify either a session, .* or --account NAME/);
    expect(await ask(pair.access_token)).toBe(200);
    const ended = await docket(['session', 'end', String(session.uid)]);
    expect(ended).toMatchObject({ code: 0, out: 'Ended 1 session.\n' });
    await untilRefused(pair.access_token);
  }, 60_000);

  it('a token that is revoked is refused, and its session goes on', async () => {
    const { json: pair } = await token('zoe', PASSWORD);
    expect(await ask(pair.access_token)).toBe(200);
    const tokens = await json('token', 'list');
    const last = tokens.findLast((one: { kind: string }) => one.kind === 'access');
    expect(await docket(['token', 'revoke', String(last.uid)])).toMatchObject({ code: 0 });
    await untilRefused(pair.access_token);
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: pair.refresh_token ?? '',
    });
    expect((await fetch(`${origin}/token`, { method: 'POST', body })).status).toBe(200);
  }, 60_000);

  it('password, block and unblock end sessions and count at once', async () => {
    const { json: first } = await token('zoe', PASSWORD);
    expect(await ask(first.access_token)).toBe(200);
    const changed = await docket(['account', 'password', 'zoe'], { DOCKET_PASSWORD: OTHER });
    expect(changed).toMatchObject({ code: 0 });
    await untilRefused(first.access_token);
    const { json: second } = await token('zoe', OTHER);
    expect(await ask(second.access_token)).toBe(200);
    expect(await docket(['account', 'block', 'zoe'])).toMatchObject({ code: 0 });
    await untilRefused(second.access_token);
    expect((await token('zoe', OTHER)).status).toBe(400);
    expect(await docket(['account', 'unblock', 'zoe'])).toMatchObject({ code: 0 });
    expect((await token('zoe', OTHER)).status).toBe(200);
  }, 60_000);

  it('role list and role show tell what roles may do', async () => {
    const roles = await json('role', 'list');
    expect(roles.map(({ name }: { name: string }) => name)).toContain('auditor');
    const shown = await docket(['role', 'show', 'auditor']);
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/AuditEntry +Read/) });
    expect((await json('role', 'show', 'agent')).Name).toBe('agent');
  }, 60_000);

  it('the audit trail knows the commands; it is exported as lines of JSON and as CSV, and pruned', async () => {
    const entries = await json('audit', 'list', '--kind', 'administration', '--since', '1d');
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Account: 'docket command', Detail: 'password of zoe' }),
      ]),
    );
    const lines = (await docket(['audit', 'export'])).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).Kind)).toEqual(
      expect.arrayContaining(['log-in', 'administration', 'unauthorized']),
    );
    expect(lines.join('\n')).not.toMatch(/herons|horse/);
    const [head, first] = (await docket(['audit', 'export', '--format', 'csv'])).out
      .split('\r\n')
      .join('\n')
      .split('\n');
    expect(head).toBe('Uid,Time,Kind,Account,Address,Request,Target,Detail,Count');
    expect(first).toMatch(/^\d+,20\d\d-/);
    const pruned = await docket(['audit', 'prune', '--days', '1']);
    expect(pruned).toMatchObject({ code: 0, out: 'Removed 0 entries.\n' });
    expect(await json('audit', 'list', '--kind', 'command')).toMatchObject([
      { Detail: 'audit prune: 0 entries older than 1 day' },
    ]);
  }, 60_000);
});

describe('What commands refuse', () => {
  it.each([
    [['account', 'block', 'zoo'], 3, 'Did you mean "zoe"?'],
    [['account', 'roles', 'zoe', '--add', 'agnet'], 3, 'Did you mean "agent"?'],
    [['role', 'show', 'auditer'], 3, 'Did you mean "auditor"?'],
    [['session', 'end', '999999999'], 3, 'docket session list'],
    [['session', 'end'], 2, '--account NAME'],
    [['token', 'revoke', 'nonsense'], 3, 'docket token list'],
    [['account', 'block', 'boss'], 1, 'Assign the role to another account'],
    [['account', 'roles', 'boss', '--remove', 'administrator'], 1, 'could log in any more'],
    [['audit', 'list', '--kind', 'login'], 3, 'log-in'],
    [
      ['audit', 'list', '--since', '1h'],
      2,
      "'--since <time>' argument '1h' is invalid. Write 2026-03-31",
    ],
    [['key', 'add', 'boss', '--name', 'k', '--expires', '2030-01-01'], 2, "'--expires <time>'"],
    [
      ['key', 'add', 'boss', '--name', 'k', '--expires', '2030-13-01T00:00:00Z'],
      2,
      "'--expires <time>'",
    ],
    [['audit', 'prune', '--days', '0'], 2, 'above 0'],
    [['account', 'ad', 'x'], 2, 'Did you mean'],
    [['completion', 'tcsh'], 2, 'bash'],
  ] as const)(
    '%j: exit code %i, and what to do instead',
    async (words, code, told) => {
      const ended = await docket([...words]);
      expect([ended.code, ended.out]).toEqual([code, '']);
      expect(ended.err).toContain(told);
    },
    30_000,
  );

  it.each([
    ['', 'it is empty'],
    [' eve', 'begins or ends with a space'],
    ['eve\nboss', 'line break'],
    ['BOSS', 'An account named "boss" already exists'],
    ['x'.repeat(129), 'at most 128 characters'],
  ])(
    'account add %j',
    async (name, told) => {
      const before = await json('account', 'list');
      const ended = await docket(['account', 'add', name], { DOCKET_PASSWORD: OTHER });
      expect([ended.code, ended.out]).toEqual([1, '']);
      expect(ended.err).toContain(told);
      expect(await json('account', 'list')).toEqual(before);
    },
    30_000,
  );

  it('an account that exists, and a password that is guessed first', async () => {
    const twice = await docket(['account', 'add', 'boss'], { DOCKET_PASSWORD: OTHER });
    expect(twice.code).toBe(1);
    const weak = await docket(['account', 'add', 'eve'], { DOCKET_PASSWORD: 'password1234' });
    expect([weak.code, weak.err.includes('common password')]).toEqual([1, true]);
  }, 30_000);
});

describe('Completion', () => {
  const complete = (file: string, words: readonly string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `source '${file}'; COMP_WORDS=(${list}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _docket; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: program.folder })
      .trim()
      .split('\n');
  };

  it('bash completes commands, what follows them, and flags', async () => {
    const file = join(program.folder, 'docket.bash');
    const { code, out } = await docket(['completion', 'bash']);
    expect(code).toBe(0);
    writeFileSync(file, out);
    expect(complete(file, ['docket', 'se'])).toEqual(['serve', 'session', 'settings']);
    expect(complete(file, ['docket', 'help', 'se'])).toEqual(['serve', 'session', 'settings']);
    expect(complete(file, ['docket', 'role', ''])).toEqual(
      expect.arrayContaining(['list', 'show', 'add', 'edit', 'delete']),
    );
    expect(complete(file, ['docket', 'role', 'edit', 'agent', '--de'])).toEqual([
      '--description',
      '--deny',
    ]);
    expect(complete(file, ['docket', 'settings', ''])).toEqual(
      expect.arrayContaining(['list', 'set']),
    );
    expect(complete(file, ['docket', 'restore', '--re'])).toEqual(['--replace']);
    expect(complete(file, ['docket', 'restore', 'dat'])).toEqual(['data']);
    expect(complete(file, ['docket', 'completion', 'z'])).toEqual(['zsh']);
    expect(complete(file, ['docket', 'account', 'list', '--po'])).toEqual(['']);
    expect(complete(file, ['docket', 'account', ''])).toEqual(
      expect.arrayContaining(['add', 'list', 'block', 'unblock', 'delete', 'password', 'roles']),
    );
    expect(complete(file, ['docket', 'account', 'add', 'zoe', '--ro'])).toEqual(['--role']);
    expect(complete(file, ['docket', 'audit', 'export', '--fo'])).toEqual(['--format']);
    expect(complete(file, ['docket', 'serve', '--por'])).toEqual(['--port']);
  }, 30_000);

  it('zsh and fish have scripts, too', async () => {
    expect((await docket(['completion', 'zsh'])).out).toMatch(/^#compdef docket\n/);
    expect((await docket(['completion', 'fish'])).out).toContain(
      "__fish_seen_subcommand_from account' -a add",
    );
  }, 30_000);
});

it('A key that a command adds works in the running service until a command revokes it', async () => {
  const options = ['--name', 'Power BI', '--read-only', '--page', '5000'];
  const { key } = await json('key', 'add', 'boss', ...options);
  expect(await ask(key)).toBe(200);
  expect(await json('key', 'list', '--account', 'BOSS')).toMatchObject([
    { name: 'Power BI', start: key.slice(0, 8), readOnly: true, pageSize: 5000, roles: [] },
  ]);
  expect((await docket(['key', 'list'])).out).toContain('read only');
  const [{ uid }] = await json('key', 'list');
  expect(await docket(['key', 'revoke', String(uid)])).toMatchObject({ code: 0 });
  await untilRefused(key);
  const unknown = await docket(['key', 'revoke', String(uid)]);
  expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('docket key list')]);
});
