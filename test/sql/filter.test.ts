// This file compiles and runs conditions.
import { describe, expect, it } from 'vitest';
import { filterStatement, openZoo, run } from './zoo.ts';

const zoo = openZoo();

const found = (set: string, text: string, language?: string) =>
  run(zoo, filterStatement(set, text, language)).map(([identity]) => Number(identity));
const textOf = (set: string, text: string) => filterStatement(set, text).text;

describe('navigation in a condition', () => {
  it.each<[string, string, number[]]>([
    ['Animals', "Enclosure/Name eq 'Aviary'", [1, 2]],
    ['Animals', 'Enclosure/Name eq null', [3, 4]],
    ['Animals', "Enclosure/Name ne 'Aviary'", [3, 4]],
    ['Animals', 'Enclosure eq null', [3]],
    ['Animals', 'Enclosure ne null', [1, 2, 4]],
    ['Animals', "Mother/Enclosure/Name eq 'Aviary'", [3]],
    ['Animals', "Mother/Name eq 'Polly'", [3]],
    ['Animals', 'Mother/Id eq 2', [3]],
    ['Animals', "Care/Vet/Name eq 'Ada Lovelace'", [1]],
    ['Animals', 'Care/Vet eq null', [2, 3, 4]],
    ['Animals', "Passport/Country eq 'NL'", [2]],
    ['Animals', 'Passport eq null', [1, 3, 4]],
    ['Animals', "Chip/Serial eq 'A-1'", [1]],
    ['Passports', "Animal/Name eq 'Polly'", [601]],
    ['Keepers', "contains(Boss/Name,'Ada')", [102]],
    ['Keepers', "Boss/Boss/Name eq 'Ada Lovelace'", [103]],
    ['Keepers', "Boss/Name in ('Bob','x')", [103]],
    ['Keepers', 'length(Boss/Name) gt 3', [102]],
    ['Keepers', 'Id eq 101 or Boss/Id eq 101', [101, 102]],
  ])('%s where %s', (set, text, expected) => {
    expect(found(set, text)).toEqual(expected);
  });

  it('a comparison of a followed property looks the targets up once', () => {
    expect(textOf('Animals', "Enclosure/Name eq 'Aviary'")).toBe(
      'SELECT "t1"."Id" FROM "Animals" "t1" WHERE "t1"."Enclosure" IN (SELECT "t2"."$id" FROM "Enclosures" "t2" WHERE "t2"."Name" = ?) ORDER BY "t1"."Id"',
    );
  });

  it('the identity of a target is the reference itself', () => {
    expect(textOf('Keepers', 'Boss/Id eq 101')).toBe(
      'SELECT "t1"."Id" FROM "Keepers" "t1" WHERE "t1"."Boss" = ? ORDER BY "t1"."Id"',
    );
  });
});

describe('collections of related rows', () => {
  it.each<[string, string, number[]]>([
    ['Animals', "Keepers/any(k:k/Name eq 'Bob')", [1, 2]],
    ['Animals', "Keepers/all(k:k/Name eq 'Bob')", [2, 3, 4]],
    ['Animals', 'Keepers/any()', [1, 2]],
    ['Animals', 'not Keepers/any()', [3, 4]],
    ['Keepers', "Animals/any(a:a/Name eq 'Leo')", [101, 102]],
    ['Keepers', 'Animals/$count eq 2', [102]],
    ['Keepers', 'Animals/$count($filter=Tame eq true) eq 1', [102]],
    ['Keepers', 'Staff/any(s:s/Staff/any())', [101]],
    ['Animals', "Children/any(c:c/Name eq 'Pip' and c/Tame eq $it/Tame)", [2]],
    ['Animals', "Notes/any(n:contains(n/Text,'eats'))", [1]],
    ['Animals', 'Notes/all(n:n/At ne null)', [1, 3, 4]],
    ['Enclosures', 'Feedings/$count gt 1', [201]],
    ['Animals', 'Keepers/any(k:k/Boss/Id eq 101)', [1, 2]],
  ])('%s where %s', (set, text, expected) => {
    expect(found(set, text)).toEqual(expected);
  });
});

describe('coded values', () => {
  it.each<[string, string, number[]]>([
    ['en', "Mood/Text eq 'Calm'", [1, 4]],
    ['nl', "Mood/Text eq 'Kalm'", [1, 4]],
    ['nl', "Mood/Text eq 'Calm'", []],
    ['en', "Mood/Text ne 'Calm'", [2, 3]],
    ['en', "Mood/Text in ('Calm','Angry')", [1, 2, 4]],
    ['en', "startswith(Mood/Text,'An')", [2]],
    ['en', 'Mood/Value eq 1002', [2]],
    ['en', 'Mood eq null', [3]],
    ['en', 'Mood ne null', [1, 2, 4]],
    ['en', "Care/Mood/Text eq 'Furious'", [1]],
    ['en', "not (Mood/Text eq 'Calm')", [2, 3]],
  ])('in %s, %s', (language, text, expected) => {
    expect(found('Animals', text, language)).toEqual(expected);
  });

  it('a text is compared by its code, which an index can serve', () => {
    expect(textOf('Animals', "Mood/Text eq 'Calm'")).toContain(
      'WHERE "t1"."Mood" IN (SELECT "value" FROM "docket_code_text" WHERE "language" = ? AND "text" IN (?))',
    );
  });
});

