// This file edits code lists where a request may have older ones: another process that has not noticed the edit yet, and the requests of
// one batch.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { RECORDS } from './records.ts';

let desk: Desk;
/** Another process of the same installation, which notices edits within half a second. */
let other: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: RECORDS });
  other = await desk.another();
});
afterAll(async () => {
  await other.close();
  await desk.close();
});

const texts = (text: string) => [{ Language: 'en', Text: text }];
const MEDIUM = "CodeLists(Name='Medium')";

async function add(value: number, text: string): Promise<void> {
  const body = { Value: value, Texts: texts(text), 'List@odata.bind': MEDIUM };
  const made = await desk.send('POST', '/Codes', { body });
  expect(made.status, made.text).toBe(201);
}

/** Waits until the other process knows a code. Leaves no record that uses it. */
async function noticed(value: number): Promise<void> {
  const body = requestWith({ Value: value });
  const write = async () => {
    const { status, json } = await other.send('POST', '/ServiceRequests', { body });
    if (status === 201) await other.send('DELETE', `/ServiceRequests(${json.Uid})`);
    return status;
  };
  await expect.poll(write).toBe(201);
}

const requestWith = (medium: object) => ({ Description: 'A request', Medium: medium });

/** Creates a request with the code in the other process, so that its next plan is in the cache. */
async function create(medium: object): Promise<number> {
  const made = await other.send('POST', '/ServiceRequests', { body: requestWith(medium) });
  expect(made.status, made.text).toBe(201);
  return made.json.Uid;
}

describe('Another process', () => {
  it.each([
    ['new', 'POST', () => '/ServiceRequests', requestWith],
    ['changed', 'PATCH', (uid: number) => `/ServiceRequests(${uid})`, requestWith],
    [
      'single',
      'PUT',
      (uid: number) => `/ServiceRequests(${uid})/Medium`,
      (medium: object) => medium,
    ],
  ])('rejects a code that was just deleted in a %s value', async (kind, method, path, body) => {
    const value = 120_200 + kind.length;
    await add(value, `To be deleted ${kind}`);
    await noticed(value);
    const uid = await create({ Value: 120_001 });
    const write = async (medium: object) =>
      await other.send(method, path(uid), { body: body(medium) });
    for (let round = 0; round < 3; round++) await write({ Value: 120_002 });
    await other.get('/ServiceRequests?$top=1');
    expect((await desk.send('DELETE', `/Codes(Value=${value})`)).status).toBe(204);
    const late = await write({ Value: value });
    expect([late.status, late.text], late.text).toEqual([
      400,
      expect.stringContaining('write.code'),
    ]);
    expect(late.text).not.toContain(`${value} \\"To be deleted`);
    expect((await write({ Value: 120_003 })).status).toBeLessThan(300);
  });

  it('rejects a code that was just disabled', async () => {
    await add(120_215, 'To be disabled');
    await noticed(120_215);
    await create({ Value: 120_001 });
    const disabled = { body: { Disabled: true } };
    expect((await desk.send('PATCH', '/Codes(Value=120215)', disabled)).status).toBe(204);
    const late = await other.send('POST', '/ServiceRequests', {
      body: requestWith({ Text: 'To be disabled' }),
    });
    expect(late.json.error.details).toMatchObject([{ code: 'write.code-disabled' }]);
  });

  it('shows the current text of a code in the response to a write', async () => {
    await create({ Value: 120_004 });
    const renamed = { body: { Texts: texts('After') } };
    expect((await desk.send('PATCH', '/Codes(Value=120004)', renamed)).status).toBe(204);
    const made = await other.send('POST', '/ServiceRequests', {
      body: requestWith({ Value: 120_004 }),
    });
    expect([made.status, made.json.Medium]).toEqual([201, { Text: 'After', Value: 120_004 }]);
  });
});

describe('The requests of a batch', () => {
  const batch = async (requests: readonly object[]) => {
    const answer = await desk.send('POST', '/$batch', { body: { requests } });
    return answer.json.responses as { readonly status: number; readonly body?: unknown }[];
  };
  const request = (id: string, method: string, url: string, body?: object, group = {}) => ({
    id,
    method,
    url,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    ...group,
  });

  it.each([
    ['separate', {}, 120_220],
    ['in a change set', { atomicityGroup: 'g' }, 120_230],
  ])('use the codes that earlier ones have edited: %s', async (name, group, value) => {
    const code = { Value: value, Texts: texts(`Added ${name}`), 'List@odata.bind': MEDIUM };
    const added = await batch([
      request('1', 'post', 'Codes', code, group),
      request('2', 'post', 'ServiceRequests', requestWith({ Value: value }), group),
      request('3', 'post', 'ServiceRequests', requestWith({ Text: `added ${name}` }), group),
      request('4', 'patch', `Codes(Value=${value})`, { Texts: texts(`Renamed ${name}`) }, group),
      request('5', 'post', 'ServiceRequests', requestWith({ Text: `Renamed ${name}` }), group),
    ]);
    expect(
      added.map(({ status }) => status),
      JSON.stringify(added),
    ).toEqual([201, 201, 201, 204, 201]);
    const text = (index: number) =>
      (added[index]?.body as { readonly Medium: { readonly Text: string } } | undefined)?.Medium
        .Text;
    expect([text(1), text(2), text(4)]).toEqual([
      `Added ${name}`,
      `Added ${name}`,
      `Renamed ${name}`,
    ]);
    const disabled = await batch([
      request('1', 'patch', `Codes(Value=${value})`, { Disabled: true }, group),
      request('2', 'post', 'ServiceRequests', requestWith({ Value: value }), group),
    ]);
    expect(disabled.at(-1)?.status).toBe(400);
    expect(JSON.stringify(disabled.at(-1))).toContain('write.code-disabled');
  });

  it('leave nothing behind if a change set fails', async () => {
    const group = { atomicityGroup: 'g' };
    const code = { Value: 120_240, Texts: texts('Undone'), 'List@odata.bind': MEDIUM };
    const failed = await batch([
      request('1', 'post', 'Codes', code, group),
      request('2', 'post', 'ServiceRequests', requestWith({ Value: 120_240 }), group),
      request('3', 'post', 'ServiceRequests', requestWith({ Value: 1 }), group),
    ]);
    expect(failed.map(({ status }) => status)).toContain(400);
    const made = await desk.send('POST', '/ServiceRequests', {
      body: requestWith({ Value: 120_240 }),
    });
    expect(made.status).toBe(400);
  });
});
