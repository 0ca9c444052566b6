// This file tries to alter recorded history: lines of the kinds that the service writes are read-only for every account, by every request
// that could create, change or delete one, and so are the files in them. Notes stay as editable as before.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { change } from '../../src/store/work.ts';
import { statement } from '../database.ts';
import { suiteRoles } from '../service-desk.ts';
import { writeAll } from '../write-all.ts';
import { sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { BARE_REQUEST, CALLER, MEMBER } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
const SYSTEM = { Value: 202001 };
const NOTE = { Value: 202002 };
/** System change, e-mail in and out, approval, time. */
const KINDS = [202001, 202004, 202005, 202006, 202007];

let desk: Desk;
let agent: Asking;
beforeAll(async () => {
  desk = await openDesk();
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  agent = await desk.join({ loginName: 'agent', roles: ['agent'], person: MEMBER });
});
afterAll(async () => await desk?.close());

/** A request with one line of a change, which has a file, and one note. */
let request: string;
let line: string;
let note: string;
beforeEach(async () => {
  const answer = await desk.send('POST', '/ServiceRequests', { body: { Description: 'Watched' } });
  request = `/ServiceRequests(${answer.json.Uid})`;
  await agent.send('PATCH', request, { body: { Solution: 'Restart it' } });
  const noted = await agent.send('POST', `${request}/HistoryLines`, {
    body: { Subject: 'Called back', Information: 'No answer' },
  });
  note = `${request}/HistoryLines(${noted.json.Uid})`;
  const { json } = await desk.get(`${request}/HistoryLines?$filter=Kind/Value eq 202001`);
  expect(json.value).toHaveLength(1);
  line = `${request}/HistoryLines(${json.value[0].Uid})`;
});

/** All that the history holds. */
async function history(): Promise<unknown> {
  const { json } = await desk.get(`${request}/HistoryLines?$orderby=Uid&$expand=Attachments`);
  return json.value;
}

/** What an account sends leaves the history as it is, and is answered so. */
async function expectRefused(
  send: (asking: Asking) => Promise<{ status: number; text: string }>,
  codes: readonly string[] = ['write.recorded'],
): Promise<void> {
  const before = await history();
  for (const asking of [desk, agent]) {
    const { status, text } = await send(asking);
    // An agent lacks some of these rights altogether.
    const accepted = asking === desk ? codes : [...codes, 'access.write', 'access.write-many'];
    expect(status, text).toBe(403);
    expect(
      accepted.some((code) => text.includes(`"${code}"`)),
      text,
    ).toBe(true);
  }
  expect(await history()).toEqual(before);
}

describe('A line that the service wrote', () => {
  const uid = () => Number(/\((\d+)\)$/.exec(line)?.[1]);
  it.each<readonly [string, string, string, unknown]>([
    ['PATCH', 'PATCH', '', { Subject: 'forged' }],
    ['PATCH to another kind', 'PATCH', '', { Kind: NOTE }],
    ['PUT', 'PUT', '', { Subject: 'forged' }],
    ['DELETE', 'DELETE', '', undefined],
    ['PUT of a property', 'PUT', '/Subject', { value: 'forged' }],
    ['PUT of the kind', 'PUT', '/Kind', NOTE],
    ['PATCH of the kind', 'PATCH', '/Kind', NOTE],
    ['DELETE of a property', 'DELETE', '/Kind', undefined],
  ])('%s: 403, whoever asks', async (_, method, tail, body) => {
    const message = body === undefined ? {} : { body };
    await expectRefused(async (asking) => await asking.send(method, `${line}${tail}`, message));
  });

  it('takes no files: 403', async () => {
    const headers = { 'content-type': 'text/plain', slug: 'more' };
    await expectRefused(
      async (asking) =>
        await asking.send('POST', `${line}/Attachments`, { headers, body: 'forged' }),
    );
  });

  it.each(['PUT', 'DELETE'])('%s of a raw value: 403', async (method) => {
    await expectRefused(
      async (asking) =>
        await asking.send(method, `${line}/Information/$value`, {
          headers: { 'content-type': 'text/plain' },
          ...(method === 'PUT' ? { body: 'forged' } : {}),
        }),
    );
  });

  it('has no references to be set: 400', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const body = { '@odata.id': 'Accounts(1)' };
      const answer = await desk.send(method, `${line}/CreatedBy/$ref`, { body });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'write.read-only']);
    }
    expect((await desk.send('DELETE', `${line}/$ref`)).status).toBe(400);
  });

  it('If-Match, a dry run, another name of the set and an upsert make no difference', async () => {
    const { etag } = (await desk.get(line)).headers;
    const body = { Subject: 'forged' };
    for (const headers of [{ 'if-match': String(etag) }, { prefer: 'dry-run' }, V401])
      await expectRefused(async (asking) => await asking.send('PATCH', line, { headers, body }));
    const singular = line.replace('ServiceRequests', 'ServiceRequest');
    await expectRefused(async (asking) => await asking.send('PATCH', singular, { body }));
  });

  it('$each, with a filter or not: 403, and no other line is changed', async () => {
    for (const rows of ['HistoryLines', 'HistoryLines/$filter(Kind/Value eq 202001)']) {
      const path = `${request}/${encodeURI(rows)}/$each`;
      await expectRefused(
        async (asking) => await asking.send('PATCH', path, { body: { Subject: 'forged' } }),
      );
      await expectRefused(async (asking) => await asking.send('DELETE', path));
    }
  });

  it('deep update, by a full list that changes it or leaves it out: 403', async () => {
    const note0 = { Uid: Number(/\((\d+)\)$/.exec(note)?.[1]) };
    for (const lines of [[{ Uid: uid(), Subject: 'forged' }, note0], [note0], []]) {
      for (const method of ['PATCH', 'PUT']) {
        const body = { Description: 'Watched', HistoryLines: lines };
        await expectRefused(
          async (asking) => await asking.send(method, request, { headers: V401, body }),
        );
      }
      await expectRefused(
        async (asking) =>
          await asking.send('PUT', `${request}/HistoryLines`, {
            headers: V401,
            body: { value: lines },
          }),
      );
    }
  });

  it('a list of changes, of the collection or inside its record: 403', async () => {
    const changes = [
      { '@id': line.slice(1), Subject: 'forged' },
      { '@removed': { reason: 'deleted' }, '@id': line.slice(1) },
    ];
    for (const change of changes) {
      await expectRefused(
        async (asking) =>
          await asking.send('PATCH', `${request}/HistoryLines`, {
            headers: V401,
            body: { '@context': '#$delta', value: [change] },
          }),
      );
      await expectRefused(
        async (asking) =>
          await asking.send('PATCH', request, {
            headers: V401,
            body: { 'HistoryLines@delta': [change] },
          }),
      );
    }
  });

  it('a part of a batch, alone or in a change set: 403', async () => {
    const url = line.slice(1);
    const parts = [
      { method: 'PATCH', url, body: { Subject: 'forged' } },
      { method: 'DELETE', url },
    ];
    const before = await history();
    for (const part of parts) {
      const json = await sendJsonBatch(desk, [{ id: '1', ...part }]);
      expect([json.statuses['1'], json.of('1').body.error.code]).toEqual([403, 'write.recorded']);
      const group = { id: '1', atomicityGroup: 'g', ...part };
      expect((await sendJsonBatch(desk, [group])).statuses['1']).toBe(403);
      const multipart = await sendBatch(desk, [part, [part]]);
      expect(multipart.answer.text.match(/403/g)?.length).toBeGreaterThanOrEqual(1);
      expect(multipart.answer.text).not.toMatch(/HTTP\/1\.1 20/);
    }
    expect(await history()).toEqual(before);
  });

  it('of any record, persons and items too, is read-only', async () => {
    const made = await desk.send('POST', '/Persons', { body: { LastName: 'Watched' } });
    const person = `/Persons(${made.json.Uid})`;
    await desk.send('PATCH', person, { body: { LastName: 'Renamed' } });
    const { json } = await desk.get(`${person}/HistoryLines`);
    expect(json.value.length).toBeGreaterThan(0);
    for (const { Uid } of json.value) {
      const answer = await desk.send('DELETE', `${person}/HistoryLines(${Uid})`);
      expect([answer.status, answer.json.error.code]).toEqual([403, 'write.recorded']);
    }
  });

  it('goes with its record', async () => {
    expect((await desk.send('DELETE', request)).status).toBe(204);
    expect((await desk.get(line)).status).toBe(404);
  });

  it('is shown as read-only by EffectiveRights; a note is not', async () => {
    const rights = async (path: string, asking: Asking = desk) => {
      const { Read, Create, Change, Delete, Attach, Members } = (
        await asking.get(`${path}/EffectiveRights()`)
      ).json;
      const changes = Members.filter((one: { Change: boolean }) => one.Change).length > 0;
      return [Read, Create, Change, Delete, Attach, changes];
    };
    expect(await rights(line)).toEqual([true, false, false, false, false, false]);
    expect(await rights(note)).toEqual([true, true, false, true, true, false]);
    expect(await rights(note, agent)).toEqual([true, true, true, false, true, true]);
  });
});

