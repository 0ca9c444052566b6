// This file stores values of every sort and reads them back: what was written is what is read, to the last digit and character, and what
// is no value of its type is refused and leaves nothing behind.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EntityType, entityType, type Property } from '../../src/edm/model.ts';
import { keyedCollections } from '../../src/edm/reference-functions.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../src/edm/value/lossless-json.ts';
import { bodyOf, garbledBody } from '../bind/arbitrary-body.ts';
import { type Desk, openDesk } from './desk.ts';
import { differences, exact } from './round-trip.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
let zoo: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: [] });
  zoo = await openZoo();
});
afterAll(async () => {
  await desk?.close();
  await zoo?.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };

async function post(where: Desk, set: string, body: JsonInput, headers = {}) {
  return await where.send('POST', `/${set}`, {
    body: printJson(body),
    headers: { ...JSON_TYPE, ...headers },
  });
}

async function count(where: Desk, set: string): Promise<string> {
  return (await where.get(`/${set}/$count`)).text;
}

/** What is read of a property of a new sample. */
async function stored(property: string, json: string): Promise<string> {
  const body = `{"${property}":${json}}`;
  const made = await zoo.send('POST', '/Samples', { body, headers: JSON_TYPE });
  expect(made.status, made.text).toBe(201);
  const read = await zoo.get(`/Samples(${made.json.Id})/${property}`);
  if (read.status === 204) return 'null';
  const [, value = ''] = /"value":(.*)\}$/s.exec(read.text) ?? [];
  const whole = await zoo.get(`/Samples(${made.json.Id})?$select=${property}`);
  expect(whole.text).toContain(`"${property}":${value}`);
  expect(made.text).toContain(`"${property}":${value}`);
  return value;
}

describe('Numbers', () => {
  it.each([
    ['Big', '9007199254740993'],
    ['Big', '9223372036854775807'],
    ['Big', '-9223372036854775808'],
    ['Exact', '9007199254740993.0001'],
    ['Exact', '-1234567890123456.7891'],
    ['Free', '123456789012345678901234567890.123456789'],
    ['Double', '0.1'],
    ['Double', '1.7976931348623157e+308'],
    ['Double', '5e-324'],
    ['Double', '"INF"'],
    ['Double', '"-INF"'],
    ['Double', '"NaN"'],
    ['Small', '255'],
    ['Tiny', '-128'],
    ['Numbers', '[3,-1,2147483647]'],
    ['Amounts', '[1.5,9007199254740993.25]'],
  ])('%s %s is read as it was written', async (property, json) => {
    expect(await stored(property, json)).toBe(json);
  });

  it('Int64 and Decimal are taken as strings too, and written as strings where that is asked for', async () => {
    expect(await stored('Big', '"9007199254740993"')).toBe('9007199254740993');
    expect(await stored('Exact', '"9007199254740993.5"')).toMatch(/^9007199254740993\.50*$/);
    const made = await post(
      zoo,
      'Samples',
      { Big: 9007199254740993n },
      {
        accept: 'application/json;IEEE754Compatible=true',
      },
    );
    expect(made.json.Big).toBe('9007199254740993');
  });

  it.each([
    ['Big', '9223372036854775808'],
    ['Big', '1.5'],
    ['Big', '"x"'],
    ['Whole', '2147483648'],
    ['Small', '-1'],
    ['Exact', '1.23456'],
    ['Exact', '12345678901234567'],
    ['Load', '1234567.5'],
    ['Double', '"1.5x"'],
    ['Flag', '1'],
    ['Bytes', '"%%"'],
    ['Tag', '"01234567"'],
    ['Day', '"2026-02-29"'],
    ['Moment', '"2026-03-29T12:00:00"'],
    ['Clock', '"25:00"'],
    ['Span', '"1 hour"'],
    ['Diet', '"Stones"'],
    ['Numbers', '[1,null]'],
    ['Numbers', '7'],
    ['Spot', '{"type":"Point","coordinates":[1]}'],
  ])('%s %s is refused, and nothing is stored', async (property, json) => {
    const before = await count(zoo, 'Samples');
    const body = `{"${property}":${json}}`;
    const answer = await zoo.send('POST', '/Samples', { body, headers: JSON_TYPE });
    expect(answer.status).toBe(400);
    expect(answer.json.error.target).toMatch(new RegExp(`^${property}(\\[\\d\\])?$`));
    expect(answer.json.error.details).toHaveLength(1);
    expect(await count(zoo, 'Samples')).toBe(before);
  });
});

