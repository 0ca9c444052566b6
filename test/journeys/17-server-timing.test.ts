// Tests for the header Server-Timing, which reports where the time of a request went.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ settings: { anonymous: ['metadata'] } });
});
afterAll(async () => await desk?.close());

const timingOf = async (path: string, from: Pick<Desk, 'get'> = desk) =>
  (await from.get(path)).headers['server-timing'];

/** `plan database render total`, if all durations are numbers with one decimal. */
function namesIn(header: unknown): string {
  const metrics = [...String(header).matchAll(/(\w+);dur=\d+\.\d(?:, |$)/g)];
  expect(metrics.map(([metric]) => metric).join('')).toBe(header);
  return metrics.map(([, name]) => name).join(' ');
}

async function turn(isOn: boolean): Promise<void> {
  const body = { Value: JSON.stringify(isOn) };
  const { status } = await desk.send('PATCH', "/Settings('serverTiming')", { body });
  expect(status).toBe(204);
}

it('is absent unless the setting serverTiming is on', async () => {
  expect(await timingOf('/Persons')).toBeUndefined();
  await turn(true);
  expect(namesIn(await timingOf('/Persons?$top=2'))).toBe('plan database render total');
  await turn(false);
  expect(await timingOf('/Persons?$top=2')).toBeUndefined();
});

it('reports writes, errors and batches, and not the parts of a batch', async () => {
  await turn(true);
  const body = { Description: 'Timed' };
  const created = await desk.send('POST', '/ServiceRequests', { body });
  expect(namesIn(created.headers['server-timing'])).toBe('total');
  expect(namesIn(await timingOf('/Persons?$filter=Nam eq 1'))).toMatch(/total$/);
  const requests = [{ id: '1', method: 'GET', url: 'Persons?$top=1' }];
  const batch = await desk.send('POST', '/$batch', { body: { requests } });
  expect(namesIn(batch.headers['server-timing'])).toMatch(/total$/);
  expect(JSON.stringify(batch.json.responses[0].headers).toLowerCase()).not.toContain('timing');
});

it('is for signed-in clients only', async () => {
  await turn(true);
  expect(await timingOf('/$metadata', desk.as('anonymous'))).toBeUndefined();
  expect(await timingOf('/Persons', desk.as('anonymous'))).toBeUndefined();
  expect(namesIn(await timingOf('/Persons', desk.as('nobody')))).toMatch(/total$/);
});
