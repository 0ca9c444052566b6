// This file tests that whatever tree there is, its printed text is read back into the same tree; and that the parser, fed with
// scraps of the grammar in any order, reads or refuses, and never does anything else.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { printExpression } from '../../src/request/print/expression.ts';
import { printApply, printPath, printQuery } from '../../src/request/print/url.ts';
import type { BinaryOperator } from '../../src/request/tree.ts';
import { sampleSize } from '../sample-size.ts';
import { parseApply, parseOptions, parsePath } from './pieces.ts';
import { withoutPositions } from './show.ts';

/** Trees as they are compared: without positions. */
type Node = Readonly<Record<string, unknown>>;

const none = fc.constant(undefined);
const name = fc.constantFrom('Name', 'a', 'Größe', '𠮷', '_x1', 'eq', 'and', 'contains', 'Caller');
const qualified = fc.constantFrom('NS.Type', 'A.B.C', 'Edm.String');
const anyName = fc.oneof(name, qualified);
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((value) => !/\p{Surrogate}/u.test(value)),
  fc.constantFrom("O'Neil", '/', '%41', '&=+#?;,', ')(', '"', "''", '\\', '\0', ' '),
);
const digits = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const value = fc.oneof(
  fc.constant<Node>({ kind: 'null' }),
  fc.boolean().map((boolean): Node => ({ kind: 'boolean', value: boolean })),
  digits.map((integer): Node => ({ kind: 'integer', value: integer })),
  fc.tuple(digits, fc.nat()).map(([a, b]): Node => ({ kind: 'decimal', text: `${a}.${b}` })),
  fc
    .constantFrom('INF', '-INF', 'NaN', '1e5', '-3.10E-7')
    .map((double): Node => ({ kind: 'double', text: double })),
  text.map((string): Node => ({ kind: 'string', value: string })),
  fc.uuid().map((guid): Node => ({ kind: 'guid', text: guid })),
  fc.constantFrom('2020-02-29', '-0001-12-31').map((date): Node => ({ kind: 'date', text: date })),
  fc
    .constantFrom('2020-02-29T23:59Z', '2020-01-01T00:00:00.123+02:00')
    .map((instant): Node => ({ kind: 'dateTimeOffset', text: instant })),
  fc
    .constantFrom('10:20', '10:20:30', '23:59:59.999')
    .map((time): Node => ({ kind: 'timeOfDay', text: time })),
  fc.constantFrom('P1D', '-PT1.5S').map((duration): Node => ({ kind: 'duration', text: duration })),
  fc.constantFrom('', 'Zg', 'Zm9v').map((binary): Node => ({ kind: 'binary', text: binary })),
  fc
    .array(name, { minLength: 1, maxLength: 3 })
    .map((members): Node => ({ kind: 'enum', type: 'NS.Kind', members })),
  fc.constant<Node>({
    kind: 'geography',
    shape: 'Point',
    text: 'SRID=0;Point(1 2)',
  }),
);

const literal = value.map((inside): Node => ({ kind: 'literal', value: inside }));
const annotation = fc.record({
  kind: fc.constant('annotation'),
  term: qualified,
  qualifier: fc.option(fc.constantFrom('Q', 'R'), { nil: undefined }),
});

const searchWord = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((word) => /^[^\s()"';\p{Cc}][^\s()";\p{Cc}]*$/u.test(word));
const search = fc.letrec<{ search: Node }>((tie) => ({
  search: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc
      .oneof(searchWord, fc.constantFrom('AND', 'OR', 'NOT'))
      .map((word): Node => ({ kind: 'word', text: word })),
    fc
      .constantFrom('a b', 'x OR y', '(', 'a"b', 'a\\', '\\"', 'a;b')
      .map((phrase): Node => ({ kind: 'phrase', text: phrase })),
    tie('search').map((operand): Node => ({ kind: 'not', operand })),
    fc
      .tuple(fc.constantFrom('and', 'or'), tie('search'), tie('search'))
      .map(([kind, left, right]): Node => ({ kind, left, right })),
  ),
})).search;

const OPERATORS: readonly BinaryOperator[] = [
  'or',
  'and',
  'eq',
  'ne',
  'gt',
  'ge',
  'lt',
  'le',
  'add',
  'sub',
  'mul',
  'div',
  'divby',
  'mod',
  'has',
  'in',
];

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });

