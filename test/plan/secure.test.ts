// This file checks that rights are put in wherever rows or members are spoken of.
import { describe, expect, it } from 'vitest';
import type { Reach } from '../../src/access/policy.ts';
import type { BoundRead, Query, Transformation } from '../../src/bind/bound.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { secure, secureRead } from '../../src/plan/rights/read-rights.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { bindUrl } from '../bind/request.ts';
import {
  ask,
  bindText,
  everything,
  expand,
  guardOf,
  navigation,
  one,
  property,
  queryOf,
  read,
  related,
  rightsOf,
  set,
  setting,
} from './readings.ts';
import { showExpression, showRows } from './show.ts';

const ALL: Reach = { kind: 'all' };
const rule = (text: string): Reach => ({
  kind: 'some',
  rules: [{ text, condition: parseExpression(text) }],
});

const tameOnly = rightsOf({
  name: 'guide',
  grants: [
    { type: 'Odd.Zoo.Animal', actions: { read: rule('Tame') } },
    { type: 'Odd.Zoo.Keeper', actions: { read: rule('Id eq @me') } },
    { type: 'Odd.Zoo.Enclosure', actions: { read: ALL } },
  ],
});

const secured = (bound: BoundRead, rights = tameOnly) => secureRead(guardOf(rights), bound);
const withQuery = (query: (rows: ReturnType<typeof set>) => Partial<Query>, rights = tameOnly) => {
  const rows = set('Animals');
  return secured(read(rows, { query: query(rows) }), rights).query;
};

