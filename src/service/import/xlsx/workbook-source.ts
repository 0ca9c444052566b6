// This file reads the rows of the first worksheet of an XLSX file.
import { Fault } from '../../../base/fault.ts';
import type { TableSource } from '../csv-source.ts';
import { openArchive } from './archive.ts';
import { readPart } from './read-part.ts';
import { SheetReader } from './sheet-reader.ts';
import { readWorkbook } from './workbook-parts.ts';

/** @param limit number of rows after which reading stops. Throws: import.file. */
export async function readWorkbookSource(bytes: Uint8Array, limit: number): Promise<TableSource> {
  const archive = await openArchive(bytes);
  const workbook = await readWorkbook(archive);
  const sheet = await archive.open(workbook.sheet);
  if (sheet === undefined) throw new Fault('import.file', { reason: 'its worksheet is missing' });
  const reader = new SheetReader(workbook);
  await readPart(sheet, reader, () => reader.rows.length > limit);
  return reader;
}
