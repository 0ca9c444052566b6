// This file measures how long it takes to plan a request that is not in the plan cache. It calls the stages as the service does, for an
// administrator and for a role whose rights depend on the row, and every request has its own literals. `first` is the first request of its
// form in a process that has planned other requests; the other columns are medians of later ones.
//     npm run bench:planning [-- --processes 5] [--rounds 60] [--baseline ../other-checkout] [--only PATCH] [--json]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    processes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '60' },
    baseline: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    // Only for the processes that measure.
    checkout: { type: 'string' },
  },
});

const READS = [
  'ServiceRequests({n})',
  'ServiceRequests({n})?$select={some}',
  'ServiceRequests({n})?$expand=Caller($select=Uid,Name)',
  'ServiceRequests({n})?$select={some}&$expand=HistoryLines($orderby=CreatedAt desc;$top=5)',
  'ServiceRequests({n})/Status',
  'ServiceRequests({n})/Caller',
  'ServiceRequests({n})/HistoryLines',
  'ServiceRequests({n})/HistoryLines?$filter=CreatedAt gt 2026-01-01T00:00:{s}Z&$orderby=CreatedAt desc&$top=10',
  'ServiceRequests({n})/HistoryLines({n})',
  'ServiceRequests?$top={s}',
  "ServiceRequests?$filter=Status/Text eq 'Registered{n}'&$orderby=Registration/DateCreated desc&$top=20",
  'ServiceRequests?$filter=Status/Value eq 101001 and Priority/Value lt {n}&$orderby=Deadline&$select={some}',
  'ServiceRequests?$filter=Caller/Uid eq {n}&$select={some}&$orderby=Uid desc&$top=25',
  "ServiceRequests?$filter=contains(Description,'printer {n}')&$count=true&$top=20",
  "ServiceRequests?$filter=Caller/Organization/Name1 eq 'Acme {n}'&$select={some}",
  'ServiceRequests?$filter=Deadline lt 2026-03-31T12:00:{s}Z and ClosedAt eq null&$count=true&$top=0',
  'ServiceRequests?$filter=Assignment/AssigneePerson/Uid eq {n}&$expand=Caller,Workorders($select=Uid,Description)&$select={some}',
  'ServiceRequests?$search=printer{n}&$select={some}&$top=20',
  'ServiceRequests?$expand=Caller($expand=Organization($select=Name1);$select=Uid,Name)&$select={some}&$top={s}',
  'ServiceRequests?$compute=year(Deadline) add {n} as Year&$select=Uid,Year&$top=10',
  "ServiceRequests?$filter=HistoryLines/any(h:h/TimeSpent gt duration'PT{s}M')&$select={some}",
  'ServiceRequests/$count?$filter=Status/Value eq 101001 and Uid gt {n}',
  'ServiceRequests?$apply=filter(Uid gt {n})/groupby((Status/Text),aggregate($count as Count))',
  'ServiceRequests?$apply=groupby((Caller/Name),aggregate(FeedbackRating with average as Rating))&$orderby=Rating desc&$top={s}',
  'Workorders?$filter=ServiceRequest/Uid eq {n}&$expand=ServiceRequest($select=Uid,Description)',
  'Persons({n})',
  "Persons?$filter=startswith(Name,'A{n}')&$orderby=Name&$select=Uid,Name,Email&$top=10",
  'Persons({n})/Organization?$select=Uid,Name1',
  'ConfigurationItems?$filter=Owner/Uid eq {n} and Price/Amount gt {s}&$expand=Location($select=Uid)&$orderby=Searchcode&$top=20',
  'ConfigurationItems?$expand=Owner,Location,ParentItem&$top={s}',
].map((url) => ({ method: 'GET', url }));

const WRITES = [
  {
    method: 'POST',
    url: 'ServiceRequests',
    body: '{"Description":"Printer {n}","Status":{"Text":"Registered"},"Category":{"Text":"Question"},"Caller@odata.bind":"Persons({n})"}',
  },
  {
    method: 'POST',
    url: 'ServiceRequests',
    body: '{"Description":"Printer {n}","Caller@odata.bind":"Persons({n})","HistoryLines":[{"Subject":"Call {n}","Information":"No paper"}]}',
  },
  {
    method: 'POST',
    url: 'ServiceRequests({n})/HistoryLines',
    body: '{"Subject":"Call {n}","Information":"The caller has rung again"}',
  },
  {
    method: 'PATCH',
    url: 'ServiceRequests({n})',
    body: '{"Status":{"Text":"Assigned"},"Description":"Printer {n}"}',
  },
  {
    method: 'PATCH',
    url: 'ServiceRequests({n})',
    body: '{"Status":{"Value":101003},"Caller@odata.bind":"Persons({n})","Information":"See {n}"}',
  },
  {
    method: 'PATCH',
    url: 'ServiceRequests({n})',
    headers: { prefer: 'return=representation' },
    body: '{"Solution":"Paper {n}"}',
  },
  { method: 'DELETE', url: 'ServiceRequests({n})' },
];

