// This file checks what the rights of who asks add to plans of writes: refusals where a right is missing altogether, conditions on rows
// where it reaches some of them.
import { describe, expect, test } from 'vitest';
import type { Grant, Policy, Reach } from '../../src/access/policy.ts';
import { type Model, makeModel, simpleName } from '../../src/edm/model.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { faultOf } from '../bind/bodies.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Asking, stepsOf } from './writes.ts';

const ALL: Reach = { kind: 'all' };

function some(rule: string): Reach {
  return { kind: 'some', rules: [{ text: rule, condition: parseExpression(rule, 'the rule') }] };
}

function policyOf(...grants: readonly Grant[]): Policy {
  return { roles: [{ name: 'keeper', grants }] };
}

const READ: readonly Grant[] = [
  'Creature',
  'Keeper',
  'Note',
  'File',
  'Enclosure',
  'Chip',
  'Species',
].map((type) => ({
  type: `Odd.Zoo.${type}`,
  actions: { read: ALL },
}));

function steps(
  method: string,
  url: string,
  input: JsonInput | undefined,
  ...grants: readonly Grant[]
): readonly string[] {
  const others = READ.filter(({ type }) => !grants.some((grant) => grant.type === type));
  return stepsOf(method, url, input, { policy: policyOf(...grants, ...others) });
}

function fault(
  method: string,
  url: string,
  input?: JsonInput,
  ...grants: readonly Grant[]
): string {
  const { status, code } = faultOf(() => steps(method, url, input, ...grants));
  return `${status} ${code}`;
}

describe('without the right', () => {
  test.each<readonly [string, string, JsonInput | undefined]>([
    ['POST', 'Animals', { Name: 'x' }],
    ['PATCH', 'Animals(1)', { Remark: 'x' }],
    ['PUT', 'Animals(1)/Remark', { value: 'x' }],
    ['DELETE', 'Animals(1)', undefined],
    ['POST', 'Animals(1)/Notes', { Text: 'x' }],
    ['PUT', 'Animals(1)/Mother/$ref', { '@id': 'Animals(2)' }],
    ['DELETE', 'Keepers/$each', undefined],
    ['PUT', 'Keepers(1)/Portrait', undefined],
  ])('%s %s is refused', (method, url, input) => {
    expect(fault(method, url, input)).toBe('403 access.write');
  });

  test('to delete it, a contained entity is not removed by null', () => {
    const grant: Grant = { type: 'Odd.Zoo.Animal', actions: { read: ALL, change: ALL } };
    expect(fault('PATCH', 'Animals(1)', { Chip: null }, grant)).toBe('403 access.write');
    const removal: Grant = {
      type: 'Odd.Zoo.Chip',
      actions: { read: ALL, delete: some("Serial eq 'a'") },
    };
    expect(steps('PATCH', 'Animals(1)', { Chip: null }, grant, removal).slice(-3)).toEqual([
      expect.stringMatching(/^each r2 of .*Chip$/),
      expect.stringMatching(/^ {2}require r2 .*Serial eq 'a'.* else access.write$/),
      '  delete r2',
    ]);
  });

  test('of reading, not even a reference can be made', () => {
    const grant: Grant = { type: 'Odd.Zoo.Animal', actions: { read: ALL, change: ALL } };
    const policy = policyOf(grant);
    const plan = () =>
      stepsOf('PUT', 'Animals(1)/Species/$ref', { '@id': "AllSpecies('x')" }, { policy });
    expect(faultOf(plan).status).toBe(403);
  });
});