describe('Whole numbers at their limits', () => {
  it('that do not fit their type any more are a refusal, in sums as in calculations', async () => {
    const foreign = await openZoo();
    const body = '{"Big":9223372036854775807}';
    for (let made = 0; made < 3; made++)
      await foreign.send('POST', '/Samples', { body, headers: JSON_TYPE });
    for (const query of [
      '$apply=aggregate(Big with sum as Sum)',
      '$apply=groupby((Flag),aggregate(Big with sum as Sum))',
      '$apply=aggregate(Big with average as Mean)',
      '$filter=Big add 1 gt 0',
      '$compute=Big mul 2 as Twice',
    ]) {
      const answer = await foreign.get(`/Samples?${encodeURI(query)}`);
      expect([answer.status, answer.json.error?.code], query).toEqual([400, 'sql.overflow']);
    }
    await foreign.close();
  });
});

describe('Texts', () => {
  it.each([
    ['𝒟𝓮𝓼𝓴 🛠️👩‍👩‍👧 𐍈'],
    ['e\u0301 é ﬁ ﬀ İ ß ẞ'],
    ['שלום عالم नमस्ते 山田'],
    ['" \\ / \b \f \n \r \t \u0001 \u007f \u2028 \u2029 \ufeff'],
    ["' ; -- % _ */ /* $1 ? :x @y"],
    ['</script><!--]]>&amp;'],
    ['\ud7ff\ue000\ufffd\uffff\u{10ffff}'],
    [' leading and trailing '],
    [''],
  ])('%j is read as it was written, found and told', async (text) => {
    const made = await post(desk, 'ServiceRequests', { Description: 'Text', Information: text });
    expect(made.json.Information).toBe(text);
    const path = `/ServiceRequests(${made.json.Uid})`;
    expect((await desk.get(path)).json.Information).toBe(text);
    expect((await desk.get(`${path}/Information/$value`)).text).toBe(text);
    const literal = encodeURIComponent(`'${text.replaceAll("'", "''")}'`);
    const found = await desk.get(`/ServiceRequests?$filter=Information eq ${literal}&$select=Uid`);
    const uids = found.json.value.map(({ Uid }: { Uid: number }) => Uid);
    expect(uids).toContain(made.json.Uid);
  });

  it('a text of a million characters is read as it was written', async () => {
    const text = 'Größe 🦜 "quoted" \\ '.repeat(55_000);
    expect(text.length).toBeGreaterThan(1_000_000);
    const made = await post(desk, 'ServiceRequests', { Description: 'Long', Information: text });
    expect(made.json.Information === text).toBe(true);
    const read = await desk.get(`/ServiceRequests(${made.json.Uid})/Information/$value`);
    expect(read.text === text).toBe(true);
  });

  it('the length of a text is counted in characters', async () => {
    const fits = '🛠'.repeat(127);
    expect((await post(desk, 'ServiceRequests', { Description: fits })).status).toBe(201);
    const long = await post(desk, 'ServiceRequests', { Description: 'x'.repeat(256) });
    expect([long.status, long.json.error.target]).toEqual([400, 'Description']);
  });

  it.each(['"\\u0000"', '"\\ud800"', '"a\\udc00b"'])('%s is no text: 400', async (json) => {
    const body = `{"Description":"x","Information":${json}}`;
    const answer = await desk.send('POST', '/ServiceRequests', { body, headers: JSON_TYPE });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Information']);
  });

  it.each([
    ['text/plain', 'c3a9', 204, 'é'],
    ['text/plain', 'efbbbfc3a9', 204, 'é'],
    ['text/plain;charset="UTF-8"', 'c3a9', 204, 'é'],
    ['text/plain;charset=iso-8859-1', '636166e9', 204, 'café'],
    ['text/plain;charset=utf-16le', 'e900', 204, 'é'],
    ['text/plain', '636166e9', 400, 'it is not valid UTF-8'],
    ['', '636166e9', 400, 'it is not valid UTF-8'],
    ['text/plain;charset=shift_jis', '63e9', 400, 'it is not valid shift_jis'],
    ['text/plain;charset=klingon', '63', 415, 'charset=klingon'],
  ])('a text in %j of the bytes %s: %i', async (type, hex, status, found) => {
    const made = await post(desk, 'ServiceRequests', { Description: 'Raw', Information: 'old' });
    const path = `/ServiceRequests(${made.json.Uid})/Information/$value`;
    const body = Buffer.from(hex, 'hex');
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    const answer = await desk.send('PUT', path, { body, headers });
    expect(answer.status, answer.text).toBe(status);
    expect((await desk.get(path)).text).toBe(status === 204 ? found : 'old');
    if (status !== 204) expect(answer.json.error.message).toContain(found);
  });

  it('a text in a JSON batch needs no charset', async () => {
    const made = await post(desk, 'ServiceRequests', { Description: 'Raw' });
    const url = `ServiceRequests(${made.json.Uid})/Information/$value`;
    const headers = { 'content-type': 'text/plain;charset=iso-8859-1' };
    const requests = [{ id: '1', method: 'PUT', url, headers, body: 'café ☕' }];
    const { json } = await desk.send('POST', '/$batch', { body: { requests } });
    expect(json.responses[0].status).toBe(204);
    expect((await desk.get(`/${url}`)).text).toBe('café ☕');
  });

  it('bytes that are no UTF-8 are no body: 400', async () => {
    const body = Buffer.from([
      ...Buffer.from('{"Description":"'),
      0xff,
      0xfe,
      ...Buffer.from('"}'),
    ]);
    const answer = await desk.send('POST', '/ServiceRequests', { body, headers: JSON_TYPE });
    expect(answer.status).toBe(400);
  });
});

