// This file reads the history that changes leave: one line for each changed property, told as people read it, written in the transaction
// of the change and by nobody else; and notes, which people post.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { CALLER, MEMBER, WORKGROUP } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

interface Line {
  readonly Attribute: string | null;
  readonly OldValue: string | null;
  readonly NewValue: string | null;
}

async function made(set: string, body: object): Promise<string> {
  const answer = await desk.send('POST', set, { body });
  expect(answer.status, answer.text).toBe(201);
  return `${set}(${answer.json.Uid})`;
}

const request = async (body: object = {}) =>
  await made('/ServiceRequests', { Description: 'Watched', ...body });

async function patch(path: string, body: object, headers = {}): Promise<number> {
  return (await desk.send('PATCH', path, { body, headers })).status;
}

/** Property, old and new value of all lines of a record, the oldest first. */
async function history(path: string): Promise<readonly (readonly (string | null)[])[]> {
  const { json } = await desk.get(`${path}/HistoryLines?$orderby=Uid&$top=250`);
  return json.value.map(({ Attribute, OldValue, NewValue }: Line) => [
    Attribute,
    OldValue,
    NewValue,
  ]);
}

async function personName(key: number): Promise<string> {
  return (await desk.get(`/Persons(${key})`)).json.Name;
}

describe('Words', () => {
  const found = async (path: string) =>
    (await desk.get(path)).json.value.map((one: { Uid: number }) => one.Uid);

  it('of whatever has just been written are found', async () => {
    const path = await request({
      Description: 'A quokka at the door',
      Workorders: [{ Description: 'Feed the quokka' }],
      HistoryLines: [{ Subject: 'Seen', Information: 'The quokka was seen' }],
    });
    await patch(path, { Solution: 'Send the wombat home' });
    await patch(path, { Solution: 'Send the numbat home' });
    expect(await found('/ServiceRequests?$search=quokka')).toHaveLength(1);
    expect(await found("/Workorders?$filter=contains(Description,'quokka')")).toHaveLength(1);
    expect(await found(`${path}/HistoryLines?$search=quokka`)).toHaveLength(1);
    expect(await found("/ServiceRequests?$filter=contains(Solution,'numbat')")).toHaveLength(1);
    expect(await found('/ServiceRequests?$search=wombat')).toEqual([]);
  });
});