describe('a right that reaches some rows', () => {
  const grant: Grant = {
    type: 'Odd.Zoo.Animal',
    actions: {
      read: some('Tame'),
      change: some('Keepers/any(k:k/Id eq @me)'),
      create: some("startswith(Name,'A')"),
      delete: some('Tame'),
    },
  };

  test('is asked of the row before it is changed or deleted', () => {
    const lines = steps('PATCH', 'Animals(1)', { Remark: 'x' }, grant);
    expect(lines[0]).toMatch(/^find r1 = a1:Animals where a1.Tame where \(a1.Id eq 1\)/);
    expect(lines[1]).toMatch(/^require r1 any\(.*Keepers.* eq @me\)\) else access.write$/);
    expect(lines[2]).toBe('update r1');
    expect(steps('DELETE', 'Animals(1)', undefined, grant).slice(1)).toEqual([
      expect.stringMatching(/^require r1 .*Tame else access.write$/),
      'delete r1',
    ]);
  });

  test('is asked of a new row once it is there', () => {
    const lines = steps('POST', 'Animals', { Name: 'x' }, grant);
    expect(lines.at(-1)).toMatch(/^require r1 startswith\(.*Name,'A'\) else access.write$/);
  });

  test('hides the owners in the ids of contained entities', () => {
    const input = { 'Notes@delta': [{ '@id': 'Animals(2)/Notes(5)' }] };
    const headers = { 'odata-version': '4.01' };
    const policy = policyOf(grant, ...READ);
    expect(stepsOf('PATCH', 'Animals(1)', input, { headers, policy })[1]).toMatch(
      /^find r2 = .* of <a1:Animals where a1.Tame where .* eq .*Animals where a\d+.Tame where .* else write.missing-reference$/,
    );
  });

  test('hides what may not be seen from references', () => {
    const lines = steps('PATCH', 'Animals(1)', { 'Mother@odata.bind': 'Animals(2)' }, grant);
    expect(lines[1]).toMatch(
      /^find r2 = a2:Animals where a2.Tame where \(a2.Id eq 2\) else write.missing-reference$/,
    );
  });
});

describe('a member that may not be changed', () => {
  const grant: Grant = {
    type: 'Odd.Zoo.Animal',
    actions: { read: ALL, change: ALL, create: ALL },
    unwritable: ['Weight', 'Species', 'Care'],
  };

  test.each<readonly [string, string, JsonInput]>([
    ['PATCH', 'Animals(1)', { Weight: 1 }],
    ['PATCH', 'Animals(1)', { 'Species@odata.bind': "AllSpecies('x')" }],
    ['PATCH', 'Animals(1)', { Care: { Mood: { Value: 1001 } } }],
    ['PUT', 'Animals(1)/Care/Mood', { Value: 1001 }],
    ['POST', 'Animals', { Name: 'x', Weight: 1 }],
  ])('%s %s %j is refused', (method, url, input) => {
    expect(fault(method, url, input, grant)).toBe('403 access.write-member');
  });

  test('does not keep the others from being changed', () => {
    expect(steps('PATCH', 'Animals(1)', { Remark: 'x' }, grant)).toContain('  Remark = "x"');
  });
});

