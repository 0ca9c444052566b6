// This file tests what becomes of requests that are put off when the process ends, or the client lets go of them, at the worst moment.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { Fault } from '../../src/base/fault.ts';
import { Jobs } from '../../src/service/deferred/jobs.ts';
import { performer } from '../../src/service/handle-request.ts';
import type { Call, Perform, Service } from '../../src/service/service.ts';
import { type Desk, openDesk, principalNamed } from '../journeys/desk.ts';
import { RECORDS } from '../journeys/records.ts';

let desk: Desk;
let service: Service;
let principal: Principal;
beforeEach(async () => {
  desk = await openDesk({ records: RECORDS.slice(0, 12) });
  service = desk.service;
  principal = await principalNamed(service, 'admin');
});
afterEach(async () => await desk.close());

function callTo(method: string, path: string, body: unknown): Call {
  return {
    id: 'test',
    method,
    path,
    query: '',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: Buffer.from(JSON.stringify(body)),
    address: '127.0.0.1',
    root: desk.root,
  };
}

const CREATE = ['POST', 'ServiceRequests', { Description: 'put off' }] as const;
const BATCH = [
  'POST',
  '$batch',
  {
    requests: [1, 2, 3].map((id) => ({
      id: String(id),
      method: 'post',
      url: 'ServiceRequests',
      body: { Description: 'put off' },
    })),
  },
] as const;

async function countOf(): Promise<number> {
  const { json } = await desk.get(
    "/ServiceRequests?$filter=Description eq 'put off'&$count=true&$top=0",
  );
  return json['@odata.count'];
}

