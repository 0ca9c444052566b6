// This file draws reads of the zoo: system query options, aggregations, formats and headers, around random expressions.
import type { Random } from '../service/plan-cache/random.ts';
import type { Asked } from '../service/plan-cache/template.ts';
import {
  ANIMAL,
  expression,
  type Kind,
  type Members,
  ODDITY,
  SAMPLE,
  SPECIES,
} from './expressions.ts';
import { TEXTS } from './records.ts';

const SETS: readonly (readonly [set: string, members: Members])[] = [
  ['Samples', SAMPLE],
  ['Samples', SAMPLE],
  ['Animals', ANIMAL],
  ['Animals', ANIMAL],
  ['Animals', ANIMAL],
  ['Animals/Odd.Zoo.Bird', ANIMAL],
  ['AllSpecies', SPECIES],
  ['Oddities', ODDITY],
  ["Enclosures(Wing='A',Number=1)/Animals", ANIMAL],
];

const KINDS: readonly Kind[] = [
  'text',
  'number',
  'number',
  'boolean',
  'date',
  'moment',
  'time',
  'span',
  'guid',
  'bytes',
  'diet',
];

type Draw = (random: Random, members: Members) => string;

const condition: Draw = (random, members) =>
  expression(random, 'boolean', members, random.integer(1, 3));
const anything: Draw = (random, members) =>
  expression(random, random.pick(KINDS), members, random.integer(0, 2));
const ofNumber: Draw = (random, members) =>
  expression(random, 'number', members, random.integer(0, 2));
const ordered: Draw = (random, members) =>
  expression(
    random,
    random.pick(['text', 'number', 'date', 'moment', 'time', 'span', 'boolean']),
    members,
    random.integer(0, 2),
  );

const orders: Draw = (random, members) =>
  Array.from(
    { length: random.integer(1, 3) },
    () => `${ordered(random, members)}${random.pick(['', ' asc', ' desc'])}`,
  ).join(',');

const member: Draw = (random, members) => {
  const kind = random.pick(KINDS);
  return random.pick(members[kind] ?? members.text ?? ['Id']);
};

const METHODS = ['sum', 'min', 'max', 'average', 'countdistinct'] as const;

const aggregate: Draw = (random, members) => {
  const parts = Array.from({ length: random.integer(1, 3) }, (_, index) => {
    const alias = `A${index}`;
    if (random.has(0.2)) return `$count as ${alias}`;
    if (random.has(0.2))
      return `${anything(random, members)} with ${random.pick(['min', 'max', 'countdistinct'])} as ${alias}`;
    return `${ofNumber(random, members)} with ${random.pick(METHODS)} as ${alias}`;
  });
  return `aggregate(${parts.join(',')})`;
};

const grouping: Draw = (random, members) => {
  const plain = () => member(random, members).replace(/\/\$count$/, '');
  const names = [...new Set(Array.from({ length: random.integer(1, 3) }, plain))];
  if (names.length > 1 && random.has(0.3)) return `(rollup(${names.join(',')}))`;
  return `(${names.join(',')})`;
};

const transformation: Draw = (random, members) => {
  const draws: readonly (() => string)[] = [
    () => `filter(${condition(random, members)})`,
    () => `filter(${condition(random, members)})`,
    () => aggregate(random, members),
    () => `groupby(${grouping(random, members)},${aggregate(random, members)})`,
    () => `groupby(${grouping(random, members)},${aggregate(random, members)})`,
    () => `groupby(${grouping(random, members)})`,
    () =>
      `groupby(${grouping(random, members)},${random.pick(['topcount', 'bottomcount'])}(${random.integer(0, 3)},${ofNumber(random, members)}))`,
    () => `compute(${anything(random, members)} as C)/groupby((C),aggregate($count as N))`,
    () => `compute(${anything(random, members)} as C)`,
    () =>
      `${random.pick(['topcount', 'bottomcount'])}(${random.integer(0, 5)},${ofNumber(random, members)})`,
    () =>
      `${random.pick(['topsum', 'bottomsum', 'toppercent', 'bottompercent'])}(${random.pick(['1', '5', '50', '100', '0.5'])},${ofNumber(random, members)})`,
    () => `orderby(${orders(random, members)})/top(${random.integer(0, 5)})`,
    () => `skip(${random.integer(0, 5)})/top(${random.integer(0, 5)})`,
    () => `search(${search(random)})`,
    () => 'identity',
    () => `concat(${aggregate(random, members)},groupby(${grouping(random, members)}))`,
    () => `addnested(Keepers,filter(Badge gt 1) as K)`,
    () =>
      `join(Keepers as K,filter(Badge gt ${random.integer(0, 3)}))/groupby((K/Name),${aggregate(random, members)})`,
    () => `outerjoin(Children as K)/groupby((K/Diet),aggregate($count as N))`,
  ];
  return random.pick(draws)();
};

