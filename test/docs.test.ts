// This file keeps the written pages true: their links lead somewhere, the page of errors lists exactly the codes that
// exist, and the notes of a room name each of its files.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../src/base/fault.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const notOurs = new Set(['node_modules', 'dist', 'dist.new', 'data', '.git']);

function filesUnder(folder: string): string[] {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesUnder(file);
    return [file];
  });
}

const pages = filesUnder('.').filter((file) => file.endsWith('.md'));

/** Targets of relative links in a Markdown text that lead to no file, seen from a folder of the checkout. */
function deadLinks(text: string, folder: string): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const isRelative = (target: string) => !/^([a-z]+:|#)/i.test(target);
  const exists = (target: string) =>
    fs.existsSync(path.join(root, folder, decodeURIComponent(target.replace(/#.*/, ''))));
  return targets.filter((target) => isRelative(target) && !exists(target));
}

describe('links', () => {
  test('there are pages to look at', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/errors.md']),
    );
  });

  test.each(pages)('every relative link of %s leads to a file', (page) => {
    expect(deadLinks(read(page), path.dirname(page))).toEqual([]);
  });

  test('a dead link is found, other addresses and code are left alone', () => {
    const text =
      '[a](gone.md#x) [b](../README.md#x) [c](https://host/x) [d](#here) `[e](code.md)`\n```\n[f](f.md)\n```';
    expect(deadLinks(text, 'docs')).toEqual(['gone.md#x']);
  });
});

describe('docs/errors.md (made by "npm run docs")', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([^`]+)` \| (\d+) \| (.*) \|$/gm)];
  const written = rows.map(([, code, status, message]) => ({
    code,
    status: Number(status),
    message,
  }));
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

  test('lists every code of FAULTS and no other', () => {
    expect(written.map((row) => row.code).sort()).toEqual(Object.keys(FAULTS).sort());
  });

  test('says of each code the status and the message that clients get', () => {
    const faults = Object.entries(FAULTS).map(([code, { status, message }]) => ({
      code,
      status,
      message: cell(message),
    }));
    expect(written).toEqual(expect.arrayContaining(faults));
  });
});

test('each source file is named in the README of its folder, or of the nearest parent that has one', () => {
  const sources = filesUnder('src').filter((file) => file.endsWith('.ts'));
  const unnamed = sources.filter((file) => {
    let folder = path.dirname(file);
    while (!pages.includes(path.join(folder, 'README.md'))) folder = path.dirname(folder);
    return !read(path.join(folder, 'README.md')).includes(path.basename(file, '.ts'));
  });
  expect(unnamed).toEqual([]);
});
