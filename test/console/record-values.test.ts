// This file checks how a form compares, merges and sends values, and where it shows the mistakes of an answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { typeOfSet } from '../../console/src/model/model.ts';
import { fieldGroups, recordQuery } from '../../console/src/record/fields.ts';
import { FormStore } from '../../console/src/record/form-store.ts';
import { fieldOf, placeMistakes } from '../../console/src/record/mistakes.ts';
import { bodyOf, changedPaths, sameValue, valuesOf } from '../../console/src/record/values.ts';

/** A model of its own, with none of the names of the service desk. */
const MODEL = compileModel(
  {
    $Version: '4.01',
    Shop: {
      Tone: {
        $Kind: 'ComplexType',
        Word: { $Nullable: true, '@Core.IsLanguageDependent': true },
        Number: { $Type: 'Edm.Int64', $Nullable: true },
      },
      Place: {
        $Kind: 'ComplexType',
        Shelf: { $MaxLength: 10, $Nullable: true },
        Keeper: { $Kind: 'NavigationProperty', $Type: 'Shop.Keeper', $Nullable: true },
      },
      Note: {
        $Kind: 'ComplexType',
        Text: {},
        Weight: { $Type: 'Edm.Int16', $Nullable: true },
      },
      Keeper: { $Kind: 'EntityType', $Key: ['Code'], Code: {}, Name: { $Nullable: true } },
      Item: {
        $Kind: 'EntityType',
        $Key: ['Product', 'Language'],
        Product: { $Type: 'Edm.Int64' },
        Language: { $MaxLength: 2 },
        Title: { $MaxLength: 20 },
        Price: { $Type: 'Edm.Decimal', $Precision: 20, $Scale: 4, $Nullable: true },
        Stock: { $Type: 'Edm.Int32', $Nullable: true },
        Since: { $Type: 'Edm.DateTimeOffset', $Nullable: true },
        Tone: { $Type: 'Shop.Tone', $Nullable: true },
        Tags: { $Collection: true, $MaxLength: 10 },
        Notes: { $Collection: true, $Type: 'Shop.Note' },
        Place: { $Type: 'Shop.Place' },
        Maker: { $Kind: 'NavigationProperty', $Type: 'Shop.Keeper', $Nullable: true },
        Made: { $Type: 'Edm.Date', $Nullable: true, '@Core.Immutable': true },
        Total: { $Type: 'Edm.Decimal', $Nullable: true, '@Core.Computed': true },
      },
      Container: {
        $Kind: 'EntityContainer',
        Items: {
          $Collection: true,
          $Type: 'Shop.Item',
          $NavigationPropertyBinding: { Maker: 'Keepers', 'Place/Keeper': 'Keepers' },
        },
        Keepers: { $Collection: true, $Type: 'Shop.Keeper' },
      },
    },
  },
  'en',
);
const set = MODEL.sets.get('Items');
if (set === undefined) throw new Error('The model has no set Items.');
const TYPE = typeOfSet(MODEL, set);
const fieldsOf = (
  rights?: Parameters<typeof fieldGroups>[2]['rights'],
  mode: 'create' | 'change' = 'change',
) =>
  fieldGroups(MODEL, TYPE, { set, rights, unreadable: [], mode }).flatMap(({ fields }) => fields);
const FIELDS = fieldsOf();
const field = (path: string) => {
  const found = FIELDS.find((one) => one.path === path);
  if (found === undefined) throw new Error(`no field ${path}`);
  return found;
};

const ENTITY = {
  Product: '1',
  Language: 'en',
  Title: 'Lamp',
  Price: '12.5000',
  Stock: 3,
  Since: '2026-01-01T00:00:00.000Z',
  Tone: { Word: 'Warm', Number: '7' },
  Tags: ['a'],
  Notes: [{ Text: 'x', Weight: 2 }],
  Place: { Shelf: 'A1', Keeper: { Code: "o'b", Name: 'Bob' } },
  Maker: null,
  Made: '2025-05-05',
  Total: '1',
};

