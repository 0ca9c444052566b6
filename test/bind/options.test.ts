// This file checks what query options ask for, which of them have a meaning where, and the two rules of the service contract.
import { describe, expect, test } from 'vitest';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { boundUrl, refusalOf } from './request.ts';

describe('$filter, $orderby, $top, $skip, $count, $search', () => {
  test('all of them together', () => {
    expect(
      boundUrl(
        'Animals?$top=5&$skip=2&$count=true&$filter=Tame&$orderby=Name desc,Mother/Name,Children/$count&$search=red "old dog"',
      ),
    ).toBe(
      'entities a1:Animals; search (red AND "old dog"); filter a1.Tame; count; orderby a1.Name desc,a1.>Mother.Name,count(a3:Animals of a1.>Children); skip 2; top 5; select *',
    );
  });

  test.each([
    ['Animals?$filter=Name', '400 bind.condition [$filter]'],
    ['Animals?$orderby=Mood', '400 bind.coded [$orderby]'],
    ['Animals?$orderby=Care', '400 bind.option-on [$orderby]'],
    ['Animals?$orderby=Nicknames', '400 bind.option-on [$orderby]'],
    ['Animals?$orderby=Mother', '400 bind.option-on [$orderby]'],
    ['Keepers?$orderby=Portrait', '400 bind.option-on [$orderby]'],
    ['Animals(1)?$filter=Tame', '400 request.misplaced-option [$filter]'],
    ['Animals(1)?$top=1', '400 request.misplaced-option [$top]'],
    ['Animals(1)/Mother?$orderby=Name', '400 request.misplaced-option [$orderby]'],
    ['Animals/$count?$top=1', '400 request.misplaced-option [$top]'],
    ['Animals(1)/Name?$select=Name', '400 request.misplaced-option [$select]'],
    ['Animals(1)/Name/$value?$top=1', '400 request.misplaced-option [$top]'],
    ['Animals(1)/Mother/$ref?$select=Name', '400 request.misplaced-option [$select]'],
    ['Animals/$ref?$select=Name', '400 request.misplaced-option [$select]'],
    ['Animals?$index=1', '400 request.misplaced-option [$index]'],
    ['Animals?$id=Animals(1)', '400 request.misplaced-option [$id]'],
    ['Animals?$filter=isdefined(Nothing)', '400 bind.unknown-property'],
    ['Animals?$filter=isdefined(Weight add 1)', '400 bind.operand'],
    ['Animals(1)?$apply=identity', '400 request.misplaced-option [$apply]'],
  ])('%s is refused', (url, status) => {
    expect(refusalOf(url)).toContain(status);
  });

  test('a count may be filtered and searched', () => {
    expect(boundUrl('Animals/$count?$filter=Tame&$search=red')).toBe(
      'count a1:Animals; search red; filter a1.Tame; select *',
    );
  });
});

describe('$compute', () => {
  test('its names can be used in all that comes after it', () => {
    expect(
      boundUrl(
        'Animals?$compute=Weight mul 2 as Double,Double add 1 as More&$filter=More gt 5&$orderby=Double&$select=Name,More',
      ),
    ).toBe(
      'entities a1:Animals; compute Double=(a1.Weight mul 2:Decimal):Decimal; compute More=(Double=(a1.Weight mul 2:Decimal):Decimal add 1:Decimal):Decimal; ' +
        'filter (More=(Double=(a1.Weight mul 2:Decimal):Decimal add 1:Decimal):Decimal gt 5:Decimal); orderby Double=(a1.Weight mul 2:Decimal):Decimal; select Name,?More',
    );
  });

  test('a name is given once', () => {
    expect(refusalOf('Animals?$compute=1 as Name')).toContain('400 bind.name-taken [$compute]');
    expect(refusalOf('Animals?$compute=1 as A,2 as A')).toContain('400 bind.name-taken [$compute]');
  });
});

