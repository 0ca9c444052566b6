// This file checks where resource paths lead, and which of those that lead nowhere are 404, 400 or 405.
import { describe, expect, test } from 'vitest';
import { bindUrl, boundUrl, refusalOf } from './request.ts';

const select = '; select *';

describe('sets, singletons and keys', () => {
  test.each([
    ['Animals', 'entities a1:Animals'],
    ['Animals(5)', 'entity a1:Animals where (a1.Id eq 5)'],
    ['Animals(5L)', 'entity a1:Animals where (a1.Id eq 5)'],
    ['Animals(Id=5)', 'entity a1:Animals where (a1.Id eq 5)'],
    ['Animal(5)', 'entity a1:Animals where (a1.Id eq 5)'],
    ['Animals(Number=7)', 'entity a1:Animals where (a1.Number eq 7)'],
    ["Keepers(Email='a@b')", "entity a1:Keepers where (a1.Email eq 'a@b')"],
    [
      "Keepers(Country='NL',No=3)",
      "entity a1:Keepers where (a1.Country eq 'NL') where (a1.Badge eq 3:Int32)",
    ],
    [
      "Enclosures(Wing='A',Number=1)",
      "entity a1:Enclosures where (a1.Wing eq 'A') where (a1.Number eq 1:Int32)",
    ],
    [
      "Enclosures(Number=1,Wing='A')",
      "entity a1:Enclosures where (a1.Wing eq 'A') where (a1.Number eq 1:Int32)",
    ],
    ["AllSpecies('O''Neil')", "entity a1:AllSpecies where (a1.Latin eq 'O''Neil')"],
    [
      'Pictures(01234567-89ab-cdef-0123-456789abcdef)',
      'entity a1:Pictures where (a1.Id eq 01234567-89ab-cdef-0123-456789abcdef:Guid)',
    ],
    ['Animals(@k)?@k=5', 'entity a1:Animals where (a1.Id eq 5)'],
    ['Director', 'entity a1:Director'],
    ['Animals/5', 'entity a1:Animals where (a1.Id eq 5)'],
    ['AllSpecies/Lynx', "entity a1:AllSpecies where (a1.Latin eq 'Lynx')"],
    ['Enclosures/A/1', "entity a1:Enclosures where (a1.Wing eq 'A') where (a1.Number eq 1:Int32)"],
  ])('%s', (url, expected) => {
    expect(boundUrl(url)).toBe(expected + select);
  });

  test.each([
    ['Animlas', '404 bind.unknown-resource', 'Did you mean "Animals"?'],
    ['animals', '404 bind.unknown-resource', 'Animals'],
    ['Animal', '404 bind.unknown-resource', 'Write Animal(…) for one entity, Animals for all.'],
    ['Notes(4)', '404 bind.unknown-resource', 'Notes'],
    ["Animals('10')", '400 bind.key', 'Id is of type Edm.Int64, not Edm.String'],
    ['Animals(1,2)', '400 bind.key', '(Id=…) or (Number=…)'],
    ['Animals(Nummer=1)', '400 bind.key', '(Id=…) or (Number=…)'],
    ['Animals(Id=1,Number=2)', '400 bind.key', 'Odd.Zoo.Animal'],
    ['Animals(Id=1,Id=2)', '400 bind.duplicate', 'Id'],
    ['Animals()', '400 bind.key', '(Id=…)'],
    ['Animals(null)', '400 bind.key', 'not null'],
    ['Animals(@k)', '400 bind.key', 'not null'],
    ["Enclosures('A')", '400 bind.key', '(Wing=…,Number=…)'],
    ['Director(1)', '400 bind.key', 'already addresses one entity'],
    ['Animals(1)(2)', '400', ''],
    ['Animals/abc', '404 bind.unknown-segment', 'abc'],
    ['__proto__', '404 bind.unknown-resource', '__proto__'],
    ['Animals(1)/constructor', '404 bind.unknown-segment', 'constructor'],
  ])('%s is refused', (url, status, part) => {
    expect(refusalOf(url)).toContain(status);
    expect(refusalOf(url)).toContain(part);
  });
});

