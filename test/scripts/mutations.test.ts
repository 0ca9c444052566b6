// This file tests which mutations of a source are planted by `npm run mutants`.

import { describe, expect, test } from 'vitest';
import { mutationsOf } from '../../scripts/mutations.mjs';

function changes(text: string): readonly string[] {
  return mutationsOf(text, 'a.ts').map(({ from, to }) => `${from} -> ${to}`);
}

describe('the mutations of a source', () => {
  test.each([
    ['a comparison', 'const a = b < 5;', ['< -> <=']],
    ['a sum', 'const a = b + 5;', ['+ -> -']],
    ['a negation', 'const a = !b;', ['! -> ']],
    ['a boolean', 'const a = f(true);', ['true -> false']],
    ['a condition', 'if (a) b = 1;', ['a -> Boolean(true)', 'a -> Boolean(false)']],
    ['a call whose value is not used', 'async () => { await f(); };', ['await f(); -> {}']],
    ['a quantifier', 'const a = list.some(f);', ['some -> every']],
  ])('change %s', (_, text, expected) => {
    expect(changes(text)).toEqual(expected);
  });

  test.each([
    ['types', 'type A = true; const a = b as A | false; interface C { readonly d: true }'],
    ['messages', `const a = \`\${b === 1 ? 'one' : 'many'} rows\`; const c = 'row ' + a;`],
    ['operators that cannot be mixed', 'const a = b ?? c ?? d;'],
  ])('leave alone %s', (_, text) => {
    expect(changes(text)).toEqual([]);
  });

  test('come with their line and the complete changed source', () => {
    expect(mutationsOf('const a = 1;\nconst b = a > 2;\n', 'a.ts')).toEqual([
      { line: 2, from: '>', to: '>=', text: 'const a = 1;\nconst b = a >= 2;\n' },
    ]);
  });

  test('change the values in SQL', () => {
    expect(changes(`const a = sql\`SELECT \${b === 1}\`;`)).toEqual(['=== -> !==']);
  });
});
