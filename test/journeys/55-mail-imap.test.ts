// This file takes the messages of an IMAP mailbox. Each becomes one record, whatever happens between taking and marking it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import hoodiecrow, { type ImapServer } from 'hoodiecrow-imap';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authDatabase } from '../../src/auth/database.ts';
import { type ImapSettings, takeMessages } from '../../src/mail/in/imap-mailbox.ts';
import { isStored, storeDelivery } from '../../src/mail/in/received-messages.ts';
import { eml } from '../mail/in/eml.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Reception, receiveMail, untilFound } from './mail-in.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

let server: ImapServer;
let imap: ImapSettings;
let count = 0;
let mail: Reception | undefined;
beforeEach(() => {
  count += 1;
});
afterEach(async () => {
  await mail?.stop();
  mail = undefined;
  server.server.close();
  await once(server.server, 'close');
});

const message = (subject: string, headers: Readonly<Record<string, string>> = {}, body = 'x') =>
  eml({ Subject: subject, From: 'a@example.com', ...headers }, body).toString('latin1');

/** A server whose INBOX has the messages, with another UIDVALIDITY in each test. */
async function serve(
  messages: readonly string[],
  settings: Partial<ImapSettings> = {},
  { plugins = ['MOVE'], inbox = {} }: { readonly plugins?: string[]; readonly inbox?: object } = {},
) {
  server = hoodiecrow({
    plugins: ['ID', 'UIDPLUS', 'NAMESPACE', 'UNSELECT', ...plugins],
    storage: {
      INBOX: { uidvalidity: count, messages: messages.map((raw) => ({ raw })), ...inbox },
      '': { separator: '/', folders: { Stored: {} } },
    },
  });
  server.server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  imap = {
    host: '127.0.0.1',
    port,
    tls: 'off',
    verify: true,
    user: 'testuser',
    password: 'testpass',
    folder: 'INBOX',
    timeoutSeconds: 30,
    ...settings,
  };
}

const inFolder = (name: string) => server.folderCache[name]?.messages ?? [];
const seen = () => inFolder('INBOX').filter(({ flags }) => flags.includes('\\Seen')).length;

async function records(reception: Reception, subject: string) {
  const url = `/EmailServiceRequests?$filter=Subject eq '${subject}'`;
  return await untilFound(reception, async () => (await desk.get(url)).json.value);
}

const start = (bytes = 1_000_000) => {
  const settings = { imap: { ...imap, pollSeconds: 1 }, listen: undefined, messageBytes: bytes };
  mail = receiveMail(desk, settings);
  return mail;
};

describe('The messages of a mailbox', () => {
  it('become records, and are marked as seen', async () => {
    await serve([message('First of two'), message('Second of two')]);
    const reception = start();
    expect(await records(reception, 'First of two')).toHaveLength(1);
    expect(await records(reception, 'Second of two')).toHaveLength(1);
    await expect.poll(seen, { timeout: 20_000 }).toBe(2);
    expect(reception.failures).toEqual([]);
  });

  it('are moved, if a folder is configured', async () => {
    await serve([message('To be moved')], { moveTo: 'Stored' });
    const reception = start();
    expect(await records(reception, 'To be moved')).toHaveLength(1);
    await expect.poll(() => inFolder('Stored').length, { timeout: 20_000 }).toBe(1);
    expect(inFolder('INBOX')).toHaveLength(0);
  });

  it('that are too large are recorded with their beginning', async () => {
    await serve([message('Too large', {}, 'x'.repeat(50_000)), message('After the large')]);
    const reception = start(10_000);
    await records(reception, 'After the large');
    const rows = await records(reception, '(unreadable message)');
    expect(rows[0]).toMatchObject({ Status: { Text: 'Error' } });
    expect(JSON.stringify(rows[0])).toContain('more than the limit of 10000');
  });

  it('of one Message-ID in two mailboxes are one record', async () => {
    await serve([
      message('In two mailboxes', { 'Message-ID': '<two@example.com>', Received: 'from a' }),
      message('In two mailboxes', { 'Message-ID': '<two@example.com>', Received: 'from b' }),
      message('Last of three'),
    ]);
    const reception = start();
    await records(reception, 'Last of three');
    expect(await records(reception, 'In two mailboxes')).toHaveLength(1);
  });
});

describe('Messages that the server does not mark are stored and stay, and the log contains the reason', () => {
  it.each([
    ['with MOVE', ['MOVE']],
    ['without MOVE', []],
  ])('if the folder does not exist, %s', async (name, plugins) => {
    await serve([message(`Unmoved ${name}`)], { moveTo: 'Missing' }, { plugins });
    const reception = start();
    await expect.poll(() => reception.failures.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(reception.failures[0]).toContain(
      'Stored messages that cannot be moved to "Missing" (mail.imap.moveTo): 1: ',
    );
    expect(reception.failures[0]).not.toContain('no reason');
    expect(inFolder('INBOX')).toHaveLength(1);
    const url = `/EmailServiceRequests?$filter=Subject eq 'Unmoved ${name}'`;
    const stored = async () => (await desk.get(url)).json.value.length;
    await expect.poll(stored, { timeout: 20_000 }).toBe(1);
  });

  it('if the mailbox has no flag for it', async () => {
    const inbox = { permanentFlags: ['\\Deleted'], allowPermanentFlags: false };
    await serve([message('Unseen')], {}, { inbox });
    const reception = start();
    await expect.poll(() => reception.failures.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(reception.failures[0]).toContain('cannot be marked as seen: 1: ');
  });

  it('and are moved without MOVE as well, if the folder exists', async () => {
    await serve([message('Copied')], { moveTo: 'Stored' }, { plugins: [] });
    start();
    await expect.poll(() => inFolder('Stored').length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => inFolder('INBOX').length, { timeout: 20_000 }).toBe(0);
  });
});

describe('A process that ends', () => {
  const database = () => authDatabase(desk.installation.database);
  const take = async (isLost: 'before' | 'after' | 'never') => {
    const settings = { bytes: 1_000_000, now: Date.now, signal: new AbortController().signal };
    const lose = (moment: string) => {
      if (isLost === moment) throw new Error('ended');
    };
    await takeMessages(imap, settings, {
      isStored: (identity) => isStored(database(), identity),
      store: async (identity, delivery) => {
        lose('before');
        await storeDelivery(database(), identity, delivery);
        lose('after');
      },
    });
  };

  it.each(['before', 'after'] as const)(
    '%s a message is stored leaves it unmarked, and it is stored once',
    async (moment) => {
      const subject = `Interrupted ${moment}`;
      await serve([message(subject)]);
      await expect(take(moment)).rejects.toThrow('ended');
      expect(seen()).toBe(0);
      await take('never');
      await take('never');
      expect(seen()).toBe(1);
      const reception = start();
      expect(await records(reception, subject)).toHaveLength(1);
    },
  );
});

describe('A mailbox that cannot be read', () => {
  it('is reported, and read when it can be', async () => {
    await serve([message('Later')]);
    const { port } = imap;
    server.server.close();
    await once(server.server, 'close');
    const reception = start();
    await expect.poll(() => reception.failures.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await reception.stop();
    await serve([message('Later')]);
    expect(imap.port).not.toBe(port);
    expect(await records(start(), 'Later')).toHaveLength(1);
  });
});
