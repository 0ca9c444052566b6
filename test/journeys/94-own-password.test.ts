// This file has accounts change their own passwords.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesPostgres } from '../database.ts';
import { actionImport, actionOf } from '../define-model.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk, PASSWORD, postToken } from './desk.ts';
import { ZOO } from './zoo-records.ts';

const OTHER = 'eleven brisk herons';
const WRONG = 'nine careless badgers';

/** One log-in of an account. */
interface Session {
  readonly status: number;
  readonly change: (
    current: unknown,
    next: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => ReturnType<Desk['send']>;
  readonly send: Desk['send'];
  readonly isAlive: () => Promise<boolean>;
  readonly refresh: () => Promise<number>;
}

async function logIn(place: Desk, username: string, password = PASSWORD): Promise<Session> {
  const { status, json } = await postToken(place, { grant_type: 'password', username, password });
  const send: Desk['send'] = async (method, path, message = {}) =>
    await place.as('anonymous').send(method, path, {
      ...message,
      headers: { authorization: `Bearer ${json.access_token}`, ...message.headers },
    });
  return {
    status,
    send,
    change: async (CurrentPassword, NewPassword, headers = {}) =>
      await send('POST', '/ChangePassword', { headers, body: { CurrentPassword, NewPassword } }),
    isAlive: async () => (await send('GET', '/$metadata')).status === 200,
    refresh: async () => {
      const fields = { grant_type: 'refresh_token', refresh_token: json.refresh_token };
      return (await postToken(place, fields)).status;
    },
  };
}

/** Which of the passwords the account has. */
async function passwordOf(place: Desk, name: string): Promise<readonly string[]> {
  const good: string[] = [];
  for (const password of [PASSWORD, OTHER, WRONG])
    if ((await logIn(place, name, password)).status === 200) good.push(password);
  return good;
}

describe.each([
  ['the built-in model', async () => await openDesk()],
  [
    'a foreign model',
    async () => await openForeignDesk(oddDefinition, ZOO, { settings: { systemMetadata: true } }),
  ],
] as const)('ChangePassword in %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(async () => await place?.close());

  /** An account without any right of its own, with a session that is in use. */
  const newcomer = async (loginName: string) => {
    await place.join({ loginName, roles: ['clerk'] });
    const session = await logIn(place, loginName);
    expect(await session.isAlive()).toBe(true);
    return session;
  };

  it('gives the account another password and ends its other sessions, not the one that asks', async () => {
    const session = await newcomer('ada');
    const elsewhere = await logIn(place, 'ada');
    expect(await elsewhere.isAlive()).toBe(true);
    const answer = await session.change(PASSWORD, OTHER);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await session.isAlive()).toBe(true);
    expect(await elsewhere.isAlive()).toBe(false);
    expect([await elsewhere.refresh(), await session.refresh()]).toEqual([400, 200]);
    expect(await passwordOf(place, 'ada')).toEqual([OTHER]);
  });

  it('stands in the audit trail under the account that did it', async () => {
    const session = await newcomer('grace');
    expect((await session.change(PASSWORD, OTHER)).status).toBe(204);
    const { json } = await place.get(
      "/AuditEntries?$filter=Account eq 'grace' and Kind eq 'administration'",
    );
    expect(json.value).toMatchObject([
      {
        Account: 'grace',
        Address: '127.0.0.1',
        Detail: 'password of grace',
        Target: expect.stringMatching(/^Accounts\(\d+\)$/),
      },
    ]);
  });

  it('with a wrong current password nothing changes: 403, which the audit trail notes', async () => {
    const session = await newcomer('emmy');
    const answer = await session.change(WRONG, OTHER);
    expect([answer.status, answer.json.error.code]).toEqual([403, 'auth.current-password']);
    expect(answer.json.error.target).toBe('CurrentPassword');
    expect(answer.text).not.toMatch(/badgers|herons/);
    expect(await session.isAlive()).toBe(true);
    expect(await passwordOf(place, 'emmy')).toEqual([PASSWORD]);
    await expect
      .poll(async () => (await place.get("/AuditEntries?$filter=Account eq 'emmy'")).json.value)
      .toContainEqual(
        expect.objectContaining({
          Kind: 'forbidden',
          Target: 'POST ChangePassword',
          Detail: 'auth.current-password',
        }),
      );
  });

