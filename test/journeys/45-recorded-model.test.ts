// This file tries to alter what a model of one's own declares as recorded by the service (`Docket.Recorded`): entities of a set, reached
// by relations from either side, by actions, and of derived types with a condition of their own.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { change } from '../../src/store/work.ts';
import { statement } from '../database.ts';
import { binding } from '../define.ts';
import {
  actionOf,
  defineModel,
  entitySet,
  entityType,
  int64,
  many,
  one,
  text,
} from '../define-model.ts';
import { writeAll } from '../write-all.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

const model = defineModel({
  namespaces: [{ name: 'Court' }],
  types: [
    entityType(
      'Case',
      [
        int64('Id', { nullable: false, generated: { by: 'key' } }),
        text('Name'),
        many('Entries', 'Entry', { partner: 'Case' }),
      ],
      { key: ['Id'] },
    ),
    entityType(
      'Entry',
      [
        int64('Id', { nullable: false, generated: { by: 'key' } }),
        text('Source'),
        text('Text'),
        one('Case', 'Case', { partner: 'Entries', onDelete: 'cascade' }),
      ],
      { key: ['Id'], recorded: "Source eq 'service'" },
    ),
    entityType('Seal', [text('Mark')], { base: 'Entry', recorded: 'Mark ne null' }),
  ],
  sets: [entitySet('Cases', 'Case'), entitySet('Entries', 'Entry')],
  operations: [
    actionOf('Forge', [binding('Case')], {
      bound: true,
      effects: [
        { kind: 'create', in: '$root/Entries', values: { Source: "'service'", Case: '$it' } },
      ],
    }),
    actionOf('Rewrite', [binding('Case')], {
      bound: true,
      effects: [{ kind: 'change', rows: '$it/Entries', values: { Text: "'forged'" } }],
    }),
    actionOf('Burn', [binding('Case')], {
      bound: true,
      effects: [{ kind: 'delete', rows: '$it/Entries' }],
    }),
  ],
});

let own: Desk;
let kase: string;
let other: string;
let recorded: string;
let free: string;
beforeAll(async () => {
  own = await openForeignDesk(model, {});
});
afterAll(async () => await own?.close());

async function made(set: string, body: object): Promise<string> {
  const answer = await own.send('POST', `/${set}`, { body });
  expect(answer.status, answer.text).toBe(201);
  return `${set}(${answer.json.Id})`;
}

beforeEach(async () => {
  kase = await made('Cases', { Name: 'one' });
  other = await made('Cases', { Name: 'other' });
  free = await made('Entries', { Text: 'free', 'Case@odata.bind': kase });
  recorded = await made('Entries', { Text: 'kept', 'Case@odata.bind': kase });
  await writeAsService(recorded, `"Source" = 'service'`);
});

/** Clients cannot, so the database is written to. */
async function writeAsService(entry: string, setting: string): Promise<void> {
  const key = BigInt(/\((\d+)\)$/.exec(entry)?.[1] ?? 0);
  const text = statement(`UPDATE "Entries" SET ${setting} WHERE "Id" = ?`);
  await writeAll(own.installation.database, change(text, [key]));
}

async function all(): Promise<unknown> {
  return (await own.get('/Entries?$expand=Case&$orderby=Id')).json.value;
}

type Try = readonly [method: string, path: string, body?: unknown, headers?: object];

