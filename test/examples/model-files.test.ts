// This file serves the model directory of docs/model-files.md, and runs the examples of that page in order.
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkModelFile, readModelRoles } from '../../src/cli/model-file.ts';
import { readModelFiles } from '../../src/cli/model-source.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { differsFrom, lacks, readExamples, readShown } from './read-pages.ts';

const PAGE = 'model-files.md';
const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
/** Blocks below a line that names their file. */
const files = [...page.matchAll(/^`([\w.-]+)`\n\n```(?:json|csv)\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);

describe(`docs/${PAGE}`, () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'docket-model-files-')), 'desk');
  let desk: Desk;
  beforeAll(async () => {
    mkdirSync(directory);
    for (const { name, text } of files) writeFileSync(join(directory, name), text);
    desk = await openDesk({ settings: { model: directory }, records: [] });
  });
  afterAll(async () => {
    await desk?.close();
    rmSync(path.dirname(directory), { recursive: true, force: true });
  });

  test('its files are a model without mistakes, which the page shows whole', () => {
    expect(files.map(({ name }) => name)).toEqual([
      'desk.csdl.json',
      'code-lists.csv',
      'codes.csv',
      'labels.csv',
      'roles.json',
    ]);
    expect(checkModelFile(directory).mistakes).toEqual([]);
    expect(readModelRoles(readModelFiles(directory)).map(({ name }) => name)).toContain('porter');
  });

  test.each(readExamples(PAGE))('$place $method $address', async (example) => {
    const { method, address, headers, body, answer } = example;
    const given = await desk.send(method, `/${address.replaceAll(' ', '%20')}`, {
      headers: Object.fromEntries(headers),
      ...(body === '' ? {} : { body: body.trim() }),
    });
    expect([given.status, given.status < 400 ? '' : given.text]).toEqual([answer.status, '']);
    for (const [name, value] of answer.headers)
      expect(differsFrom(value, String(given.headers[name]))).toBeUndefined();
    expect(lacks(readShown(answer.body.trim()), given.json)).toEqual([]);
  });

  test('the mistake that it shows is the one that is found', () => {
    const codes = files.find(({ name }) => name === 'codes.csv')?.text ?? '';
    writeFileSync(join(directory, 'codes.csv'), codes.replace('Floor,900003', 'Flor,900003'));
    const [found] = checkModelFile(directory).mistakes;
    const line = `error at ${found?.path}: ${found?.message} ${found?.remedy}`;
    expect(page).toContain(line);
  });
});
