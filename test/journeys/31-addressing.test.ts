// This file addresses whatever has an address. OData 4.01 URL Conventions, "Addressing Entities".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask } from './query.ts';
import { BARE_REQUEST, CALLER, HISTORY_LINE, REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

const STRANGE_KEY = "a/b'c+d %2F&é";

let desk: Desk;
let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

const model = 'Service.Web.OData.Model';

describe('Keys', () => {
  it.each([
    [`/Persons(${CALLER})`, 200],
    [`/Persons(Uid=${CALLER})`, 200],
    [`/Persons/${CALLER}`, 200],
    [`/Persons(@k)?@k=${CALLER}`, 200],
    ['/Persons(999999)', 404],
    ['/Persons/999999', 404],
    ['/Persons(abc)', 400],
    [`/Persons('${CALLER}')`, 400],
    ['/Persons(31,32)', 400],
    ['/Persons(Nope=31)', 400],
  ])('GET %s gives %i', async (path, status) => {
    const answer = await desk.get(path);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.json.Uid).toBe(CALLER);
  });

  it('a quote is doubled, and an encoded slash, plus or percent sign is part of the key', async () => {
    const made = await zoo.send('POST', '/AllSpecies', { body: { Latin: STRANGE_KEY } });
    expect(made.status).toBe(201);
    const key = encodeURIComponent(`'${STRANGE_KEY.replace("'", "''")}'`);
    for (const path of [
      `/AllSpecies(${key})`,
      `/AllSpecies(Latin=${key})`,
      `/AllSpecies(@k)?@k=${key}`,
      `/AllSpecies/${encodeURIComponent(STRANGE_KEY)}`,
      String(made.headers.location),
    ]) {
      const answer = await zoo.get(path);
      expect([path, answer.status, answer.json.Latin]).toEqual([path, 200, STRANGE_KEY]);
    }
    expect((await zoo.send('DELETE', `/AllSpecies(${key})`)).status).toBe(204);
  });

  it('in the query, + is a space and %2B a plus', async () => {
    const names = async (query: string) => (await zoo.get(`/Animals?${query}`)).json.value.length;
    expect(await names("$filter=Name+eq+'Rex'")).toBe(1);
    expect(await names("$filter=concat(Name,'+')+eq+'Rex%2B'")).toBe(0);
    expect(await names("$filter=concat(Name,'%2B')+eq+'Rex%2B'")).toBe(1);
  });
});

describe('Names', () => {
  it.each([
    ['/Nothing', 404],
    ['/persons', 404],
    [`/Persons(${CALLER})/name`, 404],
    [`/Persons(${CALLER})/Nothing`, 404],
    ['//Persons', 400],
    [`/Persons(${CALLER})//Name`, 400],
    ['/Persons/$nothing', 404],
  ])('GET %s gives %i', async (path, status) => {
    expect((await desk.get(path)).status).toBe(status);
  });
});

