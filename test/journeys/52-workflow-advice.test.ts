// This file compares what the mode advise reports with what the mode enforce rejects, on every way to change a status.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authDatabase } from '../../src/auth/database.ts';
import { removeOldAdvice } from '../../src/service/write/workflow-advice.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { COURSES, type Course, joinWorker, setModes, type Values } from './workflow-table.ts';

const FULL = { Accept: 'application/json;odata.metadata=full', Prefer: 'return=representation' };
const V401 = { 'OData-Version': '4.01' };

interface Row {
  readonly Day: string;
  readonly Entity: string;
  readonly From: string | null;
  readonly To: string | null;
  readonly Reason: string;
  readonly Count: number;
}

let desk: Desk;
let worker: Pick<Desk, 'get' | 'send'>;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7) });
  worker = await joinWorker(desk);
});
afterAll(async () => await desk?.close());

async function report(options = ''): Promise<readonly Row[]> {
  const { status, json, text } = await desk.get(`/WorkflowReport()${options}`);
  expect(status, text).toBe(200);
  return json.value;
}

/** The number of reported changes. The report has pages. */
async function total(): Promise<number> {
  const { json, text } = await desk.get(
    '/WorkflowReport()?$apply=aggregate(Count with sum as All)',
  );
  expect(json.value, text).toHaveLength(1);
  return json.value[0].All ?? 0;
}

// ---- ways to change a status ----------------------------------------------------------------------------------------

/** A change of a record, and the record above it for deep updates. */
interface Change {
  readonly path: string;
  readonly parent: string;
  readonly body: Values;
}

const WAYS: Readonly<Record<string, (change: Change) => Promise<number>>> = {
  PATCH: async ({ path, body }) => (await worker.send('PATCH', path, { body })).status,
  Transition: async ({ path, body: { Status, ...rest } }) => {
    const { 'HistoryLines@delta': notes, ...Values } = rest;
    const comment = notes === undefined ? {} : { Comment: 'It is broken again' };
    const body = { To: (Status as { readonly Text: string }).Text, Values, ...comment };
    return (await worker.send('POST', `${path}/Transition`, { body })).status;
  },
  'a batch': async ({ path, body }) => {
    const headers = { 'content-type': 'application/json' };
    const requests = [{ id: '1', method: 'PATCH', url: path.slice(1), headers, body }];
    const { json } = await worker.send('POST', '/$batch', { body: { requests } });
    return json.responses[0].status;
  },
  'a deep update': async ({ path, parent, body }) => {
    const nested = { 'Workorders@delta': [{ '@odata.id': path.slice(1), ...body }] };
    const how = { headers: V401, body: nested };
    return (await worker.send('PATCH', parent, how)).status;
  },
};

const CASES = fc
  .constantFrom('ServiceRequests', 'Workorders')
  .chain((set) => {
    const course = Object.values(COURSES).find((one) => one.set === set) as Course;
    const deep = set === 'Workorders' ? Object.keys(WAYS) : ['PATCH', 'Transition', 'a batch'];
    return fc.record({
      course: fc.constant(course),
      from: fc.constantFrom(...course.statuses),
      to: fc.constantFrom(...course.statuses),
      isComplete: fc.boolean(),
      way: fc.constantFrom(...deep),
    });
  })
  .filter(({ from, to }) => from !== to);

type Case = typeof CASES extends fc.Arbitrary<infer One> ? One : never;

async function made({ course, from }: Case): Promise<Pick<Change, 'path' | 'parent'>> {
  const made = await desk.send('POST', '/ServiceRequests', { body: { Description: 'Parent' } });
  const parent = `/ServiceRequests(${made.json.Uid})`;
  const above =
    course.set === 'Workorders' ? { ServiceRequest: { '@odata.id': parent.slice(1) } } : {};
  const body = { ...course.create, ...above, Status: { Text: from } };
  const { json, text } = await desk.send('POST', `/${course.set}`, { body });
  expect(json.Uid, text).toBeDefined();
  return { path: `/${course.set}(${json.Uid})`, parent };
}

function bodyOf({ course, from, to, isComplete }: Case): Values {
  const needs = { ...course.needs[to], ...course.besides?.[`${from} > ${to}`] };
  return { ...(isComplete ? needs : {}), Status: { Text: to } };
}

