// This file checks plans of reading, written as text: rows, pages, shapes, contexts.

import { describe, expect, it } from 'vitest';
import type { AddressStep, BoundRead } from '../../src/bind/bound.ts';
import { chooseLanguage, decide } from '../../src/plan/decide-read.ts';
import { signatureOf } from '../../src/plan/read/page.ts';
import type { ReadPlan } from '../../src/plan/read-plan.ts';
import {
  ask,
  bindText,
  expand,
  one,
  plan,
  property,
  queryOf,
  type ReadParts,
  read,
  related,
  select,
  set,
  setting,
} from './readings.ts';
import { showParts, showSelecting, showShape } from './show.ts';

const FULL = { accept: 'application/json;odata.metadata=full' };
const NONE = { accept: 'application/json;odata.metadata=none' };
const NEW = { 'odata-maxversion': '4.01' };

function shapeOf(decided: ReadPlan): string {
  return 'shape' in decided.output ? showShape(decided.output.shape) : decided.output.kind;
}

const step = (name: string, kind: AddressStep['kind'], key?: string): AddressStep => ({
  name,
  kind,
  many: key === undefined,
  ...(key === undefined ? {} : { key }),
});

/** `Animals(5)`, and what is read of it. */
function animal(parts: ReadParts = {}): BoundRead {
  return read(one('Animals', 5n), {
    wanted: { kind: 'entity' },
    address: [step('Animals', 'set', '5')],
    ...parts,
  });
}

describe('Which rows are read', () => {
  const selecting = (url: string, bound: BoundRead, headers = {}) =>
    showSelecting(plan(bound, ask(url, headers)).select);

  it('a set: a page of 20 in the order of the key', () => {
    expect(selecting('Keepers', read(set('Keepers')))).toBe('Keepers; order Keeper.Id; page 0+20…');
  });

  it('a key of several parts makes the order total', () => {
    const rows = set('Enclosures');
    const orderby = [{ expression: bindText(rows, 'Number'), descending: true }];
    expect(selecting('Enclosures', read(rows, { query: { orderby } }))).toBe(
      'Enclosures; order Enclosure.Number desc,Enclosure.Wing desc; page 0+20…',
    );
  });

  it('a next link of a version with another order of ties is rejected', () => {
    const rows = set('Enclosures');
    const orderby = [{ expression: bindText(rows, 'Number'), descending: true }];
    const before = [...orderby, { expression: bindText(rows, 'Wing'), descending: false }];
    const { source } = rows.row;
    const token = `1.${signatureOf([source], [], before)}..${Buffer.from('[1,"North"]').toString('hex')}`;
    expect(() => {
      const url = `Enclosures?$skiptoken=${token}`;
      plan(read(rows, { query: { orderby } }), ask(url));
    }).toThrow(/belongs to another query/);
  });

  it('$search and $filter both hold', () => {
    const rows = set('Keepers');
    const query = {
      search: { kind: 'word', text: 'x' } as const,
      filter: bindText(rows, 'Badge gt 3'),
      count: true,
      top: 3,
      skip: 1,
    };
    expect(selecting('Keepers', read(rows, { query }))).toBe(
      'Keepers; filter (search(Keeper, {"kind":"word","text":"x"}) and Keeper.Badge gt 3); order Keeper.Id; page 1+3; count',
    );
  });

  it('one entity, a count: no page, no order', () => {
    expect(selecting('Animals(5)', animal())).toBe('Animals[Animal.Id eq 5]');
    const counted = read(set('Keepers'), { wanted: { kind: 'count' }, query: { count: true } });
    expect(selecting('Keepers/$count', counted)).toBe('Keepers');
  });

  it('a token goes on behind the last row', () => {
    const rows = set('Keepers');
    const bound = read(rows, { query: { top: 300 } });
    const { paging, remaining } = plan(bound, ask('Keepers?$top=300'));
    expect(remaining).toBe(50);
    const hex = Buffer.from('[250]').toString('hex');
    const token = `1.${paging?.signature}.50.${hex}`;
    const next = plan(read(set('Keepers')), ask(`Keepers?$skiptoken=${token}`));
    expect(next.select.page).toMatchObject({ limit: 50, more: false, after: [{ value: 250n }] });
  });

  it('a token of another order, or where there is no collection, is refused with 400', () => {
    const refused = expect.objectContaining({ code: 'plan.skiptoken' });
    const { paging } = plan(read(set('Keepers')), ask('Keepers'));
    const token = `1.${paging?.signature}..5b315d`;
    expect(() => plan(read(set('Samples')), ask(`Samples?$skiptoken=${token}`))).toThrow(refused);
    expect(() => plan(animal(), ask(`Animals(5)?$skiptoken=${token}`))).toThrow(refused);
  });

  it('maxpagesize is clamped and told', () => {
    const asked = ask('Keepers', { prefer: 'odata.MaxPageSize=6000,omit-values=nulls' });
    expect(plan(read(set('Keepers')), asked).applied).toEqual([
      'odata.MaxPageSize=5000',
      'omit-values=nulls',
    ]);
  });
});

