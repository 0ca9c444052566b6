// This file reads worksheets that no common library writes. ECMA-376, "Workbook", "Shared String Table", "Styles", "Cell".
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { readAll } from '../../src/attachments/byte-streams.ts';
import { workbookParts } from '../../src/response/table/workbook.ts';
import { readWorkbookSource } from '../../src/service/import/xlsx/workbook-source.ts';

/** A workbook with a worksheet, whose other parts are those of exports unless they are given. */
async function pack(rows: string, others: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const archive = new ZipFile();
  const sheet = `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  const parts = { ...Object.fromEntries(workbookParts('list')), ...others };
  for (const [path, text] of Object.entries({ 'xl/worksheets/sheet1.xml': sheet, ...parts }))
    archive.addBuffer(Buffer.from(text), path);
  archive.end();
  return await readAll(archive.outputStream as AsyncIterable<Buffer>);
}

async function textsOf(rows: string, others?: Readonly<Record<string, string>>) {
  const source = await readWorkbookSource(await pack(rows, others), 100);
  return [...source.rows].map(({ number, cells }) => [number, ...cells.map(({ text }) => text)]);
}

async function failureOf(file: Promise<Buffer>): Promise<unknown> {
  const bytes = await file;
  return await readWorkbookSource(bytes, 100).then(
    () => 'read',
    (error: Error) => error.message,
  );
}

const SHARED = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="rId1" Type="http://x/worksheet" Target="/xl/worksheets/sheet1.xml"/>
  <Relationship Id="rId2" Type="http://x/styles" Target="styles.xml"/>
  <Relationship Id="rId3" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`;

describe('a worksheet', () => {
  it('has rows and cells with and without places', async () => {
    const cells =
      '<row><c><v>1</v></c><c><v>2</v></c></row><row r="4"><c r="C4"><v>3</v></c></row>';
    expect(await textsOf(`${cells}<row><c><v>4</v></c></row>`)).toEqual([
      [1, '1', '2'],
      [4, '', '', '3'],
      [5, '4'],
    ]);
  });

  it('may have prefixes, formulas, and texts in parts', async () => {
    const cells =
      '<x:row xmlns:x="http://x" r="1"><x:c t="str"><x:f>1+1</x:f><x:v>two</x:v></x:c>' +
      '<x:c t="inlineStr"><x:is><x:r><x:t>in </x:t></x:r><x:r><x:t>parts_x0041_</x:t></x:r></x:is></x:c>' +
      '<x:c t="b"><x:v>0</x:v></x:c></x:row>';
    expect(await textsOf(cells)).toEqual([[1, 'two', 'in partsA', 'false']]);
  });

  it('has shared texts without their pronunciation', async () => {
    const texts =
      '<sst><si><t>plain</t></si><si><r><t>山</t></r><r><t>田</t></r><rPh sb="0" eb="1"><t>ヤマ</t></rPh></si></sst>';
    const others = { 'xl/_rels/workbook.xml.rels': SHARED, 'xl/sharedStrings.xml': texts };
    const cells = '<row r="1"><c t="s"><v>1</v></c><c t="s"><v>0</v></c></row>';
    expect(await textsOf(cells, others)).toEqual([[1, '山田', 'plain']]);
  });

  it('has dates by the formats and the calendar of the workbook', async () => {
    const formats = [14, 164, 165, 166, 0].map((id) => `<xf numFmtId="${id}"/>`).join('');
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/>
      <numFmt numFmtId="165" formatCode="&quot;day &quot;0"/><numFmt numFmtId="166" formatCode="[Red]d/m/yy"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${formats}</cellXfs></styleSheet>`;
    const cells = [0, 1, 2, 3, 4].map((style) => `<c s="${style}"><v>45000.5</v></c>`).join('');
    const row = `<row r="1">${cells}<c s="0"><v>-1</v></c></row>`;
    const date = '2023-03-15T12:00:00.000Z';
    expect(await textsOf(row, { 'xl/styles.xml': styles })).toEqual([
      [1, date, date, '45000.5', date, '45000.5', '-1'],
    ]);
    const book =
      '<workbook xmlns:r="http://r"><workbookPr date1904="1"/><sheets><sheet name="x" r:id="rId1"/></sheets></workbook>';
    const later = await textsOf(row, { 'xl/styles.xml': styles, 'xl/workbook.xml': book });
    expect(later[0]?.[1]).toBe('2027-03-16T12:00:00.000Z');
  });

  it('has dates before March 1900 as spreadsheets show them, with a 29 February that has never been', async () => {
    const styles = '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>';
    const days = [0.5, 1, 59, 60, 61].map((day) => `<c s="0"><v>${day}</v></c>`).join('');
    expect(await textsOf(`<row r="1">${days}</row>`, { 'xl/styles.xml': styles })).toEqual([
      [
        1,
        '1899-12-30T12:00:00.000Z',
        '1900-01-01T00:00:00.000Z',
        '1900-02-28T00:00:00.000Z',
        '60',
        '1900-03-01T00:00:00.000Z',
      ],
    ]);
  });

  it('reports errors of formulas and texts that are too long, and reads the other rows', async () => {
    const long = 'x'.repeat(40_000);
    const cells = `<row r="1"><c t="e"><v>#N/A</v></c></row><row r="2"><c t="inlineStr"><is><t>${long}</t></is></c></row>`;
    const { problems } = await readWorkbookSource(await pack(cells), 100);
    expect(problems).toEqual([
      { number: 1, reason: 'a formula in it has the result #N/A' },
      { number: 2, reason: 'a cell has more than 32767 characters' },
    ]);
  });

  it('reports formulas that nobody has calculated, as programs write them, but not empty texts', async () => {
    const results = ['<c><f>1+1</f></c>', '<c><f>1+1</f><v/></c>', '<c t="str"><f>""</f><v/></c>'];
    const rows = results.map((cell, index) => `<row r="${index + 1}">${cell}</row>`).join('');
    const { problems } = await readWorkbookSource(await pack(rows), 100);
    const reason = 'a formula in it has no result; save the file in a spreadsheet program';
    expect(problems).toEqual([
      { number: 1, reason },
      { number: 2, reason },
    ]);
  });
});

describe('a workbook is rejected', () => {
  it('with a document type, whose entities could expand to any size', async () => {
    const book = '<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook>&a;</workbook>';
    expect(await failureOf(pack('', { 'xl/workbook.xml': book }))).toContain('a document type');
  });

  it('without worksheet, and with XML that is none', async () => {
    const empty = '<workbook><sheets/></workbook>';
    expect(await failureOf(pack('', { 'xl/workbook.xml': empty }))).toContain('no worksheet');
    expect(await failureOf(pack('<row><c></row>'))).toContain('not a valid XLSX file');
  });

  it('with more cells than memory should hold', async () => {
    const row = '<row><c r="XFD1"><v>1</v></c></row>'.repeat(700);
    const bytes = await pack(row);
    const reading = readWorkbookSource(bytes, 1000);
    await expect(reading).rejects.toThrow('has more than 10000000 cells');
  });
});
