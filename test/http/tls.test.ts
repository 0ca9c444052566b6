// This file speaks HTTPS: certificates, passwords over open networks, what browsers are told.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import { ConfigError, readConfig } from '../../src/cli/config/config.ts';
import { readPair, watchPair } from '../../src/cli/tls-certificate.ts';
import { wireService } from '../../src/cli/wire.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { listen } from '../../src/http/server.ts';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

async function makePair(name: string): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
  });
  return { certificate: cert, key };
}

let desk: Desk;
let first: Pair;
let second: Pair;
let folder: string;
beforeAll(async () => {
  desk = await openDesk();
  first = await makePair('first');
  second = await makePair('second');
  folder = mkdtempSync(join(tmpdir(), 'docket-tls-'));
}, 60_000);
afterAll(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

/** The desk's installation, listening with other settings. */
async function serving(
  settings: Partial<Parameters<typeof createApp>[0]>,
  work: (app: App, port: number) => Promise<void>,
): Promise<void> {
  const { service, grants, console } = await wireService(desk.installation);
  const app = createApp({
    service,
    grants,
    console,
    proxies: { trusted: new Set(['10.0.0.1']) },
    corsOrigins: new Set(),
    ...settings,
  });
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  try {
    await work(app, (app.server.server.address() as AddressInfo).port);
  } finally {
    await app.server.close();
  }
}

it('the address that is told is one of HTTPS', async () => {
  const { service, grants } = await wireService(desk.installation);
  const proxies = { trusted: new Set<string>() };
  const app = createApp({ service, grants, proxies, corsOrigins: new Set(), pair: first });
  const told: Observation[] = [];
  const where = { host: '127.0.0.1', port: 0 };
  const { port, stop } = await listen(
    app,
    where,
    (seen) => told.push(seen),
    async () => undefined,
  );
  expect(told[0]).toEqual({ kind: 'listening', address: `https://127.0.0.1:${port}` });
  await stop();
});

/** The name in the certificate that a new connection gets. */
function nameAt(port: number, options: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return new Promise((found, failed) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => {
      const { CN } = socket.getPeerCertificate().subject;
      found(`${String(CN)} ${socket.getProtocol()}`);
      socket.destroy();
    });
    socket.once('error', failed);
  });
}

function get(port: number, agent: Agent, path = '/healthz') {
  return new Promise<{ status: number; headers: Record<string, unknown>; name: string }>(
    (found, failed) => {
      const asked = send({ host: '127.0.0.1', port, path, agent }, (answer) => {
        const { CN } = (answer.socket as TLSSocket).getPeerCertificate().subject;
        answer
          .resume()
          .once('end', () =>
            found({ status: answer.statusCode ?? 0, headers: answer.headers, name: String(CN) }),
          );
      });
      asked.once('error', failed).end();
    },
  );
}