describe('What is written of entities', () => {
  const shape = (url: string, bound: BoundRead, headers = {}) =>
    shapeOf(plan(bound, ask(url, headers)));

  it('minimal: ETag, and all properties in the order of the model', () => {
    expect(shape('Enclosures', read(set('Enclosures')))).toBe(
      '@odata.etag Wing Number Name Place Fence',
    );
  });

  it('derived types: their name, and what only they have', () => {
    expect(shape('Animals', read(set('Animals')))).toBe(
      '@odata.type @odata.etag Id Name Created Modified Number Remark Weight Born Tame Diet Skills ' +
        'Mood{Text Value} Size{@odata.type="#Odd.Zoo.Code" Text Value} Care{Since Mood{Text Value} Room} ' +
        'Nicknames Habits Label Wingspan<Bird> Words<Parrot> Depth<Fish> SaltWater<Fish>',
    );
  });

  it('none: values alone; one entity keeps its ETag for the header', () => {
    expect(shape('Enclosures', read(set('Enclosures')), NONE)).toBe('Wing Number Name Place Fence');
    const rows = set('Enclosures');
    expect(shape('E', read(rows, { wanted: { kind: 'entity' } }), NONE)).toBe(
      '@odata.etag Wing Number Name Place Fence',
    );
  });

  it('full: ids, links, types that the JSON does not show', () => {
    expect(shape('Enclosures', read(set('Enclosures')), FULL)).toBe(
      [
        '@odata.type @odata.id=~/Enclosures(Wing={Enclosure.Wing},Number={Enclosure.Number}) @odata.etag',
        '@odata.editLink=~/Enclosures(Wing={Enclosure.Wing},Number={Enclosure.Number})',
        'Wing Number@odata.type="#Int32" Number Name Place@odata.type="#GeographyPoint" Place',
        'Fence@odata.type="#GeographyPolygon" Fence',
        ...['Animals', 'Feedings'].map(
          (name) =>
            `${name}@odata.navigationLink=~/Enclosures(Wing={Enclosure.Wing},Number={Enclosure.Number})/${name} ` +
            `${name}@odata.associationLink=~/Enclosures(Wing={Enclosure.Wing},Number={Enclosure.Number})/${name}/$ref`,
        ),
      ].join(' '),
    );
  });

  it('full: what can be done with an entity, and only with some of them', () => {
    const full = shape('Animals', read(set('Animals')), FULL);
    expect(full).toContain(
      '#Odd.Zoo.Age{title="Age" target=~/Animals({Animal.Id})/Odd.Zoo.Age(on=@on)} ' +
        '#Odd.Zoo.Grandmother{title="Grandmother" target=~/Animals({Animal.Id})/Odd.Zoo.Grandmother()} ' +
        '#Odd.Zoo.Mates{title="Mates" target=~/Animals({Animal.Id})/Odd.Zoo.Mates()} ' +
        '#Odd.Zoo.Feed{title="Feed" target=~/Animals({Animal.Id})/Odd.Zoo.Feed}',
    );
    expect(full).not.toContain('#Odd.Zoo.Grown{');
    const bare = read(set('Animals'), { query: { selection: select('Animal', 'Id') } });
    expect(shape('Animals', bare, FULL)).not.toContain('#Odd.Zoo.Feed{');
    expect(shape('Animals', read(set('Animals')))).not.toContain('#Odd.Zoo.Feed');
  });

  it('4.01 leaves "odata." out', () => {
    const bound = read(set('Animals'), { query: { selection: select('Animal', 'Id', 'Size') } });
    expect(shape('Animals', bound, NEW)).toBe(
      '@type @etag Id Size{@type="#Odd.Zoo.Code" Text Value}',
    );
  });

  it('$select: what is named, in the order named; the id where the key is not', () => {
    const selected = (...names: string[]) =>
      shape('K', read(set('Keepers'), { query: { selection: select('Keeper', ...names) } }));
    expect(selected('Name', 'Id')).toBe('@odata.etag Name Id');
    expect(selected('Name')).toBe('@odata.id=~/Keepers({Keeper.Id}) @odata.etag Name');
  });

  it('$select of parts of complex values brings them together', () => {
    const care = property('Animal', 'Care');
    const part = (name: string) =>
      ({ kind: 'property', property: care, selection: select('Care', name) }) as const;
    const selection = { all: false, items: [part('Since'), part('Mood')] };
    const bound = read(set('Animals'), { query: { selection } });
    expect(shape('A', bound)).toContain('Care{Since Mood{Text Value}}');
  });

  it('streams: where they are and what they are', () => {
    const bound = read(set('Pictures'), { query: { selection: select('Picture', 'Id') } });
    expect(shape('Pictures', bound)).toBe(
      '@odata.etag @odata.mediaContentType @odata.mediaReadLink=~/Pictures({Picture.Id})/$value Id',
    );
    const portrait = read(set('Keepers'), {
      query: { selection: select('Keeper', 'Id', 'Portrait') },
    });
    expect(shape('Keepers', portrait)).toBe(
      '@odata.etag Id Portrait@odata.mediaContentType Portrait@odata.mediaReadLink=~/Keepers({Keeper.Id})/Portrait',
    );
  });

  it('contained entities have the address of their parent', () => {
    const notes = related(one('Animals', 5n), 'Notes');
    const files = related(notes, 'Files');
    const bound = read(files, {
      address: [
        step('Animals', 'set', '5'),
        step('Notes', 'containment', '7'),
        step('Files', 'containment'),
      ],
      query: { selection: select('File', 'Id') },
    });
    expect(shape('Animals(5)/Notes(7)/Files', bound)).toContain(
      '@odata.mediaReadLink=~/Animals(5)/Notes(7)/Files({File.Id})/$value',
    );
  });

  it('open types: what they do not declare, all or by name', () => {
    expect(shape('Oddities', read(set('Oddities')))).toBe('@odata.etag Id Name First *');
    const selection = { all: false, items: [{ kind: 'named', name: 'Extra' } as const] };
    const bound = read(set('Oddities'), { query: { selection } });
    expect(shape('Oddities', bound)).toBe('@odata.id=~/Oddities({Oddity.Id}) @odata.etag *(Extra)');
  });

  it('$compute: its values with their types', () => {
    const rows = set('Keepers');
    const compute = [{ name: 'Twice', expression: bindText(rows, 'Badge mul 2') }];
    const selection = {
      all: false,
      items: [...select('Keeper', 'Id').items, { kind: 'named', name: 'Twice' } as const],
    };
    const bound = read(rows, { query: { compute, selection } });
    expect(shape('Keepers', bound)).toBe('@odata.etag Id Twice@odata.type="#Int64" Twice');
  });

  it('omit-values=nulls and defaults', () => {
    const bound = read(set('Enclosures'));
    expect(shape('E', bound, { prefer: 'omit-values=nulls' })).toBe(
      '@odata.etag Wing Number Name? Place? Fence?',
    );
    const tame = read(set('Animals'), {
      query: { selection: select('Animal', 'Id', 'Tame', 'Diet') },
    });
    expect(shape('A', tame, { prefer: 'omit-values=defaults' })).toBe(
      '@odata.type @odata.etag Id Tame? Diet?',
    );
  });

  it('references: their ids', () => {
    const keepers = related(one('Animals', 5n), 'Keepers');
    expect(shape('A', read(keepers, { wanted: { kind: 'references' } }))).toBe(
      '@odata.id=~/Keepers({Keeper.Id})',
    );
  });
});

