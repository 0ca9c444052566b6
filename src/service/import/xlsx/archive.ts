// This file opens the parts of an XLSX file, which is a ZIP archive. A small archive can expand to any size, so that sizes are limited twice:
// as the archive declares them, and as they are. APPNOTE.TXT, ".ZIP File Format Specification".
import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { Fault } from '../../../base/fault.ts';

/** Workbooks have some parts for each sheet, picture and chart. */
const PARTS_LIMIT = 10_000;

/** Bytes of all parts that are read, uncompressed. */
const SIZE_LIMIT = 268_435_456;

export interface Archive {
  /** The bytes of a part; undefined if there is none. Throws: import.file; iterating too. */
  readonly open: (path: string) => Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Throws: import.file. */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const options = { lazyEntries: true, validateEntrySizes: true };
  try {
    const archive = await fromBufferPromise(Buffer.from(bytes), options);
    const entries = await entriesOf(archive);
    const budget = { rest: SIZE_LIMIT };
    return {
      open: async (path) => {
        const entry = entries.get(path.toLowerCase());
        return entry === undefined ? undefined : await openPart(archive, entry, budget);
      },
    };
  } catch (error) {
    throw unreadable(error);
  }
}

/** Names of parts ignore case. ECMA-376, "Part Names". */
async function entriesOf(archive: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (archive.entryCount > PARTS_LIMIT) throw tooLarge();
  const entries = new Map<string, Entry>();
  for await (const entry of archive.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  return entries;
}

interface Budget {
  rest: number;
}

async function openPart(
  archive: ZipFile,
  entry: Entry,
  budget: Budget,
): Promise<AsyncIterable<Uint8Array>> {
  if (entry.uncompressedSize > budget.rest) throw tooLarge();
  if (entry.isEncrypted()) throw new Fault('import.file', { reason: 'it is encrypted' });
  try {
    return limited(await archive.openReadStreamPromise(entry), budget);
  } catch (error) {
    throw unreadable(error);
  }
}

async function* limited(part: Readable, budget: Budget): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of part as AsyncIterable<Uint8Array>) {
      budget.rest -= piece.byteLength;
      if (budget.rest < 0) throw tooLarge();
      yield piece;
    }
  } catch (error) {
    throw unreadable(error);
  }
}

function tooLarge(): Fault {
  return new Fault('import.file', {
    reason: `it is larger than ${SIZE_LIMIT.toLocaleString('en')} bytes uncompressed`,
  });
}

/** Errors of the archive have no other cause than its bytes, which are in memory. */
function unreadable(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const reason = error instanceof Error ? error.message : 'unknown';
  return new Fault('import.file', { reason: `it is not a valid XLSX file (${reason})` });
}
