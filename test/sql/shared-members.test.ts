// This file plans requests one after another, so that they share what earlier ones have planned and compiled, and compares each script with
// that of the same request as the first one of a model.
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveRights } from '../../src/access/policy.ts';
import { readRole } from '../../src/access/read-roles.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { ruleBinder, ruleCheck } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import type { Plan, SharedMembers } from '../../src/plan/read-plan.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';

type Headers = Readonly<Record<string, string>>;

interface Planned {
  readonly plan: Plan;
  /** The script as text. */
  readonly script: string;
}

/** A model in which nothing has been planned yet, with rights by role; the role `administrator` is not restricted. */
function freshPlanner(): (url: string, headers: Headers, role: string) => Planned {
  const model = suiteModel();
  const layout = makeLayout(model);
  const scope = { model, rules: 'odata', limits: DEFAULT_BIND_LIMITS } as const;
  const roles = suiteRoles.map((role) => readRole(model, role, ruleCheck(scope)).role);
  const bindRule = ruleBinder(scope);
  const rights = new Map(
    roles.map(({ name }) => {
      const administrator = name === 'administrator';
      const principal = { account: 1n, loginName: 'x', person: 1n, roles: [name], administrator };
      return [name, resolveRights({ roles }, principal, model)];
    }),
  );
  return (url, headers, role) => {
    const [path = '', query = ''] = url.split('?');
    const tree = parse({ method: 'GET', path, query, headers }, DEFAULT_LIMITS);
    const plan = decide(bind(tree, scope), tree, {
      model,
      rights: rights.get(role) ?? expect.fail(`no role ${role}`),
      limits: DEFAULT_PAGE_LIMITS,
      languages: model.definition.languages,
      bindRule,
    });
    const script = compile(plan, layout, SQLITE);
    const text = JSON.stringify(script, (_, content) =>
      typeof content === 'bigint' ? `${content}n` : content,
    );
    return { plan, script: text };
  };
}

const URLS = [
  'ServiceRequests?$select=Uid,Status,Workaround',
  'ServiceRequests(7)',
  'ServiceRequests(7)/HistoryLines?$select=Subject,Kind',
  'Workorders?$expand=ServiceRequest($select=Uid,Status)&$select=Uid,Status',
  'Persons?$select=Uid,Gender,Birthdate',
];

const FORMATS: readonly Headers[] = [
  {},
  { accept: 'application/json;odata.metadata=none' },
  { accept: 'application/json;odata.metadata=full' },
  { accept: 'application/json;IEEE754Compatible=true' },
  { accept: 'application/json;ExponentialDecimals=true' },
  { 'accept-language': 'nl' },
  { 'odata-maxversion': '4.01', 'odata-version': '4.01' },
  { prefer: 'omit-values=nulls' },
  { prefer: 'omit-values=defaults' },
  { prefer: 'include-annotations="-*"' },
];

const REQUESTS = URLS.flatMap((url) => [
  ...FORMATS.map((headers) => ({ url, headers, role: 'requester' })),
  ...['administrator', 'agent', 'approver'].map((role) => ({ url, headers: {}, role })),
]);

/** The script, or the code of the error. */
function outcome(planned: () => Planned): string {
  try {
    return planned().script;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : expect.fail(`${error}`);
  }
}

function sharedIn({ plan }: Planned): readonly SharedMembers[] {
  const members = plan.kind === 'read' && 'shape' in plan.output ? plan.output.shape.members : [];
  return members.filter((member) => member.kind === 'shared');
}

describe('what plans share', () => {
  const planShared = freshPlanner();
  const expected: string[] = [];

  beforeAll(() => {
    for (const { url, headers, role } of REQUESTS)
      expected.push(outcome(() => freshPlanner()(url, headers, role)));
  });

  it.each(['in order', 'in reverse'])('changes no script, %s', (order) => {
    const requests = REQUESTS.map((request, index) => ({ ...request, index }));
    if (order === 'in reverse') requests.reverse();
    const changed = requests.filter(
      ({ url, headers, role, index }) =>
        outcome(() => planShared(url, headers, role)) !== expected[index],
    );
    expect(changed).toEqual([]);
  });

  it('is the same object, also if requests select other members', () => {
    const [first] = sharedIn(planShared('Persons?$select=Uid,Name', {}, 'agent'));
    const [second] = sharedIn(planShared('Persons?$select=Uid,Email&$top=3', {}, 'agent'));
    expect(first).toBeDefined();
    expect(second).toBe(first);
  });
});