describe('What $expand brings in', () => {
  const expanded = (url: string, bound: BoundRead, headers = {}) => plan(bound, ask(url, headers));

  it('single and many, nested', () => {
    const rows = set('Keepers');
    const boss = expand(rows, 'Boss', { query: { selection: select('Keeper', 'Name') } });
    const animals = expand(rows, 'Animals', { query: { selection: select('Animal', 'Id') } });
    const bound = read(rows, {
      query: { selection: select('Keeper', 'Id'), expansions: [boss, animals] },
    });
    const url = 'Keepers?$select=Id&$expand=Boss($select=Name),Animals($select=Id)';
    const decided = expanded(url, bound);
    expect(shapeOf(decided)).toBe(
      '@odata.etag Id Animals→→{@odata.type @odata.etag Id} ' +
        'Boss→{@odata.id=~/Keepers({Keeper.Id}) @odata.etag Name}',
    );
    expect(decided.context).toBe('#Keepers(Id,Boss(Name),Animals(Id))');
  });

  it('out of complex values, also where these are not selected', () => {
    const rows = set('Animals');
    const vet = expand(rows, 'Vet', {
      path: [property('Animal', 'Care')],
      query: { selection: select('Keeper', 'Name', 'Id') },
    });
    const bound = read(rows, {
      query: { selection: select('Animal', 'Id'), expansions: [vet] },
    });
    const decided = expanded('Animals?$expand=Care/Vet($select=Name,Id)&$select=Id', bound);
    expect(shapeOf(decided)).toBe('@odata.type @odata.etag Id Care{Vet→{@odata.etag Name Id}}');
    expect(decided.context).toBe('#Animals(Id,Care/Vet(Name,Id))');
  });

  it('references and counts', () => {
    const rows = set('Enclosures');
    const expansions = [expand(rows, 'Animals', { form: 'count' })];
    expect(shapeOf(expanded('E', read(rows, { query: { expansions } })))).toContain(
      'Animals@odata.count=n',
    );
    const refs = [expand(rows, 'Animals', { form: 'references' })];
    const decided = expanded('E', read(rows, { query: { expansions: refs } }));
    expect(shapeOf(decided)).toContain('Animals→→{@odata.id=~/Animals({Animal.Id})}');
    expect(decided.context).toBe('#Enclosures');
  });

  it('long collections go on by a link that asks for the same', () => {
    const rows = set('Enclosures');
    const query = queryOf(rows);
    const notes = expand(rows, 'Animals', {
      query: {
        filter: bindText(set('Animals'), 'Tame'),
        top: 300,
        selection: select('Animal', 'Name'),
      },
    });
    const url =
      "Enclosures?$count=true&$expand=Animals($filter=Tame and Name ne 'a b';$top=300;$select=Name)";
    const decided = expanded(url, read(rows, { query: { ...query, expansions: [notes] } }));
    const members = 'shape' in decided.output ? decided.output.shape.members : [];
    const many = members.find((member) => member.kind === 'many');
    expect(many?.kind === 'many' && many.nextLink && showParts(many.nextLink)).toMatch(
      /^~\/Enclosures\(Wing=\{Enclosure.Wing\},Number=\{Enclosure.Number\}\)\/Animals\?\$filter=Tame%20and%20Name%20ne%20'a%20b'&\$select=Name&\$skiptoken=1\.[0-9a-f]{8}\.50$/,
    );
    expect(many?.kind === 'many' && many.select.page).toEqual({ limit: 250, more: true, skip: 0 });
  });

  it('such a link fits the request that it makes', () => {
    const rows = set('Enclosures');
    const nested = expand(rows, 'Animals');
    const decided = expanded(
      'Enclosures?$expand=Animals',
      read(rows, { query: { expansions: [nested] } }),
    );
    const members = 'shape' in decided.output ? decided.output.shape.members : [];
    const many = members.find((member) => member.kind === 'many');
    const link = many?.kind === 'many' && many.nextLink ? showParts(many.nextLink) : '';
    const signature = /skiptoken=1\.([0-9a-f]{8})\.$/.exec(link)?.[1];
    const direct = plan(read(related(set('Enclosures'), 'Animals')), ask('Enclosures(1)/Animals'));
    expect(direct.paging?.signature).toBe(signature);
  });
});

