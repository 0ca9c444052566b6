// This file sends a file of any size through a store and reads it back, in a process of its own whose memory can be measured. Its
// arguments are the compiled sources, the kind of the store, its settings as JSON, and the bytes; it prints what it saw as JSON.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const [directory, kind, settings, size] = process.argv.slice(2);
const { openFtpStore } = await import(join(directory, 'attachments', 'ftp', 'store.js'));
const { openLocalStore } = await import(join(directory, 'attachments', 'local', 'store.js'));
const { openS3Store } = await import(join(directory, 'attachments', 's3', 'store.js'));
const clock = { now: Date.now, elapsed: () => performance.now() };
const open = {
  local: openLocalStore,
  ftp: (given) => openFtpStore(given, clock),
  s3: openS3Store,
};

/** Pieces that differ from one another, in the size in which a socket gives them. */
async function* pieces(total, hash) {
  for (let sent = 0; sent < total; ) {
    const piece = Buffer.alloc(Math.min(65_536, total - sent), `${sent} `);
    hash.update(piece);
    sent += piece.byteLength;
    yield piece;
  }
}

const total = Number(size);
const store = open[kind](JSON.parse(settings));
const key = 'ab'.repeat(16);
const [sent, got] = [createHash('sha256'), createHash('sha256')];
const start = performance.now();
await store.put(key, pieces(total, sent));
const between = performance.now();
for await (const piece of await store.get(key)) got.update(piece);
const end = performance.now();
await store.remove(key);
await store.close();
console.log(
  JSON.stringify({
    isSame: sent.digest('hex') === got.digest('hex'),
    mebibytes: Math.round(process.resourceUsage().maxRSS / 1024),
    putRate: Math.round(total / 1000 / (between - start)),
    getRate: Math.round(total / 1000 / (end - between)),
  }),
);
