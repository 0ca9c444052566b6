// This file reads how the history names related entities in a model of one's own (`Docket.DisplayName`): by properties of any type, own
// or inherited, in sets that refer to themselves, and in relations that end because an entity is deleted.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  contained,
  defineModel,
  entitySet,
  entityType,
  int64,
  one,
  property,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const id = int64('Id', { nullable: false, generated: { by: 'key' } });

const model = defineModel({
  namespaces: [{ name: 'Stage' }],
  history: 'Log',
  types: [
    entityType('Named', [id, text('Title')], {
      key: ['Id'],
      abstract: true,
      displayName: 'Title',
    }),
    entityType('Play', [contained('Log', 'Entry')], { base: 'Named' }),
    entityType('Night', [id, property('Number', 'Edm.Decimal', { precision: 6, scale: 1 })], {
      key: ['Id'],
      displayName: 'Number',
    }),
    entityType('Hall', [id, text('Title')], { key: ['Id'] }),
    entityType(
      'Actor',
      [
        id,
        text('Name'),
        // Names of columns that the rows of plays have, too.
        text('Play'),
        one('Lead', 'Actor', { onDelete: 'set-null' }),
        contained('Log', 'Entry'),
      ],
      { key: ['Id'], displayName: 'Name' },
    ),
    entityType(
      'Part',
      [
        id,
        one('Play', 'Play', { onDelete: 'set-null' }),
        one('Lead', 'Actor', { onDelete: 'set-null' }),
        one('Night', 'Night', { onDelete: 'set-null' }),
        one('Hall', 'Hall', { onDelete: 'set-null' }),
        contained('Log', 'Entry'),
      ],
      { key: ['Id'] },
    ),
    entityType(
      'Entry',
      [
        id,
        text('Member', { computed: true, changePart: 'property' }),
        text('Before', { computed: true, changePart: 'before' }),
        text('After', { computed: true, changePart: 'after' }),
        text('Told', { computed: true, changePart: 'summary' }),
      ],
      { key: ['Id'] },
    ),
  ],
  sets: [
    entitySet('Plays', 'Play'),
    entitySet('Nights', 'Night'),
    entitySet('Halls', 'Hall'),
    entitySet('Actors', 'Actor'),
    entitySet('Parts', 'Part'),
  ],
});

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(model, {});
});
afterAll(async () => await desk?.close());

async function made(set: string, body: object): Promise<string> {
  const answer = await desk.send('POST', `/${set}`, { body });
  expect(answer.status, answer.text).toBe(201);
  return `${set}(${answer.json.Id})`;
}

async function succeeds(method: string, path: string, body?: object): Promise<void> {
  const answer = await desk.send(method, `/${path}`, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBe(204);
}

type Entry = Readonly<Record<'Member' | 'Before' | 'After', string | null>>;

async function log(path: string): Promise<readonly (readonly (string | null)[])[]> {
  const { json } = await desk.get(`/${path}/Log?$orderby=Id`);
  return json.value.map(({ Member, Before, After }: Entry) => [Member, Before, After]);
}

it('entities are named by their display name, own or inherited, of any type', async () => {
  const play = await made('Plays', { Title: "Macbeth's end" });
  const lead = await made('Actors', { Name: 'Ellen Terry', Play: 'None' });
  const night = await made('Nights', { Number: 12.5 });
  const part = await made('Parts', {});
  await succeeds('PATCH', part, { 'Play@odata.bind': play });
  await succeeds('PATCH', part, { 'Lead@odata.bind': lead });
  await succeeds('PATCH', part, { 'Night@odata.bind': night });
  await succeeds('DELETE', `${part}/Lead/$ref`);
  expect(await log(part)).toEqual([
    ['Play', null, "Macbeth's end"],
    ['Lead', null, 'Ellen Terry'],
    ['Night', null, '12.5'],
    ['Lead', 'Ellen Terry', null],
  ]);
});

it('each change is shown in one text, which is whole where the member has no length', async () => {
  const title = 'x'.repeat(300);
  const play = await made('Plays', { Title: title });
  const part = await made('Parts', {});
  await succeeds('PATCH', part, { 'Play@odata.bind': play });
  await succeeds('DELETE', play);
  const { json } = await desk.get(`/${part}/Log?$orderby=Id`);
  const told = json.value.map(({ Told }: { Told: string }) => Told);
  expect(told).toEqual([`Play: – → ${title}`, `Play: ${title} → –`]);
});

it('entities without a display name, or without one declared, are named by their key', async () => {
  const nameless = await made('Actors', { Play: 'None' });
  const hall = await made('Halls', { Title: 'Lyceum' });
  const part = await made('Parts', {});
  await succeeds('PATCH', part, { 'Lead@odata.bind': nameless });
  await succeeds('PATCH', part, { 'Hall@odata.bind': hall });
  const keyOf = (path: string) => /\d+/.exec(path)?.[0];
  expect(await log(part)).toEqual([
    ['Lead', null, keyOf(nameless)],
    ['Hall', null, keyOf(hall)],
  ]);
});

it('a deleted entity is named in each record that referred to it', async () => {
  const lead = await made('Actors', { Name: 'Henry Irving', Play: 'None' });
  const other = await made('Actors', { Name: 'Other' });
  const actors = [
    await made('Actors', { 'Lead@odata.bind': lead, Name: 'A', Play: 'x' }),
    await made('Actors', { 'Lead@odata.bind': lead, Name: 'B' }),
  ];
  const parts = [
    await made('Parts', { 'Lead@odata.bind': lead }),
    await made('Parts', { 'Lead@odata.bind': lead }),
  ];
  const untouched = await made('Parts', { 'Lead@odata.bind': other });
  await succeeds('DELETE', lead);
  for (const path of [...actors, ...parts])
    expect(await log(path), path).toEqual([['Lead', 'Henry Irving', null]]);
  expect(await log(untouched)).toEqual([]);
  const play = await made('Plays', { Title: 'Faust' });
  const part = await made('Parts', { 'Play@odata.bind': play });
  await succeeds('DELETE', play);
  expect(await log(part)).toEqual([['Play', 'Faust', null]]);
});

it('a rename changes the record, not its history', async () => {
  const lead = await made('Actors', { Name: 'Miss Terry' });
  const part = await made('Parts', {});
  await succeeds('PATCH', part, { 'Lead@odata.bind': lead });
  await succeeds('PATCH', lead, { Name: 'Dame Terry' });
  await succeeds('PATCH', part, { 'Lead@odata.bind': null });
  expect(await log(part)).toEqual([
    ['Lead', null, 'Miss Terry'],
    ['Lead', 'Dame Terry', null],
  ]);
  expect(await log(lead)).toEqual([['Name', 'Miss Terry', 'Dame Terry']]);
});
