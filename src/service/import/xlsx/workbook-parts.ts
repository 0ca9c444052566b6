// This file reads the parts of a workbook that its worksheet depends on. ECMA-376, "Workbook", "Styles", "Shared String Table".
import { Fault } from '../../../base/fault.ts';
import { LONGEST_TEXT } from '../../../response/table/sheet.ts';
import type { Archive } from './archive.ts';
import { isDateFormat, unescaped } from './cell-values.ts';
import { type PartHandler, readPart } from './read-part.ts';

export interface Workbook {
  /** The path of the first worksheet. */
  readonly sheet: string;
  readonly calendar: 1900 | 1904;
  /** Whether cells with the style of this index are dates. */
  readonly dateStyles: readonly boolean[];
  readonly sharedTexts: readonly string[];
}

/** Characters of all shared texts. */
const TEXT_LIMIT = 67_108_864;

const NOTHING: PartHandler = { start: () => {}, end: () => {}, text: () => {} };

/** Throws: import.file. */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const { id, calendar } = await readBook(archive);
  const relations = await readRelations(archive);
  const sheet = relations.find((one) => one.id === id)?.path;
  if (sheet === undefined) throw new Fault('import.file', { reason: 'it has no worksheet' });
  const pathOf = (kind: string) => relations.find(({ type }) => type.endsWith(`/${kind}`))?.path;
  return {
    sheet,
    calendar,
    dateStyles: await readStyles(archive, pathOf('styles')),
    sharedTexts: await readTexts(archive, pathOf('sharedStrings')),
  };
}

async function readOptional(
  archive: Archive,
  path: string | undefined,
  handler: Partial<PartHandler>,
): Promise<boolean> {
  const bytes = path === undefined ? undefined : await archive.open(path);
  if (bytes !== undefined) await readPart(bytes, { ...NOTHING, ...handler });
  return bytes !== undefined;
}

async function readBook(archive: Archive) {
  let id: string | undefined;
  let calendar: Workbook['calendar'] = 1900;
  const isThere = await readOptional(archive, 'xl/workbook.xml', {
    start: (name, attributes) => {
      if (name === 'sheet') id ??= attributeNamed(attributes, 'id');
      if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) calendar = 1904;
    },
  });
  if (!isThere) throw new Fault('import.file', { reason: 'it is not an XLSX workbook' });
  return { id, calendar };
}

/** The attribute with a prefix, which workbooks choose: `r:id`. */
function attributeNamed(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

async function readRelations(archive: Archive) {
  const relations: { readonly id: string; readonly type: string; readonly path: string }[] = [];
  await readOptional(archive, 'xl/_rels/workbook.xml.rels', {
    start: (name, { Id: id = '', Type: type = '', Target: target = '' }) => {
      if (name !== 'Relationship') return;
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      relations.push({ id, type, path });
    },
  });
  return relations;
}

async function readStyles(archive: Archive, path: string | undefined): Promise<readonly boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isInFormats = false;
  await readOptional(archive, path, {
    start: (name, { numFmtId = '0', formatCode = '' }) => {
      const id = Number(numFmtId);
      if (name === 'numFmt') codes.set(id, formatCode);
      else if (name === 'cellXfs') isInFormats = true;
      else if (name === 'xf' && isInFormats) styles.push(isDateFormat(id, codes.get(id)));
    },
    end: (name) => {
      if (name === 'cellXfs') isInFormats = false;
    },
  });
  return styles;
}

/** Throws: import.file. */
async function readTexts(archive: Archive, path: string | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  let text = '';
  let size = 0;
  let isText = false;
  let isPhonetic = false;
  await readOptional(archive, path, {
    start: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text: (piece) => {
      // Cells report texts that are longer.
      if (isText && text.length <= LONGEST_TEXT) text += piece;
    },
    end: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      size += text.length;
      if (size > TEXT_LIMIT) throw new Fault('import.file', { reason: 'its texts are too long' });
      texts.push(unescaped(text));
    },
  });
  return texts;
}