describe('Context URLs', () => {
  const context = (bound: BoundRead, url = 'x', headers = {}) =>
    plan(bound, ask(url, headers)).context;
  const entity = { wanted: { kind: 'entity' } } as const;

  it.each([
    ['a set', read(set('Keepers')), '#Keepers'],
    ['an entity', animal(), '#Animals/$entity'],
    [
      'a singleton',
      read(set('Director'), { ...entity, address: [step('Director', 'singleton')] }),
      '#Director',
    ],
    ['references', read(set('Keepers'), { wanted: { kind: 'references' } }), '#Collection($ref)'],
    ['a reference', read(set('Keepers'), { wanted: { kind: 'reference' } }), '#$ref'],
    [
      'a related entity',
      read(related(one('Animals', 5n), 'Enclosure'), {
        ...entity,
        address: [step('Animals', 'set', '5'), step('Enclosure', 'navigation')],
      }),
      '#Enclosures/$entity',
    ],
    [
      'contained entities',
      read(related(one('Animals', 5n), 'Notes'), {
        address: [step('Animals', 'set', '5'), step('Notes', 'containment')],
      }),
      '#Animals(5)/Notes',
    ],
    [
      'a contained entity',
      read(related(one('Animals', 5n), 'Notes'), {
        ...entity,
        address: [step('Animals', 'set', '5'), step('Notes', 'containment', '7')],
      }),
      '#Animals(5)/Notes/$entity',
    ],
    [
      'contained entities of a related one with a key',
      read(related(related(one('Keepers', 1n), 'Animals'), 'Notes'), {
        address: [
          step('Keepers', 'set', '1'),
          step('Animals', 'navigation', '5'),
          step('Notes', 'containment'),
        ],
      }),
      '#Animals(5)/Notes',
    ],
    [
      'a selection',
      animal({ query: { selection: select('Animal', 'Id', 'Mood') } }),
      '#Animals(Id,Mood)/$entity',
    ],
  ])('%s', (_, bound, expected) => {
    expect(context(bound)).toBe(expected);
  });

  it('a cast', () => {
    const rows = set('Animals');
    const bird = related(one('Animals', 5n), 'Mother').row;
    const type = setting().model.types.get('Odd.Zoo.Bird');
    if (type?.kind !== 'entity') throw new Error('Bird is an entity type');
    const cast = { ...rows, row: { ...bird, source: rows.row.source, type } };
    expect(context(read(cast))).toBe('#Animals/Odd.Zoo.Bird');
    expect(context(read(cast, entity))).toBe('#Animals/Odd.Zoo.Bird/$entity');
  });

  it('a property, a part of it, and the result of an operation', () => {
    const value = (path: string) => {
      const rows = one('Animals', 5n);
      const names = path.split('/');
      const steps = names.map((name, index) => property(index === 0 ? 'Animal' : 'Care', name));
      const wanted = { kind: 'property', value: bindText(rows, path), path: steps } as const;
      const address = [
        step('Animals', 'set', '5'),
        ...names.map((name) => ({ name, kind: 'property', many: false }) as const),
      ];
      return read(rows, { wanted, address });
    };
    expect(context(value('Name'))).toBe('#Animals(5)/Name');
    expect(context(value('Care/Since'))).toBe('#Animals(5)/Care/Since');
    const called = { ...value('Name'), address: [step('Grandmother', 'operation')] };
    expect(context(called)).toBe('#Edm.String');
  });

  it('4.01 names every expansion, 4.0 those with a selection in them', () => {
    const rows = set('Keepers');
    const bound = read(rows, { query: { expansions: [expand(rows, 'Boss')] } });
    expect(context(bound, 'Keepers?$expand=Boss')).toBe('#Keepers');
    expect(context(bound, 'Keepers?$expand=Boss', NEW)).toBe('#Keepers(Boss())');
  });

  it('a plus stands for the levels below', () => {
    const rows = set('Keepers');
    const staff = expand(rows, 'Staff', { query: { selection: select('Keeper', 'Name') } });
    const below = expand(staff.rows, 'Staff', { query: { selection: select('Keeper', 'Name') } });
    const deep = { ...staff, query: { ...staff.query, expansions: [below] } };
    const bound = read(rows, { query: { expansions: [deep] } });
    expect(context(bound, 'Keepers?$expand=Staff($levels=2;$select=Name)')).toBe(
      '#Keepers(Staff+(Name))',
    );
  });
});

