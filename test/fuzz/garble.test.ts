// This file damages valid requests in one place each: a character or a piece is left out, doubled or replaced. What comes of it is
// a refusal of the client's mistake or another plan; never the plan of the request that was right, and never an error of ours.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADMINISTRATORS_ONLY, resolveRights } from '../../src/access/policy.ts';
import { Fault } from '../../src/base/fault.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS, type Scope } from '../../src/bind/scope.ts';
import type { Model } from '../../src/edm/model.ts';
import { decide } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { oddModel } from '../odd-model.ts';
import { suiteModel } from '../service-desk.ts';
import { cases, timeLimit } from './cases.ts';

const ZOO_REQUESTS = [
  'Animals',
  'Animals(7)',
  'Animals(Number=1)/Name',
  'Animals(7)/Care/Room/Name/$value',
  'Animals(7)/Odd.Zoo.Bird/Eggs(3)',
  "Enclosures(Wing='A',Number=1)",
  "Keepers(Email='ann@zoo.example')/Animals",
  "AllSpecies('Aves')/Parts/$count",
  'Animals/Odd.Zoo.Bird',
  'Animals/$filter(@f)/$count?@f=Tame eq true',
  '$crossjoin(Animals,Passports)?$filter=Passports/Animal/Id eq Animals/Id',
  'Sum(a=1.5,b=2)',
  'Heavy(least=1)?$top=2',
  'Animals/Odd.Zoo.Grown(least=50)',
  'Animals(7)/Odd.Zoo.Age(on=2020-03-01)',
  'Animals(7)/Keepers/$ref',
  "Animals?$filter=Name eq 'Rex'",
  'Animals?$filter=Weight gt 1.25 and Weight lt 2',
  'Animals?$filter=Weight add 5 mul 2 eq 7',
  "Animals?$filter=startswith(Name,'Po') or endswith(Name,'mo')",
  "Animals?$filter=not contains(tolower(Remark),'wild')",
  'Animals?$filter=Number in (11,22,33)',
  "Animals?$filter=Skills has Odd.Zoo.Skills'Flies'",
  "Animals?$filter=Diet eq 'Everything'",
  'Animals?$filter=Born lt 2020-02-29',
  'Animals?$filter=Created ge 2020-01-01T00:00:00Z',
  "Animals?$filter=Born sub 2020-02-28 eq duration'P3D'",
  'Animals?$filter=Mood/Value eq 1002',
  "Animals?$filter=Mother/Species/Title eq 'Birds'",
  'Animals?$filter=Odd.Zoo.Fish/SaltWater eq true',
  "Animals?$filter=Keepers/any(k:k/Boss/Name eq 'Ann')",
  'Animals?$filter=Habits/all(h:h/TimesADay ge 3)',
  'Animals?$filter=Keepers/$count gt 12',
  "Animals?$filter=case(Weight gt 50:'big',true:'small') eq 'big'",
  "Animals?$filter=cast(Number,Edm.String) eq '4'",
  "Animals?$filter=Name eq @n&@n='Rex'",
  'Animals?$orderby=Weight desc,Name',
  'Animals?$top=25&$skip=13',
  'Animals?$count=true',
  'Animals?$search=Polly OR Nemo',
  'Animals?$select=Name,Weight,Care/Since',
  'Animals?$expand=Species,Keepers($select=Name;$top=5)',
  'Animals?$expand=Keepers($filter=Badge gt 17;$orderby=Name desc;$count=true)',
  "AllSpecies('Aves')?$expand=Parts($levels=3)",
  'Animals?$compute=Weight mul 2 as Twice&$select=Name,Twice',
  'Animals?$apply=aggregate(Weight with sum as Total)',
  'Animals?$apply=groupby((Tame,Diet),aggregate($count as N))',
  'Animals?$apply=filter(Weight gt 15)/topcount(3,Weight)',
  'Samples?$filter=Tag eq 01234567-89ab-cdef-0123-456789abcdef',
  'Samples?$filter=Clock gt 12:34:56 or Whole div 4 eq 3',
] as const;

