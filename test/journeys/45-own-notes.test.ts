// This file edits notes: their authors may for some minutes, nobody else may, and what a note contained before is kept.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { performer } from '../../src/service/handle-request.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { type FixedWorld, fixedWorld } from '../world.ts';
import { type Desk, openDesk, principalNamed } from './desk.ts';
import { MEMBER } from './records.ts';

const MINUTE = 60_000;
const V401 = { 'OData-Version': '4.01' };

let desk: Desk;
let world: FixedWorld;
let request: string;
let note: string;
beforeAll(async () => {
  world = fixedWorld(7);
  desk = await openDesk({ world });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  await desk.join({ loginName: 'agent', roles: ['agent'], person: MEMBER });
});
afterAll(async () => await desk?.close());
beforeEach(async () => {
  const Description = 'Printer';
  const made = await send('admin', 'POST', 'ServiceRequests', { Description });
  request = `ServiceRequests(${made.json.Uid})`;
  const body = { Information: 'No answer' };
  note = `${request}/HistoryLines(${(await send('agent', 'POST', `${request}/HistoryLines`, body)).json.Uid})`;
});

/** Sends without a token, which would expire as time passes. */
async function send(
  account: string,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const [place = '', query = ''] = path.split('?');
  const call = {
    id: 'note',
    method,
    path: place,
    query,
    headers: { 'content-type': 'application/json', ...headers },
    body: content,
    address: '',
    root: desk.root,
  };
  const answer = await performer(desk.service)(call, await principalNamed(desk.service, account));
  const text = String(answer.body ?? '');
  return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text) };
}

const edit = async (account: string, body: object = { Information: 'Answered' }) => {
  const { status, json } = await send(account, 'PATCH', note, body);
  return [status, json?.error?.code];
};

describe('A note', () => {
  it('is changed by its author for 15 minutes, and then by nobody', async () => {
    expect(await edit('agent')).toEqual([204, undefined]);
    world.advance(15 * MINUTE - 1);
    expect(await edit('agent', { Information: 'Just in time' })).toEqual([204, undefined]);
    world.advance(1);
    const late = await send('agent', 'PATCH', note, { Information: 'Late' });
    expect([late.status, late.json.error.code]).toEqual([403, 'write.edit-time']);
    expect(late.json.error.message).toContain('for 15 minutes by its author (setting noteMinutes)');
    expect((await send('admin', 'GET', note)).json.Information).toBe('Just in time');
  });

  it.each<[string, (path: string) => readonly [string, string, object, object?]]>([
    ['PATCH', (path) => ['PATCH', path, { Information: 'Forged' }]],
    ['PUT', (path) => ['PUT', path, { Information: 'Forged' }]],
    ['PUT of a property', (path) => ['PUT', `${path}/Information`, { value: 'Forged' }]],
    ['a change of its visibility', (path) => ['PATCH', path, { Visibility: { Value: 203002 } }]],
    [
      'a deep update',
      (path) => [
        'PATCH',
        path.replace(/\/.*/, ''),
        { 'HistoryLines@delta': [{ '@odata.id': path, Information: 'Forged' }] },
        V401,
      ],
    ],
    [
      'each',
      (path) => [
        'PATCH',
        `${path.replace(/\(\d+\)$/, '')}/$filter(Kind/Value%20eq%20202002)/$each`,
        { Information: 'Forged' },
      ],
    ],
  ])('is not changed by %s of somebody else, administrators included', async (_, make) => {
    const [method, path, body, headers = {}] = make(note);
    const { status, json } = await send(
      'admin',
      method,
      path,
      body,
      headers as object as Record<string, string>,
    );
    expect([status, json.error.code]).toEqual([403, 'write.author']);
    expect((await send('admin', 'GET', note)).json.Information).toBe('No answer');
  });

  it('keeps what it contained, with author and time', async () => {
    await edit('agent');
    world.advance(MINUTE);
    await edit('agent', { Information: 'Answered, and called back' });
    const path = `${request}/HistoryLines?$filter=Kind/Value%20eq%20202001&$orderby=Uid&$expand=CreatedBy($select=LoginName)`;
    const { value } = (await send('admin', 'GET', path)).json;
    const Attribute = `${note.replace(/^.*\//, '')}/Information`;
    const common = {
      Attribute,
      CreatedBy: { LoginName: 'agent' },
      Visibility: { Text: 'Internal' },
    };
    expect(value).toMatchObject([
      { OldValue: 'No answer', NewValue: 'Answered', ...common },
      { OldValue: 'Answered', NewValue: 'Answered, and called back', ...common },
    ]);
    expect(Date.parse(value[1].CreatedAt) - Date.parse(value[0].CreatedAt)).toBe(MINUTE);
  });

  it.each([
    ['Information', 'Subject', 'a note'],
    ['OldValue', 'Information', undefined],
  ])(
    'is hidden where %s is withheld, also in what the history repeats',
    async (Attribute, other, subject) => {
      const role = `without ${Attribute}`;
      const EntityAccess = ['Record', 'HistoryLine'].map((Entity) => ({ Entity, Read: true }));
      const AttributeAccess = [{ Entity: 'HistoryLine', Attribute, Read: false, Modify: true }];
      const made = await send('admin', 'POST', 'Roles', {
        Name: role,
        EntityAccess,
        AttributeAccess,
      });
      expect(made.status, made.text).toBe(201);
      await desk.join({ loginName: role, roles: [role] });
      await edit('agent', { Information: 'Secret', Subject: 'a note' });
      const { value } = (await send(role, 'GET', `${request}/HistoryLines?$orderby=Uid`)).json;
      expect(JSON.stringify(value).includes('No answer')).toBe(false);
      expect(value[0][Attribute]).toBeUndefined();
      expect([other in value[0], value[0].Subject]).toEqual([true, subject]);
      const { value: all } = (await send('admin', 'GET', `${request}/HistoryLines`)).json;
      expect(all).toHaveLength(3);
      // The change of the other member is visible.
      expect(value).toHaveLength(2);
      expect(value[1].Attribute).toMatch(new RegExp(`/${other}$`));
    },
  );

  it('is shown as changeable to its author only, and only in time', async () => {
    const mayChange = async (account: string) =>
      (await send(account, 'GET', `${note}/EffectiveRights()`)).json.Change;
    expect([await mayChange('agent'), await mayChange('admin')]).toEqual([true, false]);
    world.advance(15 * MINUTE);
    expect(await mayChange('agent')).toBe(false);
  });

  it('follows the setting, which can also forbid every change', async () => {
    const set = async (Value: string | null) =>
      expect((await send('admin', 'PATCH', "Settings('noteMinutes')", { Value })).status).toBe(204);
    const lines = `${request}/HistoryLines`;
    const own = await send('admin', 'POST', lines, { Information: 'Of an administrator' });
    const editOwn = async () => {
      const path = `${lines}(${own.json.Uid})`;
      return (await send('admin', 'PATCH', path, { Information: 'Edited' })).status;
    };
    world.advance(20 * MINUTE);
    expect([(await edit('agent'))[0], await editOwn()]).toEqual([403, 403]);
    await set('30');
    expect([(await edit('agent'))[0], await editOwn()]).toEqual([204, 204]);
    await set('0');
    expect(await edit('agent')).toEqual([403, 'write.edit-time']);
    expect(await editOwn()).toBe(403);
    await set(null);
  });
});
