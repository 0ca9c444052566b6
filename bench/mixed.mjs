// This file makes requests of all kinds, as clients of a service desk and those who try its doors would send them: reads of many shapes
// and keys, writes, batches, tokens, refusals and addresses that nobody knows. `{n}` is another number each time a request is sent.
import { login } from './servers.mjs';

const JSON_BODY = { 'content-type': 'application/json' };
const PROPERTIES = [
  'Uid',
  'ID',
  'Description',
  'Status',
  'Priority',
  'Deadline',
  'Information',
  'Workaround',
  'Impact',
  'Category',
];
const ORDERS = ['Deadline', 'ID desc', 'Status/Text', 'Registration/DateModified desc', 'Uid'];
const get = (path, headers = {}) => ({
  method: 'GET',
  path: `/odata/${path.replaceAll(' ', '%20')}`,
  headers,
});
const form = (fields) => ({ ...login, body: String(new URLSearchParams(fields)) });

/** Some of the properties, by the bits of a number. */
const some = (bits) => PROPERTIES.filter((_, index) => (bits >> index) & 1).join(',') || 'Uid';

/** What is asked, with how many of a hundred thousand requests are of the kind. */
const KINDS = [
  [40_000, (key) => get(`ServiceRequests(${key})`)],
  [8000, (key) => get(`ServiceRequests(${key})/Caller?$select=Uid,Name`)],
  [5000, (key) => get(`ServiceRequests(${key})/Status/Text/$value`)],
  [5000, () => get('ServiceRequests?$top=5')],
  [6000, (_key, at) => get(`ServiceRequests?$top=3&$select=${some(at)}`)],
  [4000, (_key, at) => get(`Persons?$top=2&$orderby=Uid&$skip=${at % 1000}`)],
  [
    4000,
    (_key, at) =>
      get(
        `ServiceRequests?$top=2&$filter=SourceID eq '{n}'&$orderby=${ORDERS[at % 5]}&$select=Uid`,
      ),
  ],
  [2000, () => get('ServiceRequests?$top=2&$select=Uid&$filter=Caller/Uid eq {n}')],
  [2000, () => get('ServiceRequests?$top=2&$select=Uid&$search=word{n}')],
  [
    2000,
    (key) =>
      get(`ServiceRequests(${key})?$expand=Workorders($select=Uid;$top=2),Caller($select=Name)`),
  ],
  [
    1000,
    (key, at) => get(`ServiceRequests(${key})?$select=${some(at)}`, { 'accept-language': 'nl' }),
  ],
  [1000, () => get('ServiceRequests?$top=2', { accept: 'application/json;odata.metadata=full' })],
  [500, () => get('$metadata', { 'if-none-match': '"{n}"' })],
  [500, (key) => batch([`ServiceRequests(${key})`, 'Persons?$top=1', 'Nothing{n}'])],
  [4000, (key) => patch(key, { Workaround: 'growth {n}' })],
  [
    1000,
    (key) => ({
      ...patch(key, { Workaround: 'never' }),
      headers: { ...JSON_BODY, 'if-match': 'W/"{n}9"' },
    }),
  ],
  [
    1000,
    () => ({
      method: 'POST',
      path: '/odata/Locations',
      headers: JSON_BODY,
      body: '{"Searchcode":"GROWTH{n}","Name":"Growth"}',
    }),
  ],
  [
    500,
    (key) => ({
      ...patch(key, { Workaround: 'once {n}' }),
      headers: {
        ...JSON_BODY,
        'repeatability-request-id': 'growth-{n}',
        'repeatability-first-sent': 'Tue, 01 Dec 2026 00:00:00 GMT',
      },
    }),
  ],
  [2000, () => get('ServiceRequests({n}00000)')],
  [2000, () => get('Unknown{n}')],
  [1000, () => get('ServiceRequests?$filter=Nothing{n} eq 1')],
  [1000, () => get("ServiceRequests?$filter=contains(Description,'{n}")],
  [1000, () => ({ ...patch(1, {}), body: '{"Description{n}":' })],
  [1000, () => get('Persons', { authorization: 'Bearer nobody{n}' })],
  [1000, () => ({ method: 'GET', path: '/nowhere/{n}' })],
  [1000, () => ({ method: 'BREW{n}'.replace('{n}', ''), path: '/odata/Persons' })],
  [40, () => login],
  [20, () => form({ grant_type: 'password', username: 'nobody{n}', password: 'wrong' })],
  [40, () => form({ grant_type: 'refresh_token', refresh_token: 'nothing{n}' })],
];

function patch(key, body) {
  return {
    method: 'PATCH',
    path: `/odata/ServiceRequests(${key})`,
    headers: JSON_BODY,
    body: JSON.stringify(body),
  };
}

function batch(urls) {
  const requests = urls.map((url, index) => ({ id: String(index), method: 'GET', url }));
  return {
    method: 'POST',
    path: '/odata/$batch',
    headers: JSON_BODY,
    body: JSON.stringify({ requests }),
  };
}

/** So many requests of all kinds, well mixed; the same each time. */
export function mixedRequests(count, keys) {
  const whole = KINDS.reduce((sum, [share]) => sum + share, 0);
  const made = KINDS.flatMap(([share, make], kind) =>
    Array.from({ length: Math.ceil((share / whole) * count) }, (_, index) =>
      make(keys[(index * 31 + kind) % keys.length], index),
    ),
  );
  // Any multiplier that has no divisor in common with the length reaches each of them once.
  const step = [7919, 7927, 7933].find((prime) => made.length % prime !== 0);
  return made.map((_, index) => made[(index * step) % made.length]);
}
