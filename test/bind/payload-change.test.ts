// This file checks what bodies say when an entity is changed or replaced, and what they say of relations.
import { describe, expect, test } from 'vitest';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { oddModel } from '../odd-model.ts';
import { suiteModel } from '../service-desk.ts';
import { mistakesOf, printInput, type Reading, readBody } from './bodies.ts';

const suite = suiteModel();
const OLD = { mode: 'merge', version: '4.0' } as const;
const NEW = { mode: 'merge', version: '4.01' } as const;

function said(set: string, input: JsonInput, reading: Reading): readonly string[] {
  return printInput(readBody(oddModel, set, input, reading));
}

function refused(set: string, input: JsonInput, reading: Reading): readonly string[] {
  return mistakesOf(() => readBody(oddModel, set, input, reading));
}

describe('a change says only what it names', () => {
  test('nothing is required, and keys and computed values are passed over', () => {
    expect(said('Animals', {}, OLD)).toEqual([]);
    expect(said('Animals', { Id: '7', Number: 3, Created: 'x', Remark: 'y' }, OLD)).toEqual([
      'Remark = "y"',
    ]);
    expect(said('Enclosures', { Wing: 'B', Number: 9, Name: 'y' }, OLD)).toEqual(['Name = "y"']);
  });

  test('null empties; what must have a value cannot be null', () => {
    expect(said('Animals', { Remark: null, Mood: null, Care: null, Nicknames: null }, OLD)).toEqual(
      ['Remark = null', 'Mood = null', 'Care is not', 'Nicknames := []'],
    );
    expect(refused('Animals', { Name: null, Size: null, Tame: null }, OLD)).toEqual([
      'write.null Name',
      'write.null Size',
      'write.null Tame',
    ]);
  });

  test('complex values are changed member by member, collections as a whole', () => {
    expect(said('Animals', { Care: { Mood: { Value: 1001 } }, Nicknames: ['a'] }, OLD)).toEqual([
      'Care is',
      'Care/Mood = 1001',
      'Nicknames := ["a"]',
    ]);
    expect(
      said('Oddities', { First: { TimesADay: 2, more: 1, less: null }, extra: null }, OLD),
    ).toEqual([
      'First is',
      'First/TimesADay := 2',
      'First/more@odata.type := nothing',
      'First/more := 1',
      'First/less@odata.type := nothing',
      'First/less := nothing',
      '(extra@odata.type) := nothing',
      '(extra) := nothing',
    ]);
  });

  test('a complex value of a derived type is changed member by member', () => {
    const Room = { '@odata.type': '#Odd.Zoo.ColdRoom', Temperature: 1 };
    expect(said('Animals', { Care: { Room } }, OLD)).toEqual([
      'Care is',
      'Care/Room is',
      'Care/Room/Temperature := 1',
    ]);
  });

  test('the ETag in a body counts in 4.01 only', () => {
    expect(readBody(oddModel, 'Animals', { '@etag': 'W/"3"' }, NEW).etag).toBe('W/"3"');
    expect(readBody(oddModel, 'Animals', { '@odata.etag': 'W/"3"' }, OLD).etag).toBeUndefined();
  });

  test('what can be set at creation only cannot be bound later', () => {
    const input = { 'Template@odata.bind': 'Templates(1)' };
    expect(mistakesOf(() => readBody(suite, 'ServiceRequests', input, OLD))).toEqual([
      'write.immutable Template@odata.bind',
    ]);
  });
});

describe('a replacement', () => {
  const PUT = { mode: 'replace', version: '4.0' } as const;

  test('must have what is required and has no default; the key is that of the address', () => {
    expect(refused('Animals', { Remark: 'x' }, PUT)).toEqual(['write.required Name']);
    expect(said('Enclosures', { Name: 'x' }, PUT)).toEqual(['Name = "x"']);
  });
});

