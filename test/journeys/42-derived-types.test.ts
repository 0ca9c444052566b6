// This file writes entities of derived types by URLs of their base type. OData 4.01 Protocol, "Update an Entity"; CSDL, "Open Entity
// Type"; JSON, "Control Information: type".
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Shape: { $Kind: 'ComplexType', $OpenType: true, Label: { $Nullable: true } },
    Circle: { $Kind: 'ComplexType', $BaseType: 'Lib.Shape', Radius: { $Type: 'Edm.Double' } },
    Disc: { $Kind: 'ComplexType', $BaseType: 'Lib.Circle', Hole: { $Type: 'Edm.Double' } },
    Thing: {
      $Kind: 'EntityType',
      $OpenType: true,
      $Key: ['Code'],
      Code: {},
      Name: { $Nullable: true },
      Outline: { $Type: 'Lib.Shape', $Nullable: true },
      Shapes: { $Type: 'Lib.Shape', $Collection: true },
      Parts: { $Kind: 'NavigationProperty', $Type: 'Lib.Thing', $Collection: true },
    },
    Gadget: {
      $Kind: 'EntityType',
      $BaseType: 'Lib.Thing',
      Volt: { $Type: 'Edm.Int32' },
      Extra: { $Nullable: true },
      State: { $DefaultValue: 'new' },
      Caption: {
        $Nullable: true,
        '@Docket.Generated': { By: 'expression', Expression: "concat('Gadget ',Name)" },
        '@Validation.Pattern': '^[A-Za-z ]+$',
      },
    },
    Gizmo: {
      $Kind: 'EntityType',
      $BaseType: 'Lib.Gadget',
      Amps: { $Nullable: true },
    },
    Gem: {
      $Kind: 'EntityType',
      $BaseType: 'Lib.Gizmo',
      Sign: { '@Docket.Generated': { By: 'expression', Expression: 'toupper(Name)' } },
    },
    Tool: { $Kind: 'EntityType', $BaseType: 'Lib.Thing', Caption: { $Nullable: true } },
    Desk: {
      $Kind: 'EntityContainer',
      Things: {
        $Collection: true,
        $Type: 'Lib.Thing',
        $NavigationPropertyBinding: { Parts: 'Things' },
      },
    },
  },
};

const gadget = { Name: 'G', Volt: 10, Extra: 'x', State: 'old' };
const circle = { '@odata.type': '#Lib.Circle', Label: 'L', Radius: 1.5 };

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(model).definition, {
    Things: [{ Code: 't' }, { Code: 'g', '@odata.type': '#Lib.Gadget', Volt: 1 }],
  });
});
afterAll(async () => {
  await desk?.close();
});

const THING = "/Things('t')";
const GADGET = "/Things('g')";
const CAST = `${GADGET}/Lib.Gadget`;

beforeEach(async () => {
  const body = { ...gadget, Outline: circle };
  expect((await desk.send('PUT', CAST, { body })).status).toBe(204);
  expect((await desk.send('PUT', THING, { body: { Name: 'T' } })).status).toBe(204);
});

const stored = async (path = GADGET) => (await desk.get(`${path}?$select=*`)).json;
const castAdvice = (path: string) => `Write ${path}, because only that derived type has it.`;
const HINT = 'Only Lib.Gadget has it: add "@odata.type": "#Lib.Gadget", or the type to the URL.';