describe('the other side of a relation', () => {
  /** The model, in which one of the two navigation properties does not name its partner. */
  function withoutPartner(of: string | undefined): Model {
    const types = oddDefinition.types.map((type) => {
      if (type.kind !== 'entity') return type;
      const members = type.members.map((member) => {
        if (member.kind !== 'navigation' || `${simpleName(type.name)}/${member.name}` !== of)
          return member;
        const { partner: _partner, ...rest } = member;
        return rest;
      });
      return { ...type, members };
    });
    return makeModel({ ...oddDefinition, types });
  }

  const all = { read: ALL, change: ALL };
  const animal: Grant = { type: 'Odd.Zoo.Animal', actions: all };
  const enclosure: Grant = { type: 'Odd.Zoo.Enclosure', actions: all };
  const enclosed: JsonInput = { '@id': "Enclosures(Wing='a',Number=2)" };

  test.each<readonly [string, string, JsonInput | undefined, string | undefined]>([
    ['PUT', 'both sides name their partner', enclosed, undefined],
    ['DELETE', 'both sides name their partner', undefined, undefined],
    ['PUT', 'only the other side names its partner', enclosed, 'Animal/Enclosure'],
    ['DELETE', 'only the other side names its partner', undefined, 'Animal/Enclosure'],
    ['PUT', 'only this side names its partner', enclosed, 'Enclosure/Animals'],
    ['DELETE', 'only this side names its partner', undefined, 'Enclosure/Animals'],
  ])('must be changeable for %s $ref, if %s', (method, _what, input, side) => {
    const asked = (...grants: readonly Grant[]) => {
      const asking = { policy: policyOf(...grants), model: withoutPartner(side) };
      return stepsOf(method, 'Animals(1)/Enclosure/$ref', input, asking);
    };
    expect(asked(animal, enclosure)).not.toEqual([]);
    const { status, code } = faultOf(() =>
      asked(animal, { ...enclosure, unwritable: ['Animals'] }),
    );
    expect([status, code]).toEqual([403, 'access.write-member']);
  });

  test('is of no concern if the relation has no other side', () => {
    const grants = [
      { type: 'Odd.Zoo.Bird', actions: all },
      { ...enclosure, actions: { read: ALL } },
    ];
    const asking = { policy: policyOf(...grants) };
    expect(stepsOf('PUT', 'Animals(1)/Odd.Zoo.Bird/Nest/$ref', enclosed, asking)).not.toEqual([]);
  });

  test('is not a navigation whose partner only has the same name', () => {
    const rename = (name: string) => (name === 'Of' ? 'Children' : name);
    const types = oddDefinition.types.map((type) =>
      type.kind === 'entity' && simpleName(type.name) === 'Picture'
        ? { ...type, members: type.members.map((one) => ({ ...one, name: rename(one.name) })) }
        : type,
    );
    const sets = oddDefinition.sets.map((set) => {
      if (set.name !== 'Pictures') return set;
      const bindings = Object.entries(set.bindings).map(([path, to]) => [rename(path), to]);
      return { ...set, bindings: Object.fromEntries(bindings) };
    });
    const picture: Grant = { type: 'Odd.Zoo.Picture', actions: all };
    const asking = {
      policy: policyOf(picture, { ...animal, unwritable: ['Mother'] }),
      model: makeModel({ ...oddDefinition, types, sets }),
    };
    const key = '01234567-89ab-cdef-0123-456789abcdef';
    const body = { '@id': 'Animals(1)' };
    expect(stepsOf('PUT', `Pictures(${key})/Children/$ref`, body, asking)).not.toEqual([]);
  });
});

describe('a set that is reserved to administrators', () => {
  const sets = oddDefinition.sets.map((set) =>
    set.name === 'Keepers' ? { ...set, administrative: true } : set,
  );
  const model = makeModel({ ...oddDefinition, sets });
  const grant: Grant = { type: 'Odd.Zoo.Keeper', actions: { read: ALL, create: ALL } };

  test('is not written by anybody else, whatever the roles grant', () => {
    const create = (asking: Asking) => () =>
      stepsOf('POST', 'Keepers', { Name: 'x' }, { ...asking, model });
    expect(faultOf(create({ policy: policyOf(grant) })).code).toBe('access.write');
    expect(create({})).not.toThrow();
  });
});

describe('files', () => {
  test('are added, replaced and removed by who may attach to the entity around them', () => {
    const note: Grant = { type: 'Odd.Zoo.Note', actions: { read: ALL, attach: ALL } };
    expect(steps('POST', 'Animals(1)/Notes(2)/Files', undefined, note)).toHaveLength(3);
    expect(steps('DELETE', 'Animals(1)/Notes(2)/Files(3)', undefined, note).at(-1)).toBe(
      'delete r1',
    );
    expect(steps('PUT', 'Animals(1)/Notes(2)/Files(3)/$value', undefined, note)).toHaveLength(3);
    expect(fault('DELETE', 'Animals(1)/Notes(2)/Files(3)')).toBe('403 access.write');
    const file: Grant = { type: 'Odd.Zoo.File', actions: { read: ALL, delete: ALL, create: ALL } };
    expect(fault('DELETE', 'Animals(1)/Notes(2)/Files(3)', undefined, file)).toBe(
      '403 access.write',
    );
  });
});
