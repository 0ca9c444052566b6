// This file receives mail with a model of its own, and with accounts that lack rights or are blocked: no message is lost.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { eml } from '../mail/in/eml.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { mailNamed, type Reception, receiveMail, untilFound } from './mail-in.ts';

const STRING = { $Nullable: true };
const KEY = {
  $Type: 'Edm.Int64',
  '@Core.Computed': true,
  '@Docket.Generated': { By: 'key' },
};
const MAIL = {
  Subject: 'Title',
  MessageId: 'Id',
  Files: 'Papers',
  Body: 'Text',
  Status: 'State',
  ErrorStatus: 'Unreadable',
  Record: 'Case',
  Reply: 'Law.File',
};

const model = (mail: object = MAIL): JsonObject =>
  ({
    $Version: '4.01',
    $EntityContainer: 'Law.Firm',
    Law: {
      Paper: {
        $Kind: 'EntityType',
        $Key: ['Key'],
        $HasStream: true,
        Key: KEY,
        Name: { ...STRING, '@Docket.FilePart': 'name' },
      },
      Case: { $Kind: 'EntityType', $Key: ['Key'], Key: KEY, State: STRING, Notes: STRING },
      Letter: {
        $Kind: 'EntityType',
        $Key: ['Key'],
        '@Docket.MailRecord': mail,
        Key: KEY,
        Id: { $MaxLength: 300, '@Docket.Unique': true },
        Title: { $MaxLength: 10 },
        Text: STRING,
        State: STRING,
        Case: { $Kind: 'NavigationProperty', $Type: 'Law.Case', $Nullable: true },
        Papers: {
          $Kind: 'NavigationProperty',
          $Collection: true,
          $Type: 'Law.Paper',
          $ContainsTarget: true,
        },
      },
      File: [
        {
          $Kind: 'Action',
          $IsBound: true,
          $Parameter: [
            { $Name: 'letter', $Type: 'Law.Letter' },
            { $Name: 'To', $Type: 'Law.Case' },
            { $Name: 'Awake', $Type: 'Edm.Boolean' },
          ],
          '@Docket.Available': 'Case eq null',
          '@Docket.Effects': [
            { Change: '$it', Values: [{ Member: 'Case', Expression: '@To' }] },
            { Change: '@To', Values: [{ Member: 'Notes', Expression: 'Text' }] },
            {
              Change: '$root/Cases/$filter(@Awake and Key eq @To/Key)',
              Values: [{ Member: 'State', Expression: "'Awake'" }],
            },
          ],
        },
      ],
      Firm: {
        $Kind: 'EntityContainer',
        Cases: { $Collection: true, $Type: 'Law.Case' },
        Letters: { $Collection: true, $Type: 'Law.Letter' },
      },
    },
  }) as unknown as JsonObject;

let mail: Reception | undefined;
afterEach(async () => {
  await mail?.stop();
  mail = undefined;
});

describe('A model of its own', () => {
  let desk: Desk;
  beforeAll(async () => {
    const { definition, mistakes } = readCsdl(model());
    expect(mistakes).toEqual([]);
    desk = await openForeignDesk(definition, {});
  });
  afterAll(async () => await desk?.close());

  const letters = async (title: string) =>
    (await desk.get(`/Letters?$filter=Title eq '${title}'&$expand=Case,Papers`)).json.value;

  it('keeps messages in its own members, shortened to their length', async () => {
    const reception = receiveMail(desk);
    mail = reception;
    const attachments = [{ filename: 'deed.txt', content: 'signed' }];
    await reception.send({ subject: 'Title of more than ten', messageId: '<a@b>', attachments });
    const [letter] = await untilFound(reception, () => letters('Title of m'));
    expect(letter).toMatchObject({ Id: '<a@b>', Text: 'Hello\n', State: null, Case: null });
    expect(letter).toMatchObject({ Papers: [{ Name: 'deed.txt' }] });
  });

  it('adds replies by its own action', async () => {
    const reception = receiveMail(desk);
    mail = reception;
    const { json } = await desk.send('POST', '/Cases', { body: { State: 'Asleep' } });
    const body = { Id: '<root@b>', Title: 'Root', 'Case@odata.bind': `Cases(${json.Key})` };
    expect((await desk.send('POST', '/Letters', { body })).status).toBe(201);
    const caseNow = async () => (await desk.get(`/Cases(${json.Key})`)).json;
    await reception.sendRaw(eml({ Subject: 'Machine', 'In-Reply-To': '<root@b>' }, 'one'), '');
    await untilFound(reception, async () => [await caseNow()].filter(({ Notes }) => Notes));
    expect((await caseNow()).State).toBe('Asleep');
    await reception.sendRaw(eml({ Subject: 'Human', 'In-Reply-To': '<root@b>' }, 'two'));
    await untilFound(reception, async () =>
      [await caseNow()].filter(({ Notes }) => Notes.startsWith('two')),
    );
    expect((await caseNow()).State).toBe('Awake');
  });

  it('keeps what cannot be parsed with its own status', async () => {
    const reception = receiveMail(desk);
    mail = reception;
    await reception.sendRaw(eml({ Subject: 'x' }, '\0'));
    const [letter] = await untilFound(reception, () => letters('(unreadabl'));
    expect(letter).toMatchObject({ State: 'Unreadable', Papers: [{ Name: 'message.eml' }] });
  });
});