describe('A dynamic property cannot have the name of a property of a derived type', () => {
  const batch = (body: object) => ({ requests: [{ id: '1', method: 'PATCH', url: GADGET, body }] });

  it.each([
    ['PATCH', GADGET, { Volt: 9999 }, 'Volt'],
    ['PATCH', GADGET, { Volt: null }, 'Volt'],
    ['PATCH', GADGET, { Amps: 'a' }, 'Amps'],
    ['PATCH', CAST, { Amps: 'a' }, 'Amps'],
    ['PATCH', THING, { '@odata.type': '#Lib.Thing', Volt: 1 }, 'Volt'],
    ['PUT', GADGET, { Name: 'P', Volt: 9999 }, 'Volt'],
    ['POST', '/Things', { Code: 'n', Volt: 1 }, 'Volt'],
    ['POST', '/Things', { Code: 'n', Parts: [{ Code: 'm', Volt: 1 }] }, 'Parts[0]/Volt'],
    ['PATCH', '/Things', { value: [{ Code: 'g', Volt: 9999 }] }, 'value[0]/Volt'],
    ['PATCH', "/Things/$filter(Code eq 'g')/$each", { Volt: 9999 }, 'Volt'],
    ['PATCH', GADGET, { Outline: { Radius: 'text' } }, 'Outline/Radius'],
    ['PATCH', `${GADGET}/Outline/Lib.Circle`, { Hole: 1 }, 'Outline/Hole'],
    ['PUT', `${GADGET}/Outline`, { Radius: 2 }, 'Outline/Radius'],
    ['POST', `${GADGET}/Shapes`, { Radius: 2 }, 'Shapes/Radius'],
    ['PATCH', GADGET, { Shapes: [{ Radius: 2 }] }, 'Shapes[0]/Radius'],
  ] as const)('%s %s %j', async (method, path, body, target) => {
    const before = await stored();
    const { status, json, text } = await desk.send(method, path, { body });
    expect([status, json?.error.target], text).toEqual([400, target]);
    expect(json.error.details?.[0].code ?? json.error.code).toBe('write.unknown-property');
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['PUT', `${GADGET}/Volt`, { value: 9999 }, 'Lib.Gadget/Volt'],
    ['DELETE', `${GADGET}/Volt`, undefined, 'Lib.Gadget/Volt'],
    ['PUT', `${CAST}/Amps`, { value: 'a' }, 'Lib.Gizmo/Amps'],
    ['PUT', `${GADGET}/Outline/Radius`, { value: null }, 'Lib.Circle/Radius'],
    ['DELETE', `${GADGET}/Outline/Radius`, undefined, 'Lib.Circle/Radius'],
    ['PUT', `${GADGET}/Outline/Lib.Circle/Hole`, { value: 1 }, 'Lib.Disc/Hole'],
  ] as const)('in a path: %s %s', async (method, path, body, expected) => {
    const before = await stored();
    const { status, json, text } = await desk.send(method, path, { body });
    expect([status, json?.error.code], text).toEqual([400, 'bind.unknown-property']);
    expect(json.error.message).toContain(castAdvice(expected));
    expect(await stored()).toEqual(before);
  });

  it('in a batch', async () => {
    const { json } = await desk.send('POST', '/$batch', { body: batch({ Volt: 1 }) });
    expect(json.responses[0]).toMatchObject({ status: 400, body: { error: { target: 'Volt' } } });
  });

  it('and the error says what to write', async () => {
    const { json } = await desk.send('PATCH', GADGET, { body: { Volt: 9999 } });
    const message = `The type Lib.Thing has no property "Volt". ${HINT}`;
    expect(json.error.details[0].message).toBe(message);
  });

  it.each([
    ['PATCH', GADGET, { '@odata.type': '#Lib.Gadget', Volt: 11 }, { Volt: 11 }],
    ['PATCH', CAST, { Volt: 12 }, { Volt: 12 }],
    ['PUT', `${CAST}/Volt`, { value: 13 }, { Volt: 13 }],
    ['PATCH', GADGET, { Other: 1 }, { Volt: 10, Other: 1 }],
    ['PUT', `${GADGET}/Other`, { value: 2 }, { Volt: 10, Other: 2 }],
    ['PUT', `${GADGET}/Outline/Lib.Circle/Radius`, { value: 2 }, { Outline: { Radius: 2 } }],
    ['PUT', `${GADGET}/Outline/Other`, { value: 2 }, { Outline: { Radius: 1.5, Other: 2 } }],
    ['PATCH', `${GADGET}/Outline/Lib.Circle`, { Radius: 3 }, { Outline: { Radius: 3 } }],
  ] as const)('but %s %s %j changes it', async (method, path, body, expected) => {
    expect((await desk.send(method, path, { body })).status).toBe(204);
    expect(await stored()).toMatchObject(expected);
  });
});

