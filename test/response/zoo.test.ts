// This file renders what the database of the zoo has written, page after page.
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { rightsOf } from '../plan/readings.ts';
import { openZoo } from '../sql/zoo.ts';
import { type Gate, type Json, openGate, ROOT } from './through.ts';

const gate = openGate();

/** All records of a collection, page by page, by the links alone. */
function walk(from: Gate, url: string, headers: Readonly<Record<string, string>>): readonly Json[] {
  const records: Json[] = [];
  let next: unknown = url;
  for (let pages = 0; typeof next === 'string'; pages++) {
    if (pages > 50) throw new Error('the pages do not end');
    const page = from.json(next, headers);
    records.push(...(page.value ?? []));
    next = page['@odata.nextLink'];
  }
  return records;
}

const ids = (records: readonly Json[] | undefined) => records?.map((record) => record.Id);

describe('Pages', () => {
  it.each([
    'Animals?$select=Id',
    'Animals?$select=Id&$orderby=Tame desc,Name',
    'Animals?$select=Id&$orderby=Weight',
    'Animals?$select=Id&$orderby=Weight desc,Born',
    'Animals?$select=Id&$orderby=Mother/Name desc',
    'Animals?$select=Id&$orderby=Mood/Text',
    'Animals?$select=Id&$orderby=Keepers/$count desc',
    "Animals?$select=Id&$orderby=concat(Name,'x') desc",
    'Animals?$select=Id&$orderby=Diet,Skills desc',
    'Samples?$select=Id&$orderby=Double,Flag',
    'Samples?$select=Id&$orderby=Exact desc',
    'Samples?$select=Id&$orderby=Free',
    'Samples?$select=Id&$orderby=Moment desc,Clock',
    'Samples?$select=Id&$orderby=Span,Big',
    'Samples?$select=Id&$orderby=Tag desc',
    'Samples?$select=Id&$orderby=Words',
  ])('of one record each are the same as one page: %s', (url) => {
    const whole = ids(gate.json(url).value);
    expect(whole?.length).toBeGreaterThan(2);
    expect(ids(walk(gate, url, { prefer: 'maxpagesize=1' }))).toEqual(whole);
  });

  it('end where $top says, and count what is there', () => {
    const url = 'Animals?$select=Id&$top=3&$skip=1&$count=true';
    expect(ids(walk(gate, url, { prefer: 'maxpagesize=2' }))).toEqual([2, 3, 4]);
    expect(gate.json(url)['@odata.count']).toBe(4);
  });

  it('of expanded collections go on by their own links', () => {
    const headers = { prefer: 'maxpagesize=1' };
    const url =
      "Animals(1)?$expand=Notes($select=Id;$filter=contains(Text,'s');$orderby=Text desc)";
    const { Notes, 'Notes@odata.nextLink': next } = gate.json(url, headers);
    expect(ids(Notes as readonly Json[])).toEqual([502]);
    expect(String(next)).toMatch(/^http:\/\/zoo\.test\/odata\/Animals\(1\)\/Notes\?/);
    expect(ids(walk(gate, String(next), headers))).toEqual([501]);
  });

  it('of expanded collections end where their $top says', () => {
    const url = 'Animals(1)?$expand=Notes($select=Id;$top=1)';
    expect(gate.json(url)).not.toHaveProperty(['Notes@odata.nextLink']);
  });

  it('of another collection are refused by their token', () => {
    const link = String(gate.json('Animals', { prefer: 'maxpagesize=1' })['@odata.nextLink']);
    const token = link.slice(link.indexOf('$skiptoken='));
    expect(gate.get(`Keepers?${token}`).status).toBe(400);
    expect(gate.get(`Animals?$orderby=Name&${token}`).status).toBe(400);
    expect(gate.get(`Animals(1)?${token}`).status).toBe(400);
    expect(gate.get('Animals?$skiptoken=').status).toBe(400);
  });
});