describe('A line of a kind that the service writes', () => {
  it.each(KINDS)('%i is not created by clients, by whatever kind of request', async (Value) => {
    const Kind = { Value };
    const body = { Subject: 'forged', Kind };
    // Of the two accounts, only the author may change the note at all.
    const reserved = ['write.reserved', 'write.author'];
    const bodies: readonly (readonly [string, string, object, Readonly<Record<string, string>>])[] =
      [
        ['POST', `${request}/HistoryLines`, body, {}],
        ['POST', '/ServiceRequests', { Description: 'New', HistoryLines: [body] }, {}],
        ['POST', `${request}/Workorders`, { Description: 'New', HistoryLines: [body] }, {}],
        ['PATCH', request, { 'HistoryLines@delta': [body] }, V401],
        ['PATCH', `${request}/HistoryLines`, { '@context': '#$delta', value: [body] }, V401],
        ['PATCH', note, { Kind }, {}],
        ['PATCH', `${note}/Kind`, Kind, {}],
        ['PUT', `${note}/Kind`, Kind, {}],
        ['PUT', note, body, {}],
      ];
    for (const [method, path, content, headers] of bodies) {
      await expectRefused(
        async (asking) => await asking.send(method, path, { headers, body: content }),
        reserved,
      );
    }
  });

  it('is not created by its text, with a file, or by a full list', async () => {
    const reserved = ['write.reserved'];
    const text = { Subject: 'forged', Kind: { Text: 'System change' } };
    await expectRefused(
      async (asking) => await asking.send('POST', `${request}/HistoryLines`, { body: text }),
      reserved,
    );
    const notes = [{ Subject: 'fine', Kind: NOTE }, text];
    await expectRefused(
      async (asking) =>
        await asking.send('POST', '/ServiceRequests', {
          body: { Description: 'New', HistoryLines: notes },
        }),
      reserved,
    );
  });

  it('is not created from a template', async () => {
    const template = await desk.send('POST', '/Templates', {
      body: {
        Name: 'Forged',
        Values: [
          { AttributeName: 'Description', Value: 'From a template' },
          {
            AttributeName: 'HistoryLines',
            Value: JSON.stringify({ Subject: 'x', Kind: SYSTEM }),
          },
        ],
      },
    });
    expect(template.status, template.text).toBe(201);
    const body = { 'Template@odata.bind': `Templates(${template.json.Uid})` };
    const answer = await desk.send('POST', '/ServiceRequests', { body });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'write.reserved']);
  });

  it('the refusal names the condition, and where in the body it is', async () => {
    const body = { Description: 'New', HistoryLines: [{ Subject: 'ok' }, { Kind: SYSTEM }] };
    const { json } = await desk.send('POST', '/ServiceRequests', { body });
    expect(json.error).toMatchObject({ code: 'write.reserved', target: 'HistoryLines[1]' });
    expect(json.error.message).toContain('Kind/Value in (202001,');
  });
});