describe('A property of a derived type is not read as a dynamic property of its base type:', () => {
  it.each([
    ['/Things?$filter=Volt gt 5', 'Lib.Gadget/Volt'],
    ['/Things?$filter=Extra eq null', 'Lib.Gadget/Extra'],
    ['/Things?$filter=$it/Extra eq null', 'Lib.Gadget/Extra'],
    ['/Things?$filter=Lib.Gadget/Amps eq null', 'Lib.Gizmo/Amps'],
    ['/Things?$filter=Parts/any(p:p/Volt eq 1)', 'Lib.Gadget/Volt'],
    ['/Things?$filter=Outline/Radius gt 1', 'Lib.Circle/Radius'],
    ['/Things?$filter=Shapes/any(s:s/Radius gt 1)', 'Lib.Circle/Radius'],
    ['/Things?$orderby=Volt', 'Lib.Gadget/Volt'],
    ['/Things?$compute=Volt add 1 as More', 'Lib.Gadget/Volt'],
    ['/Things?$select=Code,Volt', 'Lib.Gadget/Volt'],
    ['/Things?$select=Outline/Radius', 'Lib.Circle/Radius'],
    ['/Things?$expand=Parts($select=Volt)', 'Lib.Gadget/Volt'],
    ['/Things?$apply=groupby((Extra))', 'Lib.Gadget/Extra'],
    ['/Things?$apply=aggregate(Volt with sum as Total)', 'Lib.Gadget/Volt'],
    ['/Things/$filter(Volt gt 5)', 'Lib.Gadget/Volt'],
    [`${GADGET}?$select=Volt`, 'Lib.Gadget/Volt'],
    ['/$crossjoin(Things)?$filter=Things/Volt gt 5', 'Lib.Gadget/Volt'],
    [`${GADGET}/Volt`, 'Lib.Gadget/Volt'],
    [`${GADGET}/Volt/$value`, 'Lib.Gadget/Volt'],
    [`${CAST}/Amps`, 'Lib.Gizmo/Amps'],
    [`${GADGET}/Outline/Radius`, 'Lib.Circle/Radius'],
  ])('%s returns 400', async (path, expected) => {
    const { status, json, text } = await desk.get(path);
    expect([status, json?.error?.code], text).toEqual([400, 'bind.unknown-property']);
    expect(json.error.message).toContain(castAdvice(expected));
  });

  it.each([
    ['/Things?$filter=Lib.Gadget/Volt gt 5', ['g']],
    ["/Things?$filter=Lib.Gadget/Extra eq 'x'", ['g']],
    ['/Things?$filter=Outline/Lib.Circle/Radius gt 1', ['g']],
    ['/Things?$filter=Other eq null&$orderby=Other', ['g', 't']],
  ])('but %s is read', async (path, codes) => {
    const { json, text } = await desk.get(path);
    const found = json?.value?.map(({ Code }: { Code: string }) => Code).sort();
    expect(found, text).toEqual(codes);
  });
});

describe('PUT of an entity of a derived type', () => {
  const put = async (path: string, body: object) => await desk.send('PUT', path, { body });

  it.each([
    [GADGET, { Name: 'P' }, 'Lib.Thing'],
    [GADGET, { '@odata.type': '#Lib.Thing', Name: 'P' }, 'Lib.Thing'],
    ["/Things('z')", { '@odata.type': '#Lib.Gadget', Volt: 3 }, 'Lib.Gadget'],
    ["/Things('z')/Lib.Gadget", { Volt: 3 }, 'Lib.Gadget'],
  ])('to %s with %j must name the type', async (path, body, type) => {
    const gizmo = { '@odata.type': '#Lib.Gizmo', Volt: 5, Amps: 'a' };
    expect((await desk.send('PATCH', "/Things('z')", { body: gizmo })).status).toBeLessThan(300);
    const before = [await stored(), await stored("/Things('z')")];
    const { status, json } = await put(path, body);
    expect([status, json.error.code, json.error.target]).toEqual([
      400,
      'write.derived-type',
      '@odata.type',
    ]);
    expect(json.error.message).toContain(`is of a type derived from ${type}, whose`);
    expect([await stored(), await stored("/Things('z')")]).toEqual(before);
  });

  it.each([
    [GADGET, { '@odata.type': '#Lib.Gadget', Volt: 3 }],
    [CAST, { Volt: 3 }],
    [CAST, { '@odata.type': '#Lib.Gadget', Volt: 3 }],
  ])('to %s with %j replaces all properties', async (path, body) => {
    expect((await put(path, body)).status).toBe(204);
    expect(await stored()).toMatchObject({ Name: null, Volt: 3, Extra: null, State: 'new' });
  });

  it.each([
    [GADGET, { '@odata.type': '#Lib.Gizmo', Volt: 3 }],
    [THING, { '@odata.type': '#Lib.Gadget', Volt: 3 }],
  ])('to %s cannot change the type: %j', async (path, body) => {
    const { status, json } = await put(path, body);
    expect([status, json.error.code]).toEqual([400, 'write.not-of-type']);
  });

  it('needs no type where the entity has that of the set', async () => {
    expect((await put(THING, { Name: 'P' })).status).toBe(204);
    expect((await put(THING, { '@odata.type': '#Lib.Thing', Other: 1 })).status).toBe(204);
    expect(await stored(THING)).toMatchObject({ Name: null, Other: 1 });
  });

  it('that does not exist creates it', async () => {
    const made = await put("/Things('new')", { Name: 'N' });
    expect([made.status, made.json.Name]).toEqual([201, 'N']);
    expect((await desk.send('DELETE', "/Things('new')")).status).toBe(204);
  });
});