describe('$select', () => {
  test.each([
    ['Name,Remark', 'Name,Remark'],
    ['*', '*'],
    ['Mood/Value', 'Mood(Value)'],
    ['Care/Since,Care/Room/Name', 'Care(Since,Room(Name))'],
    ['Care($select=Since,Room/Name)', 'Care(Since,Room(Name))'],
    ['Care,Care/Since', 'Care(*,Since)'],
    ['Odd.Zoo.Bird/Wingspan,Name', 'Bird:Wingspan,Name'],
    ['Care/Room/Odd.Zoo.ColdRoom/Temperature', 'Care(Room(ColdRoom:Temperature))'],
    ["Nicknames($filter=startswith($this,'a');$top=2)", 'Nicknames{…}'],
    ['Odd.Zoo.Feed', 'Odd.Zoo.Feed()'],
    ['Odd.Zoo.*', 'Odd.Zoo.*()'],
    ['Mother', '>Mother'],
    ['Care/Vet', 'Care(>Vet)'],
  ])('%s', (text, expected) => {
    expect(boundUrl(`Animals?$select=${text}`)).toBe(`entities a1:Animals; select ${expected}`);
  });

  test('a property of an open type need not be declared', () => {
    expect(boundUrl('Oddities?$select=Colour,Name')).toBe(
      'entities a1:Oddities; select ?Colour,Name',
    );
  });

  test.each([
    ['Nmae', '400 bind.unknown-property [$select]', 'Did you mean "Name"?'],
    ['Mother/Name', '400 bind.option-on [$select]', 'use $expand='],
    ['Name/First', '400 bind.option-on [$select]', 'not a complex value'],
    ['Name($top=1)', '400 request.misplaced-option [$top]', 'single value'],
    ['Nicknames($top=1),Nicknames', '400 bind.duplicate [$select]', 'Nicknames'],
    ['@Nope.Description', '400 bind.unknown-property', '@Nope.Description'],
    ['@Core.Description/Name', '400 bind.option-on', '@Core.Description'],
    ['__proto__', '400 bind.unknown-property', '__proto__'],
  ])('%s is refused', (text, status, part) => {
    expect(refusalOf(`Animals?$select=${text}`)).toContain(status);
    expect(refusalOf(`Animals?$select=${text}`)).toContain(part);
  });
});

describe('the rules of the service contract', () => {
  const asking = { rules: 'service' } as const;

  test('a navigation property in $select is refused, on every level', () => {
    const advice = 'use $expand=Mother instead, together with $select=Id,Name.';
    const message = `"Mother" in $select is a navigation property; ${advice}`;
    expect(refusalOf('Animals?$select=Name,Mother', asking)).toBe(
      `400 bind.select-navigation [$select]: ${message}`,
    );
    expect(refusalOf('Animals?$expand=Children($select=Mother)', asking)).toContain(
      '400 bind.select-navigation [$expand]',
    );
  });

  test('$select beside $expand must name the key, on the outermost level only', () => {
    expect(refusalOf('Animals?$select=Name&$expand=Mother', asking)).toBe(
      '400 bind.select-key [$select]: $select combined with $expand must include Id; write $select=Id,Name.',
    );
    expect(refusalOf('Animals(1)?$select=Name&$expand=Mother', asking)).toContain(
      '400 bind.select-key',
    );
    expect(refusalOf('Animals?$select=Id,Name&$expand=Mother($select=Name)', asking)).toBe(
      'no fault',
    );
    expect(refusalOf('Animals?$select=*&$expand=Mother', asking)).toBe('no fault');
    expect(refusalOf('Animals?$expand=Mother($select=Name;$expand=Mother)', asking)).toBe(
      'no fault',
    );
    expect(refusalOf('Animals?$select=Name&$expand=Mother')).toBe('no fault');
  });
});

