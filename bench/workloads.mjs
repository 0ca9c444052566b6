// This file lists what the bench asks: each workload names the requests it sends. `keys` are those of requests all over the set.

export const FILTERED =
  'ServiceRequests?$filter=Status/Value%20eq%20101003%20and%20Priority/Value%20eq%20110002&$orderby=Deadline';

/** In the order in which next links name the options. */
export const COUNTED = FILTERED.replace('&', '&$count=true&');

export const SEARCHES = {
  rare: 'ServiceRequests?$filter=contains(Description,%27heliotrope%27)&$select=Uid',
  words: 'ServiceRequests?$select=Uid&$search=heliotrope',
  frequent: 'ServiceRequests?$filter=contains(Description,%27quarterly%27)&$select=Uid',
};

export const workloads = [
  {
    id: 'W1',
    name: 'one by key',
    paths: (keys) => keys.map((key) => `ServiceRequests(${key})`),
    goal: 0.75,
  },
  { id: 'W2', name: 'first page', paths: ['ServiceRequests'], goal: 0.85 },
  { id: 'W3', name: 'filter and order', paths: [FILTERED], goal: 0.85 },
  { id: 'W3c', name: 'with $count', paths: [COUNTED], goal: 0.95 },
  {
    id: 'W4',
    name: 'two expands',
    paths: ['ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)'],
    goal: 0.9,
  },
  { id: 'W5r', name: 'contains, rare word', paths: [SEARCHES.rare], goal: 20 },
  { id: 'W5s', name: '$search, rare word', paths: [SEARCHES.words], goal: 100 },
  { id: 'W5f', name: 'contains, frequent word', paths: [SEARCHES.frequent], goal: 1 },
  { id: 'W6s', name: 'page 5,000 by $skip', paths: ['ServiceRequests?$skip=99980'] },
  { id: 'W6n', name: 'page 5,000 by next link', paths: ['{next}'] },
  { id: 'W9', name: '250 records', paths: ['ServiceRequests?$top=250'], goal: 0.95 },
  {
    id: 'W10',
    name: 'group by status',
    paths: ['ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))'],
    goal: 0.95,
  },
  { id: 'W11', name: '$batch of 20 reads', batch: 20, goal: 0.7 },
  {
    id: 'W12',
    name: 'Caller by path',
    paths: (keys) => keys.map((key) => `ServiceRequests(${key})/Caller`),
    goal: 0.75,
  },
];

/** The requests of a workload, as autocannon takes them. */
export function requestsOf(workload, keys, next) {
  if (workload.batch !== undefined) return batches(workload.batch, keys);
  const paths = typeof workload.paths === 'function' ? workload.paths(keys) : workload.paths;
  return paths.map((path) => ({
    method: 'GET',
    path: `/odata/${path === '{next}' ? next : path}`,
  }));
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