describe('Members and properties', () => {
  it.each([
    ["/Animals(Number=1)/Keepers(Email='ann@zoo.example')", 200],
    ["/Animals(Number=2)/Keepers(Email='ann@zoo.example')", 404],
    ['/Animals(Number=2)/Mother/Species/Parent', 200],
    ['/Animals(Number=4)/Species', 204],
    ['/Animals(Number=4)/Species/Parent', 404],
    ['/Animals(Number=1)/Care/Room', 200],
    ['/Animals(Number=4)/Care', 204],
    ['/Animals(Number=4)/Care/Room/Name', 204],
    ['/Animals(Number=4)/Keepers', 200],
    ['/Director', 204],
    ['/Director/Name', 404],
  ])('GET %s gives %i', async (path, status) => {
    expect((await zoo.get(path)).status).toBe(status);
  });

  it('an item of an ordered collection is reached by its index, from the end too', async () => {
    const nickname = async (index: string) =>
      await zoo.get(`/Animals(Number=1)/Nicknames/${index}`);
    expect((await nickname('0')).json.value).toBe('Pol');
    expect((await nickname('-1')).json.value).toBe('Queen');
    expect((await zoo.get('/Animals(Number=1)/Habits/1')).json.Name).toBe('Sleeps');
    expect((await nickname('2')).status).toBe(404);
    expect((await nickname('-3')).status).toBe(404);
  });

  it.each([
    [`/Persons(${CALLER})/Name/$value`, 'application/json', 406],
    [`/ServiceRequests(${REQUEST})/Status/$value`, '*/*', 400],
    [`/ServiceRequests(${REQUEST})/Workorders/$value`, '*/*', 400],
    [`/Persons(${CALLER})/$value`, '*/*', 400],
  ])('there is no raw value of %s as %s: %i', async (path, accept, status) => {
    expect((await desk.get(path, { accept })).status).toBe(status);
  });

  it('the raw value of what is null is 204', async () => {
    const answer = await desk.get(`/ServiceRequests(${REQUEST})/Solution/$value`);
    expect([answer.status, answer.text]).toEqual([204, '']);
  });

  it('contained records that only a derived type has tell an address with the cast', async () => {
    const full = { accept: 'application/json;odata.metadata=full' };
    for (const type of ['Bird', 'Parrot']) {
      const { json } = await zoo.get(`/Animals(Number=1)/Odd.Zoo.${type}/Eggs`, full);
      const id: string = json.value[0]['@odata.id'];
      expect(id).toMatch(/\/Odd\.Zoo\.Bird\/Eggs\(\d+\)$/);
      expect((await zoo.get(id)).status).toBe(200);
    }
  });

  it('contained records stand below their parent only', async () => {
    expect(
      (await desk.get(`/ServiceRequests(${REQUEST})/HistoryLines(${HISTORY_LINE})`)).status,
    ).toBe(200);
    expect((await desk.get(`/HistoryLines(${HISTORY_LINE})`)).status).toBe(404);
    expect((await zoo.get("/Enclosures(Wing='A',Number=1)/Feedings(8)")).json.Food).toBe('Seeds');
    expect((await zoo.get("/Enclosures(Wing='B',Number=2)/Feedings(8)")).status).toBe(404);
  });
});

describe('/$count', () => {
  it('is a plain number by $filter and $search', async () => {
    const answer = await zoo.get('/Animals/$count?$search=wild');
    expect([...answer.bytes]).toEqual([...Buffer.from('1')]);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect((await zoo.get('/Animals/$count?$filter=Tame')).text).toBe('1');
  });

  it.each(['/Animals/$count?$top=1', '/Animals/$count?$skip=1', '/Animals/$count?$orderby=Name'])(
    '%s is refused, since it would not change the number',
    async (path) => {
      expect((await zoo.get(path)).status).toBe(400);
    },
  );

  it('there is none of a single record', async () => {
    expect((await zoo.get('/Animals(Number=1)/$count')).status).toBe(400);
  });
});

describe('References and ids', () => {
  it('/$ref of what is unset is 204, and of a value it does not exist', async () => {
    expect((await desk.get(`/ServiceRequests(${BARE_REQUEST})/Caller/$ref`)).status).toBe(204);
    expect((await desk.get(`/Persons(${CALLER})/Name/$ref`)).status).toBe(404);
    const { json } = await desk.get(`/ServiceRequests(${REQUEST})/Workorders/$ref`);
    expect(json['@odata.context']).toBe(`${desk.root}$metadata#Collection($ref)`);
  });

  it.each([
    ['/$entity', 400],
    [`/$entity?$id=Persons(${CALLER})`, 200],
    [`/$entity?$id=http://desk.example/odata/Persons(${CALLER})`, 200],
    [`/$entity?$id=http://other.example/odata/Persons(${CALLER})`, 404],
    ['/$entity?$id=Nothing(7)', 404],
    ['/$entity?$id=Persons(999999)', 404],
    [`/$entity?$id=Persons(${CALLER})&$select=Uid`, 200],
    [`/$entity/${model}.Person?$id=Persons(${CALLER})&$select=Uid`, 200],
    [`/$entity/${model}.Workgroup?$id=Persons(${CALLER})`, 404],
  ])('GET %s gives %i', async (path, status) => {
    const answer = await desk.get(path);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.json.Uid).toBe(CALLER);
  });
});