/** A signal that is given once. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

async function isTrue(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; !(await condition()); attempts++) {
    if (attempts > 1500) throw new Error('it never becomes true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const states = async () => {
  const rows = await desk.installation.database.read('SELECT status FROM docket_job', []);
  return rows.map(([status]) => (status === null ? null : Number(status)));
};

async function accept(jobs: Jobs, asked: readonly [string, string, unknown], perform: Perform) {
  const answer = await jobs.accept(callTo(...asked), principal, service, perform);
  expect(answer.status).toBe(202);
  return String(answer.headers.Location).split('/odata').at(-1) ?? '';
}

it('A request that is sent again without respond-async gets 409 until it is done', async () => {
  const key = { 'idempotency-key': 'put-off' };
  const call = callTo(...CREATE);
  const jobs = new Jobs();
  const accepted = await jobs.accept(
    { ...call, headers: { ...call.headers, ...key } },
    principal,
    service,
    async () => await new Promise(() => {}),
  );
  const early = await desk.send('POST', '/ServiceRequests', { headers: key, body: CREATE[2] });
  expect([early.status, early.json.error.code]).toEqual([409, 'repeat.unfinished']);
  expect(early.headers['retry-after']).toBe('1');
  expect(early.json.error.message).toContain(accepted.headers.Location);
});

describe('A process that ends', () => {
  it.each([
    ['before the deed', CREATE, 1, false],
    ['between the deed and the note that it is done', CREATE, 1, true],
    ['between the deeds of a batch and the note that it is done', BATCH, 3, true],
  ])(
    '%s leaves it to the next one, and everything is done once',
    async (_when, asked, count, done) => {
      const reached = gate();
      const dying = new Jobs();
      await accept(dying, asked, async (call, who) => {
        if (done) await performer(service)(call, who);
        reached.open();
        return await new Promise(() => {});
      });
      await reached.passed;
      expect([await countOf(), await states()]).toEqual([done ? count : 0, [null]]);
      const next = new Jobs();
      await next.resume(service, performer(service));
      await isTrue(async () => (await states()).every((status) => status !== null));
      expect(await countOf()).toBe(count);
      expect(await desk.installation.database.read('SELECT key FROM docket_repeat', [])).toEqual(
        [],
      );
      await next.close();
    },
  );

  it('during an outage of the database does the rest of a batch afterwards, and everything once', async () => {
    let writes = 0;
    const database: Service['database'] = {
      ...service.database,
      write: async (deed) => {
        if (++writes === 3) throw new Fault('store.unavailable');
        return await service.database.write(deed);
      },
    };
    const jobs = new Jobs();
    const monitor = await accept(jobs, BATCH, performer({ ...service, database }));
    await isTrue(async () => (await states()).every((status) => status !== null));
    const { text } = await desk.get(monitor);
    expect(text.match(/"status":\d+/g)).toEqual(['"status":201', '"status":201', '"status":201']);
    expect(await countOf()).toBe(3);
    expect(writes).toBeGreaterThan(3);
    await jobs.close();
  });

  it('in the middle of a batch has the rest of it done by the next one', async () => {
    const reached = gate();
    const deeds = { count: 0 };
    const dyingService: Service = {
      ...service,
      database: {
        ...service.database,
        write: async (deed) => {
          if (++deeds.count <= 2) return await service.database.write(deed);
          reached.open();
          return await new Promise(() => {});
        },
      },
    };
    await accept(new Jobs(), BATCH, performer(dyingService));
    await reached.passed;
    expect(await countOf()).toBe(2);
    const next = new Jobs();
    await next.resume(service, performer(service));
    await isTrue(async () => (await states()).every((status) => status !== null));
    expect(await countOf()).toBe(3);
    await next.close();
  });

  it('leaves what it has accepted to the next one at its place, and the first sees to places that are no more', async () => {
    const never: Perform = async () => await new Promise(() => {});
    for (const number of [0, 1, 2]) await accept(new Jobs({ number, of: 3 }), CREATE, never);
    const places = [
      [{ number: 1, of: 3 }, 1],
      [{ number: 1, of: 2 }, 1],
      [{ number: 0, of: 2 }, 3],
    ] as const;
    for (const [place, expected] of places) {
      const next = new Jobs(place);
      await next.resume(service, performer(service));
      await isTrue(
        async () => (await states()).filter((status) => status !== null).length === expected,
      );
      await next.close();
      expect(await countOf()).toBe(expected);
    }
  });

  it('while another one does the same finds that it is done', async () => {
    const reached = gate();
    const hold = gate();
    const slow = new Jobs();
    const statuses: number[] = [];
    await accept(slow, CREATE, async (call, who) => {
      reached.open();
      await hold.passed;
      const answer = await performer(service)(call, who);
      statuses.push(answer.status);
      return answer;
    });
    await reached.passed;
    const next = new Jobs();
    await next.resume(service, performer(service));
    await isTrue(async () => (await states()).every((status) => status === 201));
    hold.open();
    await slow.close();
    expect([statuses, await countOf(), await states()]).toEqual([[410], 1, [201]]);
    await next.close();
  });

  it('that stops in order finishes what runs and leaves the rest undone', async () => {
    const jobs = new Jobs();
    const hold = gate();
    let begun = 0;
    const perform: Perform = async (call, who) => {
      begun++;
      await hold.passed;
      return await performer(service)(call, who);
    };
    for (let index = 0; index < 7; index++) await accept(jobs, CREATE, perform);
    await isTrue(() => begun === 4);
    const closed = jobs.close();
    hold.open();
    await closed;
    expect([(await states()).filter((status) => status === 201).length, await countOf()]).toEqual([
      4, 4,
    ]);
  });
});

describe('A client that lets go', () => {
  it('before anything was done keeps it from being done', async () => {
    const hold = gate();
    const jobs = new Jobs();
    const ended = gate();
    let status = 0;
    const monitor = await accept(jobs, CREATE, async (call, who) => {
      await hold.passed;
      const answer = await performer(service)(call, who);
      status = answer.status;
      ended.open();
      return answer;
    });
    expect((await desk.send('DELETE', monitor)).status).toBe(204);
    hold.open();
    await ended.passed;
    expect([status, await countOf(), (await desk.get(monitor)).status]).toEqual([410, 0, 404]);
    await jobs.close();
  });

  it('after the first deed is told that it is too late', async () => {
    const reached = gate();
    const hold = gate();
    const jobs = new Jobs();
    const monitor = await accept(jobs, BATCH, async (call, who) => {
      const answer = await performer(service)(call, who);
      reached.open();
      await hold.passed;
      return answer;
    });
    await reached.passed;
    const { status, json } = await desk.send('DELETE', monitor);
    expect([status, json.error.code]).toEqual([409, 'async.started']);
    hold.open();
    await isTrue(async () => (await states()).every((state) => state === 200));
    expect((await desk.send('DELETE', monitor)).status).toBe(204);
    await jobs.close();
  });
});

describe('An account', () => {
  const never: Perform = async () => await new Promise(() => {});
  const addressOf = async (loginName: string) => {
    const { json } = await desk.get(`/Accounts?$filter=LoginName eq '${loginName}'`);
    return `/Accounts(${json.value[0].Uid})`;
  };
  const takeOver = async () => {
    const next = new Jobs();
    await next.resume(service, performer(service));
    await isTrue(async () => (await states()).every((status) => status !== null));
    await next.close();
  };

  it.each([
    ['was blocked', 'PATCH', { Blocked: true }],
    ['was deleted', 'DELETE', undefined],
  ])(
    'that %s meanwhile has nothing done by the process that takes over',
    async (_what, method, body) => {
      principal = await principalNamed(service, 'nobody');
      await accept(new Jobs(), CREATE, never);
      const changed = await desk.send(method, await addressOf('nobody'), { body });
      expect(changed.status).toBe(204);
      await takeOver();
      expect([await states(), await countOf()]).toEqual([[401], 0]);
    },
  );

  it('whose session has ended meanwhile has nothing done by the process that takes over', async () => {
    await desk.as('nobody').get('/Workgroups');
    const { json } = await desk.get("/Sessions?$filter=Account/LoginName eq 'nobody'");
    principal = {
      ...(await principalNamed(service, 'nobody')),
      session: BigInt(json.value[0].Uid),
    };
    await accept(new Jobs(), CREATE, never);
    await takeOver();
    expect([await states(), await countOf()]).toEqual([[201], 1]);
    await accept(new Jobs(), CREATE, never);
    expect((await desk.as('nobody').send('POST', '/connect/endsession')).status).toBe(204);
    await takeOver();
    expect([(await states()).sort(), await countOf()]).toEqual([[201, 401], 1]);
  });

  it('whose log-in name was given to another account has its requests done as itself', async () => {
    principal = await principalNamed(service, 'nobody');
    await accept(new Jobs(), CREATE, never);
    const renamed = { body: { LoginName: 'somebody' } };
    expect((await desk.send('PATCH', await addressOf('nobody'), renamed)).status).toBe(204);
    await desk.join({ loginName: 'nobody', roles: [] });
    await takeOver();
    expect([await states(), await countOf()]).toEqual([[201], 1]);
  });

  it('can have so many megabytes of requests waiting', async () => {
    const jobs = new Jobs();
    const limited = { ...service, limits: { ...service.limits, accountAsyncMegabytes: 1 } };
    const large = callTo('POST', 'ServiceRequests', { Information: 'x'.repeat(400_000) });
    const send = async () => await jobs.accept(large, principal, limited, never);
    expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
    await expect(send()).rejects.toMatchObject({ code: 'async.full', status: 507 });
    await expect(send()).rejects.toThrow('limits.accountAsyncMegabytes');
    expect(await states()).toEqual([null, null]);
    principal = await principalNamed(service, 'nobody');
    expect((await send()).status).toBe(202);
  });

  it('can have a hundred requests waiting', async () => {
    const jobs = new Jobs();
    for (let index = 0; index < 100; index++) await accept(jobs, CREATE, never);
    await expect(accept(jobs, CREATE, never)).rejects.toMatchObject({ code: 'async.too-many' });
  });
});