describe('HTTPS', () => {
  it('answers with the certificate, and tells browsers to stay with HTTPS', async () => {
    await serving({ pair: first }, async (_app, port) => {
      const agent = new Agent({ rejectUnauthorized: false });
      const answer = await get(port, agent);
      expect([answer.status, answer.name]).toEqual([200, 'first']);
      expect(answer.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
      agent.destroy();
    });
  });

  it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
    await serving({ pair: first }, async (_app, port) => {
      expect(await nameAt(port)).toBe('first TLSv1.3');
      expect(await nameAt(port, { maxVersion: 'TLSv1.2' })).toBe('first TLSv1.2');
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
      await expect(nameAt(port, old)).rejects.toThrow();
      expect((await get(port, new Agent({ rejectUnauthorized: false }))).status).toBe(200);
    });
  });

  it('takes another certificate without a restart: connections go on, new ones get it', async () => {
    await serving({ pair: first }, async (app, port) => {
      const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 1 });
      expect((await get(port, agent)).name).toBe('first');
      app.renew(second);
      expect((await get(port, agent)).name).toBe('first');
      expect(await nameAt(port)).toContain('second');
      expect(() => app.renew({ certificate: first.certificate, key: second.key })).toThrow();
      expect(await nameAt(port)).toContain('second');
      agent.destroy();
    });
  });

  it('reads the files again when they change and at SIGHUP; what does not fit is told, and the pair before stays', async () => {
    const tls = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const write = ({ certificate, key }: Pair) => {
      writeFileSync(tls.certificate, certificate);
      writeFileSync(tls.key, key);
    };
    write(first);
    const config = readConfig({ tls }, {});
    const pair = readPair(config);
    expect(pair).toEqual(first);
    await serving({ ...(pair === undefined ? {} : { pair }) }, async (app, port) => {
      const seen: Observation[] = [];
      const end = watchPair(config, pair, app, (one) => seen.push(one));
      const until = async (name: string) => {
        for (let turn = 0; turn < 200 && !(await nameAt(port)).includes(name); turn++)
          await new Promise((resolve) => setTimeout(resolve, 50));
        return await nameAt(port);
      };
      try {
        write(second);
        expect(await until('second')).toContain('second');
        writeFileSync(tls.certificate, first.certificate);
        process.kill(process.pid, 'SIGHUP');
        for (let turn = 0; turn < 200 && !seen.some(({ kind }) => kind === 'failure'); turn++)
          await new Promise((resolve) => setTimeout(resolve, 50));
        expect(seen.find(({ kind }) => kind === 'failure')).toMatchObject({ id: 'tls' });
        expect(await nameAt(port)).toContain('second');
        write(first);
        process.kill(process.pid, 'SIGHUP');
        expect(await until('first')).toContain('first');
      } finally {
        end();
      }
    });
  }, 60_000);

  it('a certificate that cannot be used is refused at the start, with what is wrong', () => {
    const tls = { certificate: join(folder, 'a.pem'), key: join(folder, 'b.pem') };
    const config = readConfig({ tls }, {});
    expect(() => readPair(config)).toThrow(/a\.pem cannot be read/);
    writeFileSync(tls.certificate, first.certificate);
    writeFileSync(tls.key, second.key);
    expect(() => readPair(config)).toThrow(/the key must match the certificate/);
    writeFileSync(tls.key, 'no key');
    expect(() => readPair(config)).toThrow(/PEM files/);
    expect(() => readConfig({ tls: { certificate: 'x' } }, {})).toThrow(ConfigError);
  });
});

describe('Passwords over an open network', () => {
  const payload = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  }).toString();
  const ask = async (app: App, remoteAddress: string, headers: Record<string, string> = {}) => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/token',
      remoteAddress,
      headers: {
        host: 'desk.example',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      payload,
    });
    return { status: answer.statusCode, json: answer.json() };
  };

  it('are not sent by an issuer over plain HTTP either', async () => {
    await serving({ needsEncryption: true }, async (app) => {
      for (const path of ['sign-in?issuer=x', 'callback?code=x'])
        for (const [remoteAddress, obstacle] of [
          ['192.0.2.7', 'insecure'],
          ['127.0.0.1', 'issuer'],
        ] as const) {
          const { headers } = await app.server.inject({
            url: `/console/session/${path}`,
            remoteAddress,
            headers: { host: 'desk.example' },
          });
          expect([path, headers.location]).toEqual([path, `/console/?sign-in=${obstacle}`]);
        }
    });
  });

  it('are refused with what to set; from the machine itself and behind a proxy with HTTPS they are taken', async () => {
    await serving({ needsEncryption: true }, async (app) => {
      const refused = await ask(app, '192.0.2.7');
      expect([refused.status, refused.json.error]).toEqual([403, 'invalid_request']);
      expect(refused.json.error_description).toMatch(/tls\.certificate.*allowInsecureTokens: true/);
      expect((await ask(app, '127.0.0.1')).status).toBe(200);
      expect((await ask(app, '::1')).status).toBe(200);
      const proxied = { 'x-forwarded-for': '192.0.2.7' };
      const secure = { ...proxied, 'x-forwarded-proto': 'https' };
      expect((await ask(app, '10.0.0.1', secure)).status).toBe(200);
      expect((await ask(app, '10.0.0.1', proxied)).status).toBe(403);
      expect((await ask(app, '192.0.2.7', secure)).status).toBe(403);
    });
  });

  it('are taken where the setting allows it', async () => {
    await serving({ needsEncryption: false }, async (app) => {
      expect((await ask(app, '192.0.2.7')).status).toBe(200);
    });
    expect(readConfig({}, {}).allowInsecureTokens).toBe(false);
  });
});

describe('What browsers are told', () => {
  it.each(['/odata/', '/odata/Nothing', '/healthz', '/nowhere', '/openapi.json'])(
    '%s: no guessing of types, no embedding, no referrer',
    async (url) => {
      const { headers } = await desk.app.server.inject({ url, headers: { host: 'desk.example' } });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'referrer-policy': 'no-referrer',
      });
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    },
  );
});
