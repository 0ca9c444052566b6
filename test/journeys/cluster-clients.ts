// This file has the clients of a cluster. Each repeats its step until the cluster is done, and then checks that everything that was
// acknowledged is stored, and stored once.
import { expect } from 'vitest';
import type { Answered, Cluster } from './cluster.ts';
import type { DeskAnswer } from './desk.ts';
import { PASSWORD } from './killable.ts';
import { Replica, readAll } from './replica.ts';

export interface ClusterClient {
  readonly step: () => Promise<void>;
  readonly check: () => Promise<void>;
}

/** Milliseconds after which a change must be visible on all nodes: a second where a long run has the machine for itself. */
const SOON = process.env.TEST_CLUSTER_SECONDS === undefined ? 5000 : 1000;

const anyNode = () => Math.floor(2 * Math.random());
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function count(cluster: Cluster, set: string, filter: string): Promise<number> {
  const path = `/odata/${set}/$count?$filter=${encodeURIComponent(filter)}`;
  return Number((await cluster.insist(anyNode(), 'GET', path)).text);
}

const countNamed = (cluster: Cluster, name: string) =>
  count(cluster, 'ServiceRequests', `startswith(Description,'${name} ')`);

/** Creates records with repeatable requests, repeats some after their response, and deletes some. */
export function creator(cluster: Cluster, name: string): ClusterClient {
  const stored = new Set<number>();
  const deleted: number[] = [];
  let number = 0;
  return {
    step: async () => {
      const node = anyNode();
      const key = `${name} ${++number}`;
      const body = { Description: key };
      const request = { body, headers: { 'idempotency-key': key.replaceAll(' ', '-') } };
      const { status, json, text } = await cluster.insist(
        node,
        'POST',
        '/odata/ServiceRequests',
        request,
      );
      expect(status, text).toBe(201);
      stored.add(json.Uid);
      if (number % 3 === 0) {
        const again = await cluster.insist(1 - node, 'POST', '/odata/ServiceRequests', request);
        expect([again.status, again.json?.Uid], again.text).toEqual([201, json.Uid]);
      }
      if (number % 4 !== 0) return;
      const gone = await cluster.insist(1 - node, 'DELETE', `/odata/ServiceRequests(${json.Uid})`);
      // A repeated DELETE does not find what the first one has deleted.
      expect([204, 404], gone.text).toContain(gone.status);
      stored.delete(json.Uid);
      deleted.push(json.Uid);
    },
    check: async () => {
      expect(await countNamed(cluster, name), name).toBe(stored.size);
      for (const [uids, status] of [[stored, 200] as const, [deleted, 404] as const])
        for (const uid of [...uids].slice(-20)) {
          const path = `/odata/ServiceRequests(${uid})?$select=Uid`;
          expect((await cluster.insist(anyNode(), 'GET', path)).status, path).toBe(status);
        }
    },
  };
}

/** Increments a record that others increment, too, by requests that must not be repeated. */
export function incrementer(cluster: Cluster, shared: SharedCounter): ClusterClient {
  const path = `/odata/ServiceRequests(${shared.uid})`;
  return {
    step: async () => {
      const { headers, json } = await cluster.insist(anyNode(), 'GET', path);
      const answered = await cluster.ask(anyNode(), 'PATCH', path, {
        headers: { 'if-match': headers.get('etag') ?? json['@odata.etag'] },
        body: { Solution: String(Number(json.Solution ?? 0) + 1) },
      });
      if (answered === undefined) shared.unknown++;
      else if (answered.status === 503) shared.unknown += isUnknown(answered) ? 1 : 0;
      else if (answered.status === 204) shared.acknowledged++;
      else expect(answered.status, answered.text).toBe(412);
    },
    check: async () => {
      const { json } = await cluster.insist(anyNode(), 'GET', path);
      const { acknowledged, unknown } = shared;
      expect(Number(json.Solution ?? 0)).toBeGreaterThanOrEqual(acknowledged);
      expect(Number(json.Solution ?? 0)).toBeLessThanOrEqual(acknowledged + unknown);
    },
  };
}

export interface SharedCounter {
  readonly uid: number;
  acknowledged: number;
  /** Increments whose outcome the client does not know. */
  unknown: number;
}

/** Other 503 responses promise that nothing was stored. */
function isUnknown({ json }: Answered): boolean {
  return json?.error?.code === 'store.unknown-commit';
}

