// This file checks that links on written pages point to files and headings that exist, and that the architecture names existing files.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const ignoredFolders = new Set(['node_modules', 'dist', 'dist.new', 'data', '.git']);

function filesUnder(folder: string): string[] {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : filesUnder(file);
    return [file];
  });
}

const pages = filesUnder('.').filter((file) => file.endsWith('.md'));

/** Targets of relative links in a Markdown text without a file or heading, resolved against a page of the checkout. */
function deadLinks(text: string, page: string): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const isRelative = (target: string) => !/^[a-z]+:/i.test(target);
  const exists = (target: string) => {
    const [name = '', heading] = decodeURIComponent(target).split('#');
    const file = name === '' ? page : path.join(path.dirname(page), name);
    if (name !== '' && !fs.existsSync(path.join(root, file))) return false;
    return heading === undefined || headingsOf(name === '' ? text : read(file)).includes(heading);
  };
  return targets.filter((target) => isRelative(target) && !exists(target));
}

/** The anchors of a page's headings: small letters and digits, joined by hyphens. */
function headingsOf(text: string): readonly string[] {
  const headings = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}

describe('links', () => {
  test('there are pages to check', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/errors.md']),
    );
  });

  test.each(pages)('every relative link of %s points to a file and heading', (page) => {
    expect(deadLinks(read(page), page)).toEqual([]);
  });

  test('a dead link is found; other URLs and code are ignored', () => {
    const text =
      '# Here it is\n[a](gone.md#x) [b](../README.md#documentation) [c](https://host/x) [d](#here-it-is) [e](#there) `[f](code.md)`\n```\n[g](f.md)\n```\n[h](../README.md#gone)';
    expect(deadLinks(text, 'docs/a.md')).toEqual(['gone.md#x', '#there', '../README.md#gone']);
  });
});

describe('ARCHITECTURE.md', () => {
  /** Paths in backticks that exist neither in the checkout nor in src. */
  function missingPaths(text: string): string[] {
    const paths = [...text.matchAll(/`([\w./-]+\/[\w.-]*)`/g)].map((match) => match[1] ?? '');
    const exists = (name: string) =>
      ['', 'src'].some((folder) => fs.existsSync(path.join(root, folder, name)));
    return paths.filter((name) => !exists(name));
  }

  test('names files and folders that exist', () => {
    expect(read('ARCHITECTURE.md')).toContain('`sql/read/order-by.ts`');
    expect(missingPaths(read('ARCHITECTURE.md'))).toEqual([]);
  });

  test('a missing file is found', () => {
    const text = '`base/fault.ts` `base/fult.ts` `test/walk` `sql/` `sqll/` `$metadata`';
    expect(missingPaths(text)).toEqual(['base/fult.ts', 'sqll/']);
  });
});