const plainName = anyName.map(
  (written): Node => ({ kind: 'name', name: written, arguments: undefined, key: undefined }),
);
const dataPath = fc.tuple(fc.array(plainName, { maxLength: 2 }), name).map(
  ([steps, last]): Node => ({
    kind: 'path',
    root: { kind: 'current' },
    steps: [...steps, { kind: 'name', name: last, arguments: undefined, key: undefined }],
  }),
);

interface Tied {
  readonly expression: Node;
  readonly arguments: Node;
  readonly step: Node;
  readonly aggregate: Node;
}

const { expression, aggregate } = fc.letrec<Tied>((tie) => {
  const inner = tie('expression');
  const named = fc.record({ name, value: inner });
  const atoms = [
    literal,
    name.map((written): Node => ({ kind: 'alias', name: written })),
    dataPath,
  ] as const;
  const path = fc
    .tuple(
      fc.constantFrom(
        { kind: 'current' },
        { kind: 'it' },
        { kind: 'this' },
        { kind: 'these' },
        { kind: 'root' },
        { kind: 'alias', name: 'x' },
      ),
      fc.record({
        kind: fc.constant('name'),
        name: fc.constantFrom('Path', 'NS.Path'),
        arguments: none,
        key: none,
      }),
      fc.array(tie('step'), { maxLength: 3 }),
    )
    .map(([root, first, steps]): Node => ({ kind: 'path', root, steps: [first, ...steps] }));
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
      ...atoms,
      path,
      fc.array(inner, { maxLength: 3 }).map((items): Node => ({ kind: 'array', items })),
      fc
        .array(fc.record({ name: text, value: inner }), { maxLength: 2 })
        .map((members): Node => ({ kind: 'object', members })),
      fc.record({
        kind: fc.constant('call'),
        name: fc.constantFrom('contains', 'geo.length', 'NS.F'),
        arguments: tie('arguments'),
      }),
      fc.record({
        kind: fc.constantFrom('cast', 'isof'),
        operand: optional(inner),
        type: fc.record({ name: qualified, collection: fc.boolean() }),
      }),
      some(fc.record({ condition: inner, value: inner })).map(
        (branches): Node => ({ kind: 'case', branches }),
      ),
      fc.record({ kind: fc.constantFrom('not', 'negate'), operand: inner }),
      fc.record({
        kind: fc.constant('binary'),
        operator: fc.constantFrom(...OPERATORS),
        left: inner,
        right: inner,
      }),
      fc.tuple(inner, fc.array(literal, { maxLength: 3 })).map(
        ([left, items]): Node => ({
          kind: 'binary',
          operator: 'in',
          left,
          right: { kind: 'list', items },
        }),
      ),
    ),
    arguments: fc.oneof(
      { maxDepth: 3 },
      fc.constant<Node>({ kind: 'empty' }),
      some(inner).map((values): Node => ({ kind: 'positional', values })),
      some(named).map((pairs): Node => ({ kind: 'named', pairs })),
    ),
    step: fc.oneof(
      { maxDepth: 3 },
      plainName,
      annotation,
      fc.nat().map((index): Node => ({ kind: 'ordinal', index })),
      fc.record({
        kind: fc.constant('name'),
        name,
        arguments: tie('arguments'),
        key: optional(tie('arguments')),
      }),
      fc.record({ kind: fc.constant('count'), filter: optional(inner), search: optional(search) }),
      fc.record({
        kind: fc.constant('filter'),
        condition: inner,
        key: optional(tie('arguments')),
      }),
      fc.record({ kind: fc.constantFrom('any', 'all'), variable: name, condition: inner }),
      fc.constant<Node>({ kind: 'any', variable: undefined, condition: undefined }),
      tie('aggregate').map((item): Node => ({ kind: 'aggregate', item })),
    ),
    aggregate: fc.record({
      kind: fc.constant('method'),
      operand: inner,
      method: fc.constantFrom('sum', 'countdistinct', 'NS.median'),
      from: fc.array(
        fc.record({ properties: some(dataPath), method: fc.constantFrom('average', 'max') }),
        { maxLength: 2 },
      ),
      alias: none,
    }),
  };
});

const alias = fc.constantFrom('Total', 'N', 'W');
const orderItem = fc.record({ expression, descending: fc.boolean() });
const computeItem = fc.record({ expression, alias });

