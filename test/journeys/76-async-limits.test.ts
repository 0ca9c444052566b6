// This file stores more responses for later than there may be: of deferred requests, and of repeatable ones.
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';

const LATER = { prefer: 'respond-async' };
const CURRENT = { 'odata-maxversion': '4.01' };

let desk: Desk;
afterEach(async () => await desk.close());

const open = async (limits: Readonly<Record<string, number>>) => {
  desk = await openDesk({ settings: { limits } });
};

type Asking = Pick<Desk, 'get' | 'send'>;

async function allEnded(): Promise<void> {
  const waiting = 'SELECT count(*) FROM docket_job WHERE status IS NULL';
  for (let attempts = 0; attempts < 2000; attempts++) {
    const [row] = await desk.installation.database.read(waiting, []);
    if (row?.[0] === 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the requests do not come to an end');
}

/** Has a request answered later, and gives its monitor. */
async function defer(who: Asking, path: string): Promise<string> {
  const { status, headers } = await who.get(path, LATER);
  expect(status).toBe(202);
  await allEnded();
  return String(headers.location);
}

const statusesOf = async (who: Asking, monitors: readonly string[]) => {
  const statuses = [];
  for (const monitor of monitors) statuses.push((await who.get(monitor, CURRENT)).status);
  return statuses;
};

/** Rows of the table of that name. */
const rowsOf = async (table: string) => {
  const [row] = await desk.installation.database.read(`SELECT count(*) FROM ${table}`, []);
  return Number(row?.[0]);
};

/** Responses as they are counted: entries and bytes of all accounts. */
const counted = async (kind: string) => {
  const usage = `SELECT entries, bytes FROM docket_stored_response WHERE kind = '${kind}' AND account = 0`;
  return (await desk.installation.database.read(usage, [])).flat().map(Number);
};

describe('Responses to deferred requests', () => {
  it('of one account are as many as the setting permits: the oldest go first, those of others stay', async () => {
    await open({ accountAsyncResults: 3 });
    const other = await defer(desk.as('nobody'), '/Workgroups');
    const monitors = [];
    for (let number = 0; number < 5; number++) monitors.push(await defer(desk, '/Workgroups'));
    expect(await statusesOf(desk, monitors)).toEqual([404, 404, 200, 200, 200]);
    expect(await statusesOf(desk.as('nobody'), [other])).toEqual([200]);
    expect([await rowsOf('docket_job'), (await counted('deferred'))[0]]).toEqual([4, 4]);
    await desk.send('DELETE', String(monitors[4]));
    expect((await counted('deferred'))[0]).toBe(3);
    expect(await counted('waiting')).toEqual([0, 0]);
  });

  it('of all accounts together are as many as the setting permits', async () => {
    await open({ asyncResults: 2 });
    const [first, second] = [await defer(desk, '/Workgroups'), await defer(desk, '/Workgroups')];
    const third = await defer(desk.as('nobody'), '/Workgroups');
    expect(await statusesOf(desk, [first, second])).toEqual([404, 200]);
    expect(await statusesOf(desk.as('nobody'), [third])).toEqual([200]);
  });

  /** About 300 KB. */
  const large = async () => {
    for (let number = 0; number < 3; number++)
      await desk.send('POST', '/Incidents', {
        body: { Description: 'large', Information: 'x'.repeat(100_000) },
      });
    return "/Incidents?$filter=Description eq 'large'";
  };

  it('of one account take no more megabytes than the setting permits', async () => {
    await open({ accountAsyncMegabytes: 1 });
    const path = await large();
    const monitors = [];
    for (let number = 0; number < 5; number++) monitors.push(await defer(desk, path));
    const statuses = await statusesOf(desk, monitors);
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 200]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect((await counted('deferred'))[1]).toBeLessThan(1_048_576);
  });

  it('that are too large by themselves are replaced by what became of the request', async () => {
    await open({ accountAsyncMegabytes: 1 });
    await large();
    await large();
    await large();
    await large();
    const kept = await defer(desk, '/Workgroups');
    const monitor = await defer(desk, "/Incidents?$filter=Description eq 'large'");
    const { headers, json } = await desk.get(monitor, CURRENT);
    expect([headers.asyncresult, json.error.code]).toEqual(['507', 'async.too-large']);
    expect(json.error.message).toContain('limits.accountAsyncMegabytes');
    expect(json.error.message).toContain('status 200');
    expect(await statusesOf(desk, [kept])).toEqual([200]);
  });
});

describe('Responses to repeatable requests', () => {
  let keys = 0;
  const create = async (
    headers: Readonly<Record<string, string>>,
    who: Asking = desk,
  ): Promise<DeskAnswer> => {
    const answer = await who.send('POST', '/Incidents', {
      headers: { prefer: 'return=minimal', ...headers },
      body: { Description: 'repeatable' },
    });
    return answer;
  };
  const keyed = () => ({ 'idempotency-key': `limited-${++keys}` });
  const locations = async (requests: readonly Readonly<Record<string, string>>[], who?: Asking) => {
    const found = [];
    for (const one of requests) found.push((await create(one, who)).headers.location);
    return found;
  };

  it('of one account are as many as the setting permits: the newest are still recognized', async () => {
    await open({ accountRepeatEntries: 3 });
    const other = keyed();
    const [before] = await locations([other], desk.as('nobody'));
    const requests = [keyed(), keyed(), keyed(), keyed(), keyed()];
    const first = await locations(requests);
    expect(await locations(requests.slice(2))).toEqual(first.slice(2));
    expect(await locations([other], desk.as('nobody'))).toEqual([before]);
    expect([await rowsOf('docket_repeat'), (await counted('repeatable'))[0]]).toEqual([4, 4]);
  });

  it('of all accounts together are as many as the setting permits', async () => {
    await open({ repeatEntries: 2 });
    const requests = [keyed(), keyed()];
    const first = await locations(requests);
    await create(keyed(), desk.as('nobody'));
    expect(await locations(requests.slice(1))).toEqual(first.slice(1));
    expect(await rowsOf('docket_repeat')).toBe(2);
  });

  it('are never forgotten unnoticed where the request says when it was first sent', async () => {
    await open({ accountRepeatEntries: 2 });
    const sentAt = (seconds: number) => ({
      'repeatability-request-id': `sent-${++keys}`,
      'repeatability-first-sent': new Date(Date.now() + seconds * 1000).toUTCString(),
    });
    const requests = [sentAt(5), sentAt(10), sentAt(15)];
    await locations(requests);
    const again = await create(requests[0] ?? {});
    expect([again.status, again.json.error.code]).toEqual([412, 'repeat.collected']);
    expect(again.headers['repeatability-result']).toBe('rejected');
    expect((await create(requests[2] ?? {})).status).toBe(204);
    expect((await create(sentAt(20))).status).toBe(204);
    const { json } = await desk.get(
      "/Incidents?$filter=Description eq 'repeatable'&$count=true&$top=0",
    );
    expect(json['@odata.count']).toBe(4);
  });
});