const DESK_REQUESTS = [
  'ServiceRequests(1001)',
  'ServiceRequests(1001)/Caller/Organization',
  'ServiceRequests(1001)/Assignment/AssigneePerson',
  'ServiceRequests?$filter=Status/Value eq 101003',
  "ServiceRequests?$filter=Caller/Organization/Name1 eq 'Hillside'",
  'ServiceRequests?$filter=Workorders/any(w:w/Status/Value eq 105004)',
  "ServiceRequests?$filter=contains(Description,'fire')&$orderby=ID desc&$top=37",
  'ServiceRequests?$select=Uid,Description&$expand=Caller($select=Uid,Name)',
  'ServiceRequests?$expand=Assignment/AssigneePerson($expand=Organization)',
  'Persons?$filter=Blocked eq false and Uid gt 31&$count=true',
  'Persons?$filter=Registration/DateCreated ge 2026-03-27T16:30:00Z',
  "Templates?$filter=Entity/Name eq 'ServiceRequest'",
  'ServiceRequests?$apply=groupby((Status/Text),aggregate($count as N))',
] as const;

let builtIn: Model | undefined;
const desk = (): Model => {
  builtIn ??= suiteModel();
  return builtIn;
};

/** The plan as text, or the refusal. Errors of ours are let through. */
function outcomeOf(url: string, model: Model): string {
  try {
    return planOf(url, model);
  } catch (error) {
    if (error instanceof Fault && error.status >= 400 && error.status < 500) return 'refused';
    if (error instanceof Fault && error.status === 501) return 'refused';
    throw error;
  }
}

function planOf(url: string, model: Model): string {
  const [path = '', ...rest] = url.split('?');
  const query = rest.join('?').replaceAll('+', '%2B').replaceAll('#', '%23');
  const tree = parse(
    { method: 'GET', path: encodeURI(path), query: encodeURI(query), headers: {} },
    DEFAULT_LIMITS,
  );
  const scope: Scope = { model, rules: 'odata', limits: DEFAULT_BIND_LIMITS, root: 'http://x/' };
  const principal = {
    account: 1n,
    loginName: 'root',
    person: undefined,
    roles: [],
    administrator: true,
  };
  const setting = {
    model,
    rights: resolveRights(ADMINISTRATORS_ONLY, principal, model),
    limits: DEFAULT_PAGE_LIMITS,
    languages: ['en'],
    bindRule: ruleBinder(scope),
  };
  return print(decide(bind(tree, scope), tree, setting));
}

/** A plan as text: parts of the model by their names; numbers of variables and places in the text say nothing of what is done. */
function print(plan: unknown): string {
  const above = new Set<object>();
  const known = partsOf(oddModel);
  for (const part of partsOf(desk())) known.add(part);
  const ids = new Map<unknown, number>();
  const text = (value: unknown, key: string): string => {
    if (key === 'place' || key === 'at' || typeof value === 'function') return '';
    if (key === 'id' && typeof value === 'number') {
      if (!ids.has(value)) ids.set(value, ids.size);
      return `#${ids.get(value)}`;
    }
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' || typeof value !== 'object' || value === null) {
      return typeof value === 'string' ? JSON.stringify(value) : String(value);
    }
    if (known.has(value)) return 'name' in value ? `<${String(value.name)}>` : '<part>';
    if (above.has(value)) return '^';
    above.add(value);
    const entries: readonly (readonly [string, unknown])[] =
      value instanceof Map
        ? [...value].map(([name, inner]) => [String(name), inner])
        : value instanceof Set
          ? [...value].map((inner, at) => [String(at), inner])
          : Object.entries(value);
    const inside = entries.map(([name, inner]) => `${name}:${text(inner, name)}`).join(',');
    above.delete(value);
    return `{${inside}}`;
  };
  return text(plan, '');
}

const parts = new WeakMap<Model, Set<object>>();

function partsOf(model: Model): Set<object> {
  const found = parts.get(model) ?? new Set<object>([model]);
  if (!parts.has(model)) {
    for (const type of model.types.values()) {
      found.add(type);
      if (type.kind !== 'entity' && type.kind !== 'complex') continue;
      for (const member of model.members(type).values()) found.add(member);
    }
    parts.set(model, found);
  }
  return found;
}

