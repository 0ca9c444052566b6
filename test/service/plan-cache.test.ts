// This file checks that a plan which is remembered by the shape of its address is the plan that would have been made for the address:
// the same statement with the same values, the same facts for the answer, the same next link.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Rights } from '../../src/access/policy.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { printPath, printQuery } from '../../src/request/print/url.ts';
import { exchanging, type PreparedRead } from '../../src/service/cache/exchange-literals.ts';
import { PlanCache } from '../../src/service/cache/read-plan-cache.ts';
import { hasSign, shapeOf } from '../../src/service/cache/url-template.ts';
import type { Call } from '../../src/service/service.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { oddModel as model } from '../odd-model.ts';

const layout = makeLayout(model);
const limits = DEFAULT_BIND_LIMITS;
const rights: Rights = { everything: true, types: new Map(), updatesAll: true };
const root = 'http://zoo.example/odata/';

function callOf(address: string): Call {
  const [path = '', query = ''] = address.split('?');
  const who = { id: 'c', address: '::1', root, headers: {}, body: undefined };
  return { ...who, method: 'GET', path, query };
}

function treeOf({ method, path, query }: Call) {
  return parse({ method, path, query, headers: {} }, DEFAULT_LIMITS);
}

function prepare(call: Call): PreparedRead {
  const tree = treeOf(call);
  const bound = bind(tree, { model, rules: 'odata', limits, root });
  const plan = decide(bound, tree, {
    model,
    rights,
    languages: model.definition.languages,
    limits: DEFAULT_PAGE_LIMITS,
    bindRule: ruleBinder({ model, rules: 'odata', limits }),
  });
  return { tree, plan, script: compile(plan, layout, SQLITE) };
}

/** All that can be seen of a plan in an answer, or the refusal. */
function shown(make: () => PreparedRead): unknown {
  try {
    const { tree, plan, script } = make();
    const address = `${printPath(tree.path)}?${printQuery(tree.options)}`;
    const statement =
      script.kind === 'read'
        ? [script.statement, script.parent].map((one) => [
            one?.text,
            one?.parameters.map((two) => (two.kind === 'value' ? two.value : two)),
          ])
        : script;
    const facts = 'context' in plan ? [plan.context, plan.applied] : plan.kind;
    return { address, statement, facts };
  } catch (error) {
    return String(error);
  }
}

const cacheOf = () => new PlanCache(exchanging(treeOf));

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

it('a remembered plan is the plan that would be made, whatever the literals', () => {
  const known = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(address, { minLength: 1, maxLength: 12 }), (addresses) => {
      const cache = cacheOf();
      for (const one of [...addresses, ...addresses]) {
        const asked = callOf(one);
        const { key } = shapeOf(asked.path, asked.query);
        known.set(key, (known.get(key) ?? 0) + 1);
        expect(shown(() => cache.get(rights, asked, () => prepare(asked)))).toEqual(
          shown(() => prepare(asked)),
        );
      }
    }),
    { numRuns: 150 },
  );
  expect(Math.max(...known.values())).toBeGreaterThan(20);
});

const prepared = (cache: PlanCache<PreparedRead>, addresses: readonly string[]) => {
  let count = 0;
  for (const one of addresses) {
    const asked = callOf(one);
    cache.get(rights, asked, () => {
      count++;
      return prepare(asked);
    });
  }
  return count;
};

it('an address of a known shape is not planned again', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `Animals(${index})`);
  expect(prepared(cacheOf(), keys)).toBe(2);
  const filters = keys.map(
    (_, index) => `Animals?$filter=Number%20gt%20${index}%20and%20Name%20eq%20'name${index}'`,
  );
  expect(prepared(cacheOf(), filters)).toBe(2);
});

it('what depends on a literal otherwise than as a value is planned for each, and remembered', () => {
  const parts = Array.from(
    { length: 10 },
    (_, at) => `Animals?$filter=substring(Name,${at})%20eq%20'x'`,
  );
  expect(prepared(cacheOf(), [...parts, ...parts])).toBe(10);
});

it('what is made out of a text is made of the other one, unless that is too short for the way of the first', () => {
  const searches = Array.from(
    { length: 10 },
    (_, at) => `Animals?$filter=contains(Name,'word${at}')%20and%20startswith(Name,'w${at}')`,
  );
  expect(prepared(cacheOf(), searches)).toBe(2);
  const short = ['wo', 'w', 'o'].map((word) => `Animals?$filter=contains(Name,'${word}')`);
  expect(prepared(cacheOf(), [...short, `Animals?$filter=contains(Name,'wor')`])).toBe(3);
});

it('the plan of a page that follows another is kept when it is asked for again', () => {
  const pages = Array.from({ length: 5 }, (_, at) => `Animals?$top=${at + 1}`);
  const next = 'Animals?$skiptoken=1.00000000.5.5b315d';
  expect(prepared(cacheOf(), [...pages, ...pages])).toBe(5);
  let count = 0;
  const cache = cacheOf();
  const asked = callOf(next);
  for (let time = 0; time < 4; time++)
    cache.get(rights, asked, () => {
      count++;
      return prepare(callOf('Animals'));
    });
  expect(count).toBe(2);
});

it('an address with the character that shapes are written with is not remembered', () => {
  const asked = { path: 'Animals(\u00010)', query: '' };
  expect(hasSign(asked)).toBe(true);
  const cache = cacheOf();
  expect(prepared(cache, ['Animals(1)', 'Animals(2)'])).toBe(2);
  expect(() =>
    cache.get(rights, { ...callOf(''), ...asked }, () => prepare({ ...callOf(''), ...asked })),
  ).toThrow();
});

it('a plan is not used for other literals where the check says that it would differ', () => {
  const wrong = prepare(callOf('Animals(1)'));
  let checks = 0;
  const cache = new PlanCache<PreparedRead>({
    exchange: () => () => wrong,
    isSame: () => {
      checks++;
      return false;
    },
  });
  const shownOf = (address: string) => {
    const asked = callOf(address);
    return shown(() => cache.get(rights, asked, () => prepare(asked)));
  };
  for (const key of [7, 8, 9, 8, 10])
    expect(shownOf(`Animals(${key})`)).toEqual(shown(() => prepare(callOf(`Animals(${key})`))));
  expect(checks).toBe(1);
});