describe('navigation', () => {
  test.each([
    ['Animals(1)/Children', 'entities a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Children'],
    ['Animals(1)/Mother', 'entity a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Mother'],
    [
      'Animals(1)/Children(2)',
      'entity a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Children where (a2.Id eq 2)',
    ],
    [
      'Animals(1)/Children/2',
      'entity a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Children where (a2.Id eq 2)',
    ],
    [
      'Animals(1)/Mother/Enclosure',
      'entity a3:Enclosures of <a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Mother>.>Enclosure',
    ],
    [
      'Animals(1)/Notes(4)/Files(5)',
      'entity a3:Odd.Zoo.Note/Files of <a2:Odd.Zoo.Creature/Notes of <a1:Animals where (a1.Id eq 1)>.>Notes where (a2.Id eq 4)>.>Files where (a3.Id eq 5)',
    ],
    ['Animals(1)/Care/Vet', 'entity a2:Keepers of <a1:Animals where (a1.Id eq 1)>.Care.>Vet'],
    ['Animals(1)/Chip', 'entity a2:Odd.Zoo.Animal/Chip of <a1:Animals where (a1.Id eq 1)>.>Chip'],
    ['Mascot/Nest', 'entity a2:Enclosures of <a1:Mascot>.>Nest'],
  ])('%s', (url, expected) => {
    expect(boundUrl(url)).toBe(expected + select);
  });

  test('the parent of a collection is the row it starts from, a single target may be missing', () => {
    expect(bindUrl('Animals(1)/Children')).toMatchObject({
      parent: { row: { id: 1 } },
      nullable: true,
    });
    expect(bindUrl('Animals(1)/Mother')).toMatchObject({
      parent: { row: { id: 1 } },
      nullable: true,
    });
    expect(bindUrl('Animals(1)/Mother/Mother')).toMatchObject({ parent: { row: { id: 2 } } });
    expect(bindUrl('Animals(1)/Children(2)')).toMatchObject({ nullable: false });
    expect(bindUrl('Animals(1)')).toMatchObject({ nullable: false });
    expect(bindUrl('Director')).toMatchObject({ nullable: true });
    expect(bindUrl('Mascot')).toMatchObject({ nullable: false });
  });

  test('the address is canonical and has the keys', () => {
    expect(bindUrl('Animal(1)/Notes(4)')).toMatchObject({
      address: [
        { name: 'Animals', kind: 'set', key: '1', many: false },
        { name: 'Notes', kind: 'containment', key: '4', many: false },
      ],
    });
    expect(bindUrl("Enclosures(Number=1,Wing='A')/Animals")).toMatchObject({
      address: [
        { name: 'Enclosures', key: "Wing='A',Number=1" },
        { name: 'Animals', kind: 'navigation', many: true },
      ],
    });
  });

  test.each([
    ['Animals(1)/Nothing', '404 bind.unknown-segment'],
    [
      'Animals(1)/children',
      '404 bind.unknown-segment: The type Odd.Zoo.Animal has no "children"'.slice(0, 24),
    ],
    ['Animals(1)/Mother(2)', '400 bind.key'],
    ['Animals/Mother', '404 bind.unknown-segment'],
    ['Animals(1)/Children/Name', '404 bind.unknown-segment'],
  ])('%s is refused', (url, status) => {
    expect(refusalOf(url)).toContain(status);
  });
});

