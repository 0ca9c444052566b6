// This file serves the model of docs/models.md with the records of that page, and runs its examples in order.
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJson } from '../../src/service/json-body.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { differsFrom, lacks, readExamples, readShown } from './read-pages.ts';

const PAGE = 'models.md';
const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
const [model = '', records = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  (match) => match[1] ?? '',
);

describe(`docs/${PAGE}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'docket-models-'));
  let desk: Desk;
  beforeAll(async () => {
    const file = join(directory, 'library.csdl.json');
    writeFileSync(file, model);
    const document = readJson(Buffer.from(records));
    desk = await openDesk({ settings: { model: file }, records: [], document });
  });
  afterAll(async () => {
    await desk?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each(readExamples(PAGE))('$place $method $address', async (example) => {
    const { method, address, headers, body, answer } = example;
    const given = await desk.send(method, `/${address.replaceAll(' ', '%20')}`, {
      headers: Object.fromEntries(headers),
      ...(body === '' ? {} : { body: body.trim() }),
    });
    expect([given.status, given.status < 400 || answer.status >= 400 ? '' : given.text]).toEqual([
      answer.status,
      '',
    ]);
    for (const [name, value] of answer.headers)
      expect(differsFrom(value, String(given.headers[name]))).toBeUndefined();
    const shown = answer.body.trim();
    expect(
      shown === '' ? [given.text].filter(Boolean) : lacks(readShown(shown), given.json),
    ).toEqual([]);
  });

  test('an alternate key addresses an entity that exists, and references name it', async () => {
    const byCard = "Readers(CardNumber='R-18')";
    const body = { Id: 40, Title: 'Evelina', Reader: { '@odata.id': byCard } };
    const made = await desk.send('POST', '/Books?$expand=Reader', { body });
    expect(made.json).toMatchObject({ Reader: { Id: 1 } });
    const reference = await desk.get(`/${byCard}/$ref`);
    expect(reference.json['@odata.id']).toBe(`${desk.root}Readers(1)`);
    for (const method of ['PUT', 'PATCH'] as const) {
      const missing = await desk.send(method, "/Readers(CardNumber='R-99')", {
        body: { Name: 'X' },
      });
      expect([missing.status, missing.json.error.code]).toEqual([404, 'write.not-found']);
    }
    for (const Id of [50, 51]) {
      const without = await desk.send('POST', '/Readers', { body: { Id, Name: 'No card' } });
      expect([without.status, without.json.CardNumber]).toEqual([201, null]);
    }
  });

  test('a change of an entity with a key of the client need be complete only where it makes it', async () => {
    const change = async (path: string, body: object) => await desk.send('PATCH', path, { body });
    expect((await change('/Books(1)', { Stars: 4 })).status).toBe(204);
    const lacking = await change('/Books(99)', { Stars: 4 });
    expect([lacking.status, lacking.json.error.details[0].target]).toEqual([400, 'Title']);
    const made = await change('/Books(99)', { Title: 'Persuasion' });
    expect([made.status, made.headers.location]).toEqual([201, `${desk.root}Books(99)`]);
  });
});