describe('Times', () => {
  it.each([
    ['2026-03-29T01:59:59.999+01:00', '2026-03-29T00:59:59.999Z'],
    ['2026-03-29T02:30:00+01:00', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T03:00:00+02:00', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30:00+02:00', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
    ['2024-02-29T23:59:59-00:01', '2024-03-01T00:00:59.000Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-03-29T12:00Z', '2026-03-29T12:00:00.000Z'],
  ])('%s is the moment %s', async (written, read) => {
    const made = await post(desk, 'ServiceRequests', { Description: 'Time', Deadline: written });
    expect(made.json.Deadline).toBe(read);
    const path = `/ServiceRequests(${made.json.Uid})`;
    expect((await desk.get(`${path}/Deadline/$value`)).text).toBe(read);
    const filter = `Uid eq ${made.json.Uid} and Deadline eq ${encodeURIComponent(written)}`;
    expect((await desk.get(`/ServiceRequests?$filter=${filter}`)).json.value).toHaveLength(1);
    expect((await desk.send('PATCH', path, { body: { Deadline: read } })).headers.etag).toBe(
      made.headers.etag,
    );
  });

  it.each(['2026-03-29T12:00:00', '2026-02-30T12:00:00Z', '2026-03-29', '2026-03-29T24:01:00Z', 5])(
    '%j is no moment: 400',
    async (Deadline) => {
      const answer = await post(desk, 'ServiceRequests', { Description: 'Time', Deadline });
      expect([answer.status, answer.json.error.target]).toEqual([400, 'Deadline']);
    },
  );

  it.each([
    ['Day', '"2024-02-29"', '"2024-02-29"'],
    ['Instant', '"2026-03-29T01:00:00.1234567Z"', '"2026-03-29T01:00:00.1234567Z"'],
    ['Clock', '"23:59:59.999"', '"23:59:59.999"'],
    ['Span', '"-P1DT2H3M4.005S"', '"-P1DT2H3M4.005S"'],
    ['Span', '"PT36H"', '"P1DT12H"'],
    ['Moments', '["2026-03-29T03:30:00+02:00"]', '["2026-03-29T01:30:00.000Z"]'],
  ])('%s %s is read as %s', async (property, written, read) => {
    expect(await stored(property, written)).toBe(read);
  });
});

describe('Other values', () => {
  it.each([
    ['Bytes', '"AAECAwQ-_w"', '"AAECAwQ-_w"'],
    ['Bytes', '""', '""'],
    ['Flag', 'false', 'false'],
    ['Tag', '"01234567-89AB-cdef-0123-456789abcdef"', '"01234567-89ab-cdef-0123-456789abcdef"'],
    ['Diet', '"Meat"', '"Meat"'],
    ['Diets', '["Plants","Meat"]', '["Plants","Meat"]'],
    [
      'Anything',
      '{"a":[1,null,9007199254740993],"b":{}}',
      '{"a":[1,null,9007199254740993],"b":{}}',
    ],
  ])('%s %s is read as %s', async (property, written, read) => {
    expect(await stored(property, written)).toBe(read);
  });

  it('what an open type does not declare is kept as it was written, and emptied by null', async () => {
    const body = { Name: 'Open', Big: 9007199254740993n, Deep: { list: [1n, { x: null }] } };
    const made = await post(zoo, 'Oddities', body);
    expect(made.status, made.text).toBe(201);
    const path = `/Oddities(${made.json.Id})`;
    expect((await zoo.get(path)).text).toContain('"Big":9007199254740993');
    const change = { body: { Deep: { list: [], other: null }, Big: null, More: 'x' } };
    expect((await zoo.send('PATCH', path, change)).status).toBe(204);
    const { json } = await zoo.get(path);
    expect(json).toMatchObject({ Name: 'Open', Deep: { list: [], other: null }, More: 'x' });
    expect(json).not.toHaveProperty('Big');
  });

  it.each([
    ['"a\\u0000b"', 400],
    ['[{"x":"\\ud800"}]', 400],
    ['{"a\\u0000":1}', 400],
    ['"a\\\\u0000b"', 201],
    ['"\\ud83d\\ude00"', 201],
  ])('%s in a dynamic property: %d', async (json, status) => {
    const body = `{"Name":"Open","Words":${json}}`;
    const made = await zoo.send('POST', '/Oddities', { body, headers: JSON_TYPE });
    expect([made.status, made.json?.error?.target]).toEqual([
      status,
      status === 400 ? 'Words' : undefined,
    ]);
  });

  describe.each([
    ['a dynamic property', 'Oddities', '"Name":"Open"'],
    ['a property of type Edm.Untyped', 'Samples', '"Words":"any"'],
  ])('/$value of %s', (_, set, others) => {
    it.each([
      ['"héllo"', 'héllo'],
      ['"say \\"h\\u00e9\\" \\\\ \\n"', 'say "hé" \\ \n'],
      ['""', ''],
      ['"null"', 'null'],
      ['"12"', '12'],
      ['"2026-01-01"', '2026-01-01'],
      ['9007199254740993', '9007199254740993'],
      ['1.50', '1.50'],
      ['true', 'true'],
    ])('%s is %s', async (json, expected) => {
      const { status, text, headers } = await zoo.get(await pathOf(json));
      expect([status, text]).toEqual([200, expected]);
      expect(headers['content-type']).toMatch(/^text\/plain\b/);
    });

    it.each([
      ['{"a":"b"}', 'after an object'],
      ['["a"]', 'after a list of values'],
    ])('%s is refused, like that of a declared structure', async (json, place) => {
      const path = await pathOf(json);
      const { status, json: answer } = await zoo.get(path);
      expect([status, answer.error.code]).toEqual([400, 'request.misplaced-segment']);
      const position = path.indexOf('/$value');
      expect(answer.error.message).toBe(
        `The path segment $value is not allowed ${place} (at position ${position} of the path).`,
      );
    });

    async function pathOf(json: string): Promise<string> {
      const body = `{${others},"Anything":${json}}`;
      const made = await zoo.send('POST', `/${set}`, { body, headers: JSON_TYPE });
      expect(made.status, made.text).toBe(201);
      return `/${set}(${made.json.Id})/Anything/$value`;
    }
  });

  it.each([
    ['Date', '2026-01-01'],
    ['DateTimeOffset', '2026-01-01T10:00:00.500Z'],
    ['TimeOfDay', '10:00:00'],
    ['Duration', 'PT1H'],
    ['Guid', '01234567-89ab-cdef-0123-456789abcdef'],
    ['Diet', 'Meat'],
  ])('/$value of a dynamic %s is %s', async (type, value) => {
    const name = type === 'Diet' ? 'Odd.Zoo.Diet' : type;
    const body = { Name: 'Open', 'X@odata.type': `#${name}`, X: value };
    const made = await post(zoo, 'Oddities', body);
    expect(made.status, made.text).toBe(201);
    expect((await zoo.get(`/Oddities(${made.json.Id})/X/$value`)).text).toBe(value);
  });

  it('a value that is no number in a dynamic property is refused at its place', async () => {
    const body = { body: { Name: 'Open', 'Size@odata.type': '#Int32', Size: 'x' } };
    const answer = await zoo.send('POST', '/Oddities', body);
    expect([answer.status, answer.json?.error?.target]).toEqual([400, 'Size']);
  });
});

const SETS = [
  ['the zoo', 'Samples'],
  ['the zoo', 'Animals'],
  ['the zoo', 'Oddities'],
  ['the suite', 'ServiceRequests'],
  ['the suite', 'ConfigurationItems'],
  ['the suite', 'MaintenanceContracts'],
] as const;

describe.each(SETS)('Any body for %s, %s', (model, set) => {
  const where = () => (model === 'the zoo' ? zoo : desk);
  const typeOf = (): EntityType => {
    const known = where().installation.model;
    return entityType(known, known.sets.get(set)?.type ?? '');
  };
  let next = 0;
  /** No two records may have the same values there. */
  const distinct = (body: JsonObject): JsonObject => {
    const members = where().installation.model.members(typeOf());
    const unique = [...members.values()].filter(
      (one) => one.kind === 'property' && one.unique && one.type === 'Edm.String',
    );
    next += 1;
    const values = unique.map(({ name }) => [name, `unique ${next}`]);
    const references = keyedCollections(where().installation.model, members).flatMap(
      ({ property: { name }, members: keys }) => {
        const items = body[name];
        return isJsonArray(items) ? [[name, withDistinctKeys(items, keys)]] : [];
      },
    );
    return { ...body, ...Object.fromEntries([...values, ...references]) };
  };

  const withDistinctKeys = (items: readonly JsonInput[], keys: readonly Property[]) =>
    items.map((item, at) =>
      isJsonObject(item)
        ? { ...item, ...Object.fromEntries(keys.map(({ name }) => [name, `${next}.${at}`])) }
        : item,
    );

  /** The differences without members that the service keeps itself when a body names a state of the workflow. */
  const unexplained = (found: readonly string[], bodies: readonly JsonObject[]) => {
    const { workflow } = typeOf();
    if (workflow === undefined || !bodies.some((body) => workflow.member in body)) return found;
    const kept = workflow.states.flatMap(({ onEnter, onExit }) =>
      Object.keys({ ...onEnter, ...onExit }),
    );
    return found.filter((one) => !kept.some((path) => path === one || path.startsWith(`${one}/`)));
  };

  it('that is right is read back as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(bodyOf(where().installation.model, typeOf()), async (random) => {
        const body = distinct(random);
        const made = await post(where(), set, body);
        expect(made.status, made.text).toBe(201);
        const read = await where().get(String(made.headers.location));
        expect(read.text).toBe(made.text);
        const found = differences(where().installation.model, typeOf(), body, exact(read.text));
        expect(unexplained(found, [body])).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('changes what it names and nothing else, by PATCH', async () => {
    const { model: known } = where().installation;
    const both = fc.tuple(bodyOf(known, typeOf()), bodyOf(known, typeOf()));
    await fc.assert(
      fc.asyncProperty(both, async ([first, second]) => {
        const before = distinct(first);
        const change = distinct(second);
        const made = await post(where(), set, before);
        const path = String(made.headers.location);
        const body = printJson(change);
        const answer = await where().send('PATCH', path, { body, headers: JSON_TYPE });
        expect(answer.status, answer.text).toBe(204);
        const read = exact((await where().get(path)).text);
        const sent = [before, change];
        expect(unexplained(differences(known, typeOf(), change, read), sent)).toEqual([]);
        const kept = Object.fromEntries(
          Object.entries(before).filter(([name]) => !(name in change)),
        );
        expect(unexplained(differences(known, typeOf(), kept, read), sent)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('with one garbled member is refused with that target, and nothing is stored', async () => {
    const before = await count(where(), set);
    await fc.assert(
      fc.asyncProperty(
        garbledBody(where().installation.model, typeOf()),
        async ({ body, name }) => {
          const answer = await post(where(), set, body);
          expect(answer.status).toBe(400);
          const targets = answer.json.error.details.map((one: { target: string }) => one.target);
          expect(targets.length).toBeGreaterThan(0);
          for (const target of targets) expect(target.split(/[/[]/)[0]).toBe(name);
        },
      ),
      { numRuns: 60 },
    );
    expect(await count(where(), set)).toBe(before);
  });
});
