// This file checks what a body that makes an entity comes to, and which mistakes a client is told.
import { describe, expect, test } from 'vitest';
import { type JsonInput, type JsonObject, NumberText } from '../../src/edm/value/lossless-json.ts';
import { oddModel } from '../odd-model.ts';
import { suiteModel } from '../service-desk.ts';
import { faultOf, mistakesOf, printInput, type Reading, readBody } from './bodies.ts';

const suite = suiteModel();

function made(set: string, input: JsonInput, reading: Reading = {}): readonly string[] {
  return printInput(readBody(oddModel, set, input, reading));
}

function refused(set: string, input: JsonInput, reading: Reading = {}): readonly string[] {
  return mistakesOf(() => readBody(oddModel, set, input, reading));
}

describe('values of a new entity', () => {
  test.each<readonly [string, JsonInput, string]>([
    ['Big', '9223372036854775807', 'Big = 9223372036854775807'],
    ['Big', 9223372036854775807n, 'Big = 9223372036854775807'],
    ['Exact', new NumberText('1234567890123456.7891'), 'Exact = "1234567890123456.7891"'],
    ['Exact', '0.1', 'Exact = "0.1"'],
    ['Double', 'INF', 'Double = Infinity'],
    ['Flag', true, 'Flag = true'],
    ['Moment', '2026-01-31T13:00:00+01:00', 'Moment = "2026-01-31T12:00:00.000Z"'],
    ['Span', 'PT1.5S', 'Span = 1500000000'],
    ['Tag', '01234567-89AB-CDEF-0123-456789ABCDEF', 'Tag = "01234567-89ab-cdef-0123-456789abcdef"'],
    ['Diet', 'Meat', 'Diet = 1'],
    ['Words', '', 'Words = ""'],
    ['Words', null, 'Words = null'],
    ['Anything', { a: [1, new NumberText('2.50')] }, 'Anything = "{\\"a\\":[1,2.50]}"'],
    ['Numbers', [1, 2n], 'Numbers := [1,2]'],
    ['Numbers', null, 'Numbers := []'],
    ['Diets', ['Plants', '1'], 'Diets := ["Plants","Meat"]'],
    ['Moments', ['2026-01-31T13:00:00+01:00'], 'Moments := ["2026-01-31T12:00:00.000Z"]'],
    ['Amounts', ['1.50', null, 3], 'Amounts := [1.5,null,3]'],
  ])('%s %o', (name, input, expected) => {
    expect(made('Samples', { [name]: input })).toEqual([expected]);
  });

  test.each<readonly [string, JsonInput]>([
    ['Small', 256],
    ['Small', '5'],
    ['Flag', 'true'],
    ['Flag', 1],
    ['Whole', new NumberText('1.5')],
    ['Words', 5],
    ['Exact', '1.23456'],
    ['Moment', '2026-01-31T13:00:00'],
    ['Moment', '2026-02-30T13:00:00Z'],
    ['Moment', '2026-01-31T13:00:00.1234567890123Z'],
    ['Tag', 'x'],
    ['Diet', 'Meet'],
    ['Bytes', '!'],
    ['Spot', { type: 'Point' }],
    ['Numbers', 5],
    ['Numbers', { value: [] }],
    ['Scan', 'AAAA'],
  ])('%s %o is refused', (name, input) => {
    expect(refused('Samples', { [name]: input })).toEqual([`write.value ${name}`]);
  });

  test('an item of a collection is named by its position', () => {
    expect(refused('Samples', { Numbers: [1, 'x', null], Diets: ['Meet'] })).toEqual([
      'write.value Numbers[1]',
      'write.null Numbers[2]',
      'write.value Diets[0]',
    ]);
  });

  test('text longer than its property is refused with both lengths', () => {
    const fault = faultOf(() => readBody(oddModel, 'Keepers', { Name: 'x'.repeat(61) }));
    expect(fault.details[0]?.message).toContain('at most 60 characters (there are 61)');
    expect(fault.details[0]?.message).toMatch(/^The value "x{56}…" is not valid/);
  });

  test('complex values are taken apart, and what has derived types is kept whole', () => {
    const Care = {
      Since: '2026-01-01T00:00:00Z',
      Room: { '@odata.type': '#Zoo.ColdRoom', Name: 'Ice', Temperature: -3 },
    };
    expect(made('Animals', { '@odata.type': '#Odd.Zoo.Fish', Name: 'Nemo', Care })).toEqual([
      'Name = "Nemo"',
      'Care is',
      'Care/Since = "2026-01-01T00:00:00.000Z"',
      'Care/Room := {"@odata.type":"#Odd.Zoo.ColdRoom","Name":"Ice","Floor":null,"Temperature":-3}',
    ]);
  });

  test('open values keep what they do not declare', () => {
    const Habits = [{ Name: 'sleep', often: { day: 2 } }];
    expect(made('Oddities', { First: { Name: 'x' }, Note: [1], gone: null })).toEqual([
      'First := {"Name":"x","TimesADay":null}',
      '(Note) := [1]',
      '(gone) := nothing',
    ]);
    expect(made('Animals', { Name: 'x', Habits })).toContain(
      'Habits := [{"Name":"sleep","TimesADay":null,"often":{"day":2}}]',
    );
  });

  test('a dynamic property whose type is told is checked by it', () => {
    expect(made('Oddities', { 'Since@odata.type': '#Date', Since: '2026-01-01' })).toEqual([
      '(Since@odata.type) := "#Date"',
      '(Since) := "2026-01-01"',
    ]);
    expect(refused('Oddities', { 'Since@odata.type': '#Date', Since: 'soon' })).toEqual([
      'write.value Since',
    ]);
    expect(refused('Oddities', { 'Since@odata.type': '#Dote', Since: 'x' })).toEqual([
      'write.type Since@odata.type',
    ]);
  });
});

