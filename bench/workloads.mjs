// This file lists what the bench asks: each workload names the requests it sends. `keys` are those of requests all over the set. Goals
// are ratios of processor time: that of the floor divided by that of the service.

const filteredBy = (status) =>
  `ServiceRequests?$filter=Status/Value%20eq%20${status}%20and%20Priority/Value%20eq%20110002&$orderby=Deadline`;

/** Of the requests in the demo data, 1 % have the rare status and 72 % the frequent one. */
export const STATUSES = { rare: 101003, frequent: 101009 };
/** The status in which requests begin. Another one would be against the workflow, and the service counts such creates. */
const REGISTERED = 101001;

export const FILTERED = filteredBy(STATUSES.rare);
export const FILTERED_FREQUENT = filteredBy(STATUSES.frequent);

/** In the order in which next links name the options. */
export const COUNTED = FILTERED.replace('&', '&$count=true&');
export const COUNTED_FREQUENT = FILTERED_FREQUENT.replace('&', '&$count=true&');

export const SEARCHES = {
  rare: 'ServiceRequests?$filter=contains(Description,%27heliotrope%27)&$select=Uid',
  words: 'ServiceRequests?$select=Uid&$search=heliotrope',
  frequent: 'ServiceRequests?$filter=contains(Description,%27quarterly%27)&$select=Uid',
};

const EXPANDED =
  'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)';

export const workloads = [
  {
    id: 'W1',
    name: 'one by key',
    paths: (keys) => keys.map((key) => `ServiceRequests(${key})`),
    goal: 0.8,
  },
  { id: 'W2', name: 'first page', paths: ['ServiceRequests'], goal: 0.98 },
  { id: 'W3', name: 'filter and order, rare status', paths: [FILTERED], goal: 0.85 },
  { id: 'W3f', name: 'the same, frequent status', paths: [FILTERED_FREQUENT], goal: 0.85 },
  { id: 'W3c', name: 'rare status with $count', paths: [COUNTED], goal: 0.85 },
  { id: 'W3cf', name: 'frequent status with $count', paths: [COUNTED_FREQUENT], goal: 0.85 },
  {
    id: 'W4',
    name: 'two expands',
    paths: [EXPANDED],
    goal: 0.98,
  },
  { id: 'W5r', name: 'contains, rare word', paths: [SEARCHES.rare], goal: 20 },
  { id: 'W5s', name: '$search, rare word', paths: [SEARCHES.words], goal: 100 },
  { id: 'W5f', name: 'contains, frequent word', paths: [SEARCHES.frequent], goal: 1 },
  { id: 'W6s', name: 'page 5,000 by $skip', paths: ['ServiceRequests?$skip=99980'] },
  { id: 'W6n', name: 'pages by next links', paths: pagesBehind },
  { id: 'W9', name: '250 records', paths: ['ServiceRequests?$top=250'], goal: 0.98 },
  {
    id: 'W10',
    name: 'group by status',
    paths: ['ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))'],
    goal: 0.9,
  },
  { id: 'W11', name: '$batch of 20 reads', batch: 20, goal: 0.75 },
  {
    id: 'W12',
    name: 'Caller by path',
    paths: (keys) => keys.map((key) => `ServiceRequests(${key})/Caller`),
    goal: 0.8,
  },
  { id: 'W15', name: 'mixed reads', paths: mixed, goal: 0.9 },
];

const JSON_BODY = { 'content-type': 'application/json' };

const create = (person) => ({
  method: 'POST',
  path: '/odata/ServiceRequests',
  headers: JSON_BODY,
  body: JSON.stringify({
    Description: 'Printer {n} is on fire',
    Information: 'Smoke since nine.',
    Status: { Value: REGISTERED },
    Priority: { Value: 110001 },
    'Caller@odata.bind': `Persons(${person})`,
  }),
});

const patch = (key) => ({
  method: 'PATCH',
  path: `/odata/ServiceRequests(${key})`,
  headers: JSON_BODY,
  body: JSON.stringify({ Workaround: 'Take the printer {n} on the floor below' }),
});

/**
 * Requests that change something; `{n}` in a body is another number in each request. No service level is in force, since the floor
 * calculates no deadlines; W7s compares the service with service levels to the service without.
 */
export const writingWorkloads = [
  { id: 'W7', name: 'create', goal: 0.95, make: ({ people }) => people.map(create) },
  {
    id: 'W7s',
    name: 'create, with service levels',
    goal: 0.7,
    make: ({ people }) => people.map(create),
  },
  { id: 'W7o', name: 'create, one writer', make: ({ people }) => people.map(create) },
  { id: 'W8', name: 'patch one property', goal: 0.95, make: ({ keys }) => keys.map(patch) },
  { id: 'W8o', name: 'patch, one writer', make: ({ keys }) => keys.map(patch) },
  { id: 'W14', name: 'token by password', goal: 0.9, make: ({ login }) => [login] },
].map((workload) => (workload.id.endsWith('o') ? { ...workload, connections: 1 } : workload));

/** Three of four requests read one record, and the fourth a page in one of four forms. */
function mixed(keys) {
  const pages = ['ServiceRequests', FILTERED, EXPANDED, 'ServiceRequests?$top=250'];
  return keys.flatMap((key, index) =>
    index % 3 === 0
      ? [`ServiceRequests(${key})`, pages[(index / 3) % pages.length]]
      : [`ServiceRequests(${key})/Caller`],
  );
}

/** Next links all over the set: each page is asked for once only, as by who follows them. */
function pagesBehind(keys, next) {
  const head = next.slice(0, next.lastIndexOf('.') + 1);
  return keys.map((key) => `${head}${Buffer.from(`[${key}]`).toString('hex')}`);
}

/** The requests of a workload, as load.mjs takes them. */
export function requestsOf(workload, { keys, next, ...more }) {
  if (workload.make !== undefined) return workload.make({ keys, ...more });
  if (workload.batch !== undefined) return batches(workload.batch, keys);
  const { paths } = workload;
  const all = typeof paths === 'function' ? paths(keys, next) : paths;
  return all.map((path) => ({ method: 'GET', path: `/odata/${path}` }));
}

function batches(size, keys) {
  return Array.from({ length: 20 }, (_, index) => ({
    method: 'POST',
    path: '/odata/$batch',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      requests: Array.from({ length: size }, (_, at) => ({
        id: String(at + 1),
        method: 'GET',
        url: `ServiceRequests(${keys[(index * size + at) % keys.length]})`,
      })),
    }),
  }));
}
