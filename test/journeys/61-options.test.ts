// This file combines query options: their order, their names, their limits. OData 4.01 URL Conventions, "System Query Options".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask, column } from './query.ts';
import { CALLER, MANY, MEMBER, REQUEST } from './records.ts';
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

const names = async (query: string) => await column(zoo, 'Animals', query, 'Name');
const refusal = expect.stringMatching(/./);

describe('The order of evaluation', () => {
  it.each(['1', 'null', 'true', '5 add 3', 'null ge Name', '-7 desc'])(
    '$orderby=%s orders nothing, and is not taken for a column',
    async (constant) => {
      const { status, json } = await ask(
        zoo,
        'Animals',
        `$orderby=${constant},Number desc&$select=Number`,
      );
      expect([status, json.value?.length > 2]).toEqual([200, true]);
      const numbers = json.value.map((one: { Number: number }) => one.Number);
      expect(numbers).toEqual([...numbers].sort((left, right) => right - left));
    },
  );

  it('$apply, $compute, $search, $filter, $count, $orderby, $skip, $top, whatever the order in the URL', async () => {
    const answer = await ask(
      zoo,
      'Animals',
      '$select=Name,Double&$top=1&$skip=1&$orderby=Double desc&$count=true&$filter=Double lt 100&$compute=Weight mul 2 as Double',
    );
    expect(answer.json['@odata.count']).toBe(3);
    expect(answer.json.value).toMatchObject([{ Name: 'Chick', Double: 0.6 }]);
    const applied = await ask(
      zoo,
      'Animals',
      '$top=1&$orderby=N&$count=true&$filter=N ge 1&$compute=N mul 10 as M&$apply=groupby((Tame),aggregate($count as N))',
    );
    expect(applied.json['@odata.count']).toBe(2);
    expect(applied.json.value).toMatchObject([{ Tame: true, N: 1 }]);
  });
});

describe('Three hundred conditions', () => {
  const all = (condition: (index: number) => string) =>
    Array.from({ length: 300 }, (_, index) => condition(index)).join(' and ');

  it.each([
    ['any', all((index) => `Workorders/any(w:w/Uid ne ${-index})`), 1],
    ['all', all((index) => `Workorders/all(w:w/Uid ne ${-index})`), 1],
    ['any of one', all((index) => `Workorders/any(w:w/ID eq ${index})`), 0],
    ['related records', all((index) => `Caller/Name eq 'Name ${index}'`), 0],
    ['records two relations away', all((index) => `Caller/Manager/Name eq 'N ${index}'`), 0],
  ])('%s are tested in a few seconds', async (_name, conditions, found) => {
    const body = `$select=Uid&$filter=Uid eq ${REQUEST} and ${conditions}`;
    const headers = { 'content-type': 'text/plain' };
    const answer = await desk.send('POST', '/ServiceRequests/$query', { headers, body });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(answer.json.value).toHaveLength(found);
  });
});

describe('Names of options', () => {
  it.each(['top=1', '$TOP=1', 'Top=1', '$top=1', 'tOp=1'])('%s is $top', async (option) => {
    expect(await column(zoo, 'Animals', option, 'Name')).toEqual(['Polly']);
  });

  it.each([
    '$top=1&$top=1',
    '$top=1&top=2',
    '$filter=true&FILTER=false',
    '$select=Name&Select=Name',
  ])('an option given twice is refused: %s', async (query) => {
    expect((await ask(zoo, 'Animals', query)).status).toBe(400);
  });

  it.each([
    ['Animals(Number=1)', '$filter=true'],
    ['Animals(Number=1)', '$orderby=Name'],
    ['Animals(Number=1)', '$top=1'],
    ['Animals(Number=1)', '$skip=1'],
    ['Animals(Number=1)', '$count=true'],
    ['Animals(Number=1)', '$search=x'],
    ['Animals(Number=1)', '$apply=aggregate($count as N)'],
    ['Animals/$count', '$top=1'],
    ['Animals/$count', '$skip=1'],
    ['Animals/$count', '$orderby=Name'],
    ['Animals/$count', '$select=Name'],
    ['Animals/$count', '$expand=Species'],
    ['Animals(Number=1)/Name', '$filter=true'],
    ['Animals(Number=1)/Name', '$select=Name'],
    ['Animals(Number=1)/Name/$value', '$select=Name'],
    ['Animals', '$topp=1'],
    ['Animals', '$'],
  ])('an option that does not apply is refused: %s?%s', async (path, query) => {
    const answer = await ask(zoo, path, query);
    expect([answer.status, answer.json?.error?.message]).toEqual([400, refusal]);
  });
});

