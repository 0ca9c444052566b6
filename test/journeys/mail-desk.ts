// This file lets a desk send mail to a real mail server, and receive mail, in tests.
import { expect } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import type { IncomingMailSettings } from '../../src/mail/in/start-incoming-mail.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { type Desk, openDesk } from './desk.ts';
import { DESK_ADDRESS, FAILURE_LIMIT, type Reception, receiveMail, untilFound } from './mail-in.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';

/** A desk with mail in both directions. */
export interface MailDesk {
  readonly desk: Desk;
  readonly server: MailServer;
  readonly mail: Reception;
  /** Creates an entity and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
  readonly created: (path: string, body: object) => Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
  readonly rows: (path: string) => Promise<readonly any[]>;
  /** Announces each new entity of the set to its caller, or what else the rule names. */
  readonly announce: (EntitySet: string, rule?: object) => Promise<void>;
  /** A person who may read what is announced. */
  readonly person: (Email: string) => Promise<number>;
  /** Waits for the next message to an address. */
  readonly messageTo: (address: string) => Promise<ReceivedMail>;
  readonly failures: readonly Observation[];
  readonly close: () => Promise<void>;
}

interface MailDeskOptions {
  readonly smtp?: object;
  readonly incoming?: Partial<IncomingMailSettings>;
}

/** Opens a desk that follows changes. */
export async function openMailDesk({ smtp, incoming }: MailDeskOptions = {}): Promise<MailDesk> {
  const desk = await openDesk();
  const server = await startMailServer();
  const mail = receiveMail(desk, incoming);
  const failures: Observation[] = [];
  const stopOutgoing = startOutgoing(desk, server, failures, smtp);
  await untilFound(mail, async () =>
    [await readSetting(desk.installation.database, 'mail position')].filter(Boolean),
  );
  const created: MailDesk['created'] = async (path, body) => {
    const { status, json, text } = await desk.send('POST', path, { body });
    expect(status, text).toBe(201);
    return json;
  };
  await created('/Roles', { Name: 'reader of notices', EntityAccess: READABLE });
  let count = 0;
  return {
    ...{ desk, server, mail, failures, created },
    rows: async (path) => (await desk.get(path)).json.value,
    announce: async (EntitySet, rule = {}) => {
      const Template = `template ${count++}`;
      const texts = { Language: 'en', Subject: 'News', Text: 'There is something new.' };
      await created('/MailTemplates', { Name: Template, ...texts });
      const body = { Event: 'created', Recipients: ['Caller'], SkipAuthor: false };
      await created('/MailRules', { Name: Template, EntitySet, ...body, ...rule, Template });
    },
    person: async (Email) => {
      const { Uid } = await created('/Persons', { LastName: `Person ${count++}`, Email });
      await desk.join({ loginName: `login ${Uid}`, roles: ['reader of notices'], person: Uid });
      return Uid;
    },
    messageTo: async (address) => await takeMessage(mail, server, address),
    close: async () => {
      await stopOutgoing();
      await mail.stop();
      await server.close();
      await desk.close();
    },
  };
}

const READABLE = ['ServiceRequest', 'Incident', 'EmailServiceRequest', 'HistoryLine'].map(
  (Entity) => ({ Entity, Read: true }),
);

function startOutgoing(
  { service }: Desk,
  { port }: MailServer,
  failures: Observation[],
  smtp: object = {},
): () => Promise<void> {
  const settings = {
    ...{ host: '127.0.0.1', port, tls: 'off' as const, verify: true, connections: 1 },
    ...{ from: DESK_ADDRESS, fromName: 'Service desk', timeoutSeconds: 20 },
    ...smtp,
  };
  const observe = (one: Observation) => void (one.kind === 'failure' && failures.push(one));
  const limits = { hourlyMails: 100, dailyMails: 100, mailFailures: FAILURE_LIMIT };
  const observed = Object.create(service, { observe: { value: observe } });
  return startOutgoingMail(
    observed,
    { smtp: settings, ownAddresses: [], limits },
    { interval: 50 },
  );
}

async function takeMessage(
  mail: Reception,
  { received }: MailServer,
  address: string,
): Promise<ReceivedMail> {
  const isFor = ({ to }: ReceivedMail) => to[0] === address;
  await untilFound(mail, async () => received.filter(isFor));
  const [message] = received.splice(received.findIndex(isFor), 1);
  if (message === undefined) throw new Error('The message has been taken.');
  return message;
}