describe('what a client may send along', () => {
  test('computed values, annotations and null keys are passed over', () => {
    const input = {
      '@odata.context': 'http://x/odata/$metadata#Animals/$entity',
      '@odata.etag': 'W/"3"',
      '@odata.id': 'Animals(3)',
      '@odata.editLink': 'x',
      '@Core.Description': 'x',
      'Name@Org.Term': 1,
      'Name@odata.type': '#String',
      Id: null,
      Name: 'x',
      Created: '2020-01-01T00:00:00Z',
      Label: 'y',
      Number: 4,
      Passport: null,
      Children: null,
      Remark: null,
    };
    expect(made('Animals', input)).toEqual(['Name = "x"', 'Remark = null']);
  });

  test('null for a required value with a default leaves the default in place', () => {
    expect(made('Animals', { Name: 'x', Tame: null, Size: null })).toEqual(['Name = "x"']);
  });

  test.each([
    '#Odd.Zoo.Bird',
    'Odd.Zoo.Bird',
    '#Zoo.Bird',
    'http://h/odata/$metadata#Odd.Zoo.Bird',
  ])('the type %s', (type) => {
    const { type: read } = readBody(oddModel, 'Animals', { '@odata.type': type, Name: 'x' });
    expect(read.name).toBe('Odd.Zoo.Bird');
    expect(readBody(oddModel, 'Animals', { '@type': type, Name: 'x' }).type).toBe(read);
  });

  test.each<readonly [string, JsonInput]>([
    ['of another line', '#Odd.Zoo.Keeper'],
    ['that does not exist', '#Odd.Zoo.Brd'],
    ['without a namespace', '#Bird'],
    ['of a collection', '#Collection(Odd.Zoo.Bird)'],
  ])('a type %s is refused', (_, type) => {
    expect(refused('Animals', { '@odata.type': type, Name: 'x' })).toEqual([
      'write.type @odata.type',
    ]);
  });

  test.each<readonly [string, JsonObject, string, string]>([
    ['the entity', { '@odata.type': [] }, '@odata.type', '#Odd.Zoo.Animal", but it is an array'],
    ['a property', { 'Name@odata.type': 5 }, 'Name@odata.type', '#Edm.String", but it is 5'],
    [
      'a code',
      { Mood: { '@odata.type': {}, Value: 1001 } },
      'Mood/@odata.type',
      '#Odd.Zoo.Code", but it is an object',
    ],
  ])('a type of %s that is no text is refused with an example', (_, input, target, shown) => {
    const body = { Name: 'x', ...input };
    const fault = faultOf(() => readBody(oddModel, 'Animals', body));
    expect(fault.details).toEqual([
      {
        code: 'write.type-form',
        target,
        message: `@odata.type must be a text such as "${shown}. Send the text, or omit @odata.type.`,
      },
    ]);
  });

  test('advertised operations are passed over, also in values and in open types', () => {
    const offer = { title: 'Feed', target: 'http://x/odata/Animals(3)/Odd.Zoo.Feed' };
    const offers = { '#Odd.Zoo.Feed': offer, 'Children#Odd.Zoo.Feed': [offer] };
    const Care = { Since: '2021-01-01T00:00:00Z', ...offers };
    expect(made('Animals', { Name: 'x', ...offers, Care })).toEqual(
      made('Animals', { Name: 'x', Care: { Since: '2021-01-01T00:00:00Z' } }),
    );
    expect(made('Oddities', { Name: 'x', ...offers, First: { Name: 'y', ...offers } })).toEqual(
      made('Oddities', { Name: 'x', First: { Name: 'y' } }),
    );
    expect(refused('Oddities', { '#Feed': offer })).toEqual(['write.value #Feed']);
  });

  test('the nearest type is named', () => {
    const fault = faultOf(() => readBody(oddModel, 'Animals', { '@odata.type': '#Odd.Zoo.Brd' }));
    expect(fault.details[0]?.message).toContain('Did you mean "Odd.Zoo.Bird"?');
  });
});