describe('A workflow that advises', () => {
  it('reports exactly the requests that an enforced one rejects', async () => {
    const cases = fc.sample(CASES, 60);
    await setModes(desk, 'off');
    const pairs: (readonly [Case, first: Change, second: Change])[] = [];
    for (const one of cases) {
      const body = bodyOf(one);
      pairs.push([one, { ...(await made(one)), body }, { ...(await made(one)), body }]);
    }
    await setModes(desk, 'advise');
    const predictions: boolean[] = [];
    for (const [{ way }, first] of pairs) {
      const before = await total();
      expect(await WAYS[way]?.(first)).toBeLessThan(300);
      predictions.push((await total()) > before);
    }
    await setModes(desk, 'enforce');
    for (const [index, [{ course, from, to, way }, , second]] of pairs.entries()) {
      const about = `${course.set}: ${from} > ${to} by ${way}`;
      expect([about, await WAYS[way]?.(second)]).toEqual([
        about,
        predictions[index] === true ? 409 : expect.toSatisfy((status: number) => status < 300),
      ]);
    }
    expect(new Set(predictions)).toEqual(new Set([true, false]));
  });

  it('counts by day, states and everything that is missing', async () => {
    await setModes(desk, 'advise');
    const count = async (): Promise<number> => {
      const [row] = await report(
        "?$filter=Entity eq 'Problem' and From eq 'REGISTERED' and To eq 'CLOSED' and Reason eq 'workflow.transition'",
      );
      return row?.Count ?? 0;
    };
    const before = await count();
    for (const Description of ['One', 'Two']) {
      const { json } = await worker.send('POST', '/Problems', { body: { Description } });
      await worker.send('PATCH', `/Problems(${json.Uid})`, {
        body: { Status: { Text: 'Closed' } },
      });
    }
    expect(await count()).toBe(before + 2);
    const { json } = await desk.get(
      "/WorkflowReport()?$apply=filter(Reason eq 'workflow.transition' and Entity eq 'Problem')/groupby((Day),aggregate(Count with sum as All))",
    );
    expect(json.value).toMatchObject([{ Day: '2026-03-31', All: before + 2 }]);
  });

  it('shows what is missing in responses that include annotations', async () => {
    await setModes(desk, 'advise');
    const created = await worker.send('POST', '/ServiceRequests', {
      body: { Description: 'Printer' },
    });
    const path = `/ServiceRequests(${created.json.Uid})`;
    const patch = async (headers: Readonly<Record<string, string>>, text: string) =>
      await worker.send('PATCH', path, { headers, body: { Status: { Text: text } } });
    const advice = ({ json }: DeskAnswer) => json['@Docket.Advice'];

    const shown = await patch(FULL, 'In progress');
    expect(shown.json.Status.Text).toBe('In progress');
    expect(advice(shown)).toEqual([
      {
        code: 'workflow.required',
        target: 'Assignment/AssigneePerson',
        message:
          'The Status In progress (IN_PROGRESS) requires a value of "Assignment/AssigneePerson".',
      },
      expect.objectContaining({ code: 'workflow.next' }),
    ]);
    const asked = { Prefer: 'return=representation, include-annotations="Docket.*"' };
    expect(advice(await patch(asked, 'Resolved'))).toHaveLength(3);
    const others = { ...FULL, Prefer: 'return=representation, include-annotations="Core.*"' };
    expect(advice(await patch(others, 'Registered'))).toBeUndefined();
    expect(advice(await patch({ Prefer: 'return=representation' }, 'Closed'))).toBeUndefined();
  });

  it('reports nothing about permitted changes, dry runs and the mode off', async () => {
    await setModes(desk, 'advise');
    const before = await total();
    const created = await worker.send('POST', '/ServiceRequests', {
      body: { Description: 'Printer' },
    });
    const path = `/ServiceRequests(${created.json.Uid})`;
    const close = { Status: { Text: 'Closed' } };
    const dry = await worker.send('PATCH', path, { headers: { Prefer: 'dry-run' }, body: close });
    expect(dry.status).toBe(204);
    await setModes(desk, 'off');
    expect((await worker.send('PATCH', path, { body: close })).status).toBe(204);
    expect(await total()).toBe(before);
  });

  it('reports to administrators only, about 30 days', async () => {
    expect((await worker.get('/WorkflowReport()')).status).toBe(403);
    const { world } = desk.service;
    const database = authDatabase(desk.service.database);
    const day = 24 * 3600 * 1000;
    await removeOldAdvice(database, world.now() + 30 * day);
    expect(await total()).toBeGreaterThan(0);
    await removeOldAdvice(database, world.now() + 31 * day);
    expect(await report()).toEqual([]);
  });
});