const HIERARCHIES: readonly ((random: Random) => string)[] = [
  (random) =>
    `descendants($root/AllSpecies,Tree,Latin,filter(${condition(random, SPECIES)})${random.pick(['', ',1', ',2', ',keep start', ',2,keep start'])})`,
  (random) =>
    `ancestors($root/AllSpecies,Tree,Latin,filter(${condition(random, SPECIES)})${random.pick(['', ',1', ',keep start'])})`,
  (random) =>
    `traverse($root/AllSpecies,Tree,Latin,${random.pick(['preorder', 'postorder'])}${random.pick(['', ',Title', ',Title desc', ',Latin desc'])})`,
  (random) =>
    `groupby((rolluprecursive($root/AllSpecies,Tree,Latin)),${aggregate(random, SPECIES)})`,
];
const ANIMAL_HIERARCHIES: readonly ((random: Random) => string)[] = [
  (random) =>
    `groupby((rolluprecursive($root/AllSpecies,Tree,Species/Latin)),${aggregate(random, ANIMAL)})`,
  (random) =>
    `descendants($root/AllSpecies,Tree,Species/Latin,filter(contains(Species/Latin,'${random.pick(['S', 'A', 'es'])}')),${random.integer(1, 3)})`,
];

function search(random: Random): string {
  const word = () => {
    const text = random.pick(TEXTS).replaceAll(/["\\]/g, '');
    return random.has(0.5) && /^[a-z]+$/i.test(text) ? text : `"${text}"`;
  };
  return random.pick([
    () => word(),
    () => word(),
    () => `${word()} ${word()}`,
    () => `${word()} OR ${word()}`,
    () => `NOT ${word()}`,
    () => `(${word()} OR ${word()}) AND NOT ${word()}`,
  ])();
}

const EXPANDS = (random: Random): string =>
  random.pick([
    () =>
      `Keepers($select=Name;$orderby=${random.pick(['Name desc', 'Badge', 'Email'])};$count=true)`,
    () =>
      `Children($filter=${expression(random, 'boolean', ANIMAL, 1)};$select=Name;$top=${random.integer(0, 3)};$orderby=${ordered(random, ANIMAL)})`,
    () =>
      `Children($expand=Keepers($select=Badge),Species;$select=Name,Weight;$skip=${random.integer(0, 2)})`,
    () => 'Species($expand=Parent($expand=Parent($select=Title)))',
    () =>
      `Enclosure($expand=Animals($select=Name;$filter=${expression(random, 'boolean', ANIMAL, 1)};$count=true))`,
    () => 'Keepers/$ref,Mother/$ref',
    () => 'Children/$count',
    () => `Notes($orderby=Text;$search=${search(random)})`,
    () => `Children($compute=${anything(random, ANIMAL)} as C;$select=C,Name;$orderby=C)`,
    () => `Children($apply=groupby((Diet),${aggregate(random, ANIMAL)}))`,
    () => 'Mother($levels=max;$select=Name)',
    () => '*',
  ])();

const isAnimals = (set: string) => set.includes('Animals');

/** The path and query options of a read, not encoded. */
function query(random: Random): string {
  if (random.has(0.06)) return crossjoin(random);
  const [set, members] = random.pick(SETS);
  const options: string[] = [];
  if (random.has(0.25)) {
    const chain = Array.from({ length: random.integer(1, 3) }, () =>
      transformation(random, members),
    );
    if (set === 'AllSpecies') chain[0] = random.pick(HIERARCHIES)(random);
    if (set === 'Animals' && random.has(0.2)) chain[0] = random.pick(ANIMAL_HIERARCHIES)(random);
    options.push(`$apply=${chain.join('/')}`);
    if (random.has(0.2)) options.push('$count=true');
    if (random.has(0.3)) options.push(`$orderby=${random.pick(['N', 'A0', 'A0 desc', 'C', 'A1'])}`);
    if (random.has(0.2))
      options.push(`$filter=${random.pick(['N gt 1', 'A0 gt 2', 'A0 ne null', 'C ne null'])}`);
    return `${set}?${options.join('&')}`;
  }
  if (random.has(0.7)) options.push(`$filter=${condition(random, members)}`);
  if (random.has(0.4)) options.push(`$orderby=${orders(random, members)}`);
  if (random.has(0.25)) options.push('$count=true');
  if (random.has(0.2)) options.push(`$top=${random.integer(0, 12)}`);
  if (random.has(0.2)) options.push(`$skip=${random.integer(0, 12)}`);
  if (random.has(0.12)) options.push(`$search=${search(random)}`);
  const computed = random.has(0.3);
  if (computed)
    options.push(`$compute=${anything(random, members)} as C1,${anything(random, members)} as C2`);
  if (isAnimals(set) && random.has(0.3)) options.push(`$expand=${EXPANDS(random)}`);
  if (random.has(0.6))
    options.push(`$select=${computed ? 'C1,C2,' : ''}${member(random, members).split('/')[0]}`);
  if (random.has(0.05))
    return `${set}/$count?${options.filter((one) => /^\$(?:filter|search)/.test(one)).join('&')}`;
  return `${set}?${options.join('&')}`;
}

function crossjoin(random: Random): string {
  const join = `(${random.pick(['Animals/Id', 'Animals/Number', 'Animals/Weight'])} ${random.pick(['gt', 'eq', 'lt'])} ${random.pick(['Keepers/Badge', 'Keepers/Id', '2'])})`;
  return random.pick([
    () =>
      `$crossjoin(Animals,Keepers)?$filter=${join}&$orderby=Animals/Name,Keepers/Name desc&$top=${random.integer(0, 5)}`,
    () => `$crossjoin(Animals,Keepers)?$filter=${join}&$expand=Animals($select=Name)&$count=true`,
    () =>
      `$crossjoin(Animals,Keepers)?$apply=groupby((Keepers/Name),aggregate(Animals/Weight with ${random.pick(METHODS)} as N))&$orderby=N`,
    () =>
      `$crossjoin(AllSpecies,Keepers)?$filter=contains(AllSpecies/Title,Keepers/Country)&$orderby=AllSpecies/Latin`,
  ])();
}

const ACCEPT = [
  '',
  '',
  '',
  'application/json;odata.metadata=full',
  'application/json;odata.metadata=none',
  'application/json;IEEE754Compatible=true',
  'application/json;odata.metadata=full;IEEE754Compatible=true',
  'application/json;ExponentialDecimals=true;IEEE754Compatible=true',
  'application/atom+xml',
  'application/xml',
];
const PREFER = [
  '',
  '',
  '',
  'odata.maxpagesize=3',
  'odata.maxpagesize=50',
  'omit-values=nulls',
  'odata.include-annotations="*"',
  'odata.track-changes',
];

export function encode(text: string): string {
  const [path = '', ...rest] = text.split('?');
  const options = rest.join('?').split(/&(?=[$@])/);
  const encodeOption = (option: string) => {
    const at = option.indexOf('=');
    return `${option.slice(0, at)}=${encodeURIComponent(option.slice(at + 1))}`;
  };
  return rest.length === 0
    ? encodeURI(path)
    : `${encodeURI(path)}?${options.map(encodeOption).join('&')}`;
}

/** A read by an account. */
export function read(random: Random, accounts: readonly string[]): Asked {
  const [accept, prefer, language] = [
    random.pick(ACCEPT),
    random.pick(PREFER),
    random.pick(['', '', 'nl', 'en']),
  ];
  const headers = {
    ...(accept === '' ? {} : { accept }),
    ...(prefer === '' ? {} : { prefer }),
    ...(language === '' ? {} : { 'accept-language': language }),
    ...(random.has(0.1) ? { 'odata-maxversion': '4.0' } : {}),
  };
  return {
    template: 0,
    account: random.pick(accounts),
    method: 'GET',
    url: encode(query(random)),
    headers,
  };
}
