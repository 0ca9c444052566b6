// This file tests that no client waits forever for a worker that has rejected its connection, on compiled code, since a cluster runs nothing
// else.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { compileSources } from '../compiled.ts';

/** Milliseconds in which a worker takes a connection, on a busy machine, too. */
const AFTER = 1000;

it('a connection that no worker takes is closed', () => {
  const module = pathToFileURL(join(compileSources(), 'http', 'forgotten-connections.js')).href;
  const program = join(import.meta.dirname, 'forgotten-connections.mjs');
  const output = execFileSync(process.execPath, [program, module, String(AFTER)], {
    encoding: 'utf8',
  });
  const { usual, closed, hung } = JSON.parse(output);
  expect(usual).toBeGreaterThan(0);
  expect(closed).toBeGreaterThan(0);
  expect(hung).toBe(0);
}, 60_000);
