// This file measures exports: a collection as CSV, JSON lines and XLSX, beside the same records as pages of JSON of the largest size. It
// tells how fast the rows and bytes come, the processor time of the service for a thousand rows, and the most memory it has used.
//     npm run bench:export [-- --rows 200000] [--path 'ServiceRequests?…'] [--json]
import { parseArgs } from 'node:util';
import { keptInstallation, memory, processorTime, startService, stop } from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    path: { type: 'string', default: 'ServiceRequests?$expand=Caller' },
    json: { type: 'boolean', default: false },
  },
});

const NEW_LINE = 10;
const FORMATS = ['json', 'csv', 'ndjson', 'xlsx'];

/** Reads a response to its end. Returns the bytes, and the text only where it is needed. */
async function read(url, headers) {
  // Compression would be measured with the formats otherwise.
  const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  let bytes = 0;
  let lines = 0;
  let tail = '';
  for await (const piece of response.body) {
    bytes += piece.byteLength;
    for (const byte of piece) if (byte === NEW_LINE) lines += 1;
    tail = (tail + Buffer.from(piece).toString('latin1')).slice(-2000);
  }
  return { bytes, lines, tail };
}

/** All pages of JSON. */
async function readPages(root, headers) {
  let bytes = 0;
  let next = `${root}${flags.path}`;
  while (next !== undefined) {
    const page = await read(next, { ...headers, prefer: 'maxpagesize=5000' });
    bytes += page.bytes;
    const link = /"@odata\.nextLink":"([^"]+)"/.exec(page.tail)?.[1];
    next = link === undefined ? undefined : new URL(JSON.parse(`"${link}"`), root).href;
  }
  return bytes;
}

/** The file of an export, whose rows are counted where each is a line. */
async function readFile(url, headers, { format, rows }) {
  const { bytes, lines } = await read(url, headers);
  if (format === 'ndjson' && lines !== rows) throw new Error(`${lines} rows instead of ${rows}`);
  return bytes;
}

async function measure(format, server, rows) {
  const { pid } = server.child;
  const { headers } = server;
  const root = `${server.address}/odata/`;
  const before = { time: performance.now(), processor: processorTime(pid) };
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(pid));
  }, 50);
  const bytes =
    format === 'json'
      ? await readPages(root, headers)
      : await readFile(`${root}${flags.path}&$format=${format}`, headers, { format, rows });
  clearInterval(watch);
  const seconds = (performance.now() - before.time) / 1000;
  const processor = processorTime(pid) - before.processor;
  return { format, rows, bytes, seconds, processor, peak };
}

async function main() {
  const { directory, environment } = await keptInstallation(flags.rows);
  const results = [];
  for (const format of FORMATS) {
    const server = await startService(
      { ...environment, DOCKET_LIMITS_MAXIMUM_EXPORT: '2000000' },
      [],
      directory,
    );
    results.push(await measure(format, server, Number(flags.rows)));
    await stop(server);
  }
  return results;
}

const results = await main();
if (flags.json) console.log(JSON.stringify(results, undefined, 2));
else {
  const [json] = results;
  console.table(
    results.map(({ format, rows, bytes, seconds, processor, peak }) => ({
      format,
      'rows/s': Math.round(rows / seconds),
      'MB/s': (bytes / seconds / 1e6).toFixed(1),
      'of JSON': (json.seconds / seconds).toFixed(2),
      'CPU ms / 1,000 rows': ((processor / rows) * 1000).toFixed(1),
      'CPU of JSON': (json.processor / processor).toFixed(2),
      'memory MB': Math.round(peak),
    })),
  );
}
