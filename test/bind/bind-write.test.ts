// This file checks what methods and paths of writes come to, and which are refused.
import { describe, expect, test } from 'vitest';
import type { BoundWrite } from '../../src/bind/write/bound-write.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { type Asking, boundOf } from '../plan/writes.ts';
import { suiteModel } from '../service-desk.ts';
import { faultOf, mistakesOf, printInput, printValues } from './bodies.ts';
import { printRows } from './print.ts';

const suite = suiteModel();

function bound(method: string, url: string, input?: JsonInput, asking?: Asking): readonly string[] {
  return show(boundOf(method, url, input, asking));
}

function refusal(method: string, url: string, input?: JsonInput, asking?: Asking): string {
  const { status, code, headers } = faultOf(() => boundOf(method, url, input, asking));
  return [status, code, headers.Allow].filter((part) => part !== undefined).join(' ');
}

function names(path: readonly { readonly name: string }[]): string {
  return path.map(({ name }) => name).join('/');
}

/** A bound write as lines: what kind, of which rows, and what it says. */
function show(write: BoundWrite): readonly string[] {
  switch (write.kind) {
    case 'create': {
      const { into, input } = write;
      const place =
        into.kind === 'set'
          ? into.source.id
          : `${names([...into.path, into.navigation])} of ${printRows(into.parent)}`;
      return [`create ${input.type.name.replace(/^.*\./, '')} in ${place}`, ...printInput(input)];
    }
    case 'change': {
      const { rows, mode, input, create } = write;
      return [
        `${mode} ${printRows(rows)}${create === undefined ? '' : ' or create'}`,
        ...printInput(input),
      ];
    }
    case 'delete':
      return [`delete ${printRows(write.rows)}`];
    case 'relate': {
      const { rows, path, navigation, action, references } = write;
      const texts = references.map(({ text }) => ` ${text}`).join('');
      return [`${action} ${names([...path, navigation])} of ${printRows(rows)}${texts}`];
    }
    case 'property': {
      const { rows, path, mode, values, index } = write;
      const at = index === undefined ? '' : ` at ${index}`;
      return [`${mode} ${names(path)}${at} of ${printRows(rows)}`, ...printValues(values)];
    }
    case 'each': {
      const { rows, action } = write;
      const inside = action.kind === 'change' ? printInput(action.input) : [];
      return [`each ${action.kind} ${printRows(rows)}`, ...inside];
    }
    case 'collection':
      return [`${write.mode} ${printRows(write.rows)}`, ...write.entities.map(({ kind }) => kind)];
    case 'invoke': {
      const { operation, rows, collection, parameters, references } = write;
      const on = rows ?? collection;
      const values = [...parameters].map(([name, value]) => `${name} = ${value}`);
      const named = [...references].map(([name, { text }]) => `${name} -> ${text}`);
      return [
        `invoke ${operation.name}${on === undefined ? '' : ` on ${printRows(on)}`}`,
        ...values,
        ...named,
      ];
    }
    case 'stream':
      return [`${write.action} ${write.property?.name ?? 'bytes'} of ${printRows(write.rows)}`];
  }
}

