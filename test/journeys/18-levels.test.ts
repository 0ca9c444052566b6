// This file goes through the requirements of the levels of conformance. OData 4.01 Protocol, "Conformance".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { encodeQuery } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

const VERSIONS = [undefined, '4.0', '4.01'] as const;

/** What is given for `path?query` with each OData-MaxVersion: the status, and the members or the value. */
const inEach = async (address: string, read: (json: DeskJson) => unknown) => {
  const [path = '', ...query] = address.split('?');
  const url = query.length === 0 ? `/${path}` : `/${path}?${encodeQuery(query.join('?'))}`;
  return await Promise.all(
    VERSIONS.map(async (version) => {
      const headers: Record<string, string> =
        version === undefined ? {} : { 'odata-maxversion': version };
      const answer = await zoo.get(url, headers);
      return answer.status === 200 ? read(answer.json) : [answer.status, answer.text];
    }),
  );
};
type DeskJson = Awaited<ReturnType<Desk['get']>>['json'];
const names = ({ value }: DeskJson) => value.map(({ Name }: { Name: string }) => Name);
const thrice = (expected: unknown) => VERSIONS.map(() => expected);

describe('What 4.01 adds to requests is understood, whatever version is asked for', () => {
  it.each([
    ['top=1&orderby=Name desc', ['Rex']],
    ['$TOP=1&$OrderBy=Name DESC', ['Rex']],
    ["filter=Name EQ 'Rex'", ['Rex']],
    ["$filter=CONTAINS(Name,'ex')", ['Rex']],
    ["$filter=NOT startswith(Name,'R') AND Number LE 2&$orderby=Number", ['Polly', 'Chick']],
    ["$filter=Diet eq 'Plants' and Name eq 'Rex'", ['Rex']],
    ["$filter=Born sub 2020-02-28 eq 'P1D'", ['Polly']],
    ["$filter=cast('1',Edm.Int64) eq Number", ['Polly']],
    ["$filter=Name in ('Rex','Nemo')&$orderby=Name", ['Nemo', 'Rex']],
    ['$filter=Mother ne null', ['Chick']],
    ['$filter=7 divby 2 eq 3.5 and Number eq 1', ['Polly']],
    ["$filter=substring(Name,-2) eq 'ex'", ['Rex']],
    ['$filter=Keepers/$count($filter=Badge gt 1) eq 1', ['Polly']],
    ['$compute=Number mul 2 as Twice&$filter=Twice eq 4', ['Chick']],
    ["$filter=Age(on=2020-03-01) eq 'P1D'", ['Polly']],
    ["$filter=Name eq @n&@n='Rex'", ['Rex']],
  ])('Animals?%s', async (query, expected) => {
    expect(await inEach(`Animals?${query}`, names)).toEqual(thrice(expected));
  });

  it.each([
    ['Sum?a=1&b=2', 3],
    ['Sum(a=@x,b=@y)?@x=1&@y=2', 3],
    ['Animals(Number=1)/Age(on=2020-03-01)', 'P1D'],
    ['Animals(Number=@n)/Name?@n=1', 'Polly'],
    ["AllSpecies(@k)/Title?@k='Aves'", 'Birds'],
  ])('%s', async (address, expected) => {
    expect(await inEach(address, ({ value }) => value)).toEqual(thrice(expected));
  });

  it('functions without parameters need no parentheses, actions no body', async () => {
    for (const version of ['4.0', '4.01']) {
      const headers = { 'odata-maxversion': version };
      expect((await zoo.get('/Animals(Number=1)/Mates', headers)).status).toBe(200);
      expect((await zoo.send('POST', '/CloseZoo', { headers })).status).toBe(204);
      const body = {};
      expect((await zoo.send('POST', '/CloseZoo', { headers, body })).status).toBe(204);
    }
  });

  it('nested options of $select choose among the items of a collection', async () => {
    const address =
      "Animals(Number=1)?$select=Nicknames($filter=startswith($this,'Q')),Care($select=Since)";
    expect(await inEach(address, ({ Nicknames, Care }) => [Nicknames, Object.keys(Care)])).toEqual(
      thrice([['Queen'], ['Since']]),
    );
  });
});

