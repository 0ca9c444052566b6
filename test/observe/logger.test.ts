// This file checks what operators read, and what no log may hold.
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Observation } from '../../src/base/observation.ts';
import { type LogLevel, logDestination, makeLogger } from '../../src/observe/logger.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly time: string;
  readonly [name: string]: unknown;
}

/** The lines that are written for what is seen. */
function written(level: LogLevel, ...seen: readonly Observation[]): readonly Line[] {
  const lines: string[] = [];
  const observe = makeLogger(level, { write: (line: string) => void lines.push(line) });
  for (const one of seen) observe(one);
  return lines.map((line) => {
    expect(line.trimEnd()).not.toContain('\n');
    return JSON.parse(line) as Line;
  });
}

const request = (status: number, milliseconds = 1): Observation => ({
  kind: 'request',
  address: '192.0.2.7',
  id: 'r1',
  method: 'GET',
  path: "Persons('ada')",
  route: () => 'Persons(*)',
  isPart: false,
  planCached: undefined,
  responseCached: undefined,
  apiKey: undefined,
  client: undefined,
  trace: undefined,
  status,
  milliseconds,
  bytes: 0,
  stages: { parse: 0.01234 },
  fault: undefined,
  account: 'admin',
});

describe('what operators read', () => {
  it('requests that went well are told at debug only', () => {
    expect(written('info', request(200))).toEqual([]);
    expect(written('debug', request(200))).toMatchObject([
      {
        level: 'debug',
        msg: 'request',
        id: 'r1',
        path: 'Persons(*)',
        ms: 1,
        stages: { parse: 0.012 },
      },
    ]);
  });

  it('refusals are told at info, failures and slow requests at warn', () => {
    const lines = written('info', request(404), request(503), request(200, 1500));
    expect(lines.map((line) => line.level)).toEqual(['info', 'warn', 'warn']);
  });

  it('a fault outside of requests is told by its message, without lines of the program', () => {
    const error = new Fault('cli.file', { file: 'key.pem', reason: 'it is not there' });
    const [line] = written('error', { kind: 'failure', id: 'tls', error });
    expect(line).toEqual({
      level: 'error',
      time: expect.any(String),
      id: 'tls',
      fault: 'cli.file',
      msg: 'The file key.pem cannot be read: it is not there',
    });
    const [mistake] = written('error', { kind: 'failure', id: 'r1', error: new Error('odd') });
    expect(mistake).toMatchObject({ msg: 'request failed', err: { message: 'odd' } });
  });

  it('a store of files that fails is told with its reason', () => {
    const reason = 'connect ECONNREFUSED 127.0.0.1:21';
    const seen: Observation = {
      kind: 'store of files fails',
      store: 'ftp',
      fault: 'file.full',
      reason,
    };
    expect(written('warn', seen)).toMatchObject([
      { level: 'warn', msg: 'store of files fails', store: 'ftp', fault: 'file.full', reason },
    ]);
  });

  it('a mistake of ours is told with its stack and the id that the client has', () => {
    const error = new Error('broken');
    expect(written('error', { kind: 'failure', id: 'r2', error })).toMatchObject([
      {
        level: 'error',
        id: 'r2',
        err: { message: 'broken', stack: expect.stringContaining('at ') },
      },
    ]);
    expect(written('error', { kind: 'failure', id: 'r3', error: 'text' })).toMatchObject([
      { err: { message: 'text' } },
    ]);
  });

  it('a name that a client sends can neither begin a line of its own nor fill the disk', () => {
    const name = `eve\n{"level":"info","msg":"token request","name":"admin"}${'x'.repeat(10_000)}`;
    const [line, ...others] = written('info', {
      kind: 'token',
      id: 'r-1',
      address: '::1',
      name,
      grant: 'password',
      outcome: 'token',
    });
    expect(others).toEqual([]);
    expect(line?.name).toBe(name.slice(0, 100));
  });

  it('a name that was refused is not told: it may be a password', () => {
    const [line] = written('info', {
      kind: 'token',
      id: 'r-1',
      address: '::1',
      name: 'correct horse battery',
      grant: 'password',
      outcome: 'invalid_grant',
    });
    expect(line).toMatchObject({ address: '::1', outcome: 'invalid_grant' });
    expect(JSON.stringify(line)).not.toContain('horse');
  });

  it('every line has its time in UTC', () => {
    const [line] = written('info', { kind: 'stopped' });
    expect(line?.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('silent says nothing', () => {
    expect(written('silent', request(500), { kind: 'stopped' })).toEqual([]);
  });
});

it.runIf(process.platform === 'linux')('goes on while the disk of the log is full', async () => {
  const full = openSync('/dev/full', 'w');
  const observe = makeLogger('debug', logDestination(full));
  for (let count = 0; count < 3; count += 1) observe(request(200));
  await new Promise(setImmediate);
  closeSync(full);
});
