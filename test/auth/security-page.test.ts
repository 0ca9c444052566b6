// This file reads docs/security.md: it speaks of the points of each chapter, and what it names is there.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const rows = [
  ...page.matchAll(/^\| ([\d., to]+) \| ([^|]+) \| (met|not met|does not apply) \| ([^|]+) \|$/gm),
];

/** Points of level 1 and 2. */
const POINTS = {
  6: [
    '6.1.1',
    '6.1.2',
    '6.1.3',
    '6.2.1',
    '6.2.2',
    '6.2.5',
    '6.2.9',
    '6.3.1',
    '6.3.2',
    '6.3.3',
    '6.4.1',
    '6.4.3',
  ],
  7: [
    '7.1.1',
    '7.1.2',
    '7.2.1',
    '7.2.3',
    '7.2.4',
    '7.3.1',
    '7.3.2',
    '7.4.1',
    '7.4.2',
    '7.4.3',
    '7.4.5',
    '7.5.1',
    '7.5.2',
  ],
  8: ['8.1.1', '8.1.2', '8.2.1', '8.2.2', '8.2.3', '8.3.1', '8.4.1'],
};

describe('docs/security.md', () => {
  it('has a row for the points of each chapter, and reads every one of its rows', () => {
    const named = rows.map(([, point]) => point);
    expect(named).toEqual(expect.arrayContaining(Object.values(POINTS).flat()));
    const written = page.split('\n').filter((line) => /^\| \d/.test(line));
    expect(rows).toHaveLength(written.length);
  });

  it.each(rows.map(([, point, , state, where]) => [point, state, where] as const))(
    '%s (%s): what it names is there',
    (_point, state, where) => {
      expect(where?.trim().length).toBeGreaterThan(10);
      const named = [...(where ?? '').matchAll(/`((?:test|src)\/[^`]+)`(?:: ([^;]+))?/g)];
      for (const [, file = '', title] of named) {
        expect([file, existsSync(join(root, file))]).toEqual([file, true]);
        const text = readFileSync(join(root, file), 'utf8');
        if (title !== undefined) expect(text).toContain(title.trim());
      }
      const isShown =
        named.length > 0 || /this page|rights\.md|there is none|there are none/.test(where ?? '');
      expect([state, isShown || state !== 'met']).toEqual([state, true]);
    },
  );
});