const apply = fc.letrec<{ apply: readonly Node[]; preserving: readonly Node[] }>((tie) => {
  const inner = tie('apply');
  const hierarchy = fc.record({
    nodes: fc.constant<Node>({
      kind: 'path',
      root: { kind: 'root' },
      steps: [{ kind: 'name', name: 'Orgs', arguments: undefined, key: undefined }],
    }),
    qualifier: alias,
    property: dataPath,
  });
  const keeping = fc.oneof(
    { maxDepth: 3 },
    fc.constant<Node>({ kind: 'identity' }),
    fc.record({ kind: fc.constant('filter'), condition: expression }),
    fc.record({ kind: fc.constant('search'), search }),
    fc.record({ kind: fc.constantFrom('skip', 'top'), count: fc.nat() }),
    fc.record({ kind: fc.constant('orderby'), items: some(orderItem) }),
    fc.record({
      kind: fc.constant('rank'),
      method: fc.constantFrom('topcount', 'bottompercent'),
      amount: expression,
      value: expression,
    }),
    fc.record({
      kind: fc.constantFrom('ancestors', 'descendants'),
      hierarchy,
      start: tie('preserving'),
      distance: optional(fc.nat()),
      keepStart: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('traverse'),
      hierarchy,
      order: fc.constantFrom('preorder', 'postorder'),
      start: optional(tie('preserving')),
      orderby: fc.array(fc.record({ expression: dataPath, descending: fc.boolean() }), {
        maxLength: 2,
      }),
    }),
  );
  const group = fc.oneof(
    dataPath.map((path): Node => ({ kind: 'property', path })),
    fc
      .array(dataPath, { minLength: 2, maxLength: 3 })
      .map((levels): Node => ({ kind: 'rollup', levels })),
    alias.map((named): Node => ({ kind: 'rollup-named', hierarchy: named })),
    fc.record({
      kind: fc.constant('rolluprecursive'),
      hierarchy,
      apply: optional(tie('preserving')),
    }),
  );
  const nestItems = some(fc.record({ apply: inner, alias }));
  return {
    preserving: some(keeping),
    apply: some(
      fc.oneof(
        { maxDepth: 3 },
        keeping,
        fc.record({
          kind: fc.constant('aggregate'),
          items: some(
            fc.oneof(
              fc.tuple(aggregate, alias).map(([item, given]): Node => ({ ...item, alias: given })),
              fc.record({
                kind: fc.constant('count'),
                path: optional(dataPath),
                from: fc.constant([]),
                alias,
              }),
              fc.record({
                kind: fc.constant('custom'),
                path: dataPath,
                from: fc.constant([]),
                alias: optional(alias),
              }),
            ),
          ),
        }),
        fc.record({ kind: fc.constant('compute'), items: some(computeItem) }),
        fc.record({ kind: fc.constant('groupby'), elements: some(group), apply: optional(inner) }),
        fc
          .array(inner, { minLength: 2, maxLength: 3 })
          .map((branches): Node => ({ kind: 'concat', branches })),
        fc.record({
          kind: fc.constantFrom('join', 'outerjoin'),
          path: dataPath,
          alias,
          apply: optional(inner),
        }),
        nestItems.map((items): Node => ({ kind: 'nest', items })),
        fc.record({ kind: fc.constant('addnested'), path: dataPath, items: nestItems }),
      ),
    ),
  };
}).apply;

const NO_OPTIONS = {
  apply: none,
  compute: none,
  search: none,
  filter: none,
  count: none,
  orderby: none,
  skip: none,
  top: none,
  expand: none,
  select: none,
  levels: none,
  aliases: fc.constant(new Map<string, Node>()),
};

const aliases = fc
  .array(fc.tuple(name, expression), { maxLength: 2 })
  .map((entries) => new Map<string, Node>(entries));

const shared = {
  search: optional(search),
  filter: optional(expression),
  count: optional(fc.boolean()),
  orderby: optional(some(orderItem)),
  skip: optional(fc.nat()),
  top: optional(fc.nat()),
};