describe('Rows that are not visible are not there', () => {
  it('in a set', () => {
    expect(showRows(secured(read(set('Animals'))).rows)).toBe('Animals[Animal.Tame]');
  });

  it('for an administrator nothing changes', () => {
    const bound = read(set('Animals'));
    expect(secured(bound, everything)).toBe(bound);
  });

  it('on the way to others: every hop must be visible', () => {
    const keepers = related(one('Animals', 5n), 'Keepers');
    const { rows, parent } = secured(read(keepers, { parent: one('Animals', 5n) }));
    expect(showRows(rows)).toBe('Animals[Animal.Tame & Animal.Id eq 5]/Keepers[Keeper.Id eq @me]');
    expect(parent && showRows(parent)).toBe('Animals[Animal.Tame & Animal.Id eq 5]');
  });

  it('in $filter paths, lambdas and counts, nested ones too', () => {
    const filter = (text: string) => {
      const { filter: found } = withQuery((rows) => ({ filter: bindText(rows, text) }));
      return found && showExpression(found);
    };
    expect(filter("Mother/Name eq 'x'")).toBe("Animal/Mother[Animal.Tame].Name eq 'x'");
    expect(filter('Mother eq null')).toBe('Animal/Mother[Animal.Tame] eq null');
    expect(filter('Keepers/any(k:k/Boss/Id eq 1)')).toBe(
      'any(Animal/Keepers[Keeper.Id eq @me]: Keeper/Boss[Keeper.Id eq @me].Id eq 1)',
    );
    expect(filter('Children/$count gt 1')).toBe('count(Animal/Children[Animal.Tame]) gt 1');
    expect(filter('not Enclosure/Animals/any()')).toBe(
      'not(any(Animal/Enclosure/Animals[Animal.Tame]))',
    );
  });

  it('in $orderby and $compute', () => {
    const query = withQuery((rows) => ({
      orderby: [{ expression: bindText(rows, 'Mother/Name'), descending: true }],
      compute: [{ name: 'N', expression: bindText(rows, 'Children/$count') }],
    }));
    expect(query.orderby.map((item) => showExpression(item.expression))).toEqual([
      'Animal/Mother[Animal.Tame].Name',
    ]);
    expect(query.compute.map((item) => showExpression(item.expression))).toEqual([
      'count(Animal/Children[Animal.Tame])',
    ]);
  });

  it('in $expand, on every level', () => {
    const { expansions } = withQuery((rows) => {
      const mother = expand(rows, 'Mother');
      const keepers = expand(mother.rows, 'Keepers');
      return {
        expansions: [{ ...mother, query: queryOf(mother.rows, { expansions: [keepers] }) }],
      };
    });
    const [mother] = expansions;
    expect(mother && showRows(mother.rows)).toBe('Animal/Mother[Animal.Tame]');
    expect(mother?.query.expansions.map((inner) => showRows(inner.rows))).toEqual([
      'Animal/Keepers[Keeper.Id eq @me]',
    ]);
  });

  it('in $apply: groupings, aggregations, joins and hierarchies', () => {
    const { apply } = withQuery((rows) => {
      const { row } = rows;
      const over = [{ kind: 'rows', rows: related(rows, 'Keepers') }] as const;
      const type = bindText(rows, 'Number').type;
      const predicate = bindText(rows, 'Children/any()');
      const then = [{ kind: 'filter', input: row, output: row, predicate } as const];
      const steps: Transformation[] = [
        {
          kind: 'groupby',
          input: row,
          output: row,
          groupings: [{ name: 'Mother/Name', expression: bindText(rows, 'Mother/Name'), type }],
          sets: [[0]],
          aggregations: [{ alias: 'N', method: 'count', over, type, from: [] }],
          then,
        },
        {
          kind: 'hierarchy',
          input: row,
          output: row,
          walk: 'ancestors',
          tree: { parent: navigation('Animal', 'Mother'), nodes: set('Animals'), start: [] },
          start: [],
          keepStart: false,
          orderby: [],
        },
      ];
      return { apply: steps };
    });
    const [group, hierarchy] = apply;
    expect(
      group?.kind === 'groupby' && group.groupings.map((item) => showExpression(item.expression)),
    ).toEqual(['Animal/Mother[Animal.Tame].Name']);
    const over = group?.kind === 'groupby' ? group.aggregations[0]?.over?.[0] : undefined;
    expect(over?.kind === 'rows' && showRows(over.rows)).toBe(
      'Animals[Animal.Tame]/Keepers[Keeper.Id eq @me]',
    );
    const inner = group?.kind === 'groupby' ? group.then[0] : undefined;
    expect(inner?.kind === 'filter' && showExpression(inner.predicate)).toBe(
      'any(Animal/Children[Animal.Tame])',
    );
    expect(hierarchy?.kind === 'hierarchy' && showRows(hierarchy.tree.nodes)).toBe(
      'Animals[Animal.Tame]',
    );
  });

  it('where types have no grant at all: 403, whatever leads there', () => {
    const denied = expect.objectContaining({ status: 403, code: 'access.read' });
    expect(() => secured(read(set('Pictures')))).toThrow(denied);
    expect(() => secured(read(related(one('Animals', 5n), 'Species')))).toThrow(denied);
    expect(() =>
      withQuery((rows) => ({ filter: bindText(rows, 'Species/Title eq null') })),
    ).toThrow(denied);
    expect(() => withQuery((rows) => ({ expansions: [expand(rows, 'Notes')] }))).toThrow(denied);
  });

  it('derived types with rights of their own follow these', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: ALL } },
        { type: 'Odd.Zoo.Bird', actions: { read: rule('Tame') } },
        { type: 'Odd.Zoo.Fish', actions: {} },
      ],
    });
    expect(showRows(secured(read(set('Animals')), rights).rows)).toBe(
      'Animals[((not(Animal isof Bird) and not(Animal isof Fish)) or (Animal isof Bird and Animal.Tame))]',
    );
  });
});