describe('A change of an entity by the URL of a base type', () => {
  const GEM = "/Things('gem')";
  const TOOL = "/Things('tool')";
  beforeAll(async () => {
    const gem = { Code: 'gem', '@odata.type': '#Lib.Gem', Name: 'a', Volt: 1 };
    const tool = { Code: 'tool', '@odata.type': '#Lib.Tool', Name: 'a', Caption: 'mine' };
    for (const body of [gem, tool])
      expect((await desk.send('POST', '/Things', { body })).status).toBe(201);
  });

  it.each([
    ['PATCH', GEM, { Name: 'b' }],
    ['PATCH', `${GEM}/Lib.Gadget`, { Name: 'c' }],
    ['PUT', `${GEM}/Name`, { value: 'd' }],
    ['PATCH', "/Things/$filter(Code eq 'gem')/$each", { Name: 'e' }],
    ['PATCH', '/Things', { value: [{ Code: 'gem', Name: 'f' }] }],
  ] as const)('computes the expressions of its type: %s %s %j', async (method, path, body) => {
    const { status, text } = await desk.send(method, path, { body });
    expect(status, text).toBeLessThan(300);
    const { Name: name, ...gem } = await stored(GEM);
    expect(gem).toMatchObject({ Caption: `Gadget ${name}`, Sign: name.toUpperCase() });
  });

  it.each([
    [{ Name: null }, 'write.required', 'Sign'],
    [{ Name: '5' }, 'write.rule', 'Caption'],
  ])('checks the computed values of its type: %j', async (body, code, target) => {
    const { status, json } = await desk.send('PATCH', GEM, { body });
    expect([status, json.error.code, json.error.target]).toEqual([400, code, target]);
  });

  it('keeps a property of the same name of another type', async () => {
    expect((await desk.send('PATCH', TOOL, { body: { Name: 'b' } })).status).toBe(204);
    expect(await stored(TOOL)).toMatchObject({ Name: 'b', Caption: 'mine' });
    expect((await desk.send('PATCH', THING, { body: { Name: 'b' } })).status).toBe(204);
  });
});

describe('A type derived from an open type is open, too:', () => {
  const body = { Color: 'red', Outline: { ...circle, Weight: 5 } };
  beforeEach(async () => {
    expect((await desk.send('PATCH', CAST, { body })).status).toBe(204);
  });

  it.each([
    ['Color', 'red'],
    ['Outline/Lib.Circle/Weight', 5],
  ])('%s is a path', async (path, value) => {
    const answer = await desk.get(`${CAST}/${path}`);
    expect([answer.status, answer.json.value], answer.text).toEqual([200, value]);
  });

  it.each([
    "Lib.Gadget/Color eq 'red'",
    "Outline/Lib.Circle/Weight eq 5 and Lib.Gadget/Color ne 'blue'",
  ])('$filter=%s', async (filter) => {
    const answer = await desk.get(`/Things?$filter=${filter}`);
    expect(answer.json.value, answer.text).toMatchObject([{ Code: 'g' }]);
  });

  it('$select chooses dynamic properties', async () => {
    const answer = await desk.get(`${GADGET}?$select=Lib.Gadget/Color`);
    expect(answer.json, answer.text).toMatchObject({ Color: 'red' });
    expect(answer.json).not.toHaveProperty('Name');
  });
});
