// This file checks what comes of a template and a body: the template comes first, the body wins, collections are added.
import { describe, expect, test } from 'vitest';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { applyTemplate } from '../../src/plan/write/template-values.ts';
import { printInput, readBody } from '../bind/bodies.ts';
import { oddModel } from '../odd-model.ts';

function merged(template: JsonInput, body: JsonInput): readonly string[] {
  const given = readBody(oddModel, 'Animals', body, { mode: 'merge' });
  const supplied = readBody(oddModel, 'Animals', template, { mode: 'merge' });
  return printInput(applyTemplate(given, supplied));
}

describe('a template and a body', () => {
  test('values of the template stay where the body says nothing', () => {
    expect(
      merged({ Name: 'a', Remark: 'b', Mood: { Value: 1001 } }, { Remark: 'c', Tame: true }),
    ).toEqual(['Name = "a"', 'Mood = 1001', 'Remark = "c"', 'Tame = true']);
  });

  test('complex values are merged member by member', () => {
    const template = { Care: { Mood: { Value: 1001 }, Since: '2026-01-01T00:00:00Z' } };
    expect(merged(template, { Care: { Mood: { Value: 1002 } } })).toEqual([
      'Care/Since = "2026-01-01T00:00:00.000Z"',
      'Care is',
      'Care/Mood = 1002',
    ]);
    expect(merged(template, { Care: null })).toEqual(['Care is not']);
  });

  test('collections are added', () => {
    expect(merged({ Nicknames: ['a'] }, { Nicknames: ['b', 'c'] })).toEqual([
      'Nicknames := ["a","b","c"]',
    ]);
    expect(merged({ Nicknames: ['a'] }, { Nicknames: [] })).toEqual(['Nicknames := ["a"]']);
    expect(merged({ Nicknames: ['a'] }, { Name: 'x' })).toEqual([
      'Nicknames := ["a"]',
      'Name = "x"',
    ]);
  });

  test('the body decides about single relations, both add to collections', () => {
    const template = { 'Species@bind': 's', 'Keepers@bind': ['k'], 'Mother@bind': 'm' };
    expect(
      merged(template, { 'Species@bind': 't', 'Keepers@bind': ['l'], Mother: { Remark: 'x' } }),
    ).toEqual([
      'add Keepers k',
      'set Species t',
      'add Keepers l',
      'full in Mother',
      '  Mother or create',
      '    Remark = "x"',
    ]);
  });

  test('contained entities of both are made', () => {
    const note = (Text: string) => ({ 'Notes@delta': [{ Text }] });
    expect(merged(note('a'), note('b'))).toEqual([
      'delta in Notes',
      '  new',
      '    Text = "a"',
      'delta in Notes',
      '  new',
      '    Text = "b"',
    ]);
  });
});
