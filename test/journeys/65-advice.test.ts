// This file follows the advice of error messages: each case provokes an error, takes the recommended text out of the message, sends
// what it recommends, and expects it to be accepted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk, PASSWORD } from './desk.ts';
import { encodeQuery } from './query.ts';
import { BARE_REQUEST, CALLER, MEMBER, REQUEST, WORKGROUP, WORKORDER } from './records.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let desk: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

/** `GET path?query`, the query not yet encoded. */
async function send(at: Desk, method: string, url: string, body?: unknown): Promise<DeskAnswer> {
  const [path = '', query] = url.split('?');
  const encoded = query === undefined ? path : `${path}?${encodeQuery(query)}`;
  return await at.send(method, `/${encoded}`, body === undefined ? {} : { body });
}

/** What the message of the rejected request has at the place that the pattern captures. */
async function advice(answer: DeskAnswer, pattern: RegExp): Promise<string> {
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  const { message } = answer.json.error;
  expect(message).toMatch(pattern);
  return pattern.exec(message)?.[1] ?? '';
}

describe('What a message recommends for a query is accepted', () => {
  const requests = 'ServiceRequests?';
  const inFilter = (text: string) => `$filter=${text}`;

  it.each<readonly [string, RegExp, (advised: string) => string]>([
    // what is expanded and selected
    ['$expand=Caller/Organization', /use (.*)\.$/, (text) => `$expand=${text}`],
    ['$expand=Caller/Name', /use (.*)\.$/, (text) => `$expand=${text}`],
    ['$expand=Workorders/Uid', /use (.*)\.$/, (text) => `$expand=${text}`],
    ['$expand=Caller/Organization/Name1', /use (.*)\.$/, (text) => `$expand=${text}`],
    ['$expand=Assignment/AssigneePerson/Name', /use (.*)\.$/, (text) => `$expand=${text}`],
    ['$expand=Caller/Foo', /remove \/(Foo)/, (text) => `$expand=Caller/${text}`.slice(0, -4)],
    ['$expand=Callr', /Did you mean "(\w+)"/, (text) => `$expand=${text}`],
    ['$expand=AssigneePerson', /Write ([\w/]+)\./, (text) => `$expand=${text}`],
    ['$expand=Caller/$count', /use (\w+) or/, (text) => `$expand=${text}`],
    ['$expand=Caller/$count', /or ([\w/$]+)\.$/, (text) => `$expand=${text}`],
    ['$select=Caller', /use (\$expand=.*) instead/, (text) => text],
    ['$select=Caller/Name', /use (\$expand=.*) instead/, (text) => text],
    ['$select=Caller/Name&$expand=Caller', /use (\$expand=.*) instead/, (text) => text],
    ['$select=Caller/Organization/Name1', /use (\$expand=.*) instead/, (text) => text],
    ['$select=Assignment/AssigneePerson', /use (\$expand=.*) instead/, (text) => text],
    [
      '$select=Description,Caller/Name&$expand=Caller',
      /use (.*)\.$/,
      (text) => text.replace(' instead, together with ', '&'),
    ],
    [
      '$select=Uid,Caller,Workorders',
      /use (.*)\.$/,
      (text) => text.replace(' instead, together with ', '&'),
    ],
    ['$select=Description&$expand=Caller', /write (\$select=.*)\.$/, (t) => `${t}&$expand=Caller`],
    ['$select=AssigneePerson', /Use (\$expand=.*)\.$/, (text) => text],
    ['$select=Callr', /Use (\$expand=.*)\.$/, (text) => text],
    ['$select=Descripton', /Did you mean "(\w+)"/, (text) => `$select=${text}`],
    ['$select=Description/Foo', /; use (\S+)\.$/, (text) => `$select=${text}`],
    ['$select=Status/Value/Foo', /; use (\S+)\.$/, (text) => `$select=${text}`],
    // conditions
    ['$filter=Status eq 101001', /write (\S+) or/, (text) => inFilter(`${text} eq 101001`)],
    ["$filter=Status eq 'Closed'", /or (\S+) instead/, (t) => inFilter(`${t} eq 'Closed'`)],
    ['$filter=Status.Value eq 1', /Write (\S+)\.$/, (text) => inFilter(`${text} eq 1`)],
    ['$filter=AssigneePerson eq null', /Write (\S+)\.$/, (text) => inFilter(`${text} eq null`)],
    [`$filter=Caller eq Persons(${CALLER})`, /Write (Caller\/Uid eq .*)\.$/, inFilter],
    [`$filter=Caller ne Person(${CALLER})`, /Write (Caller\/Uid ne .*)\.$/, inFilter],
    [`$filter=Caller eq ${CALLER}`, /Write (Caller\/Uid eq .*)\.$/, inFilter],
    [`$filter=${CALLER} eq Caller`, /Write (Caller\/Uid eq .*)\.$/, inFilter],
    [`$filter=Caller in (${CALLER},32)`, /Write (Caller\/Uid in .*)\.$/, inFilter],
    ["$filter=Caller eq 'x'", /its key (\S+), or/, (text) => inFilter(`${text} eq 1`)],
    ["$filter=Caller eq 'x'", /or write (.*)\.$/, inFilter],
    [`$filter=Persons(${CALLER}) eq Caller`, /Write (.*)\.$/, (t) => inFilter(`${t} eq Caller`)],
    [
      `$filter=Caller/Uid eq Persons(${CALLER})/Uid`,
      /Write (.*)\.$/,
      (text) => inFilter(`Caller/Uid eq ${text}/Uid`),
    ],
    [
      '$filter=Workorders/Uid eq 1',
      /example with (any.*) …\)/,
      (t) => inFilter(`Workorders/${t} eq 1)`),
    ],
    ['$filter=Workorders eq 1', /any, all or (\$count)/, (t) => inFilter(`Workorders/${t} eq 1`)],
    ['$orderby=Workorders', /any, all or (\$count)/, (text) => `$orderby=Workorders/${text}`],
    ['$filter=Description eq 5', /Write ('5') with/, (text) => inFilter(`Description eq ${text}`)],
    ['$filter=Deadline gt 2020-01-01', /Write (\S+),/, (text) => inFilter(`Deadline gt ${text}`)],
    ['$filter=Deadline gt 2020-01-01', /, or (.*)\.$/, (text) => inFilter(`${text} gt 2020-01-01`)],
    ['$filter={"a":1}', /; (compare) it with a value/, () => inFilter('{"a":1} eq {"a":1}')],
    ['$orderby={"a":1}', /by (eq) or ne/, (text) => `$orderby={"a":1} ${text} Registration`],
    ["$filter=Description add 'x' eq 'y'", /Use (concat)/, (t) => inFilter(`${t}('a','b') eq 'y'`)],
    [
      "$filter=duration'P1D' add Deadline gt now()",
      /(Write the duration on the right)/,
      () => inFilter("Deadline add duration'P1D' gt now()"),
    ],
    [
      '$filter=1 div (Uid sub Uid) eq 1',
      /use (divby)/,
      (t) => inFilter(`1 ${t} (Uid sub Uid) eq 1`),
    ],
    ['$filter=now gt Deadline', /Write (.*)\.$/, (text) => inFilter(`${text} gt Deadline`)],
    ['$filter=Description eq Foo', /quotes: (.*)\.$/, (text) => inFilter(`Description eq ${text}`)],
    ['$filter=Description eq "O\'Neil"', /Write (\S+) in/, (t) => inFilter(`Description eq ${t}`)],
    [
      "$filter=Deadline gt datetime'2020-01-01'",
      /Write (\S+),/,
      (t) => inFilter(`Deadline gt ${t}`),
    ],
    [
      "$filter=Deadline gt datetime'2020-01-01T10:00:00'",
      /Write (\S+),/,
      (text) => inFilter(`Deadline gt ${text}`),
    ],
    [
      "$filter=Deadline gt datetimeoffset'2020-01-01T10:00:00+02:00'",
      /Write (\S+),/,
      (text) => inFilter(`Deadline gt ${text}`),
    ],
    [
      "$filter=time(Deadline) gt time'10:00:00'",
      /Write (\S+),/,
      (t) => inFilter(`time(Deadline) gt ${t}`),
    ],
    [
      "$filter=Deadline add time'PT2H' gt now()",
      /Write (\S+)\.$/,
      (text) => inFilter(`Deadline add ${text} gt now()`),
    ],
    [
      '$filter=count(Workorders) gt 1',
      /Write …\/(\$count)/,
      (t) => inFilter(`Workorders/${t} gt 1`),
    ],
    ['$filter=isnull(Caller)', /Write … (eq null)/, (text) => inFilter(`Caller ${text}`)],
    [
      "$filter=coalesce(Description,'x') eq 'x'",
      /Write (case\(.*\))\.$/,
      (text) => {
        const [first, second, third] = ['Description', 'Description', "'x'"];
        const filled = text.replace('…', first).replace('…', second).replace('…', third);
        return inFilter(`${filled} eq 'x'`);
      },
    ],
    // rows that $apply makes
    ['$apply=aggregate(Uid)', /for example (.*)\.$/, (text) => `$apply=aggregate(${text})`],
    ['$apply=aggregate(Description)', /for example (.*)\.$/, (text) => `$apply=aggregate(${text})`],
    [
      '$apply=aggregate(Workorders/Uid)',
      /for example (.*)\.$/,
      (text) => `$apply=aggregate(${text})`,
    ],
    [
      '$apply=aggregate(Status with max as M)',
      /write (\S+) or/,
      (t) => `$apply=aggregate(${t} with max as M)`,
    ],
    [
      '$apply=groupby((Workorders))',
      /(properties of its items)/,
      () => '$apply=groupby((Workorders/Uid))',
    ],
    [
      '$apply=groupby((rollup(null,Status/Value)))',
      /use (concat\(.*\))\.$/,
      (text) =>
        `$apply=${text.replace('groupby(…)', 'groupby((Status/Value))').replace('aggregate(…)', 'aggregate($count as N)')}`,
    ],
    [
      '$apply=groupby((rollup($all,Status/Value)))',
      /use (concat)/,
      (text) => `$apply=${text}(groupby((Status/Value)),aggregate($count as N))`,
    ],
    [
      '$apply=groupby((date(Registration/DateCreated)))',
      /use (compute\(.*\))\.$/,
      (text) => `$apply=${text.replace('…', 'Registration/DateCreated')}`,
    ],
    [
      '$apply=aggregate($count as N)&$filter=Status/Value ne null',
      /use (\$apply=filter\(…\)\/)…\.$/,
      (text) => `${text.replace('…', 'Status/Value ne null')}aggregate($count as N)`,
    ],
    ['$apply=groupby((Descripton))', /Did you mean "(\w+)"/, (text) => `$apply=groupby((${text}))`],
    ['$apply=topcount(0,Uid)', /(whole number greater than 0)/, () => '$apply=topcount(1,Uid)'],
    // options
    ['$expand=Caller($top=1)', /use (\$compute), /, (t) => `$expand=Caller(${t}=Uid as U)`],
    ['$expand=Caller($levels=2)', /(remove it)/, () => '$expand=Caller'],
    ['$limit=5', /Write (\$top)\.$/, (text) => `${text}=5`],
    ['$where=true', /Write (\$filter)\.$/, (text) => `${text}=true`],
    ['$inlinecount=allpages', /Write (.*)\.$/, (text) => text],
    ['$distinct=Status', /Write (\$apply=groupby\(\()…\)\)/, (text) => `${text}Status/Value))`],
    ['$orderby=Uid descending', /Write (\w+)\.$/, (text) => `$orderby=Uid ${text}`],
    ['$filtr=true', /Did you mean "(\$\w+)"/, (text) => `${text}=true`],
    ['$schemaversion=1', /send (\*)/, (text) => `$schemaversion=${text}`],
  ])('%s', async (query, pattern, follow) => {
    const text = await advice(await send(desk, 'GET', requests + query), pattern);
    const followed = await send(desk, 'GET', requests + follow(text));
    expect(followed.status, `${follow(text)}: ${followed.text}`).toBe(200);
  });

  it.each<readonly [string, RegExp, (advised: string) => string]>([
    ['$expand=Caller($top=1)', /use (.*)\.$/, (text) => text],
    ['$expand=Workorders($levels=2;$foo=1)', /(does not exist)/, (text) => text],
  ])('%s names no option that is rejected there', async (query, pattern) => {
    const options = await advice(await send(desk, 'GET', requests + query), pattern);
    expect(options).not.toContain('$levels');
  });
});