describe('The declaration is rejected', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docket-mail-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The mistakes with their remedies. */
  function mistakesIn(text: string): string {
    const file = join(folder, 'model.json');
    writeFileSync(file, text);
    const { mistakes } = checkModelFile(file);
    return mistakes.map(({ message, remedy }) => `${message} ${remedy}`).join('\n');
  }

  it.each([
    ['a member that does not exist', { ...MAIL, Body: 'Txt' }, 'Text'],
    ['a Message-ID that is not unique', { ...MAIL, MessageId: 'Text' }, 'not unique'],
    ['a collection that has no files', { ...MAIL, Files: 'Case' }, 'collection of files Case'],
    ['an action that does not exist', { ...MAIL, Reply: 'Law.Fill' }, 'Law.File'],
    ['an action without conversations', { ...MAIL, Record: undefined }, 'Record'],
    ['a status without a value', { ...MAIL, ErrorStatus: undefined }, 'ErrorStatus'],
    ['a sender without an address', { ...MAIL, Sender: 'Case' }, 'SenderAddress'],
    ['an unknown part', { ...MAIL, Subjekt: 'Title' }, 'Subjekt'],
    ['no subject', { ...MAIL, Subject: undefined }, 'Subject'],
  ])('with %s', (_, annotation, expected) => {
    const text = JSON.stringify(model(annotation));
    expect(mistakesIn(text)).toContain(expected);
  });

  it('unless it is right', () => {
    expect(mistakesIn(JSON.stringify(model()))).toBe('');
  });
});

describe('An account for mail', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    const roles = JSON.parse(readFileSync('models/service-desk/roles.json', 'utf8'));
    const body = roles.Roles.find(({ Name }: { Name: string }) => Name === 'agent');
    expect((await desk.send('POST', '/Roles', { body })).status).toBe(201);
    await desk.join({ loginName: 'mail', roles: ['agent'] });
    await desk.join({ loginName: 'powerless', roles: [] });
    await desk.join({ loginName: 'absent', roles: ['agent'] });
    const absent = "/Accounts?$filter=LoginName eq 'absent'";
    const [{ Uid }] = (await desk.get(encodeURI(absent))).json.value;
    await desk.send('PATCH', `/Accounts(${Uid})`, { body: { Blocked: true } });
  });
  afterAll(async () => await desk?.close());

  it('can have the role of agents', async () => {
    mail = receiveMail(desk, { account: 'mail' });
    const id = '<start@example.com>';
    await mail.send({ subject: 'Agent', messageId: id });
    const [{ Uid, Registration }] = await mailNamed(desk, mail, 'Agent');
    expect(Registration.CreatedBy).toBe('mail');
    const path = `/EmailServiceRequests(${Uid})/Service.Web.OData.Model.Convert`;
    const request = (await desk.send('POST', path)).json.Uid;
    await mail.send({ subject: 'Reply to the agent', inReplyTo: id });
    const url = `/ServiceRequests(${request})/HistoryLines?$filter=Kind/Value eq 202004`;
    await untilFound(mail, async () => (await desk.get(url)).json.value);
  });

  it.each([
    ['powerless', /may not/],
    ['nobody-at-all', /There is no account/],
    ['absent', /"absent" \(mail\.account\) is blocked\. Unblock it/],
  ])('that may not create records keeps messages until it may: %s', async (account, reason) => {
    const first = receiveMail(desk, { account });
    mail = first;
    const subject = `For ${account}`;
    await first.send({ subject });
    await expect.poll(() => first.failures[0], { timeout: 20_000 }).toMatch(reason);
    await first.stop();
    mail = receiveMail(desk, { account: 'mail' });
    expect(await mailNamed(desk, mail, subject)).toHaveLength(1);
  });
});