describe('types and complex values', () => {
  it.each<[string, string, number[]]>([
    ['Animals', 'Odd.Zoo.Bird/Wingspan gt 1', [2]],
    ['Animals', 'isof(Odd.Zoo.Bird)', [2, 3]],
    ['Animals', 'not isof(Odd.Zoo.Bird)', [1, 4]],
    ['Animals', 'isof(Mother,Odd.Zoo.Parrot)', [3]],
    ['Animals', 'Care eq null', [2, 3, 4]],
    ['Animals', 'Care ne null', [1]],
    ['Animals', "Care/Room/Name eq 'Den'", [1]],
    ['Animals', 'Care/Room/Floor eq 1', [1]],
    ['Animals', "Nicknames/any(n:n eq 'Simba')", [1]],
    ['Animals', "Habits/any(h:h/Name eq 'Sleep' and h/TimesADay gt 2)", [1]],
    ['Animals', 'Habits/any(h:h/TimesADay eq null)', [1]],
    ['Animals', "Habits/any(h:h/Where eq 'plain')", [1]],
    ['Animals', "Skills has Odd.Zoo.Skills'Runs'", [1, 2]],
    ['Animals', "Skills has Odd.Zoo.Skills'Runs,Flies'", [2]],
    ['Animals', "Odd.Zoo.Fish/Depth eq 'Abyss'", [4]],
    ['Oddities', "Colour eq 'red'", [701]],
    ['Oddities', 'Colour eq null', [702]],
    ['Oddities', 'Legs gt 3', [701]],
    ['Oddities', 'Price eq 12.5', [701]],
    ['Oddities', 'Nice eq true', [701]],
    ['Oddities', 'When lt 2021-01-01T00:00:00Z', [701]],
    ['Oddities', 'Big eq 9007199254740993', [701]],
    ['Oddities', 'Colour eq 4', []],
  ])('%s where %s', (set, text, expected) => {
    expect(found(set, text)).toEqual(expected);
  });
});

describe('text', () => {
  it.each<[string, string, number[]]>([
    ['Animals', "contains(Remark,'roar')", [1]],
    ['Animals', "contains(Remark,'Roar')", []],
    ['Animals', "contains(tolower(Remark),'izmir')", []],
    ['Animals', "contains(tolower(Remark),'printer')", [3]],
    ['Animals', "contains(Remark,'%')", [4]],
    ['Animals', 'contains(Remark,\'"wet"\')', [4]],
    ['Animals', "contains(Remark,'100%')", [4]],
    ['Animals', "not contains(Remark,'roar')", [3, 4]],
    ['Animals', "startswith(Name,'P')", [2, 3]],
    ['Animals', "endswith(Remark,'loudly')", [1]],
    ['Animals', "matchesPattern(Name,'^P.*y$')", [2]],
  ])('%s where %s', (set, text, expected) => {
    expect(found(set, text)).toEqual(expected);
  });

  it('a long enough part is looked up in the text index, and tested again', () => {
    const statement = filterStatement('Animals', "contains(Remark,'roar')");
    expect(statement.text).toContain(
      '"t1"."Id" IN (SELECT rowid FROM "Animals$grams" WHERE "Animals$grams" MATCH ?) AND (instr("t1"."Remark", ?) > 0)',
    );
    expect(statement.parameters).toHaveLength(2);
  });

  it('the beginning of a text is a range', () => {
    expect(textOf('Animals', "startswith(Name,'Po')")).toContain(
      '"t1"."Name" >= ? AND "t1"."Name" < ?',
    );
  });
});

describe('literals', () => {
  it('a long list is bound as one', () => {
    const list = Array.from({ length: 2000 }, (_, index) => index).join(',');
    const statement = filterStatement('Keepers', `Id in (${list})`);
    expect(statement.parameters).toHaveLength(1);
    expect(run(zoo, statement)).toHaveLength(3);
  });

  it('a chain of thousands of alternatives is no deeper than the database allows', () => {
    const chain = Array.from({ length: 3000 }, (_, index) => `Badge eq ${index}`).join(' or ');
    expect(run(zoo, filterStatement('Keepers', chain))).toHaveLength(2);
  });
});

describe('what fails only when it is calculated', () => {
  it.each([
    ['division by zero', 'Samples', 'Whole div (Short sub Short) eq 1', 'sql.division-by-zero'],
    ['a sum beyond 64 bits', 'Samples', 'Big mul 9007199254740993 gt 0', 'sql.overflow'],
    ['a pattern with look-ahead', 'Samples', "matchesPattern(Words,'(?=x)')", 'sql.pattern'],
    ['a negative length', 'Samples', 'substring(Words,0,Tiny) eq null', 'sql.negative-length'],
    ['a year after 9999', 'Samples', "maxdatetime() add duration'P1D' gt Moment", 'sql.overflow'],
  ])('%s is a fault of its own', (_, set, text, code) => {
    expect(() => found(set, text)).toThrow(expect.objectContaining({ code }));
  });
});
