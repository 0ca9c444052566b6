// This file runs "docket mail test" against a real mail server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { header, type MailServer, startMailServer } from '../journeys/mail-server.ts';
import { docketHere } from './run-docket.ts';

let server: MailServer;
let folder: string;
beforeAll(async () => {
  server = await startMailServer({ login: { user: 'desk', password: 'right-secret' } });
  folder = mkdtempSync(join(tmpdir(), 'docket-mail-test-'));
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const PASSWORD = { DOCKET_MAIL_SMTP_PASSWORD: 'right-secret' };

/** Runs the command with a configuration. */
async function test(smtp: string, address: string, environment: Record<string, string> = PASSWORD) {
  const file = join(folder, 'docket.yaml');
  writeFileSync(file, smtp === '' ? '' : `mail: {smtp: {${smtp}}}\n`);
  return await docketHere(['mail', 'test', address, '--config', file], environment);
}

const settings = () =>
  `host: 127.0.0.1, port: ${server.port}, tls: off, user: desk, from: desk@desk.example, fromName: "Desk"`;

it('sends a message, with the password of the variable', async () => {
  const { code, out, err } = await test(settings(), 'ada@example.com');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^127\.0\.0\.1 has accepted a message to ada@example\.com: 250 /);
  const [mail] = server.received.splice(0);
  expect(mail && header(mail, 'Subject')).toBe('Test message');
});

it('uses the address for tests', async () => {
  const { out } = await test(`${settings()}, testAddress: tester@example.net`, 'ada@example.com');
  expect(out).toContain('tester@example.net');
  expect(server.received.splice(0).map(({ to }) => to)).toEqual([['tester@example.net']]);
});

it('reports what the mail server rejects, without the password', async () => {
  const wrong = { DOCKET_MAIL_SMTP_PASSWORD: 'wrong-secret' };
  const { code, out, err } = await test(settings(), 'ada@example.com', wrong);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('535');
  expect(err).not.toContain('wrong-secret');
});

it.each([
  ['ada@example.com', '', 'No mail server is configured'],
  ['ada', 'host: h, from: a@b.example', 'is not an address'],
  ['a@b.example\nBcc: c@d.example', 'host: h, from: a@b.example', 'is not an address'],
  ['a@b.example', 'host: h, from: "A <a@b.example>"', 'must be an address'],
  ['a@b.example', 'host: h', 'mail.smtp.from'],
  ['a@b.example', 'host: h, from: a@b.example, recipientRole: administrator', 'fewer rights'],
  ['a@b.example', 'host: h, from: a@b.example, fromName: "A\\nBcc: x"', 'one line'],
])('rejects %j with the settings %j', async (address, smtp, reason) => {
  const { code, err } = await test(smtp, address, {});
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(reason);
});
