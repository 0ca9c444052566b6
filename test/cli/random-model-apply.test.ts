// This file applies random changes of random models to installations with records: by `docket model apply`, and back by `docket model
// rollback`. Each time the service responds like a new installation of that model with the values that survive.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { type ServiceClient, withService } from '../../src/cli/in-process-client.ts';
import { missingServer } from '../postgres/binaries.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { sampleSize } from '../sample-size.ts';
import {
  modelText,
  type RandomModel,
  type RandomSet,
  randomModels,
  setsIn,
} from './random-models.ts';
import { docketHere } from './run-docket.ts';

/** Each run makes three installations. The environment variable TEST_ALL permits more of them. */
const RUNS = { SQLite: sampleSize(4, 40), PostgreSQL: sampleSize(1, 10) };
type DatabaseKind = keyof typeof RUNS;
const DATABASES: readonly DatabaseKind[] =
  missingServer === undefined ? ['SQLite', 'PostgreSQL'] : ['SQLite'];

interface Place {
  readonly docket: (...words: readonly string[]) => Promise<void>;
  readonly serve: <Result>(work: (client: ServiceClient) => Promise<Result>) => Promise<Result>;
  readonly remove: () => Promise<void>;
}

/** An enabled installation of the model in a file. */
async function install(kind: DatabaseKind, folder: string, model: string): Promise<Place> {
  const data = mkdtempSync(join(folder, 'data-'));
  const url = kind === 'PostgreSQL' ? await postgresUrl() : undefined;
  const environment = {
    DOCKET_ADMIN_PASSWORD: 'correct horse battery',
    ...(url === undefined ? {} : { DOCKET_DATABASE: url }),
  };
  const docket: Place['docket'] = async (...words) => {
    const { code, err } = await docketHere([...words, '--data', data], environment);
    expect([words[0], code, err]).toEqual([words[0], 0, '']);
  };
  await docket('init', '--admin', 'ada', '--model', model);
  await docket('enable');
  return {
    docket,
    serve: async (work) => await withService({ config: readConfig({ data }, environment) }, work),
    remove: async () => (url === undefined ? undefined : await dropDatabase(url)),
  };
}

async function fill({ send }: ServiceClient, sets: readonly RandomSet[]): Promise<void> {
  for (const { name, records } of sets)
    for (const record of records) await send('POST', name, record);
  for (const { name, relations } of sets)
    for (const { id, body } of relations) await send('PATCH', `${name}(${id})`, body);
}

/** What the service returns for each set: its records in several ways, and a record that is created and removed. */
async function responsesOf({ send }: ServiceClient, sets: readonly RandomSet[]) {
  const responses: unknown[] = [await send('GET', '$metadata?$format=json')];
  for (const { name, isSearchable, properties } of sets) {
    const queries = [
      '$expand=*&$count=true&$orderby=Id',
      ...(isSearchable ? ['$search=value&$orderby=Id', '$search="value 1"&$orderby=Id'] : []),
      ...properties.map((one) => `$select=${one}&$orderby=Id desc`),
    ];
    for (const query of queries) responses.push([query, await send('GET', `${name}?${query}`)]);
    responses.push(await send('POST', name, { Id: 99 }));
    await send('DELETE', `${name}(99)`);
  }
  return withoutEtags(responses);
}

/** ETags depend on how a record came about. */
const withoutEtags = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, one) => (name.endsWith('@odata.etag') ? undefined : one)),
  );

async function change(kind: DatabaseKind, model: RandomModel): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'docket-random-'));
  const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
  writeFileSync(first, modelText(model, 'first'));
  writeFileSync(second, modelText(model, 'second'));
  const places: Place[] = [];
  const place = async (file: string) => {
    const made = await install(kind, folder, file);
    places.push(made);
    return made;
  };
  const expectLikeNew = async (changed: Place, file: string, state: 'second' | 'restored') => {
    const sets = setsIn(model, state);
    const expected = await (await place(file)).serve(async (client) => {
      await fill(client, sets);
      return await responsesOf(client, sets);
    });
    const found = await changed.serve(async (client) => await responsesOf(client, sets));
    expect(found).toEqual(expected);
  };
  try {
    const changed = await place(first);
    await changed.serve(async (client) => await fill(client, setsIn(model, 'first')));
    await changed.docket('model', 'apply', second, '--allow-loss');
    await expectLikeNew(changed, second, 'second');
    await changed.docket('model', 'rollback', '1', '--allow-loss');
    await expectLikeNew(changed, first, 'restored');
  } finally {
    for (const { remove } of places) await remove();
    rmSync(folder, { recursive: true });
  }
}

describe.each(DATABASES)('with %s', (kind) => {
  it('a changed model is served like a new installation, and so is the restored one', async () => {
    const property = fc.asyncProperty(randomModels, async (model) => await change(kind, model));
    // Shrinking would take minutes: the counterexample is reported as it is.
    await fc.assert(property, { numRuns: RUNS[kind], endOnFailure: true });
  }, 600_000);
});