describe('references', () => {
  test.each(['@odata.bind', '@bind'])('Nav%s relates one, or adds to a collection', (bind) => {
    const input = {
      [`Species${bind}`]: "AllSpecies('x')",
      [`Keepers${bind}`]: ['Keepers(1)', 'Keepers(2)'],
      Care: { [`Vet${bind}`]: 'Keepers(3)' },
    };
    expect(said('Animals', { Name: 'x', ...input }, {})).toEqual([
      'Name = "x"',
      'Care is',
      'set Care/Vet Keepers(3)',
      "set Species AllSpecies('x')",
      'add Keepers Keepers(1) Keepers(2)',
    ]);
    expect(said('Animals', input, OLD)).toEqual([
      'Care is',
      'set Care/Vet Keepers(3)',
      "set Species AllSpecies('x')",
      'add Keepers Keepers(1) Keepers(2)',
    ]);
  });

  test('an object with nothing but its id is a reference', () => {
    const input = { Name: 'x', Species: { '@id': 's' }, Keepers: [{ '@odata.id': 'k' }] };
    expect(said('Animals', input, {})).toEqual(['Name = "x"', 'set Species s', 'add Keepers k']);
    expect(said('Animals', { Species: { '@odata.id': 's' } }, OLD)).toEqual(['set Species s']);
  });

  test('null ends a relation, beside a reference it says nothing', () => {
    expect(said('Animals', { Species: null, 'Mother@odata.bind': null }, OLD)).toEqual([
      'clear Species',
      'clear Mother',
    ]);
    expect(said('Animals', { Species: null, 'Species@odata.bind': 's' }, OLD)).toEqual([
      'set Species s',
    ]);
    expect(said('Animals', { Keepers: null }, OLD)).toEqual([]);
    expect(said('Animals', { Name: 'x', Species: null }, {})).toEqual(['Name = "x"']);
  });

  test.each<readonly [string, JsonInput, string]>([
    ['a list for one', { 'Species@odata.bind': ['s'] }, 'write.value Species@odata.bind'],
    ['one for a list', { 'Keepers@odata.bind': 'k' }, 'write.value Keepers@odata.bind'],
    ['a property', { 'Remark@odata.bind': 'k' }, 'write.unknown-navigation Remark@odata.bind'],
    ['an unknown name', { 'Speces@odata.bind': 'k' }, 'write.unknown-navigation Speces@odata.bind'],
    ['a misspelt annotation', { 'Species@odata.bnd': 'k' }, 'write.annotation Species@odata.bnd'],
    ['a misspelt short annotation', { 'Species@bidn': 'k' }, 'write.annotation Species@odata.bidn'],
    ['a contained entity', { 'Notes@odata.bind': ['n'] }, 'write.contained Notes@odata.bind'],
    [
      'both inline and bound',
      { Species: { Latin: 'a' }, 'Species@bind': 's' },
      'write.twice Species@odata.bind',
    ],
    ['an ID in both spellings', { '@id': 'a', '@odata.id': 'b' }, 'write.twice @odata.id'],
    [
      'a reference in both spellings',
      { Species: { '@id': 's', '@odata.id': 's' } },
      'write.twice Species/@odata.id',
    ],
    [
      'bound in both spellings',
      { 'Species@bind': 's', 'Species@odata.bind': 't' },
      'write.twice Species@odata.bind',
    ],
  ])('%s is refused', (_, input, expected) => {
    expect(refused('Animals', { Name: 'x', ...(input as object) }, {})).toEqual([expected]);
  });

  test('a contained entity is not removed by a reference that is null', () => {
    expect(refused('Animals', { 'Chip@bind': null }, OLD)).toEqual([
      'write.contained Chip@odata.bind',
    ]);
  });
});