describe('Addresses in records lead to them', () => {
  const FULL = { accept: 'application/json;odata.metadata=full' };

  it.each([
    'Animals',
    'Animals(1)/Notes',
    'Animals(1)/Keepers',
    'Enclosures',
    "Enclosures(Wing='North',Number=1)/Feedings",
    'AllSpecies',
    'Animals/Odd.Zoo.Bird',
  ])('%s', (url) => {
    for (const record of gate.json(url, FULL).value ?? []) {
      const again = gate.json(String(record['@odata.id']), FULL);
      expect(again['@odata.id']).toBe(record['@odata.id']);
      expect(again['@odata.etag']).toBe(record['@odata.etag']);
    }
  });

  it('navigation links of an entity, into complex values too', () => {
    const animal = gate.json('Animals(1)', FULL);
    const care = animal.Care as Json;
    expect(gate.json(String(care['Vet@odata.navigationLink'])).Name).toBe('Ada Lovelace');
    expect(gate.json(String(animal['Keepers@odata.associationLink'])).value).toHaveLength(2);
  });
});

describe('Formats', () => {
  it.each([
    'Animals',
    'Animals(1)',
    'Animals(1)?$expand=Keepers,Notes,Care/Vet',
    'Samples?$select=Id,Bytes,Big,Double,Numbers,Moments,Span',
    'Oddities(701)',
    'Animals(1)/Keepers/$ref',
    'Animals(1)/Nicknames',
  ])('%s is given in XML as well', (url) => {
    const given = gate.get(url, { accept: 'application/xml' });
    expect([given.status, given.headers['Content-Type']]).toEqual([200, 'application/xml']);
    new SaxesParser({ xmlns: true }).write(String(given.body)).close();
    expect(given.body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?><(feed|entry|m:value)/);
  });

  it('large numbers are exact in every form', () => {
    expect(gate.get('Samples(801)?$select=Big').body).toContain('"Big":9007199254740993');
    const headers = { accept: 'application/json;IEEE754Compatible=true' };
    expect(gate.get('Samples(801)?$select=Big', headers).body).toContain(
      '"Big":"9007199254740993"',
    );
    expect(gate.get('Samples(801)?$select=Big', { accept: 'text/xml' }).body).toContain(
      '<d:Big m:type="Int64">9007199254740993</d:Big>',
    );
  });

  it('codes are told in the language asked for, in conditions and order too', () => {
    const headers = { 'accept-language': 'nl' };
    const url = "Animals?$filter=Mood/Text eq 'Kalm'&$orderby=Mood/Text&$select=Id,Mood";
    expect(gate.json(url).value).toEqual([]);
    expect(gate.json(url, headers).value?.map((record) => record.Mood)).toEqual([
      { Text: 'Kalm', Value: 1001 },
      { Text: 'Kalm', Value: 1001 },
    ]);
    expect(gate.get("Animals/$count?$filter=Mood/Text eq 'Kalm'", headers).body).toBe('2');
  });

  it('omit-values=nulls leaves them out', () => {
    const given = gate.get('Animals(3)', { prefer: 'omit-values=nulls' });
    expect(given.headers['Preference-Applied']).toBe('omit-values=nulls');
    expect(JSON.parse(String(given.body))).not.toHaveProperty('Weight');
  });
});