describe('Changes', () => {
  it('one line for each changed property: old, new, who and when', async () => {
    const path = await request({ Solution: 'None' });
    const before = new Date().toISOString();
    expect(await patch(path, { Description: 'Changed', Solution: null })).toBe(204);
    expect(await history(path)).toEqual([
      ['Description', 'Watched', 'Changed'],
      ['Solution', 'None', null],
    ]);
    const { json } = await desk.get(`${path}/HistoryLines?$expand=CreatedBy($select=LoginName)`);
    for (const line of json.value) {
      expect(line.Kind).toEqual({ Text: 'System change', Value: 202001 });
      expect(line.CreatedBy.LoginName).toBe('admin');
      expect(line.CreatedAt >= before && line.CreatedAt <= new Date().toISOString()).toBe(true);
    }
  });

  it('the subject shows the change, within its length; that of a note is what was posted', async () => {
    const path = await request({ Solution: 'None', HistoryLines: [{ Subject: 'Seen' }] });
    const long = '\u{1f427}'.repeat(300);
    expect(await patch(path, { Status: { Value: 101002 } })).toBe(204);
    expect(await patch(path, { Solution: null })).toBe(204);
    expect(await patch(path, { Solution: long })).toBe(204);
    const { json } = await desk.get(`${path}/HistoryLines?$orderby=Uid`);
    const subjects = json.value.map(({ Subject }: { Subject: string }) => Subject);
    expect(subjects).toEqual([
      'Seen',
      'Status: Registered → Assigned',
      'Solution: None → –',
      [...`Solution: – → ${long}`].slice(0, 255).join(''),
    ]);
    const copy = { HistoryLines: [{ Subject: subjects[3] }] };
    expect(await request(copy)).toContain('/ServiceRequests');
  });

  it('the line has the name of the account that made the change', async () => {
    const path = await request();
    const body = { Solution: 'By another' };
    await desk.as('nobody').send('PATCH', path, { body });
    const { json } = await desk.get(`${path}/HistoryLines?$expand=CreatedBy`);
    expect(json.value.map((line: { CreatedBy: object }) => line.CreatedBy)).toMatchObject([
      { LoginName: 'nobody' },
    ]);
  });

  it('a new record has no lines, whatever it is related to', async () => {
    const path = await request({
      'Caller@odata.bind': `Persons(${CALLER})`,
      Assignment: { 'AssigneeWorkgroup@odata.bind': `Workgroups(${WORKGROUP})` },
      Workorders: [{ Description: 'Inner' }],
      Requestor: { LastName: 'Inner' },
    });
    expect(await history(path)).toEqual([]);
    const { json } = await desk.get(`${path}?$expand=Workorders,Requestor`);
    expect(await history(`/Workorders(${json.Workorders[0].Uid})`)).toEqual([]);
    expect(await history(`/Persons(${json.Requestor.Uid})`)).toEqual([]);
    const order = await desk.send('POST', `${path}/Workorders`, { body: { Description: 'Later' } });
    expect(await history(`/Workorders(${order.json.Uid})`)).toEqual([]);
    expect(await history(path)).toEqual([]);
  });

  it('what does not change leaves no line', async () => {
    const path = await request({ Priority: { Value: 110001 }, Deadline: '2026-03-30T14:30:00Z' });
    const same = { Priority: { Text: 'critical' }, Deadline: '2026-03-30T16:30:00+02:00' };
    expect(await patch(path, { Description: 'Watched', ...same })).toBe(204);
    expect(await history(path)).toEqual([]);
  });

  it('codes are told by their text in the default language, not by their number', async () => {
    const path = await request();
    const dutch = { 'accept-language': 'nl' };
    expect(await patch(path, { Status: { Text: 'In behandeling' } }, dutch)).toBe(204);
    expect(await patch(path, { Priority: { Value: 110002 } }, dutch)).toBe(204);
    expect(await patch(path, { Priority: null }, dutch)).toBe(204);
    expect(await history(path)).toEqual([
      ['Status', 'Registered', 'In progress'],
      ['Priority', null, 'High'],
      ['Priority', 'High', null],
    ]);
  });

  it('all other values are told as /$value shows them', async () => {
    const path = await request({ PlanDuration: 'PT1H', FeedbackRating: 2 });
    const change = {
      FrequentlyAskedQuestion: true,
      FeedbackRating: 3,
      Deadline: '2026-03-29T02:30:00+01:00',
      PlanDuration: 'P1DT5S',
    };
    expect(await patch(path, change)).toBe(204);
    expect([...(await history(path))].sort()).toEqual([
      ['Deadline', null, '2026-03-29T01:30:00.000Z'],
      ['FeedbackRating', '2', '3'],
      ['FrequentlyAskedQuestion', null, 'true'],
      ['PlanDuration', 'PT1H', 'P1DT5S'],
    ]);
    const item = await made('/ConfigurationItems', { Name1: 'Priced', Price: { Amount: 10.5 } });
    expect(await patch(item, { Price: { Amount: 1234567.89 } })).toBe(204);
    expect(await history(item)).toEqual([['Price/Amount', '10.5', '1234567.89']]);
  });

  it('collections are told as JSON, before and after', async () => {
    const path = await request({ ExternalReferences: [{ System: 'a', Id: '1' }] });
    const added = await desk.send('POST', `${path}/ExternalReferences`, { body: { System: 'b' } });
    expect(added.status).toBe(204);
    const [[attribute, before, after] = []] = await history(path);
    expect(attribute).toBe('ExternalReferences');
    const systems = (text: string | null | undefined) =>
      JSON.parse(text ?? 'null').map(({ System }: { System: string }) => System);
    expect([systems(before), systems(after)]).toEqual([['a'], ['a', 'b']]);
  });

  it('members of complex values are told by their path, each for itself', async () => {
    const path = await request({ Assignment: { ReferenceNumber: 'R-1' } });
    const change = { Assignment: { ReferenceNumber: 'R-2', Priority: { Value: 110001 } } };
    expect(await patch(path, change)).toBe(204);
    expect(await history(path)).toEqual([
      ['Assignment/ReferenceNumber', 'R-1', 'R-2'],
      ['Assignment/Priority', null, 'Critical'],
    ]);
  });

  it('relations are told by the name of the other record', async () => {
    const path = await request({ 'Caller@odata.bind': `Persons(${CALLER})` });
    const [caller, member] = await Promise.all([CALLER, MEMBER].map(personName));
    expect(caller).not.toBe(member);
    const change = {
      'Caller@odata.bind': `Persons(${MEMBER})`,
      Assignment: { 'AssigneePerson@odata.bind': `Persons(${MEMBER})` },
    };
    expect(await patch(path, change)).toBe(204);
    const ref = await desk.send('DELETE', `${path}/Caller/$ref`);
    expect(ref.status).toBe(204);
    expect([...(await history(path))].sort()).toEqual([
      ['Assignment/AssigneePerson', null, member],
      ['Caller', caller, member],
      ['Caller', member, null],
    ]);
  });

  it('names are those of the time of the change', async () => {
    const person = await made('/Persons', { FirstName: 'Isla', LastName: 'Walker' });
    const path = await request({ 'Caller@odata.bind': person.slice(1) });
    expect(await patch(person, { Name: 'Jansen, Isla' })).toBe(204);
    const change = {
      'Caller@odata.bind': `Persons(${CALLER})`,
      'Requestor@odata.bind': person.slice(1),
    };
    expect(await patch(path, change)).toBe(204);
    expect(await patch(person, { Name: 'De Vries, Isla' })).toBe(204);
    expect([...(await history(path))].sort()).toEqual([
      ['Caller', 'Jansen, Isla', await personName(CALLER)],
      ['Requestor', null, 'Jansen, Isla'],
    ]);
  });

  it('a person who is created with the change is named, too', async () => {
    const path = await request();
    const answer = await desk.send('PATCH', path, {
      body: { Caller: { FirstName: 'Eva', LastName: 'Jansen' } },
      headers: { 'odata-version': '4.01' },
    });
    expect(answer.status, answer.text).toBe(204);
    expect(await history(path)).toEqual([['Caller', null, 'Jansen, Eva']]);
  });

  it('whoever reads the line reads the name, even of a record that the account may not read', async () => {
    const path = await request({ 'Caller@odata.bind': `Persons(${CALLER})` });
    expect(await patch(path, { 'Caller@odata.bind': null })).toBe(204);
    const access = ['ServiceRequest', 'HistoryLine'].map((Entity) => ({ Entity, Read: true }));
    const role = { Name: 'no people', EntityAccess: access };
    expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
    const reader = await desk.join({ loginName: 'no people', roles: [role.Name] });
    expect((await reader.get(`/Persons(${CALLER})`)).status).toBe(403);
    const { json } = await reader.get(`${path}/HistoryLines`);
    expect(json.value).toMatchObject([
      { Attribute: 'Caller', OldValue: await personName(CALLER), NewValue: null },
    ]);
  });

  it('a relation that is changed from its other side is told by the record that refers', async () => {
    const path = await request();
    const uid = path.replace(/\D/g, '');
    const order = await made('/Workorders', { Description: 'Taken' });
    const body = { '@odata.id': order.slice(1) };
    expect((await desk.send('POST', `${path}/Workorders/$ref`, { body })).status).toBe(204);
    const key = order.replace(/\D/g, '');
    expect((await desk.send('DELETE', `${path}/Workorders(${key})/$ref`)).status).toBe(204);
    expect(await history(order)).toEqual([
      ['ServiceRequest', null, uid],
      ['ServiceRequest', uid, null],
    ]);
  });

  it('so is one that ends with the record it leads to', async () => {
    const path = await request();
    const orders = [
      await made('/Workorders', { Description: 'a' }),
      await made('/Workorders', { Description: 'b' }),
    ];
    for (const order of orders) {
      const body = { '@odata.id': path.slice(1) };
      await desk.send('PUT', `${order}/ServiceRequest/$ref`, { body });
    }
    const uid = path.replace(/\D/g, '');
    expect((await desk.send('DELETE', path)).status).toBe(204);
    for (const order of orders) {
      expect(await history(order)).toEqual([
        ['ServiceRequest', null, uid],
        ['ServiceRequest', uid, null],
      ]);
      const { json } = await desk.get(order);
      expect(json.Registration.ModifiedBy).toBe('admin');
    }
  });

  it('PUT tells what went back to its default, and what was emptied', async () => {
    const path = await request({ Solution: 'x', Impact: { Value: 111001 } });
    const put = await desk.send('PUT', path, { body: { Description: 'Watched' } });
    expect(put.status).toBe(204);
    expect([...(await history(path))].sort()).toEqual([
      ['Impact', 'Whole organisation', 'Several people'],
      ['Solution', 'x', null],
    ]);
  });

  it('a property that is written by its own address is told too', async () => {
    const path = await request();
    await desk.send('PUT', `${path}/Solution`, { body: { value: 'By property' } });
    await desk.send('PUT', `${path}/Solution/$value`, {
      body: 'As text',
      headers: { 'content-type': 'text/plain' },
    });
    await desk.send('PATCH', `${path}/Status`, { body: { Value: 101009 } });
    await desk.send('DELETE', `${path}/Solution`);
    expect(await history(path)).toEqual([
      ['Solution', null, 'By property'],
      ['Solution', 'By property', 'As text'],
      ['Status', 'Registered', 'Closed'],
      ['Solution', 'As text', null],
    ]);
  });

  it('the lines come and go with the change: what is refused or a dry run leaves none', async () => {
    const path = await request();
    const { etag } = (await desk.get(path)).headers;
    expect(await patch(path, { Solution: 'x' }, { 'if-match': 'W/"77"' })).toBe(412);
    const wrong = { Solution: 'x', 'Caller@odata.bind': 'Persons(999999)' };
    expect(await patch(path, wrong)).toBe(400);
    expect(await patch(path, { Solution: 'x' }, { prefer: 'dry-run' })).toBe(204);
    expect(await history(path)).toEqual([]);
    expect((await desk.get(path)).headers.etag).toBe(etag);
  });

  it('texts of a million characters, and characters beyond the basic plane, are told whole', async () => {
    const long = '𝒟ésk 🛠️ '.repeat(100_000);
    const path = await request();
    expect(await patch(path, { Information: long })).toBe(204);
    expect(await history(path)).toEqual([['Information', null, long]]);
  });
});

