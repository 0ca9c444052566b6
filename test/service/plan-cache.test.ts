// This file checks that a plan which is found for another request with the same template is the plan that would have been made for the
// request: the same statements with the same values, and the same facts for the response.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Rights } from '../../src/access/policy.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import { Parameters } from '../../src/bind/parameter.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import { writeToken } from '../../src/plan/read/tokens.ts';
import type { Plan } from '../../src/plan/read-plan.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import type { Tree } from '../../src/request/tree.ts';
import { PlanCache } from '../../src/service/cache/plan-cache.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Script, Statement } from '../../src/sql/script.ts';
import { oddModel as model } from '../odd-model.ts';

const layout = makeLayout(model);
const limits = DEFAULT_BIND_LIMITS;
const rights: Rights = { everything: true, types: new Map(), updatesAll: true, roles: [] };
const root = 'http://zoo.example/odata/';

interface Kept {
  readonly plan: Plan;
  readonly script: Script;
}

const cacheOf = (bytes = 1_000_000_000) => new PlanCache<Kept>(bytes, () => 1000);

function treeOf(address: string): Tree {
  const [path = '', query = ''] = address.split('?');
  return parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
}

function prepare(tree: Tree, parameters?: Parameters): Kept {
  const bound = bind(tree, { model, rules: 'odata', limits, root, parameters });
  const plan = decide(bound, tree, {
    model,
    rights,
    languages: model.definition.languages,
    limits: DEFAULT_PAGE_LIMITS,
    bindRule: ruleBinder({ model, rules: 'odata', limits }),
    parameters,
  });
  return { plan, script: compile(plan, layout, SQLITE) };
}

/** The plan from the cache, or a new one that is kept; `count` is called for new ones. */
function shared(cache: PlanCache<Kept>, address: string, count: () => void = () => undefined) {
  const tree = treeOf(address);
  const { template } = tree;
  const key = { rights, template: template.text };
  const found = cache.find(key, template.values);
  if (found !== undefined) return { ...found.plan, values: found.values };
  count();
  const parameters = new Parameters({
    values: template.values,
    templates: [{ template, first: 0 }],
  });
  const kept = prepare(tree, parameters);
  cache.keep(key, parameters, kept);
  return { ...kept, values: parameters.values };
}

/** All that can be seen of a plan in a response, or the error. */
function shown(make: () => Kept & { readonly values?: readonly unknown[] }): unknown {
  try {
    const { plan, script, values = [] } = make();
    const bound = ({ text, parameters }: Statement) => [
      text,
      parameters.map((one) => {
        if (one.kind === 'input') return values[one.slot];
        return one.kind === 'value' ? one.value : one;
      }),
    ];
    const statements =
      script.kind === 'read'
        ? [bound(script.statement), script.parent && bound(script.parent)]
        : script;
    return { statements, facts: factsOf(plan, values) };
  } catch (error) {
    return String(error);
  }
}

function factsOf(plan: Plan, values: readonly unknown[]): unknown {
  if (plan.kind !== 'read') return plan.kind;
  const { context, contextKeys, applied, nullable, remaining, paging, select } = plan;
  const keys = contextKeys.map(({ at, length, slot }) => [at, context.slice(0, at), length, slot]);
  const own = keys.length === 0 ? context : [contextKeys.map(({ slot }) => values[slot])];
  const { page } = select;
  return [own, applied, nullable, remaining, paging, page && [page.limit, page.more]];
}

const integer = fc.oneof(
  fc.nat({ max: 40 }),
  fc.constantFrom(0, 1, 126, 127, 128, 255, 256, 32767, 32768, 70000),
  fc.constantFrom(2147483647, 2147483648, 9007199254740991),
);
const words = fc.constantFrom('ada', 'Jane', 'PT1H', 'PT60M', 'Surface', 'x%20y', '1', "o''k", 'i');
const number = integer.map(String);
const literal = fc.oneof(
  number,
  words.map((word) => `'${word}'`),
  fc.constantFrom('null', 'true', '1.5', '2026-01-02', '-7', '%27ada%27', '5e3'),
);
const property = fc.constantFrom(
  ...['Id', 'Name', 'Number', 'Remark', 'Tiny', 'Short', 'Whole', 'Big', 'Words', 'Badge', 'Email'],
);
const comparison = fc
  .tuple(property, fc.constantFrom('eq', 'ne', 'gt', 'le', 'add', 'mod', 'in'), literal, literal)
  .map(([name, operator, left, right]) => {
    if (operator === 'in') return `${name}%20in%20(${left},${right})`;
    const isSum = operator === 'add' || operator === 'mod';
    return isSum
      ? `${name}%20${operator}%20${left}%20eq%20${right}`
      : `${name}%20${operator}%20${left}`;
  });
const call = fc
  .tuple(fc.constantFrom('contains', 'startswith', 'concat', 'substring', 'round'), words, number)
  .map(([name, word, at]) => {
    if (name === 'substring') return `substring(Name,${at})%20eq%20'${word}'`;
    if (name === 'round') return `round(${at})%20eq%20${at}`;
    if (name === 'concat') return `concat(Name,'${word}')%20eq%20'${word}'`;
    return `${name}(Name,'${word}')`;
  });
const condition = fc.oneof({ weight: 3, arbitrary: comparison }, { weight: 1, arbitrary: call });
const filter = fc
  .array(condition, { minLength: 1, maxLength: 2 })
  .map((all) => `$filter=${all.join('%20and%20')}`);