describe('properties', () => {
  const one = 'a1:Animals where (a1.Id eq 1)';
  test.each([
    ['Animals(1)/Name', `property a1.Name of ${one}`],
    ['Animals(1)/Care/Room/Name', `property a1.Care.Room.Name of ${one}`],
    ['Animals(1)/Mood', `property a1.Mood of ${one}`],
    ['Animals(1)/Mood/Value', `property a1.Mood.Value of ${one}`],
    ['Animals(1)/Name/$value', `raw a1.Name of ${one}`],
    ['Animals(1)/Diet/$value', `raw a1.Diet of ${one}`],
    ['Animals(1)/Nicknames', `property a1.Nicknames of ${one}`],
    ['Animals(1)/Nicknames/0', `property a1.Nicknames[0] of ${one}`],
    ['Animals(1)/Nicknames/-1', `property a1.Nicknames[-1] of ${one}`],
    ['Animals(1)/Nicknames/$count', `property-count a1.Nicknames of ${one}`],
    [
      "Animals(1)/Nicknames/$filter(startswith($it,'a'))",
      `property a1.Nicknames where startswith(e2,'a') of ${one}`,
    ],
    [
      "Animals(1)/Nicknames?$filter=startswith($it,'a')",
      `property a1.Nicknames where startswith(e2,'a') of ${one}`,
    ],
    [
      'Animals(1)/Habits?$filter=TimesADay gt 1&$select=Name',
      `property a1.Habits(Name) where (e2.TimesADay gt 1:Int32) of ${one}`,
    ],
    ['Animals(1)/Care?$select=Since', `property a1.Care(Since) of ${one}`],
    [
      'Animals(1)/Care/Room/Odd.Zoo.ColdRoom/Temperature',
      `property a1.Care.Room.Temperature of ${one} where isof(a1.Care.Room,ColdRoom)`,
    ],
    ['Oddities(1)/Colour', 'property a1.?Colour:untyped of a1:Oddities where (a1.Id eq 1)'],
    ['Keepers(1)/Portrait', 'stream Portrait of a1:Keepers where (a1.Id eq 1)'],
    [
      'Animals(1)/Notes(2)/Files(3)/$value',
      'stream $value of a3:Odd.Zoo.Note/Files of <a2:Odd.Zoo.Creature/Notes of <a1:Animals where (a1.Id eq 1)>.>Notes where (a2.Id eq 2)>.>Files where (a3.Id eq 3)',
    ],
    [
      'Animals(1)/Care?$expand=Vet',
      `property a1.Care of ${one}${select}; expand Care/Vet(a2:Keepers of a1.Care.>Vet${select})`.replace(
        'Vet; select',
        'Vet; select',
      ),
    ],
  ])('%s', (url, expected) => {
    const text = boundUrl(url);
    expect(text).toBe(expected.includes('expand') ? expected : expected + select);
  });

  test('a property belongs to its row: missing row 404, null 204', () => {
    expect(bindUrl('Animals(1)/Name')).toMatchObject({
      parent: { row: { id: 1 } },
      nullable: true,
    });
    expect(bindUrl('Animals(1)/Mother/Name')).toMatchObject({
      parent: { row: { id: 2 } },
      nullable: true,
    });
  });

  test.each([
    ['Animals(1)/Care/$value', '400'],
    ['Animals(1)/Nicknames/$value', '400'],
    ['Animals(1)/$value', '400'],
    ['Animals/$value', '400'],
    ['Keepers(1)/Portrait/$value', '400'],
    ['Animals(1)/$count', '400'],
    ['Animals(1)/Name/$count', '400'],
    ['Animals(1)/Name/$ref', '404'],
    ['Animals(1)/Name/First', '404'],
    ['Animals(1)/Care/Rooom', '404'],
    ['Animals(1)/Name(1)', '404'],
    ['Animals(1)/Nicknames/x', '404'],
  ])('%s is refused with %s', (url, status) => {
    expect(refusalOf(url).slice(0, 3)).toBe(status);
  });
});