describe('POST', () => {
  test('to a set, to a set of a derived type, to a navigation', () => {
    expect(bound('POST', 'Keepers', { Name: 'a' })).toEqual([
      'create Keeper in Keepers',
      'Name = "a"',
    ]);
    expect(bound('POST', 'Animals/Zoo.Bird', { Name: 'a', Wingspan: 2 })).toEqual([
      'create Bird in Animals',
      'Name = "a"',
      'Wingspan = 2',
    ]);
    expect(bound('POST', 'Animals(1)/Children', { Name: 'a' })[0]).toMatch(
      /^create Animal in Children of a\d+:Animals where/,
    );
    expect(bound('POST', 'Animals(1)/Notes', { Text: 'a' })[0]).toMatch(
      /^create Note in Notes of /,
    );
  });

  test('the parent of the URL may be named once more, but no other', () => {
    const body = (bind: string) => ({ Name: 'a', 'Mother@odata.bind': bind });
    expect(bound('POST', 'Animals(1)/Children', body('Animals(1)')).slice(1)).toEqual([
      'Name = "a"',
    ]);
    expect(mistakesOf(() => boundOf('POST', 'Animals(1)/Children', body('Animals(2)')))).toEqual([
      'write.contradiction Mother@odata.bind',
    ]);
  });

  test('what was made is read in its set, or in the entity that contains it', () => {
    const made = (url: string, input: JsonInput) => {
      const write = boundOf('POST', url, input);
      return write.kind === 'create'
        ? `${names(write.result.address)} ${write.result.wanted.kind}`
        : '';
    };
    expect(made('Animals(1)/Children', { Name: 'a' })).toBe('Animals entity');
    expect(made('Animals(1)/Notes', { Text: 'a' })).toBe('Animals/Notes entity');
  });

  test('a media entity is made of bytes', () => {
    expect(boundOf('POST', 'Pictures')).toMatchObject({ kind: 'create', media: 'stream' });
    expect(boundOf('POST', 'Animals(1)/Notes(2)/Files')).toMatchObject({
      kind: 'create',
      media: 'stream',
    });
  });

  test.each([
    ['an entity', 'Animals(1)', '405 request.method GET, PATCH, PUT, DELETE'],
    ['a single navigation', 'Animals(1)/Mother', '405 request.method GET, PATCH, PUT, DELETE'],
    ['the number of rows', 'Animals/$count', '405 request.method GET'],
    ['a filtered set', 'Animals/$filter(Tame)', '405 request.method GET'],
    ['a property', 'Animals(1)/Remark', '405 request.method GET, PUT, PATCH, DELETE'],
    ['an unknown set', 'Anmals', '404 bind.unknown-resource'],
  ])('%s is no place to POST to', (_, url, expected) => {
    expect(refusal('POST', url, { Name: 'a' })).toBe(expected);
  });
});

