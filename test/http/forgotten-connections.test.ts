// This file tests that no client waits forever for a worker that has rejected its connection, on compiled code, since a cluster runs nothing
// else.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { compileSources } from '../compiled.ts';

function clientsOf(workers: number): readonly string[] {
  const module = pathToFileURL(join(compileSources(), 'http', 'forgotten-connections.js')).href;
  const program = join(import.meta.dirname, 'forgotten-connections.mjs');
  const args = [program, module, '500', String(workers)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

it('a connection that no worker takes is closed', () => {
  expect(clientsOf(1)).toEqual(['closed']);
}, 60_000);

it('a connection that another worker takes is answered', () => {
  expect(clientsOf(2)).toEqual(['answered', 'answered']);
}, 60_000);
