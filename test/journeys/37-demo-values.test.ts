// This file reads the accounts and the complex values of demo records, which are loaded without the service.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Model, type StructuredType, structuredType } from '../../src/edm/model.ts';
import { type Desk, openDemoDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDemoDesk({ requests: 300, seed: 5 });
}, 60_000);
afterAll(async () => await desk?.close());

/** Paths of a complex value and of one of its members, perhaps in a contained collection (`HistoryLines`). */
interface MemberPath {
  readonly value: string;
  readonly member: string;
  readonly within?: string;
}

/** The members of the complex values in a type that may be null, also in other complex values. */
function memberPaths(model: Model, type: StructuredType, start = ''): readonly MemberPath[] {
  return [...model.members(type).values()].flatMap((property) => {
    if (property.kind !== 'property' || property.collection) return [];
    const complex = model.types.get(property.type);
    if (complex?.kind !== 'complex' || complex.coded !== undefined) return [];
    const value = `${start}${property.name}`;
    const inner = memberPaths(model, complex, `${value}/`);
    if (!property.nullable) return inner;
    const members = [...model.members(complex).values()].filter(
      (member) => member.kind === 'property' && !member.collection,
    );
    return [...inner, ...members.map(({ name }) => ({ value, member: `${value}/${name}` }))];
  });
}

/** The same for the records of a set, those that they contain included. */
function pathsIn(model: Model, type: StructuredType): readonly MemberPath[] {
  const contained = [...model.members(type).values()].flatMap((member) => {
    if (member.kind !== 'navigation' || !member.contained || !member.collection) return [];
    const paths = memberPaths(model, structuredType(model, member.target));
    return paths.map((path) => ({ ...path, within: member.name }));
  });
  return [...memberPaths(model, type), ...contained];
}

async function count(set: string, filter: string): Promise<number> {
  const { status, text } = await desk.get(`/${set}/$count?$filter=${filter}`);
  expect(status, text).toBe(200);
  return Number(text);
}

it('a complex value of the demo is visible if one of its members is not null', async () => {
  const { model } = desk.installation;
  const visible = new Set<string>();
  for (const { name, type } of model.sets.values()) {
    for (const { value, member, within } of pathsIn(model, structuredType(model, type))) {
      const [start, end] = within === undefined ? ['', ''] : [`${within}/any(x:x/`, ')'];
      const row = within === undefined ? '' : 'x/';
      const present = `${start}${member} ne null${end}`;
      const hidden = `${start}${member} ne null and ${row}${value} eq null${end}`;
      expect(await count(name, hidden), `${name}: ${hidden}`).toBe(0);
      if ((await count(name, present)) > 0) visible.add(`${name}/${value}`);
    }
  }
  expect([...visible]).toEqual(
    expect.arrayContaining(['ConfigurationItems/Price', 'Locations/Address', 'Workorders/Cost']),
  );
}, 60_000);

it('a complex value of the demo is null if all of its members are', async () => {
  const filter = 'Price ne null and Price/Amount eq null and Price/Currency eq null';
  expect(await count('ConfigurationItems', filter)).toBe(0);
  expect(await count('ConfigurationItems', 'Price eq null')).toBeGreaterThan(0);
});

it('no person of the demo has two accounts', async () => {
  const { json } = await desk.get('/Accounts?$expand=Person($select=Uid)&$filter=Person ne null');
  const owners = json.value.map(({ Person }: { Person: { Uid: number } }) => Person.Uid);
  expect(owners).toHaveLength(15);
  expect(new Set(owners).size).toBe(15);
});