describe('$orderby', () => {
  it.each([
    ['Name', ['Chick', 'Nemo', 'Polly', 'Rex']],
    ['Name desc', ['Rex', 'Polly', 'Nemo', 'Chick']],
    ['Tame desc,Name asc', ['Polly', 'Chick', 'Nemo', 'Rex']],
    ['length(Name),Weight desc', ['Rex', 'Nemo', 'Polly', 'Chick']],
    ['Species/Title,Name', ['Rex', 'Chick', 'Nemo', 'Polly']],
    ['Species/Title desc,Name', ['Polly', 'Nemo', 'Chick', 'Rex']],
    ['Born', ['Nemo', 'Rex', 'Polly', 'Chick']],
    ['Tame', ['Chick', 'Nemo', 'Rex', 'Polly']],
    ['Mood/Value,Number desc', ['Rex', 'Chick', 'Polly', 'Nemo']],
  ])('by %s', async (order, expected) => {
    expect(await names(`$orderby=${order}`)).toEqual(expected);
  });

  it.each([
    ['Animals', 'Nothing'],
    ['Animals', 'Name up'],
    ['Animals', 'Care'],
    ['Animals', 'Nicknames'],
    ['Animals', 'Keepers'],
    ['Animals', 'Keepers/Name'],
    ['Animals', 'Name,'],
    ['Animals', ''],
    ['Enclosures', 'Place'],
    ['Keepers', 'Portrait'],
  ])('what has no order is refused: %s by %s', async (set, order) => {
    const answer = await ask(zoo, set, `$orderby=${order}`);
    expect([answer.status, answer.json?.error?.message]).toEqual([400, refusal]);
  });

  it('equal rows keep one order over all pages', async () => {
    const seen: number[] = [];
    let next: string | undefined = '/ServiceRequests?$orderby=Status/Value&$select=Uid';
    while (next !== undefined) {
      const { json } = await desk.get(next, { prefer: 'maxpagesize=90' });
      seen.push(...json.value.map((item: { Uid: number }) => item.Uid));
      next = json['@odata.nextLink'];
    }
    expect(seen).toHaveLength(MANY + 2);
    expect(new Set(seen).size).toBe(MANY + 2);
  });
});

describe('$top, $skip and $count', () => {
  it.each(['-1', 'x', '1.5', '', '1 2'])('a number that is none is refused: %s', async (value) => {
    for (const option of ['$top', '$skip']) {
      expect(await names(`${option}=${value}`)).toEqual([400, refusal]);
    }
  });

  it('$skip comes before $top; nothing is left behind the end; $top=0 gives none and no link', async () => {
    expect(await names('$skip=1&$top=2')).toEqual(['Chick', 'Nemo']);
    expect(await names('$skip=100')).toEqual([]);
    const { json } = await ask(zoo, 'Animals', '$top=0&$count=true');
    expect(json.value).toEqual([]);
    expect(json['@odata.count']).toBe(4);
    expect(json).not.toHaveProperty('@odata.nextLink');
  });

  it('$count=true counts all matches of $filter and $search, whatever is skipped and topped', async () => {
    const { json } = await ask(zoo, 'Animals', '$count=true&$filter=Weight lt 2&$top=1&$skip=1');
    expect([json['@odata.count'], json.value.length]).toEqual([3, 1]);
    const searched = await ask(zoo, 'Animals', '$count=true&$search=wild');
    expect(searched.json['@odata.count']).toBe(1);
    const paged = await ask(desk, 'ServiceRequests', '$count=true');
    expect(paged.json['@odata.count']).toBe(MANY + 2);
  });

  it('$count=false counts nothing; another value is refused', async () => {
    expect((await ask(zoo, 'Animals', '$count=false')).json).not.toHaveProperty('@odata.count');
    for (const value of ['1', 'yes', '', 'null']) {
      expect(await names(`$count=${value}`)).toEqual([400, refusal]);
    }
  });
});

