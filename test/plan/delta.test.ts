// This file checks how changes are tracked, and what a delta link asks for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reach } from '../../src/access/policy.ts';
import { readRule } from '../../src/access/read-roles.ts';
import { Fault } from '../../src/base/fault.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { readDeltaToken, writeDeltaToken } from '../../src/plan/read/tokens.ts';
import type { DeltaPlan, Plan, RowDependencies } from '../../src/plan/read-plan.ts';
import { ask, everything, rightsOf, scope, setting } from './readings.ts';

const TRACK = { prefer: 'odata.track-changes' };
type Headers = Readonly<Record<string, string>>;

function planOf(url: string, headers: Headers = TRACK, rights = everything): Plan {
  const tree = ask(url, headers);
  return decide(bind(tree, scope), tree, setting(rights));
}

function trackingOf(url: string, headers?: Headers, rights = everything) {
  const plan = planOf(url, headers, rights);
  if (plan.kind !== 'read') throw new Error(`a ${plan.kind} was planned`);
  return plan.tracking;
}

function signatureOf(url: string, headers?: Headers, rights = everything): string {
  const tracking = trackingOf(url, headers, rights);
  if (tracking === undefined) throw new Error(`${url} is not tracked`);
  return tracking.signature;
}

/** The plan of the delta link of a query. */
function deltaOf(url: string, span = '7', rights = everything): DeltaPlan {
  const link = `${url}${url.includes('?') ? '&' : '?'}$deltatoken=1.${signatureOf(url, TRACK, rights)}.${span}`;
  const plan = planOf(link, {}, rights);
  if (plan.kind !== 'delta') throw new Error(`a ${plan.kind} was planned`);
  return plan;
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function show({ source, steps }: RowDependencies): string {
  const inner = steps.map(({ path, navigation, target }) => {
    const by = [...path, navigation].map((step) => step.name).join('/');
    return `${by}:${show(target)}`;
  });
  return inner.length === 0 ? source.id : `${source.id}(${inner.join(',')})`;
}

describe('The preference track-changes', () => {
  it.each([
    ['4.0', {}, ['odata.track-changes']],
    ['4.01', { 'odata-maxversion': '4.01' }, ['odata.track-changes']],
    ['4.01', { prefer: 'track-changes', 'odata-maxversion': '4.01' }, ['track-changes']],
    [
      '4.0 with a page size',
      { prefer: 'track-changes,maxpagesize=5' },
      ['maxpagesize=5', 'track-changes'],
    ],
  ])('is followed for a set and named as applied in %s', (_, headers, applied) => {
    const plan = planOf('Animals', { ...TRACK, ...headers });
    expect(plan.kind === 'read' && plan.applied).toEqual(applied);
    expect(plan.kind === 'read' && plan.tracking?.since).toBeUndefined();
  });

  it('is not there when nobody asks for it', () => {
    expect(trackingOf('Animals', {})).toBeUndefined();
  });

  it.each([
    ['one record', 'Animals(1)'],
    ['rows behind a navigation', 'Keepers(101)/Animals'],
    ['contained rows', 'Animals(1)/Notes'],
    ['a singleton', 'Director'],
    ['references', 'Animals/$ref'],
    ['a number of rows', 'Animals/$count'],
    ['rows that $apply made', 'Animals?$apply=groupby((Name))'],
    ['rows whose number $apply cuts', 'Animals?$apply=filter(Tame)'],
    ['a filter that the time decides', 'Animals?$filter=Created lt now()'],
    ['a record that no navigation leads to', 'Animals?$filter=$root/Keepers(101)/Name eq Name'],
    ['a value that the time decides', 'Animals?$compute=now() as N'],
  ])('is passed over for %s', (_, url) => {
    const plan = planOf(url);
    expect(plan.kind === 'read' && plan.tracking).toBe(undefined);
    expect(plan.kind === 'read' && plan.applied).toEqual([]);
  });

  it.each([
    [
      'without control information, which the delta link is',
      'application/json;odata.metadata=none',
    ],
    ['in XML', 'application/atom+xml'],
  ])('is passed over %s', (_, accept) => {
    expect(trackingOf('Animals', { ...TRACK, accept })).toBeUndefined();
  });

  it('asks for the addresses of the rows where an account may see some of them only', () => {
    const some: Reach = { kind: 'some', rules: [readRule('Tame')] };
    const grants = (read: Reach) => [{ type: 'Odd.Zoo.Animal', actions: { read } }];
    const guide = rightsOf({ name: 'guide', grants: grants(some) });
    expect(trackingOf('Animals', TRACK, guide)?.address?.[1]).toMatchObject({ text: 'Animals(' });
    const keeper = rightsOf({ name: 'keeper', grants: grants({ kind: 'all' }) });
    expect(trackingOf('Animals', TRACK, keeper)).toMatchObject({ address: undefined });
  });
});

describe('A delta link', () => {
  const QUERY = "Animals?$filter=Name eq 'Leo'&$select=Id,Name&$expand=Keepers($select=Id)";

  it.each([
    ['$top', `${QUERY}&$top=3`],
    ['$skip', `${QUERY}&$skip=3`],
    ['$orderby', `${QUERY}&$orderby=Name desc`],
    ['$count', `${QUERY}&$count=true`],
    ['$format', `${QUERY}&$format=application/json;odata.metadata=full`],
  ])('is the same whatever %s says', (_, url) => {
    expect(signatureOf(url)).toBe(signatureOf(QUERY));
  });

  it.each([
    ['filter', QUERY.replace('Leo', 'Mia')],
    ['selection', QUERY.replace('Id,Name', 'Id')],
    ['expansion', QUERY.replace('($select=Id)', '($select=Name)')],
    [
      'set',
      "Animals/Odd.Zoo.Bird?$filter=Name eq 'Leo'&$select=Id,Name&$expand=Keepers($select=Id)",
    ],
    ['search', `${QUERY}&$search=lion`],
  ])('is another one for another %s', (_, url) => {
    expect(signatureOf(url)).not.toBe(signatureOf(QUERY));
  });

  it('is another one when rights to a member have changed', () => {
    const role = (unreadable: readonly string[]) =>
      rightsOf({
        name: 'keeper',
        grants: [{ type: 'Odd.Zoo.Animal', actions: { read: { kind: 'all' } }, unreadable }],
      });
    const before = signatureOf('Animals?$select=Id', TRACK, role([]));
    expect(signatureOf('Animals?$select=Id', TRACK, role(['Weight']))).not.toBe(before);
  });

  it('asks for the changes of the query as a whole', () => {
    const { span, select, output, context, removedContext, limit } = deltaOf(QUERY);
    expect([span, output, limit]).toEqual([{ since: 7n }, 'records', 250]);
    expect([select.page, select.order, select.count]).toEqual([undefined, [], false]);
    expect(context).toBe('#Animals(Id,Name,Keepers(Id))/$delta');
    expect(removedContext).toBe('#Animals/$deletedEntity');
  });

  it('goes on behind the last row of the page before, up to the same change', () => {
    expect(deltaOf('Animals', '7.20.301').span).toEqual({ since: 7n, until: 20n, after: 301n });
  });

  it('can have $count behind its path', () => {
    const token = `$deltatoken=1.${signatureOf(QUERY)}.7`;
    const plan = planOf(`${QUERY.replace('Animals?', 'Animals/$count?')}&${token}`, {});
    expect(plan.kind === 'delta' && plan.output).toBe('count');
  });

  it('with a skip token goes on with the rows themselves', () => {
    const plan = planOf('Animals?$top=1');
    if (plan.kind !== 'read') throw new Error('no rows');
    const skiptoken = `1.${plan.paging?.signature}..5B315D`;
    const signature = signatureOf('Animals');
    const tracking = trackingOf(`Animals?$skiptoken=${skiptoken}&$deltatoken=1.${signature}.7`, {});
    expect(tracking).toEqual({ signature, since: 7n });
  });

  it.each([
    ['$top', 'request.misplaced-option', 400],
    ['$skip', 'request.misplaced-option', 400],
  ])('cannot get %s in addition', (option, code, status) => {
    const fault = faultOf(() => deltaOf('Animals', `7&${option}=3`));
    expect([fault.code, fault.status]).toEqual([code, status]);
  });

  it('of another query is gone, and says where the rows are', () => {
    const fault = faultOf(() => planOf('Animals?$filter=Tame&$deltatoken=1.00000000.7', {}));
    expect([fault.code, fault.status]).toEqual(['plan.delta-gone', 410]);
    expect(fault.headers).toEqual({ Location: '?$filter=Tame' });
  });

  it('of rows that cannot be tracked is gone', () => {
    const url = 'Keepers(101)/Animals?$deltatoken=1.00000000.7';
    expect(faultOf(() => planOf(url, {})).code).toBe('plan.delta-gone');
  });

  it.each(['application/atom+xml', 'application/json;odata.metadata=none'])(
    'cannot be answered as %s',
    (accept) => {
      const url = `Animals?$deltatoken=1.${signatureOf('Animals')}.7`;
      expect(faultOf(() => planOf(url, { accept })).status).toBe(406);
    },
  );
});

describe('What an answer depends on', () => {
  it.each([
    ['nothing but its rows', 'Animals?$select=Id,Name', 'Animals'],
    [
      'a path in $filter',
      "Animals?$filter=Mother/Species/Latin eq 'x'",
      'Animals(Mother:Animals(Species:AllSpecies))',
    ],
    [
      'a path out of a complex value',
      "Animals?$filter=Care/Vet/Name eq 'x'",
      'Animals(Care/Vet:Keepers)',
    ],
    [
      'a lambda',
      "Animals?$filter=Keepers/any(k:k/Boss/Name eq 'x')",
      'Animals(Keepers:Keepers(Boss:Keepers))',
    ],
    ['a number of rows', 'Animals?$filter=Children/$count gt 1', 'Animals(Children:Animals)'],
    [
      'expansions and what is in them',
      "Animals?$expand=Keepers($filter=Boss/Name eq 'x';$expand=Staff)",
      'Animals(Keepers:Keepers(Boss:Keepers,Staff:Keepers))',
    ],
    ['contained rows', 'Animals?$expand=Notes', 'Animals(Notes:Odd.Zoo.Creature/Notes)'],
    [
      'the same rows reached twice',
      "Animals?$filter=Mother/Name eq 'x'&$expand=Mother",
      'Animals(Mother:Animals)',
    ],
    [
      'an order of expanded rows',
      'Animals?$expand=Children($orderby=Species/Latin;$top=1)',
      'Animals(Children:Animals(Species:AllSpecies))',
    ],
    [
      'a computed value',
      'Animals?$compute=length(Species/Latin) as L',
      'Animals(Species:AllSpecies)',
    ],
    [
      'a condition on contained rows of derived records',
      'Animals?$filter=Odd.Zoo.Bird/Eggs/any()',
      'Animals(Eggs:Odd.Zoo.Bird/Eggs)',
    ],
  ])('%s', (_, url, dependencies) => {
    expect(show(deltaOf(url).dependencies)).toBe(dependencies);
  });

  it('includes what rights to expanded rows depend on', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: { kind: 'all' } } },
        {
          type: 'Odd.Zoo.Keeper',
          actions: { read: { kind: 'some', rules: [readRule("Boss/Name eq 'x'")] } },
        },
      ],
    });
    expect(show(deltaOf('Animals?$expand=Keepers', '7', rights).dependencies)).toBe(
      'Animals(Keepers:Keepers(Boss:Keepers))',
    );
  });

  it('includes what rights to a row that a condition follows to depend on', () => {
    const rights = rightsOf({
      name: 'guide',
      grants: [
        { type: 'Odd.Zoo.Animal', actions: { read: { kind: 'all' } } },
        {
          type: 'Odd.Zoo.Keeper',
          actions: { read: { kind: 'some', rules: [readRule("Boss/Name eq 'x'")] } },
        },
      ],
    });
    expect(show(deltaOf("Animals?$filter=Care/Vet/Name eq 'y'", '7', rights).dependencies)).toBe(
      'Animals(Care/Vet:Keepers(Boss:Keepers))',
    );
  });
});

describe('Delta tokens', () => {
  const number = fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n });

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(number, number, number, (since, more, after) => {
        const until = since + more > 999_999_999_999_999_999n ? since : since + more;
        for (const span of [{ since }, { since, until, after }]) {
          const token = writeDeltaToken('0123abcd', span);
          expect(readDeltaToken(token)).toEqual({ signature: '0123abcd', span });
          expect(encodeURIComponent(token)).toBe(token);
        }
      }),
    );
  });

  it.each([
    '',
    '1',
    '8015',
    '2.0123abcd.7',
    '1.0123ABCD.7',
    '1.0123abcd.',
    '1.0123abcd.-7',
    '1.0123abcd.7.8',
    '1.0123abcd.9.8.1',
    '1.0123abcd.7.8.9.10',
    '1.0123abcd.1234567890123456789',
  ])('the text "%s" is none and refused with 400', (text) => {
    const fault = faultOf(() => readDeltaToken(text));
    expect([fault.code, fault.status, fault.target]).toEqual([
      'plan.deltatoken',
      400,
      '$deltatoken',
    ]);
  });
});
