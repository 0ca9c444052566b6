// This file feeds the published grammar cases of OData to the parser: positive cases must be read, negative ones refused where
// the case says. It reads them in place, and skips visibly where they are absent.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { Budget, Cursor, DEFAULT_TREE_LIMITS } from '../../src/request/cursor.ts';
import { decodeQueryPiece } from '../../src/request/decode.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { isRequestId } from '../../src/request/headers/headers.ts';
import { NO_PREFERENCES, readPreferences } from '../../src/request/headers/parse-prefer.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { parseLiteral, parseOptions, parsePath } from './pieces.ts';

const folder = path.resolve(import.meta.dirname, '../../../shared/testdata/abnf/dev');
const FILES = ['odata-abnf', 'odata-aggregation', 'odata-temporal'];

interface Case {
  readonly Name: string;
  readonly Rule: string;
  readonly Input: string;
  readonly FailAt?: number;
  readonly polarity: 'positive' | 'negative';
  readonly appliesTo: string;
}

function readCases(): readonly Case[] {
  return FILES.flatMap((name) => {
    const file = path.join(folder, `${name}-testcases.dev.json`);
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).TestCases : [];
  });
}

/** Where the decoded piece that a fault speaks of starts in the input. */
type Reading = { readonly start: number; readonly read: () => unknown };

const LITERAL_KINDS: Readonly<Record<string, readonly string[]>> = {
  binaryLiteral: ['binary'],
  boolean: ['boolean'],
  date: ['date'],
  dateTimeOffsetLiteral: ['dateTimeOffset'],
  doubleLiteral: ['decimal', 'double', 'integer'],
  durationLiteral: ['duration', 'string'],
  enumLiteral: ['enum', 'string'],
  guid: ['guid'],
  int16Literal: ['integer'],
  int32Literal: ['integer'],
  int64Literal: ['integer'],
  null: ['null'],
  sbyteLiteral: ['integer'],
  stringLiteral: ['string'],
  timeOfDayLiteral: ['timeOfDay'],
};

function readLiteral(rule: string, input: string): void {
  const literal = parseLiteral(decodeURIComponent(input));
  const wanted = rule.startsWith('geo')
    ? [rule.slice(0, rule.startsWith('geography') ? 9 : 8)]
    : LITERAL_KINDS[rule];
  if (wanted !== undefined && !wanted.includes(literal.value.kind)) {
    throw new Fault('request.syntax', { expected: rule }, { position: 0 });
  }
}

function get(url: string, headers: Record<string, string> = {}): unknown {
  const withoutFragment = url.split('#')[0] ?? '';
  const mark = withoutFragment.indexOf('?');
  const isQuery = /\/\$query$/.test(withoutFragment);
  return parse(
    {
      method: isQuery ? 'POST' : 'GET',
      path: mark < 0 ? withoutFragment : withoutFragment.slice(0, mark),
      query: mark < 0 ? '' : withoutFragment.slice(mark + 1),
      headers: isQuery ? { ...headers, 'content-type': 'text/plain' } : headers,
    },
    DEFAULT_LIMITS,
  );
}

/** The input of an absolute URL behind its service root, for which any path ending in a slash may stand. */
function relativePart(url: string): string {
  const match = /^https?:\/\/[^/]+\/(?:(?:service|MyService|OData\/OData\.svc)\/)?(.*)$/.exec(url);
  return match?.[1] ?? '';
}

function readHeader(input: string): void {
  const colon = input.indexOf(':');
  const name = input.slice(0, colon).toLowerCase();
  get('Persons', { [name]: input.slice(colon + 1).trim() });
}

function readPreference(input: string): void {
  if (JSON.stringify(readPreferences(input)) === JSON.stringify(NO_PREFERENCES)) {
    throw new Fault('request.syntax', { expected: 'a preference' });
  }
}

function readIdentifier(input: string): void {
  const cursor = new Cursor(input, 'the name', new Budget(DEFAULT_TREE_LIMITS));
  cursor.identifier('a name');
  cursor.expectEnd('the end of the name');
}

function readId(input: string): void {
  if (!isRequestId(input)) throw new Fault('request.body', { reason: `${input} is no id` });
}

/** Expressions that only stand behind something else. */
const EXPRESSION_PREFIX: Readonly<Record<string, string>> = { anyExpr: 'Items/' };

