// This file checks the demo data against the model: sizes, keys, references, values that fit their properties, and that the same
// options give the same records.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  entitySet,
  entityType,
  type Member,
  type Property,
  type StructuredType,
  simpleName,
  structuredType,
} from '../../src/edm/model.ts';
import { valueRules } from '../../src/edm/validation/value-rules.ts';
import { parseJson, resolvePrimitive } from '../../src/edm/value/primitives.ts';
import { demoCodeChanges, demoCount, demoLinks, demoRecords } from '../../src/seed/demo.ts';
import type { SeedRecord } from '../../src/seed/demo-plan.ts';
import { demoFileText } from '../../src/seed/demo-requests.ts';
import { demoSizes } from '../../src/seed/demo-sizes.ts';
import { demoSource, suiteModel } from '../service-desk.ts';

const model = suiteModel();
const now = Date.UTC(2026, 3, 15, 12);
const options = { ...demoSource, requests: 1500, seed: 7, now };
const { rareWord, frequentWord } = demoSource.vocabulary;
const codes = new Map(
  [...model.codeLists.values()].map((list) => [
    list.name,
    new Set(list.codes.map(({ value }) => Number(value))),
  ]),
);

/** Requests of a demo whose keys go beyond the values of codes. */
const MANY = 20_000;

let records: readonly SeedRecord[] = [];
let bySet: ReadonlyMap<string, readonly SeedRecord[]> = new Map();
let large: ReturnType<typeof summaryOf>;
beforeAll(() => {
  records = [...demoRecords(options)];
  bySet = groupBy(records, ({ set }) => set);
  large = summaryOf(MANY);
});

/** What is kept of a demo that is too large for memory, together with others. */
function summaryOf(requests: number) {
  const keys = new Set<number>();
  const descriptions: string[] = [];
  let count = 0;
  for (const { set, uid, values } of demoRecords({ ...options, requests })) {
    count++;
    keys.add(uid);
    if (set === 'ServiceRequests') descriptions.push(String(values.Description));
  }
  return { count, keys, descriptions };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    if (group.length === 0) groups.set(keyOf(item), group);
    group.push(item);
  }
  return groups;
}

function typeOf(set: string): StructuredType {
  const [name = '', containment] = set.split('/');
  const type = entityType(model, entitySet(model, name).type);
  if (containment === undefined) return type;
  const navigation = model.members(type).get(containment);
  if (navigation?.kind !== 'navigation' || !navigation.contained)
    throw new Error(`no containment ${set}`);
  return entityType(model, navigation.target);
}

function memberAt(type: StructuredType, path: string): Member {
  const [first = '', ...rest] = path.split('/');
  const member = model.members(type).get(first);
  if (member === undefined) throw new Error(`${type.name} has no ${path}`);
  return rest.length === 0
    ? member
    : memberAt(
        structuredType(model, member.kind === 'property' ? member.type : member.target),
        rest.join('/'),
      );
}

/** What is wrong with a value of a property, if anything. */
function complaint(property: Property, value: SeedRecord['values'][string]): string | undefined {
  if (value === null) return property.nullable ? undefined : 'is null';
  if (property.collection)
    return Array.isArray(JSON.parse(String(value))) ? undefined : 'is no list';
  if (property.codeList !== undefined)
    return codes.get(property.codeList)?.has(Number(value)) === true
      ? undefined
      : `${value} is no code`;
  if (property.type === 'Edm.Duration')
    return Number.isSafeInteger(value) ? undefined : `${value} is no duration`;
  const primitive = resolvePrimitive(model, property);
  if (primitive === undefined) return 'is complex';
  const input = property.type === 'Edm.Decimal' ? Number(value) : value;
  const reading = parseJson(primitive.type, primitive.facets, input);
  if (reading.kind === 'mistake') return `${value} is not ${reading.expected}`;
  const stored = reading.value;
  const broken = valueRules(model, property).find((rule) => stored !== null && !rule.holds(stored));
  return broken === undefined ? undefined : `${value} breaks ${broken.term}`;
}