/**
 * What may be written in two ways under OData 4.01: the $ of an option and blanks, prefixes of durations and enumerations, the
 * namespace of a function or type; the singular name of a set, which addresses a record as well; and a slash after a path.
 */
function canonical(url: string): string {
  return decodeURIComponent(url)
    .replaceAll(/(^|[?&;(])\$/g, '$1')
    .replace(/^(\w+?)s(?=\()/, '$1')
    .replace(/^([^?]*[^?/])\/(?=\?|$)/, '$1')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([,;=?&()]) ?/g, '$1')
    .replaceAll(/duration|Odd\.Zoo\.(?:Skills)?/g, '')
    .replaceAll(/[&?]+$/g, '')
    .replaceAll(/&+/g, '&')
    .trim();
}

/** Words, numbers, names with dots, blanks, and every other character alone. */
function piecesOf(url: string): readonly string[] {
  return url.match(/[A-Za-z_]+|[0-9]+|\s+|[^A-Za-z_0-9\s]/g) ?? [];
}

const NOISE = [
  ')',
  '(',
  "'",
  ',',
  ';',
  '/',
  '&',
  '=',
  '$',
  '@',
  ':',
  '.',
  '-',
  '*',
  'x',
  '9',
  ' eq ',
  ' and ',
  '"',
  '{',
  '[',
  'null',
];

type Damage = (pieces: readonly string[], at: number, noise: string) => readonly string[];
const DAMAGES: Readonly<Record<string, Damage>> = {
  drop: (pieces, at) => pieces.toSpliced(at, 1),
  double: (pieces, at) => pieces.toSpliced(at, 0, pieces[at] ?? ''),
  replace: (pieces, at, noise) => pieces.toSpliced(at, 1, noise),
  insert: (pieces, at, noise) => pieces.toSpliced(at, 0, noise),
  swap: (pieces, at) => pieces.toSpliced(at, 2, pieces[at + 1] ?? '', pieces[at] ?? ''),
};

const ALL = [
  ...ZOO_REQUESTS.map((url) => ({ url, model: () => oddModel })),
  ...DESK_REQUESTS.map((url) => ({ url, model: desk })),
];

describe('A request that is damaged in one place', () => {
  test.each(ALL)('$url is right as it is', ({ url, model }) => {
    expect(outcomeOf(url, model())).toMatch(/^\{/);
  });

  const same = (url: string, damaged: string, model: Model): boolean =>
    canonical(damaged) !== canonical(url) && outcomeOf(damaged, model) === outcomeOf(url, model);

  const unnoticed = (url: string, damaged: readonly string[], model: Model) =>
    damaged.filter((text) => same(url, text, model));

  test.each(ALL)(
    'each character of $url left out: refused, or something else',
    ({ url, model }) => {
      const damaged = Array.from(url, (_, at) => url.slice(0, at) + url.slice(at + 1));
      expect(unnoticed(url, damaged, model())).toEqual([]);
    },
  );

  test.each(ALL)('each piece of $url left out: refused, or something else', ({ url, model }) => {
    const pieces = piecesOf(url);
    const damaged = pieces.map((_, at) => pieces.toSpliced(at, 1).join(''));
    expect(unnoticed(url, damaged, model())).toEqual([]);
  });

  test(
    'by chance, in every way: refused, or something else',
    () => {
      const damage = fc.record({
        request: fc.constantFrom(...ALL),
        way: fc.constantFrom(...Object.keys(DAMAGES)),
        place: fc.double({ min: 0, max: 0.999, noNaN: true }),
        noise: fc.constantFrom(...NOISE),
        byCharacter: fc.boolean(),
      });
      fc.assert(
        fc.property(damage, ({ request, way, place, noise, byCharacter }) => {
          const pieces = byCharacter ? [...request.url] : piecesOf(request.url);
          const at = Math.floor(place * pieces.length);
          const damaged = DAMAGES[way]?.(pieces, at, noise).join('') ?? '';
          return !same(request.url, damaged, request.model());
        }),
        cases(3000),
      );
    },
    timeLimit(60_000),
  );
});
