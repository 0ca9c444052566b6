// This file shows how much code a cold request passes through: it counts the files whose functions are called, and the functions, in one
// GET with $filter and $expand and in one PATCH, each the first of its kind in a service that has answered a read and a write
// of another set.
//     npm run build && node scripts/cold-request.mjs [--list]        --list names the functions by file, with the number of calls
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: { list: { type: 'boolean', default: false }, cold: { type: 'string' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = new URL('../dist/', import.meta.url).href;

const CALLS = {
  GET: {
    method: 'GET',
    path: 'ServiceRequests',
    query:
      "$filter=Status/Value%20eq%20101003%20and%20contains(Description,'printer')&$expand=Caller($select=Name)&$top=5",
    headers: {},
    body: undefined,
  },
  PATCH: {
    method: 'PATCH',
    path: 'ServiceRequests({key})',
    query: '',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ Workaround: 'Use the other printer' })),
  },
};

/** A write and a read of another set: some code runs only for the first of all requests. */
const FIRST_CALLS = [
  { ...CALLS.PATCH, path: 'Persons({person})', body: Buffer.from('{"Jobtitle":"Cook"}') },
  { ...CALLS.GET, path: 'Persons', query: '$top=1' },
];

function makeRecords(data) {
  const docket = join(root, 'bin', 'docket');
  const args = [docket, 'demo', '--data', data, '--requests', '100', '--admin', 'cold'];
  const env = { ...process.env, DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** The service in this process, and how the administrator asks it. */
async function open(data) {
  const load = async (file) => await import(new URL(file, dist));
  const { readConfig } = await load('cli/config/config.js');
  const { openInstallation, wireService } = await load('cli/wire.js');
  const { performer } = await load('service/handle-request.js');
  const installation = await openInstallation(readConfig({ data, logLevel: 'silent' }, {}));
  const { service } = await wireService(installation);
  const principal = await service.sessions.accountNamed('cold');
  const keyOf = (set) => installation.database.read(`SELECT min("Uid") FROM "${set}"`, [])[0][0];
  const ask = async (call) => {
    const common = { id: 'cold', address: '127.0.0.1', root: 'http://localhost/odata/' };
    const path = call.path
      .replace('{key}', keyOf('ServiceRequests'))
      .replace('{person}', keyOf('Persons'));
    return await performer(service)({ ...common, ...call, path }, principal);
  };
  const close = async () => {
    await service.sessions.close();
    await installation.stores.close();
    await installation.database.close();
  };
  return { ask, close };
}

/** The functions of the program that were called while the call was answered, by file. */
async function measure(ask, call) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  const { status } = await ask(call);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  if (status >= 300) throw new Error(`${call.method} returns ${status}`);
  const files = result
    .filter(({ url }) => url.startsWith(dist))
    .map(({ url, functions }) => ({
      file: url.slice(dist.length).replace(/\.js$/, '.ts'),
      functions: functions
        .map(({ functionName, ranges }) => ({
          name: functionName || '(anonymous)',
          count: ranges[0].count,
        }))
        .filter(({ count }) => count > 0),
    }))
    .filter(({ functions }) => functions.length > 0)
    .sort((left, right) => (left.file < right.file ? -1 : 1));
  return { files, functions: files.flatMap(({ functions }) => functions) };
}

function print(name, { files, functions }) {
  const named = functions.filter((one) => one.name !== '(anonymous)');
  const calls = functions.reduce((sum, { count }) => sum + count, 0);
  console.log(
    `${name}: ${files.length} files, ${functions.length} functions (${named.length} with a name), ${calls} calls`,
  );
  if (!flags.list) return;
  for (const { file, functions: called } of files)
    console.log(`  ${file}: ${called.map(({ name: one, count }) => `${one} ${count}`).join(', ')}`);
}

/** Each call has a process of its own: after the first one, some of what both need is cached. */
async function measureOne(name) {
  const data = mkdtempSync(join(tmpdir(), 'docket-cold-'));
  try {
    makeRecords(data);
    const { ask, close } = await open(data);
    for (const call of FIRST_CALLS) await ask(call);
    print(name, await measure(ask, CALLS[name]));
    await close();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** V8 forgets the counts of closures that it has collected. */
const NO_COLLECTION = [
  '--min-semi-space-size=128',
  '--max-semi-space-size=256',
  '--no-flush-bytecode',
];

if (flags.cold !== undefined) await measureOne(flags.cold);
else
  for (const name of Object.keys(CALLS)) {
    const args = [
      ...NO_COLLECTION,
      fileURLToPath(import.meta.url),
      '--cold',
      name,
      ...(flags.list ? ['--list'] : []),
    ];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
