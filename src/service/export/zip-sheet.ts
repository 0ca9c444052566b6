// This file packs a worksheet as an XLSX file, which is a ZIP archive, while the worksheet is being written.
import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { SHEET_PATH, workbookParts } from '../../response/table/workbook.ts';

/** Fast compression: the file is mostly sent once. */
const LEVEL = 1;

/** Returns the bytes of the file. It fails where the sheet fails, and the sheet is closed with it. */
export function zipSheet(sheet: Readable, name: string, time: Date): Readable {
  const archive = new ZipFile();
  const bytes = archive.outputStream.pipe(new PassThrough());
  const options = { mtime: time, compressionLevel: LEVEL };
  for (const [path, text] of workbookParts(name))
    archive.addBuffer(Buffer.from(text), path, options);
  archive.addReadStream(sheet, SHEET_PATH, options);
  archive.end();
  sheet.once('error', (error) => bytes.destroy(error));
  return bytes.once('close', () => sheet.destroy());
}