const { expand, select } = fc.letrec<{ expand: readonly Node[]; select: readonly Node[] }>(
  (tie) => {
    const selectOptions = fc.record({
      ...NO_OPTIONS,
      ...shared,
      count: fc.boolean(),
      compute: optional(some(computeItem)),
      select: optional(tie('select')),
      aliases,
    });
    const expandOptions = fc.record({
      ...NO_OPTIONS,
      ...shared,
      count: fc.boolean(),
      compute: optional(some(computeItem)),
      apply: optional(apply),
      levels: optional(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant('max'))),
      select: optional(tie('select')),
      expand: optional(tie('expand')),
      aliases,
    });
    const refOptions = fc.record({ ...NO_OPTIONS, ...shared, count: fc.boolean() });
    const countOptions = fc.record({ ...NO_OPTIONS, filter: expression, search: optional(search) });
    const selectName = anyName.map(
      (written): Node => ({ kind: 'name', name: written, parameters: undefined }),
    );
    const expandName = anyName.map((written): Node => ({ kind: 'name', name: written }));
    const expandPath = (suffix: string | undefined, options: fc.Arbitrary<unknown>) =>
      fc.record({
        kind: fc.constant('path'),
        steps: some(fc.oneof(expandName, annotation)),
        suffix: fc.constant(suffix),
        options: optional(options),
      });
    return {
      select: some(
        fc.oneof(
          { maxDepth: 2 },
          fc.constant<Node>({ kind: 'star' }),
          fc
            .constantFrom('NS', 'A.B')
            .map((namespace): Node => ({ kind: 'operations', namespace })),
          fc.tuple(qualified, some(name)).map(
            ([written, parameters]): Node => ({
              kind: 'path',
              steps: [{ kind: 'name', name: written, parameters }],
              options: undefined,
            }),
          ),
          fc.record({
            kind: fc.constant('path'),
            steps: some(fc.oneof(selectName, annotation)),
            options: optional(selectOptions),
          }),
        ),
      ),
      expand: some(
        fc.oneof(
          { maxDepth: 2 },
          fc.constant<Node>({ kind: 'value' }),
          fc
            .record({
              kind: fc.constant('star'),
              steps: fc.array(expandName, { maxLength: 2 }),
              ref: fc.boolean(),
              levels: optional(fc.integer({ min: 1, max: 9 })),
            })
            .map((star): Node => (star.ref ? { ...star, levels: undefined } : star)),
          expandPath('ref', refOptions),
          expandPath('count', countOptions),
          expandPath(undefined, expandOptions),
        ),
      ),
    };
  },
);

const options = fc.record({
  ...shared,
  apply: optional(apply),
  compute: optional(some(computeItem)),
  expand: optional(expand),
  select: optional(select),
  levels: none,
  aliases,
  format: optional(fc.constantFrom('json', 'application/json;odata.metadata=full')),
  skiptoken: optional(fc.constantFrom('a=b&c', '+ %')),
  deltatoken: optional(fc.constant('x')),
  id: optional(fc.constant('http://host/Persons(7)?a=b')),
  index: optional(fc.integer()),
  schemaversion: optional(fc.constantFrom('*', 'v1.0')),
  custom: fc
    .array(fc.tuple(fc.constantFrom('x', 'y=z', 'ä&'), some(text)), { maxLength: 2 })
    .map((entries) => new Map(entries)),
});

const keys = fc.oneof(
  fc.constant<Node>({ kind: 'empty' }),
  some(
    fc.oneof(
      literal,
      name.map((written): Node => ({ kind: 'alias', name: written })),
    ),
  ).map((values): Node => ({ kind: 'positional', values })),
  some(fc.record({ name, value: literal })).map((pairs): Node => ({ kind: 'named', pairs })),
);
const nameSegment = (written: fc.Arbitrary<string>) =>
  fc.tuple(written, optional(keys), optional(keys)).map(
    ([given, first, key]): Node => ({
      kind: 'name',
      name: given,
      arguments: first,
      key: first === undefined ? undefined : key,
    }),
  );
const segments = fc
  .tuple(
    nameSegment(name),
    fc.array(
      fc.oneof(
        nameSegment(anyName),
        fc
          .constantFrom('1', "O'Neil", 'a/b', '%2F', '-1', 'x y')
          .map((written): Node => ({ kind: 'text', text: written })),
        fc
          .tuple(expression, optional(keys))
          .map(([condition, key]): Node => ({ kind: 'filter', condition, key })),
      ),
      { maxLength: 3 },
    ),
    fc.constantFrom<readonly Node[]>(
      [],
      [{ kind: 'count' }],
      [{ kind: 'value' }],
      [{ kind: 'ref' }],
      [{ kind: 'each' }],
    ),
  )
  .map(([first, middle, last]) => [first, ...middle, ...last]);

const GENEROUS = { nodes: 1_000_000, depth: 1000 };

/** A tree without positions is all that the printer needs. */
function typed<T>(tree: unknown, print: (tree: T) => string): string {
  return print(tree as T);
}