describe('The fields of a form', () => {
  it('lock keys, computed and immutable members, and require what has no default', () => {
    const locked = FIELDS.filter(({ readOnly }) => readOnly).map(({ path }) => path);
    expect(locked.sort()).toEqual(['Language', 'Made', 'Product', 'Total']);
    expect(FIELDS.filter(({ required }) => required).map(({ path }) => path)).toContain('Title');
    expect(field('Place/Shelf').required).toBe(false);
  });

  it('of a new entity contain keys and immutable members, but nothing that the service computes', () => {
    const paths = fieldsOf(undefined, 'create').map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['Product', 'Language', 'Made']));
    expect(paths).not.toContain('Total');
  });

  it('hide what may not be read, and lock what may not be changed', () => {
    const rights = {
      Change: true,
      Members: [
        { Name: 'Price', Read: false, Change: false },
        { Name: 'Place', Read: true, Change: false },
      ],
    };
    const fields = fieldsOf(rights);
    expect(fields.some(({ path }) => path === 'Price')).toBe(false);
    expect(fields.find(({ path }) => path === 'Place/Keeper')?.readOnly).toBe(true);
    expect(fieldsOf({ Change: false }).every(({ readOnly }) => readOnly)).toBe(true);
  });

  it('are read with the titles of references, and without what may not be read', () => {
    const query = decodeURIComponent(
      recordQuery(MODEL, TYPE, ['Title', 'Place/Shelf', 'Place/Keeper', 'Maker']),
    );
    expect(query).toBe(
      '$select=Product,Language,Title,Place/Shelf&$expand=Place/Keeper($select=Code,Name),Maker($select=Code,Name)',
    );
  });
});

describe('The body of a change', () => {
  const changed = (change: Record<string, unknown>) => {
    const base = valuesOf(FIELDS, ENTITY);
    const values = { ...base, ...change };
    return bodyOf(MODEL, FIELDS, values, changedPaths(MODEL, FIELDS, base, values));
  };

  it('is empty if values only look different', () => {
    expect(
      changed({
        Tone: { Word: 'Anything', Number: 7 },
        Since: '2026-01-01T01:00:00+01:00',
        'Place/Keeper': { Code: "o'b", Name: 'Robert' },
        Stock: '3',
      }),
    ).toEqual({});
  });

  it.each([
    [{ Title: '' }, { Title: '' }],
    [{ Price: '99999999999999.0001' }, { Price: '99999999999999.0001' }],
    [{ Stock: '4' }, { Stock: 4 }],
    [{ Stock: null }, { Stock: null }],
    [{ Tone: { Word: 'Cold', Number: '8' } }, { Tone: { Number: '8' } }],
    [{ Tone: { Word: 'Cold' } }, { Tone: { Word: 'Cold' } }],
    [{ Tone: null }, { Tone: null }],
    [{ Tags: ['a', '', null, 'b'] }, { Tags: ['a', 'b'] }],
    [{ Notes: [{ Text: 'y', Weight: '5' }] }, { Notes: [{ Text: 'y', Weight: 5 }] }],
    [{ 'Place/Shelf': null }, { Place: { Shelf: null } }],
    [
      { 'Place/Keeper': { Code: 'a b', Name: '' } },
      { Place: { 'Keeper@odata.bind': "Keepers('a%20b')" } },
    ],
    [{ 'Place/Keeper': null }, { Place: { 'Keeper@odata.bind': null } }],
    [{ Stock: 'many' }, { Stock: 'many' }],
  ])('%j', (change, body) => {
    expect(changed(change)).toEqual(body);
  });
});