describe('What a message recommends where keys have other names is accepted', () => {
  it.each<readonly [string, RegExp, (advised: string) => string]>([
    ["Animals?$filter=Species eq 'Aves'", /Write (.*)\.$/, (text) => `Animals?$filter=${text}`],
    [
      "Animals?$filter=Species eq AllSpecies('Aves')",
      /Write (.*)\.$/,
      (text) => `Animals?$filter=${text}`,
    ],
    ['Samples?$filter=Numbers eq 1', /items: (.*)\.$/, (text) => `Samples?$filter=${text}`],
    ['Samples?$filter=5 gt Numbers', /(Numbers\S+\(x:x lt 5\))/, (t) => `Samples?$filter=${t}`],
    ['Samples?$filter=Numbers eq null', /write (.*)\.$/, (text) => `Samples?$filter=${text}`],
    ["Samples?$filter=Words eq ['x','y']", /Write (.*)\.$/, (text) => `Samples?$filter=${text}`],
    [
      "Samples?$filter=Numbers eq ['x']",
      /(items of both must have the same type)/,
      () => 'Samples?$filter=Numbers eq [1]',
    ],
    ['Samples?$filter=Numbers gt [1]', /with (eq) and/, (t) => `Samples?$filter=Numbers ${t} [1]`],
    ['Animals?$filter=Mother eq Animals(1)', /Write (.*)\.$/, (text) => `Animals?$filter=${text}`],
    [
      "Enclosures?$filter=Name eq Enclosures(Wing='A',Number=1)/Name",
      /Write (.*)\.$/,
      (text) => `Enclosures?$filter=Name eq ${text}/Name`,
    ],
    ['Animals?$select=Mother/Name', /use (\$expand=.*)\.$/, (text) => `Animals?${text}`],
    ['Animals?$filter=Wingspan gt 1', /Write (\S+),/, (text) => `Animals?$filter=${text} gt 1`],
  ])('%s', async (url, pattern, follow) => {
    const text = await advice(await send(zoo, 'GET', url), pattern);
    const followed = await send(zoo, 'GET', follow(text));
    expect(followed.status, `${follow(text)}: ${followed.text}`).toBe(200);
  });
});

