// This file checks that the floor of requests that write does what the service does: both are sent the same request, and the rows that
// they have added and the record that they have written must be the same, moments, names of requests and keys apart.
import Database from 'better-sqlite3';

const TABLES = [
  'ServiceRequests',
  'ServiceRequests$search_docsize',
  'ServiceRequests$grams_docsize',
  'Record/HistoryLines',
  'Record/HistoryLines$search_docsize',
  'Record/HistoryLines$grams_docsize',
  'docket_change',
];
const NEWEST = {
  record:
    'SELECT * FROM "ServiceRequests" WHERE "Uid" = (SELECT identity FROM docket_change ORDER BY seq DESC LIMIT 1)',
  change: 'SELECT * FROM docket_change ORDER BY seq DESC LIMIT 1',
  line: 'SELECT * FROM "Record/HistoryLines" ORDER BY "Uid" DESC LIMIT 1',
};
/** What is another in every write: keys, moments, what was there before. */
const OWN =
  /^(?:Uid|ID|\$version|\$parent|OldValue|CreatedAt|Registration\/Date\w+|at|seq|request|identity)$/;

function rowsIn(database) {
  const counts = TABLES.map((table) =>
    database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get(),
  );
  const advice = database.prepare('SELECT total("Count") FROM "docket:workflowadvice"').pluck();
  return [...counts, advice.get(), ...touched(database)];
}

/** By how much the numbers of sequences and of changes have been raised. */
function touched(database) {
  const names = ['identity', 'ServiceRequests.ID', 'changes of ServiceRequests'];
  const next = database
    .prepare('SELECT coalesce((SELECT next FROM docket_sequence WHERE name = ?), 0)')
    .pluck();
  return [...names, 'changes of Record/HistoryLines'].map((name) => next.get(name));
}

function newest(database) {
  return Object.values(NEWEST).map((query) =>
    Object.entries(database.prepare(query).get() ?? {}).filter(([name]) => !OWN.test(name)),
  );
}

/** Due actions of the service may add rows between. */
const ATTEMPTS = 3;

/** Throws where service and floor write differently. */
export async function requireSameRows(file, servers, { workload, requests }, fetchFrom) {
  if (requests[0].path === '/token') return;
  let seen;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    seen = await rowsOfBoth(file, servers, requests[0], fetchFrom);
    if (seen.given === seen.expected) return;
  }
  throw new Error(`${workload.id}: the floor writes ${seen.given} instead of ${seen.expected}`);
}

/** A line of history shows the text before, which is another after the first request. */
const withoutWords = (rows) =>
  JSON.stringify(rows).replaceAll(/Workaround: .*? → |\b(?:first|second)\b/g, '');

async function rowsOfBoth(file, { service, floor }, request, fetchFrom) {
  const database = new Database(file, { readonly: true });
  const wrote = async (server, body) => {
    const before = rowsIn(database);
    const { headers } = await fetchFrom(server, { ...request, body });
    const added = rowsIn(database).map((count, index) => count - before[index]);
    return { added, newest: newest(database), headers: headers.map(([name]) => name) };
  };
  // A patch that changes nothing would write nothing.
  const [first, second] = ['first', 'second'].map((word) => request.body.replace('{n}', word));
  const ours = await wrote(service, first);
  const theirs = await wrote(floor, second);
  database.close();
  return {
    expected: withoutWords(ours),
    given: withoutWords(theirs),
  };
}