const more = fc.constantFrom('', '&$top=3', '&$orderby=Name&$skip=2', '&$count=true');
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('Animals', 'Keepers', 'Samples', 'Oddities'), number)
    .map(([set, key]) => `${set}(${key})`),
  number.map((key) => `Animals(${key})/Keeper`),
  number.map((key) => `Enclosures(Wing='A',Number=${key})`),
  fc
    .tuple(number, number)
    .map(([left, right]) => `Enclosures(Wing='A',Number=${left})/Feedings(${right})`),
);
const set = fc.constantFrom('Animals', 'Keepers', 'Samples', 'Oddities');
const address = fc.oneof(
  path,
  fc.tuple(set, filter, more).map(([name, chosen, rest]) => `${name}?${chosen}${rest}`),
  fc.tuple(number, filter).map(([key, chosen]) => `Keepers(${key})/Animals?${chosen}`),
);

it('a plan that is found is the plan that would be made, whatever the literals', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(address, { minLength: 1, maxLength: 12 }), (addresses) => {
      const cache = cacheOf();
      for (const one of [...addresses, ...addresses]) {
        const fresh = shown(() => shared(cacheOf(), one));
        expect(shown(() => shared(cache, one))).toEqual(fresh);
        const plain = shown(() => prepare(treeOf(one)));
        expect(withoutKeys(fresh)).toEqual(withoutKeys(plain));
      }
      found += cache.hits;
    }),
    { numRuns: 150 },
  );
  expect(found).toBeGreaterThan(100);
});

/** Without parameters, the keys in the context are part of its text. */
function withoutKeys(seen: unknown): unknown {
  return typeof seen === 'object' && seen !== null && 'statements' in seen ? seen.statements : seen;
}

function plansFor(addresses: readonly string[], cache = cacheOf()): number {
  let count = 0;
  for (const one of addresses)
    shared(cache, one, () => {
      count++;
    });
  return count;
}

const numbers = Array.from({ length: 40 }, (_, index) => index);

it.each<[string, (index: number) => string]>([
  ['keys', (index) => `Animals(${index})`],
  ['keys of parents', (index) => `Keepers(${index})/Animals?$top=2`],
  ['numbers', (index) => `Samples?$filter=Short gt ${index} and Big lt ${index * 3}`],
  ['texts', (index) => `Animals?$filter=Name eq 'it''s ${index}'`],
  ['texts in an index', (index) => `Animals?$filter=contains(Name,'word${index}')`],
  ['beginnings', (index) => `Animals?$filter=startswith(Name,'word${index}')`],
  ['lists', (index) => `Animals?$filter=Number in (${index},7,${index + 1})`],
  ['aliases', (index) => `Animals?$filter=Name eq @name&@name='${index}'`],
  ['words of a search', (index) => `Animals?$search=word${index}`],
  ['rows to skip', (index) => `Animals?$skip=${index + 1}`],
  [
    'points in time',
    (index) => `Animals?$filter=Created ge 2026-01-${10 + (index % 20)}T00:00:00Z`,
  ],
])('one plan serves all %s', (_, addressOf) => {
  expect(plansFor(numbers.map((index) => encodeURI(addressOf(index))))).toBe(1);
});

it('one plan serves all pages after the first', () => {
  const tree = treeOf('Animals?$orderby=Name');
  const { plan } = prepare(tree);
  const { signature = '' } = plan.kind === 'read' ? (plan.paging ?? {}) : {};
  const tokens = numbers.map((index) =>
    writeToken(signature, { kind: 'values', after: [`name ${index}`, BigInt(index)] }),
  );
  const addresses = tokens.map((token) => `Animals?$orderby=Name&$skiptoken=${token}`);
  expect(plansFor(addresses)).toBe(1);
  const last = writeToken(signature, { kind: 'values', after: [null, 5n] });
  expect(plansFor([...addresses, `Animals?$orderby=Name&$skiptoken=${last}`])).toBe(2);
});

it('a plan that depends on a value serves only that value', () => {
  const parts = numbers.map((at) => `Animals?$filter=substring(Name,${at})%20eq%20'x'`);
  expect(plansFor([...parts, ...parts])).toBe(40);
});

it('a value that planning uses without making it a parameter belongs to the plan', () => {
  const groups = numbers.map((index) => `Animals?$apply=groupby((Name))&$skip=${index + 1}`);
  expect(plansFor([...groups, ...groups])).toBe(40);
});

it('a plan that depends on the form of a value serves that form', () => {
  const searches = ['wo', 'w', 'o', 'wor', 'word'];
  const filters = searches.map((word) => `Animals?$filter=contains(Name,'${word}')`);
  expect(plansFor(filters)).toBe(2);
  const tiny = [1, 100, 127, 128, 300, 70_000];
  expect(plansFor(tiny.map((number) => `Samples?$filter=Tiny%20eq%20${number}`))).toBeLessThan(5);
});

it('a request that contains a marker of templates is planned on its own', () => {
  const { template } = treeOf('Animals?$filter=Name%20eq%20%27%01i%27');
  expect(template.isComplete).toBe(false);
});

it('the cache forgets the templates that were least recently used', () => {
  const cache = cacheOf(30_000);
  const templates = numbers.map((index) => `Animals?$top=${index}`);
  expect(plansFor(templates, cache)).toBe(40);
  expect(plansFor(templates.slice(-5), cache)).toBe(0);
  expect(plansFor(templates.slice(0, 5), cache)).toBe(5);
});