describe('Mistakes are shown at the field with the longest matching path', () => {
  const paths = ['Status', 'Place/Keeper', 'Place/Shelf', 'Place', 'Notes', 'Title'];
  it.each([
    ['Status/Value', 'Status'],
    ['Place/Keeper@odata.bind', 'Place/Keeper'],
    ['Place/Shelf', 'Place/Shelf'],
    ['Place/Other', 'Place'],
    ['Notes/1/Text', 'Notes'],
    ['Notes[1]/Text', 'Notes'],
    ['Notes(3)/Text', 'Notes'],
    ['TitleOfSomething', undefined],
    ['If-Match', undefined],
    ['', undefined],
  ])('%s', (target, path) => expect(fieldOf(target, paths)).toBe(path));

  it('a complex value without a field of its own means the first one inside', () => {
    expect(fieldOf('Place', ['Title', 'Place/Shelf'])).toBe('Place/Shelf');
  });

  it('all of one answer, in the order of the fields, the rest in a summary', () => {
    const mistake = (target: string | undefined, message: string) => ({
      code: 'x',
      message,
      ...(target === undefined ? {} : { target }),
    });
    const placed = placeMistakes(
      [
        mistake('Title', 'a'),
        mistake('Place/Keeper', 'b'),
        mistake('Title', 'c'),
        mistake(undefined, 'd'),
        mistake('$filter', 'e'),
      ],
      paths,
    );
    expect([...placed.fields]).toEqual([
      ['Place/Keeper', ['b']],
      ['Title', ['a', 'c']],
    ]);
    expect(placed.others.map(({ message }) => message)).toEqual(['d', 'e']);
  });
});

describe('The values of a form', () => {
  const same = (path: string, one: unknown, other: unknown) =>
    sameValue(MODEL, field(path).member, one, other);
  const open = () => new FormStore(valuesOf(FIELDS, ENTITY), same);

  it('are changed until they have their old values again', () => {
    const form = open();
    form.set('Title', 'Lamps');
    expect(form.dirty()).toEqual(['Title']);
    form.set('Title', 'Lamp');
    expect(form.dirty()).toEqual([]);
  });

  it('stay as typed when the record is read again', () => {
    const form = open();
    form.set('Title', 'Mine');
    form.rebase(valuesOf(FIELDS, { ...ENTITY, Title: 'Theirs', Stock: 9 }));
    expect(form.field('Title').value).toBe('Mine');
    expect(form.field('Stock').value).toBe('9');
    expect(form.dirty()).toEqual(['Title']);
    form.rebase(valuesOf(FIELDS, { ...ENTITY, Title: 'Mine' }));
    expect(form.dirty()).toEqual([]);
  });

  it('are in conflict if others have changed them since they were typed, however often that was read', () => {
    const plain = (_: string, one: unknown, other: unknown) => one === other;
    const values = fc.record({ a: fc.nat(2), b: fc.nat(2) });
    fc.assert(
      fc.property(values, values, fc.array(values, { minLength: 1 }), (base, mine, reads) => {
        const form = new FormStore(base, plain);
        for (const path of ['a', 'b'] as const) form.set(path, mine[path]);
        for (const read of reads) form.rebase(read);
        const theirs = reads.at(-1) ?? base;
        for (const path of ['a', 'b'] as const) {
          // What was once the same in both is no change any more: the form shows what others make of it.
          const isMine = [base, ...reads].every((read) => read[path] !== mine[path]);
          expect(form.values()[path]).toBe(isMine ? mine[path] : theirs[path]);
          expect(form.conflicts().includes(path)).toBe(isMine && base[path] !== theirs[path]);
          if (isMine) expect(form.seen()[path]).toBe(base[path]);
        }
        form.settle();
        expect(form.conflicts()).toEqual([]);
      }),
    );
  });

  it('of a draft are in conflict if others have changed them before it is restored', () => {
    const form = open();
    form.restore({ Title: 'Mine', Stock: '4' }, { Title: 'Old', Stock: form.base().Stock });
    expect(form.dirty()).toEqual(['Title', 'Stock']);
    expect(form.conflicts()).toEqual(['Title']);
    form.set('Title', form.base().Title);
    form.set('Title', 'Mine, having seen theirs');
    expect(form.conflicts()).toEqual([]);
  });

  it('tell a field only of its own changes', () => {
    const form = open();
    const before = form.field('Stock');
    form.set('Title', 'x');
    expect(form.field('Stock')).toBe(before);
    form.setError('Stock', 'wrong');
    expect(form.field('Stock')).not.toBe(before);
  });
});
