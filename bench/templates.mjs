// This file measures what the number of different queries costs: it sends a mix of 30 and a mix of 1,500 URL templates, both with other
// literals in each request, to a service on demo records, and prints the processor time of a request in each and the ratio. Then it looks at
// the memory that 10,000 templates add. The few templates are another random sample of the many in each round.
//     npm run bench:templates [-- --requests 500] [--rounds 5] [--answers 6000] [--few 30] [--many 1500] [--kept 10000] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { heapOf } from './growth.mjs';
import {
  makeInstallation,
  memory,
  processorTime,
  startLoader,
  startService,
  stop,
} from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    answers: { type: 'string', default: '6000' },
    few: { type: 'string', default: '30' },
    many: { type: 'string', default: '1500' },
    kept: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
});

// ---- templates ------------------------------------------------------------------------------------------------------

let state = 20_260_331;

/** At least 0, less than 1: the same numbers in each run. */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

const below = (limit) => Math.floor(random() * limit);
const pick = (items) => items[below(items.length)];

function some(items, least, most) {
  const rest = [...items];
  const count = Math.min(rest.length, least + below(most - least + 1));
  return Array.from({ length: count }, () => rest.splice(below(rest.length), 1)[0]);
}

const WORK = {
  numbers: ['ID', 'Uid'],
  codes: { Status: 10, Priority: 5, Impact: 5, Category: 3, ClosureCode: 4 },
  texts: ['Description', 'Information', 'Solution', 'SourceID', 'Workaround'],
  moments: ['Deadline', 'Registration/DateCreated', 'ActualFinish', 'PlanStart'],
  flags: ['Blocked', 'DeadlineIsManual'],
  others: ['PlanDuration', 'Registration', 'Urgency', 'Classification', 'Folder', 'LateFinish'],
  expands: ['Requestor', 'Service', 'HistoryLines'],
};
const LISTS = {
  ServiceRequests: { Status: 101, Priority: 110, Impact: 111, Category: 140, ClosureCode: 130 },
  Incidents: { Status: 102, Priority: 110, Impact: 111, ClosureCode: 131 },
  Problems: { Status: 103, Priority: 110, Impact: 111, ClosureCode: 132 },
  Changes: { Status: 104, Priority: 110, Category: 141, ClosureCode: 133 },
  Workorders: { Status: 105, Priority: 110, ClosureCode: 134 },
  Persons: { Status: 150, Category: 151, Folder: 190 },
  ConfigurationItems: { Status: 160, Category: 142, Folder: 190 },
};
const SETS = {
  ServiceRequests: {
    ...WORK,
    others: [...WORK.others, 'Medium', 'FeedbackRating', 'OnHoldUntil'],
    expands: [...WORK.expands, 'Caller', 'CallerOrganization', 'Workorders', 'ConfigurationItem'],
  },
  Incidents: {
    ...WORK,
    moments: [...WORK.moments, 'DetectedAt', 'RestoredAt'],
    flags: [...WORK.flags, 'MajorIncident'],
    expands: [...WORK.expands, 'Caller', 'Problem', 'Workorders'],
  },
  Problems: {
    ...WORK,
    flags: [...WORK.flags, 'KnownError'],
    expands: [...WORK.expands, 'Changes'],
  },
  Changes: { ...WORK, expands: [...WORK.expands, 'Project', 'Workorders'] },
  Workorders: { ...WORK, expands: [...WORK.expands, 'ServiceRequest', 'Change', 'Location'] },
  Persons: {
    numbers: ['Uid'],
    texts: ['Name', 'LastName', 'FirstName', 'Email', 'Searchcode', 'Jobtitle'],
    moments: ['Registration/DateCreated', 'Registration/DateModified'],
    flags: ['Blocked'],
    others: ['Phone', 'Language', 'TimeZone', 'Initials', 'Title', 'Registration'],
    expands: ['Organization', 'Location', 'Manager', 'Workgroups'],
  },
  ConfigurationItems: {
    numbers: ['ID', 'Uid'],
    texts: ['Name1', 'Searchcode', 'SerialNumber', 'HostName', 'Remark'],
    moments: ['PurchaseDate', 'WarrantyDate', 'Registration/DateCreated'],
    flags: ['Blocked'],
    others: ['IPAddress', 'MacAddress', 'Price', 'OrderNr', 'Registration'],
    expands: ['Location', 'Owner', 'Supplier', 'ParentItem'],
  },
};
const WORDS = ['printer', 'network', 'account', 'laptop', 'mail', 'password', 'access', 'server'];

