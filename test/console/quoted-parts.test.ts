// This file folds what texts of a history quote.
import { expect, it } from 'vitest';
import { quotedParts } from '../../console/src/record/timeline/history-groups.ts';

it.each([
  ['Thanks\n\n> On Monday:\n> It works.\n', 'Thanks', '> On Monday:\n> It works.'],
  ['Yes\n> a\n\n> b', 'Yes', '> a\n\n> b'],
  ['Yes\r\n\r\n> a\r\n> b\r\n', 'Yes\r', '> a\r\n> b'],
  ['> a?\nYes.\n> b?\nNo.\n\n> c', '> a?\nYes.\n> b?\nNo.', '> c'],
  ['> a?\nYes.\n', '> a?\nYes.\n', ''],
  ['> only\n> a quotation\n', '> only\n> a quotation\n', ''],
  ['5 > 4\n', '5 > 4\n', ''],
  ['', '', ''],
])('%j', (text, own, quoted) => {
  expect(quotedParts(text)).toEqual({ own, quoted });
});