describe('An updatable service of 4.01', () => {
  const v401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
  const keepers = async () =>
    (await zoo.get('/Animals(Number=1)/Keepers?$select=Name&$orderby=Name')).json.value.map(
      ({ Name }: { Name: string }) => Name,
    );

  it('lets go of a related entity by its key, and replaces and empties references of a collection', async () => {
    const path = '/Animals(Number=1)/Keepers';
    const [first] = (await zoo.get(`${path}?$orderby=Name`)).json.value;
    expect((await zoo.send('DELETE', `${path}(${first.Id})/$ref`)).status).toBe(204);
    expect(await keepers()).toEqual(['Bob']);
    const refs = { value: [{ '@id': "Keepers(Email='ann@zoo.example')" }] };
    const put = await zoo.send('PUT', `${path}/$ref`, { headers: v401, body: refs });
    expect([put.status, await keepers()]).toEqual([204, ['Ann']]);
    expect((await zoo.send('DELETE', `${path}/$ref`, { headers: v401 })).status).toBe(204);
    expect(await keepers()).toEqual([]);
  });

  it('changes related entities along with the one around them', async () => {
    const body = { Remark: 'deep', Mother: { Name: 'Mum', '@type': '#Odd.Zoo.Bird' } };
    const made = await zoo.send('PATCH', '/Animals(Number=1)', { headers: v401, body });
    expect([made.status, made.text]).toEqual([204, '']);
    const { json } = await zoo.get('/Animals(Number=1)?$expand=Mother');
    expect([json.Remark, json.Mother.Name]).toEqual(['deep', 'Mum']);
  });

  it('makes and replaces with what is nested', async () => {
    const path = "/Enclosures(Wing='A',Number=1)";
    const body = { Wing: 'A', Number: 1, Feedings: [{ Hour: 9, Food: 'Figs' }] };
    expect((await zoo.send('PUT', path, { headers: v401, body })).status).toBe(204);
    const { json } = await zoo.get(`${path}?$expand=Feedings`);
    expect(json.Feedings.map(({ Hour }: { Hour: number }) => Hour)).toEqual([9]);
  });
});

describe('The level of conformance', () => {
  it('that the metadata tell is the highest', async () => {
    const { json } = await zoo.get('/$metadata?$format=json', { 'odata-maxversion': '4.01' });
    const container = json['Odd.Zoo'].Container;
    expect(container['@Capabilities.ConformanceLevel']).toBe('Advanced');
    const xml = await zoo.get('/$metadata');
    expect(xml.text).toContain('Capabilities.ConformanceLevelType/Advanced');
  });

  it('what is declared of sets and members is what happens', async () => {
    const { json } = await zoo.get('/$metadata?$format=json', { 'odata-maxversion': '4.01' });
    const { Animal, Bird } = json['Odd.Zoo'];
    expect([Animal.Number['@Core.Computed'], Animal.$BaseType, Bird.Eggs.$ContainsTarget]).toEqual([
      true,
      'Odd.Zoo.Creature',
      true,
    ]);
    expect(json['Odd.Zoo'].Keeper['@Core.AlternateKeys'].length).toBe(2);
    const body = { Number: 99, Name: 'Still' };
    expect((await zoo.send('PATCH', '/Animals(Number=4)', { body })).status).toBe(204);
    expect((await zoo.get('/Animals(Number=4)')).json.Name).toBe('Still');
    const byName = await zoo.get("/Keepers(Country='NL',No=2)");
    expect(byName.json.Name).toBe('Bob');
  });

  it('HTTP Basic is not offered: a password goes to the token endpoint only', async () => {
    const basic = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
    const answer = await zoo.as('anonymous').get('/Animals', { authorization: basic });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^Bearer /),
    ]);
  });
});