describe('Pages', () => {
  it('a next link keeps every option, and $count stays the total', async () => {
    const first = await ask(
      desk,
      'ServiceRequests',
      '$filter=Uid ge 4000&$orderby=ID desc&$select=Uid,ID&$count=true',
    );
    const second = await desk.get(first.json['@odata.nextLink']);
    expect(second.json['@odata.count']).toBe(MANY);
    expect(Object.keys(second.json.value[0]).filter((name) => !name.startsWith('@'))).toEqual([
      'Uid',
      'ID',
    ]);
    expect(second.json.value[0].ID).toBe(first.json.value.at(-1).ID - 1);
  });

  it('a $top above a page gives next links until so many came', async () => {
    const { json } = await ask(desk, 'ServiceRequests', '$top=260&$select=Uid');
    expect(json.value).toHaveLength(250);
    const rest = await desk.get(json['@odata.nextLink']);
    expect(rest.json.value).toHaveLength(10);
    expect(rest.json).not.toHaveProperty('@odata.nextLink');
  });

  it('maxpagesize makes pages smaller, and is confirmed', async () => {
    const small = await desk.get('/ServiceRequests', { prefer: 'maxpagesize=5' });
    expect(small.json.value).toHaveLength(5);
    expect(small.headers['preference-applied']).toContain('maxpagesize=5');
  });

  it('maxpagesize makes pages larger, up to the setting maximumPage', async () => {
    const all = await desk.get('/ServiceRequests?$select=Uid', { prefer: 'maxpagesize=100000' });
    expect(all.json.value).toHaveLength(MANY + 2);
    expect(all.headers['preference-applied']).toBe('maxpagesize=5000');
    const topped = await desk.get('/ServiceRequests?$select=Uid&$top=260', {
      prefer: 'maxpagesize=300',
    });
    expect(topped.json.value).toHaveLength(260);
    expect(topped.json).not.toHaveProperty('@odata.nextLink');
    const small = await openDesk({ settings: { limits: { maximumPage: 7 } } });
    try {
      const { json, headers } = await small.get('/ServiceRequests', { prefer: 'maxpagesize=8' });
      expect([json.value.length, headers['preference-applied']]).toEqual([7, 'maxpagesize=7']);
    } finally {
      await small.close();
    }
  });

  it.each([
    ['/ServiceRequests?$select=Uid&$filter=Uid ge 4000', 90],
    ['/ServiceRequests?$select=Uid&$filter=Uid ge 4000&$top=203', 90],
    ['/ServiceRequests?$apply=filter(Uid ge 4000)/groupby((Uid))', 90],
    ['/ServiceRequests/$ref?$filter=Uid ge 4000', 90],
    [
      '/$crossjoin(Persons,ServiceRequests)?$filter=ServiceRequests/Uid ge 4000&$orderby=ServiceRequests/Uid',
      90,
    ],
    ['/$all', 90],
  ])('maxpagesize holds for all pages of %s', async (query, size) => {
    let answer = await desk.get(query, { prefer: `maxpagesize=${size}` });
    let pages = 0;
    for (; answer.json['@odata.nextLink'] !== undefined; pages++) {
      expect(answer.json.value).toHaveLength(size);
      answer = await desk.get(answer.json['@odata.nextLink']);
    }
    expect(answer.json.value.length).toBeLessThanOrEqual(size);
    expect(pages).toBeGreaterThan(1);
    expect(answer.headers['preference-applied']).toBeUndefined();
  });

  it('maxpagesize holds for the pages of an expanded collection too, and can be changed on the way', async () => {
    const crowd = await openCrowd();
    try {
      const query = `/ServiceRequests(${REQUEST})?$expand=Workorders($select=Uid)`;
      const { json } = await crowd.get(query, { prefer: 'maxpagesize=50' });
      expect(json.Workorders).toHaveLength(50);
      const second = await crowd.get(json['Workorders@odata.nextLink']);
      expect(second.json.value).toHaveLength(50);
      const third = await crowd.get(second.json['@odata.nextLink'], { prefer: 'maxpagesize=10' });
      expect(third.json.value).toHaveLength(10);
      expect((await crowd.get(third.json['@odata.nextLink'])).json.value).toHaveLength(10);
    } finally {
      await crowd.close();
    }
  });

  it('a forged token is refused, and so is one on another query', async () => {
    const { json } = await ask(desk, 'ServiceRequests', '$select=Uid');
    const link = String(json['@odata.nextLink']);
    const token = /skiptoken=([^&]*)/i.exec(link)?.[1] ?? '';
    expect(token).not.toBe('');
    for (const path of [
      '/ServiceRequests?$skiptoken=forged',
      `/ServiceRequests?$select=Uid&$skiptoken=${token.slice(0, -2)}`,
      `/Persons?$select=Uid&$skiptoken=${token}`,
      `/ServiceRequests?$select=Uid&$orderby=ID&$skiptoken=${token}`,
    ]) {
      const answer = await desk.get(path);
      expect([path, answer.status]).toEqual([
        path,
        expect.toSatisfy((status) => status === 400 || status === 410),
      ]);
    }
  });

  it('an expanded collection that does not fit has a next link of its own', async () => {
    const { json } = await desk.get(
      '/Enclosures'.replace('Enclosures', 'ServiceRequests') +
        `(${REQUEST})?$expand=Workorders($top=1;$count=true;$select=Uid)`,
    );
    expect(json.Workorders).toHaveLength(1);
    expect(json['Workorders@odata.count']).toBe(2);
    const crowd = await openCrowd();
    try {
      const person = await crowd.get(
        `/ServiceRequests(${REQUEST})?$expand=Workorders($select=Uid)`,
      );
      expect(person.json.Workorders).toHaveLength(250);
      const rest = await crowd.get(person.json['Workorders@odata.nextLink']);
      expect(rest.json.value).toHaveLength(20);
      expect(Object.keys(rest.json.value[0]).filter((name) => !name.startsWith('@'))).toEqual([
        'Uid',
      ]);
    } finally {
      await crowd.close();
    }
  });
});

