// This file writes the parts of an XLSX file besides its worksheet. ECMA-376, "Open Packaging Conventions", "Workbook", "Styles".
import { element, writeXml, type XmlElement } from '../../base/xml.ts';

/** Formats of cells, by their position in `cellXfs`. */
export const STYLES = { date: 1, instant: 2, time: 3, heading: 4 } as const;

export const SHEET_PATH = 'xl/worksheets/sheet1.xml';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Returns the parts by path. @param name that of the worksheet */
export function workbookParts(name: string): ReadonlyMap<string, string> {
  return new Map([
    ['[Content_Types].xml', writeXml(contentTypes())],
    ['_rels/.rels', writeXml(relations([['officeDocument', 'xl/workbook.xml']]))],
    ['xl/workbook.xml', writeXml(workbook(name))],
    [
      'xl/_rels/workbook.xml.rels',
      writeXml(
        relations([
          ['worksheet', 'worksheets/sheet1.xml'],
          ['styles', 'styles.xml'],
        ]),
      ),
    ],
    ['xl/styles.xml', writeXml(styles())],
  ]);
}

function contentTypes(): XmlElement {
  const part = (path: string, kind: string) =>
    element('Override', { PartName: `/${path}`, ContentType: `${TYPE}.${kind}+xml` });
  const rels = 'application/vnd.openxmlformats-package.relationships+xml';
  return element('Types', { xmlns: `${PACKAGE}/content-types` }, [
    element('Default', { Extension: 'rels', ContentType: rels }),
    element('Default', { Extension: 'xml', ContentType: 'application/xml' }),
    part('xl/workbook.xml', 'sheet.main'),
    part(SHEET_PATH, 'worksheet'),
    part('xl/styles.xml', 'styles'),
  ]);
}

function relations(targets: readonly (readonly [kind: string, target: string])[]): XmlElement {
  const items = targets.map(([kind, target], index) =>
    element('Relationship', { Id: `rId${index + 1}`, Type: `${OFFICE}/${kind}`, Target: target }),
  );
  return element('Relationships', { xmlns: `${PACKAGE}/relationships` }, items);
}

/** Names of sheets have up to 31 characters. */
function workbook(name: string): XmlElement {
  const sheet = element('sheet', { name: name.slice(0, 31), sheetId: 1, 'r:id': 'rId1' });
  return element('workbook', { xmlns: MAIN, 'xmlns:r': OFFICE }, [element('sheets', {}, [sheet])]);
}

function styles(): XmlElement {
  const list = (name: string, items: readonly XmlElement[]) =>
    element(name, { count: items.length }, items);
  const format = (numFmtId: number, fontId = 0) =>
    element('xf', { numFmtId, fontId, fillId: 0, borderId: 0, applyNumberFormat: 1, applyFont: 1 });
  const fill = (patternType: string) =>
    element('fill', {}, [element('patternFill', { patternType })]);
  return element('styleSheet', { xmlns: MAIN }, [
    list('numFmts', [
      element('numFmt', { numFmtId: 164, formatCode: 'yyyy-mm-dd' }),
      element('numFmt', { numFmtId: 165, formatCode: 'yyyy-mm-dd hh:mm:ss' }),
      element('numFmt', { numFmtId: 166, formatCode: 'hh:mm:ss' }),
    ]),
    list('fonts', [element('font'), element('font', {}, [element('b')])]),
    list('fills', [fill('none'), fill('gray125')]),
    list('borders', [element('border')]),
    list('cellStyleXfs', [element('xf', { numFmtId: 0, fontId: 0, fillId: 0, borderId: 0 })]),
    list('cellXfs', [format(0), format(164), format(165), format(166), format(0, 1)]),
  ]);
}