/** What the process plans before the first measured request. */
const OTHERS = [
  'Problems?$expand=Workorders,HistoryLines($top=3)&$top=1',
  'Changes({n})?$select=Uid,Description',
  "Incidents?$filter=Uid gt {n} and contains(Description,'x')&$orderby=Uid desc",
  'Organizations?$expand=Persons($top=2)&$count=true',
  'Services?$filter=Status/Value ne {n}',
  'Locations({n})/Persons?$top={s}',
]
  .map((url) => ({ method: 'GET', url }))
  .concat(
    { method: 'PATCH', url: 'Problems({n})', body: '{"Description":"Problem {n}"}' },
    { method: 'POST', url: 'Changes', body: '{"Description":"Change {n}"}' },
  );
const OTHER_ROUNDS = 25;
/** Rounds before the ones that count as later. */
const WARM_ROUNDS = 10;

/** Properties from which `{some}` selects. */
const PROPERTIES =
  'ID,Description,Status,Priority,Deadline,Category,Impact,Registration,Assignment,ClosedAt,Information'.split(
    ',',
  );

/** Sees the requests in which it takes part, and no birthdays. */
const DISPATCHER = {
  name: 'dispatcher',
  entities: [
    'Record,Person,Organization,Location,HistoryLine,Attachment,TimeEntry,RecordRelation',
    'ConfigurationItem,Service,Workgroup,ItemRelation,Workorder,KnowledgeLink,Subscription',
    'EmailServiceRequest,Incident,Problem,Change,ServiceRequest',
  ]
    .flatMap((names) => names.split(','))
    .map((entity) => ({
      entity,
      actions: ['Read', 'Create', 'Change', 'Delete', 'Attach'],
      ...(entity === 'ServiceRequest'
        ? { filter: 'Caller/Uid eq $me or Requestor/Uid eq $me' }
        : {}),
    })),
  attributes: [{ entity: 'Person', attribute: 'Birthdate', read: false, modify: false }],
};

const STAGES = ['parse', 'bind', 'decide', 'compile'];

let number = 1000;

/** Fills the placeholders: `{n}` a number, `{s}` a number below 60, `{some}` some properties. */
function filled(text) {
  const n = String(++number);
  const some = ['Uid', ...PROPERTIES.filter(() => Math.random() < 0.5)];
  const seconds = String(10 + (number % 50));
  return text.replaceAll('{n}', n).replaceAll('{s}', seconds).replaceAll('{some}', some.join(','));
}

function callOf({ method, url, headers = {}, body }) {
  const [path, query = ''] = filled(url).split('?');
  return {
    id: 'planning',
    method,
    path,
    query: encodeURIComponent(query).replaceAll('%26', '&').replaceAll('%3D', '='),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : Buffer.from(filled(body)),
    address: '',
    root: 'http://localhost/odata/',
  };
}

/** The compiled modules of a checkout. */
async function modulesOf(checkout) {
  const from = async (file) => await import(join(checkout, 'dist', file));
  const modules = await Promise.all(
    [
      'access/policy.js',
      'access/read-roles.js',
      'bind/bind-read.js',
      'bind/bind-write.js',
      'bind/model/policy-condition.js',
      'bind/scope.js',
      'cli/config/config.js',
      'cli/wire.js',
      'plan/decide-read.js',
      'plan/decide-write.js',
      'service/json-body.js',
      'service/stage-inputs.js',
      'sql/compile.js',
    ].map(from),
  );
  return Object.assign({}, ...modules);
}

const ADMINISTRATOR = { administrator: true, roles: [] };

/** A service over an empty installation, and the rights of its principals. */
async function startService(modules, data) {
  const { createInstallation, readConfig, readRole, resolveRights, ruleCheck, wireService } =
    modules;
  const installation = await createInstallation(readConfig({ data, logLevel: 'silent' }, {}));
  const { service } = await wireService(installation);
  const { model } = service;
  const scope = { model, rules: 'odata', limits: modules.DEFAULT_BIND_LIMITS };
  const { role, mistakes } = readRole(model, DISPATCHER, ruleCheck(scope));
  if (mistakes.length > 0) throw mistakes[0].fault;
  const rightsOf = (principal) => resolveRights({ roles: [role] }, principal, model);
  const rights = {
    administrator: rightsOf(ADMINISTRATOR),
    dispatcher: rightsOf({ administrator: false, roles: [role.name] }),
  };
  const close = async () => {
    await service.jobs.close();
    await service.sessions.close();
    await installation.database.close();
  };
  return { service, rights, close };
}