describe('The pages of an expanded collection', () => {
  const hall = "Enclosures(Wing='H',Number=9)";
  const created: string[] = [hall];
  beforeAll(async () => {
    const body = { Wing: 'H', Number: 9, Name: 'Hall' };
    expect((await zoo.send('POST', '/Enclosures', { body })).status).toBe(201);
    for (const [name, type] of [
      ['Hall', 'Bird'],
      ['Carp', 'Fish'],
      ['Duck', 'Bird'],
      ['Eel', 'Fish'],
      ['Emu', 'Bird'],
    ]) {
      const animal = {
        '@odata.type': `#Odd.Zoo.${type}`,
        Name: name,
        'Enclosure@odata.bind': hall,
        'Keepers@odata.bind': ["Keepers(Email='ann@zoo.example')"],
      };
      const { status, json, text } = await zoo.send('POST', '/Animals', { body: animal });
      expect(status, text).toBe(201);
      created.unshift(`Animals(Number=${json.Number})`);
    }
  });
  afterAll(async () => {
    for (const path of created) expect((await zoo.send('DELETE', `/${path}`)).status).toBe(204);
  });

  async function animals(options: string, prefer: string): Promise<readonly string[]> {
    const { status, json, text } = await zoo.get(`/${hall}?$expand=Animals${options}`, { prefer });
    expect(status, text).toBe(200);
    const rows = [...json.Animals];
    for (let next = json['Animals@odata.nextLink']; next !== undefined; ) {
      const page = await zoo.get(next);
      expect(page.status, page.text).toBe(200);
      rows.push(...page.json.value);
      next = page.json['@odata.nextLink'];
    }
    return rows.map((row) => JSON.stringify(row));
  }

  it.each([
    ['/Odd.Zoo.Bird($select=Name)', 3],
    ['/Odd.Zoo.Bird($select=Name,Wingspan;$orderby=Name desc)', 3],
    ['/Odd.Zoo.Bird/$ref', 3],
    ['($select=Name;$filter=$it/Name ne Name)', 4],
    ['($select=Name;$orderby=$it/Name ne Name,Name desc)', 5],
    ['($select=Name;$compute=$it/Name as Place;$filter=Place ne Name)', 4],
    ['($select=Name;$filter=@p ne Name)&@p=$it/Name', 4],
    ['($select=Name;$filter=@p ne Name;@p=$it/Name)', 4],
    ['($select=Name;$expand=Keepers($select=Name;$filter=$it/Name eq $it/Name))', 5],
  ])('Animals%s are those of a request without maxpagesize', async (options, count) => {
    const whole = await animals(options, 'maxpagesize=100');
    expect(whole).toHaveLength(count);
    expect(await animals(options, 'maxpagesize=1')).toEqual(whole);
  });
});