/** Creates accounts with names that others want at the same time. */
export function nameClaimer(cluster: Cluster, owners: Map<string, number>): ClusterClient {
  return {
    step: async () => {
      const name = `unique.${Math.floor(performance.now() / 300)}`;
      const body = { LoginName: name };
      const answered = await cluster.ask(anyNode(), 'POST', '/odata/Accounts', { body });
      if (answered?.status === 201) owners.set(name, (owners.get(name) ?? 0) + 1);
      else if (answered !== undefined) expect([409, 503], answered.text).toContain(answered.status);
      await pause(50);
    },
    check: async () => {
      expect([...owners].filter(([, times]) => times > 1)).toEqual([]);
      for (const name of [...owners.keys()].slice(-50))
        expect(await count(cluster, 'Accounts', `LoginName eq '${name}'`)).toBe(1);
    },
  };
}

const PARTS = 3;

function changeSet(name: string): unknown {
  const requests = Array.from({ length: PARTS }, (_, index) => ({
    id: String(index),
    method: 'post',
    url: 'ServiceRequests',
    atomicityGroup: 'g',
    body: { Description: name },
  }));
  return { requests };
}

/** Sends change sets that can be repeated. */
export function batcher(cluster: Cluster, name: string): ClusterClient {
  let number = 0;
  return {
    step: async () => {
      const key = `${name} ${++number}`;
      const headers = { 'idempotency-key': key.replaceAll(' ', '-') };
      const request = { headers, body: changeSet(key) };
      for (let isDone = false; !isDone; ) {
        const { json } = await cluster.insist(anyNode(), 'POST', '/odata/$batch', request);
        const statuses = json.responses.map(({ status }: { status: number }) => status).sort();
        isDone = !statuses.includes(503);
        // Other requests of a change set that fails return 424.
        expect(statuses).toEqual(isDone ? [201, 201, 201] : [424, 424, 503]);
      }
    },
    check: async () => expect(await countNamed(cluster, name)).toBe(PARTS * number),
  };
}

/** Has a change set done later. Returns the path of its status monitor. */
async function defer(cluster: Cluster, node: number, name: string): Promise<string> {
  const key = name.replaceAll(' ', '-');
  const headers = { 'idempotency-key': key, prefer: 'respond-async' };
  const answered = await cluster.insist(node, 'POST', '/odata/$batch', {
    headers,
    body: changeSet(name),
  });
  expect(answered.status, answered.text).toBe(202);
  return new URL(answered.headers.get('location') ?? '').pathname;
}

/** Polls a status monitor until the request is done. */
async function finish(cluster: Cluster, node: number, monitor: string): Promise<void> {
  for (;;) {
    const { status, text } = await cluster.insist(node, 'GET', monitor);
    if (status === 202) {
      await pause(100);
      continue;
    }
    expect([status, text.match(/"status":201/g)?.length], text).toEqual([200, PARTS]);
    return;
  }
}

/** Defers change sets, and polls their status monitors on the other node. */
export function deferrer(cluster: Cluster, name: string): ClusterClient {
  let number = 0;
  return {
    step: async () => {
      const node = anyNode();
      await finish(cluster, 1 - node, await defer(cluster, node, `${name} ${++number}`));
    },
    check: async () => expect(await countNamed(cluster, name)).toBe(PARTS * number),
  };
}

/** Change sets that a node has accepted when it is killed; another one does them. */
export async function orphans(cluster: Cluster, node: number, name: string) {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const monitors = await Promise.all(
    numbers.map((number) => defer(cluster, node, `${name} ${number}`)),
  );
  return {
    adopted: () => Promise.all(monitors.map((monitor) => finish(cluster, 1 - node, monitor))),
    check: async () => expect(await countNamed(cluster, name)).toBe(PARTS * numbers.length),
  };
}

const READS = [
  '/odata/ServiceRequests?$top=20',
  '/odata/ServiceRequests?$top=20&$orderby=Description&$expand=Caller($select=Name)',
  '/odata/ServiceRequests/$count',
  '/odata/Persons?$select=Name&$count=true&$top=5',
  "/odata/Workorders?$filter=contains(Description,'a')&$top=5",
];

export function reader(cluster: Cluster): ClusterClient {
  let turn = anyNode();
  return {
    step: async () => {
      const path = READS[++turn % READS.length] ?? '';
      expect((await cluster.insist(turn % 2, 'GET', path)).status).toBe(200);
    },
    check: async () => undefined,
  };
}

/** Follows a delta link, one page on each node. */
export function replicator(cluster: Cluster): ClusterClient {
  let turn = 0;
  const get = async (link: string, headers: Readonly<Record<string, string>> = {}) => {
    const path = link.startsWith('http') ? link.slice(link.indexOf('/odata/')) : `/odata${link}`;
    return (await cluster.insist(turn++ % 2, 'GET', path, { headers })) as unknown as DeskAnswer;
  };
  const query = '/ServiceRequests?$select=Uid,Description,Solution';
  const replica = new Replica({ get }, query, { pageSize: 200 });
  return {
    step: async () => {
      await replica.follow();
      await pause(20);
    },
    check: async () => {
      await replica.follow();
      const source = await readAll({ get }, query);
      expect(new Map([...replica.records].sort())).toEqual(new Map([...source].sort()));
    },
  };
}