describe('$expand', () => {
  const start = 'entities a1:Animals; select *; expand ';
  test.each([
    ['Mother', 'Mother(a2:Animals of a1.>Mother; select *)'],
    [
      'Children($select=Name;$filter=Tame;$orderby=Name;$top=2;$skip=1;$count=true;$search=red)',
      'Children(a2:Animals of a1.>Children; search red; filter a2.Tame; count; orderby a2.Name; skip 1; top 2; select Name)',
    ],
    [
      'Children($filter=Name eq $it/Name)',
      'Children(a2:Animals of a1.>Children; filter (a2.Name eq a1.Name); select *)',
    ],
    [
      'Children($filter=$this/Name eq Remark)',
      'Children(a2:Animals of a1.>Children; filter (a2.Name eq a2.Remark); select *)',
    ],
    [
      'Mother($expand=Mother($select=Name))',
      'Mother(a2:Animals of a1.>Mother; select *; expand Mother(a3:Animals of a2.>Mother; select Name))',
    ],
    ['Care/Vet', 'Care/Vet(a2:Keepers of a1.Care.>Vet; select *)'],
    ['Children/$ref', 'Children/references(a2:Animals of a1.>Children; select *)'],
    ['Children/$count', 'Children/count(a2:Animals of a1.>Children; select *)'],
    [
      'Children/$count($filter=Tame)',
      'Children/count(a2:Animals of a1.>Children; filter a2.Tame; select *)',
    ],
    ['Odd.Zoo.Bird/Nest', 'Bird/Nest(a2:Enclosures of a1.>Nest; select *)'],
    [
      'Children/Odd.Zoo.Bird($select=Wingspan)',
      'Children(a2:Animals(Bird) of a1.>Children where isof(a2,Bird); select Wingspan)',
    ],
    [
      'Mother($levels=2;$select=Name)',
      'Mother(a2:Animals of a1.>Mother; select Name; expand Mother(a3:Animals of a2.>Mother; select Name))',
    ],
    [
      'Children($compute=Number mul 2 as Twice;$select=Twice)',
      'Children(a2:Animals of a1.>Children; compute Twice=(a2.Number mul 2):Int64; select ?Twice)',
    ],
  ])('%s', (text, expected) => {
    expect(boundUrl(`Animals?$expand=${text}`)).toBe(start + expected);
  });

  test('* is every navigation but those named besides', () => {
    const text = boundUrl('Keepers?$expand=*,Boss($select=Name)');
    expect(text).toBe(
      'entities a1:Keepers; select *; expand Animals(a2:Animals of a1.>Animals; select *); expand Staff(a3:Keepers of a1.>Staff; select *); expand Boss(a4:Keepers of a1.>Boss; select Name)',
    );
    expect(boundUrl('Keepers?$expand=*/$ref')).toContain('expand Animals/references(');
    expect(boundUrl('AllSpecies?$expand=*($levels=2)').match(/expand/g)).toHaveLength(6);
  });

  test('$levels=max goes as deep as the limit', () => {
    const limits = { ...DEFAULT_BIND_LIMITS, expandDepth: 3 };
    expect(
      boundUrl('Animals?$expand=Mother($levels=max)', { limits }).match(/expand/g),
    ).toHaveLength(3);
    expect(refusalOf('Animals?$expand=Mother($levels=4)', { limits })).toContain(
      '400 bind.expand-depth [$expand]',
    );
  });

  test('streams are expanded by their names', () => {
    expect(boundUrl('Keepers?$expand=Portrait')).toBe(
      'entities a1:Keepers; select *; stream Portrait',
    );
    expect(boundUrl('Pictures?$expand=$value')).toBe(
      'entities a1:Pictures; select *; stream $value',
    );
    expect(refusalOf('Keepers?$expand=$value')).toContain('400 bind.option-on');
  });

  test('an alias can be given inside', () => {
    expect(boundUrl("Animals?$expand=Children($filter=Name eq @n;@n='x')")).toContain(
      "filter (a2.Name eq 'x')",
    );
    expect(boundUrl("Animals?$expand=Children($filter=Name eq @n)&@n='x'")).toContain(
      "filter (a2.Name eq 'x')",
    );
  });

  test.each([
    ['Mohter', '400 bind.unknown-property [$expand]', 'Did you mean "Mother"?'],
    ['Name', '400 bind.option-on [$expand]', 'expand only navigation properties'],
    ['Mother/Mother', '400 bind.option-on [$expand]', 'use Mother($expand=Mother)'],
    ['Mother,Mother', '400 bind.duplicate [$expand]', 'Mother'],
    ['Mother($top=1)', '400 request.misplaced-option [$top]', 'single-valued'],
    ['Children/$ref($select=Name)', '400 request.misplaced-option [$select]', 'after $ref'],
    ['Enclosure($levels=2)', '400 bind.option-on', '$levels'],
    ['Mother($levels=0)', '400', 'a number above 0'],
    ['Habits/X', '400 bind.option-on', 'Habits'],
    ['Children($filter=Nmae eq 1)', '400 bind.unknown-property [$expand]', 'position 17'],
  ])('%s is refused', (text, status, part) => {
    expect(refusalOf(`Animals?$expand=${text}`)).toContain(status);
    expect(refusalOf(`Animals?$expand=${text}`)).toContain(part);
  });

  test('depth and width are limited', () => {
    const limits = { ...DEFAULT_BIND_LIMITS, expandDepth: 2, expandWidth: 2 };
    const deep = 'Animals?$expand=Mother($expand=Mother($expand=Mother))';
    expect(refusalOf(deep, { limits })).toBe(
      '400 bind.expand-depth [$expand]: $expand is nested 3 levels deep; the limit is 2.',
    );
    expect(refusalOf('Animals?$expand=Mother,Children,Enclosure', { limits })).toContain(
      '400 bind.expand-width',
    );
    expect(refusalOf('Animals?$expand=*', { limits })).toContain('400 bind.expand-width');
    expect(refusalOf('Animals?$expand=*($levels=max)')).toContain('400 bind.expand-width');
  });

  /** Each name stands for the next one twice. */
  const doubled = (count: number, write: (name: number) => string) =>
    Array.from({ length: count }, (_, name) => write(name));

  test('aliases and computed properties are inserted a limited number of times', () => {
    const aliases = (count: number) =>
      `Animals?$filter=Id eq @a0&${doubled(count, (name) => `@a${name}=@a${name + 1} add @a${name + 1}`).join('&')}&@a${count}=1`;
    const computed = (count: number) =>
      `Animals?$compute=Id as C0,${doubled(count, (name) => `C${name} add C${name} as C${name + 1}`).join(',')}`;
    for (const query of [aliases, computed]) {
      expect(boundUrl(query(8))).toContain('entities');
      expect(refusalOf(query(40))).toMatch(
        /^400 bind\.too-large \[.*\]: With its parameter aliases, computed properties and grouping sets inserted, the query has more than 10000 parts/,
      );
    }
    const limits = { ...DEFAULT_BIND_LIMITS, nodes: 200 };
    expect(refusalOf(computed(8), { limits })).toContain('more than 200 parts');
  });
});
