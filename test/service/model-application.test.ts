// This file checks when an application of a model counts as interrupted, because the process that was applying it has ended.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  beginApplication,
  HANDOVER_SETTING,
  type ModelApplication,
  storeApplication,
} from '../../src/service/models/stored-application.ts';
import { writeSetting } from '../../src/store/installation-settings.ts';
import { kept } from '../../src/store/work.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const application: ModelApplication = {
  state: 'applying',
  version: 2,
  origin: 'upload of rooms.json',
  account: 'admin',
  started: '',
};

/** What is stored after an application that began so many seconds ago, and was announced last so many seconds ago. */
async function stateAfter(started: number, announced: number): Promise<string> {
  const { database } = desk.service;
  const ago = (seconds: number) => desk.service.world.now() - seconds * 1000;
  const begun = { ...application, started: new Date(ago(started)).toISOString() };
  await database.write(() => kept(storeApplication(begun)));
  await writeSetting(database, HANDOVER_SETTING, String(ago(announced)));
  return (await desk.get('/ModelInForce()')).json.LastApplication.State;
}

const begin = async () => {
  const { database, world } = desk.service;
  await database.write(() => kept(beginApplication(application, world.now())));
};

it('an application goes on as long as it is announced', async () => {
  expect(await stateAfter(58, 1)).toBe('applying');
  await expect(begin()).rejects.toMatchObject({ code: 'model.busy' });
  expect(await stateAfter(5, 600)).toBe('applying');
});

it('an application that has not been announced for 15 seconds is interrupted, and another one may begin', async () => {
  expect(await stateAfter(30, 16)).toBe('interrupted');
  await begin();
});
