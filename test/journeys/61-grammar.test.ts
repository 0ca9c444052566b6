// This file asks what the grammar of OData 4.01 allows or forbids in the corners of URLs: keys after $filter, semicolons and escapes in
// $search, options of $entity, aliases of aggregates, and where a path must end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask } from './query.ts';
import { CALLER, MEMBER } from './records.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let desk: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

/** The status with the code of the error, if there is one. */
async function outcome(at: Desk, url: string): Promise<string> {
  const { status, json } = await at.get(url);
  return status < 400 ? String(status) : `${status} ${json.error.code}`;
}

describe('A $filter segment can be followed by a key', () => {
  it.each([
    [`Persons/$filter(Uid gt 20)(${CALLER})`],
    [`Persons/$filter(Uid gt 20)(Uid=${CALLER})`],
    [`Persons/$filter(Uid gt 20)/$filter(Uid lt 99)(${CALLER})`],
    [`Persons/$filter(@p)(@k)?@p=Uid gt 20&@k=${CALLER}`],
  ])('%s is that entity', async (path) => {
    const { status, json } = await desk.get(`/${encodeURI(path)}`);
    expect([status, json.Uid]).toEqual([200, CALLER]);
  });

  it('what the condition excludes is not there, for reads and for writes', async () => {
    const path = `/Persons/$filter(Uid%20gt%20200)(${CALLER})`;
    expect((await desk.get(path)).status).toBe(404);
    expect((await desk.send('PATCH', path, { body: { Searchcode: 'X' } })).status).toBe(404);
    expect((await desk.send('DELETE', path)).status).toBe(404);
    const { json } = await desk.get(`/Persons(${CALLER})`);
    expect(json.Searchcode).toBe('ONEIL');
  });

  it('the path goes on from the entity, and links name it plainly', async () => {
    const path = `/Persons/$filter(Uid%20gt%2020)(${CALLER})`;
    expect((await desk.get(`${path}/Searchcode`)).json.value).toBe('ONEIL');
    const { json } = await desk.get(`${path}/$ref`);
    expect(json['@odata.id']).toBe(`${desk.root}Persons(${CALLER})`);
    const written = await desk.send('PATCH', path, { body: { Searchcode: 'ONEIL' } });
    expect(written.status).toBe(204);
  });

  it('in expressions too, also after a cast', async () => {
    const among = `$root/Persons/$filter(Uid gt 20)(${CALLER})/Uid`;
    const found = await ask(desk, 'Persons', `$filter=Uid eq ${among}&$select=Uid`);
    expect(found.json.value.map((one: { Uid: number }) => one.Uid)).toEqual([CALLER]);
    const excluded = `$root/Persons/$filter(Uid gt 200)(${CALLER})/Uid`;
    const none = await ask(desk, 'Persons', `$filter=Uid eq ${excluded}`);
    expect(none.json.value).toEqual([]);
    const polly = (await ask(zoo, 'Animals', "$filter=Name eq 'Polly'&$select=Number")).json.value;
    const key = polly[0].Number;
    for (const path of [
      `$root/Animals/Odd.Zoo.Bird(Number=${key})/Name`,
      `$root/Animals/$filter(Tame)/Odd.Zoo.Bird(Number=${key})/Name`,
    ]) {
      const named = await ask(zoo, 'Animals', `$filter=Name eq ${path}`);
      expect(named.json.value?.length, path).toBe(1);
    }
  });

  it('values have no key, and a second key is rejected', async () => {
    const path = `/Persons/$filter(Uid%20gt%2020)(${CALLER})(${MEMBER})`;
    expect(await outcome(desk, path)).toBe('400 request.syntax');
    const nicknames = "/Animals(Number=1)/Nicknames/$filter($it%20ne%20'x')(1)";
    expect(await outcome(zoo, nicknames)).toBe('400 bind.key');
    const counted = "/Animals?$filter=Nicknames/$filter($this%20ne%20'x')(1)%20eq%20'a'";
    expect(await outcome(zoo, counted)).toBe('400 bind.key');
  });
});

describe('A semicolon in a nested $search', () => {
  const expand = (search: string) => `/Persons?$expand=Workgroups($search=${search})`;

  it.each(['a;tpo=5', 'a;b', 'a%3Btpo=5', 'a%3B$tpo=5'])('%s is 400', async (search) => {
    expect(await outcome(desk, expand(search))).toBe('400 request.unknown-option');
  });

  it.each(['a;$top=5', 'a;top=5', 'a%3B$top=5', 'a%3Bb', '%22a;tpo=5%22', '%22a%3Bb%22'])(
    '%s is 200',
    async (search) => {
      expect(await outcome(desk, expand(search))).toBe('200');
    },
  );

  it('stays in the word when the next link repeats it', async () => {
    const path = '/ServiceRequests?$expand=Workorders($search=a%3Bb)&$orderby=Uid';
    const { json } = await desk.get(path);
    expect(json['@odata.nextLink']).toContain('$search=a%3Bb');
    expect((await desk.get(json['@odata.nextLink'])).status).toBe(200);
  });
});

