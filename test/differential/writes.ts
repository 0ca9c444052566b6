// This file draws sequences of writes to the zoo: of single records, graphs, references, many records at a time, and batches that fail in part.
import { type JsonInput, NumberText, printJson } from '../../src/edm/value/lossless-json.ts';
import type { Random } from '../service/plan-cache/random.ts';
import type { Asked } from '../service/plan-cache/template.ts';
import { encode } from './queries.ts';
import { animal, oddity, sample, TEXTS } from './records.ts';

interface Written {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonInput;
  /** A body that is sent as it is. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Draw = (random: Random) => Written;

type Fields = Readonly<Record<string, JsonInput>>;

/** Values that no property of the zoo accepts, or not all. */
const WRONG: readonly JsonInput[] = [
  ...[
    'x'.repeat(61),
    'x'.repeat(5000),
    '\u0000',
    'a\u0000b',
    '',
    'null',
    9223372036854775808n,
    -1n,
    256n,
  ],
  ...[
    new NumberText('1e400'),
    new NumberText('1.23456'),
    new NumberText('1e-9'),
    true,
    [],
    {},
    [null],
    null,
  ],
];

function part(random: Random, fields: Fields, faultRate = 0.06): Fields {
  const names = random
    .shuffled(Object.keys(fields).filter((name) => name !== '@odata.type'))
    .slice(0, random.integer(1, 6));
  const chosen = names.map(
    (name) => [name, random.has(faultRate) ? random.pick(WRONG) : (fields[name] ?? null)] as const,
  );
  return Object.fromEntries(chosen);
}

function whole(random: Random, fields: Fields): Fields {
  if (!random.has(0.15)) return fields;
  const name = random.pick(Object.keys(fields));
  return { ...fields, [name]: random.pick(WRONG) };
}

const sampleOf = (random: Random) => sample(random) as Fields;
const animalOf = (random: Random) => animal(random, 12) as Fields;
const keyOf = (random: Random, least: number, most: number) => String(random.integer(least, most));
const sampleKey = (random: Random) => keyOf(random, 20, 70);
const animalKey = (random: Random) => keyOf(random, 14, 60);
const oddityKey = (random: Random) => random.pick(['22', '22', '23', '99']);
const latin = (random: Random) =>
  `'${random.pick(['Animalia', 'Aves', 'Pisces', 'S1', 'S2', 'S5', 'S9', 'new', 'É', "o''k", '%25'])}'`;
const keeper = (random: Random) =>
  random.pick(["Email='ann@zoo.example'", '4', '5', '6', "Country='NL',No=2", '99']);
/** At most one unique key is taken already: which of two the error names depends on the database. */
function keeperOf(random: Random): Fields {
  const isEmailNew = random.has(0.5);
  const fresh = [`n${random.integer(1, 999999)}@zoo.example`, null];
  const taken = ['ann@zoo.example', 'ANN@zoo.example', 'new@zoo.example', 'é@x', ''];
  return {
    Name: random.pick(TEXTS),
    Email: random.pick<JsonInput>(isEmailNew ? fresh : taken),
    Country: random.pick(['NL', 'DE', null, 'NLX']),
    Badge: isEmailNew ? random.pick([1n, 2n, 3n, 50n, null]) : null,
  };
}

const CHANGES: readonly Draw[] = [
  (random) => ({ method: 'POST', path: 'Samples', body: whole(random, sampleOf(random)) }),
  (random) => ({ method: 'POST', path: 'Samples', body: part(random, sampleOf(random)) }),
  (random) => ({
    method: 'PATCH',
    path: `Samples(${sampleKey(random)})`,
    body: part(random, sampleOf(random)),
  }),
  (random) => ({
    method: 'PATCH',
    path: `Samples(${sampleKey(random)})`,
    body: part(random, sampleOf(random)),
  }),
  (random) => ({
    method: 'PUT',
    path: `Samples(${sampleKey(random)})`,
    body: part(random, sampleOf(random)),
  }),
  (random) => ({ method: 'POST', path: 'Animals', body: whole(random, animalOf(random)) }),
  (random) => ({ method: 'POST', path: 'Animals', body: whole(random, animalOf(random)) }),
  (random) => ({
    method: 'PATCH',
    path: `Animals(${animalKey(random)})`,
    body: part(random, animalOf(random)),
  }),
  (random) => ({
    method: 'PATCH',
    path: `Animals(Number=${random.integer(1, 50)})`,
    body: part(random, animalOf(random)),
  }),
  (random) => ({ method: 'POST', path: 'Oddities', body: oddity(random) }),
  (random) => ({
    method: 'PATCH',
    path: `Oddities(${oddityKey(random)})`,
    body: part(random, oddity(random) as Fields, 0),
  }),
  (random) => ({ method: 'POST', path: 'Keepers', body: keeperOf(random) }),
  (random) => ({
    method: 'PATCH',
    path: `Keepers(${keeper(random)})`,
    body: part(random, keeperOf(random)),
  }),
  (random) => ({
    method: random.pick(['PUT', 'PATCH']),
    path: `AllSpecies(${latin(random)})`,
    body: {
      Title: random.pick(TEXTS),
      ...(random.has(0.4) ? { 'Parent@odata.bind': `AllSpecies(${latin(random)})` } : {}),
    },
    headers: random.pick([{}, { 'if-none-match': '*' }, { 'if-match': '*' }]),
  }),
  (random) => ({
    method: 'POST',
    path: 'AllSpecies',
    body: {
      Latin: random.pick(TEXTS),
      Title: random.pick(TEXTS),
      Parts: random.has(0.3) ? [{ Latin: `deep ${random.pick(TEXTS)}` }] : [],
    },
  }),
  (random) => ({
    method: 'DELETE',
    path: random.pick([
      `Samples(${sampleKey(random)})`,
      `Animals(${animalKey(random)})`,
      `AllSpecies(${latin(random)})`,
      `Oddities(${oddityKey(random)})`,
      `Keepers(${keeper(random)})`,
    ]),
  }),
  (random) => ({
    method: 'PUT',
    path: `Animals(${animalKey(random)})/${random.pick(['Mother', 'Species', 'Enclosure'])}/$ref`,
    body: {
      '@odata.id': random.pick([
        `Animals(${animalKey(random)})`,
        `AllSpecies(${latin(random)})`,
        "Enclosures(Wing='A',Number=1)",
      ]),
    },
  }),
  (random) => ({
    method: 'POST',
    path: `Animals(${animalKey(random)})/Keepers/$ref`,
    body: { '@odata.id': `Keepers(${keeper(random)})` },
  }),
  (random) => ({
    method: 'DELETE',
    path: `Animals(${animalKey(random)})/${random.pick([`Keepers(${random.integer(4, 6)})`, 'Mother', 'Species'])}/$ref`,
  }),
  (random) => ({
    method: 'PATCH',
    path: `Samples/$filter(@f)/$each?@f=${random.pick(['Whole gt 0', "contains(Words,'i')", 'Big eq null', 'Flag'])}`,
    body: part(random, sampleOf(random)),
  }),
  (random) => ({
    method: 'DELETE',
    path: `Samples/$filter(@f)/$each?@f=${random.pick(['Whole eq 2 and Id gt 40', "startswith(Words,'Z') and Id gt 35", 'Double eq NaN and Id gt 40'])}`,
  }),
  (random) => ({
    method: 'PATCH',
    path: 'Animals',
    body: {
      '@odata.context': '#$delta',
      value: Array.from({ length: random.integer(1, 3) }, () => ({
        '@odata.id': `Animals(${animalKey(random)})`,
        ...part(random, { Weight: 5n, Remark: random.pick(TEXTS), Tame: true }),
      })),
    },
  }),
  (random) => ({
    method: 'POST',
    path: `Animals(${animalKey(random)})/Odd.Zoo.${random.pick(['Feed', 'Feed', 'Greet', 'Train'])}`,
    body: { Food: random.pick([...TEXTS, 'Plastic']) },
  }),
  (random) => ({
    method: 'POST',
    path: `Animals(${animalKey(random)})/Odd.Zoo.Weigh`,
    body: { Weight: random.pick([new NumberText('1.5'), 7n, new NumberText('1.2345'), null]) },
  }),
  () => ({ method: 'POST', path: 'Animals/Odd.Zoo.Calm', body: {} }),
  (random) => ({
    method: 'POST',
    path: `Animals(${animalKey(random)})/Odd.Zoo.Bird/Odd.Zoo.Hatch`,
    body: { Name: random.pick(TEXTS) },
  }),
  (random) => ({
    method: 'POST',
    path: 'Adopt',
    body: {
      By: { '@odata.id': `Keepers(${keeper(random)})` },
      Wards: [{ '@odata.id': `Animals(${animalKey(random)})` }],
    },
  }),
  (random) => ({ method: 'POST', path: 'CloseZoo', body: { Reason: random.pick(TEXTS) } }),
  (random) => ({
    method: 'PUT',
    path: `Samples(${sampleKey(random)})/${random.pick(['Words', 'Free', 'Double', 'Moment'])}`,
    body: { value: random.pick([...TEXTS, new NumberText('1.5'), 'INF', '2026-03-29T01:30:00Z']) },
  }),
  (random) => ({
    method: 'POST',
    path: `Samples(${sampleKey(random)})/Numbers`,
    body: { value: random.pick([1n, 2147483648n, null]) },
  }),
  (random) => ({
    method: 'PATCH',
    path: `Samples(${sampleKey(random)})`,
    raw: random.pick([
      '{"Words":"\\ud800"}',
      '{"Words":"\\udc00x"}',
      '{"Words":"a\\u0000b"}',
      '{',
      '[]',
      '{"Words":1,"Words":2}',
      '{"Unknown":1}',
    ]),
  }),
];

const READS: readonly Draw[] = [
  (random) => ({ method: 'GET', path: `Samples(${sampleKey(random)})` }),
  () => ({
    method: 'GET',
    path: 'Animals?$select=Name,Weight,Remark',
    headers: { prefer: 'odata.track-changes, odata.maxpagesize=200' },
  }),
  () => ({
    method: 'GET',
    path: 'Samples?$select=Words,Free,Double',
    headers: { prefer: 'odata.track-changes, odata.maxpagesize=200' },
  }),
  (random) => ({
    method: 'GET',
    path: `Animals?$expand=Keepers,Notes,Children($select=Name)&$filter=contains(Name,'${random.pick(['a', 'i', 'x'])}')`,
  }),
];

const PREFERENCES: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  {},
  { prefer: 'return=representation' },
  { prefer: 'return=minimal' },
  { prefer: 'dry-run' },
  { accept: 'application/json;odata.metadata=full' },
];

