// This file reads complex values that are stored as documents (collections, polymorphic and open ones) in every form of an answer: with
// large numbers as strings, at each metadata level, in both versions, and as Atom.
// OData JSON Format 4.01, "IEEE754Compatible", "Control Information: type"; OData Atom Format 4.0, "Structural Property".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decimal } from '../define.ts';
import {
  collectionOf,
  complex,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int64,
  property,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { openZoo } from './zoo.ts';

const numbers = [int64('Big'), decimal('Exact')];

const definition = defineModel({
  namespaces: [{ name: 'Works' }],
  types: [
    complexType('Part', [
      ...numbers,
      collectionOf(int64('Bigs')),
      collectionOf(complex('Parts', 'Part')),
    ]),
    complexType('FinePart', [int64('Fine')], { base: 'Part' }),
    complexType('Bag', [int64('Big')], { open: true }),
    complexType('Pair', numbers),
    entityType(
      'Machine',
      [
        int64('Id', { nullable: false, generated: { by: 'key' } }),
        text('Name'),
        complex('One', 'Part'),
        collectionOf(complex('Many', 'Part')),
        complex('Bag', 'Bag'),
        collectionOf(complex('Bags', 'Bag')),
        complex('Pair', 'Pair'),
        collectionOf(complex('Pairs', 'Pair')),
        collectionOf(int64('Bigs')),
        property('Anything', 'Edm.Untyped'),
      ],
      { key: ['Id'], open: true },
    ),
  ],
  sets: [entitySet('Machines', 'Machine')],
  languages: ['en'],
});

const BIG = '9007199254740993';
const EXACT = '12345678901234567890.123456789';
const PAIR = `{"Big":${BIG},"Exact":${EXACT}}`;
const FINE = `{"@odata.type":"#Works.FinePart","Big":${BIG},"Exact":${EXACT},"Fine":${BIG},"Bigs":[1,${BIG}],"Parts":[]}`;
const BAG = `{"Big":${BIG},"Loose":${BIG},"Small":7,"Inner":{"@odata.type":"#Works.Pair","Big":${BIG}}}`;

let desk: Desk;
let machine: string;
beforeAll(async () => {
  desk = await openForeignDesk(definition, {});
  const body = `{"Name":"m","One":${FINE},"Many":[${FINE},{"Big":${BIG}}],"Bag":${BAG},"Bags":[${BAG}],"Pair":${PAIR},"Pairs":[${PAIR}],"Bigs":[${BIG}],"Anything":${BIG},"Free":${BIG},"Frees":[1,${BIG}],"Half":0.5}`;
  const headers = { 'content-type': 'application/json' };
  const made = await desk.send('POST', '/Machines', { headers, body });
  expect(made.status).toBe(201);
  machine = `/Machines(${made.json.Id})`;
});
afterAll(async () => {
  await desk?.close();
});

const read = async (path: string, accept: string, headers = {}) =>
  (await desk.get(path, { accept, ...headers })).text;

/** The member of that name, as text. */
const shown = (body: string, name: string) =>
  new RegExp(`"${name}":("[^"]*"|\\[[^\\]]*\\]|[^,}]*)`).exec(body)?.[1];

describe('IEEE754Compatible=true', () => {
  const JSON_STRINGS = 'application/json;IEEE754Compatible=true';

  it('writes every Int64 and Decimal inside documents as a string', async () => {
    const { One, Many, Bag, Bags, Pair, Pairs, Bigs } = JSON.parse(
      await read(machine, JSON_STRINGS),
    );
    for (const pair of [One, Many[0], Pair, Pairs[0]]) {
      expect([pair.Big, pair.Exact]).toEqual([BIG, EXACT]);
    }
    expect([One.Fine, Many[0].Fine, Many[1].Big, Bag.Big, Bags[0].Big]).toEqual(Array(5).fill(BIG));
    expect([One.Bigs, Many[0].Bigs, Bigs]).toEqual([['1', BIG], ['1', BIG], [BIG]]);
    expect(Bag.Inner).toEqual({ '@odata.type': '#Works.Pair', Big: BIG, Exact: null });
  });

  it('writes numbers of dynamic properties as strings with a type where a double cannot hold them', async () => {
    const entity = JSON.parse(await read(machine, JSON_STRINGS));
    expect(entity).toMatchObject({ 'Free@odata.type': '#Int64', Free: BIG, Half: 0.5 });
    expect(entity).toMatchObject({ 'Frees@odata.type': '#Collection(Int64)', Frees: ['1', BIG] });
    expect(entity.Bag).toMatchObject({ 'Loose@odata.type': '#Int64', Loose: BIG, Small: 7 });
    expect(entity.Bag['Small@odata.type']).toBeUndefined();
  });

  it.each([
    ['?$select=One/Big,Many/Bigs', { One: { Big: BIG }, Many: [{ Bigs: ['1', BIG] }, {}] }],
    ['?$select=Bag/Loose', { Bag: { 'Loose@odata.type': '#Int64', Loose: BIG } }],
    ['?$select=Free', { 'Free@odata.type': '#Int64', Free: BIG }],
    ['?$select=Pairs($filter=Big gt 0)', { Pairs: [{ Big: BIG, Exact: EXACT }] }],
    ['?$select=Bigs($top=1)', { Bigs: [BIG] }],
    ['/Many', { value: [{ Fine: BIG }, { Big: BIG }] }],
    ['/One', { '@odata.type': '#Works.FinePart', Fine: BIG }],
    ['/One/Bigs', { value: ['1', BIG] }],
  ])('holds for %s', async (path, expected) => {
    expect(JSON.parse(await read(`${machine}${path}`, JSON_STRINGS))).toMatchObject(expected);
  });

  it('holds for rows of $apply', async () => {
    const { value } = JSON.parse(
      await read('/Machines?$apply=groupby((Name,One/Big))', JSON_STRINGS),
    );
    expect(value).toMatchObject([{ Name: 'm', One: { Big: BIG } }]);
  });
});

describe('Without IEEE754Compatible', () => {
  it('numbers are numbers, with every digit', async () => {
    const body = await read(machine, 'application/json');
    expect([shown(body, 'Fine'), shown(body, 'Exact'), shown(body, 'Loose')]).toEqual([
      BIG,
      EXACT,
      BIG,
    ]);
  });
});

describe('Control information inside documents', () => {
  it('is left out with metadata=none', async () => {
    for (const path of [
      '/Machines',
      machine,
      `${machine}/One`,
      `${machine}/Many`,
      `${machine}/Bag`,
    ]) {
      expect(await read(path, 'application/json;odata.metadata=none')).not.toContain('@odata.');
    }
  });

  it('has the prefix of version 4.01', async () => {
    const body = await read(machine, 'application/json', { 'odata-maxversion': '4.01' });
    expect(body).not.toContain('@odata.');
    expect(JSON.parse(body).One['@type']).toBe('#Works.FinePart');
    expect(JSON.parse(body).Bag.Inner['@type']).toBe('#Works.Pair');
  });

  it('names all types with metadata=full', async () => {
    const { One, Many } = JSON.parse(await read(machine, 'application/json;odata.metadata=full'));
    const typed = { 'Big@odata.type': '#Int64', 'Bigs@odata.type': '#Collection(Int64)' };
    expect(One).toMatchObject({ '@odata.type': '#Works.FinePart', ...typed });
    expect(Many[1]).toMatchObject({ '@odata.type': '#Works.Part', ...typed });
  });

  it('names derived types only with metadata=minimal', async () => {
    const { One, Many, Pair } = JSON.parse(await read(machine, 'application/json'));
    expect([One, ...Many, Pair].map((one) => one['@odata.type'])).toEqual([
      '#Works.FinePart',
      '#Works.FinePart',
      undefined,
      undefined,
    ]);
  });
});

describe('Atom', () => {
  it('writes every digit of large numbers, and the type of what has none in the model', async () => {
    const xml = await read(machine, 'application/atom+xml');
    expect(xml).not.toContain('9007199254740992');
    expect(xml.match(/<d:Exact m:type="Decimal">([^<]*)</g)).toEqual(
      Array(4).fill(`<d:Exact m:type="Decimal">${EXACT}<`),
    );
    expect(xml).toContain(`<d:Fine m:type="Int64">${BIG}</d:Fine>`);
    expect(xml).toContain(`<d:Loose m:type="Int64">${BIG}</d:Loose>`);
    expect(xml).toContain(`<d:Free m:type="Int64">${BIG}</d:Free>`);
    expect(xml).toContain(`<d:Anything>${BIG}</d:Anything>`);
  });

  it('names the type of a derived complex value', async () => {
    const xml = await read(machine, 'application/atom+xml');
    expect(xml).toContain('<d:One m:type="#Works.FinePart">');
    expect(xml).toContain('<m:element m:type="#Works.FinePart">');
    expect(xml).toContain('<d:Inner m:type="#Works.Pair">');
    expect(await read(`${machine}/One`, 'application/xml')).toContain('m:type="#Works.FinePart"');
  });

  it('writes the count of $expand=Nav/$count as a feed without entries', async () => {
    const zoo = await openZoo();
    const path = "/Keepers?$filter=Name eq 'Ann'&$expand=Animals/$count";
    const [alone, empty] = await Promise.all(
      [path, path.replace('/$count', '($top=0;$count=true)')].map(async (one) => {
        const { text: xml } = await zoo.get(one.replaceAll(' ', '%20'), {
          accept: 'application/atom+xml',
        });
        return /<m:inline>.*?<\/m:inline>/s.exec(xml)?.[0].replace(/<updated>.*?<\/updated>/, '');
      }),
    );
    await zoo.close();
    expect(alone).toContain('<m:count>1</m:count>');
    expect(alone).toBe(empty);
  });
});