const number = () => String(1 + below(900));
const moment = () =>
  new Date(Date.UTC(2024, below(24), 1 + below(28), below(24))).toISOString().replace('.000', '');
const word = () => `'${pick(WORDS)}${pick(['', ' ', 's', ` ${below(50)}`])}'`;

/** A condition: its fixed text, with a function for each literal. */
function condition(set, { numbers, texts, moments, flags }) {
  const kind = pick(['number', 'code', 'code', 'text', 'text', 'moment', 'flag', 'list']);
  const list = pick(Object.entries(LISTS[set]));
  const code = () => String(list[1] * 1000 + 1 + below(4));
  switch (kind) {
    case 'number':
      return [`${pick(numbers)} ${pick(['ge', 'le', 'gt', 'ne'])} `, number];
    case 'code':
      return [`${list[0]}/Value ${pick(['eq', 'ne'])} `, code];
    case 'list':
      return [`${list[0]}/Value in (`, code, ',', code, ')'];
    case 'text': {
      const name = pick(['contains', 'startswith']);
      const text = pick(texts);
      return random() < 0.6 ? [`${name}(${text},`, word, ')'] : [`${text} ne `, word];
    }
    case 'moment':
      return [`${pick(moments)} ${pick(['lt', 'ge', 'gt'])} `, moment];
    default:
      return [`${pick(flags)} ne `, () => pick(['true', 'false'])];
  }
}

/** A template as texts and functions that make literals, by its text, which identifies it. */
function makeTemplate() {
  const set = pick(Object.keys(SETS));
  const members = SETS[set];
  const conditions = Array.from({ length: 1 + below(3) }, () => condition(set, members));
  const filter = conditions.flatMap((one, index) =>
    index === 0 ? one : [` ${pick(['and', 'and', 'or'])} `, ...one],
  );
  const plain = [...members.numbers, ...members.texts, ...members.others];
  const codes = Object.keys(LISTS[set]);
  const select = [
    'Uid',
    ...some(
      [...plain, ...codes].filter((name) => name !== 'Uid'),
      2,
      6,
    ),
  ];
  const orders = [...members.numbers, ...members.texts, ...members.moments];
  const order = random() < 0.6 ? `&$orderby=${pick(orders)}${pick(['', ' desc'])}` : '';
  const expand =
    random() < 0.4 ? `&$expand=${some(members.expands, 1, 2).map(expanded).join(',')}` : '';
  const tail = `&$select=${select.join(',')}${order}${expand}&$top=${pick([5, 10, 20])}`;
  return [`${set}?$filter=`, ...filter, tail];
}

const expanded = (name) => `${name}($select=${name === 'Service' ? 'Name' : 'Uid'})`;

/** So many different ones. */
function makeTemplates(count) {
  const templates = new Map();
  while (templates.size < count) {
    const template = makeTemplate();
    const text = template.map((part) => (typeof part === 'string' ? part : '#')).join('');
    templates.set(text, template);
  }
  return [...templates.values()];
}

function requestOf(template) {
  const query = template.map((part) => (typeof part === 'string' ? part : part())).join('');
  return { method: 'GET', path: `/odata/${query.replaceAll(' ', '%20')}` };
}

/** Requests of all the templates in random order, each with literals of its own. */
function requestsOf(templates, count) {
  const all = Array.from({ length: count }, (_, index) =>
    requestOf(templates[index % templates.length]),
  );
  return some(all, count, count);
}

// ---- measurements ---------------------------------------------------------------------------------------------------

