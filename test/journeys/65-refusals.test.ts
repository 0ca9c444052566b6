// This file checks what refusals say: where, what, and what was probably meant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => await zoo?.close());

describe('A refusal says where it is, what is wrong, of what type, and what was probably meant', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['Animls', '', ['Animls', 'Animals']],
    ['Animals(Number=1)/Nme', '', ['Nme', 'Animal', 'Name']],
    ['Animals(Number=1)/Specie', '', ['Specie', 'Species']],
    ['Animals(Nummer=1)', '', ['Nummer', 'Number']],
    ["Enclosures(Wing='A')", '', ['Enclosure', 'Number']],
    ['Animals/Odd.Zoo.Birdd', '', ['Odd.Zoo.Birdd', 'Odd.Zoo.Bird']],
    ['Animals/Odd.Zoo.Keeper', '', ['Keeper', 'Animal']],
    ['Sum(x=1)', '', ['Sum', 'x', 'a=']],
    ['Animals', '$fliter=true', ['$fliter', '$filter']],
    ['Animals', 'slect=Name&$slect=Name', ['$slect', '$select']],
    ['Animals', "$filter=Nmae eq 'x'", ['Nmae', 'Animal', 'Name', 'position 0']],
    ['Animals', "$filter=Tame and Nmae eq 'x'", ['Nmae', 'Name', 'position 9']],
    ['Animals', "$filter=Species/Tittle eq 'x'", ['Tittle', 'Species', 'Title', '$filter']],
    ['Animals', '$filter=Name eq 5', ['Name', 'Edm.String', '5', '$filter']],
    ['Animals', "$filter=Number eq 'x'", ['Number', 'Edm.Int64', "'x'", '$filter']],
    ['Animals', '$filter=Mood eq 1001', ['Mood', 'Mood/Value']],
    ['Animals', "$filter=Keepers/Name eq 'Ann'", ['Odd.Zoo.Keeper', 'position 8', 'any(']],
    ['Animals', '$filter=Name', ['Name', 'Edm.String', '$filter']],
    ['Animals', "$filter=contain(Name,'x')", ['contain', 'contains', '$filter']],
    ['Animals', '$filter=contains(Name)', ['contains', 'Edm.String', '$filter']],
    ['Animals', "$filter=Name eq 'x", ['position', '$filter']],
    ['Animals', '$filter=(Tame', ['position 5', '$filter', ')']],
    ['Animals', '$filter=Name = 5', ['position 5', '$filter']],
    ['Animals', '$filter=Name add 1 eq 2', ['add', 'Edm.String', '$filter']],
    ['Animals', "$filter=Diet eq 'Meet'", ['Meet', 'Meat', 'Diet']],
    ['Animals', '$filter=1 div 0 eq 1', ['zero', '$filter']],
    ['Animals', '$orderby=Nmae', ['Nmae', 'Name', '$orderby']],
    ['Animals', '$orderby=Care', ['Care', '$orderby']],
    ['Animals', '$select=Nmae', ['Nmae', 'Name', '$select']],
    ['Animals', '$expand=Specis', ['Specis', 'Species', '$expand']],
    ['Animals', '$expand=Name', ['Name', '$expand']],
    ['Animals', '$expand=Keepers($slect=Name)', ['slect', '$expand', 'select']],
    ['Animals', '$top=ten', ['ten', '$top']],
    ['Animals', '$count=yes', ['yes', '$count', 'true']],
    ['Animals', '$apply=agregate($count as N)', ['agregate', 'aggregate', '$apply']],
    ['Animals', '$apply=aggregate(Weight with median as M)', ['median', '$apply']],
    [
      'Animals',
      '$apply=aggregate($count as Number1)&$filter=Numbr1 eq 1',
      ['Numbr1', 'Number1', '$filter'],
    ],
    ['Animals', '$compute=Weight mul 2 as Name', ['Name', '$compute']],
  ])('%s?%s', async (path, query, told) => {
    const { status, json } = await ask(zoo, path, query);
    const { message, target = '' } = json.error;
    expect([400, 404]).toContain(status);
    const text = `${message} ${target}`;
    const untold = told.filter((part) => !text.includes(part));
    expect(untold, text).toEqual([]);
    expect(message).not.toMatch(/\{\w+\}|undefined|\[object/);
  });
});

