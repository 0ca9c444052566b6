// This file runs two nodes on one PostgreSQL database with 64 clients, restarts the database twice, once without a shutdown, and kills
// each node once: no acknowledged write is lost, none is stored twice, and requests fail only during the outages. It takes less than a
// minute, or the seconds in TEST_CLUSTER_SECONDS, and then also prints rates and times.
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasOwnServers, type OwnServer, ownServer } from '../postgres/own-server.ts';
import { sampleSize } from '../sample-size.ts';
import { Cluster } from './cluster.ts';
import {
  batcher,
  type ClusterClient,
  cacheWatcher,
  creator,
  deferrer,
  incrementer,
  nameClaimer,
  orphans,
  reader,
  replicator,
  type SharedCounter,
  sessionOpener,
  settingChanger,
} from './cluster-clients.ts';

const given = process.env.TEST_CLUSTER_SECONDS;
const SECONDS = Number(given ?? sampleSize(8, 20));
/** Milliseconds between disturbances, and how long the database is down. */
const QUIET = (SECONDS / 5) * 1000;
const DOWN = given === undefined ? 1500 : 8000;

let server: OwnServer;
let cluster: Cluster;
beforeAll(async () => {
  if (!hasOwnServers) return;
  server = await ownServer();
  cluster = new Cluster(server);
  await cluster.start();
}, 120_000);
afterAll(async () => {
  await cluster?.close();
  await server?.remove();
}, 60_000);

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** So many clients of a kind. */
const several = (total: number, make: (index: number) => ClusterClient) =>
  Array.from({ length: total }, (_, index) => make(index));

async function makeClients(): Promise<readonly ClusterClient[]> {
  const { json } = await cluster.insist(0, 'GET', '/odata/ServiceRequests?$select=Uid&$top=4');
  const counters: SharedCounter[] = json.value.map(({ Uid }: { Uid: number }) => ({
    uid: Uid,
    acknowledged: 0,
    unknown: 0,
  }));
  for (const { uid } of counters) {
    const body = { Solution: '0' };
    await cluster.insist(0, 'PATCH', `/odata/ServiceRequests(${uid})`, { body });
  }
  const owners = new Map<string, number>();
  return [
    ...several(20, (index) => creator(cluster, `create${index}`)),
    ...counters.flatMap((shared) => several(2, () => incrementer(cluster, shared))),
    ...several(4, () => nameClaimer(cluster, owners)),
    ...several(8, (index) => batcher(cluster, `set${index}`)),
    ...several(4, (index) => deferrer(cluster, `later${index}`)),
    ...several(16, () => reader(cluster)),
    replicator(cluster),
    sessionOpener(cluster),
    cacheWatcher(cluster),
    settingChanger(cluster),
  ];
}

/** The disturbances. Returns the checks of what killed nodes had accepted. */
async function disturb(): Promise<readonly (() => Promise<void>)[]> {
  const checks: (() => Promise<void>)[] = [];
  const killNode = async (node: number) => {
    const accepted = await orphans(cluster, node, `orphans${node}`);
    await cluster.restartNode(node, async () => void (await accepted.adopted()));
    checks.push(accepted.check);
  };
  await pause(QUIET);
  await cluster.restartDatabase('SIGINT', DOWN);
  await pause(QUIET);
  await killNode(0);
  await pause(QUIET);
  await cluster.restartDatabase('SIGQUIT', DOWN);
  await pause(QUIET);
  await killNode(1);
  await pause(QUIET);
  return checks;
}

/** Records that contradict the change log, and numbers that were allocated twice. */
async function contradictions(): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query({
      rowMode: 'array',
      text: `WITH note AS (SELECT "identity", count(*) FILTER (WHERE "deed" = 'create') AS made, count(*) FILTER (WHERE "deed" = 'delete') AS gone,
          count(*) FILTER (WHERE "deed" IN ('create', 'update', 'link')) AS version FROM docket_change WHERE "source" = 'ServiceRequests' GROUP BY 1)
        SELECT 'record', "identity", made, gone FROM note LEFT JOIN "ServiceRequests" r ON r."Uid" = "identity"
          WHERE made > 0 AND (made <> 1 OR (gone = 1) <> (r."Uid" IS NULL) OR (r."Uid" IS NOT NULL AND r."$version" <> version))
        UNION ALL SELECT 'number', "ID", count(*), 0 FROM "ServiceRequests" GROUP BY "ID" HAVING count(*) > 1`,
    });
    return rows;
  } finally {
    await client.end();
  }
}

it.runIf(hasOwnServers)(
  'restarts of the database and killed nodes lose no write and repeat none',
  { timeout: (SECONDS + 240) * 1000 },
  async () => {
    const clients = await makeClients();
    let steps = 0;
    const working = clients.map(async ({ step }) => {
      while (!cluster.isDone) {
        await step();
        steps++;
      }
    });
    const disturbing = disturb().finally(() => {
      cluster.isDone = true;
    });
    await Promise.allSettled([disturbing, ...working]);
    await Promise.all(working);
    const checks = [...(await disturbing), ...clients.map(({ check }) => check)];
    for (const check of checks) await check();
    expect(cluster.violations).toEqual([]);
    expect(await contradictions()).toEqual([]);
    expect(steps).toBeGreaterThan(clients.length);
    if (given !== undefined) process.stderr.write(summary(steps));
  },
);

function summary(steps: number): string {
  const { latencies, failures } = cluster;
  const lines = Object.entries(latencies).map(([kind, times]) => {
    const sorted = [...times].sort((left, right) => left - right);
    const at = (part: number) => sorted[Math.floor(part * sorted.length)]?.toFixed(1);
    return `${kind}: ${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`;
  });
  return `${steps} steps, ${JSON.stringify(failures)}\n${lines.join('')}`;
}
