// Stores the files of the demo attachments. This happens before the records that refer to them are loaded.
import { chunksOf } from '../../attachments/byte-streams.ts';
import { Vault } from '../../attachments/vault.ts';
import { demoAttachments } from '../../seed/demo.ts';
import type { DemoOptions, SeedRecord } from '../../seed/demo-plan.ts';
import { demoFileText } from '../../seed/demo-requests.ts';
import { FILE_COLUMN } from '../../sql/schema/layout.ts';
import { type FileMetadata, loadFiles, readFiles } from '../../store/stored-files.ts';
import type { Installation } from '../wire.ts';

/** Files that are written at the same time, and files per transaction. */
const AT_ONCE = 16;
const CHUNK = 1024;

/**
 * Stores the files of all demo attachments and returns them by the keys of the attachments. Files that an interrupted load has stored are
 * kept. Throws: file.full, file.unavailable.
 */
export async function storeDemoFiles(
  { stores, config, world, database }: Installation,
  options: DemoOptions,
): Promise<ReadonlyMap<number, FileMetadata>> {
  const vault = new Vault({ stores, limits: config.files.limits, world, observe: () => undefined });
  const files = await readFiles(database);
  const missing = [...demoAttachments(options)].filter(({ uid }) => !files.has(uid));
  const now = new Date(world.now()).toISOString();
  for (let start = 0; start < missing.length; start += CHUNK) {
    const stored = await storeTexts(vault, missing.slice(start, start + CHUNK), options);
    await loadFiles(database, stored, now);
    for (const [uid, file] of stored) files.set(uid, file);
  }
  return files;
}

async function storeTexts(
  vault: Vault,
  attachments: readonly SeedRecord[],
  { vocabulary }: DemoOptions,
): Promise<ReadonlyMap<number, FileMetadata>> {
  const files = new Map<number, FileMetadata>();
  for (let start = 0; start < attachments.length; start += AT_ONCE)
    await Promise.all(
      attachments.slice(start, start + AT_ONCE).map(async (record) => {
        const text = demoFileText(vocabulary, record.uid);
        files.set(record.uid, await storeText(vault, record, text));
      }),
    );
  return files;
}

async function storeText(
  vault: Vault,
  { values }: SeedRecord,
  text: string,
): Promise<FileMetadata> {
  const bytes = Buffer.from(text);
  return await vault.keep({
    name: undefined,
    fileName: undefined,
    mediaType: String(values.MediaType),
    length: bytes.length,
    bytes: chunksOf(bytes),
  });
}

/** The records, with references from attachments to their files. */
export function* withFiles(
  records: Iterable<SeedRecord>,
  files: ReadonlyMap<number, FileMetadata>,
): Generator<SeedRecord> {
  for (const record of records) {
    const file = files.get(record.uid);
    if (file === undefined) yield record;
    else {
      const { size, sha256 } = file;
      const fileValues = { Size: size, Sha256: sha256, [FILE_COLUMN]: record.uid };
      yield { ...record, values: { ...record.values, ...fileValues } };
    }
  }
}