describe('how many', () => {
  test('the sizes of the sandbox', () => {
    const sizes = Object.fromEntries([...bySet].map(([set, members]) => [set, members.length]));
    expect(sizes).toMatchObject({
      Organizations: 9,
      Locations: 12,
      Persons: 120,
      Workgroups: 10,
      Roles: 6,
      Accounts: 15,
      ConfigurationItems: 300,
      'ConfigurationItems/ItemRelations': 420,
      Services: 18,
      ServiceLevelAgreements: 9,
      ServiceLevels: 3,
      MaintenanceContracts: 12,
      Templates: 30,
      ServiceRequests: 1500,
      'ServiceRequests/Attachments': 400,
      Incidents: 350,
      Problems: 60,
      Changes: 140,
      Workorders: 700,
      Projects: 8,
      EmailServiceRequests: 90,
    });
    // Four lines each, and those about votes and replies.
    expect(sizes['ServiceRequests/HistoryLines']).toBeGreaterThan(6000);
    expect(bySet.get('Persons')?.filter(({ values }) => values.Blocked === true)).toHaveLength(8);
    expect(
      bySet.get('Organizations')?.filter(({ values }) => values.ParentOrganization === null),
    ).toHaveLength(4);
  });

  test('a large installation has relatively more work orders and people', () => {
    const sizes = demoSizes({ ...demoSource, requests: 200_000 });
    expect(sizes).toMatchObject({ Persons: 20_000, Workorders: 300_000 });
    expect(sizes['ServiceRequests/HistoryLines']).toBeGreaterThan(800_000);
  });

  test.each([0, 1, 7, 100, MANY])('the count for %i requests is what comes', (requests) => {
    const { count, keys } = requests === MANY ? large : summaryOf(requests);
    expect(count).toBe(demoCount({ ...options, requests }));
    expect(keys.size).toBe(count);
  });
});

describe('keys and references', () => {
  test('keys begin at 1 or where they are told to, and leave out the values of codes', () => {
    expect(Math.min(...records.map(({ uid }) => uid))).toBe(1);
    expect(demoRecords({ ...options, firstUid: 500 }).next().value?.uid).toBe(500);
    expect([...large.keys].at(-1)).toBeGreaterThan(1_000_000);
    const isOfCode = (uid: number) => uid >= 100_000 && uid < 1_000_000;
    expect([...large.keys].filter(isOfCode)).toEqual([]);
  });

  test('requests are numbered from 1001', () => {
    const numbers = bySet.get('ServiceRequests')?.map(({ values }) => values.ID);
    expect(numbers?.slice(0, 3)).toEqual([1001, 1002, 1003]);
    expect(new Set(numbers).size).toBe(1500);
  });

  test('what a record refers to or is contained in has come before, and is of the right set', () => {
    const known = new Map<number, string>();
    for (const { set, uid, parent, values } of records) {
      if (parent !== undefined)
        expect(known.get(parent), `parent of ${set}`).toBe(set.split('/')[0]);
      const type = typeOf(set);
      for (const [path, value] of Object.entries(values)) {
        const member = memberAt(type, path);
        if (member.kind === 'property' || value === null) continue;
        const target = typeOf(known.get(Number(value)) ?? `nothing for ${set} ${path}`);
        const chain = [target.name, target.base];
        if (!chain.includes(member.target)) expect.fail(`${set}/${path} leads to ${target.name}`);
      }
      known.set(uid, set);
    }
  });

  test('links lead from and to records of the right sets, and none comes twice', () => {
    const sets = new Map(records.map(({ uid, set }) => [uid, set]));
    const seen = new Set<string>();
    for (const { set, navigation, source, target } of demoLinks(options)) {
      const member = memberAt(typeOf(set), navigation);
      if (member.kind !== 'navigation') throw new Error(`${set}/${navigation} is no navigation`);
      expect(member.collection && !member.contained).toBe(true);
      expect(sets.get(source)).toBe(set);
      expect(typeOf(sets.get(target) ?? '').name).toBe(member.target);
      seen.add(`${set} ${navigation} ${source} ${target}`);
    }
    expect(seen.size).toBe([...demoLinks(options)].length);
    expect(seen.size).toBeGreaterThan(500);
  });

  test.each([1, 20, 60, 150, 1500])(
    'with %i requests, no relation leads to itself or comes twice',
    (requests) => {
      const made = [...demoRecords({ ...options, requests })];
      for (const [set, type] of [
        ['RecordRelations', 'Type'],
        ['ConfigurationItems/ItemRelations', 'RelationType'],
      ] as const) {
        const relations = made
          .filter((record) => record.set === set)
          .map(({ parent, values }) => [parent ?? values.Source, values.Target, values[type]]);
        expect(relations.filter(([source, target]) => source === target)).toEqual([]);
        expect(new Set(relations.map(String)).size).toBe(relations.length);
      }
    },
  );

  test('templates name their entity where the keys of the entities are told', () => {
    const told = [
      ...demoRecords({ ...options, requests: 10, entities: { ServiceRequest: 77 } }),
    ].filter(({ set }) => set === 'Templates');
    expect(told.map(({ values }) => values.Entity).slice(0, 6)).toEqual([
      77,
      null,
      null,
      null,
      null,
      77,
    ]);
  });
});