  it('is slowed down as log-ins are, and together with them', async () => {
    const session = await newcomer('mallory');
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await session.change(WRONG, OTHER)).status).toBe(403);
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await logIn(place, 'mallory', WRONG)).status).toBe(400);
    const slowed = await session.change(PASSWORD, OTHER);
    expect([slowed.status, slowed.json.error.code]).toEqual([429, 'auth.slowed']);
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expect((await logIn(place, 'mallory')).status).toBe(429);
    expect(await session.isAlive()).toBe(true);
  });

  it.each([
    ['too short', 'short one', '12 to 256 characters'],
    ['too long', 'ab cd ef '.repeat(40), '12 to 256 characters'],
    ['the name of the account', 'bertrand is my name', 'name of the account'],
    ['guessed first', 'P@ssw0rd123456!', 'common password'],
    ['empty', '', '12 to 256 characters'],
  ])(
    'a new password that is %s is refused, and no guess is counted',
    async (_what, next, words) => {
      const name = 'bertrand';
      const known = await logIn(place, name);
      const session = known.status === 200 ? known : await newcomer(name);
      for (let attempt = 0; attempt < 6; attempt++) {
        const answer = await session.change(attempt === 0 ? PASSWORD : WRONG, next);
        expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.password']);
        expect(answer.json.error.message).toContain(words);
        if (next !== '') expect(answer.text).not.toContain(next);
      }
      expect((await logIn(place, name)).status).toBe(200);
    },
  );

  it.each([
    ['nothing', undefined, 'CurrentPassword'],
    ['no new password', { CurrentPassword: PASSWORD }, 'NewPassword'],
    ['no current password', { NewPassword: OTHER }, 'CurrentPassword'],
    ['null', { CurrentPassword: PASSWORD, NewPassword: null }, 'NewPassword'],
    ['a number', { CurrentPassword: PASSWORD, NewPassword: 314_159_265_358 }, 'NewPassword'],
    ['a list', { CurrentPassword: [PASSWORD], NewPassword: OTHER }, 'CurrentPassword'],
    ['more', { CurrentPassword: PASSWORD, NewPassword: OTHER, Account: 'admin' }, 'Account'],
  ])('a body with %s is refused with the place of the mistake', async (_what, body, target) => {
    const known = await logIn(place, 'careless');
    const session = known.status === 200 ? known : await newcomer('careless');
    const answer = await session.send(
      'POST',
      '/ChangePassword',
      body === undefined ? {} : { body },
    );
    expect(answer.status).toBe(400);
    const { error } = answer.json;
    const targets = [error, ...(error.details ?? [])].map((one) => one.target);
    expect(targets).toContain(target);
    expect(answer.text).not.toMatch(/battery|herons|314159265358/);
    expect(await passwordOf(place, 'careless')).toEqual([PASSWORD]);
  });

  it.each([
    '{"CurrentPassword":"seven',
    '{"NewPassword" "seven"}',
    '"seven',
    '{"Roles":"sevenȀ\\u00',
  ])('nothing of a body that is no JSON is told: %s', async (body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await place.send('POST', '/ChangePassword', { headers, body });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('seven');
  });

  it('is there for those who are logged in alone, and by POST alone', async () => {
    const stranger = place.as('anonymous');
    const body = { CurrentPassword: PASSWORD, NewPassword: OTHER };
    expect((await stranger.send('POST', '/ChangePassword', { body })).status).toBe(401);
    expect(
      (
        await place.send('PATCH', "/Settings('anonymous')", {
          body: { Value: '["ping","metadata"]' },
        })
      ).status,
    ).toBeLessThan(300);
    expect((await stranger.send('POST', '/ChangePassword', { body })).status).toBe(401);
    await place.send('PATCH', "/Settings('anonymous')", { body: { Value: null } });
    const session = await newcomer('getter');
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await session.send(
        method,
        '/ChangePassword',
        method === 'GET' ? {} : { body },
      );
      expect([method, answer.status]).toEqual([method, 405]);
    }
    expect(await passwordOf(place, 'getter')).toEqual([PASSWORD]);
  });

  it('of two changes at once one is done, the other finds the password gone', async () => {
    const session = await newcomer('twin');
    const answers = await Promise.all([
      session.change(PASSWORD, OTHER),
      session.change(PASSWORD, WRONG),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 403]);
    expect(await passwordOf(place, 'twin')).toEqual([statuses[0] === 204 ? OTHER : WRONG]);
  });

  it('in a batch it stands by itself, not in a group', async () => {
    const session = await newcomer('alan');
    const body = { CurrentPassword: PASSWORD, NewPassword: OTHER };
    const request = { id: '1', method: 'post', url: 'ChangePassword', body };
    const batch = async (item: Record<string, unknown>) => {
      const answer = await session.send('POST', '/$batch', { body: { requests: [item] } });
      return answer.json.responses[0];
    };
    const grouped = await batch({ ...request, atomicityGroup: 'g' });
    expect([grouped.status, grouped.body.error.code]).toEqual([400, 'batch.alone']);
    expect(await passwordOf(place, 'alan')).toEqual([PASSWORD]);
    expect((await batch(request)).status).toBe(204);
    expect(await session.isAlive()).toBe(true);
    expect(await passwordOf(place, 'alan')).toEqual([OTHER]);
  });

  it('is never put off; sent again with the same id it is answered as before; a rehearsal changes nothing', async () => {
    const session = await newcomer('joan');
    const rehearsed = await session.change(PASSWORD, OTHER, { prefer: 'dry-run' });
    expect(rehearsed.status).toBe(204);
    expect(rehearsed.headers['preference-applied']).toBe('dry-run');
    expect(await passwordOf(place, 'joan')).toEqual([PASSWORD]);
    const headers = { prefer: 'respond-async', 'idempotency-key': 'joan-1' };
    expect((await session.change(PASSWORD, OTHER, headers)).status).toBe(204);
    expect((await session.change(PASSWORD, OTHER, headers)).status).toBe(204);
    expect((await session.change(PASSWORD, OTHER)).status).toBe(403);
    expect(await passwordOf(place, 'joan')).toEqual([OTHER]);
  });

  it('is told in the metadata, not in the service document', async () => {
    const metadata = (await place.get('/$metadata')).text;
    expect(metadata).toContain(
      '<ActionImport Name="ChangePassword" Action="Docket.System.ChangePassword"',
    );
    expect(metadata).toContain('<Parameter Name="NewPassword" Type="Edm.String" Nullable="false"');
    const { json } = await place.get('/');
    expect(json.value.map(({ name }: { name: string }) => name)).not.toContain('ChangePassword');
  });

  it.skipIf(usesPostgres)('no password stands on the disk', () => {
    const { data } = place.installation.config;
    for (const file of readdirSync(data).filter((one) => one.startsWith('docket.db'))) {
      const bytes = readFileSync(join(data, file));
      for (const secret of [PASSWORD, OTHER, WRONG])
        expect([file, bytes.includes(secret)]).toEqual([file, false]);
    }
  });
});

describe('A model that has a ChangePassword of its own', () => {
  it('keeps it, and the one of the engine is called by another name', async () => {
    const definition = {
      ...oddDefinition,
      operations: [
        ...oddDefinition.operations,
        { ...actionOf('Odd.Zoo.ChangePassword', []), effects: [] },
      ],
      imports: [...oddDefinition.imports, actionImport('ChangePassword', 'Odd.Zoo.ChangePassword')],
    };
    const place = await openForeignDesk(definition, ZOO);
    try {
      expect((await place.send('POST', '/ChangePassword')).status).toBe(204);
      const body = { CurrentPassword: PASSWORD, NewPassword: OTHER };
      expect((await place.send('POST', '/DocketChangePassword', { body })).status).toBe(204);
      expect(await passwordOf(place, 'admin')).toEqual([OTHER]);
    } finally {
      await place.close();
    }
  });
});