describe('A file in a line that the service wrote', () => {
  it('is neither added, renamed, replaced nor removed', async () => {
    const name = 'attached';
    const sent = await agent.send('POST', `${note}/Attachments`, {
      headers: { 'content-type': 'text/plain', slug: name },
      body: 'first',
    });
    expect(sent.status, sent.text).toBe(201);
    const file = `${note}/Attachments(${sent.json.Uid})`;
    // As the service would have written it.
    const { database } = desk.installation;
    const key = BigInt(/\((\d+)\)$/.exec(note)?.[1] ?? 0);
    const table = [...desk.installation.layout.bySource.values()].find(({ source }) =>
      source.id.endsWith('Record/HistoryLines'),
    )?.table;
    const kind = table?.columns.find((one) => one.name.startsWith('Kind'))?.name;
    const update = statement(`UPDATE "${table?.name}" SET "${kind}" = 202004 WHERE "Uid" = ?`);
    await writeAll(database, change(update, [key]));
    const text = { 'content-type': 'text/plain' };
    const tries: readonly (readonly [string, string, object])[] = [
      ['POST', `${note}/Attachments`, { headers: { ...text, slug: 'more' }, body: 'more' }],
      ['PATCH', file, { body: { Name: 'renamed' } }],
      ['PUT', `${file}/Name`, { body: { value: 'renamed' } }],
      ['PUT', `${file}/$value`, { headers: text, body: 'forged' }],
      ['DELETE', `${file}/$value`, {}],
      ['DELETE', file, {}],
      [
        'POST',
        `${note}/Attachments`,
        { headers: { ...text, slug: name, prefer: 'conflict-resolution=replace' }, body: 'forged' },
      ],
      ['PATCH', `${note}/Attachments/$each`, { body: { FileName: 'x' } }],
      [
        'PATCH',
        `${note}/Attachments`,
        {
          headers: V401,
          body: {
            '@context': '#$delta',
            value: [{ '@removed': { reason: 'deleted' }, '@id': file.slice(1) }],
          },
        },
      ],
    ];
    for (const [method, path, message] of tries)
      await expectRefused(async (asking) => await asking.send(method, path, message));
    expect((await desk.get(`${file}/$value`)).text).toBe('first');
  });
});

