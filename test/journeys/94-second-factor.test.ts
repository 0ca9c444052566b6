// This file logs in with codes of an authenticator app (RFC 6238), as an app and a client would.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processWorld } from '../../src/cli/wire.ts';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';

const MINUTE = 60_000;
let ahead = 0;
const world = { ...processWorld, now: () => processWorld.now() + ahead };
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ world, settings: { trustedProxies: ['127.0.0.1'] } });
});
afterAll(async () => await desk?.close());
// Another interval, so that no code has been used, and failures are forgotten.
beforeEach(() => {
  ahead += 20 * MINUTE;
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 6238 with the parameters of the URI: what an app shows. */
function codeOf(uri: string, time = world.now()): string {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const bits = [...secret]
    .map((one) => ALPHABET.indexOf(one).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((one) => Number.parseInt(one, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function token(username: string, otp?: string) {
  const fields = { grant_type: 'password', username, password: PASSWORD };
  return await postToken(desk, otp === undefined ? fields : { ...fields, otp });
}

async function signIn(UserName: string, Code?: string) {
  const answer = await desk.app.server.inject({
    method: 'POST',
    url: '/console/session',
    headers: {
      host: 'desk.example',
      'x-forwarded-proto': 'https',
      'x-docket-console': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    payload: { UserName, Password: PASSWORD, ...(Code === undefined ? {} : { Code }) },
  });
  return { status: answer.statusCode, headers: answer.headers, json: answer.json() };
}

type Client = Awaited<ReturnType<Desk['join']>>;

async function begin(client: Client, CurrentPassword = PASSWORD) {
  return await client.send('POST', '/BeginSecondFactor', { body: { CurrentPassword } });
}

const confirm = async (client: Client, Code: string) =>
  await client.send('POST', '/ConfirmSecondFactor', { body: { Code } });

/** An account with a second factor. Its app shows codes by the URI. */
async function enrolled(loginName: string) {
  const client = await desk.join({ loginName, roles: [] });
  const uri: string = (await begin(client)).json.value;
  const answer = await confirm(client, codeOf(uri));
  expect(answer.status).toBe(200);
  ahead += MINUTE;
  return { client, uri, recovery: answer.json.value as readonly string[] };
}

/** An administrator whose token has not expired. */
const administrator = async (loginName: string) =>
  await desk.join({ loginName, roles: ['administrator'] });

async function uidOf(admin: Client, loginName: string): Promise<number> {
  const { json } = await admin.get(`/Accounts?$filter=LoginName eq '${loginName}'`);
  return json.value[0].Uid;
}

/** Sets the flag of a role, which the first account with the role has created. */
async function setRequired(admin: Client, role: string, isRequired: boolean): Promise<number> {
  const { json } = await admin.get(`/Roles?$filter=Name eq '${role}'`);
  const { Uid } = json.value[0];
  const body = { SecondFactorRequired: isRequired };
  expect((await admin.send('PATCH', `/Roles(${Uid})`, { body })).status).toBeLessThan(300);
  const read = await admin.get(`/Roles(${Uid})?$select=SecondFactorRequired`);
  expect(read.json.SecondFactorRequired).toBe(isRequired);
  return Uid;
}

const errorOf = async (
  answer: Promise<{ status: number; json?: { error?: { code: string } } }>,
) => {
  const { status, json } = await answer;
  return [status, json?.error?.code];
};
const REQUIRED = [403, 'auth.second-factor-required'];

describe('A second factor', () => {
  it('is added with the current password and a code, and shown once', async () => {
    const ada = await desk.join({ loginName: 'ada', roles: [] });
    const denied = await begin(ada, 'a wrong password');
    expect([denied.status, denied.json.error.code]).toEqual([403, 'auth.current-password']);
    const begun = await begin(ada);
    expect([begun.status, begun.headers['cache-control']]).toEqual([200, 'no-store']);
    const uri = new URL(begun.json.value);
    expect(uri.href).toMatch(/^otpauth:\/\/totp\/Docket:ada\?/);
    expect(uri.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/);
    expect((await token('ada')).status).toBe(200);
    const code = codeOf(uri.href);
    const mistake = await confirm(ada, wrong(code));
    expect([mistake.status, mistake.json.error.code]).toEqual([403, 'auth.second-factor-code']);
    expect((await token('ada')).status).toBe(200);
    const confirmed = await confirm(ada, code);
    expect([confirmed.status, confirmed.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(new Set(confirmed.json.value).size).toBe(10);
    expect((await begin(ada)).json.error.code).toBe('auth.second-factor-exists');
    const secret = uri.searchParams.get('secret') ?? '';
    for (const path of ['/Accounts?$expand=*', '/AuditEntries', '/Sessions?$expand=*'])
      for (const hidden of [secret, confirmed.json.value[0]])
        expect((await desk.get(path)).text).not.toContain(hidden);
  });

  it('ends sessions that were opened without it, but not that of the request', async () => {
    const mary = await desk.join({ loginName: 'mary', roles: [] });
    const { json } = await token('mary');
    const other = { authorization: `Bearer ${json.access_token}` };
    expect((await desk.as('anonymous').get('/$ping', other)).status).toBe(200);
    expect((await confirm(mary, codeOf((await begin(mary)).json.value))).status).toBe(200);
    expect((await desk.as('anonymous').get('/$ping', other)).status).toBe(401);
    expect((await mary.get('/$ping')).status).toBe(200);
  });

  it('is asked for at /token, and a code counts once', async () => {
    const { uri } = await enrolled('grace');
    const missing = await token('grace');
    expect([missing.status, missing.json.error]).toEqual([400, 'invalid_grant']);
    expect(missing.json.error_description).toContain('field otp');
    const code = codeOf(uri);
    expect((await token('grace', wrong(code))).json.error).toBe('invalid_grant');
    const { status, json } = await token('grace', code);
    expect(status).toBe(200);
    expect((await token('grace', code)).status).toBe(400);
    const earlier = codeOf(uri, world.now() - 30_000);
    expect((await token('grace', earlier)).status).toBe(400);
    const again = { grant_type: 'refresh_token', refresh_token: json.refresh_token };
    const refreshed = await postToken(desk, again);
    expect(refreshed.status).toBe(200);
  });

  it.each([
    [-30_000, 200],
    [30_000, 200],
    [-90_000, 400],
    [90_000, 400],
  ])(
    'accepts the code of an app whose clock differs by %d milliseconds: %d',
    async (by, status) => {
      const name = `clock ${by}`;
      const { uri } = await enrolled(name);
      ahead += MINUTE;
      expect((await token(name, codeOf(uri, world.now() + by))).status).toBe(status);
    },
  );

  it('is asked for by the session of the console', async () => {
    const { uri, recovery } = await enrolled('emmy');
    const missing = await signIn('emmy');
    expect([missing.status, missing.json.error.code]).toEqual([401, 'auth.code-missing']);
    expect(missing.headers).not.toHaveProperty('set-cookie');
    const mistake = await signIn('emmy', wrong(codeOf(uri)));
    expect([mistake.status, mistake.json.error.code]).toEqual([401, 'auth.code']);
    expect((await signIn('emmy', codeOf(uri))).status).toBe(200);
    const spare = String(recovery[3]).toUpperCase().replaceAll('-', ' ');
    expect((await signIn('emmy', spare)).status).toBe(200);
    expect((await signIn('emmy', spare)).status).toBe(401);
    expect((await signIn('emmy', recovery[4])).status).toBe(200);
  });

  it('slows down guessing for the account, whatever the machine', async () => {
    const { uri } = await enrolled('joan');
    for (const _ of [1, 2, 3, 4, 5])
      expect((await signIn('joan', wrong(codeOf(uri)))).status).toBe(401);
    expect((await signIn('joan', codeOf(uri))).status).toBe(429);
    expect((await token('joan', codeOf(uri))).status).toBe(429);
    ahead += 20 * MINUTE;
    expect((await signIn('joan', codeOf(uri))).status).toBe(200);
  });

  it('does not concern API keys, which are created by a session', async () => {
    const { client } = await enrolled('lise');
    const { json } = await client.send('POST', '/CreateApiKey', { body: { Name: 'feed' } });
    const headers = { authorization: `Bearer ${json.value}` };
    expect((await desk.as('anonymous').get('/Sessions', headers)).status).toBe(200);
  });

  it('is removed with a code', async () => {
    const { client, uri } = await enrolled('rosa');
    const remove = async (Code: string) =>
      await client.send('POST', '/RemoveSecondFactor', { body: { Code } });
    const mistake = await remove(wrong(codeOf(uri)));
    expect([mistake.status, mistake.json.error.target]).toEqual([403, 'Code']);
    expect((await remove(codeOf(uri))).status).toBe(204);
    expect((await token('rosa')).status).toBe(200);
    const { json } = await (await administrator('auditor of rosa')).get(
      "/AuditEntries?$filter=Account eq 'rosa' and startswith(Detail,'second factor')&$orderby=Uid",
    );
    expect(json.value.map(({ Detail }: { Detail: string }) => Detail)).toEqual([
      'second factor added',
      'second factor removed',
    ]);
  });

  it('is neither confirmed nor removed where there is none', async () => {
    const hedy = await desk.join({ loginName: 'hedy', roles: [] });
    for (const action of ['confirm', 'remove']) {
      const path = action === 'confirm' ? '/ConfirmSecondFactor' : '/RemoveSecondFactor';
      const { status, json } = await hedy.send('POST', path, { body: { Code: '123456' } });
      expect([status, json.error.code]).toEqual([409, 'auth.second-factor-none']);
      expect(json.error.message).toContain(`no second factor to ${action}`);
    }
  });

  it('is removed by administrators, who write nothing else there', async () => {
    const { client } = await enrolled('maria');
    const admin = await administrator('helper of maria');
    const path = `/Accounts(${await uidOf(admin, 'maria')})`;
    const denied = await client.send('PATCH', path, { body: { SecondFactor: null } });
    expect(denied.status).toBe(403);
    const mistake = await admin.send('PATCH', path, { body: { SecondFactor: 'JBSWY3DP' } });
    expect([mistake.status, mistake.json.error.target]).toEqual([400, 'SecondFactor']);
    expect((await token('maria')).status).toBe(400);
    expect((await admin.send('PATCH', path, { body: { SecondFactor: null } })).status).toBeLessThan(
      300,
    );
    expect((await token('maria')).status).toBe(200);
    await enrolled('anna');
    const other = `/Accounts(${await uidOf(admin, 'anna')})`;
    await admin.send('PATCH', other, { body: { SecondFactor: null } });
    expect((await token('anna')).status).toBe(200);
  });
});

describe('A role that requires a second factor', () => {
  it('permits an account without one to add it, and nothing else', async () => {
    const nina = await desk.join({ loginName: 'nina', roles: ['keeper'] });
    expect((await nina.get('/Sessions')).status).toBe(200);
    await setRequired(await administrator('keeper of keys'), 'keeper', true);
    for (const path of ['/Sessions', '/SetRights()', '/$ping'])
      expect([path, await errorOf(nina.get(path))]).toEqual([path, REQUIRED]);
    const batch = { requests: [{ id: '1', method: 'get', url: 'Sessions' }] };
    const password = { CurrentPassword: PASSWORD, NewPassword: 'eleven brisk herons' };
    for (const [path, body] of [
      ['/$batch', batch],
      ['/ChangePassword', password],
      ['/CreateApiKey', { Name: 'feed' }],
    ] as const)
      expect([path, await errorOf(nina.send('POST', path, { body }))]).toEqual([path, REQUIRED]);
    for (const path of ['/', '/$metadata']) expect((await nina.get(path)).status).toBe(200);
    const { message } = (await nina.get('/Sessions')).json.error;
    expect(message).toMatch(
      /POST BeginSecondFactor with CurrentPassword.*POST ConfirmSecondFactor/,
    );
    const uri = (await begin(nina)).json.value;
    expect(await errorOf(nina.get('/Sessions'))).toEqual(REQUIRED);
    expect((await confirm(nina, codeOf(uri))).status).toBe(200);
    expect((await nina.get('/Sessions')).status).toBe(200);
  });

  it('concerns new log-ins and refreshed tokens, until the role no longer requires it', async () => {
    await desk.join({ loginName: 'olga', roles: ['porter'] });
    const admin = await administrator('helper of olga');
    await setRequired(admin, 'porter', true);
    const first = (await token('olga')).json;
    const again = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const refreshed = await postToken(desk, again);
    const headers = { authorization: `Bearer ${refreshed.json.access_token}` };
    const read = async () => await errorOf(desk.as('anonymous').get('/Sessions', headers));
    expect(await read()).toEqual(REQUIRED);
    await setRequired(admin, 'porter', false);
    expect(await read()).toEqual([200, undefined]);
  });

  it('concerns an account again that loses its second factor', async () => {
    const { client, uri } = await enrolled('vera');
    const admin = await administrator('helper of vera');
    const path = `/Accounts(${await uidOf(admin, 'vera')})`;
    await desk.join({ loginName: 'first warden', roles: ['warden'] });
    const role = await setRequired(admin, 'warden', true);
    const body = { 'Roles@odata.bind': [`Roles(${role})`] };
    expect((await admin.send('PATCH', path, { body })).status).toBeLessThan(300);
    expect((await client.get('/Sessions')).status).toBe(200);
    const removed = await client.send('POST', '/RemoveSecondFactor', {
      body: { Code: codeOf(uri) },
    });
    expect(removed.status).toBe(204);
    expect(await errorOf(client.get('/Sessions'))).toEqual(REQUIRED);
    ahead += MINUTE;
    expect((await confirm(client, codeOf((await begin(client)).json.value))).status).toBe(200);
    expect((await client.get('/Sessions')).status).toBe(200);
    expect((await admin.send('PATCH', path, { body: { SecondFactor: null } })).status).toBeLessThan(
      300,
    );
    expect(await errorOf(client.get('/Sessions'))).toEqual(REQUIRED);
  });

  it('applies to administrators, but not to API keys', async () => {
    const chief = await desk.join({ loginName: 'chief', roles: ['chief'] });
    const created = await chief.send('POST', '/CreateApiKey', { body: { Name: 'feed' } });
    await setRequired(await administrator('auditor of chief'), 'chief', true);
    const headers = { authorization: `Bearer ${created.json.value}` };
    expect((await desk.as('anonymous').get('/Sessions', headers)).status).toBe(200);
    const root = await desk.join({ loginName: 'root', roles: ['administrator', 'chief'] });
    expect(await errorOf(root.get('/Accounts'))).toEqual(REQUIRED);
  });

  it('comes after the change of a temporary password, and the session of the console names both', async () => {
    await desk.join({ loginName: 'lena', roles: ['guard'] });
    const admin = await administrator('helper of lena');
    await setRequired(admin, 'guard', true);
    const path = `/Accounts(${await uidOf(admin, 'lena')})`;
    expect(
      (await admin.send('PATCH', path, { body: { MustChangePassword: true } })).status,
    ).toBeLessThan(300);
    const { json } = await signIn('lena');
    expect([json.MustChangePassword, json.MustAddSecondFactor]).toEqual([true, undefined]);
    const headers = { authorization: `Bearer ${json.AccessToken}` };
    expect(await errorOf(desk.as('anonymous').get('/Sessions', headers))).toEqual([
      403,
      'auth.password-change',
    ]);
    await admin.send('PATCH', path, { body: { MustChangePassword: false } });
    const second = (await signIn('lena')).json;
    expect([second.MustChangePassword, second.MustAddSecondFactor]).toEqual([undefined, true]);
    expect(await errorOf(desk.as('anonymous').get('/Sessions', headers))).toEqual(REQUIRED);
  });
});

describe('The record of an account', () => {
  const flags = async (admin: Client, filter: string) =>
    (
      await admin.get(`/Accounts?$filter=${filter}&$select=LoginName,HasSecondFactor`)
    ).json.value.map((one: { LoginName: string; HasSecondFactor: boolean | null }) => [
      one.LoginName,
      one.HasSecondFactor,
    ]);

  it('shows whether it has a second factor, with a new ETag', async () => {
    const client = await desk.join({ loginName: 'thea', roles: [] });
    const admin = await administrator('auditor of thea');
    const path = `/Accounts(${await uidOf(admin, 'thea')})`;
    const headers = { 'if-match': String((await admin.get(path)).headers.etag) };
    const uri = (await begin(client)).json.value;
    expect(await flags(admin, "LoginName eq 'thea'")).toEqual([['thea', null]]);
    expect((await confirm(client, codeOf(uri))).status).toBe(200);
    expect(await flags(admin, "LoginName eq 'thea' and HasSecondFactor eq true")).toEqual([
      ['thea', true],
    ]);
    const stale = await admin.send('PATCH', path, { headers, body: { Name: 'Thea' } });
    expect(stale.status).toBe(412);
    ahead += MINUTE;
    await client.send('POST', '/RemoveSecondFactor', { body: { Code: codeOf(uri) } });
    expect(await flags(admin, "LoginName eq 'thea'")).toEqual([['thea', false]]);
  });

  it('cannot be written, and others do not see it', async () => {
    const admin = await administrator('auditor of mona');
    await desk.join({ loginName: 'mona', roles: [] });
    const path = `/Accounts(${await uidOf(admin, 'mona')})`;
    await admin.send('PATCH', path, { body: { HasSecondFactor: true, Name: 'Mona' } });
    expect(await flags(admin, "LoginName eq 'mona'")).toEqual([['mona', null]]);
    const other = await desk.join({ loginName: 'nosy', roles: [] });
    expect((await other.get(path)).status).toBe(403);
  });
});