/** Logs in, redeems a refresh token on both nodes at the same time, and logs out. */
export function sessionOpener(cluster: Cluster): ClusterClient {
  const token = (node: number, fields: Record<string, string>) =>
    cluster.ask(node, 'POST', '/token', { body: new URLSearchParams(fields), token: null });
  const ping = (node: number, access: string) =>
    cluster.ask(node, 'GET', '/odata/Workgroups?$top=1', { token: access });
  return {
    step: async () => {
      const since = performance.now();
      const node = anyNode();
      const fields = { grant_type: 'password', username: 'admin', password: PASSWORD };
      const opened = await token(node, fields);
      if (opened?.status !== 200) return;
      const refresh = { grant_type: 'refresh_token', refresh_token: opened.json.refresh_token };
      const answers = await Promise.all([0, 1, 0, 1].map((place) => token(place, refresh)));
      const redeemed = answers.filter((one) => one?.status === 200);
      expect(redeemed.length).toBeLessThan(2);
      const isDisturbed = () => [0, 1].some((place) => cluster.wasDisturbed(place, since));
      if (!isDisturbed()) expect(redeemed.length).toBe(1);
      const access = redeemed[0]?.json.access_token ?? opened.json.access_token;
      const used = await ping(1 - node, access);
      if (!isDisturbed()) expect(used?.status, used?.text).toBe(200);
      const ended = await cluster.insist(node, 'POST', '/connect/endsession', { token: access });
      expect(isDisturbed() ? [204, 401] : [204]).toContain(ended.status);
      const end = performance.now() + SOON;
      while ((await ping(1 - node, access))?.status !== 401 && !isDisturbed()) {
        expect(performance.now()).toBeLessThan(end);
        await pause(100);
      }
    },
    check: async () => undefined,
  };
}

/** Creates records, and reads their number, which nodes cache. */
export function cacheWatcher(cluster: Cluster): ClusterClient {
  let created = 0;
  const path = `/odata/Workgroups?$select=Name&$count=true&$top=1&$filter=startswith(Name,'cached')`;
  /** Whether the node knows all records. */
  const isCurrent = async (node: number, acknowledged: number, patience: number) => {
    const answered = await cluster.ask(node, 'GET', path);
    if (answered?.status !== 200) return true;
    const isKnown = answered.json['@odata.count'] === created;
    if (answered.sent > acknowledged + patience) expect(isKnown, `on node ${node}`).toBe(true);
    return isKnown;
  };
  return {
    step: async () => {
      const node = anyNode();
      const name = `cached ${++created}`;
      const request = {
        body: { Name: name },
        headers: { 'idempotency-key': name.replace(' ', '-') },
      };
      const since = performance.now();
      const { status, text } = await cluster.insist(node, 'POST', '/odata/Workgroups', request);
      expect(status, text).toBe(201);
      const acknowledged = performance.now();
      if (!cluster.wasDisturbed(node, since)) await isCurrent(node, acknowledged, -1);
      while (!(await isCurrent(1 - node, acknowledged, SOON))) await pause(20);
    },
    check: async () =>
      expect(await count(cluster, 'Workgroups', "startswith(Name,'cached')")).toBe(created),
  };
}

/** Changes a setting on one node, and watches the other. */
export function settingChanger(cluster: Cluster): ClusterClient {
  const path = "/odata/Settings('anonymous')";
  let isOpen = false;
  return {
    step: async () => {
      const node = anyNode();
      isOpen = !isOpen;
      const body = { Value: JSON.stringify(isOpen ? ['ping'] : []) };
      const { status, text } = await cluster.insist(node, 'PATCH', path, { body });
      expect(status, text).toBe(204);
      const acknowledged = performance.now();
      for (let isKnown = false; !isKnown; ) {
        await pause(50);
        const ping = await cluster.ask(1 - node, 'GET', '/odata/$ping', { token: null });
        isKnown = ping === undefined || ping.status === 503 || ping.status === (isOpen ? 200 : 401);
        // A node that cannot reach the database keeps the settings that it knows.
        if (cluster.wasDisturbed(1 - node, acknowledged)) isKnown = true;
        if ((ping?.sent ?? 0) > acknowledged + SOON) expect(isKnown).toBe(true);
      }
    },
    check: async () => undefined,
  };
}
