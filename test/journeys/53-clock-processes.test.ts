// This file moves the clock of a demo installation that several processes serve: workers on SQLite, nodes on PostgreSQL. They agree on the
// time within a second, and what becomes due happens once, though one of them moves the clock while another one looks for due actions.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseSettings, removeDatabase, usesPostgres } from '../database.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let database: string | undefined;
let program: Killable;
let nodes: readonly Serving[] = [];
let token: string;
beforeAll(async () => {
  ({ database } = await databaseSettings());
  program = makeKillable(5, database, ['--clock']);
  nodes = usesPostgres
    ? [await program.serve(), await program.serve()]
    : [await program.serve('--workers', '2')];
  const [node] = nodes;
  if (node === undefined) throw new Error('nothing is served');
  token = await logIn(node);
}, 120_000);
afterAll(async () => {
  for (const node of nodes) await kill(node);
  program?.close();
  await removeDatabase({ database });
});

// biome-ignore lint/suspicious/noExplicitAny: the test states what it expects
async function send(method: string, path: string, body?: object, node = nodes[0]): Promise<any> {
  const response = await fetch(`${node?.origin}/odata/${encodeURI(path)}`, {
    method,
    // Workers take turns with connections.
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      connection: 'close',
      prefer: 'maxpagesize=50',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === '' ? {} : JSON.parse(text);
}

const move = async (By: string): Promise<number> =>
  Date.parse((await send('POST', 'AdvanceClock', { By })).value);

/** Milliseconds by which the processes that answer are ahead of the real time. */
async function leads(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const node of [...nodes, ...nodes, ...nodes, ...nodes]) {
    const url = `ServiceRequests(${request})/Explain()`;
    const before = Date.now();
    found.push(Date.parse((await send('GET', url, undefined, node)).At) - before);
  }
  return found;
}

let request: number;

it('all processes agree on the time within a second', async () => {
  request = (await send('POST', 'ServiceRequests', { Description: 'Printer' })).Uid;
  const before = Date.now();
  expect(await move('P40DT6H')).toBeGreaterThanOrEqual(before + 40 * DAY + 6 * HOUR);
  const moved = Date.now();
  // All of them, without exception, from a second later on.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (Date.now() - moved))));
  // The clock is there at the end of the request, which has taken a moment itself.
  for (const lead of await leads())
    expect(Math.abs(lead - 40 * DAY - 6 * HOUR)).toBeLessThan(15_000);
});

it('what becomes due happens once and at its time, whichever process moves the clock', async () => {
  const name = { Name: 'Due', Status: { Value: 210002 } };
  const now = await move('PT1S');
  const dues: string[] = [];
  for (let index = 1; index <= 30; index++) {
    const EndDate = new Date(now + index * 6 * HOUR).toISOString();
    await send('POST', 'MaintenanceContracts', {
      ...name,
      ContractNumber: `D-${index}`,
      EndDate,
    });
    dues.push(EndDate);
  }
  await Promise.all(['P2D', 'P3D', 'P4D'].map(move));
  const { value } = await send(
    'GET',
    "MaintenanceContracts?$filter=Name eq 'Due'&$orderby=EndDate&$select=Uid,EndDate&$expand=HistoryLines($filter=NewValue eq 'Expired')",
  );
  const lines = value.map(({ HistoryLines }: { HistoryLines: { CreatedAt: string }[] }) =>
    HistoryLines.map(({ CreatedAt }) => CreatedAt),
  );
  expect(lines).toEqual(dues.map((due) => [due]));
});

it('a process that starts later has the time of the others', async () => {
  const [node] = nodes;
  if (node === undefined) throw new Error('nothing is served');
  await kill(node);
  const flags = usesPostgres ? [] : ['--workers', '2'];
  nodes = [await program.serve(...flags), ...nodes.slice(1)];
  for (const lead of await leads()) expect(lead).toBeGreaterThan(48 * DAY);
});
