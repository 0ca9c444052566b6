// This file puts files into a store without end, until its process is killed. It says what it begins and what is kept, a line each.
// Its arguments are the compiled sources, the kind of the store, and its settings as JSON.
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const [directory, kind, settings] = process.argv.slice(2);
const { openFtpStore } = await import(join(directory, 'attachments', 'ftp', 'store.js'));
const { openLocalStore } = await import(join(directory, 'attachments', 'local', 'store.js'));
const { openS3Store } = await import(join(directory, 'attachments', 's3', 'store.js'));
const clock = { now: Date.now, elapsed: () => performance.now() };
const open = {
  local: openLocalStore,
  ftp: (given) => openFtpStore(given, clock),
  s3: openS3Store,
};
const store = open[kind](JSON.parse(settings));

async function* pieces(bytes) {
  for (let at = 0; at < bytes.byteLength; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Not by way of a buffer, which would be lost with the process. */
const say = (line) => writeSync(1, `${line}\n`);

async function goOn(beginning) {
  for (;;) {
    const key = `${beginning}${randomBytes(15).toString('hex')}`;
    const bytes = randomBytes(Math.floor(Math.random() ** 3 * 12_000_000));
    say(`begun ${key} ${createHash('sha256').update(bytes).digest('hex')}`);
    await store.put(key, pieces(bytes));
    say(`kept ${key}`);
  }
}

await Promise.all(['0a', '0b', '0c'].map(goOn));
