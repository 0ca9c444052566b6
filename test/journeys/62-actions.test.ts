// This file invokes actions that the model declares. OData 4.01 Protocol, "Actions".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk, Message } from './desk.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

const POLLY = '/Animals(Number=1)';
const invoke = async (path: string, body?: unknown, headers: Message['headers'] = {}) =>
  await zoo.send('POST', path, { headers, ...(body === undefined ? {} : { body }) });
const polly = async (query = '') => (await zoo.get(`${POLLY}${query}`)).json;

describe('An action bound to an entity', () => {
  it('that returns nothing answers 204, and has done all that it says', async () => {
    const answer = await invoke(`${POLLY}/Odd.Zoo.Feed`, { Food: 'nuts' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { Remark, Notes } = await polly('?$expand=Notes');
    expect(Remark).toBe('Fed with nuts');
    expect(Notes.map((note: { Text: string }) => note.Text)).toEqual([
      'Loves nuts',
      'Polly had nuts',
    ]);
  });

  it.each(['Odd.Zoo.Feed', 'Zoo.Feed', 'Feed'])('can be called as %s', async (name) => {
    expect((await invoke(`${POLLY}/${name}`, { Food: name })).status).toBe(204);
    expect((await polly()).Remark).toBe(`Fed with ${name}`);
  });

  it('is refused as a whole, with what the model says, where a condition does not hold', async () => {
    const before = await polly('?$expand=Notes');
    const answer = await invoke(`${POLLY}/Odd.Zoo.Feed`, { Food: 'Plastic' });
    expect([answer.status, answer.json.error.message]).toEqual([409, 'Plastic is no food.']);
    expect(await polly('?$expand=Notes')).toEqual(before);
  });

  it('that fails half way leaves nothing behind', async () => {
    const before = await polly('?$expand=Notes');
    const answer = await invoke(`${POLLY}/Odd.Zoo.Bird/Odd.Zoo.Hatch`, { Name: 'x'.repeat(100) });
    expect(answer.status).toBe(400);
    expect(await polly('?$expand=Notes')).toEqual(before);
  });

  it('gives back a primitive value', async () => {
    const { status, json } = await invoke(`${POLLY}/Odd.Zoo.Weigh`, { Weight: 1.375 });
    expect([status, json]).toEqual([200, expect.objectContaining({ value: 1.375 })]);
    expect((await polly()).Weight).toBe(1.375);
  });

  it('gives back 204 where the value is null', async () => {
    expect((await invoke(`${POLLY}/Odd.Zoo.Weigh`, { Weight: null })).status).toBe(204);
    expect((await polly()).Weight).toBeNull();
  });

  it('takes complex values and codes, and gives back a complex value', async () => {
    const body = { Room: { Name: 'Loft', Floor: 3 }, Mood: { Text: 'Angry' } };
    const { status, json } = await invoke(`${POLLY}/Odd.Zoo.Settle`, body);
    expect([status, json.Room]).toEqual([200, expect.objectContaining({ Name: 'Loft', Floor: 3 })]);
    expect((await polly()).Mood).toEqual({ Text: 'Angry', Value: 1002 });
  });

  it('takes entities by their address, and gives back an entity with $select and $expand', async () => {
    const to = { '@odata.id': "Enclosures(Wing='B',Number=2)" };
    const path = `${POLLY}/Odd.Zoo.Move?$select=Id,Name&$expand=Enclosure($select=Wing)`;
    const { status, json, headers } = await invoke(path, { To: to });
    expect([status, json.Name, json.Enclosure.Wing]).toEqual([200, 'Polly', 'B']);
    expect(json['@odata.context']).toContain('$metadata#Animals');
    expect([headers.etag, headers.location]).toEqual([json['@odata.etag'], undefined]);
  });

  it('takes no entity where the parameter may be left out', async () => {
    const { json } = await invoke(`${POLLY}/Odd.Zoo.Move?$expand=Enclosure`, {});
    expect(json.Enclosure).toBeNull();
    await invoke(`${POLLY}/Odd.Zoo.Move`, { To: { '@odata.id': "Enclosures(Wing='A',Number=1)" } });
  });

  it('that makes an entity and gives it back answers 201 with its Location', async () => {
    const { status, json, headers } = await invoke(
      `${POLLY}/Odd.Zoo.Bird/Odd.Zoo.Hatch?$expand=Mother,Keepers`,
      {
        Name: 'Pip',
      },
    );
    expect([status, json.Name, json.Mother.Name]).toEqual([201, 'Pip', 'Polly']);
    expect(json['@odata.type']).toBe('#Odd.Zoo.Bird');
    expect(json.Keepers.map((keeper: { Name: string }) => keeper.Name)).toEqual(['Ann', 'Bob']);
    expect((await zoo.get(String(headers.location))).json.Name).toBe('Pip');
    const eggs = await zoo.get(`${POLLY}/Odd.Zoo.Bird/Eggs`);
    expect(eggs.json.value).toEqual([]);
  });

  it('is carried out only for the state that If-Match names', async () => {
    const stale = await invoke(`${POLLY}/Odd.Zoo.Feed`, { Food: 'x' }, { 'if-match': 'W/"1"' });
    expect(stale.status).toBe(412);
    const etag = (await polly())['@odata.etag'];
    const fresh = await invoke(`${POLLY}/Odd.Zoo.Feed`, { Food: 'y' }, { 'if-match': etag });
    expect(fresh.status).toBe(204);
  });

  it('is tried without effect under Prefer: dry-run', async () => {
    const before = await polly();
    const answer = await invoke(`${POLLY}/Odd.Zoo.Weigh`, { Weight: 9 }, { prefer: 'dry-run' });
    expect([answer.status, answer.json.value]).toEqual([200, 9]);
    expect(answer.headers['preference-applied']).toContain('dry-run');
    expect(await polly()).toEqual(before);
  });

  it('tells all mistakes of the body at once', async () => {
    const body = { Room: { Floor: 'high' }, Mood: { Value: 7 }, Extra: 1 };
    const { status, json } = await invoke(`${POLLY}/Odd.Zoo.Settle`, body);
    expect(status).toBe(400);
    const targets = json.error.details.map((detail: { target: string }) => detail.target);
    expect(targets).toEqual(expect.arrayContaining(['Extra', 'Room/Floor', 'Mood/Value']));
  });

  it.each([
    ['Animals(Number=1)/Odd.Zoo.Feed', {}, 400],
    ['Animals(Number=1)/Odd.Zoo.Feed', { Food: null }, 400],
    ['Animals(Number=1)/Odd.Zoo.Feed', { Food: 5 }, 400],
    ['Animals(Number=1)/Odd.Zoo.Feed', undefined, 400],
    ["Animals(Number=1)/Odd.Zoo.Feed(Food='x')", {}, 400],
    ['Animals(Number=1)/Odd.Zoo.Feed?$filter=true', { Food: 'x' }, 400],
    ['Animals(Number=1)/Odd.Zoo.Feed/$value', { Food: 'x' }, 400],
    ['Animals(Number=1)/Odd.Zoo.Move', { To: { '@odata.id': 'Keepers(1)' } }, 400],
    [
      'Animals(Number=1)/Odd.Zoo.Move',
      { To: { '@odata.id': "Enclosures(Wing='Z',Number=9)" } },
      400,
    ],
    ['Animals(Number=99)/Odd.Zoo.Feed', { Food: 'x' }, 404],
    ['Animals(Number=1)/Odd.Zoo.Nothing', {}, 404],
    ['Keepers(1)/Odd.Zoo.Feed', { Food: 'x' }, 404],
    ['Animals(Number=1)/Odd.Zoo.Train', {}, 501],
    ['Animals(Number=1)/Odd.Zoo.Clone', {}, 409],
    ['Animals(Number=2)/Odd.Zoo.Bird/Odd.Zoo.Hatch', { Name: 'x' }, 409],
    ['Animals(Number=2)/Odd.Zoo.Hatch', { Name: 'x' }, 404],
  ])('POST %s with %j gives %i', async (path, body, status) => {
    const answer = await invoke(`/${path}`, body);
    expect([answer.status, answer.json?.error?.message]).toEqual([status, expect.any(String)]);
  });

  it('for another type is refused with the type that it is for', async () => {
    const { json } = await invoke('/Animals(Number=2)/Odd.Zoo.Hatch', { Name: 'x' });
    expect(json.error.message).toContain('The operation is bound to Odd.Zoo.Bird.');
  });

  it.each(['GET', 'PATCH', 'PUT', 'DELETE'])('%s is 405', async (method) => {
    const answer = await zoo.send(method, `${POLLY}/Odd.Zoo.Feed`, { body: {} });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('Overloads of an action', () => {
  it.each([
    ['Animals(Number=3)/Odd.Zoo.Greet', 'Hello Nemo'],
    ['Animals(Number=1)/Odd.Zoo.Greet', 'Hello Polly'],
    ['Animals(Number=1)/Odd.Zoo.Bird/Odd.Zoo.Greet', 'Tweet Polly'],
    ['Keepers/Odd.Zoo.Greet', 'Good morning'],
    ['Animals/$filter(Number le 2)/Odd.Zoo.Greet', 'Hello all 2'],
    ["Enclosures(Wing='A',Number=1)/Animals/Odd.Zoo.Greet", 'Hello all 2'],
  ])('%s is chosen by what it is bound to', async (path, expected) => {
    const { status, json } = await invoke(`/${path}`);
    expect([status, json.value]).toEqual([200, expected]);
  });
});

describe('An action bound to a collection', () => {
  it('does what it says for all of it, and gives back a collection', async () => {
    const path = "/Animals/$filter(Name eq 'Rex')/Odd.Zoo.Calm?$select=Name,Mood";
    const { status, json } = await invoke(path, {});
    expect([status, json.value]).toEqual([
      200,
      [expect.objectContaining({ Name: 'Rex', Mood: { Text: 'Calm', Value: 1001 } })],
    ]);
  });

  it('below an entity that is not there is 404', async () => {
    expect((await invoke('/Animals(Number=99)/Children/Odd.Zoo.Calm', {})).status).toBe(404);
  });
});

describe('An action behind $each', () => {
  it('is carried out for every entity of the collection', async () => {
    const answer = await invoke('/Animals/$filter(Tame eq false)/$each/Odd.Zoo.Feed', {
      Food: 'hay',
    });
    expect(answer.status).toBe(204);
    const { json } = await zoo.get(
      "/Animals?$filter=Remark eq 'Fed with hay'&$select=Tame&$count=true",
    );
    const wild = await zoo.get('/Animals/$count?$filter=Tame eq false');
    expect(json['@odata.count']).toBe(Number(wild.text));
  });

  it('gives back a list of what each call gives back', async () => {
    const { status, json } = await invoke('/Animals/$filter(Number le 2)/$each/Odd.Zoo.Greet');
    expect([status, json.value]).toEqual([200, ['Hello Polly', 'Hello Chick']]);
    const moved = await invoke('/Animals/$filter(Number le 2)/$each/Odd.Zoo.Move?$select=Name', {
      To: { '@odata.id': "Enclosures(Wing='A',Number=1)" },
    });
    expect(moved.json.value.map((item: { Name: string }) => item.Name)).toEqual(['Polly', 'Chick']);
  });

  it('is carried out for all or for none', async () => {
    const before = await zoo.get('/Animals');
    const path = '/Animals/$filter(Number le 2)/Odd.Zoo.Bird/$each/Odd.Zoo.Hatch';
    expect((await invoke(path, { Name: 'Two' })).status).toBe(409);
    expect((await zoo.get('/Animals')).json.value).toEqual(before.json.value);
  });
});

describe('An action import', () => {
  it.each([undefined, {}, { Reason: null }])(
    'needs no body without required parameters: %j',
    async (body) => {
      expect((await invoke('/CloseZoo', body)).status).toBe(204);
      const { json } = await zoo.get('/Enclosures?$select=Name');
      expect(json.value.map((item: { Name: string }) => item.Name)).toEqual([
        'Closed: no reason',
        'Closed: no reason',
      ]);
    },
  );

  it('takes one entity and a list of entities', async () => {
    const { status, json } = await invoke('/Adopt?$expand=Animals($select=Name)', {
      By: { '@odata.id': "Keepers(Email='bob@zoo.example')" },
      Wards: [{ '@odata.id': 'Animals(Number=3)' }, { '@odata.id': 'Animals(Number=4)' }],
    });
    expect([status, json.Name]).toEqual([200, 'Bob']);
    expect(json.Animals.map((item: { Name: string }) => item.Name)).toEqual(
      expect.arrayContaining(['Nemo', 'Rex']),
    );
  });

  it('with GET is 405', async () => {
    const answer = await zoo.get('/CloseZoo');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('Actions in a batch', () => {
  const batch = async (...requests: readonly object[]) =>
    await zoo.send('POST', '/$batch', { body: { requests } });
  const part = (id: string, url: string, body: object, more: object = {}) => ({
    id,
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body,
    ...more,
  });

  it('are part of a change set: all of it is done or nothing', async () => {
    const before = await polly();
    const { json } = await batch(
      part('1', 'Animals(Number=1)/Odd.Zoo.Weigh', { Weight: 7 }, { atomicityGroup: 'g' }),
      part('2', 'Animals(Number=1)/Odd.Zoo.Feed', { Food: 'Plastic' }, { atomicityGroup: 'g' }),
    );
    expect(json.responses.map((one: { status: number }) => one.status)).toContain(409);
    expect(await polly()).toEqual(before);
  });

  it('can be called for what an earlier request made, and be referred to', async () => {
    const { json } = await batch(
      part(
        '1',
        'Animals(Number=1)/Odd.Zoo.Bird/Odd.Zoo.Hatch',
        { Name: 'Pop' },
        { atomicityGroup: 'g' },
      ),
      part('2', '$1/Odd.Zoo.Feed', { Food: 'milk' }, { atomicityGroup: 'g' }),
    );
    expect(json.responses.map((one: { status: number }) => one.status)).toEqual([201, 204]);
    const made = await zoo.get("/Animals?$filter=Name eq 'Pop'");
    expect(made.json.value[0].Remark).toBe('Fed with milk');
  });
});

describe('Actions in full metadata', () => {
  const full = { accept: 'application/json;odata.metadata=full' };
  const offered = async (path: string) => {
    const { json } = await zoo.get(path, full);
    return Object.keys(json).filter((name) => name.startsWith('#'));
  };

  it('are offered once, where they are available and carried out', async () => {
    const tame = await offered('/Animals(Number=1)');
    expect(tame).toEqual(expect.arrayContaining(['#Odd.Zoo.Feed', '#Odd.Zoo.Hatch']));
    expect(tame.length).toBe(new Set(tame).size);
    expect(tame).not.toContain('#Odd.Zoo.Train');
    expect(tame).not.toContain('#Odd.Zoo.Clone');
    expect(await offered('/Animals(Number=2)')).not.toContain('#Odd.Zoo.Hatch');
    expect(await offered('/Animals(Number=3)')).not.toContain('#Odd.Zoo.Hatch');
  });

  it('lead to where they can be called', async () => {
    const { json } = await zoo.get('/Animals(Number=1)', full);
    const { target } = json['#Odd.Zoo.Hatch'];
    expect((await zoo.send('POST', target, { body: { Name: 'Pap' } })).status).toBe(201);
  });
});

describe('Actions and rights', () => {
  it('an account does by an action only what it may do by single requests', async () => {
    const reader = await zoo.join({ loginName: 'reader', roles: ['reader'] });
    const answer = await reader.send('POST', `${POLLY}/Odd.Zoo.Weigh`, { body: { Weight: 1 } });
    expect([403, 404]).toContain(answer.status);
  });
});

describe('An action that creates in a collection of more than 1,000 entities', () => {
  const importRows = async (path: string, heading: string, count: number) => {
    const rows = Array.from({ length: count }, (_, index) => `Row ${index}`);
    return await zoo.send('POST', `${path}/Docket.System.Import`, {
      headers: { 'content-type': 'text/csv' },
      body: [heading, ...rows].join('\r\n'),
    });
  };

  it.each([
    ['/Animals', 'Name', `${POLLY}/Odd.Zoo.Bird/Odd.Zoo.Hatch`, { Name: 'Pup' }, 201],
    [`${POLLY}/Notes`, 'Text', `${POLLY}/Odd.Zoo.Feed`, { Food: 'rice' }, 204],
  ])('%s creates one more', async (collection, heading, path, body, status) => {
    expect(await importRows(collection, heading, 1001)).toMatchObject({ status: 200 });
    expect(await invoke(path, body)).toMatchObject({ status });
  });
});