describe('values', () => {
  test('every value fits its property, and what must be given is there', () => {
    const complaints = new Set<string>();
    for (const { set, values } of records) {
      const type = typeOf(set);
      for (const [path, value] of Object.entries(values)) {
        const member = memberAt(type, path);
        const found = member.kind === 'property' ? complaint(member, value) : undefined;
        if (found !== undefined) complaints.add(`${set}/${path} ${found}`);
      }
    }
    expect([...complaints]).toEqual([]);
  });

  test('all records of a set name the same paths', () => {
    for (const [set, members] of bySet) {
      const shapes = new Set(members.map(({ values }) => Object.keys(values).join()));
      expect(shapes.size, set).toBe(1);
    }
  });

  test('properties without a default that cannot be null are always given', () => {
    for (const [set, [first]] of bySet) {
      const type = typeOf(set);
      for (const member of model.members(type).values()) {
        const isNeeded =
          member.kind === 'property' &&
          !member.nullable &&
          !member.collection &&
          member.name !== 'Uid' &&
          member.type.startsWith('Edm.') &&
          member.defaultValue === undefined;
        if (isNeeded) expect(Object.keys(first?.values ?? {}), set).toContain(member.name);
      }
    }
  });

  test('unique values are unique', () => {
    for (const [set, members] of bySet) {
      for (const member of model.members(typeOf(set)).values()) {
        if (member.kind !== 'property' || member.unique !== true) continue;
        const values = members
          .map(({ values: all }) => all[member.name])
          .filter((value) => value !== null && value !== undefined);
        expect(new Set(values).size, `${set}/${member.name}`).toBe(values.length);
      }
    }
  });

  test('made values are what the server would make', () => {
    for (const { values } of bySet.get('Persons') ?? []) {
      const {
        FirstName: first,
        LastName: last,
        Name: name,
        Email: email,
        EmailLowerCase: lower,
      } = values;
      expect(name).toBe(first === null ? last : `${last}, ${first}`);
      expect(lower).toBe(email === null ? null : String(email).toLowerCase());
    }
  });
});