describe('entities inside an entity', () => {
  test('a 4.0 change cannot hold them', () => {
    const input = { Species: { Latin: 'x' }, Keepers: [{ Name: 'x' }], Notes: [] };
    expect(refused('Animals', input, OLD)).toEqual([
      'write.inline Species',
      'write.inline Keepers',
      'write.inline Notes',
    ]);
  });

  test('a 4.01 change gives a collection in full: by key, by reference, new', () => {
    const input = {
      Keepers: [
        { Id: 5, Name: 'a' },
        { '@id': 'Keepers(7)' },
        { Name: 'b' },
        { '@id': 'Keepers(8)', Name: 'c' },
      ],
    };
    expect(said('Animals', input, NEW)).toEqual([
      'full in Keepers',
      '  5 or refuse',
      '    Name = "a"',
      '  link Keepers(7)',
      '  new',
      '    Name = "b"',
      '  Keepers(8) or refuse',
      '    Name = "c"',
    ]);
  });

  test('a 4.01 change gives a single entity: the one there is, or the one of the key', () => {
    expect(said('Animals', { Chip: { Serial: 'a' }, Mother: { Remark: 'b' } }, NEW)).toEqual([
      'full in Chip',
      '  a or create',
      'full in Mother',
      '  Mother or create',
      '    Remark = "b"',
    ]);
    expect(said('Animals', { Enclosure: { Wing: 'A', Number: 1, Name: 'x' } }, NEW)).toEqual([
      'full in Enclosure',
      '  A,1 or create',
      '    Name = "x"',
    ]);
  });

  test('null for a contained single entity is a list without it', () => {
    for (const reading of [OLD, NEW])
      expect(said('Animals', { Chip: null }, reading)).toEqual(['full in Chip']);
  });

  test('a new entity can refer to existing ones, but not change them', () => {
    const Keepers = [{ '@id': 'Keepers(7)' }, { '@odata.id': 'Keepers(8)', Name: 'c' }];
    const Species = { '@id': 'Species(1)', Latin: 'a' };
    expect(refused('Animals', { Name: 'x', Keepers, Species }, {})).toEqual([
      'write.reference Keepers[1]/@odata.id',
      'write.reference Species/@odata.id',
    ]);
    expect(said('Animals', { Name: 'x', Keepers: Keepers.slice(0, 1) }, {})).toEqual([
      'Name = "x"',
      'add Keepers Keepers(7)',
    ]);
  });

  test.each<readonly [string, JsonInput]>([
    ['delta', { Keepers: [], 'Keepers@delta': [] }],
    ['bind', { Keepers: [], 'Keepers@bind': ['Keepers(1)'] }],
    ['delta', { 'Notes@delta': [], 'Notes@odata.delta': [] }],
  ])('a full list and other changes of it contradict each other: %s', (control, input) => {
    const [name] = Object.keys(input as object);
    expect(refused('Animals', input, NEW)).toEqual([
      `write.twice ${name?.replace(/@.*/, '')}@odata.${control}`,
    ]);
  });

  test('a list of changes and references both add, as do new entities and references', () => {
    const both = { 'Keepers@bind': ['Keepers(1)'], 'Keepers@delta': [{ '@id': 'Keepers(2)' }] };
    expect(said('Animals', both, NEW)).toEqual([
      'add Keepers Keepers(1)',
      'delta in Keepers',
      '  link Keepers(2)',
    ]);
    const created = { Name: 'x', Keepers: [{ Name: 'a' }], 'Keepers@bind': ['Keepers(1)'] };
    expect(said('Animals', created, {})).toContain('add Keepers Keepers(1)');
  });

  test('a list of changes removes, changes, links and makes', () => {
    const input = {
      'Notes@odata.delta': [
        { '@removed': { reason: 'deleted' }, Id: 4 },
        { '@odata.removed': {}, '@odata.id': 'Animals(1)/Notes(6)' },
        { Id: 5, Text: 'x' },
        { Text: 'y' },
      ],
      'Keepers@delta': [{ '@id': 'Keepers(1)' }],
    };
    expect(said('Animals', input, NEW)).toEqual([
      'delta in Notes',
      '  remove 4 (deleted)',
      '  remove Animals(1)/Notes(6) (changed)',
      '  5 or refuse',
      '    Text = "x"',
      '  new',
      '    Text = "y"',
      'delta in Keepers',
      '  link Keepers(1)',
    ]);
  });

  test.each<readonly [string, JsonInput, Reading, readonly string[]]>([
    ['in 4.0', { 'Notes@odata.delta': [] }, OLD, ['write.delta Notes@odata.delta']],
    ['at creation', { Name: 'x', 'Notes@delta': [] }, {}, ['write.delta Notes@odata.delta']],
    ['of one entity', { 'Mother@delta': [] }, NEW, ['write.delta Mother@odata.delta']],
    ['that is no list', { 'Notes@delta': {} }, NEW, ['write.value Notes@odata.delta']],
    [
      'with a removal of nobody',
      { 'Notes@delta': [{ '@removed': {} }] },
      NEW,
      ['write.unnamed Notes@odata.delta[0]'],
    ],
    [
      'with an odd reason',
      { 'Notes@delta': [{ '@removed': { reason: 'x' }, Id: 1 }] },
      NEW,
      ['write.value Notes@odata.delta[0]/@odata.removed/reason'],
    ],
    ['with half a key', { Enclosure: { Wing: 'A' } }, NEW, ['write.required Enclosure/Number']],
    [
      'with a removal in a full list',
      { Notes: [{ '@removed': {}, Id: 1 }] },
      NEW,
      ['write.delta Notes[0]/@odata.removed'],
    ],
  ])('a list of changes %s is refused', (_, input, reading, expected) => {
    expect(refused('Animals', input, reading)).toEqual(expected);
  });

  test('what follows from the entity around cannot be said otherwise', () => {
    const Workorders = [{ Description: 'x', 'ServiceRequest@odata.bind': 'ServiceRequests(9)' }];
    const read = () => readBody(suite, 'ServiceRequests', { Description: 'y', Workorders });
    expect(mistakesOf(read)).toEqual([
      'write.contradiction Workorders[0]/ServiceRequest@odata.bind',
    ]);
  });
});
