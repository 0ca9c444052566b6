// This file checks cells of worksheets that records of the journeys do not have. ECMA-376, "Cell Values", "Dates and Times".
import { expect, it } from 'vitest';
import type { CellKind } from '../../src/response/table/columns.ts';
import { sheetRows } from '../../src/response/table/sheet.ts';

const columnOf = (kind: CellKind, name = 'A') => ({ path: [name], name, label: name, kind });

const cellOf = (value: unknown, kind: CellKind) =>
  /<row r="2">(.*)<\/row>/s.exec(
    sheetRows([columnOf(kind)], [JSON.stringify({ A: value })], 1),
  )?.[1];

const textOf = (text: string) =>
  `<c r="A2" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;

it.each([
  ['text', 'a < b & c\r\n', textOf('a &lt; b &amp; c&#13;\n')],
  ['text', '=1+1', textOf('=1+1')],
  ['text', '_x0041_ and \u0001', textOf('_x005F_x0041_ and \uFFFD')],
  ['text', 'x'.repeat(32_768), textOf(`${'x'.repeat(32_766)}…`)],
  ['text', { type: 'Point' }, textOf('{"type":"Point"}')],
  ['text', null, ''],
  ['boolean', true, '<c r="A2" t="b"><v>1</v></c>'],
  ['number', -1.5e-7, '<c r="A2"><v>-1.5e-7</v></c>'],
  ['number', 'INF', textOf('INF')],
  ['decimal', '-123456789012345', '<c r="A2"><v>-123456789012345</v></c>'],
  ['decimal', '0.00123', '<c r="A2"><v>0.00123</v></c>'],
  ['decimal', '1234567890123456', textOf('1234567890123456')],
  ['decimal', '12345678901234.56', textOf('12345678901234.56')],
  ['date', '1900-03-01', '<c r="A2" s="1"><v>61</v></c>'],
  ['date', '1900-02-28', textOf('1900-02-28')],
  ['date', '2024-02-29', '<c r="A2" s="1"><v>45351</v></c>'],
  ['instant', '2024-02-29T12:00:00Z', '<c r="A2" s="2"><v>45351.5</v></c>'],
  ['instant', '2024-02-29T14:00:00+02:00', '<c r="A2" s="2"><v>45351.5</v></c>'],
  ['instant', '-0001-02-29T14:00:00Z', textOf('-0001-02-29T14:00:00Z')],
  ['time', '18:00:00.000', '<c r="A2" s="3"><v>0.75</v></c>'],
] as const)('the cell of %s %j', (kind, value, expected) => {
  expect(cellOf(value, kind)).toBe(expected);
});

it('names columns after Z by two letters', () => {
  const columns = Array.from({ length: 703 }, (_, index) => columnOf('number', `C${index}`));
  const record = JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, 0])));
  const places = [...sheetRows(columns, [record], 0).matchAll(/<c r="([A-Z]+)1"/g)].map(
    ([, letters]) => letters,
  );
  expect([places[25], places[26], places[701], places[702]]).toEqual(['Z', 'AA', 'ZZ', 'AAA']);
});
