// This file tries every pair of statuses of every entity in every mode, and compares what happens with the table of the contract. Where
// everything is permitted, most runs try a part.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk } from './desk.ts';
import {
  COURSES,
  type Course,
  joinWorker,
  permitted,
  setModes,
  type Values,
} from './workflow-table.ts';

type Client = Pick<Desk, 'send'>;

let desk: Desk;
let worker: Client;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7) });
  worker = await joinWorker(desk);
});
afterAll(async () => await desk?.close());

/** A record in each status, created while everything is allowed. */
async function recordsOf({ set, create, statuses }: Course): Promise<ReadonlyMap<string, string>> {
  await setModes(desk, 'off');
  const records = new Map<string, string>();
  for (const status of statuses) {
    const body = { ...create, Status: { Text: status } };
    const { json, text } = await desk.send('POST', `/${set}`, { body });
    expect(json.Uid, text).toBeDefined();
    records.set(status, `/${set}(${json.Uid})`);
  }
  return records;
}

/** Tries the change without storing it. */
async function attempt(client: Client, path: string, status: string, values: Values) {
  return await client.send('PATCH', path, {
    headers: { Prefer: 'dry-run' },
    body: { ...values, Status: { Text: status } },
  });
}

/** Those of the pairs `From > To` that the service accepts. */
async function acceptedBy(
  client: Client,
  { needs, besides = {} }: Course,
  records: ReadonlyMap<string, string>,
  pairs: readonly string[],
): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (const pair of pairs) {
    const [from = '', to = ''] = pair.split(' > ');
    const values = { ...needs[to], ...besides[pair] };
    const answer = await attempt(client, records.get(from) ?? '', to, values);
    if (answer.status === 204) accepted.push(pair);
    else expect([answer.status, answer.json.error.code]).toEqual([409, 'workflow.transition']);
  }
  return accepted.sort();
}

const pairsOf = ({ statuses }: Course) =>
  statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => `${from} > ${to}`));

/** Where every pair is accepted, a part of them is enough for most runs. */
const sampleOf = (course: Course) =>
  pairsOf(course).filter((_, index) => index % sampleSize(3, 1) === 0);

describe.each(Object.entries(COURSES))('The status of %s', (_, course) => {
  let records: ReadonlyMap<string, string>;
  beforeAll(async () => {
    records = await recordsOf(course);
  });

  it.each(['advise', 'off'].slice(0, sampleSize(1, 2)))(
    'may become any other in the mode %s',
    async (mode) => {
      await setModes(desk, mode);
      const pairs = sampleOf(course);
      expect(await acceptedBy(worker, course, records, pairs)).toEqual(pairs.toSorted());
    },
  );

  it('follows the table in the mode enforce', async () => {
    await setModes(desk, 'enforce');
    const table = [...permitted(course)];
    const everybody = table.flatMap(([pair, taker]) => (taker === 'everybody' ? [pair] : []));
    const pairs = pairsOf(course);
    const all = table.map(([pair]) => pair).sort();
    expect(await acceptedBy(worker, course, records, pairs)).toEqual(everybody.sort());
    expect(await acceptedBy(desk, course, records, pairs)).toEqual(all);
  });

  it('stays what it is in the mode enforce', async () => {
    await setModes(desk, 'enforce');
    for (const [status, path] of records) {
      const { status: code, text } = await attempt(worker, path, status, {});
      expect(code, text).toBe(204);
    }
  });

  it('is an initial one in the mode enforce', async () => {
    await setModes(desk, 'enforce');
    const initial: string[] = [];
    for (const status of course.statuses) {
      const { set, create, needs } = course;
      const body = { ...create, ...needs[status], Status: { Text: status } };
      const answer = await worker.send('POST', `/${set}`, { headers: { Prefer: 'dry-run' }, body });
      if (answer.status === 201) initial.push(status);
      else expect(answer.json.error.code, answer.text).toBe('workflow.initial');
    }
    const expected =
      course.set === 'EmailServiceRequests' ? ['New', 'Error'] : [course.statuses[0]];
    expect(initial).toEqual(expected);
  });
});
