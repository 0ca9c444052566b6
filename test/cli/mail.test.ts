// This file runs "docket mail test" against a real mail server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  ['a@b.example', `host: h, subaddresses: true, from: ${'a'.repeat(24)}@b.example`, 'at most 23'],
  ['a@b.example', 'host: h, from: a@b.example, fromName: "A\\nBcc: x"', 'one line'],
])('rejects %j with the settings %j', async (address, smtp, reason) => {
  const { code, err } = await test(smtp, address, {});
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(reason);
});

const RULE = {
  Name: 'new asset',
  EntitySet: 'ConfigurationItems',
  Event: 'created',
  Recipients: ['stock@example.com'],
  Template: 'new asset',
};
const TEMPLATE = { Name: 'new asset', Language: 'en', Subject: '{Name1}', Text: 'New: {Name1}' };

/** Checks a model that consists of mail.json. */
async function checked(mail: object) {
  const model = mkdtempSync(join(folder, 'model-'));
  writeFileSync(join(model, 'mail.json'), JSON.stringify(mail));
  return await docketHere(['model', 'check', model]);
}

it.each([
  [
    'an unknown set',
    { MailTemplates: [TEMPLATE], MailRules: [{ ...RULE, EntitySet: 'Assets' }] },
    'there is no set "Assets"',
  ],
  ['a missing template', { MailRules: [RULE] }, 'there is no template "new asset"'],
  [
    'an unknown path',
    { MailTemplates: [{ ...TEMPLATE, Text: '{Nam}' }], MailRules: [RULE] },
    'has no "Nam"',
  ],
  ['an unknown member', { MailRules: [{ ...RULE, Recipient: 'x' }] }, 'mail.json: $.MailRules[0]'],
  [
    'a repeated name',
    { MailTemplates: [TEMPLATE], MailRules: [RULE, RULE] },
    'more than one rule "new asset"',
  ],
])('the check of a model reports in mail.json %s', async (_, mail, message) => {
  const { code, out, err } = await checked(mail);
  expect(`${out}${err}`).toContain(message);
  expect(code).toBe(1);
});

it('a model adds its mail to that of the built-in model, at the start and when it is applied', async () => {
  const [data, model] = ['data-', 'model-'].map((name) => mkdtempSync(join(folder, name)));
  const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
  const made = await docketHere(['init', '--admin', 'boss', '--data', `${data}`], environment);
  expect([made.code, made.err]).toEqual([0, '']);
  expect((await docketHere(['migrate', '--data', `${data}`])).out).toBe(
    'The database is up to date.\n',
  );
  const page = readFileSync(new URL('../../docs/model-files.md', import.meta.url), 'utf8');
  const [, example = ''] = /## Mail\n[^`]*(?:`[^`\n]+`[^`]*)*```text\n([^`]*)```/.exec(page) ?? [];
  writeFileSync(join(`${model}`, 'mail.json'), example);
  const apply = ['model', 'apply', `${model}`, '--data', `${data}`];
  const planned = await docketHere([...apply, '--plan']);
  expect([planned.code, planned.err]).toEqual([0, '']);
  expect(planned.out).toContain('template new asset (en), rule new asset.');
  const applied = await docketHere(apply);
  expect([applied.code, applied.err]).toEqual([0, '']);
  expect((await docketHere(['migrate', '--data', `${data}`])).out).toBe(
    'The database is up to date.\n',
  );
});