describe('coded values', () => {
  test.each<readonly [string, JsonInput, string]>([
    ['by value', { Value: 1001 }, 'Mood = 1001'],
    ['by value as a string', { Value: '1001' }, 'Mood = 1001'],
    ['by text', { Text: 'Angry' }, 'Mood = 1002'],
    ['by text in another case', { Text: 'aNGRY' }, 'Mood = 1002'],
    ['by text in another language', { Text: 'Woedend' }, 'Mood = 1003'],
    ['by both', { Value: 1002, Text: 'boos' }, 'Mood = 1002'],
    ['by value and no text', { Value: 1002, Text: null }, 'Mood = 1002'],
    ['with its type', { '@odata.type': '#Odd.Zoo.Code', Value: 1002 }, 'Mood = 1002'],
    ['as null', null, 'Mood = null'],
    ['as an object of nulls', { Value: null, Text: null }, 'Mood = null'],
  ])('%s', (_, Mood, expected) => {
    expect(made('Animals', { Name: 'x', Mood })).toEqual(['Name = "x"', expected]);
  });

  test('an empty object says nothing', () => {
    expect(made('Animals', { Name: 'x', Mood: {} })).toEqual(['Name = "x"']);
  });

  test.each<readonly [string, JsonInput, string]>([
    ['an unknown value', { Value: 9 }, 'write.code Mood/Value'],
    ['an unknown text', { Text: 'Calmm' }, 'write.code Mood/Text'],
    ['a text with a blank too many', { Text: 'Calm ' }, 'write.code Mood/Text'],
    ['a disabled value', { Value: 1004 }, 'write.code-disabled Mood/Value'],
    ['a disabled text', { Text: 'Slaperig' }, 'write.code-disabled Mood/Text'],
    ['disagreement', { Value: 1001, Text: 'Boos' }, 'write.code-disagrees Mood/Value'],
    ['a number', 1001, 'write.value Mood'],
    ['a text alone', 'Calm', 'write.value Mood'],
    ['a fraction', { Value: new NumberText('1.5') }, 'write.value Mood/Value'],
    ['a number as text', { Text: 5 }, 'write.value Mood/Text'],
    ['an unknown member', { Value: 1001, Txt: 'x' }, 'write.unknown-property Mood/Txt'],
    ['another type', { '@odata.type': '#Odd.Zoo.Room', Value: 1 }, 'write.type Mood/@odata.type'],
  ])('%s is refused', (_, Mood, expected) => {
    expect(refused('Animals', { Name: 'x', Mood })).toContain(expected);
  });

  test('the permitted values are listed in the language of the reader, with the nearest', () => {
    const read = () =>
      readBody(oddModel, 'Animals', { Name: 'x', Mood: { Text: 'Kallm' } }, { language: 'nl' });
    expect(faultOf(read).details[0]?.message).toBe(
      'The code list Moods has no code "Kallm"; permitted are 1001 "Kalm", 1002 "Boos", 1003 "Woedend". Did you mean "Kalm"?',
    );
  });
});