describe('An account that may see tame animals, itself, and no remarks of the wild', () => {
  const rule = (text: string) =>
    ({ kind: 'some', rules: [{ text, condition: parseExpression(text) }] }) as const;
  const all = { kind: 'all' } as const;
  const rights = rightsOf(
    {
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: rule('Tame') }, unreadable: ['Name', 'Weight'] },
        { type: 'Odd.Zoo.Keeper', actions: { read: rule('Id eq @me') } },
        { type: 'Odd.Zoo.Enclosure', actions: { read: all } },
        { type: 'Odd.Zoo.Note', actions: { read: all } },
      ],
    },
    {
      name: 'vet',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: rule('Id eq 2') }, unreadable: ['Weight'] },
      ],
    },
  );
  const guide = openGate(rights, openZoo());

  it('sees those rows and no others, counted too', () => {
    expect(ids(guide.json('Animals?$select=Id').value)).toEqual([2, 3]);
    expect(guide.get('Animals/$count').body).toBe('2');
    expect(guide.json('Animals?$count=true&$top=0')['@odata.count']).toBe(2);
    expect(guide.json('Enclosures?$select=Wing&$expand=Animals($select=Id)').value).toMatchObject([
      { Animals: [{ Id: 2 }] },
      { Animals: [] },
    ]);
    expect(guide.json('Keepers?$select=Id').value).toMatchObject([{ Id: 101 }]);
  });

  it('gets the same answer for what is hidden and what is not there', () => {
    for (const path of ['', '/Notes', '/Remark', '/Enclosure', '/Keepers/$count']) {
      const hidden = guide.get(`Animals(1)${path}`);
      const missing = guide.get(`Animals(9)${path}`);
      expect([path, hidden.status, missing.status]).toEqual([path, 404, 404]);
      expect(String(hidden.body).replace('(1)', '(9)')).toBe(missing.body);
    }
  });

  it('learns nothing of hidden rows by conditions', () => {
    const answer = (filter: string) =>
      ids(guide.json(`Enclosures?$select=Number&$filter=${filter}`).value);
    expect(answer('Animals/any(a:a/Id eq 1)')).toEqual([]);
    expect(answer('Animals/$count gt 1')).toEqual([]);
    expect(ids(guide.json('Animals?$select=Id&$filter=Keepers/any()').value)).toEqual([]);
    expect(ids(guide.json('Animals?$select=Id&$filter=Mother ne null').value)).toEqual([3]);
  });

  it('reads a withheld member where another role gives it, and is told that it is withheld elsewhere', () => {
    expect(guide.json('Animals?$select=Id,Name').value).toMatchObject([
      { Id: 2, Name: 'Polly' },
      { Id: 3, 'Name@Core.Permissions': 'None' },
    ]);
    expect(ids(guide.json("Animals?$select=Id&$filter=Name eq 'Pip'").value)).toEqual([]);
    expect(guide.json('Animals(3)')).not.toHaveProperty('Name');
  });

  it('does not see a member that no role gives: left out of all, refused by name', () => {
    expect(guide.json('Animals(2)')).not.toHaveProperty('Weight');
    for (const query of ['$select=Weight', '$filter=Weight gt 1', '$orderby=Weight']) {
      expect([query, guide.get(`Animals?${query}`).status]).toEqual([query, 403]);
    }
    expect(guide.get('Animals(2)/Weight').status).toBe(403);
  });

  it('does not get withheld members by $apply either', () => {
    const denied = (apply: string) => guide.get(`Enclosures?$apply=${apply}`).status;
    expect(denied('join(Animals as A)')).toBe(403);
    expect(denied('groupby((Animals/Weight))')).toBe(403);
    expect(denied('aggregate(Animals/Weight with max as W)')).toBe(403);
    const concat = 'Animals?$apply=concat(identity,aggregate($count as N))';
    expect(guide.get(concat).status).toBe(403);
    const counted = guide.json('Animals?$apply=aggregate($count as N,Name with max as M)');
    expect(counted.value).toMatchObject([{ N: 2, M: 'Polly' }]);
  });

  it('cannot reach types without a grant', () => {
    for (const url of ['AllSpecies', 'Animals(2)/Species', 'Animals?$expand=Species', 'Samples']) {
      expect([url, guide.get(url).status]).toEqual([url, 403]);
    }
  });

  it('pages through what it sees', () => {
    const url = 'Animals?$select=Id&$orderby=Name desc';
    expect(ids(walk(guide, url, { prefer: 'maxpagesize=1' }))).toEqual([2, 3]);
  });
});

it('every address in a page begins with the root', () => {
  const { body } = gate.get('Animals?$expand=Notes', {
    accept: 'application/json;odata.metadata=full',
  });
  const links = String(body).match(/"http[^"]*"/g) ?? [];
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !link.startsWith(`"${ROOT}`))).toEqual([]);
});