/** A desk with more workorders under one request than a page takes. */
async function openCrowd(): Promise<Desk> {
  const workorders = Array.from({ length: 270 }, (_, index) => ({
    set: 'Workorders',
    uid: 6000 + index,
    values: { ID: index, Description: 'x', ServiceRequest: REQUEST },
  }));
  const request = { set: 'ServiceRequests', uid: REQUEST, values: { ID: 1, Description: 'x' } };
  const records = [request, ...workorders].map((record) => ({
    ...record,
    values: {
      'Registration/DateCreated': '2026-03-27T16:30:00.000Z',
      'Registration/DateModified': '2026-03-27T16:30:00.000Z',
      ...record.values,
    },
  }));
  return await openDesk({ records });
}

describe('$select', () => {
  const shown = async (path: string, query: string) => {
    const { status, json } = await ask(zoo, path, query);
    if (status !== 200) return [status, json?.error?.message];
    return Object.keys(json)
      .filter((name) => !name.startsWith('@'))
      .toSorted();
  };

  it.each([
    ['Name', ['Name']],
    ['Name,Weight', ['Name', 'Weight']],
    ['Care/Since', ['Care']],
    ['Mood/Value', ['Mood']],
    ['Odd.Zoo.Bird/Wingspan', ['Wingspan']],
    ['Care($select=Since)', ['Care']],
    ["Nicknames($filter=$this eq 'Pol';$top=1)", ['Nicknames']],
  ])('$select=%s', async (select, expected) => {
    const got = await shown('Animals(Number=1)', `$select=${select}`);
    expect(got).toEqual(expected);
  });

  it('* is all properties of the type, without relations', async () => {
    const got = await shown("Keepers(Email='ann@zoo.example')", '$select=*');
    expect(got).toEqual(['Badge', 'Country', 'Email', 'Id', 'Name']);
  });

  it.each([
    'Nothing',
    'Name/Length',
    'Care/Nothing',
    'Name,',
    '',
    'Odd.Zoo.Nothing/Name',
    'Name($top=1)',
    'Nicknames($top=-1)',
    'Care($select=Nothing)',
    'Odd.Zoo.Keeper/Name',
  ])('refused: $select=%s', async (select) => {
    expect(await shown('Animals(Number=1)', `$select=${select}`)).toEqual([400, refusal]);
  });

  it('the context lists the selection', async () => {
    const { json } = await ask(zoo, 'Animals', '$select=Name,Care/Since');
    expect(json['@odata.context']).toMatch(/#Animals\(Name,Care\/Since\)$/);
  });
});

describe('$expand', () => {
  const one = async (query: string) => (await ask(zoo, 'Animals(Number=1)', query)).json;

  it('takes every nested option', async () => {
    const json = await one(
      '$expand=Keepers($filter=Badge ge 1;$search=Ann OR Bob;$orderby=Name desc;$skip=0;$top=1;$count=true;$select=Name,Twice;$compute=Badge mul 2 as Twice;$expand=Boss($select=Name))',
    );
    expect(json['Keepers@odata.count']).toBe(2);
    expect(json.Keepers).toMatchObject([{ Name: 'Bob', Twice: 4, Boss: { Name: 'Ann' } }]);
    const skipped = await one('$expand=Keepers($orderby=Name;$skip=1;$select=Name)');
    expect(skipped.Keepers).toMatchObject([{ Name: 'Bob' }]);
  });

  it('*, */$ref, Nav/$ref, Nav/$count', async () => {
    const all = await one('$expand=*');
    expect(all).toMatchObject({ Species: { Latin: 'Psittaciformes' }, Mother: null });
    expect(all.Keepers).toHaveLength(2);
    const refs = await one('$expand=*/$ref');
    expect(Object.keys(refs.Species)).toEqual(['@odata.id']);
    const counted = await one('$expand=Keepers/$count');
    expect(counted['Keepers@odata.count']).toBe(2);
    expect(counted).not.toHaveProperty('Keepers');
  });

  it.each([
    ['$expand=Species/$count', 'Species is single-valued'],
    ['$select=Nix.*', 'has no property "Nix.*"'],
    ['$select=Odd.Zo.*', 'Did you mean "Odd.Zoo.*"?'],
  ])('%s is refused', async (query, told) => {
    const { status, json } = await ask(zoo, 'Animals', query);
    expect(status).toBe(400);
    expect(json.error.message).toContain(told);
  });

  it('paths into complex values and casts; null where nothing is related', async () => {
    const json = await one(
      '$expand=Care/Vet,Odd.Zoo.Bird/Nest,Mother,Odd.Zoo.Bird/Eggs($select=Laid)',
    );
    expect(json.Care.Vet).toBeNull();
    expect(json.Mother).toBeNull();
    expect(json.Nest).toBeNull();
    expect(json.Eggs).toMatchObject([{ Laid: '2024-05-01' }]);
    const request = await desk.get(
      `/ServiceRequests(${REQUEST})?$expand=Assignment/AssigneePerson($select=Uid)`,
    );
    expect(request.json.Assignment.AssigneePerson.Uid).toBe(MEMBER);
  });

  it('$levels goes down a tree: a number, or max', async () => {
    const two = (await ask(zoo, "AllSpecies('Animalia')", '$expand=Parts($levels=2;$select=Latin)'))
      .json;
    expect(two.Parts[0].Parts).toMatchObject([{ Latin: 'Psittaciformes' }]);
    expect(two.Parts[0].Parts[0]).not.toHaveProperty('Parts');
    const one = (await ask(zoo, "AllSpecies('Animalia')", '$expand=Parts($levels=1;$select=Latin)'))
      .json;
    expect(one.Parts[0]).not.toHaveProperty('Parts');
    const max = (
      await ask(zoo, "AllSpecies('Animalia')", '$expand=Parts($levels=max;$select=Latin)')
    ).json;
    expect(max.Parts[0].Parts[0].Parts).toEqual([]);
  });

  it('what is expanded is shown though it is not selected', async () => {
    const json = await one('$select=Id,Name&$expand=Keepers($select=Name;$count=true)');
    expect(json).toMatchObject({ Name: 'Polly', 'Keepers@odata.count': 2 });
    expect(json.Keepers).toHaveLength(2);
    const caller = await desk.get(
      `/ServiceRequests(${REQUEST})?$select=Uid&$expand=Caller($select=Uid)`,
    );
    expect(caller.json.Caller.Uid).toBe(CALLER);
  });

  it.each([
    'Nothing',
    'Name',
    'Keepers,Keepers',
    'Keepers($levels=-1)',
    'Keepers($levels=x)',
    'Keepers($levels=2)',
    'Species($top=1)',
    'Species($filter=true)',
    'Species($orderby=Latin)',
    'Keepers($nothing=1)',
    'Keepers($select=Nothing)',
    'Keepers($top=1;$top=2)',
    'Keepers($top=x)',
    'Keepers(',
    'Keepers/Name',
    'Keepers/$value',
    '',
    ',',
  ])('refused: $expand=%s', async (expand) => {
    const { status, json } = await ask(zoo, 'Animals(Number=1)', `$expand=${expand}`);
    expect([status, json?.error?.message]).toEqual([400, refusal]);
  });
});

describe('$search', () => {
  it.each([
    ['Polly', ['Polly']],
    ['polly', ['Polly']],
    ['"No species"', ['Rex']],
    ['wild OR Nemo', ['Nemo', 'Rex']],
    ['wild AND species', ['Rex']],
    ['wild species', ['Rex']],
    ['NOT wild', ['Polly', 'Chick', 'Nemo']],
    ['Polly OR wild AND Nemo', ['Polly']],
    ['(Polly OR wild) AND NOT Polly', ['Rex']],
    ['"OR"', []],
  ])('$search=%s', async (search, expected) => {
    expect(await names(`$search=${search}`)).toEqual(expected);
  });

  it('goes together with $filter', async () => {
    expect(await names('$search=wild OR Nemo&$filter=Weight lt 1')).toEqual(['Nemo']);
  });

  it.each(['', '(Polly', '"Polly', 'Polly)', '""'])('refused: $search=%s', async (search) => {
    expect(await names(`$search=${search}`)).toEqual([400, refusal]);
  });

  it('refuses the character U+0000', async () => {
    expect(await names('$search="Po\0lly"')).toEqual([400, expect.stringContaining('U+0000')]);
  });
});

describe('$format', () => {
  it.each([
    ['json', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json;odata.metadata=none', 'odata.metadata=none'],
    ['application/json;odata.metadata=full', 'odata.metadata=full'],
  ])('$format=%s goes before Accept', async (format, expected) => {
    const answer = await zoo.get(`/Animals?$format=${encodeURIComponent(format)}`, {
      accept: 'application/xml',
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      expect.stringContaining(expected),
    ]);
  });

  it('xml is for $metadata, json too', async () => {
    expect((await zoo.get('/$metadata?$format=xml')).text).toMatch(/^<\?xml|^<edmx/);
    expect((await zoo.get('/$metadata?$format=json')).json.$Version).toBe('4.01');
  });

  it.each([
    ['nothing', [400, 406]],
    ['text/html', [406, 415, 400]],
    ['json;odata.metadata=full', [400, 406]],
    ['', [400, 406]],
    ['json&$format=json', [400]],
  ])('refused: $format=%s', async (format, allowed) => {
    const { status } = await zoo.get(`/Animals?$format=${format}`);
    expect(allowed).toContain(status);
  });

  it('gives $count as plain text only', async () => {
    expect((await zoo.get('/Animals/$count?$format=json')).status).toBe(406);
    expect((await zoo.get('/Animals/$count?$format=text/plain')).text).toBe('4');
  });
});

describe('$compute', () => {
  it('a computed property is selected, filtered, ordered by, and tells its type', async () => {
    const query =
      '$compute=Weight mul 2 as Twice,length(Name) as Len&$filter=Twice gt 0.2&$orderby=Twice desc';
    const { json } = await ask(zoo, 'Animals', `${query}&$select=Name,Twice,Len`);
    expect(json.value).toMatchObject([
      { Name: 'Rex', Twice: 161, Len: 3 },
      { Name: 'Polly', Twice: 2.5, Len: 5 },
      { Name: 'Chick', Twice: 0.6, Len: 5 },
    ]);
    expect(json.value[0]['Twice@odata.type']).toBe('#Decimal');
  });

  it('it is shown only when selected', async () => {
    const named = await ask(zoo, 'Animals', '$compute=1 add 1 as Two&$select=Name');
    expect(named.json.value[0]).not.toHaveProperty('Two');
    const star = await ask(zoo, 'Animals', '$compute=1 add 1 as Two&$select=*');
    expect(star.json.value[0].Two).toBe(2);
  });

  it.each(['1 as Name', '1 as A,2 as A', '1', '1 as', 'Nothing as A', 'Weight mul 2 as 1A', ''])(
    'refused: $compute=%s',
    async (compute) => {
      expect(await names(`$compute=${compute}`)).toEqual([400, refusal]);
    },
  );
});

describe('Options that have one place', () => {
  it.each([
    ['Animals', '$index=1'],
    ['Animals(Number=1)', '$index=1'],
    ['Animals', '$id=Animals(1)'],
    ['Animals', '$deltatoken=x'],
    ['Animals', '$skiptoken=x'],
    ['Animals(Number=1)', '$skiptoken=x'],
  ])('%s?%s is refused', async (path, query) => {
    expect((await ask(zoo, path, query)).status).toBeGreaterThanOrEqual(400);
    expect((await ask(zoo, path, query)).status).toBeLessThan(500);
  });

  it('an unknown $schemaversion is 404, the current one is *', async () => {
    expect((await zoo.get('/Animals?$schemaversion=nothing')).status).toBe(404);
    expect((await zoo.get('/Animals?$schemaversion=*')).status).toBe(200);
  });
});

describe('Items of collections of values', () => {
  const polly = 'Animals(Number=1)';
  const text = { accept: 'text/plain' };

  it.each([
    ['0', 200, 'Pol'],
    ['-1', 200, 'Queen'],
    ['9', 404, expect.anything()],
    ['-3', 404, expect.anything()],
  ])('Nicknames/%s/$value', async (index, status, body) => {
    const answer = await zoo.get(`/${polly}/Nicknames/${index}/$value`, text);
    expect([answer.status, answer.text]).toEqual([status, body]);
  });

  it.each([
    ['Numbers/-1', '2'],
    ['Diets/0', 'Meat'],
    ['Amounts/0', '1.10'],
  ])('%s of a sample as text', async (path, expected) => {
    const { json } = await zoo.get('/Samples?$filter=Flag&$select=Id');
    const answer = await zoo.get(`/Samples(${json.value[0].Id})/${path}/$value`, text);
    expect([answer.status, Number(answer.text) || answer.text]).toEqual([
      200,
      Number(expected) || expected,
    ]);
  });

  it.each([
    ['Nicknames($search=queen)', { Nicknames: ['Queen'] }],
    ['Nicknames($search=NOT queen)', { Nicknames: ['Pol'] }],
    [
      "Nicknames($search=queen OR pol;$filter=startswith($this,'Q');$count=true)",
      { 'Nicknames@odata.count': 1, Nicknames: ['Queen'] },
    ],
    ['Habits($search=SLEEPS;$select=Name)', { Habits: [{ Name: 'Sleeps' }] }],
  ])('$select=%s', async (select, expected) => {
    const { status, json } = await ask(zoo, polly, `$select=${select}`);
    expect(status).toBe(200);
    expect(json).toMatchObject(expected);
  });

  it('$search on the collection itself', async () => {
    expect((await ask(zoo, `${polly}/Nicknames`, '$search=queen')).json.value).toEqual(['Queen']);
    expect((await ask(zoo, `${polly}/Nicknames/$count`, '$search=queen')).text).toBe('1');
  });

  it('their number has no place in XML', async () => {
    const xml = { accept: 'application/xml' };
    const answer = await zoo.get(`/${polly}/Nicknames?$count=true`, xml);
    expect([answer.status, answer.text]).toEqual([
      406,
      expect.stringContaining('application/json'),
    ]);
  });

  it('a collection without relations is not expanded', async () => {
    const { status, json } = await ask(zoo, 'Animals', '$expand=Habits/X');
    expect([status, json.error.code]).toEqual([400, 'bind.option-on']);
  });
});

describe('Places in XML', () => {
  it('are written as GML', async () => {
    const xml = { accept: 'application/xml' };
    const point = '<gml:pos>52.37 4.9</gml:pos>';
    const feed = await zoo.get('/Enclosures', xml);
    expect([feed.status, feed.text]).toEqual([200, expect.stringContaining(point)]);
    const value = await zoo.get("/Enclosures(Wing='A',Number=1)/Place", xml);
    expect([value.status, value.text]).toEqual([200, expect.stringContaining(point)]);
    expect(value.text).toContain('m:type="GeographyPoint"');
  });
});