describe('An option whose name was mangled on its way is refused, not passed over', () => {
  it.each([
    'amp;$top',
    'amp;top',
    '%20$top',
    '%2524top',
    '%5C$top',
    '"$top"',
    "'$top'",
    '?$top',
    'top%20',
  ])('%s=1', async (name) => {
    const { status, json } = await zoo.get(`/Animals?${name}=1`);
    expect([status, json.error.code]).toEqual([400, 'request.unknown-option']);
    expect(json.error.message).toContain('Did you mean "$top"?');
  });

  it('so is the value of an alias, and an option of any name', async () => {
    for (const name of ['amp;@x', 'amp;$foo', '%5C@x']) {
      expect((await zoo.get(`/Animals?$filter=Number%20eq%20@x&${name}=1`)).status).toBe(400);
    }
  });

  it('options of clients are not', async () => {
    for (const query of ['_=1', 'amp;q=1', '-x=1', 'a$top=1', 'filter%5Bname%5D=1', 'x.top=1']) {
      expect((await zoo.get(`/Animals?${query}`)).status).toBe(200);
    }
  });
});

describe('What other languages write is refused with what to write instead', () => {
  it.each<readonly [string, string]>([
    ["$filter=Name = 'x'", 'Write eq.'],
    ["$filter=Name != 'x'", 'Write ne.'],
    ['$filter=Number >= 5', 'Write ge.'],
    ['$filter=Tame || Tame', 'Write or,'],
    ['$filter=!Tame', 'Write not.'],
    ['$filter=Name eq "x"', "Write 'x' in single quotes."],
    ["$filter=Name like 'x%25'", "Write contains(…,'…')"],
    ['$filter=Name is not null', 'Write ne null.'],
    ["$filter=Seen eq datetime'2026-01-31T12:00:00'", 'Write 2026-01-31T12:00:00Z,'],
    ["$filter=substringof('x',Name)", 'Write contains(text,part)'],
    ['$orderby=Name descending', 'Write desc.'],
    ['$inlinecount=allpages', 'Write $count=true.'],
    ['$page=2', 'Write $skip and $top.'],
    ["$filter=Name equals 'x'", 'Write eq.'],
    ['$filter=Number eq5', 'Write eq followed by a space.'],
    ["$filter=Name contains 'x'", "Write contains(…,'…')."],
    ['$filter=Name eq ‘x’', "Write 'x' in plain single quotes."],
    ["$filter=Name eq 'O'Neil'", "Inside a string, write ' as ''."],
    ["$filter=Name eq 'Salt ", "Inside a string, write ' as '' and & as %26."],
    ['$filter=Number eq 5d', 'Write the number without a letter.'],
    ['$filter=Number%2520eq%25205', 'Write the URL with percent-encoding applied once, not twice.'],
    ['$filter=Name eq Polly', "Strings need single quotes: 'Polly'."],
    ['$filter=Name eq NULL', 'Write null.'],
    ['$filter=Care/Since gt now', 'Write now().'],
    ['$filter=count(Keepers) gt 1', 'Write …/$count.'],
    ['$filter=cast(Number,String) eq 5', 'Did you mean "Edm.String"?'],
    ['$filter=Number eq 5 ', 'found nothing after the space.'],
    ['$filter=Species.Title eq 5', 'Write Species/Title.'],
    ['$filter=Room/Name eq 5', 'Write Care/Room.'],
    ["$filter=Keeper/Name eq 'Ann'", 'Did you mean Keepers'],
    ['$expand=Keeper', 'Did you mean Keepers'],
    ['$expand=Keepers/Animals', 'use Keepers($expand=Animals)'],
    ['$expand=Keepers($select=Name,$expand=Animals)', 'Separate options by ";" inside'],
    ['$select=Name;$top=1', 'and by "&" outside.'],
    ['$top=1?$skip=1', 'and by "&" outside.'],
    [
      '$filter=Mother/any(m:m/Tame)',
      'The operator any cannot be used with a single Odd.Zoo.Animal',
    ],
    ['$filter=Number in 5', 'The operator in cannot be used with a single Edm.Int64'],
    ['$apply=aggregate($count as N)&$expand=Mother', '"Mother" is not available after $apply'],
  ])('%s', async (query, instead) => {
    const { status, json } = await ask(zoo, 'Animals', query);
    expect(status).toBe(400);
    expect(json.error.message).toContain(instead);
  });

  it.each<readonly [string, string]>([
    ['metadata', 'Write $metadata.'],
    ['Animals/count', 'Write $count.'],
    ['Animals(Number=1)/Name/value', 'Write $value.'],
    ['Animals(Number=1)/Keeper', 'Did you mean Keepers'],
    ['Animals(Number=1)/Room', 'Write Care/Room.'],
  ])('%s is not there', async (path, instead) => {
    const { status, json } = await ask(zoo, path, '');
    expect(status).toBe(404);
    expect(json.error.message).toContain(instead);
  });

  it('a word in double quotes is what $search expects', async () => {
    const { status } = await ask(zoo, 'Animals', '$search="x"');
    expect(status).toBe(200);
  });
});