describe('a printed tree is read back as the same tree', () => {
  test('an expression', () => {
    fc.assert(
      fc.property(expression, (tree) => {
        const printed = typed(tree, printExpression);
        expect(withoutPositions(parseExpression(printed, 'the expression', GENEROUS))).toEqual(
          tree,
        );
      }),
      { numRuns: sampleSize(500, 1500) },
    );
  });

  test('$apply', () => {
    fc.assert(
      fc.property(apply, (tree) => {
        expect(withoutPositions(parseApply(typed(tree, printApply), GENEROUS))).toEqual(tree);
      }),
      { numRuns: sampleSize(166, 500) },
    );
  });

  test('a whole query, percent-encoded', () => {
    fc.assert(
      fc.property(options, (tree) => {
        expect(withoutPositions(parseOptions(typed(tree, printQuery), GENEROUS))).toEqual(tree);
      }),
      { numRuns: sampleSize(166, 500) },
    );
  });

  test('a path, percent-encoded', () => {
    fc.assert(
      fc.property(segments, (tree) => {
        const printed = typed({ segments: tree }, printPath);
        const read = parsePath(printed, GENEROUS).segments.map((segment) =>
          segment.kind === 'name' ? { ...segment, text: undefined } : segment,
        );
        const wanted = tree.map((segment) =>
          segment.kind === 'name' ? { ...segment, text: undefined } : segment,
        );
        expect(withoutPositions(read)).toEqual(wanted);
      }),
      { numRuns: sampleSize(166, 500) },
    );
  });
});

describe('a semicolon inside a search word stays percent-encoded', () => {
  test.each([
    '$search=a%3Bb',
    '$expand=A($search=a%3Bb;$top=1)',
    '$filter=A/$count($search=a%3Bb)%20gt%201',
  ])('%s', (query) => {
    expect(printQuery(parseOptions(query))).toBe(query);
  });

  test('in a path', () => {
    const path = 'A/$filter(B/$count($search=a%3Bb)%20gt%201)';
    expect(printPath(parsePath(path))).toBe(path);
  });
});

const SCRAPS = [
  '$filter=',
  '$expand=',
  '$select=',
  '$orderby=',
  '$search=',
  '$apply=',
  '$compute=',
  '@a=',
  '&',
  '=',
  ';',
  ',',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  "''",
  '/',
  '//',
  '$',
  '@',
  '#',
  '.',
  '..',
  ':',
  '-',
  '+',
  '%20',
  '%',
  '%C3',
  '%C3%A4',
  ' ',
  '\t',
  '\0',
  '😀',
  '\ud800',
  'a',
  'A.B',
  'and',
  ' and ',
  ' eq ',
  ' in ',
  ' in (',
  'not ',
  'not(',
  'NOT ',
  ' OR ',
  'any(',
  'all(x:',
  'case(',
  'cast(',
  'isof(',
  'Collection(',
  '$it',
  '$this',
  '$root/',
  '$these/',
  '$count',
  '$filter(',
  '$ref',
  '$value',
  '$levels=',
  '$top=',
  'aggregate(',
  ' with ',
  ' with sum',
  ' from ',
  ' as ',
  'groupby((',
  'rollup(',
  'concat(',
  'identity',
  'traverse($root/a,b,c,',
  'keep start',
  "duration'",
  "binary'",
  "geography'SRID=0;",
  'Point(',
  '1',
  '1.',
  '1e',
  '-INF',
  '2020-01-',
  '2020-01-01T',
  '10:2',
  '01234567-89ab-',
  'true',
  'null',
  'L',
  '*',
  '\\',
  '\\u00',
];

describe('scraps of the grammar in any order', () => {
  const scraps = fc
    .array(fc.constantFrom(...SCRAPS), { maxLength: 30 })
    .map((parts) => parts.join(''));

  test('are read or refused with a fault that the client can be told', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant('A'), scraps), scraps, (path, query) => {
        try {
          const tree = parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
          const again = parse(
            {
              method: 'GET',
              path: printPath(tree.path),
              query: printQuery(tree.options),
              headers: {},
            },
            DEFAULT_LIMITS,
          );
          expect(withoutPositions(again.options)).toEqual(withoutPositions(tree.options));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          expect(error.status).toBeGreaterThanOrEqual(400);
          expect(error.status).toBeLessThan(502);
        }
      }),
      { numRuns: sampleSize(1000, 3000) },
    );
  });

  test('are read to the end or not at all as an expression', () => {
    fc.assert(
      fc.property(scraps, (written) => {
        try {
          const tree = parseExpression(written);
          expect(withoutPositions(parseExpression(printExpression(tree)))).toEqual(
            withoutPositions(tree),
          );
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
        }
      }),
      { numRuns: sampleSize(1000, 3000) },
    );
  });
});