function single(random: Random): Written {
  const written = random.pick(random.has(0.1) ? READS : CHANGES)(random);
  const etag = random.has(0.15)
    ? { 'if-match': random.pick([random.etag, 'W/"1"', 'W/"2"', '*']) }
    : {};
  const repeat = random.has(0.06)
    ? {
        'repeatability-request-id': `00000000-0000-4000-8000-00000000000${random.integer(0, 9)}`,
        'repeatability-first-sent': 'Tue, 31 Mar 2026 12:00:00 GMT',
      }
    : {};
  return {
    ...written,
    headers: { ...random.pick(PREFERENCES), ...etag, ...repeat, ...written.headers },
  };
}

function textOf({ body, raw }: Written): string | undefined {
  return raw ?? (body === undefined ? undefined : printJson(body));
}

/** A batch with change sets, whose requests may refer to earlier ones. */
function batch(random: Random): Written {
  const requests = Array.from({ length: random.integer(2, 5) }, (_, index): JsonInput => {
    const written = random.pick(CHANGES)(random);
    const refersBack = index > 0 && random.has(0.15);
    return {
      id: String(index + 1),
      method: refersBack ? 'PATCH' : written.method,
      url: refersBack ? '$1' : encode(written.path),
      headers: {},
      ...(random.has(0.6) ? { atomicityGroup: random.pick(['g', 'g', 'h']) } : {}),
      ...(written.body === undefined
        ? {}
        : { body: refersBack ? { Remark: 'again' } : written.body }),
      ...(refersBack ? { dependsOn: ['1'] } : {}),
    };
  });
  return {
    method: 'POST',
    path: '$batch',
    body: { requests },
    headers: random.has(0.5) ? { prefer: 'continue-on-error' } : {},
  };
}

/** A sequence of writes by one account. */
export function* sequence(random: Random, accounts: readonly string[]): Generator<Asked> {
  const account = random.pick(accounts);
  const length = random.integer(2, 6);
  for (let index = 0; index < length; index++) {
    const written = random.has(0.12) ? batch(random) : single(random);
    const { method, path, headers = {} } = written;
    const body = textOf(written);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    yield {
      template: 0,
      account,
      method,
      url: encode(path),
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    };
  }
}
