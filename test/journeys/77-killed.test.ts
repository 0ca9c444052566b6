// This file kills the whole service without warning while clients write: who sends again what was not answered finds everything done
// once, change sets whole, and accepted requests done after the restart.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSources } from '../compiled.ts';

const PASSWORD = 'correct horse battery';
const ROUNDS = [150, 60, 300, 20];

let program: string;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-killed-'));
  const { directory: compiled } = compileSources();
  program = `${compiled}-program`;
  mkdirSync(join(program, 'bin'), { recursive: true });
  renameSync(compiled, join(program, 'dist'));
  for (const file of ['package.json', join('bin', 'docket')])
    copyFileSync(resolve(import.meta.dirname, '../..', file), join(program, file));
  execFileSync(process.execPath, command('demo', '--requests', '5'), {
    env: environment(),
    stdio: 'pipe',
  });
}, 120_000);
afterAll(() => {
  rmSync(program, { recursive: true });
  rmSync(directory, { recursive: true });
});

function command(...words: readonly string[]): string[] {
  return [join(program, 'bin', 'docket'), ...words, '--data', join(directory, 'data')];
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, DOCKET_ADMIN_PASSWORD: PASSWORD, DOCKET_LOG_LEVEL: 'silent' };
}

interface Serving {
  readonly child: ChildProcess;
  readonly origin: string;
}

async function serve(): Promise<Serving> {
  const child = spawn(process.execPath, command('serve', '--port', '0'), { env: environment() });
  const origin = await new Promise<string>((found, failed) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, address] = /serves (http:\S+)\/odata/.exec(said) ?? [];
      if (address !== undefined) found(address);
    });
    child.once('close', () => failed(new Error(`the service has ended: ${said}`)));
  });
  return { child, origin };
}

async function kill({ child }: Serving): Promise<void> {
  const closed = new Promise((ended) => child.once('close', ended));
  child.kill('SIGKILL');
  await closed;
}

async function logIn(origin: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body });
  return String(((await answer.json()) as { access_token: unknown }).access_token);
}

/** What one client wants to have done, and whether it knows that it was. */
interface Wish {
  readonly name: string;
  readonly kind: 'create' | 'change set' | 'later';
  isAnswered: boolean;
}

/** Sends the wish once; unanswered where the service is killed meanwhile. */
async function attempt(wish: Wish, origin: string, token: string): Promise<void> {
  const create = { Description: wish.name };
  const requests = ['1', '2', '3'].map((id) => ({
    id,
    method: 'post',
    url: 'ServiceRequests',
    atomicityGroup: 'g',
    body: create,
  }));
  const isSet = wish.kind === 'change set';
  const { status } = await fetch(`${origin}/odata/${isSet ? '$batch' : 'ServiceRequests'}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': wish.name,
      ...(wish.kind === 'later' ? { prefer: 'respond-async' } : {}),
    },
    body: JSON.stringify(isSet ? { requests } : create),
  });
  const expected = { create: 201, 'change set': 200, later: 202 }[wish.kind];
  if (status === expected) wish.isAnswered = true;
  else if (status !== 503) throw new Error(`${wish.kind} was answered with ${status}`);
}

/** A client that goes on until it is stopped, sending again what was not answered. */
async function write(wishes: Wish[], serving: Serving, token: string, number: number) {
  const kinds = ['create', 'change set', 'later'] as const;
  // A service that was killed breaks the connection; every other failure is one.
  while (serving.child.signalCode === null) {
    const open = wishes.find((wish) => !wish.isAnswered);
    const wish = open ?? {
      name: `wish-${number}-${wishes.length}`,
      kind: kinds[wishes.length % 3] ?? 'create',
      isAnswered: false,
    };
    if (open === undefined) wishes.push(wish);
    try {
      await attempt(wish, serving.origin, token);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function countOf(name: string, origin: string, token: string): Promise<number> {
  const query = `$filter=Description eq '${name}'&$count=true&$top=0`;
  const answer = await fetch(`${origin}/odata/ServiceRequests?${encodeURI(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return Number(((await answer.json()) as Record<string, unknown>)['@odata.count']);
}

it('after kill -9 everything that was wished for is done, once and whole', async () => {
  const clients: Wish[][] = [[], [], [], []];
  let serving = await serve();
  const token = await logIn(serving.origin);
  for (const milliseconds of ROUNDS) {
    const current = serving;
    const writing = Promise.all(
      clients.map(async (wishes, number) => await write(wishes, current, token, number)),
    );
    writing.catch(() => undefined);
    await new Promise((passed) => setTimeout(passed, milliseconds));
    await kill(current);
    await writing;
    serving = await serve();
  }
  try {
    const wishes = clients.flat();
    for (const wish of wishes) while (!wish.isAnswered) await attempt(wish, serving.origin, token);
    const wrong: string[] = [];
    for (const { name, kind } of wishes) {
      const expected = kind === 'change set' ? 3 : 1;
      let count = await countOf(name, serving.origin, token);
      for (let tries = 0; kind === 'later' && count === 0 && tries < 200; tries++) {
        await new Promise((passed) => setTimeout(passed, 20));
        count = await countOf(name, serving.origin, token);
      }
      if (count !== expected) wrong.push(`${name} (${kind}): ${count}`);
    }
    expect(wrong).toEqual([]);
    expect(wishes.length).toBeGreaterThan(4);
    expect(new Set(wishes.map(({ kind }) => kind)).size).toBe(3);
  } finally {
    await kill(serving);
  }
}, 120_000);