describe('Everything else stays possible', () => {
  it('notes are written, changed and deleted beside recorded lines', async () => {
    expect((await agent.send('PATCH', note, { body: { Subject: 'Reached' } })).status).toBe(204);
    const shown = { body: { Kind: { Value: 202003 } } };
    expect((await agent.send('PATCH', note, shown)).status).toBe(204);
    const integration = { Subject: 'Sent on', Kind: { Value: 202008 } };
    const made = await agent.send('POST', `${request}/HistoryLines`, { body: integration });
    expect(made.status).toBe(201);
    expect((await desk.send('DELETE', note)).status).toBe(204);
  });

  it('a full list keeps recorded lines that it names by their key', async () => {
    const uid = Number(/\((\d+)\)$/.exec(line)?.[1]);
    const body = { HistoryLines: [{ Uid: uid }, { Subject: 'Another' }] };
    const answer = await desk.send('PATCH', request, { headers: V401, body });
    expect(answer.status, answer.text).toBe(204);
    const { json } = await desk.get(`${request}/HistoryLines?$orderby=Uid`);
    expect(json.value).toMatchObject([
      { Uid: uid, NewValue: 'Restart it' },
      { Subject: 'Another' },
    ]);
  });

  it('records are changed, also many at once, and their changes recorded', async () => {
    const path = `/ServiceRequests/$filter(Uid%20eq%20${BARE_REQUEST})/$each`;
    const answer = await desk.send('PATCH', path, { body: { Solution: 'Done' } });
    expect(answer.status, answer.text).toBe(204);
    const bound = { 'Caller@odata.bind': `Persons(${CALLER})` };
    expect((await desk.send('PATCH', request, { body: bound })).status).toBe(204);
    const { text } = await desk.get(`${request}/HistoryLines/$count`);
    expect(text).toBe('3');
  });
});
