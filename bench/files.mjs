// This file measures uploads and downloads of files: the service with a directory as its store, and beside it a plain server of Node that
// streams a body to a file and a file to a body, alternately and from several clients at once. The plain server brings a file to the disk before it
// answers, as the service does (the directory it does not); with --unsafe it does not. Both are warmed up by some thousand small files, by
// which the service has also made all the directories that it spreads files over.
//     npm run bench:files [-- --rounds 7] [--connections 8] [--unsafe] [--json]
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    connections: { type: 'string', default: '8' },
    unsafe: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const MEBI = 2 ** 20;
/** Bytes of a file, and files of one round. */
const SIZES = [
  { id: 'W13', name: '1 MiB', bytes: MEBI, files: 240 },
  { id: 'W13l', name: '64 MiB', bytes: 64 * MEBI, files: 4 },
];
/** Files that come before anything is measured, and their bytes. */
const WARM_UP = 3000;
const WARM_UP_BYTES = 4096;
const PASSWORD = 'measured again and again';
const docket = fileURLToPath(new URL('../bin/docket', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'docket-bench-'));
const agent = new Agent({ keepAlive: true, maxSockets: Number(flags.connections) });

async function start(args, pattern) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
      const found = pattern.exec(told);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  return { child, address };
}

/** Sends a request and reads the answer to its end. */
function ask(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, async (answer) => {
      let size = 0;
      const pieces = [];
      for await (const piece of answer) {
        size += piece.byteLength;
        if (size < MEBI) pieces.push(piece);
      }
      if (answer.statusCode >= 300)
        reject(new Error(`${method} ${url}: ${answer.statusCode} ${Buffer.concat(pieces)}`));
      else resolve({ size, text: () => Buffer.concat(pieces).toString() });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

async function startService() {
  const data = join(folder, 'data');
  const made = spawnSync(
    process.execPath,
    [docket, 'demo', '--data', data, '--requests', '20', '--admin', 'bench'],
    { stdio: 'ignore', env: { ...process.env, DOCKET_ADMIN_PASSWORD: PASSWORD } },
  );
  if (made.status !== 0) throw new Error(`docket demo ended with ${made.status}`);
  const args = [docket, 'serve', '--data', data, '--port', '0', '--log-level', 'warn'];
  const server = await start(args, /serves (http:\S+)\/odata/);
  const answer = await ask(`${server.address}/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'password',
      username: 'bench',
      password: PASSWORD,
    }).toString(),
  });
  const authorization = `Bearer ${JSON.parse(answer.text()).access_token}`;
  const first = await ask(`${server.address}/odata/ServiceRequests?$top=1&$select=Uid`, {
    headers: { authorization },
  });
  const files = `${server.address}/odata/ServiceRequests(${JSON.parse(first.text()).value[0].Uid})/Attachments`;
  return {
    child: server.child,
    put: async (name, body) => {
      const headers = {
        authorization,
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': `attachment; filename="${name}"`,
      };
      const made = await ask(files, { method: 'POST', headers, body });
      return `${files}(${JSON.parse(made.text()).Uid})/$value`;
    },
    get: async (url) => await ask(url, { headers: { authorization } }),
  };
}

const PLAIN = `
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
const [folder, flush] = process.argv.slice(1);
const server = createServer(async (request, response) => {
  const file = folder + request.url;
  if (request.method === 'GET') {
    await pipeline(createReadStream(file), response);
    return;
  }
  await pipeline(request, createWriteStream(file, { flush: flush === 'true' }));
  response.writeHead(201).end();
});
server.listen(0, '127.0.0.1', () => console.log('plain http://127.0.0.1:' + server.address().port));
`;

async function startPlain() {
  const args = ['--input-type=module', '-e', PLAIN, folder, String(!flags.unsafe)];
  const server = await start(args, /plain (http:\S+)/);
  return {
    child: server.child,
    put: async (name, body) => {
      await ask(`${server.address}/${name}`, { method: 'PUT', body });
      return `${server.address}/${name}`;
    },
    get: async (url) => await ask(url),
  };
}

async function warmUp(server) {
  const body = randomBytes(WARM_UP_BYTES);
  const names = Array.from({ length: WARM_UP }, (_, index) => `warm-${index}.bin`);
  const urls = await Promise.all(names.map((name) => server.put(name, body)));
  await Promise.all(urls.slice(0, WARM_UP / 10).map((url) => server.get(url)));
}

/** Milliseconds of processor time that a server has had; 0 where the system does not tell. */
function processorTime({ child }) {
  const file = `/proc/${child.pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ');
  // In ticks, of which Linux tells a hundred a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** MB/s up and down, and milliseconds of the server's processor time for each MiB. */
async function measure(server, { bytes, files }, round) {
  const body = randomBytes(bytes);
  // What others have written must not be brought to the disk on this one's time.
  spawnSync('sync');
  const used = [processorTime(server)];
  const began = performance.now();
  // The agent lets so many at once to the server; the others wait.
  const names = Array.from({ length: files }, (_, index) => `${bytes}-${round}-${index}.bin`);
  const urls = await Promise.all(names.map((name) => server.put(name, body)));
  const between = performance.now();
  used.push(processorTime(server));
  await Promise.all(
    urls.map(async (url) => {
      const { size } = await server.get(url);
      if (size !== bytes) throw new Error(`${url} gave ${size} of ${bytes} bytes`);
    }),
  );
  const ended = performance.now();
  used.push(processorTime(server));
  const rate = (milliseconds) => (bytes * files) / 1000 / milliseconds;
  const cost = (step) => ((used[step + 1] - used[step]) * MEBI) / (bytes * files);
  return {
    up: { rate: rate(between - began), cost: cost(0) },
    down: { rate: rate(ended - between), cost: cost(1) },
  };
}

function median(numbers) {
  return numbers.sort((left, right) => left - right)[numbers.length >> 1];
}

async function compare(service, plain, size) {
  const seen = { service: [], plain: [] };
  for (let round = 0; round <= Number(flags.rounds); round++) {
    const ours = await measure(service, size, round);
    const theirs = await measure(plain, size, round);
    if (round === 0) continue;
    seen.service.push(ours);
    seen.plain.push(theirs);
  }
  return ['up', 'down'].map((way) => {
    const ratios = seen.service.map((ours, at) => ours[way].rate / seen.plain[at][way].rate);
    const of = (server, what) => median(seen[server].map((one) => one[way][what]));
    return {
      workload: `${size.id} ${size.name} ${way}`,
      docket: of('service', 'rate'),
      plain: of('plain', 'rate'),
      ratio: median(ratios),
      docketCost: of('service', 'cost'),
      plainCost: of('plain', 'cost'),
    };
  });
}

const servers = [];
try {
  const service = await startService();
  servers.push(service);
  const plain = await startPlain();
  servers.push(plain);
  for (const server of servers) await warmUp(server);
  const results = [];
  for (const size of SIZES) results.push(...(await compare(service, plain, size)));
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else {
    console.log('| workload | Docket MB/s | plain MB/s | ratio | Docket ms/MiB | plain ms/MiB |');
    console.log('| --- | --- | --- | --- | --- | --- |');
    for (const { workload, docket, plain, ratio, docketCost, plainCost } of results) {
      const rates = `${docket.toFixed(0)} | ${plain.toFixed(0)} | ${ratio.toFixed(2)}`;
      console.log(
        `| ${workload} | ${rates} | ${docketCost.toFixed(2)} | ${plainCost.toFixed(2)} |`,
      );
    }
  }
} finally {
  agent.destroy();
  for (const { child } of servers) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true });
}
