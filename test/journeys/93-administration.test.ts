// This file administers accounts, roles, sessions and tokens through OData, on two models.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/auth/token.ts';
import { defineModel, entitySet, entityType, int64, text } from '../define-model.ts';
import { type Desk, openDesk, openForeignDesk, PASSWORD, postToken } from './desk.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const RESERVED = ['Tokens', 'Settings', 'AuditEntries', 'Accounts', 'Roles'];

interface Pair {
  readonly access: string;
  readonly refresh: string;
}

async function logIn(place: Desk, username: string, password = PASSWORD) {
  return await postToken(place, { grant_type: 'password', username, password });
}

async function tokensOf(place: Desk, username: string): Promise<Pair> {
  const { status, json } = await logIn(place, username);
  expect(status).toBe(200);
  return { access: json.access_token, refresh: json.refresh_token };
}

async function ask(place: Desk, { access }: Pair, path = '/$metadata') {
  return await place.as('anonymous').get(path, { authorization: `Bearer ${access}` });
}

async function refresh(place: Desk, { refresh: token }: Pair) {
  return await postToken(place, { grant_type: 'refresh_token', refresh_token: token });
}

describe.each([
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const)('Administration of %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(async () => await place?.close());

  const hashesWithoutToken = async () => {
    const orphans = `SELECT count(*) FROM docket_token_hash
      WHERE token NOT IN (SELECT "Uid" FROM "docket:token")`;
    return (await place.installation.database.read(orphans, []))[0]?.[0];
  };

  it('sessions tell whose they are, from where, since when, and their tokens', async () => {
    const pair = await tokensOf(place, 'nobody');
    expect((await ask(place, pair)).status).toBe(200);
    const { status, json } = await place.get(
      "/Sessions?$filter=Account/LoginName eq 'nobody'&$orderby=Uid desc&$top=1&$expand=Account($select=LoginName),Tokens($select=Kind,Used;$orderby=Kind)",
    );
    expect(status).toBe(200);
    expect(json.value[0]).toMatchObject({
      Address: '127.0.0.1',
      Machine: '127.0.0.1',
      Opened: expect.stringMatching(/^20.*Z$/),
      LastUsed: expect.stringMatching(/^20.*Z$/),
      Account: { LoginName: 'nobody' },
      Tokens: [{ Kind: 'access' }, { Kind: 'refresh', Used: null }],
    });
  });

  it('DELETE of a session ends it at once: its access token and its refresh token are dead', async () => {
    const [pair, other] = [await tokensOf(place, 'nobody'), await tokensOf(place, 'nobody')];
    expect((await ask(place, pair)).status).toBe(200);
    expect((await ask(place, other)).status).toBe(200);
    const sessions = await place.get(
      "/Sessions?$filter=Account/LoginName eq 'nobody'&$orderby=Uid desc&$top=2",
    );
    const { Uid } = sessions.json.value[1];
    expect((await place.send('DELETE', `/Sessions(${Uid})`)).status).toBe(204);
    expect((await ask(place, pair)).status).toBe(401);
    expect((await refresh(place, pair)).json.error).toBe('invalid_grant');
    expect((await ask(place, other)).status).toBe(200);
    expect((await place.get(`/Sessions(${Uid})`)).status).toBe(404);
    expect((await place.get(`/Tokens?$filter=Session/Uid eq ${Uid}`)).json.value).toEqual([]);
    expect(await hashesWithoutToken()).toBe(0n);
  });

  it('DELETE of a token makes that token dead, and leaves the other', async () => {
    const pair = await tokensOf(place, 'nobody');
    expect((await ask(place, pair)).status).toBe(200);
    const { json } = await place.get("/Tokens?$filter=Kind eq 'access'&$orderby=Uid desc&$top=1");
    expect((await place.send('DELETE', `/Tokens(${json.value[0].Uid})`)).status).toBe(204);
    expect((await ask(place, pair)).status).toBe(401);
    expect((await refresh(place, pair)).status).toBe(200);
    expect(await hashesWithoutToken()).toBe(0n);
  });

  it('sessions and tokens are made by logging in, never by requests', async () => {
    for (const set of ['Sessions', 'Tokens', 'AuditEntries'])
      expect((await place.send('POST', `/${set}`, { body: {} })).status).toBe(405);
    const { json } = await place.get('/Sessions?$top=1');
    const patched = await place.send('PATCH', `/Sessions(${json.value[0].Uid})`, {
      body: { Address: '192.0.2.1' },
    });
    expect(patched.status).toBe(405);
  });

  it.each(RESERVED)('%s is no business of other accounts, and not shown to them', async (set) => {
    const clerk = await place.join({ loginName: `clerk of ${set}`, roles: ['clerk'] });
    expect((await clerk.get(`/${set}`)).status).toBe(403);
    expect((await clerk.get(`/${set}/$count`)).status).toBe(403);
    expect((await clerk.send('POST', `/${set}`, { body: {} })).status).not.toBe(201);
    const document = await clerk.get('/');
    expect(document.json.value.map(({ name }: { name: string }) => name)).not.toContain(set);
  });

  it('no hash and no secret can be read, filtered by, sorted by or followed', async () => {
    const pair = await tokensOf(place, 'nobody');
    const secrets = [
      ...[pair.access, pair.refresh].flatMap((token) => [token, hashToken(token)]),
      '$argon2',
      PASSWORD,
    ];
    const pages = [
      '/Sessions?$expand=*',
      '/Tokens?$expand=*&$top=250',
      '/Accounts?$expand=*',
      '/Settings',
      '/AuditEntries',
      '/$metadata',
    ];
    for (const page of pages) {
      const answer = await place.get(page, { prefer: 'odata.track-changes' });
      expect([page, answer.status]).toEqual([page, 200]);
      for (const secret of secrets) expect(answer.text).not.toContain(secret);
      expect(answer.text).not.toContain('deltatoken');
    }
    for (const name of ['Hash', 'hash', 'Password', 'Secret', 'docket_token_hash'])
      for (const option of [`$filter=${name} ne null`, `$orderby=${name}`, `$select=${name}`])
        for (const set of ['Tokens', 'Accounts'])
          expect([option, (await place.get(`/${set}?${option}`)).status]).toEqual([option, 400]);
  });
});

describe('A foreign model with sets of the same names', () => {
  it('keeps its own, and those of the engine are called by another name', async () => {
    const definition = defineModel({
      namespaces: [{ name: 'Conference' }],
      types: [
        entityType(
          'Session',
          [
            int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } }),
            text('Title'),
          ],
          { key: ['Uid'] },
        ),
      ],
      sets: [entitySet('Sessions', 'Session', { singular: 'Session' })],
    });
    const place = await openForeignDesk(definition, { Sessions: [{ Title: 'Opening' }] });
    try {
      expect((await place.get('/Sessions')).json.value).toMatchObject([{ Title: 'Opening' }]);
      expect((await place.get('/DocketSessions?$expand=Tokens')).json.value[0]).toMatchObject({
        Address: '127.0.0.1',
        Tokens: [{ Kind: 'access' }, { Kind: 'refresh' }],
      });
    } finally {
      await place.close();
    }
  });
});
