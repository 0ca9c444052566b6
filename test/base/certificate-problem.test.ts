// This file connects to servers whose certificates are rejected, with each part that connects to other servers: the message is about the
// certificate, and not about the host and the port.
import { createServer, type Server } from 'node:net';
import { connect, createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discover } from '../../src/auth/issuers/discovery.ts';
import { IssuerOutage } from '../../src/auth/issuers/issuer-outage.ts';
import { certificateProblem } from '../../src/base/certificate-problem.ts';
import { describeDatabaseProblem } from '../../src/cli/system-errors.ts';
import { addressList } from '../../src/http/address-ranges.ts';
import { takeMessages } from '../../src/mail/in/imap-mailbox.ts';
import { smtpSender } from '../../src/mail/out/smtp.ts';
import { postgresInstallation } from '../../src/store/postgres/installation.ts';
import { openReceiver } from '../../src/webhooks/send-message.ts';
import { fixedWorld } from '../world.ts';

interface Certificate {
  readonly cert: string;
  readonly private: string;
}

const DAY = 86_400_000;
const TRUST = 'name a PEM file in the variable NODE_EXTRA_CA_CERTS';
const servers: Server[] = [];
let valid: Certificate;
let port: number;

/** @param days from when, and until when it is valid */
async function certificate(host: string, days: readonly [number, number]): Promise<Certificate> {
  const [notBeforeDate, notAfterDate] = days.map((count) => new Date(Date.now() + count * DAY));
  return await generate([{ name: 'commonName', value: host }], {
    keySize: 2048,
    ...(notBeforeDate === undefined ? {} : { notBeforeDate }),
    ...(notAfterDate === undefined ? {} : { notAfterDate }),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  });
}

/** The port of a server that offers TLS. */
async function listen(
  { cert, private: key }: Certificate,
  server: Server = createTlsServer({ cert, key }),
): Promise<number> {
  servers.push(server.on('tlsClientError', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A server that offers TLS after the request for it. PostgreSQL, "SSL Session Encryption". */
function databaseServer({ cert, private: key }: Certificate): Server {
  const secureContext = createSecureContext({ cert, key });
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined);
    });
  });
}

async function problemOf(served: Certificate): Promise<string | undefined> {
  const options = { host: '127.0.0.1', port: await listen(served), servername: 'localhost' };
  const error = await new Promise((resolve) => {
    const socket = connect({ ...options, ca: served.cert });
    socket.once('error', resolve).once('secureConnect', () => resolve(undefined));
  });
  return certificateProblem(error);
}

beforeAll(async () => {
  valid = await certificate('localhost', [-1, 1]);
  port = await listen(valid);
});
afterAll(() => {
  for (const server of servers) server.close();
});

describe('the message about a certificate', () => {
  it('states that it has expired, is not valid yet, or is for another host', async () => {
    expect(await problemOf(await certificate('localhost', [-2, -1]))).toBe(
      'its certificate has expired. Renew the certificate of that server',
    );
    expect(await problemOf(await certificate('localhost', [1, 2]))).toMatch(/Compare the clocks/);
    expect(await problemOf(await certificate('mail.example', [-1, 1]))).toMatch(
      /^its certificate is for another host \(.*mail\.example\)\. Use a host name/,
    );
    expect(certificateProblem(new Error('connect ECONNREFUSED'))).toBeUndefined();
  });

  it('is that of webhooks', async () => {
    const rules = { allowed: addressList(['127.0.0.1', '::1']) };
    const url = new URL(`https://localhost:${port}/`);
    const receiver = openReceiver(url, { rules, connections: 1, timeout: 5000 });
    const reply = await receiver.send({ method: 'POST', headers: {}, body: '{}' });
    receiver.close();
    expect(reply).toMatchObject({ kind: 'none', reason: expect.stringContaining(TRUST) });
  });

  const MAILBOX = { host: 'localhost', tls: 'implicit', verify: true, timeoutSeconds: 5 } as const;

  it('is that of outgoing mail', async () => {
    const send = smtpSender({ ...MAILBOX, port, from: 'desk@example.com', fromName: '' });
    const reply = await send({
      address: 'ann@example.com',
      addressName: undefined,
      subject: 'Hello',
      text: 'Hello',
      html: undefined,
      messageId: '<1@example.com>',
      references: [],
      isReceipt: false,
      token: undefined,
    });
    expect(reply).toMatchObject({ kind: 'unreachable', response: expect.stringContaining(TRUST) });
  });

  it('is that of a mailbox', async () => {
    const settings = { ...MAILBOX, port, user: 'desk', password: 'secret', folder: 'INBOX' };
    const taken = takeMessages(
      settings,
      { bytes: 1000, now: Date.now, signal: new AbortController().signal },
      { isStored: async () => true, store: async () => undefined },
    );
    await expect(taken).rejects.toThrow(TRUST);
  });

  it('is that of an issuer', async () => {
    const outage = new IssuerOutage('https://localhost', {
      world: fixedWorld(1, 0),
      observe: () => undefined,
    });
    const found = outage.watch(
      () => discover(`https://localhost:${port}`),
      () => false,
    );
    await expect(found).rejects.toThrow(TRUST);
  });

  it('is that of PostgreSQL, which names authorities in its URL', async () => {
    const databasePort = await listen(valid, databaseServer(valid));
    const url = `postgres://docket@localhost:${databasePort}/docket?sslmode=verify-full`;
    const limits = { statementSeconds: 5, lockSeconds: 5 };
    const database = postgresInstallation({ url, limits } as never);
    const error = await Promise.resolve(database.exists()).catch((reason: unknown) => reason);
    expect(database.problemOf(error)).toBe('unreachable');
    expect(describeDatabaseProblem('unreachable', database.place, error)).toMatch(
      /To trust its authority, name a PEM file in sslrootcert in the setting "database"\.$/,
    );
  });
});
