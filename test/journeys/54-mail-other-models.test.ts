// This file sends mail about records of a model of its own: a library that names the members of recipients by Docket.Recipient.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import type { Service } from '../../src/service/service.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { header, type MailServer, startMailServer } from './mail-server.ts';

const TEXT = { $Nullable: true };
const KEY = { $Type: 'Edm.Int64', '@Core.Computed': true, '@Docket.Generated': { By: 'key' } };
const one = (type: string) => ({ $Kind: 'NavigationProperty', $Type: type, $Nullable: true });
const many = (type: string, terms: JsonObject) => ({
  $Kind: 'NavigationProperty',
  $Collection: true,
  $Type: type,
  ...terms,
});

const model = (
  recipient: JsonObject = { Address: 'Post', Name: 'Called', Language: 'Speaks' },
) => ({
  $Version: '4.01',
  $EntityContainer: 'Lib.Rary',
  Lib: {
    Reader: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Docket.Recipient': recipient,
      Id: KEY,
      Post: TEXT,
      Called: TEXT,
      Speaks: TEXT,
      Circle: { ...one('Lib.Circle'), $Partner: 'Readers' },
    },
    Circle: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Docket.Recipient': { Address: 'Box', Members: 'Readers' },
      Id: KEY,
      Box: TEXT,
      Readers: many('Lib.Reader', { $Partner: 'Circle' }),
    },
    Loan: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: KEY,
      Title: TEXT,
      Contact: TEXT,
      Reader: one('Lib.Reader'),
      Circle: one('Lib.Circle'),
    },
    Shelf: { $Kind: 'EntityType', $Key: ['Code'], Code: { $MaxLength: 8 } },
    Rary: {
      $Kind: 'EntityContainer',
      Readers: { $Collection: true, $Type: 'Lib.Reader' },
      Circles: { $Collection: true, $Type: 'Lib.Circle' },
      Loans: {
        $Collection: true,
        $Type: 'Lib.Loan',
        $NavigationPropertyBinding: { Reader: 'Readers', Circle: 'Circles' },
      },
      Shelves: { $Collection: true, $Type: 'Lib.Shelf' },
      Sealed: {
        $Collection: true,
        $Type: 'Lib.Loan',
        $NavigationPropertyBinding: { Reader: 'Readers', Circle: 'Circles' },
        '@Capabilities.FilterRestrictions': { Filterable: false },
      },
    },
  },
});

let library: Desk;
let server: MailServer;
const failures: Observation[] = [];
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  const { definition, mistakes } = readCsdl(model());
  expect(mistakes).toEqual([]);
  library = await openForeignDesk(definition, {});
  server = await startMailServer();
  await created('Roles', { Name: 'guest', EntityAccess: [{ Entity: 'Loan', Read: true }] });
  await created('MailTemplates', {
    Name: 'loan',
    Language: 'en',
    Subject: 'Loan',
    Text: '{Title}',
  });
  await created('MailTemplates', {
    Name: 'loan',
    Language: 'fr',
    Subject: 'Prêt',
    Text: '{Title}',
  });
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => {
  await library?.close();
  await server?.close();
});

async function created(set: string, body: object) {
  const { status, json, text } = await library.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return json;
}

async function start(): Promise<void> {
  const service: Service = Object.create(library.service, {
    observe: { value: (one: Observation) => void (one.kind === 'failure' && failures.push(one)) },
  });
  stop = startOutgoingMail(
    service,
    {
      smtp: {
        host: '127.0.0.1',
        port: server.port,
        tls: 'off',
        verify: true,
        from: 'library@example.net',
        fromName: 'Library',
        recipientRole: 'guest',
        connections: 1,
        timeoutSeconds: 20,
      },
      ownAddresses: [],
      limits: { hourlyMails: 10, dailyMails: 40, mailFailures: 3 },
    },
    { interval: 50 },
  );
  const position = async () => await readSetting(library.installation.database, 'mail position');
  await expect.poll(position).toBeDefined();
}

const rule = (body: object) => ({
  Name: 'loans',
  EntitySet: 'Loans',
  Event: 'created',
  Template: 'loan',
  ...body,
});