describe('Other readings', () => {
  it('a document needs nothing', () => {
    expect(decide({ kind: 'document', document: 'ping' }, ask('$ping'), setting())).toEqual({
      kind: 'document',
      document: 'ping',
    });
  });

  it('$all reads every set up to the end of the page, with a context in each record', () => {
    const reads = ['Keepers', 'Pictures'].map((name) => read(set(name)));
    const chain = decide(
      { kind: 'all', reads, count: true, skip: 3, top: 5 },
      ask('$all'),
      setting(),
    );
    if (chain.kind !== 'chain') throw new Error('$all is a chain');
    expect(chain).toMatchObject({
      skip: 3,
      limit: 5,
      more: false,
      count: true,
      context: '#Collection(Edm.EntityType)',
    });
    expect(chain.parts.map((part) => showSelecting(part.select))).toEqual([
      'Keepers; order Keeper.Id; page 0+8; count',
      'Pictures; order Picture.Id; page 0+8; count',
    ]);
    expect(chain.parts.map(shapeOf)[1]).toMatch(
      /^@odata.context=~\/\$metadata#Pictures\/\$entity @odata.etag/,
    );
  });

  it('$crossjoin links to the entities, or holds those that are expanded', () => {
    const sources = ['Keepers', 'Pictures'].map((name) => ({ name, rows: set(name) }));
    const row = { kind: 'derived', id: 900, columns: new Map() } as const;
    const query = { ...queryOf(set('Keepers')), row };
    const decided = decide(
      { kind: 'crossjoin', where: [], sources, query },
      ask('$crossjoin(Keepers,Pictures)'),
      setting(),
    );
    if (decided.kind !== 'crossjoin') throw new Error('it is a crossjoin');
    expect(showShape(decided.shape)).toBe(
      'Keepers@odata.navigationLink=~/Keepers({Keeper.Id}) Pictures@odata.navigationLink=~/Pictures({Picture.Id})',
    );
    expect(decided.select.order).toHaveLength(2);
  });

  it('rows that $apply made: groups as objects, types of what has none', () => {
    const rows = set('Animals');
    const text = bindText(rows, 'Species/Title').type;
    const number = bindText(rows, 'Number').type;
    const row = {
      kind: 'derived',
      id: 901,
      columns: new Map([
        ['Species/Title', { name: 'Species/Title', type: text }],
        ['N', { name: 'N', type: number }],
      ]),
    } as const;
    const decided = plan(read(rows, { query: { row } }), ask('Animals?$apply=identity'));
    expect(shapeOf(decided)).toBe('@odata.id=null Species{Title} N@odata.type="#Int64" N');
    expect(decided.context).toBe('#Animals(Species(Title),N)');
    expect(decided.paging?.by).toBe('offset');
    expect(showSelecting(decided.select)).toContain('order #Species/Title,#N');
  });

  it('one item of an ordered collection', () => {
    const rows = one('Animals', 5n);
    const value = bindText(rows, 'Nicknames');
    const wanted = {
      kind: 'property',
      value,
      path: [property('Animal', 'Nicknames')],
      index: -1,
    } as const;
    const { output, context } = plan(read(rows, { wanted }), ask('Animals(5)/Nicknames/-1'));
    expect(output.kind === 'property' && output.member.items?.index).toBe(-1);
    expect(context).toBe('#Edm.String');
  });
});

describe('Languages', () => {
  it.each([
    [['nl'], 'nl'],
    [['nl-BE', 'en'], 'nl'],
    [['de', 'NL'], 'nl'],
    [['fr'], 'en'],
    [[], 'en'],
    [['', '-', 'x-'], 'en'],
  ])('%j is answered in %s', (wanted, expected) => {
    expect(chooseLanguage(wanted, ['en', 'nl'])).toBe(expected);
  });
});