describe('counts, references, casts and filters', () => {
  test.each([
    ['Animals/$count', 'count a1:Animals'],
    ['Animals(1)/Children/$count', 'count a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Children'],
    [
      'Animals(1)/Children/$ref',
      'references a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Children',
    ],
    ['Animals(1)/Mother/$ref', 'reference a2:Animals of <a1:Animals where (a1.Id eq 1)>.>Mother'],
    ['Animals/Odd.Zoo.Bird', 'entities a1:Animals(Bird) where isof(a1,Bird)'],
    ['Animals/Zoo.Bird', 'entities a1:Animals(Bird) where isof(a1,Bird)'],
    ['Animals(1)/Odd.Zoo.Bird', 'entity a1:Animals(Bird) where (a1.Id eq 1) where isof(a1,Bird)'],
    ['Animals/Odd.Zoo.Bird(1)', 'entity a1:Animals(Bird) where isof(a1,Bird) where (a1.Id eq 1)'],
    [
      'Animals(1)/Odd.Zoo.Bird/Nest',
      'entity a2:Enclosures of <a1:Animals(Bird) where (a1.Id eq 1) where isof(a1,Bird)>.>Nest',
    ],
    [
      'Animals/$filter(Tame)/$filter(@f)/$count?@f=Number gt 1',
      'count a1:Animals where a1.Tame where (a1.Number gt 1)',
    ],
    ['Animals/$filter(Tame)/5', 'entity a1:Animals where a1.Tame where (a1.Id eq 5)'],
  ])('%s', (url, expected) => {
    expect(boundUrl(url)).toBe(expected + select);
  });

  test.each([
    ['Animals/Odd.Zoo.Keeper', '400 bind.unrelated-type'],
    ['Animals(1)/$filter(Tame)', '400 request.misplaced-segment'],
    ['Animals/$each', '405 request.method'],
    ['Animals/$filter(Nmae eq 1)', '400 bind.unknown-property [the path]'],
  ])('%s is refused', (url, status) => {
    expect(refusalOf(url)).toContain(status);
  });
});

describe('operations', () => {
  test.each([
    ['Self', 'entity a1:Keepers where (a1.Id eq @me); select *'],
    ['Self()', 'entity a1:Keepers where (a1.Id eq @me); select *'],
    ['Self/Animals', 'entities a2:Animals of <a1:Keepers where (a1.Id eq @me)>.>Animals; select *'],
    ['Self?$filter=((broken&$select=Name', 'entity a1:Keepers where (a1.Id eq @me); select Name'],
    [
      'Sum(a=1,b=2)',
      'evaluate (1:Decimal add case((2:Decimal eq null):0:Decimal,true:2:Decimal)):Decimal',
    ],
    ['Sum(a=@x)?@x=5', 'evaluate (5:Decimal add case((null eq null):0:Decimal,true:null)):Decimal'],
    ['Sum?a=5', 'evaluate (5:Decimal add case((null eq null):0:Decimal,true:null)):Decimal'],
    [
      'Sum(a=1)/$value',
      'evaluate (1:Decimal add case((null eq null):0:Decimal,true:null)):Decimal raw',
    ],
    ['Heavy(least=5)', 'entities a1:Animals where (a1.Weight ge 5:Decimal); select *'],
    [
      'Heavy(least=5)(3)',
      'entity a1:Animals where (a1.Weight ge 5:Decimal) where (a1.Id eq 3); select *',
    ],
    ['Heavy(least=5)/$count', 'count a1:Animals where (a1.Weight ge 5:Decimal); select *'],
    [
      'Animals(1)/Odd.Zoo.Age(on=2020-01-01)',
      'property (2020-01-01:Date sub a1.Born):Duration of a1:Animals where (a1.Id eq 1); select *',
    ],
    [
      'Animals(1)/Age(on=2020-01-01)',
      'property (2020-01-01:Date sub a1.Born):Duration of a1:Animals where (a1.Id eq 1); select *',
    ],
    [
      'Animals(1)/Odd.Zoo.Grandmother()',
      'entity a5:Animals of <a4:Animals of <a1:Animals where (a1.Id eq 1)>.>Mother>.>Mother; select *'
        .replace('a5', 'a4')
        .replace('<a4', '<a5'),
    ],
    [
      'Animals(1)/Odd.Zoo.Mates()/$count',
      'count a3:Animals of <a4:Enclosures of <a1:Animals where (a1.Id eq 1)>.>Enclosure>.>Animals; select *',
    ],
    [
      'Animals/Odd.Zoo.Grown(least=5)?$filter=Tame',
      'entities a1:Animals where (a1.Weight ge 5:Decimal); filter a1.Tame; select *',
    ],
  ])('%s', (url, expected) => {
    expect(boundUrl(url)).toBe(expected);
  });

  test.each([
    ['Sum(c=1)', '400 bind.unknown-parameter'],
    ['Sum()', '400 bind.unknown-parameter'],
    ["Sum(a='x')", '400 bind.argument'],
    ['CloseZoo', '405 request.method'],
    ['Animals(1)/Odd.Zoo.Feed', '405 request.method'],
    ['Animals/Odd.Zoo.Feed', '404 bind.unknown-segment'],
    ['Animals(1)/Odd.Zoo.Age(on=2020-01-01)/x', '400 request.misplaced-segment'],
    ['Sum(a=1)/x', '400 request.misplaced-segment'],
    ['Sum(a=1)?$filter=true', '400 request.misplaced-option'],
  ])('%s is refused', (url, status) => {
    expect(refusalOf(url)).toContain(status);
  });
});