describe('Whole services, products and parts of sets', () => {
  it('$all finds records of every set, each with its own context', async () => {
    const { json } = await desk.get('/$all?$search=printer');
    expect(json['@odata.context']).toBe(`${desk.root}$metadata#Collection(Edm.EntityType)`);
    const contexts = json.value.map((item: Record<string, string>) => item['@odata.context']);
    expect(contexts).toContain(`${desk.root}$metadata#ServiceRequests/$entity`);
    expect(contexts).toContain(`${desk.root}$metadata#Workorders/$entity`);
    const cast = await desk.get(`/$all/${model}.Person?$filter=Uid eq ${CALLER}&$select=Uid`);
    expect(cast.json.value).toMatchObject([{ Uid: CALLER }]);
  });

  it('$crossjoin gives every pair that $filter lets through, by links where it is not expanded', async () => {
    const { json } = await ask(
      zoo,
      '$crossjoin(Animals,Passports)',
      '$filter=Passports/Animal/Id eq Animals/Id&$expand=Animals($select=Name)',
    );
    expect(json['@odata.context']).toContain('$metadata#Collection(Edm.ComplexType)');
    expect(json.value).toMatchObject([
      {
        Animals: { Name: 'Polly' },
        'Passports@odata.navigationLink': expect.stringContaining('Passports('),
      },
    ]);
    expect((await zoo.get('/$crossjoin(Animals,Nothing)')).status).toBe(404);
  });

  it.each([
    ['/Animals/Odd.Zoo.Bird', 200],
    ['/Animals(Number=1)/Odd.Zoo.Parrot', 200],
    ['/Animals(Number=4)/Odd.Zoo.Parrot', 404],
    ['/Animals/Odd.Zoo.Keeper', 400],
    ['/Animals/Odd.Zoo.Nothing', 404],
  ])('the cast %s gives %i', async (path, status) => {
    expect((await zoo.get(path)).status).toBe(status);
  });

  it('/$filter segments are chained, and read aliases', async () => {
    const { json } = await zoo.get('/Animals/$filter(Weight gt @w)/$filter(Tame)?@w=1');
    expect(json.value).toMatchObject([{ Name: 'Polly' }]);
    expect((await zoo.get('/Animals/$filter(@f)/$count?@f=Weight lt 1')).text).toBe('2');
  });

  it('POST …/$query reads options from the body and the URL', async () => {
    const post = async (body: string | Buffer, type = 'text/plain') =>
      await zoo.send('POST', '/Animals/$query?$top=1', { headers: { 'content-type': type }, body });
    const { json } = await post('$filter=Name%20ne%20%27a%26b%27&$select=Name');
    expect(json.value).toMatchObject([{ Name: 'Polly' }]);
    expect((await post('$top=2')).status).toBe(400);
    expect((await post('$select=Name', 'application/json')).status).toBe(415);
    const latin = Buffer.from("$filter=Name ne '\xe9'&$select=Name", 'latin1');
    expect((await post(latin)).json.error.message).toContain('it is not valid UTF-8');
    expect((await post(latin, 'text/plain;charset=iso-8859-1')).status).toBe(200);
    const get = await zoo.get('/Animals/$query');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('Functions in paths', () => {
  it('take parameters in any order, and go on where they can be composed', async () => {
    expect((await zoo.get('/Sum(b=2,a=1.5)')).json.value).toBe(3.5);
    expect((await zoo.get('/Heavy(least=1)/$count')).text).toBe('2');
    expect(
      (await zoo.get('/Animals/Odd.Zoo.Grown(least=50)?$select=Name')).json.value,
    ).toMatchObject([{ Name: 'Rex' }]);
    expect((await zoo.get('/Sum(a=1)/$count')).status).toBe(400);
  });
});

describe('Methods', () => {
  it.each([
    ['zoo', 'DELETE', '/Mascot', 'GET, PATCH, PUT'],
    ['zoo', 'POST', '/Director', 'GET, PATCH, PUT, DELETE'],
    ['zoo', 'POST', '/Sum(a=1)', 'GET'],
    ['zoo', 'GET', '/CloseZoo', 'POST'],
    ['desk', 'POST', `/Persons(${CALLER})`, 'GET, PATCH, PUT, DELETE'],
    ['desk', 'OPTIONS', '/Persons', 'GET, POST, PATCH, PUT'],
    ['desk', 'OPTIONS', '/Persons?$top=1', 'GET, POST, PATCH, PUT'],
    ['desk', 'OPTIONS', `/Persons(${CALLER})`, 'GET, PATCH, PUT, DELETE'],
    ['desk', 'OPTIONS', `/Persons(${CALLER})/Name`, 'GET, PUT, PATCH, DELETE'],
    ['desk', 'OPTIONS', `/Persons(${CALLER})/Organization/$ref`, 'GET, PUT, DELETE'],
    ['desk', 'OPTIONS', `/Persons(${CALLER})/Workgroups/$ref`, 'GET, POST, PUT'],
    ['desk', 'OPTIONS', '/Persons/$each', 'PATCH, DELETE'],
    ['desk', 'OPTIONS', '/Persons/$count', 'GET'],
    ['desk', 'OPTIONS', '/$metadata', 'GET'],
    ['desk', 'OPTIONS', '/', 'GET'],
    ['desk', 'OPTIONS', '/$batch', 'POST'],
    ['zoo', 'OPTIONS', '/Sum(a=1)', 'GET'],
    ['zoo', 'OPTIONS', '/CloseZoo', 'POST'],
    ['zoo', 'OPTIONS', '/Mascot', 'GET, PATCH, PUT'],
    ['desk', 'POST', '/$metadata', 'GET'],
    ['desk', 'GET', '/$batch', 'POST'],
  ])('%s: %s %s is refused with 405, Allow: %s', async (which, method, path, allow) => {
    const { send } = which === 'zoo' ? zoo : desk;
    const body = method === 'POST' ? { body: {} } : {};
    const answer = await send(method, path, body);
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });

  it.each([
    ['$deltatoken', '/'],
    ['$deltatoken', '/$metadata'],
    ['$deltatoken', '/$ping'],
    ['$deltatoken', '/$all'],
    ['$deltatoken', '/$crossjoin(Persons,Workgroups)'],
    ['$skiptoken', '/'],
    ['$skiptoken', '/$metadata'],
    ['$skiptoken', '/$ping'],
    ['$skiptoken', '/$all'],
    ['$skiptoken', '/$crossjoin(Persons,Workgroups)'],
  ])('%s is not passed over at %s', async (name, path) => {
    const { status, text } = await desk.get(`${path}?${name}=x`);
    expect([status, text]).toEqual([400, expect.stringContaining(name)]);
  });

  it('OPTIONS of what is not there is 404', async () => {
    expect((await desk.send('OPTIONS', '/Nix')).status).toBe(404);
  });

  it('OPTIONS changes nothing, whatever its body', async () => {
    const body = { '@odata.context': '#$delta', value: [{ Uid: CALLER, Jobtitle: 'Hacked' }] };
    expect((await desk.send('OPTIONS', '/Persons', { body })).status).toBe(405);
    expect((await desk.get(`/Persons(${CALLER})/Jobtitle`)).status).toBe(204);
  });

  it('HEAD is GET without the body', async () => {
    const [get, head] = [await desk.get('/Persons'), await desk.send('HEAD', '/Persons')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
  });

  it.each([
    ['accept-charset', 'iso-8859-1', 406],
    ['accept-charset', 'utf-8', 200],
    ['accept-charset', '*', 200],
    ['accept-language', 'nl', 200],
    ['accept-language', 'xx', 200],
  ])('%s: %s gives %i', async (header, value, status) => {
    const answer = await desk.get(`/Persons(${CALLER})`, { [header]: value });
    expect(answer.status).toBe(status);
    if (header === 'accept-language')
      expect(answer.headers['content-language']).toBe(value === 'nl' ? 'nl' : 'en');
  });

  it('the charset is named where it was asked for', async () => {
    const type = async (headers: Record<string, string>) =>
      (await desk.get(`/Persons(${CALLER})`, headers)).headers['content-type'];
    expect(await type({})).not.toContain('charset');
    expect(await type({ 'accept-charset': 'utf-8' })).toContain('charset=utf-8');
    expect(await type({ accept: 'application/json;charset=utf-8' })).toContain('charset=utf-8');
  });
});
