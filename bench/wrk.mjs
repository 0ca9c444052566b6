// This file puts load on a server by wrk, where that is installed: written in C, it leaves nearly all of the processors to what is measured.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLOCK_TICK_MS = 10;
/** How often the processor time of wrk is looked at. Milliseconds. */
const LOOK = 50;

/** Takes the orders that load.mjs takes, GET only; undefined where there is no wrk. */
export function wrkLoader() {
  if (spawnSync('wrk', ['-v']).error !== undefined) return undefined;
  return { load };
}

async function load({ url, headers, requests, connections, seconds }) {
  const directory = mkdtempSync(join(tmpdir(), 'docket-wrk-'));
  try {
    const script = join(directory, 'paths.lua');
    writeFileSync(script, scriptOf(requests.map(({ path }) => path)));
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    // wrk takes whole seconds only.
    const duration = `-d${Math.ceil(seconds)}s`;
    const measure = ['-t1', `-c${connections}`, duration, '-s', script, ...given, url];
    return readReport(await run(measure));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The requests are written before the first is sent. */
function scriptOf(paths) {
  return `local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local requests, at = {}, 0
function init() for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path) end end
function request() at = at % #requests + 1 return requests[at] end
`;
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let report = '';
    let used = 0;
    const clock = setInterval(() => {
      used = timeOf(child.pid) ?? used;
    }, LOOK);
    child.stdout.on('data', (chunk) => {
      report += chunk;
    });
    child.on('error', reject);
    child.on('close', () => {
      clearInterval(clock);
      resolve({ report, used });
    });
  });
}

function timeOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
  } catch {
    return undefined;
  }
}

function readReport({ report, used }) {
  const [found, answered, seconds] = /(\d+) requests in ([\d.]+)s/.exec(report) ?? [];
  if (found === undefined) throw new Error(`wrk reports no requests: ${report}`);
  const [, refused = '0'] = /Non-2xx or 3xx responses: (\d+)/.exec(report) ?? [];
  const number = Number(answered);
  return {
    rate: number / Number(seconds),
    answered: number,
    failed: Number(refused),
    loaderCpu: (used * 1000) / number,
  };
}