describe('$entity, $all and $crossjoin', () => {
  test('$entity leads to what its id names', () => {
    const one = 'entity a1:Animals where (a1.Id eq 7); select *';
    expect(boundUrl('$entity?$id=Animals(7)')).toBe(one);
    expect(boundUrl('$entity?$id=http://zoo.example/odata/Animals(7)')).toBe(one);
    expect(boundUrl('$entity/Odd.Zoo.Bird?$id=Animals(7)&$select=Wingspan')).toContain(
      'select Wingspan',
    );
    expect(refusalOf('$entity')).toContain('400 request.missing-option');
    expect(refusalOf('$entity?$id=Nothing(7)')).toContain('404 bind.unknown-id');
    expect(refusalOf('$entity?$id=http://elsewhere.example/Animals(7)')).toContain(
      '404 bind.unknown-id',
    );
    expect(refusalOf('$entity?$id=Animals')).toContain('404 bind.unknown-id');
    expect(boundUrl('$entity?$id=Animals(7)&$select=Name')).toContain('select Name');
    expect(refusalOf('$entity?$id=Animals(7)&$filter=true')).toContain(
      '400 request.misplaced-option',
    );
    expect(refusalOf('$entity/Odd.Zoo.Keeper?$id=Animals(7)')).toContain('404');
  });

  test('$all reads every set, with a type only those that can have such entities', () => {
    const all = bindUrl('$all?$search=red&$top=5');
    expect(all).toMatchObject({ kind: 'all', top: 5, reads: { length: 8 } });
    expect(boundUrl('$all/Odd.Zoo.Bird?$filter=Wingspan gt 1')).toBe(
      'all a1:Animals(Bird) where isof(a1,Bird) {filter (a1.Wingspan gt 1:Double); select *}',
    );
    expect(refusalOf('$all?$filter=true')).toContain('400 request.misplaced-option');
    expect(refusalOf('$all/Odd.Zoo.Nothing')).toContain('404');
  });

  test('$crossjoin joins sets under their names', () => {
    expect(
      boundUrl(
        '$crossjoin(Animals,Keepers)?$filter=Animals/Name eq Keepers/Name&$expand=Keepers($select=Name)',
      ),
    ).toBe(
      'crossjoin a1:Animals × a2:Keepers; filter (a1.Name eq a2.Name); select *; expand Keepers(a2:Keepers; select Name)',
    );
    expect(refusalOf('$crossjoin(Animals,Nothing)')).toContain('404');
    expect(refusalOf('$crossjoin(Animals,Animals)')).toContain('400 bind.duplicate');
    expect(refusalOf('$crossjoin(Animals,Keepers)?$filter=Name eq 1')).toContain('400');
  });
});

describe('documents', () => {
  test.each([
    ['', 'document service'],
    ['$metadata', 'document metadata'],
    ['$ping', 'document ping'],
  ])('"%s"', (url, expected) => {
    expect(boundUrl(url)).toBe(expected);
  });

  test('options have no meaning there, and a batch is no reading', () => {
    expect(refusalOf('$metadata?$top=1')).toContain('400 request.misplaced-option');
    expect(refusalOf('?$filter=true')).toContain('400 request.misplaced-option');
    expect(refusalOf('$batch')).toContain('405');
  });
});