function readingOf({ appliesTo, Rule, Input }: Case): Reading | string {
  switch (appliesTo) {
    case 'url_literal':
      return { start: 0, read: () => readLiteral(Rule, Input) };
    case 'service_expression': {
      const prefix = EXPRESSION_PREFIX[Rule] ?? '';
      const text = `${prefix}${decodeQueryPiece(Input, '')}`;
      return { start: -prefix.length, read: () => parseExpression(text) };
    }
    case 'service_query':
      return { start: Input.indexOf('=') + 1, read: () => parseOptions(Input) };
    case 'service_url':
      if (Rule === 'odataUri') return { start: 0, read: () => get(relativePart(Input)) };
      return { start: 0, read: () => (Rule === 'resourcePath' ? parsePath(Input) : get(Input)) };
    case 'request_header':
      if (Rule === 'header' || Rule === 'prefer')
        return { start: 0, read: () => readHeader(Input) };
      return { start: 0, read: () => readPreference(Input) };
    case 'identifier':
      return { start: 0, read: () => readIdentifier(Input) };
    case 'batch_request_id':
      return { start: 0, read: () => readId(Input) };
    case 'payload_value':
      return 'values in bodies are read by edm';
    case 'response_header':
    case 'context_url':
      return 'the service writes these and never reads them';
    default:
      return `nothing is known of ${appliesTo}`;
  }
}

/** Refusals that are no matter of syntax: formats that cannot be given, and features known but not built. */
const NO_SYNTAX_FAULT: ReadonlySet<string> = new Set(['request.not-acceptable', 'not-built']);

/** Negative cases that only a model can refuse; bind does. */
const NEEDS_MODEL: ReadonlyMap<string, string> = new Map([
  ['Categories/TheBestProduct()', 'TheBestProduct is a function import'],
  ['Categories(1)/Address/$value', 'Address is a complex property'],
  ['Categories(1)/Thumbnail/$value', 'Thumbnail is a stream property'],
  ['Products(1)/Model.BestSellingProduct/Model.BestSellingProduct', 'BestSellingProduct is a type'],
  [
    '$apply=aggregate(Sales/Amount sub Sales/Cost with sum as TotalAmount)',
    'Sales is a collection',
  ],
  ['$apply=aggregate(Amount)', 'Amount is no custom aggregate'],
  ['$apply=groupby((Product/Price/Quantity))', 'Price is primitive'],
  ['$apply=groupby((Sales/Product/Name))', 'Sales is a collection'],
  ['$apply=join(ShipTo as Detail,identity)', 'ShipTo is single-valued'],
]);

/** Negative cases that are refused in another place than the grammar's reader would stop at. */
const OTHER_POSITION: ReadonlyMap<string, string> = new Map([
  [
    'Categories(ID=wrong)',
    'refused at the word, not behind it, where the namespace of an enumeration might go on',
  ],
  [
    '$apply=aggregate(Sales(Amount mul Product/TaxRate with sum as Tax))',
    'without a model Sales(…) may be a function, whose parameter may be any expression',
  ],
  [
    '$apply=addnested(Products,addnested(Sales,filter(Amount gt 3) as FilteredSales) as Stuff,addnested(Suppliers,nest(Products)))',
    'refused at the name that is no transformation, not behind it, where a namespace might go on',
  ],
]);

const cases = readCases();

function faultOf(read: () => unknown): Fault | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

describe.skipIf(cases.length === 0)('the published grammar cases', () => {
  for (const item of cases) {
    const reading = readingOf(item);
    const title = `${item.Rule}: ${item.Input} (${item.Name})`;
    if (typeof reading === 'string') {
      test.skip(`${title}: ${reading}`, () => undefined);
    } else if (item.polarity === 'positive') {
      test(`${title} is read`, () => {
        const fault = faultOf(reading.read);
        expect(fault === undefined || NO_SYNTAX_FAULT.has(fault.code), fault?.message).toBe(true);
      });
    } else if (NEEDS_MODEL.has(item.Input)) {
      test(`${title} is read here and left to the model: ${NEEDS_MODEL.get(item.Input)}`, () => {
        expect(faultOf(reading.read)).toBeUndefined();
      });
    } else {
      test(`${title} is refused`, () => {
        const fault = faultOf(reading.read);
        expect(fault?.status).toBe(400);
      });
    }
  }
});

const POSITIONED = cases.filter(
  (item) =>
    item.polarity === 'negative' &&
    item.FailAt !== undefined &&
    item.appliesTo !== 'request_header' &&
    typeof readingOf(item) !== 'string' &&
    !NEEDS_MODEL.has(item.Input),
);

describe.skipIf(cases.length === 0)('the position of a refusal', () => {
  test.each(POSITIONED)('$Input is refused at $FailAt', (item) => {
    const reading = readingOf(item);
    if (typeof reading === 'string') throw new Error(reading);
    const position = (faultOf(reading.read)?.position ?? Number.NaN) + reading.start;
    if (OTHER_POSITION.has(item.Input)) expect(position).not.toBe(item.FailAt);
    else expect(position).toBe(item.FailAt);
  });

  test('agrees with the published one in all cases but three', () => {
    expect(POSITIONED.length).toBe(33);
    expect(OTHER_POSITION.size).toBe(3);
  });
});