const loader = startLoader();

/** Sends each request once, and returns microseconds of processor time for each. */
async function send(service, requests) {
  const before = processorTime(service.child.pid);
  const order = { url: service.address, headers: service.headers, requests, connections: 10 };
  const { answered, statuses } = await loader.load({ ...order, answers: requests.length });
  const failed = Object.keys(statuses).filter((status) => !status.startsWith('2'));
  if (failed.length > 0)
    throw new Error(`there are responses other than 200: ${JSON.stringify(statuses)}`);
  return ((processorTime(service.child.pid) - before) / answered) * 1000;
}

const median = (numbers) => [...numbers].sort((left, right) => left - right)[numbers.length >> 1];

/** A service without cached responses: what is measured is the way to a response. */
async function start(directory) {
  const environment = {
    NODE_OPTIONS: `--import ${new URL('./heap.mjs', import.meta.url).href}`,
    HEAP_FILE: join(directory, 'heap.json'),
    DOCKET_LIMITS_ANSWER_MEGABYTES: '0',
  };
  return await startService(environment, ['--log-level', 'error'], directory);
}

async function memoryOf(service, directory) {
  const heap = await heapOf(service, join(directory, 'heap.json'));
  return { heap, process: memory(service.child.pid) };
}

/** Few and many templates in turn. The first requests of a mix are not counted: each template is planned once or twice. */
async function compareMixes(directory) {
  const service = await start(directory);
  const many = makeTemplates(Number(flags.many));
  const answers = Number(flags.answers);
  const before = await memoryOf(service, directory);
  await send(service, requestsOf(many, answers));
  const rounds = [];
  for (let round = 0; round < Number(flags.rounds); round++) {
    const few = some(many, Number(flags.few), Number(flags.few));
    const costs = {};
    for (const [name, templates] of [
      ['few', few],
      ['many', many],
    ]) {
      await send(service, requestsOf(templates, templates.length * 3));
      costs[name] = await send(service, requestsOf(templates, answers));
    }
    rounds.push({ ...costs, ratio: costs.many / costs.few });
  }
  const after = await memoryOf(service, directory);
  await stop(service);
  const middle = (name) => median(rounds.map((round) => round[name]));
  return {
    few: middle('few'),
    many: middle('many'),
    ratio: middle('ratio'),
    rounds,
    before,
    after,
  };
}

/** Memory before and after so many templates, of which each is sent three times with other literals. */
async function keepTemplates(directory) {
  const service = await start(directory);
  const templates = makeTemplates(Number(flags.kept));
  await send(service, requestsOf(templates.slice(0, 20), 2000));
  const before = await memoryOf(service, directory);
  for (let time = 0; time < 3; time++) await send(service, templates.map(requestOf));
  const after = await memoryOf(service, directory);
  await stop(service);
  return { before, after };
}

function print({ mixes, kept }) {
  const megabytes = ({ before, after }) =>
    `heap ${before.heap.toFixed(1)} MB before, ${after.heap.toFixed(1)} MB after; process ${before.process.toFixed(0)} MB before, ${after.process.toFixed(0)} MB after`;
  for (const { few, many, ratio } of mixes.rounds)
    console.log(`round: ${few.toFixed(0)} and ${many.toFixed(0)} µs, ratio ${ratio.toFixed(2)}`);
  console.log(
    `${flags.few} templates: ${mixes.few.toFixed(0)} µs of processor time for each request; ${flags.many} templates: ${mixes.many.toFixed(0)} µs; ratio ${mixes.ratio.toFixed(2)}; ${megabytes(mixes)}`,
  );
  console.log(`${flags.kept} templates, three times each: ${megabytes(kept)}`);
}

const directory = mkdtempSync(join(tmpdir(), 'docket-templates-'));
try {
  makeInstallation(flags.requests, directory);
  const results = { mixes: await compareMixes(directory), kept: await keepTemplates(directory) };
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else print(results);
} finally {
  await stop(loader);
  rmSync(directory, { recursive: true, force: true });
}