describe('variety', () => {
  const texts = (set: string, path: string) =>
    (bySet.get(set) ?? []).map(({ values }) => values[path]);

  test('names come in several scripts and with quotes', () => {
    const names = texts('Persons', 'Name').join('\n');
    for (const script of ['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Han', 'Hangul']) {
      expect(names, script).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    }
    expect(names).toMatch(/'/);
    expect(names).toMatch(/"/);
  });

  test('texts are missing, short, long and very long', () => {
    const lengths = texts('ServiceRequests', 'Information').map((text) =>
      text === null ? 0 : String(text).length,
    );
    expect(lengths).toContain(0);
    expect(lengths.some((length) => length > 4000 && length < 10_000)).toBe(true);
    expect(lengths.some((length) => length > 20_000)).toBe(true);
  });

  test('three hundred requests in a row can have one time', () => {
    for (const path of ['Registration/DateCreated', 'Registration/DateModified']) {
      const sizes = [...groupBy(texts('ServiceRequests', path), (text) => text).values()].map(
        (group) => group.length,
      );
      expect(Math.max(...sizes), path).toBeGreaterThanOrEqual(300);
    }
    expect(new Set(texts('ServiceRequests', 'Registration/DateCreated')).size).toBeGreaterThan(
      1000,
    );
  });

  test('times lie at the changes of the clock', () => {
    const deadlines = new Set(texts('ServiceRequests', 'Deadline'));
    const edges = [
      '2025-10-26T01:00:00.000Z',
      '2025-10-26T00:59:59.999Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T00:30:00.000Z',
    ];
    expect(edges.some((edge) => deadlines.has(edge))).toBe(true);
    expect(
      [...deadlines].filter((text) => /T0[01]:(30|00|59):(00|59)\.(000|999)Z$/.test(String(text)))
        .length,
    ).toBeGreaterThan(5);
  });

  test('nothing has happened after the given time', () => {
    const limit = new Date(now).toISOString();
    for (const set of ['ServiceRequests', 'Workorders', 'Persons', 'Incidents']) {
      for (const path of ['Registration/DateCreated', 'Registration/DateModified']) {
        expect(
          texts(set, path).every((text) => String(text) <= limit),
          `${set} ${path}`,
        ).toBe(true);
      }
    }
  });

  test('one description in a hundred has the frequent word, very few the rare one', () => {
    const having = (word: string) =>
      large.descriptions.filter((description) => description.includes(word)).length;
    expect(having(frequentWord)).toBeGreaterThan(180);
    expect(having(frequentWord)).toBeLessThanOrEqual(200);
    expect(having(rareWord)).toBeGreaterThanOrEqual(1);
    expect(having(rareWord)).toBeLessThanOrEqual(3);
    expect(having(rareWord.slice(0, 7))).toBe(having(rareWord));
  });

  test('codes that are changed afterwards are in use', () => {
    const used = new Set(
      ['Medium', 'ServicecallCode1'].flatMap((path) => texts('ServiceRequests', path)),
    );
    const values = demoCodeChanges.map(({ value }) => value);
    expect(values.filter((value) => !used.has(value))).toEqual([]);
    expect(demoCodeChanges.some(({ disabled }) => disabled === true)).toBe(true);
    expect(demoCodeChanges.some(({ texts: renamed }) => renamed !== undefined)).toBe(true);
  });

  test('files are empty, short and long', () => {
    const lengths = new Set(
      (bySet.get('ServiceRequests/Attachments') ?? []).map(
        ({ uid }) => demoFileText(demoSource.vocabulary, uid).length,
      ),
    );
    expect(lengths.has(0)).toBe(true);
    expect(Math.max(...lengths)).toBeGreaterThan(20_000);
    expect(demoFileText(demoSource.vocabulary, 12)).toContain('Note 12');
  });

  test('the account demo belongs to a person, the integration account to nobody', () => {
    const accounts = bySet.get('Accounts') ?? [];
    const personOf = (login: string) =>
      accounts.find(({ values }) => values.LoginName === login)?.values.Person;
    expect(personOf('demo')).toBe(bySet.get('Persons')?.[0]?.uid);
    expect(personOf('integration')).toBeNull();
    expect(simpleName(typeOf('Accounts').name)).toBe('Account');
  });
});

describe('sameness', () => {
  test('the same options give the same records and links', () => {
    expect([...demoRecords(options)]).toEqual(records);
    expect([...demoLinks(options)]).toEqual([...demoLinks(options)]);
  });

  test('another seed gives other records with the same keys', () => {
    const others = [...demoRecords({ ...options, seed: 8 })];
    expect(others.map(({ uid }) => uid)).toEqual(records.map(({ uid }) => uid));
    expect(others).not.toEqual(records);
  });
});