describe('PATCH and PUT of an entity', () => {
  test('merge and replace', () => {
    expect(bound('PATCH', 'Animals(1)', { Remark: 'x' })[0]).toMatch(/^merge a\d+:Animals where/);
    expect(bound('PUT', 'Animals(1)', { Name: 'x' })[0]).toMatch(/^replace a\d+:Animals where/);
    expect(bound('PATCH', 'Director', { Name: 'x' })[0]).toMatch(/^merge a\d+:Director or create$/);
    expect(bound('PATCH', 'Animals(1)/Mother', { Remark: 'x' })[0]).toMatch(/of <.*>.>Mother$/);
  });

  test('an entity that is not there is made where the key is the client’s', () => {
    const key = "Enclosures(Wing='A',Number=3)";
    expect(bound('PATCH', key, { Name: 'x' })[0]).toMatch(/ or create$/);
    expect(bound('PUT', 'Animals(1)/Chip', { Serial: 'x' })[0]).toMatch(/ or create$/);
    expect(bound('PATCH', 'Animals(1)', { Remark: 'x' })[0]).not.toMatch(/ or create$/);
  });

  test.each<readonly [string, JsonInput | undefined]>([
    ['no body', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
  ])('%s is refused', (_, input) => {
    expect(refusal('PATCH', 'Animals(1)', input)).toBe('400 write.body');
  });
});

describe('limits', () => {
  test('a body with too many entities or references is refused', () => {
    const keepers = Array.from({ length: 2100 }, (_, at) => `Keepers(${at})`);
    expect(refusal('PATCH', 'Animals(1)', { 'Keepers@odata.bind': keepers })).toBe(
      '400 write.too-large',
    );
    const Notes = Array.from({ length: 2100 }, () => ({ Text: 'x' }));
    expect(refusal('POST', 'Animals', { Name: 'x', Notes })).toBe('400 write.too-large');
  });
});

describe('DELETE', () => {
  test('of an entity, with or without a body', () => {
    expect(bound('DELETE', 'Animals(1)')[0]).toMatch(/^delete a\d+:Animals where/);
    expect(bound('DELETE', 'Animals(1)/Notes(2)', null)[0]).toMatch(
      /^delete a\d+:Odd.Zoo.Creature\/Notes of/,
    );
    expect(bound('DELETE', 'Director')[0]).toMatch(/^delete/);
  });

  test('of what must be there, or of a whole set, is refused', () => {
    expect(refusal('DELETE', 'Mascot')).toBe('405 request.method GET, PATCH, PUT');
    expect(refusal('DELETE', 'Animals')).toBe('405 request.method GET, POST, PATCH, PUT');
    for (const method of ['DELETE', 'PATCH', 'PUT'] as const)
      expect(refusal(method, 'Animals/$filter(Tame)', {})).toBe('405 request.method GET');
  });
});

describe('references', () => {
  test.each<readonly [string, string, JsonInput | undefined, RegExp]>([
    [
      'PUT',
      'Animals(1)/Mother/$ref',
      { '@odata.id': 'Animals(2)' },
      /^set Mother of .* Animals\(2\)$/,
    ],
    [
      'PUT',
      'Animals(1)/Care/Vet/$ref',
      { '@id': '/Keepers(2)' },
      /^set Care\/Vet of a\d+:Animals where .* \/Keepers\(2\)$/,
    ],
    [
      'POST',
      'Animals(1)/Keepers/$ref',
      { '@odata.id': 'Keeper(2)' },
      /^add Keepers of .* Keeper\(2\)$/,
    ],
    [
      'PUT',
      'Animals(1)/Keepers/$ref',
      { value: [{ '@id': 'Keepers(2)' }, { '@id': 'Keepers(3)' }] },
      /^replace Keepers of .* Keepers\(2\) Keepers\(3\)$/,
    ],
    ['DELETE', 'Animals(1)/Mother/$ref', undefined, /^clear Mother of /],
    ['DELETE', 'Animals(1)/Keepers(7)/$ref', undefined, /^remove Keepers of /],
    [
      'DELETE',
      'Animals(1)/Keepers/$ref?$id=Keepers(7)',
      undefined,
      /^remove Keepers of .* Keepers\(7\)$/,
    ],
    ['DELETE', 'Animals(1)/Keepers/$ref?$id=../../Keepers(7)', undefined, /^remove Keepers of /],
    [
      'PUT',
      'Animal(1)/Mother/$ref',
      { '@odata.id': 'http://zoo.example:5181/odata/Animals(2)' },
      /^set Mother of /,
    ],
  ])('%s %s', (method, url, input, expected) => {
    expect(bound(method, url, input)[0]).toMatch(expected);
  });

  test.each<readonly [string, string, JsonInput | undefined, string]>([
    ['PUT', 'Animals(1)/Mother/$ref', undefined, 'write.body-form '],
    ['PUT', 'Animals(1)/Mother/$ref', { '@odata.id': 'Keepers(2)' }, 'write.reference @odata.id'],
    ['PUT', 'Animals(1)/Mother/$ref', { '@odata.id': 'Animals' }, 'write.reference @odata.id'],
    ['PUT', 'Animals(1)/Mother/$ref', { '@odata.id': 'Animals(x' }, 'write.reference @odata.id'],
    [
      'PUT',
      'Animals(1)/Mother/$ref',
      { '@odata.id': 'http://x/Animals(1)' },
      'write.reference @odata.id',
    ],
    ['PUT', 'Animals(1)/Mother/$ref', { '@odata.id': 5 }, 'write.reference @odata.id'],
    ['PUT', 'Animals(1)/Keepers/$ref', { '@odata.id': 'Keepers(2)' }, 'write.body-form value'],
    ['DELETE', 'Animals(1)/Keepers/$ref?$id=Animals(7)', undefined, 'write.reference $id'],
  ])('%s %s %j is refused', (method, url, input, expected) => {
    expect(mistakesOf(() => boundOf(method, url, input))).toEqual([expected]);
  });

  test.each<readonly [string, string, string]>([
    ['POST', 'Animals(1)/Mother/$ref', '405 request.method GET, PUT, DELETE'],
    ['POST', 'Animals(1)/Notes/$ref', '400 write.contained'],
    ['PUT', 'Animals(1)/$ref', '405 request.method GET'],
    ['PATCH', 'Animals(1)/Keepers/$ref', '405 request.method GET, POST, PUT'],
    ['DELETE', 'Animals(1)/Keepers/$ref', '405 write.all-links GET, POST, PUT'],
    [
      'PATCH',
      'Animals(1)/Keepers/$ref?$id=Keepers(1)',
      '405 request.method GET, POST, PUT, DELETE',
    ],
  ])('%s %s is refused', (method, url, expected) => {
    expect(refusal(method, url, { '@odata.id': 'Keepers(1)' })).toBe(expected);
  });

  const NEW = { headers: { 'odata-version': '4.01' } };

  test('DELETE without a key lets go of all in version 4.01', () => {
    expect(bound('DELETE', 'Animals(1)/Keepers/$ref', undefined, NEW)[0]).toMatch(
      /^clear Keepers of /,
    );
  });

  test.each<readonly [string, string, string]>([
    ['DELETE', 'Keepers(1)/Animals/Odd.Zoo.Bird/$ref', '405 request.method GET, POST'],
    ['PUT', 'Keepers(1)/Animals/Odd.Zoo.Bird/$ref', '405 request.method GET, POST'],
    ['DELETE', 'Keepers(1)/Animals/$filter(Number%20gt%201)/$ref', '405 request.method GET'],
    ['POST', 'Keepers(1)/Animals/$filter(Number%20gt%201)/$ref', '405 request.method GET'],
  ])('%s %s, which chooses some of them, is refused', (method, url, expected) => {
    expect(refusal(method, url, { value: [] }, NEW)).toBe(expected);
  });

  test('an entity of a type that is wide enough is taken where it may be of the right one', () => {
    const input = {
      Name: 'x',
      'Nest@odata.bind': "Enclosures(Wing='A',Number=1)",
      '@odata.type': '#Zoo.Bird',
    };
    expect(bound('POST', 'Animals', input)).toContain("set Nest Enclosures(Wing='A',Number=1)");
  });

  test('a Content-ID of the batch stands for what was made under it', () => {
    const contentIds = new Map([['1', 'http://zoo.example:5181/odata/Keepers(9)']]);
    const input = { Name: 'x', 'Keepers@odata.bind': ['$1'] };
    expect(bound('POST', 'Animals', input, { contentIds })).toContain('add Keepers $1');
  });

  test('the reasons name host and type', () => {
    const message = (bind: string) =>
      faultOf(() => boundOf('POST', 'Animals', { Name: 'x', 'Mother@odata.bind': bind })).details[0]
        ?.message;
    expect(message('http://elsewhere.example/odata/Animals(1)')).toContain('elsewhere.example');
    expect(message('Keepers(1)')).toContain('Odd.Zoo.Keeper');
    expect(message('Anmals(1)')).toContain('Did you mean "Animals"?');
  });
});

describe('properties', () => {
  test.each<readonly [string, string, JsonInput | undefined, RegExp, readonly string[]]>([
    ['PUT', 'Animals(1)/Remark', { value: 'x' }, /^replace Remark of/, ['Remark = "x"']],
    ['PATCH', 'Animals(1)/Remark', { value: null }, /^replace Remark of/, ['Remark = null']],
    ['PUT', 'Animals(1)/Mood', { Value: 1001 }, /^replace Mood of/, ['Mood = 1001']],
    ['PATCH', 'Animals(1)/Mood', { Text: 'Boos' }, /^merge Mood of/, ['Mood = 1002']],
    ['PUT', 'Animals(1)/Mood/Value', { value: 1001 }, /^replace Mood of/, ['Mood = 1001']],
    [
      'PUT',
      'Animals(1)/Care/Mood',
      { Value: 1001 },
      /^replace Care\/Mood of/,
      ['Care is', 'Care/Mood = 1001'],
    ],
    [
      'PATCH',
      'Animals(1)/Care',
      { Mood: { Value: 1001 } },
      /^merge Care of/,
      ['Care is', 'Care/Mood = 1001'],
    ],
    ['PUT', 'Animals(1)/Care', { value: null }, /^replace Care of/, ['Care is not']],
    ['DELETE', 'Animals(1)/Care', undefined, /^clear Care of/, ['Care is not']],
    ['DELETE', 'Animals(1)/Remark', undefined, /^clear Remark of/, ['Remark = null']],
    ['DELETE', 'Animals(1)/Nicknames', undefined, /^clear Nicknames of/, ['Nicknames := []']],
    [
      'PUT',
      'Animals(1)/Nicknames',
      { value: ['a'] },
      /^replace Nicknames of/,
      ['Nicknames := ["a"]'],
    ],
    ['POST', 'Animals(1)/Nicknames', { value: 'a' }, /^append Nicknames of/, ['Nicknames := "a"']],
    [
      'POST',
      'Animals(1)/Nicknames?$index=1',
      { value: 'a' },
      /^append Nicknames at 1 of/,
      ['Nicknames := "a"'],
    ],
    [
      'POST',
      'Animals(1)/Habits',
      { Name: 'a' },
      /^append Habits of/,
      ['Habits := {"Name":"a","TimesADay":null}'],
    ],
    [
      'PUT',
      'Animals(1)/Nicknames/0',
      { value: 'a' },
      /^replace Nicknames at 0 of/,
      ['Nicknames := "a"'],
    ],
    ['DELETE', 'Animals(1)/Nicknames/-1', undefined, /^clear Nicknames at -1 of/, []],
    [
      'PUT',
      'Animals(1)/Remark/$value',
      'plain text',
      /^replace Remark of/,
      ['Remark = "plain text"'],
    ],
    ['PUT', 'Animals(1)/Weight/$value', '1.5', /^replace Weight of/, ['Weight = "1.5"']],
    ['PUT', 'Animals(1)/Diet/$value', 'Meat', /^replace Diet of/, ['Diet = 1']],
    [
      'PUT',
      'Animals(1)/Mother/Remark',
      { value: 'x' },
      /^replace Remark of .*Mother/,
      ['Remark = "x"'],
    ],
    [
      'PUT',
      'Oddities(1)/First/Name',
      { value: 'x' },
      /^replace First\/Name of/,
      ['First is', 'First/Name := "x"'],
    ],
  ])('%s %s', (method, url, input, head, lines) => {
    const [first = '', ...rest] = bound(method, url, input);
    expect(first).toMatch(head);
    expect(rest).toEqual(lines);
  });

  test.each<readonly [string, string, JsonInput | undefined, string]>([
    ['PUT', 'Animals(1)/Remark', { Value: 'x' }, '400 write.body'],
    ['PUT', 'Animals(1)/Remark', { value: 5 }, '400 write.body'],
    ['PUT', 'Animals(1)/Name', { value: null }, '400 write.body'],
    ['PUT', 'Animals(1)/Weight/$value', 'heavy', '400 write.body'],
    ['DELETE', 'Animals(1)/Name', undefined, '400 write.null'],
    ['PUT', 'Animals(1)/Id', { value: 1 }, '400 write.read-only'],
    ['PUT', 'Animals(1)/Label', { value: 'x' }, '400 write.read-only'],
    ['PATCH', 'Animals(1)/Nicknames', { value: [] }, '405 request.method GET, PUT, POST, DELETE'],
    ['POST', 'Animals(1)/Mood', { Value: 1 }, '405 request.method GET, PUT, PATCH, DELETE'],
    ['PUT', 'Animals(1)/Remrk', { value: 'x' }, '404 bind.unknown-segment'],
  ])('%s %s %j is refused', (method, url, input, expected) => {
    expect(refusal(method, url, input)).toBe(expected);
  });
});

describe('streams', () => {
  test.each([
    ['PUT', 'Animals(1)/Notes(2)/Files(3)/$value', /^put bytes of/],
    ['DELETE', 'Pictures(01234567-89ab-cdef-0123-456789abcdef)/$value', /^delete a1:Pictures/],
    ['PUT', 'Keepers(1)/Portrait', /^put Portrait of/],
    ['DELETE', 'Keepers(1)/Portrait', /^remove Portrait of/],
  ])('%s %s', (method, url, expected) => {
    expect(bound(method, url)[0]).toMatch(expected);
  });
});

describe('many rows at once', () => {
  test('every row of a filtered collection', () => {
    expect(bound('PATCH', 'Animals/$filter(Tame)/$each', { Remark: 'x' })).toEqual([
      expect.stringMatching(/^each change a\d+:Animals where/),
      'Remark = "x"',
    ]);
    expect(bound('DELETE', 'Animals(1)/Notes/$each')[0]).toMatch(/^each delete/);
    expect(bound('DELETE', 'Animals/$each?$filter=Tame')[0]).toMatch(/^each delete/);
    expect(refusal('PUT', 'Animals/$each', {})).toBe('405 request.method PATCH, DELETE');
  });

  test('a list of changes, and all there shall be', () => {
    const value = [
      { Id: 1, Name: 'x' },
      { '@removed': { reason: 'deleted' }, '@id': 'Keepers(3)' },
      { Name: 'n' },
    ];
    expect(bound('PATCH', 'Keepers', { '@context': '#$delta', value })).toEqual([
      expect.stringMatching(/^delta a\d+:Keepers$/),
      'change',
      'remove',
      'create',
    ]);
    const removed = {
      '@odata.context': 'x#Keepers/$deletedEntity',
      id: 'Keepers(3)',
      reason: 'deleted',
    };
    expect(bound('PATCH', 'Keepers', { value: [removed] }).slice(1)).toEqual(['remove']);
    expect(bound('PUT', 'Animals(1)/Keepers', { value: [{ '@id': 'Keepers(1)' }] })[0]).toMatch(
      /^full /,
    );
    expect(refusal('PATCH', 'Keepers', { Name: 'x' })).toBe('400 write.body');
    expect(mistakesOf(() => boundOf('PUT', 'Keepers', { value: [{ Nme: 'x' }] }))).toEqual([
      'write.unknown-property value[0]/Nme',
      'write.required value[0]/Name',
    ]);
  });
});

describe('actions', () => {
  test.each<readonly [string, JsonInput | undefined, readonly (string | RegExp)[]]>([
    [
      'Animals(1)/Zoo.Feed',
      { Food: 'hay' },
      [/^invoke Odd.Zoo.Feed on a\d+:Animals where/, 'Food = hay'],
    ],
    ['Animals(1)/Odd.Zoo.Feed', { Food: 'hay' }, [/^invoke Odd.Zoo.Feed on/, 'Food = hay']],
    ['Animals(1)/Feed', { Food: 'hay' }, [/^invoke Odd.Zoo.Feed on/, 'Food = hay']],
    ['Animals(1)/Mother/Feed', { Food: 'hay' }, [/^invoke Odd.Zoo.Feed on/, 'Food = hay']],
    ['CloseZoo', undefined, [/^invoke Odd.Zoo.CloseZoo$/]],
    ['CloseZoo', { Reason: 'rain' }, [/^invoke Odd.Zoo.CloseZoo$/, 'Reason = rain']],
  ])('%s', (url, input, expected) => {
    const lines = bound('POST', url, input);
    expect(lines).toHaveLength(expected.length);
    expected.forEach((line, at) => {
      expect(lines[at]).toMatch(line);
    });
  });

  test('all mistakes of the parameters are told', () => {
    expect(mistakesOf(() => boundOf('POST', 'Animals(1)/Feed', { Foot: 'x' }))).toEqual([
      'write.unknown-parameter Foot',
      'write.required Food',
    ]);
    expect(mistakesOf(() => boundOf('POST', 'Animals(1)/Feed', { Food: null }))).toEqual([
      'write.null Food',
    ]);
    expect(mistakesOf(() => boundOf('POST', 'CloseZoo', { Reason: 5 }))).toEqual([
      'write.value Reason',
    ]);
  });
});

describe('options of reading', () => {
  test.each([
    '$top=1',
    '$filter=Tame',
    '$orderby=Name',
    '$count=true',
    '$search=x',
    '$index=0',
    '$id=x',
  ])('%s is refused beside a change', (option) => {
    expect(refusal('PATCH', `Animals(1)?${option}`, { Remark: 'x' })).toMatch(/^400 /);
  });

  test('$select and $expand say what is answered', () => {
    expect(
      bound('PATCH', 'Animals(1)?$select=Id,Name&$expand=Mother', { Remark: 'x' }),
    ).toHaveLength(2);
  });
});

describe('the records of the suite', () => {
  test('what the contract shows', () => {
    const ask = (method: string, url: string, input?: JsonInput) =>
      bound(method, url, input, { model: suite })[0];
    expect(
      ask('PUT', 'ServiceRequest(1)/Assignment/AssigneePerson/$ref', { '@odata.id': '/Person(7)' }),
    ).toMatch(/^set Assignment\/AssigneePerson of/);
    expect(ask('DELETE', 'ServiceRequests(1)/Assignment/AssigneeWorkgroup/$ref')).toMatch(
      /^clear Assignment\/AssigneeWorkgroup of/,
    );
    expect(
      ask('POST', 'Workgroups(3)/Members/$ref', {
        '@odata.id': 'http://zoo.example:5181/odata/Persons(7)',
      }),
    ).toMatch(/^add Members of/);
    expect(ask('DELETE', 'Workgroups(3)/Members(7)/$ref')).toMatch(/^remove Members of/);
    expect(ask('POST', 'ServiceRequests(1)/Attachments')).toMatch(
      /^create Attachment in Attachments of/,
    );
    expect(ask('DELETE', 'ServiceRequests(1)/Attachments(2)')).toMatch(/^delete/);
    expect(ask('PATCH', 'ServiceRequests(10)/Status', { Value: 101005 })).toMatch(
      /^merge Status of/,
    );
  });
});
