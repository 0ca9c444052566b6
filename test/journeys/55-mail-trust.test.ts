// This file answers a request as its caller and as somebody who pretends to be the caller: only what the organization's mail server has authenticated
// may act, and the record states what is not trusted. RFC 8601.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { mailNamed, type Reception, receiveMail, untilFound } from './mail-in.ts';

const [IN_PROGRESS, WAITING] = [101003, 101004];
const ISLA = 'isla@example.com';
const SHARED = 'family@example.com';
const PASS = { 'Authentication-Results': 'mx.example.org; dmarc=pass header.from=example.com' };
const FORGED = { 'Authentication-Results': 'mx.attacker.net; dmarc=pass header.from=example.com' };

let desk: Desk;
let mail: Reception | undefined;
let isla: number;
beforeAll(async () => {
  desk = await openDesk();
  const body = { LastName: 'Walker', Email: ISLA };
  isla = (await desk.send('POST', '/Persons', { body })).json.Uid;
  for (const LastName of ['One', 'Two'])
    await desk.send('POST', '/Persons', { body: { LastName, Email: SHARED } });
});
afterAll(async () => {
  await mail?.stop();
  await desk?.close();
});

const authenticated = (required: boolean) => ({
  authentication: { servers: ['mx.example.org'], required },
});

// biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
const linesAt = async (url: string): Promise<readonly any[]> => (await desk.get(url)).json.value;

let count = 0;
/** The record of an answer to a request that waits for its caller, and what became of the request. */
async function answered(settings: object, message: object) {
  await mail?.stop();
  const reception = receiveMail(desk, settings);
  mail = reception;
  const caller = { 'Caller@odata.bind': `Persons(${isla})` };
  const content = { Description: 'Printer', Status: { Value: WAITING }, ...caller };
  const request = (await desk.send('POST', '/ServiceRequests', { body: content })).json.Uid;
  const id = `<start.${count}@example.com>`;
  const email = {
    Subject: 'Start',
    MessageId: id,
    'ServiceRequest@odata.bind': `ServiceRequests(${request})`,
  };
  expect((await desk.send('POST', '/EmailServiceRequests', { body: email })).status).toBe(201);
  const subject = `Answer ${count++}`;
  await reception.send({ from: ISLA, subject, text: 'Close it.', inReplyTo: id, ...message });
  const lines = `/ServiceRequests(${request})/HistoryLines?$filter=Subject eq '${subject}'`;
  const [line] = await untilFound(reception, () => linesAt(lines));
  const [record] = await mailNamed(desk, reception, subject, '&$expand=Sender');
  const status = (await desk.get(`/ServiceRequests(${request})`)).json.Status.Value;
  return { record, line, status };
}

describe('With required authentication', () => {
  it('an authenticated caller resumes the request', async () => {
    const { record, line, status } = await answered(authenticated(true), { headers: PASS });
    expect(status).toBe(IN_PROGRESS);
    expect([record.Sender.Uid, record.DistrustReason]).toEqual([isla, null]);
    expect(line.Information).toBe('Close it.\n');
  });

  it.each([
    ['no result', {}, 'there are no Authentication-Results of mx.example.org'],
    ['a result of another server', FORGED, 'there are no Authentication-Results of mx.example.org'],
    ['a failure', { 'Authentication-Results': 'mx.example.org; dmarc=fail' }, 'dmarc=fail'],
  ])(
    'a message with %s acts for nobody, and its reason is recorded',
    async (_, headers, reason) => {
      const { record, line, status } = await answered(authenticated(true), { headers });
      expect(status).toBe(WAITING);
      const expected = `${ISLA} is not authenticated: ${reason}.`;
      expect([record.Sender, record.DistrustReason]).toEqual([null, expected]);
      expect(line.Information).toBe(`${expected}\n\nClose it.\n`);
    },
  );
});

describe('Without it', () => {
  it('a failure is recorded, and the sender is believed', async () => {
    const { record, status } = await answered(authenticated(false), { headers: FORGED });
    expect(status).toBe(IN_PROGRESS);
    expect(record.Sender.Uid).toBe(isla);
    expect(record.DistrustReason).toContain('not authenticated');
  });

  it('no result is expected, unless servers are named', async () => {
    const { record, status } = await answered({}, {});
    expect([status, record.DistrustReason]).toEqual([IN_PROGRESS, null]);
  });

  it.each([
    ['an unknown sender', { from: 'eve@example.net' }, 'eve@example.net is no known person.'],
    [
      'an address of two persons',
      { from: SHARED },
      `Several persons have the address ${SHARED}. Remove it from all but one.`,
    ],
    [
      'a machine',
      { headers: { 'Auto-Submitted': 'auto-replied' } },
      'The message is automatic: Auto-Submitted.',
    ],
  ])('%s leaves a note with the reason, for review', async (_, message, reason) => {
    const { record, line, status } = await answered({}, message);
    expect(status).toBe(WAITING);
    expect(record.DistrustReason).toBe(reason);
    expect(line).toMatchObject({
      Kind: { Text: 'E-mail in' },
      Visibility: { Text: 'Internal' },
      Information: `${reason}\n\nClose it.\n`,
    });
  });
});
