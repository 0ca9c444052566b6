// This file creates hundreds of requests for one workgroup in four processes at once. Its six members get as many each; one who goes on leave
// gets none from then on.
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, logIn, makeKillable, type Serving } from './killable.ts';

const MEMBERS = 6;
const REQUESTS = sampleSize(120, 600);
const SHARE = REQUESTS / MEMBERS;
/** Requests at a time. */
const TOGETHER = 20;

let service: Killable;
let serving: Serving;
let token: string;
beforeAll(async () => {
  service = makeKillable();
  serving = await service.serve('--workers', '4');
  token = await logIn(serving);
}, 120_000);
afterAll(() => {
  serving?.child.kill('SIGKILL');
  service.close();
});

/** The body of a successful answer. Each request has a connection of its own, so that the processes take turns. */
function ask(method: string, path: string, body?: object) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text ?? ''),
  };
  return new Promise<{ readonly Uid: number; readonly value: readonly { Count: number }[] }>(
    (resolve, reject) => {
      const hear = async (response: IncomingMessage) => {
        const all = Buffer.concat(await response.toArray()).toString();
        const { statusCode = 0 } = response;
        if (statusCode >= 300) reject(new Error(`${method} ${path}: ${statusCode} ${all}`));
        else resolve(all === '' ? {} : JSON.parse(all));
      };
      const agent = new Agent({ keepAlive: false });
      request(`${serving.origin}/odata/${path}`, { method, headers, agent }, hear)
        .once('error', reject)
        .end(text);
    },
  );
}

async function createRequests(count: number, group: number): Promise<void> {
  const Assignment = { AssigneeWorkgroup: { '@odata.id': `Workgroups(${group})` } };
  for (let done = 0; done < count; done += TOGETHER) {
    const some = Array.from({ length: TOGETHER }, () =>
      ask('POST', 'ServiceRequests', { Description: 'One of many', Assignment }),
    );
    await Promise.all(some);
  }
}

it('each member gets the same number, and one on leave none', async () => {
  const people: number[] = [];
  for (let index = 0; index < MEMBERS; index++)
    people.push((await ask('POST', 'Persons', { LastName: `Member ${index}` })).Uid);
  const Members = people.map((person) => ({ '@odata.id': `Persons(${person})` }));
  const body = { Name: 'Six', Autoassign: { Text: 'Round robin' }, Members };
  const { Uid: group } = await ask('POST', 'Workgroups', body);

  const counts = async () => {
    const all = [];
    for (const person of people) {
      const filter = encodeURIComponent(`Assignment/AssigneePerson/Uid eq ${person}`);
      const path = `ServiceRequests?$apply=filter(${filter})/aggregate($count%20as%20Count)`;
      all.push((await ask('GET', path)).value[0]?.Count ?? 0);
    }
    return all;
  };
  await createRequests(REQUESTS, group);
  expect(await counts()).toEqual(people.map(() => SHARE));

  const away = { OutOfOfficeUntil: new Date(Date.now() + 86_400_000).toISOString() };
  await ask('PATCH', `Persons(${people[2]})`, away);
  await createRequests(SHARE, group);
  const more = SHARE + SHARE / (MEMBERS - 1);
  expect(await counts()).toEqual([more, more, SHARE, more, more, more]);
}, 240_000);