describe('A phrase in $search', () => {
  it('holds double quotes and backslashes that are escaped', async () => {
    const search = async (phrase: string) => {
      const { status, json } = await ask(desk, 'ServiceRequests', `$search=${phrase}&$select=ID`);
      return [status, json.value?.length];
    };
    expect(await search('"Printer \\"Laser 4\\" is on fire"')).toEqual([200, 1]);
    expect(await search('"Laser \\\\ 4"')).toEqual([200, 1]);
    expect(await search('"Laser 5\\""')).toEqual([200, 0]);
    expect(await search('"Laser 4\\"')).toEqual([400, undefined]);
  });
});

describe('A JSON object is no condition and no single value', () => {
  it.each([
    ['$filter={"a":1}', 'bind.condition'],
    ['$filter=not {"a":1}', 'bind.condition'],
    ['$filter=true or {"a":1}', 'bind.condition'],
    ['$filter={"a":Uid}', 'bind.condition'],
    ['$filter=@p&@p={"a":1}', 'bind.condition'],
    ['$filter=Workgroups/any(w:{"a":1})', 'bind.condition'],
    ['$filter=case({"a":1}:true)', 'bind.condition'],
    ['$apply=filter({"a":1})', 'bind.condition'],
    ['$filter={"a":1} add 1 eq 2', 'bind.object'],
    ['$filter=-{"a":1} eq 2', 'bind.object'],
    ['$filter=length({"a":1}) eq 2', 'bind.object'],
    ['$filter=contains({"a":1},\'x\')', 'bind.object'],
    ['$filter=Uid eq {"a":1}', 'bind.comparison'],
    ['$filter={"a":1} gt 1', 'bind.comparison'],
    ['$filter=Uid in [{"a":1}]', 'bind.comparison'],
    ['$orderby={"a":1}', 'bind.object'],
    ['$apply=aggregate({"a":1} with sum as X)', 'bind.object'],
    ['$apply=topcount({"a":1},Uid)', 'bind.object'],
    ['$apply=topcount(1,{"a":1})', 'bind.object'],
  ])('%s is 400', async (query, code) => {
    const { status, json } = await ask(desk, 'Persons', query);
    expect([status, json.error?.code]).toEqual([400, code]);
  });

  it.each(['$filter={"a":1} eq {"a":1}', '$filter={"a":1} ne null', '$compute={"a":1} as X'])(
    '%s is 200',
    async (query) => {
      expect((await ask(desk, 'Persons', query)).status).toBe(200);
    },
  );

  it('and of no primitive type', async () => {
    const { json } = await ask(desk, 'Persons', '$filter=isof({"a":1},Edm.Boolean)');
    expect(json.value).toEqual([]);
  });
});

describe('$apply', () => {
  it.each([
    'topcount(0,Uid)',
    'bottomcount(0,Uid)',
    'toppercent(0,Uid)',
    'bottompercent(0,Uid)',
    'topcount(1.5,Uid)',
    'toppercent(101,Uid)',
  ])('%s is 400', async (apply) => {
    expect((await ask(desk, 'Persons', `$apply=${apply}`)).status).toBe(400);
  });

  it.each(['topcount(1,Uid)', 'toppercent(0.5,Uid)', 'toppercent(100,Uid)', 'topsum(0,Uid)'])(
    '%s is 200',
    async (apply) => {
      expect((await ask(desk, 'Persons', `$apply=${apply}`)).status).toBe(200);
    },
  );

  it.each([
    'aggregate(Forecast from Name with average)',
    'aggregate(Forecast from Name)',
    'aggregate(Uid with sum from Name with average)',
  ])('%s is 400, since from needs an alias', async (apply) => {
    const { status, json } = await ask(desk, 'Persons', `$apply=${apply}`);
    expect([status, json.error.code]).toEqual([400, 'request.syntax']);
    expect(json.error.message).toContain('"as" and a name');
  });
});

describe('$entity', () => {
  it.each(['$entity', '$entity/Service.Web.OData.Model.Person', '$entity/Person'])(
    '%s takes $select and $expand',
    async (path) => {
      const query = `$id=Persons(${CALLER})&$select=Uid,Name&$expand=Organization($select=Name1)`;
      const { status, json } = await ask(desk, path, query);
      expect([status, json.Uid, json.Organization.Name1]).toEqual([200, CALLER, 'Hillside']);
      expect(json.Searchcode).toBeUndefined();
    },
  );

  it('rejects an option of collections', async () => {
    const url = `/$entity?$id=Persons(${CALLER})&$filter=true`;
    expect(await outcome(desk, url)).toBe('400 request.misplaced-option');
  });
});

describe('The position of the error is in the message', () => {
  it.each([
    [`Persons(${CALLER})/Workgroups/$ref/Name`, 27],
    [`Persons(${CALLER})/$ref/Name`, 16],
    ['Persons/$count/Name', 14],
    ['Persons/$count/$value', 14],
    [`Persons(${CALLER})/Name/$value/x`, 23],
    ['Persons/$value', 8],
    [`Persons(${CALLER})/$filter(true)`, 12],
    [`Persons(${CALLER})/Name/$count`, 17],
    ['$entity', 7],
    ['$entity?$select=Uid', 7],
    ['$entity/Person', 14],
  ])('%s at %d', async (path, position) => {
    const { status, json } = await desk.get(`/${path}`);
    expect(status).toBe(400);
    expect(json.error.message).toContain(`at position ${position} of the path`);
  });
});