describe('What a message recommends for a path is accepted', () => {
  it.each<readonly [string, RegExp, (advised: string) => string]>([
    ['metadata', /Write (\S+)\.$/, (text) => text],
    ['ServiceRequests/count', /Write (\S+)\.$/, (text) => `ServiceRequests/${text}`],
    ['Servicerequests', /Did you mean "(\w+)"/, (text) => text],
    ['ServiceRequest', /, (\w+) for all/, (text) => text],
    ['ServiceRequest', /Write (\w+)\(…\)/, (text) => `${text}(${REQUEST})`],
    [
      `ServiceRequests(${REQUEST})/$links/Caller`,
      /Write (\/\$ref) after/,
      (text) => `ServiceRequests(${REQUEST})/Caller${text}`,
    ],
    [
      'ServiceRequests(Foo=1)',
      /expected \((\w+)=…\) or/,
      (text) => `ServiceRequests(${text}=${REQUEST})`,
    ],
    ['ServiceRequests(Foo=1)', /or \((\w+)=…\)/, (text) => `ServiceRequests(${text}=1001)`],
    [
      `ServiceRequests(${REQUEST})/Caller(${CALLER})`,
      /(remove the parentheses)/,
      () => `ServiceRequests(${REQUEST})/Caller`,
    ],
    [`Persons(${CALLER})/Nam`, /Did you mean "(\w+)"/, (text) => `Persons(${CALLER})/${text}`],
    [
      'ServiceRequests/Person',
      /Did you mean (\w+)/,
      (text) => `ServiceRequests(${REQUEST})/${text}`,
    ],
    ['entity', /Write (\$entity\?\$id=)…/, (text) => `${text}Persons(${CALLER})`],
    ['crossjoin', /Write (\$crossjoin\()…/, (text) => `${text}Persons,Workgroups)`],
    [
      '$crossjoin(Persons,Workgroups)?$expand=Foo',
      /expand (\w+) or/,
      (text) => `$crossjoin(Persons,Workgroups)?$expand=${text}`,
    ],
  ])('%s', async (url, pattern, follow) => {
    const text = await advice(await send(desk, 'GET', url), pattern);
    const followed = await send(desk, 'GET', follow(text));
    expect([200, 204], `${follow(text)}: ${followed.text}`).toContain(followed.status);
  });
});

describe('What a message recommends for a body is accepted', () => {
  const described = { Description: 'Follows advice' };
  const parsed = (text: string) => JSON.parse(`{${text}}`);

  it.each<readonly [object, RegExp, (advised: string) => object]>([
    [{ Caller: `/Persons(${CALLER})` }, /Write (".*) to refer/, parsed],
    [{ Caller: CALLER }, /Write (".*) to refer/, parsed],
    [{ Workorders: [`Workorders(${WORKORDER})`] }, /Write (".*) to refer/, parsed],
    [{ Workorders: `Workorders(${WORKORDER})` }, /Write (".*) to refer/, parsed],
    [
      { Assignment: { AssigneePerson: `/Persons(${CALLER})` } },
      /Write (".*) to refer/,
      (text) => ({ Assignment: parsed(text) }),
    ],
    [
      { 'Caller@odata.id': `Persons(${CALLER})` },
      /write "(.*)"\.$/,
      (name) => ({ [name]: `Persons(${CALLER})` }),
    ],
    [{ 'Caller@odata.bnd': 'x' }, /write "(.*)"\.$/, (name) => ({ [name]: `Persons(${CALLER})` })],
    [
      { '@odata.typ': 'x' },
      /write "(.*)"\.$/,
      (name) => ({ [name]: '#Service.Web.OData.Model.ServiceRequest' }),
    ],
    [
      { 'Caller@odata.bind': 5 },
      /such as "(.*)"\.$/,
      (url) => ({ 'Caller@odata.bind': url.replace('(1)', `(${CALLER})`) }),
    ],
    [{ CallerUid: CALLER }, /Did you mean "(.*)"\?/, (name) => ({ [name]: `Persons(${CALLER})` })],
    [
      { Callr: `Persons(${CALLER})` },
      /Did you mean "(.*)"\?/,
      (name) => ({ [name]: `Persons(${CALLER})` }),
    ],
    [{ Informaton: 'x' }, /Did you mean "(.*)"\?/, (name) => ({ [name]: 'x' })],
    [
      { 'AssigneePerson@odata.bind': 'x' },
      /Write (".*)…}\.$/,
      (text) => parsed(`${text}"Persons(${CALLER})"}`),
    ],
    [{ Status: 'Closed' }, /such as (\{.*?\}) or/, (text) => ({ Status: JSON.parse(text) })],
    [{ Status: 'Closed' }, /or (\{.*\})\.$/, (text) => ({ Status: JSON.parse(text) })],
    [
      { Status: { Value: 1 } },
      /permitted are (\d+)/,
      (text) => ({ Status: { Value: Number(text) } }),
    ],
    [{ Deadline: 'tomorrow' }, /such as (\S+)\.$/, (text) => ({ Deadline: text })],
    [{ Deadline: '2020-01-01T10:00:00' }, /such as (\S+)\.$/, (text) => ({ Deadline: text })],
    [
      { 'Deadline@odata.type': '#Foo', Deadline: null },
      /use (\S+) or omit/,
      (type) => ({ 'Deadline@odata.type': type, Deadline: null }),
    ],
    [{ Uid: 5 }, /(leave it out)/, () => ({})],
  ])('%j', async (body, pattern, follow) => {
    const answer = await send(desk, 'POST', 'ServiceRequests', { ...described, ...body });
    const advised = follow(await advice(answer, pattern));
    const followed = await send(desk, 'POST', 'ServiceRequests', { ...described, ...advised });
    expect(followed.status, `${JSON.stringify(advised)}: ${followed.text}`).toBe(201);
  });

  it.each<readonly [string, string, unknown, RegExp, (advised: string) => unknown]>([
    ['PUT', `ServiceRequests(${REQUEST})/Caller/$ref`, {}, /Send (\{.*\})\.$/, JSON.parse],
    ['PUT', `ServiceRequests(${REQUEST})/Caller/$ref`, undefined, /Send (\{.*\})\.$/, JSON.parse],
    ['PUT', `ServiceRequests(${REQUEST})/Caller/$ref`, [], /Send (\{.*\})\.$/, JSON.parse],
    ['POST', `ServiceRequests(${REQUEST})/Workorders/$ref`, {}, /Send (\{.*\})\.$/, JSON.parse],
    ['PUT', `ServiceRequests(${REQUEST})/Workorders/$ref`, {}, /Send (\{.*\})\.$/, JSON.parse],
    [
      'PUT',
      `ServiceRequests(${REQUEST})/Workorders/$ref`,
      { value: [{}] },
      /Send (\{.*\})\.$/,
      (text) => ({ value: [JSON.parse(text)] }),
    ],
    [
      'PATCH',
      `ServiceRequests(${REQUEST})`,
      undefined,
      /The body is empty\. Send a (JSON object)/,
      () => ({ Information: 'x' }),
    ],
    [
      'POST',
      'ServiceRequests',
      undefined,
      /The body is empty\. Send a (JSON object)/,
      () => ({ Description: 'x' }),
    ],
    ['PATCH', 'Persons', {}, /Send (\{"value": \[)…/, (text) => JSON.parse(`${text}]}`)],
    [
      'PUT',
      `ServiceRequests(${REQUEST})/Information`,
      undefined,
      /Send (\{"value": )…/,
      (text) => JSON.parse(`${text}"x"}`),
    ],
    [
      'PUT',
      `ServiceRequests(${REQUEST})/Information`,
      {},
      /Send (\{"value": )…/,
      (text) => JSON.parse(`${text}"x"}`),
    ],
  ])('%s %s %j', async (method, url, body, pattern, follow) => {
    const text = await advice(await send(desk, method, url, body), pattern);
    const known = text
      .replace('Persons(1)', `Persons(${CALLER})`)
      .replace('Workorders(1)', `Workorders(${WORKORDER})`);
    const followed = await send(desk, method, url, follow(known));
    expect(followed.status, followed.text).toBeLessThan(300);
  });

  it('of 4.0, in the PATCH of a relation', async () => {
    const headers = { 'odata-version': '4.0', 'content-type': 'application/json' };
    const url = `/ServiceRequests(${BARE_REQUEST})`;
    const body = { Caller: { LastName: 'x' } };
    const name = await advice(await desk.send('PATCH', url, { headers, body }), /with "(.*)", or/);
    const bound = { [name]: `Persons(${CALLER})` };
    expect((await desk.send('PATCH', url, { headers, body: bound })).status).toBe(204);
    const newer = { ...headers, 'odata-version': '4.01' };
    expect((await desk.send('PATCH', url, { headers: newer, body })).status).toBe(204);
  });

  it('a string or a key where entities belong to their owner is not taken for a reference', async () => {
    const answer = await send(desk, 'POST', 'ServiceRequests', {
      ...described,
      HistoryLines: ['x'],
    });
    expect(answer.json.error.message).not.toContain('@odata.bind');
  });
});

describe('A record that others refer to', () => {
  it('can be blocked instead, where its type has Blocked', async () => {
    const pattern = /Set (\w+) to true instead/;
    const url = `Workgroups(${WORKGROUP})`;
    const name = await advice(await send(desk, 'DELETE', url), pattern);
    expect((await send(desk, 'PATCH', url, { [name]: true })).status).toBe(204);
  });

  it('is not to be blocked where its type has nothing of that name', async () => {
    const keeper = "Keepers(Email='ann@zoo.example')";
    const { status, json } = await zoo.send('DELETE', `/${keeper}`);
    expect([status, json.error.code]).toEqual([409, 'write.referenced']);
    expect(json.error.message).toContain('Remove the references first.');
    expect(json.error.message).not.toContain('Blocked');
    const boss = { 'Boss@odata.bind': null };
    const bob = "/Keepers(Email='bob@zoo.example')";
    expect((await zoo.send('PATCH', bob, { body: boss })).status).toBe(204);
    expect((await zoo.send('DELETE', `/${keeper}`)).status).toBe(204);
  });

  it('can be deleted once the references are removed', async () => {
    const made = await send(desk, 'POST', 'Persons', { LastName: 'Short' });
    const { Uid } = made.json;
    const request = `ServiceRequests(${BARE_REQUEST})`;
    await send(desk, 'PATCH', request, { 'Caller@odata.bind': `Persons(${Uid})` });
    await advice(await send(desk, 'DELETE', `Persons(${Uid})`), /(remove the references first)/);
    await send(desk, 'PATCH', request, { Caller: null });
    expect((await send(desk, 'DELETE', `Persons(${Uid})`)).status).toBe(204);
    expect((await desk.get(`/Persons(${MEMBER})`)).status).toBe(200);
  });
});

describe('What a message recommends for headers and files is accepted', () => {
  it('a token', async () => {
    const answer = await desk.as('anonymous').get('/Persons');
    const method = await advice(answer, /(POST) \/token issues one/);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({
      grant_type: 'password',
      username: 'admin',
      password: PASSWORD,
    }).toString();
    const token = await desk.send(method, '/token', { headers, body });
    const authorization = `Bearer ${token.json.access_token}`;
    expect((await desk.as('anonymous').get('/Persons', { authorization })).status).toBe(200);
  });

  it('a query that is too long for a URL', async () => {
    const query = `$filter=${'Uid%20eq%201%20or%20'.repeat(900)}true`;
    const answer = await desk.get(`/Persons?${query}`);
    expect(answer.status).toBe(414);
    const path = await advice(answer, /POST …(\/\$query)/);
    const headers = { 'content-type': 'text/plain' };
    const short = { headers, body: '$filter=true' };
    expect((await desk.send('POST', `/Persons${path}`, short)).status).toBe(200);
  });

  it('a media type of a body', async () => {
    const body = JSON.stringify({ LastName: 'Typed' });
    const plain = { headers: { 'content-type': 'text/plain' }, body };
    const type = await advice(await desk.send('POST', '/Persons', plain), /send (\S+)\.$/);
    const typed = { headers: { 'content-type': type }, body };
    expect((await desk.send('POST', '/Persons', typed)).status).toBe(201);
  });

  it('a method', async () => {
    const allow = await advice(await send(desk, 'DELETE', 'Persons'), /use (.*)\.$/);
    expect((await send(desk, allow.split(', ')[0] ?? '', 'Persons')).status).toBe(200);
  });

  it('a schema version, and a format', async () => {
    const text = await advice(
      await send(desk, 'GET', 'Persons?$format=yaml'),
      /formats are (\w+),/,
    );
    expect((await send(desk, 'GET', `Persons?$format=${text}`)).status).toBe(200);
  });

  it('a file without bytes, and one whose name is taken', async () => {
    const url = `/ServiceRequests(${REQUEST})/Attachments`;
    await advice(await desk.send('POST', url), /Send its (content) with its Content-Type/);
    const named = { 'content-type': 'text/plain', slug: 'taken.txt' };
    const file = { headers: named, body: 'text' };
    expect((await desk.send('POST', url, file)).status).toBe(201);
    for (const pattern of [/(conflict-resolution=\w+) or/, /conflict-resolution=rename or (\w+)/]) {
      const prefer = await advice(await desk.send('POST', url, file), pattern);
      const wish = prefer.includes('=') ? prefer : `conflict-resolution=${prefer}`;
      const again = { ...file, headers: { ...named, prefer: wish } };
      expect((await desk.send('POST', url, again)).status, wish).toBeLessThan(300);
    }
  });
});