describe('Notes', () => {
  it('people post notes; what only changes have is not theirs to set', async () => {
    const path = await request();
    const answer = await desk.send('POST', `${path}/HistoryLines`, {
      body: {
        Subject: 'Called back',
        Information: 'No answer',
        Kind: { Text: 'Note public' },
        TimeSpent: 'PT10M',
        OldValue: 'forged',
        Attribute: 'Status',
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      Subject: 'Called back',
      Kind: { Value: 202003 },
      TimeSpent: 'PT10M',
      OldValue: null,
      Attribute: null,
    });
    const line = `${path}/HistoryLines(${answer.json.Uid})`;
    expect(await patch(line, { Information: 'Answered' })).toBe(204);
    expect((await desk.get(line)).json.Information).toBe('Answered');
    const edit = [`HistoryLines(${answer.json.Uid})/Information`, 'No answer', 'Answered'];
    expect(await history(path)).toEqual([[null, null, null], edit]);
    expect((await desk.send('DELETE', line)).status).toBe(204);
    expect(await history(path)).toEqual([edit]);
  });

  it('a note has the name of the account that posted it, whatever its body says', async () => {
    const path = await request();
    const body = { Subject: 'Mine', 'CreatedBy@odata.bind': 'Accounts(1)' };
    const answer = await desk.as('nobody').send('POST', `${path}/HistoryLines`, { body });
    expect(answer.status, answer.text).toBe(201);
    const { json } = await desk.get(`${path}/HistoryLines?$expand=CreatedBy($select=LoginName)`);
    expect(json.value).toMatchObject([{ Subject: 'Mine', CreatedBy: { LoginName: 'nobody' } }]);
    const made = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'With a note', HistoryLines: [{ Subject: 'Inside' }] },
    });
    const inside = await desk.get(
      `/ServiceRequests(${made.json.Uid})/HistoryLines?$expand=CreatedBy`,
    );
    expect(inside.json.value).toMatchObject([{ CreatedBy: { LoginName: 'admin' } }]);
  });

  it('a note without anything said is an internal one', async () => {
    const path = await request({ HistoryLines: [{ Subject: 'At once' }] });
    const { json } = await desk.get(`${path}/HistoryLines`);
    expect(json.value).toMatchObject([
      { Subject: 'At once', Kind: { Text: 'Note internal' }, Visibility: { Text: 'Internal' } },
    ]);
  });

  it('changes of a note are recorded beside it', async () => {
    const path = await request();
    const answer = await desk.send('POST', `${path}/HistoryLines`, { body: { Subject: 'x' } });
    await patch(`${path}/HistoryLines(${answer.json.Uid})`, { Subject: 'y' });
    const { json } = await desk.get(`${path}/HistoryLines?$orderby=Uid`);
    expect(json.value).toMatchObject([
      { Subject: 'y', Kind: { Text: 'Note internal' } },
      {
        Subject: 'Subject: x → y',
        Attribute: `HistoryLines(${answer.json.Uid})/Subject`,
        OldValue: 'x',
        NewValue: 'y',
        Kind: { Text: 'System change' },
        Visibility: { Text: 'Internal' },
      },
    ]);
  });
});
