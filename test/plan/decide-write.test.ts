// This file checks what plans of writes consist of: finds and guards first, then rows, relations and children in order.
import { describe, expect, test } from 'vitest';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { faultOf } from '../bind/bodies.ts';
import { suiteModel } from '../service-desk.ts';
import { type Asking, planOf, printSteps, stepsOf } from './writes.ts';

const suite = suiteModel();
const NEW = { headers: { 'odata-version': '4.01' } };

const ONE = 'find r1 = a1:Animals where (a1.Id eq 1) else write.not-found';

/** The steps without the values of inserts and updates. */
function outline(
  method: string,
  url: string,
  input?: JsonInput,
  asking: Asking = {},
): readonly string[] {
  return stepsOf(method, url, input, asking).filter(
    (line) =>
      !/^ *\S+ (=|:=|<-|is)/.test(line.replace(/^ +\(/, '  (')) ||
      /^(find|look|insert|each|if|else)/.test(line.trim()),
  );
}

describe('a new entity', () => {
  test('has what the body says, what the service gives, and defaults, in the order of the model', () => {
    expect(stepsOf('POST', 'Animals', { Name: 'a', Mood: { Value: 1001 } })).toEqual([
      'insert r1 = Animal into Animals',
      '  Id <- key',
      '  Name = "a"',
      '  Created <- now',
      '  Modified <- now',
      '  Number <- sequence',
      '  Tame = false',
      '  Diet = 0',
      '  Mood = 1001',
      '  Size = 2',
      '  Nicknames := []',
      '  Habits := []',
      "  Label <- concat(a3000000.Name,'!')",
    ]);
  });

  test('of the suite is registered, and its complex values that must be there are', () => {
    expect(
      stepsOf('POST', 'ServiceRequests', { Description: 'x', Impact: null }, { model: suite }),
    ).toEqual([
      'insert r1 = ServiceRequest into ServiceRequests',
      '  Uid <- key',
      '  Registration is',
      '  Registration/DateCreated <- now',
      '  Registration/DateModified <- now',
      '  Registration/CreatedBy <- account',
      '  Registration/ModifiedBy <- account',
      '  ExternalReferences := []',
      '  ID <- sequence',
      '  Assignment is',
      '  Description = "x"',
      '  Status = 101001',
      '  Impact = null',
      '  Medium = 120007',
      '  Approval is',
      '  Sla is',
      '  Sla/Response is',
      '  Sla/Resolution is',
      'calculate r1 and choose ',
    ]);
  });

  test('is related to others once all of them are found, and holds its children, parents first', () => {
    const input = {
      Name: 'a',
      'Species@odata.bind': "AllSpecies('x')",
      Care: { 'Vet@odata.bind': 'Keepers(1)' },
      Keepers: [{ Name: 'k', Animals: [{ Name: 'b' }] }],
      Notes: [{ Text: 'n', Files: [] }, { Text: 'm' }],
      Chip: { Serial: 's' },
    };
    expect(outline('POST', 'Animals', input)).toEqual([
      'find r2 = a2:Keepers where (a2.Id eq 1) else write.missing-reference',
      "find r3 = a3:AllSpecies where (a3.Latin eq 'x') else write.missing-reference",
      'insert r1 = Animal into Animals',
      'set r1/Care/Vet r2',
      'set r1/Species r3',
      'insert r4 = Keeper into Keepers',
      'insert r5 = Animal into Animals',
      'add r4/Animals r5',
      'add r1/Keepers r4',
      'insert r6 = Note into Odd.Zoo.Creature/Notes in r1',
      'insert r7 = Note into Odd.Zoo.Creature/Notes in r1',
      'insert r8 = Chip into Odd.Zoo.Animal/Chip in r1',
    ]);
  });

  test('of a navigation is linked to the row of the URL, or contained in it', () => {
    expect(outline('POST', 'Animals(1)/Children', { Name: 'a' })).toEqual([
      ONE,
      'insert r2 = Animal into Animals',
      'add r1/Children r2',
    ]);
    expect(outline('POST', 'Animals(1)/Notes', { Text: 'a' })).toEqual([
      ONE,
      'insert r2 = Note into Odd.Zoo.Creature/Notes in r1',
    ]);
  });

  test('keeps dynamic properties, and those that are null are not there', () => {
    expect(stepsOf('POST', 'Oddities', { a: 1, b: null })).toEqual([
      'insert r1 = Oddity into Oddities',
      '  Id <- key',
      '  (a) := 1',
    ]);
  });

  test('is answered with itself unless the client wants nothing', () => {
    const plan = (prefer?: string) =>
      planOf(
        'POST',
        'Keepers?$select=Name',
        { Name: 'a' },
        prefer === undefined ? {} : { headers: { prefer } },
      );
    expect(plan().result?.output.kind).toBe('entity');
    expect(plan().subject?.name).toBe('r1');
    expect(plan('return=minimal').result).toBeUndefined();
    expect(plan('return=minimal').applied).toEqual(['return=minimal']);
    expect(plan().answer).toBe('created');
  });

  test('at a position among entities, which are in the order of their keys, is refused', () => {
    const plan = () =>
      planOf('POST', "Enclosures(Wing='A',Number=1)/Feedings?$index=0", { Hour: 1 });
    expect(faultOf(plan).code).toBe('request.misplaced-option');
  });
});

describe('a change', () => {
  test('finds the row, compares ETags, and computes anew', () => {
    const headers = { 'if-match': 'W/"3", "x"' };
    expect(stepsOf('PATCH', 'Animals(1)', { Remark: 'x' }, { headers })).toEqual([
      ONE,
      'match r1 3 else write.changed',
      'update r1',
      '  Remark = "x"',
      "  Label <- concat(a3000000.Name,'!')",
    ]);
  });

  test.each([
    ['if-match', '*', 'match r1 any else write.changed'],
    ['if-none-match', '*', 'match r1 not any else write.exists'],
    ['if-none-match', 'W/"7"', 'match r1 not 7 else write.exists'],
    ['if-match', '"nonsense"', 'match r1  else write.changed'],
  ])('%s: %s', (name, value, expected) => {
    expect(stepsOf('DELETE', 'Animals(1)', undefined, { headers: { [name]: value } })).toEqual([
      ONE,
      expected,
      'delete r1',
    ]);
  });

  test('of nothing does nothing but look', () => {
    expect(stepsOf('PATCH', 'Animals(1)', {})).toEqual([ONE]);
  });

  test('of a complex value to null ends the relations in it', () => {
    expect(stepsOf('PATCH', 'Keepers(1)', {})).toHaveLength(1);
    expect(stepsOf('PATCH', 'Animals(1)', { Care: null })).toEqual([
      ONE,
      'update r1',
      '  Care is not',
      "  Label <- concat(a3000000.Name,'!')",
      'clear r1/Care/Vet',
    ]);
  });

  test('inside a value that is kept as JSON leaves the rest of it', () => {
    expect(
      stepsOf('PATCH', 'Oddities(1)', { First: { TimesADay: 2, x: null, y: [1] }, z: null }),
    ).toEqual([
      'find r1 = a1:Oddities where (a1.Id eq 1) else write.not-found',
      'update r1',
      '  First {"Name":null,"TimesADay":null} TimesADay=2 remove x@odata.type remove x remove y@odata.type y=[1]',
      '  (z@odata.type) := nothing',
      '  (z) := nothing',
    ]);
  });

  test('by a derived type is only for a row of that type', () => {
    const input = { '@odata.type': '#Zoo.Bird', Wingspan: 2 };
    expect(stepsOf('PATCH', 'Animals(1)', input)[1]).toMatch(
      /^require r1 .*Bird.* else write.not-of-type$/,
    );
  });

  test('that replaces gives all that is left out its default, or null', () => {
    expect(stepsOf('PUT', 'Animals(1)', { Name: 'x', Care: { Mood: { Value: 1001 } } })).toEqual([
      ONE,
      'require r1 not (isof(a4000001,Bird) or isof(a4000001,Fish)) else write.derived-type',
      'update r1',
      '  Name = "x"',
      '  Remark = null',
      '  Weight = null',
      '  Born = null',
      '  Tame = false',
      '  Diet = 0',
      '  Skills = null',
      '  Mood = null',
      '  Size = 2',
      '  Care is',
      '  Care/Since = null',
      '  Care/Mood = 1001',
      '  Care/Room := nothing',
      '  Nicknames := []',
      '  Habits := []',
      "  Label <- concat(a3000000.Name,'!')",
      '  no other dynamic properties',
    ]);
  });

  test('that replaces keeps what the service keeps', () => {
    const lines = stepsOf('PUT', 'ServiceRequests(1)', { Description: 'x' }, { model: suite });
    expect(lines).toContain('  Status = 101001');
    expect(lines).toContain('  Assignment is');
    expect(lines).toContain('  Assignment/ReferenceNumber = null');
    expect(lines).toContain('  Information = null');
    expect(
      lines.slice(1).filter((line) => /Registration|Uid| ID |Sla|AssignedAt|ClosedAt/.test(line)),
    ).toEqual([]);
  });

  test('of an entity with the client’s key makes it where it is not there', () => {
    expect(
      stepsOf(
        'PATCH',
        "Enclosures(Wing='A',Number=3)",
        { Name: 'x' },
        { headers: { 'if-none-match': '*' } },
      ),
    ).toEqual([
      "look for r1 = a1:Enclosures where (a1.Wing eq 'A') where (a1.Number eq 3:Int32) else write.not-found",
      'if r1',
      '  match r1 not any else write.exists',
      '  update r1',
      '    Name = "x"',
      'else',
      '  match r1 not any else write.exists',
      '  insert r1 = Enclosure into Enclosures',
      '    Wing = "A"',
      '    Number = 3',
      '    Name = "x"',
    ]);
    expect(planOf('PATCH', "Enclosures(Wing='A',Number=3)", {}).answer).toBe('upserted');
    expect(stepsOf('PUT', 'Animals(1)/Chip', { Serial: 's' }).slice(-2)).toEqual([
      '  insert r1 = Chip into Odd.Zoo.Animal/Chip in r2',
      '    Serial = "s"',
    ]);
  });

  test('is answered with the entity only where the client wants it', () => {
    const plan = (url: string, prefer?: string) =>
      planOf('PATCH', url, { Remark: 'x' }, prefer === undefined ? {} : { headers: { prefer } });
    expect(plan('Animals(1)').result).toBeUndefined();
    expect(plan('Animals(1)', 'return=representation').result?.output.kind).toBe('entity');
    expect(plan('Animals(1)', 'return=representation').applied).toEqual(['return=representation']);
    expect(plan('Animals(1)?$select=Name').result?.output.kind).toBe('entity');
    expect(plan('Animals(1)', 'dry-run').dryRun).toBe(true);
  });
});

describe('a deep update', () => {
  test('lets go of those that a full list does not name, changes and makes the others', () => {
    const input = { Keepers: [{ Id: 5, Name: 'z' }, { '@id': 'Keepers(7)' }, { Name: 'n' }] };
    expect(stepsOf('PATCH', 'Animals(1)', input, NEW)).toEqual([
      ONE,
      'find r3 = a2:Keepers where (a2.Id eq 5) else write.missing-reference',
      'find r4 = a3:Keepers where (a3.Id eq 7) else write.missing-reference',
      'each r2 of a4000001:Keepers of <a1:Animals where (a1.Id eq 1)>.>Keepers where ((a4000001 ne {a2:Keepers where (a2.Id eq 5)}) and (a4000001 ne {a3:Keepers where (a3.Id eq 7)}))',
      '  remove r1/Keepers r2',
      'update r3',
      '  Name = "z"',
      'add r1/Keepers r3',
      'add r1/Keepers r4',
      'insert r5 = Keeper into Keepers',
      '  Id <- key',
      '  Name = "n"',
      'add r1/Keepers r5',
    ]);
  });

  test('deletes contained entities that are not named, and those that are removed', () => {
    expect(outline('PATCH', 'Animals(1)', { Notes: [{ Id: 5, Text: 'c' }] }, NEW).slice(2)).toEqual(
      [expect.stringMatching(/^each r2 of .*Notes where/), '  delete r2', 'update r3'],
    );
    const delta = {
      'Notes@delta': [{ '@removed': {}, Id: 4 }],
      'Keepers@delta': [
        { '@removed': { reason: 'deleted' }, Id: 6 },
        { '@removed': {}, Id: 7 },
      ],
    };
    expect(outline('PATCH', 'Animals(1)', delta, NEW).slice(4)).toEqual([
      'delete r2',
      'delete r3',
      'remove r1/Keepers r4',
    ]);
  });

  test('makes or changes the one entity of a single navigation', () => {
    expect(outline('PATCH', 'Animals(1)', { Mother: { Name: 'm' } }, NEW).slice(1)).toEqual([
      expect.stringMatching(/^look for r2 = .*>Mother else write.missing-reference$/),
      'if r2',
      '  update r2',
      'else',
      '  insert r2 = Animal into Animals',
      '  set r1/Mother r2',
    ]);
  });

  test('refuses to make what lacks something', () => {
    expect(outline('PATCH', 'Animals(1)', { Mother: { Remark: 'm' } }, NEW).slice(-2)).toEqual([
      'else',
      '  match r2  else write.required',
    ]);
  });

  test('compares the ETag of each entity', () => {
    const input = { Keepers: [{ Id: 5, '@etag': 'W/"4"', Name: 'z' }], '@etag': 'W/"9"' };
    expect(outline('PATCH', 'Animals(1)', input, NEW)).toEqual(
      expect.arrayContaining(['match r1 9 else write.changed', 'match r3 4 else write.changed']),
    );
  });
});

describe('relations', () => {
  test.each<readonly [string, string, JsonInput | undefined, readonly string[]]>([
    ['PUT', 'Animals(1)/Mother/$ref', { '@odata.id': 'Animals(2)' }, ['set r1/Mother r2']],
    ['POST', 'Animals(1)/Keepers/$ref', { '@odata.id': 'Keepers(2)' }, ['add r1/Keepers r2']],
    ['DELETE', 'Animals(1)/Mother/$ref', undefined, ['clear r1/Mother else write.not-linked']],
    [
      'DELETE',
      'Animals(1)/Keepers(7)/$ref',
      undefined,
      ['remove r1/Keepers r2 else write.not-linked'],
    ],
    [
      'PUT',
      'Animals(1)/Keepers/$ref',
      { value: [{ '@id': 'Keepers(2)' }] },
      ['clear r1/Keepers', 'add r1/Keepers r2'],
    ],
    [
      'PUT',
      'Animals(1)/Care/Vet/$ref',
      { '@odata.id': 'Keepers(2)' },
      ['update r1', '  Care is', 'set r1/Care/Vet r2'],
    ],
  ])('%s %s', (method, url, input, expected) => {
    const lines = stepsOf(method, url, input);
    expect(lines[0]).toBe(ONE);
    expect(lines.filter((line) => !line.startsWith('find'))).toEqual(expected);
  });

  test('a missing target of a removal is 404, of a new reference 400', () => {
    expect(stepsOf('DELETE', 'Animals(1)/Keepers(7)/$ref')[1]).toMatch(/else write.not-linked$/);
    expect(stepsOf('POST', 'Animals(1)/Keepers/$ref', { '@id': 'Keepers(7)' })[1]).toMatch(
      /else write.missing-reference$/,
    );
  });

  test('DELETE without a key lets go of all in version 4.01', () => {
    const headers = { 'odata-version': '4.01' };
    expect(stepsOf('DELETE', 'Animals(1)/Keepers/$ref', undefined, { headers })).toContain(
      'clear r1/Keepers',
    );
  });

  test('the answer shows the row that has the relation', () => {
    const plan = planOf(
      'PUT',
      'Animals(1)/Mother/$ref',
      { '@odata.id': 'Animals(2)' },
      { headers: { prefer: 'return=representation' } },
    );
    expect(plan).toMatchObject({
      answer: 'related',
      subject: { name: 'r1' },
      result: { output: { kind: 'entity' } },
    });
  });
});

describe('properties', () => {
  test.each<readonly [string, string, JsonInput | undefined, readonly string[]]>([
    ['PUT', 'Keepers(1)/Badge', { value: 5 }, ['update r1', '  Badge = 5']],
    ['DELETE', 'Keepers(1)/Badge', undefined, ['update r1', '  Badge = null']],
    ['POST', 'Samples(1)/Numbers', { value: 5 }, ['append r1/Numbers 5']],
    [
      'POST',
      'Samples(1)/Numbers',
      { value: [5, 6] },
      ['append r1/Numbers 5', 'append r1/Numbers 6'],
    ],
    ['POST', 'Samples(1)/Numbers?$index=-1', { value: 5 }, ['insert r1/Numbers at -1 5']],
    ['PUT', 'Samples(1)/Numbers/2', { value: 5 }, ['replace r1/Numbers at 2 5']],
    ['DELETE', 'Samples(1)/Numbers/2', undefined, ['remove r1/Numbers at 2 null']],
    [
      'PUT',
      'Oddities(1)/note',
      { value: [1] },
      ['update r1', '  (note@odata.type) := nothing', '  (note) := [1]'],
    ],
    [
      'DELETE',
      'Oddities(1)/note',
      undefined,
      ['update r1', '  (note@odata.type) := nothing', '  (note) := nothing'],
    ],
    [
      'PUT',
      'Oddities(1)/First/Name',
      { value: 'a' },
      ['update r1', '  First {"Name":null,"TimesADay":null} Name="a"'],
    ],
  ])('%s %s %j', (method, url, input, expected) => {
    expect(stepsOf(method, url, input).slice(1)).toEqual(expected);
  });

  test('a complex value is replaced with all that it does not say', () => {
    expect(stepsOf('PUT', 'Animals(1)/Care', { Mood: { Value: 1001 } }).slice(1, 6)).toEqual([
      'update r1',
      '  Care is',
      '  Care/Since = null',
      '  Care/Mood = 1001',
      '  Care/Room := nothing',
    ]);
  });

  test('relations inside a complex value are set with it', () => {
    const input = { 'AssigneePerson@odata.bind': 'Persons(7)' };
    const lines = stepsOf('PATCH', 'ServiceRequests(1)/Assignment', input, { model: suite });
    expect(lines).toContain('set r1/Assignment/AssigneePerson r2');
  });
});

describe('many rows', () => {
  test('are changed or deleted one after the other, up to the limit', () => {
    expect(
      stepsOf('PATCH', "Keepers/$filter(Badge gt 3)/$each?$filter=Name eq 'x'", { Badge: 5 }),
    ).toEqual([
      "each r1 of a1:Keepers where (a1.Badge gt 3:Int32) where (a1.Name eq 'x')",
      '  update r1',
      '    Badge = 5',
    ]);
    expect(stepsOf('DELETE', 'Animals(1)/Notes/$each')).toEqual([
      expect.stringMatching(/^each r1 of a2:.*Notes$/),
      '  delete r1',
    ]);
    const [each] = planOf('DELETE', 'Keepers/$each').steps;
    expect(each).toMatchObject({ kind: 'each', limit: 1000 });
  });

  test('of a list of changes', () => {
    const value = [
      { Id: 1, Name: 'x' },
      { '@removed': { reason: 'deleted' }, Id: 2 },
      { Name: 'n' },
    ];
    expect(outline('PATCH', 'Keepers', { value }).slice(2)).toEqual([
      'update r1',
      'delete r2',
      'insert r3 = Keeper into Keepers',
    ]);
  });

  test('of a full list: the others of a set are deleted, those of a relation are let go', () => {
    expect(outline('PUT', 'Keepers', { value: [{ Id: 1, Name: 'x' }] })).toEqual([
      'find r2 = a2:Keepers where (a2.Id eq 1) else write.missing-reference',
      'each r1 of a1:Keepers where (a1 ne {a2:Keepers where (a2.Id eq 1)})',
      '  delete r1',
      'update r2',
    ]);
    expect(outline('PUT', 'Animals(1)/Keepers', { value: [] }).slice(1)).toEqual([
      expect.stringMatching(/^each r2 of a2:Keepers of .*Keepers$/),
      '  remove r1/Keepers r2',
    ]);
  });
});

describe('actions and streams', () => {
  test('an action is carried out once its row is found', () => {
    const plan = planOf(
      'POST',
      'Animals(1)/Feed',
      { Food: 'hay' },
      { headers: { 'if-match': '*' } },
    );
    expect(plan.steps).toHaveLength(2);
    expect(plan.invoke?.operation.name).toBe('Odd.Zoo.Feed');
    expect(plan.invoke?.parameters).toEqual(new Map([['Food', 'hay']]));
    expect(planOf('POST', 'CloseZoo').steps).toEqual([]);
  });

  test('bytes are put once their row is found or made', () => {
    const { steps, files, stream } = planOf('PUT', 'Keepers(1)/Portrait');
    expect(printSteps(steps).slice(1)).toEqual(['bytes r1/Portrait := sent']);
    expect([files, stream]).toEqual([new Map([['sent', { kind: 'sent' }]]), 'kept']);
    const made = planOf('POST', 'Animals(1)/Notes(2)/Files');
    expect(made.answer).toBe('created');
    expect(printSteps(made.steps)[1]).toBe(
      'insert r2 = File into Odd.Zoo.Note/Files in r1 of sent',
    );
  });
});