describe('Members that are not readable', () => {
  const masked = rightsOf(
    {
      name: 'guide',
      grants: [
        {
          type: 'Odd.Zoo.Animal',
          actions: { read: ALL },
          unreadable: ['Remark', 'Weight', 'Keepers'],
        },
        { type: 'Odd.Zoo.Keeper', actions: { read: ALL } },
      ],
    },
    {
      name: 'vet',
      grants: [
        {
          type: 'Odd.Zoo.Animal',
          actions: { read: rule('Tame') },
          unreadable: ['Weight', 'Keepers'],
        },
      ],
    },
  );

  it('are null where the row does not allow them, in every expression', () => {
    const query = withQuery(
      (rows) => ({
        filter: bindText(rows, "startswith(Remark,'a')"),
        orderby: [{ expression: bindText(rows, 'Mother/Remark'), descending: false }],
      }),
      masked,
    );
    expect(query.filter && showExpression(query.filter)).toBe(
      "startswith(case(Animal.Tame:Animal.Remark),'a')",
    );
    expect(query.orderby.map((item) => showExpression(item.expression))).toEqual([
      'case(Animal/Mother.Tame:Animal/Mother.Remark)',
    ]);
  });

  it('are refused with 403 where no row allows them', () => {
    const denied = expect.objectContaining({ status: 403, code: 'access.member' });
    const filtered = (text: string) => () =>
      withQuery((rows) => ({ filter: bindText(rows, text) }), masked);
    expect(filtered('Weight gt 5')).toThrow(denied);
    expect(filtered('Mother/Weight gt 5')).toThrow(denied);
    expect(filtered('Keepers/any()')).toThrow(denied);
    expect(filtered('Keepers/$count gt 1')).toThrow(denied);
    expect(() => secured(read(related(one('Animals', 5n), 'Keepers')), masked)).toThrow(denied);
    expect(() => withQuery((rows) => ({ expansions: [expand(rows, 'Keepers')] }), masked)).toThrow(
      denied,
    );
  });

  it('of a derived type that alone has them are refused as well', () => {
    const message = expect.stringContaining('Depth of Odd.Zoo.Fish');
    const denied = expect.objectContaining({ status: 403, code: 'access.member', message });
    const rights = rightsOf({
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: ALL } },
        { type: 'Odd.Zoo.Fish', actions: { read: ALL }, unreadable: ['Depth'] },
      ],
    });
    const filtered = (text: string) => () =>
      withQuery((rows) => ({ filter: bindText(rows, text) }), rights);
    expect(filtered('Odd.Zoo.Fish/Depth eq null')).toThrow(denied);
    expect(filtered('Mother/Odd.Zoo.Fish/Depth eq null')).toThrow(denied);
    expect(filtered('Odd.Zoo.Fish/SaltWater')).not.toThrow();
  });

  it('cannot be followed to a single entity either', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [{ type: 'Odd.Zoo.Animal', actions: { read: ALL }, unreadable: ['Mother'] }],
    });
    expect(() => withQuery((rows) => ({ filter: bindText(rows, 'Mother/Tame') }), rights)).toThrow(
      expect.objectContaining({ status: 403, code: 'access.member' }),
    );
  });

  it('leave $search as it is if it does not look into them', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [{ type: 'Odd.Zoo.Animal', actions: { read: ALL }, unreadable: ['Weight'] }],
    });
    const bound = read(set('Animals'), { query: { search: { kind: 'word', text: 'Sly' } } });
    const decided = decide(bound, ask('Animals?$search=Sly'), setting(rights));
    const filter = decided.kind === 'read' ? decided.select.filter : undefined;
    expect(filter?.kind).toBe('search');
  });

  it('are not searched: the other texts are looked into one by one', () => {
    const rows = set('Animals');
    const bound = read(rows, {
      query: { search: { kind: 'not', operand: { kind: 'word', text: 'Sly' } } },
    });
    const decided = decide(bound, ask('Animals?$search=NOT Sly'), setting(masked));
    const filter = decided.kind === 'read' ? decided.select.filter : undefined;
    expect(filter && showExpression(filter)).toBe(
      "not((contains(tolower(Animal.Name),'sly') eq true or contains(tolower(case(Animal.Tame:Animal.Remark)),'sly') eq true))",
    );
  });

  it('of derived types are not searched either', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Creature', actions: { read: ALL } },
        { type: 'Odd.Zoo.Animal', actions: { read: ALL }, unreadable: ['Remark'] },
      ],
    });
    const creatures = { ...set('Animals') };
    const base = setting().model.types.get('Odd.Zoo.Creature');
    if (base?.kind !== 'entity') throw new Error('Creature is an entity type');
    const rows = { ...creatures, row: { ...creatures.row, type: base } };
    const bound = read(rows, { query: { search: { kind: 'word', text: 'x' } } });
    const decided = decide(bound, ask('Animals?$search=x'), setting(rights));
    const filter = decided.kind === 'read' ? decided.select.filter : undefined;
    expect(filter && showExpression(filter)).toBe("contains(tolower(Creature.Name),'x') eq true");
  });

  it.each([
    ['join(Keepers as K)', 'Animal', 'Weight'],
    ['join(Keepers as K)', 'Keeper', 'Country'],
    ['outerjoin(Keepers as K)', 'Animal', 'Mood'],
    ['concat(identity,join(Keepers as K))', 'Animal', 'Weight'],
    ['concat(identity,aggregate($count as N))', 'Animal', 'Weight'],
    ['concat(identity,aggregate($count as N))', 'Animal', 'Mood'],
  ])('%s is refused with 403 if %s/%s would become one of its columns', (apply, type, member) => {
    const bound = bindUrl(`Animals?$apply=${apply}`);
    const grants = ['Animal', 'Keeper'].map((name) => ({
      type: `Odd.Zoo.${name}`,
      actions: { read: ALL },
      unreadable: name === type ? [member] : [],
    }));
    expect(() => secure(guardOf(rightsOf({ name: 'guide', grants })), bound)).toThrow(
      expect.objectContaining({ status: 403, code: 'access.member', target: member }),
    );
    const all = grants.map((grant) => ({ ...grant, unreadable: [] }));
    expect(() => secure(guardOf(rightsOf({ name: 'guide', grants: all })), bound)).not.toThrow();
  });

  it('of streams are refused as well', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [{ type: 'Odd.Zoo.Keeper', actions: { read: ALL }, unreadable: ['Portrait'] }],
    });
    const bound = read(one('Keepers', 1n), {
      wanted: { kind: 'stream', property: property('Keeper', 'Portrait') },
    });
    expect(() => secured(bound, rights)).toThrow(
      expect.objectContaining({ code: 'access.member' }),
    );
  });
});

describe('Sets reserved to administrators', () => {
  const rights = rightsOf({
    name: 'guide',
    grants: [{ type: 'Odd.Zoo.Keeper', actions: { read: ALL } }],
  });
  const reserved = (grantable?: boolean) => {
    const keepers = set('Keepers');
    const { source } = keepers.row;
    if (source.set === undefined) throw new Error('Keepers are a set');
    const flags = { administrative: true, ...(grantable === undefined ? {} : { grantable }) };
    const own = { ...source, set: { ...source.set, ...flags } };
    return read({ ...keepers, row: { ...keepers.row, source: own } });
  };

  it('are refused with 403 even where their type may be read', () => {
    const bound = reserved();
    expect(() => secured(bound, rights)).toThrow(expect.objectContaining({ code: 'access.read' }));
    expect(secured(bound, everything)).toBe(bound);
  });

  it('can be read by a role if the model lets roles grant that', () => {
    expect(showRows(secured(reserved(true), rights).rows)).toBe('Keepers');
    expect(() => secured(reserved(true), tameOnly)).not.toThrow();
    expect(() => secured(reserved(true), rightsOf())).toThrow(
      expect.objectContaining({ code: 'access.read' }),
    );
  });
});