async function expectRefused(tries: readonly Try[], code: string): Promise<void> {
  const before = await all();
  for (const [method, path, body, headers = V401] of tries) {
    const answer = await own.send(method, `/${path}`, {
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const shown = `${method} ${path} ${JSON.stringify(body)} ${answer.text}`;
    expect([answer.status, answer.json?.error.code], shown).toEqual([403, code]);
    expect(await all(), shown).toEqual(before);
  }
}

const idOf = (path: string) => Number(/\((\d+)\)$/.exec(path)?.[1]);

describe('An entity that the model declares as recorded', () => {
  it('is not changed or deleted in its set', async () => {
    await expectRefused(
      [
        ['PATCH', recorded, { Text: 'forged' }],
        ['PATCH', recorded, { Source: null }],
        ['PUT', recorded, { Text: 'forged' }],
        ['PUT', `${recorded}/Source`, { value: 'me' }],
        ['DELETE', `${recorded}/Source`],
        ['DELETE', recorded],
        ['PATCH', 'Entries/$each', { Text: 'forged' }],
        ['DELETE', 'Entries/$each'],
        [
          'PATCH',
          'Entries',
          { '@context': '#$delta', value: [{ Id: idOf(recorded), Text: 'forged' }] },
        ],
        ['PUT', 'Entries', { value: [] }],
      ],
      'write.recorded',
    );
  });

  it('keeps its relations, from either side', async () => {
    const reference = (id: string) => ({ '@id': id });
    await expectRefused(
      [
        ['PUT', `${recorded}/Case/$ref`, reference(other)],
        ['DELETE', `${recorded}/Case/$ref`],
        ['PATCH', recorded, { 'Case@odata.bind': other }],
        ['POST', `${other}/Entries/$ref`, reference(recorded)],
        ['DELETE', `${kase}/Entries(${idOf(recorded)})/$ref`],
        ['DELETE', `${kase}/Entries/$ref?$id=${recorded}`],
        ['DELETE', `${kase}/Entries/$ref`],
        ['PUT', `${kase}/Entries/$ref`, { value: [reference(free)] }],
        ['PATCH', other, { 'Entries@odata.bind': [recorded] }],
        ['PATCH', kase, { Entries: [{ Id: idOf(recorded), Text: 'forged' }] }],
        ['PATCH', kase, { Entries: [{ Id: idOf(free) }] }],
        ['POST', 'Cases', { Name: 'new', 'Entries@odata.bind': [recorded] }],
        ['POST', 'Cases', { Name: 'new', Entries: [{ '@id': recorded }] }],
      ],
      'write.recorded',
    );
  });

  it('is not altered by actions either', async () => {
    await expectRefused(
      [
        ['POST', `${kase}/Court.Rewrite`, {}],
        ['POST', `${kase}/Court.Burn`, {}],
      ],
      'write.recorded',
    );
    await expectRefused([['POST', `${kase}/Court.Forge`, {}]], 'write.reserved');
  });

  it('is not created, and nothing becomes one', async () => {
    const forged = { Source: 'service', Text: 'forged' };
    await expectRefused(
      [
        ['POST', 'Entries', forged],
        ['POST', `${kase}/Entries`, forged],
        ['POST', 'Cases', { Entries: [forged] }],
        ['PATCH', kase, { 'Entries@delta': [forged] }],
        ['PATCH', 'Entries', { '@context': '#$delta', value: [forged] }],
        ['PATCH', free, { Source: 'service' }],
        ['PUT', `${free}/Source`, { value: 'service' }],
        ['PATCH', `${kase}/Entries/$filter(Source%20eq%20null)/$each`, { Source: 'service' }],
      ],
      'write.reserved',
    );
  });

  it('is deleted with the record around it', async () => {
    expect((await own.send('DELETE', `/${kase}`)).status).toBe(204);
    expect((await own.get(`/${recorded}`)).status).toBe(404);
  });

  it('of a derived type is read-only by the conditions of both types', async () => {
    const seal = { '@type': '#Court.Seal', Text: 'seal' };
    await expectRefused(
      [
        ['POST', 'Entries', { ...seal, Mark: 'x' }],
        ['POST', 'Entries', { ...seal, Source: 'service' }],
        ['POST', `${kase}/Entries`, { ...seal, Mark: 'x' }],
      ],
      'write.reserved',
    );
    const answer = await own.send('POST', '/Entries', { body: seal, headers: V401 });
    expect(answer.status, answer.text).toBe(201);
    const path = `Entries(${answer.json.Id})`;
    await expectRefused([['PATCH', `${path}/Court.Seal`, { Mark: 'x' }]], 'write.reserved');
    await writeAsService(path, `"Mark" = 'sealed'`);
    await expectRefused(
      [
        ['PATCH', path, { Text: 'forged' }],
        ['PATCH', `${path}/Court.Seal`, { Mark: null }],
        ['DELETE', path],
      ],
      'write.recorded',
    );
  });

  it('leaves all others as they were', async () => {
    const body = { Text: 'changed', Source: 'me', 'Case@odata.bind': other };
    expect((await own.send('PATCH', `/${free}`, { body })).status).toBe(204);
    const references = `/${other}/Entries/$ref`;
    const added = await own.send('POST', references, { body: { '@odata.id': free } });
    expect(added.status).toBe(204);
    expect((await own.send('DELETE', `/${other}/Entries(${idOf(free)})/$ref`)).status).toBe(204);
    expect((await own.send('DELETE', `/${free}`)).status).toBe(204);
  });
});