describe('what is wrong with a body', () => {
  test('all mistakes are told at once, each with its place', () => {
    const input = {
      Id: 5,
      Nme: 'x',
      Tame: 'yes',
      Care: { Mood: { Value: 7 }, Vet: { Name: 5 } },
      Notes: [{ Text: 'fine' }, { Text: 5, Files: [{ Titel: 'x' }] }],
    };
    expect(refused('Animals', input)).toEqual([
      'write.key Id',
      'write.unknown-property Nme',
      'write.value Tame',
      'write.code Care/Mood/Value',
      'write.value Care/Vet/Name',
      'write.value Notes[1]/Text',
      'write.media Notes[1]/Files[0]',
      'write.unknown-property Notes[1]/Files[0]/Titel',
      'write.required Name',
    ]);
  });

  test('the fault says the first mistake and how many there are', () => {
    const fault = faultOf(() => readBody(oddModel, 'Keepers', { Nam: 'x', Badge: 'y' }));
    expect(fault.status).toBe(400);
    expect(fault.code).toBe('write.body');
    expect(fault.target).toBe('Nam');
    expect(fault.message).toBe(
      'The body is not valid. The type Odd.Zoo.Keeper has no property "Nam". Did you mean "Name"? There are 2 more mistakes.',
    );
  });

  test('every required property is named, those with defaults and generated ones are not', () => {
    expect(refused('Animals', {})).toEqual(['write.required Name']);
    expect(refused('Enclosures', {})).toEqual(['write.required Wing', 'write.required Number']);
    expect(refused('Keepers', { Name: null })).toEqual(['write.required Name']);
  });

  test.each<JsonInput>([null, [], 'x', 5, true, [{}]])('a body %j is refused', (input) => {
    expect(refused('Keepers', input)).toEqual(['write.body-form ']);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'the name %s is as unknown as any other',
    (name) => {
      const input: JsonInput = JSON.parse(`{"Name":"x","${name}":{"a":1}}`);
      expect(refused('Keepers', input)).toEqual([`write.unknown-property ${name}`]);
      expect(made('Oddities', JSON.parse(`{"${name}":1}`))).toEqual([`(${name}) := 1`]);
    },
  );

  test('a type that the declared one derives from is refused', () => {
    expect(refused('Animals', { '@odata.type': '#Odd.Zoo.Creature', Name: 'x' })).toEqual([
      'write.type @odata.type',
    ]);
  });

  test('an abstract type cannot be made, a type of one set among several can', () => {
    const inline = (Source: JsonInput) => () => readBody(suite, 'RecordRelations', { Source });
    expect(mistakesOf(inline({}))).toEqual(['write.type Source/@odata.type']);
    const type = '#Service.Web.OData.Model.Incident';
    expect(printInput(inline({ '@odata.type': type, Description: 'x' })())).toEqual([
      'insert in Source',
      '  new',
      '    Description = "x"',
    ]);
  });
});

describe('the records of the suite', () => {
  test('a request with what the contract shows', () => {
    const input = {
      Description: 'It does not print',
      Status: { Text: 'Registered' },
      Impact: { Value: 111003, Text: 'Several people' },
      'Caller@odata.bind': '/Persons(7)',
      Assignment: { 'AssigneePerson@odata.bind': 'Persons(8)' },
      Workorders: [{ Description: 'Look' }],
    };
    expect(printInput(readBody(suite, 'ServiceRequests', input))).toEqual([
      'Description = "It does not print"',
      'Status = 101001',
      'Impact = 111003',
      'Assignment is',
      'set Assignment/AssigneePerson Persons(8)',
      'set Caller /Persons(7)',
      'insert in Workorders',
      '  new',
      '    Description = "Look"',
    ]);
  });

  test('codes of custom properties with and without their type', () => {
    const custom = { '@odata.type': '#Service.Web.OData.Model.Code', Value: 1 };
    const read = () =>
      readBody(suite, 'ServiceRequests', { Description: 'x', ServicecallCode1: custom });
    expect(mistakesOf(read)).toEqual(['write.code ServicecallCode1/Value']);
  });
});
