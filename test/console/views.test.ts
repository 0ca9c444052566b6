// This file checks what a saved view keeps of a list, what a URL says besides it, and which view a list opens with.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultView,
  differences,
  mayChange,
  printView,
  readView,
  rivals,
  sortOut,
  stateIn,
  type View,
} from '../../console/src/list/views/view.ts';

function view(parts: Partial<View>): View {
  const state = { filter: 'A eq 1' };
  return {
    ...{ uid: '1', etag: undefined, set: 'Things', name: 'One', owner: 'ada' },
    ...{ sharing: { scope: 'own' }, isDefault: false, state },
    ...parts,
  };
}

const ada = { loginName: 'ada', isAdministrator: false };
const bob = { loginName: 'bob', isAdministrator: false };
const admin = { loginName: 'admin', isAdministrator: true };

/** States without parts that are undefined. */
const state = fc.record(
  {
    filter: fc.string({ minLength: 1 }),
    orderby: fc.string({ minLength: 1 }),
    q: fc.constantFrom('printer', 'printer paper', '"exact words"'),
    cols: fc.constantFrom('A', 'A,B:300', 'B/C:120,A'),
    group: fc.constantFrom('Status', 'Caller'),
  },
  { requiredKeys: [] },
);

describe('A view', () => {
  it('is stored as query options and JSON, and read again', () => {
    const whole = {
      filter: "A eq 'x & y=100%'",
      orderby: 'B desc',
      q: 'two words',
      cols: 'A:300,B',
    };
    expect(printView({ ...whole, group: 'C' })).toEqual({
      Query: `$filter=A%20eq%20'x%20%26%20y%3D100%25'&$search=two%20words&$orderby=B%20desc`,
      Layout: '{"columns":["A:300","B"],"group":"C"}',
    });
    fc.assert(
      fc.property(state, (one) => {
        expect(readView(printView(one))).toEqual(one);
      }),
    );
  });

  it('of other programs may be written otherwise', () => {
    const Query = 'filter=A eq 1&$orderby=B&$select=A&$top=5';
    const expected = { filter: 'A eq 1', orderby: 'B' };
    expect(readView({ Query, Layout: '{"columns":"A","group":5}' })).toEqual(expected);
    expect(readView({ Query, Layout: 'null' })).toEqual(expected);
    expect(readView({ Query: null, Layout: null })).toEqual({});
  });

  it('and the differences in a URL make the state', () => {
    fc.assert(
      fc.property(state, state, (stored, wanted) => {
        const { peek, view: _, ...found } = stateIn(stored, differences(stored, wanted));
        expect(peek).toBeUndefined();
        expect(JSON.parse(JSON.stringify(found))).toEqual(wanted);
      }),
    );
    const same = { filter: 'A eq 1' };
    expect(Object.values(differences(same, same)).filter(Boolean)).toEqual([]);
  });

  it('is changed by its owner unless it is shared with a role or everybody', () => {
    const by = [ada, bob, admin];
    const may = (scope: View['sharing']['scope']) =>
      by.map((viewer) => mayChange(view({ sharing: { scope } }), viewer));
    expect(may('own')).toEqual([true, false, true]);
    expect(may('workgroup')).toEqual([true, false, true]);
    expect(may('role')).toEqual([false, false, true]);
    expect(may('everybody')).toEqual([false, false, true]);
  });
});

describe('The default view', () => {
  const isDefault = true;
  const own = view({ uid: 'own', isDefault });
  const team = view({
    uid: 'team',
    isDefault,
    owner: 'eve',
    sharing: { scope: 'workgroup', key: '7' },
  });
  const all = view({ uid: 'all', isDefault, owner: 'admin', sharing: { scope: 'everybody' } });

  it('is the one of the closest scope', () => {
    expect(defaultView([all, team, own], ada)?.uid).toBe('own');
    expect(defaultView([all, team, own], bob)?.uid).toBe('team');
    expect(defaultView([all, own], bob)?.uid).toBe('all');
    expect(defaultView([view({})], ada)).toBeUndefined();
  });

  it('of a workgroup of others does not concern administrators, who see all', () => {
    expect(defaultView([all, team, own], admin)?.uid).toBe('all');
    expect(defaultView([team, own], admin)).toBeUndefined();
  });

  it('replaces another one for the same people, if the account may change that', () => {
    const other = view({ uid: 'other', isDefault });
    const of = (chosen: View, viewer: typeof ada) =>
      rivals([own, other, team, all], chosen, viewer).map(({ uid }) => uid);
    expect(of(own, ada)).toEqual(['other']);
    expect(of(view({ uid: 'mine', owner: 'bob', sharing: team.sharing }), bob)).toEqual([]);
    expect(of(view({ uid: 'mine', sharing: { scope: 'everybody' } }), admin)).toEqual(['all']);
  });
});

describe('Views without a name', () => {
  const now = Date.parse('2026-10-01T00:00:00Z');
  const stored = (Uid: string, Query: string, Modified: string, EntitySet = 'Things') => ({
    ...{ Uid, Query, Modified, EntitySet, Layout: '{}' },
  });

  it('are found by what they keep, and deleted after 90 days unless they are needed', () => {
    const views = [
      stored('1', '$filter=A', '2026-09-30T00:00:00Z', 'Others'),
      stored('2', '$filter=A', '2026-01-01T00:00:00Z'),
      stored('3', '$filter=B', '2026-07-02T00:00:00Z'),
      stored('4', '$filter=B', '2026-07-04T00:00:00Z'),
    ];
    const wanted = { EntitySet: 'Things', Query: '$filter=A', Layout: '{}' };
    expect(sortOut(views, wanted, now)).toEqual({ same: '2', outdated: ['3'] });
    const other = { ...wanted, Layout: '{"group":"A"}' };
    expect(sortOut(views, other, now)).toEqual({ same: undefined, outdated: ['2', '3'] });
  });
});