/** Processor time of this thread, or of the process where Node does not tell. Milliseconds. */
function processorTime() {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Plans one request. Returns the processor time of each stage in milliseconds. */
function plan(modules, service, rights, request) {
  const call = callOf(request);
  const isRead = request.method === 'GET';
  const scope = modules.scopeOf(call, service);
  const times = [processorTime()];
  const tree = modules.readTree(call, service, { negotiated: undefined, stages: {} });
  times.push(processorTime());
  const bound = isRead
    ? modules.bind(tree, scope)
    : modules.bindWrite(tree, call.body && modules.readJson(call.body), {
        ...scope,
        root: call.root,
        codes: service.codes,
      });
  times.push(processorTime());
  const setting = { ...modules.settingOf(service, ADMINISTRATOR), rights };
  const planned = isRead
    ? modules.decide(bound, tree, setting)
    : modules.decideWrite(bound, tree, {
        ...setting,
        codes: service.codes,
        writing: { rows: 1000 },
      });
  times.push(processorTime());
  const compile = isRead ? modules.compile : modules.compileWrite;
  compile(planned, service.layout, service.dialect);
  times.push(processorTime());
  return STAGES.map((_, index) => times[index + 1] - times[index]);
}

function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

function summary({ request, principal, samples }) {
  const totals = samples.map((times) => times.reduce((sum, time) => sum + time, 0));
  const later = samples.slice(WARM_ROUNDS);
  const stages = STAGES.map((stage, index) => [
    stage,
    quantile(
      later.map((times) => times[index]),
      0.5,
    ),
  ]);
  const laterTotals = totals.slice(WARM_ROUNDS);
  return {
    label: `${principal} ${request.method}`,
    url: request.url,
    ...Object.fromEntries(stages),
    total: quantile(laterTotals, 0.5),
    p95: quantile(laterTotals, 0.95),
    first: totals[0],
  };
}

/** Measures all requests in turn, round by round. */
async function measure(checkout) {
  const modules = await modulesOf(checkout);
  const data = mkdtempSync(join(tmpdir(), 'docket-planning-'));
  const { service, rights, close } = await startService(modules, data);
  for (let round = 0; round < OTHER_ROUNDS; round++)
    for (const other of OTHERS) plan(modules, service, rights.administrator, other);
  const requests = [...READS, ...WRITES].filter(({ method, url }) =>
    `${method} ${url}`.includes(flags.only),
  );
  const cases = requests.flatMap((request) =>
    Object.keys(rights).map((principal) => ({ request, principal, samples: [] })),
  );
  for (let round = 0; round < WARM_ROUNDS + Number(flags.rounds); round++)
    for (const { request, principal, samples } of cases)
      samples.push(plan(modules, service, rights[principal], request));
  await close();
  rmSync(data, { recursive: true });
  return cases.map(summary);
}

/** Measures a checkout in a process of its own. */
function measureInProcess(checkout) {
  const { rounds, only } = flags;
  const args = ['--checkout', resolve(checkout), '--rounds', rounds, '--only', only];
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the measurement of ${checkout} ended with ${status}`);
  return JSON.parse(stdout);
}

/** Combines the results of several processes or requests by the median of each number. */
function combine(results) {
  const [first] = results;
  return Object.fromEntries(
    Object.entries(first).map(([name, content]) => [
      name,
      typeof content === 'number'
        ? quantile(
            results.map((one) => one[name]),
            0.5,
          )
        : content,
    ]),
  );
}

function combineProcesses(processes) {
  const requests = processes[0].map((_, index) => combine(processes.map((one) => one[index])));
  const labels = [...new Set(requests.map(({ label }) => label))].sort();
  const medians = labels.map((label) => ({
    ...combine(requests.filter((one) => one.label === label)),
    url: '(median)',
  }));
  return [...requests, ...medians];
}

const COLUMNS = [...STAGES, 'total', 'p95', 'first'];

function print(results, baseline) {
  const compared = baseline === undefined ? [] : ['/ total', '/ first'];
  console.log(
    `${[...COLUMNS, ...compared].map((name) => name.padStart(8)).join('')}  (ms of processor time)`,
  );
  results.forEach((one, index) => {
    const before = baseline?.[index];
    const ratios = before === undefined ? [] : [one.total / before.total, one.first / before.first];
    const numbers = [
      ...COLUMNS.map((name) => one[name].toFixed(3)),
      ...ratios.map((ratio) => ratio.toFixed(2)),
    ];
    console.log(`${numbers.map((text) => text.padStart(8)).join('')}  ${one.label} ${one.url}`);
  });
}

/** Measures this checkout, and the baseline in alternation. */
function run() {
  const checkouts = [resolve(import.meta.dirname, '..'), flags.baseline].filter(Boolean);
  const processes = checkouts.map(() => []);
  for (let index = 0; index < Number(flags.processes); index++)
    checkouts.forEach((checkout, at) => {
      processes[at].push(measureInProcess(checkout));
    });
  const [own, baseline] = processes.map(combineProcesses);
  if (flags.json) console.log(JSON.stringify({ own, baseline }));
  else print(own, baseline);
}

if (flags.checkout === undefined) run();
else console.log(JSON.stringify(await measure(flags.checkout)));