describe('A model of its own', () => {
  it('names its recipients: people, groups, and properties with an address', async () => {
    const circle = await created('Circles', {});
    const boxed = await created('Circles', { Box: 'box@example.com' });
    const inCircle = { 'Circle@odata.bind': `Circles(${circle.Id})` };
    await created('Readers', { Post: 'a@example.com', Called: 'Ann', Speaks: 'fr', ...inCircle });
    const reader = await created('Readers', { Post: 'b@example.com', ...inCircle });
    await created('MailRules', rule({ Recipients: ['Reader', 'Circle', 'Contact'] }));
    await start();
    const loan = async (group: number, Contact: string) =>
      await created('Loans', {
        Title: 'Dune',
        Contact,
        'Reader@odata.bind': `Readers(${reader.Id})`,
        'Circle@odata.bind': `Circles(${group})`,
      });
    await loan(circle.Id, 'c@example.com');
    const addresses = () => server.received.flatMap(({ to }) => to).sort();
    await expect
      .poll(addresses, { timeout: 20_000 })
      .toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
    const french = server.received.find(({ to }) => to.includes('a@example.com'));
    expect(french && header(french, 'Subject')).toMatch(/^=\?UTF-8\?/);
    expect(french && header(french, 'To')).toBe('Ann <a@example.com>');
    server.received.length = 0;
    // The second address is no address, and would otherwise add a header.
    await loan(boxed.Id, 'c@example.com>\r\nBcc: <d@example.com');
    await expect.poll(addresses, { timeout: 20_000 }).toEqual(['b@example.com', 'box@example.com']);
    const filter = encodeURIComponent("State eq 'suppressed'");
    await expect
      .poll(async () => (await library.get(`/OutgoingMessages?$filter=${filter}`)).json.value)
      .toMatchObject([{ Response: 'The address is not valid.' }]);
  });

  it('may make a rule impossible: the queue shows that, and other messages are sent', async () => {
    await created('MailRules', {
      ...rule({ Recipients: ['e@example.com'] }),
      Name: 'sealed',
      EntitySet: 'Sealed',
    });
    await start();
    server.received.length = 0;
    const sealed = await created('Sealed', { Title: 'Emma' });
    const reader = await created('Readers', { Post: 'f@example.com' });
    await created('Loans', { Title: 'Ulysses', 'Reader@odata.bind': `Readers(${reader.Id})` });
    await expect
      .poll(() => server.received.flatMap(({ to }) => to), { timeout: 20_000 })
      .toEqual(['f@example.com']);
    const filter = encodeURIComponent(`Entity eq 'Sealed(${sealed.Id})'`);
    const { value } = (await library.get(`/OutgoingMessages?$filter=${filter}`)).json;
    expect(value).toMatchObject([{ State: 'suppressed', Rule: 'sealed' }]);
    expect(value[0].Response).toContain('could not be written');
    expect(failures.splice(0).map(({ kind }) => kind)).toEqual(['failure']);
    const retry = `/OutgoingMessages(${value[0].Uid})/Docket.System.Retry`;
    expect((await library.send('POST', retry)).status).toBe(409);
  });

  it('lacks what some rules need, and the error names it', async () => {
    const reasonOf = async (body: object) => {
      const { status, json } = await library.send('POST', '/MailRules', {
        body: { ...rule({ Recipients: ['a@example.com'] }), Name: 'wrong', ...body },
      });
      expect(status).toBe(400);
      return json.error.message;
    };
    expect(await reasonOf({ EntitySet: 'Shelves' })).toContain('By "key"');
    expect(await reasonOf({ Event: 'changed', Member: 'Title' })).toContain('Docket.History');
    expect(await reasonOf({ Event: 'added', Member: 'Title' })).toContain('contained collection');
  });
});

describe('Docket.Recipient', () => {
  it.each([
    [{ Name: 'Called' }, 'missing or invalid'],
    [{ Address: 'Post', Names: 'Called' }, 'missing or invalid'],
    [{ Address: 'Post', Name: 1 }, 'missing or invalid'],
    [{ Address: 'Pots' }, 'Did you mean "Post"'],
    [{ Address: 'Circle' }, 'Lib.Reader/Circle'],
    [{ Address: 'Post', Members: 'Circle' }, 'Lib.Reader/Circle'],
  ])('is checked: %j', (recipient, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'docket-recipient-'));
    const file = join(folder, 'model.json');
    writeFileSync(file, JSON.stringify(model(recipient)));
    const mistakes = JSON.stringify(checkModelFile(file)).replaceAll('\\"', '"');
    rmSync(folder, { recursive: true });
    expect(mistakes).toContain('@Docket.Recipient');
    expect(mistakes).toContain(message);
  });
});
