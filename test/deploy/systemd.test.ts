// This file checks the unit of systemd with systemd's own programs, where they are installed, and that its command is one of Docket.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const unit = readFileSync(resolve(import.meta.dirname, '../../deploy/docket.service'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'docket-unit-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The lowest exposure that systemd calls "OK" ends at 5; that of a unit without hardening is 9.6. */
const EXPOSURE = 20;

it('starts and stops the command as it expects', () => {
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node \/opt\/docket\/bin\/docket serve /m);
  // drainSeconds of up to 30, and 20 seconds for the requests in progress.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(50);
});

const { status: analyze } = spawnSync('systemd-analyze', ['--version']);
describe.skipIf(analyze !== 0)('systemd (skipped where systemd-analyze is not installed)', () => {
  const file = join(folder, 'docket.service');
  // The programs that the unit starts must exist.
  writeFileSync(
    file,
    unit.replace(/\/usr\/bin\/node \S+/, `${process.execPath} ${process.execPath}`),
  );
  const run = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('finds no mistake in the unit', () => {
    expect(run('verify', '--recursive-errors=no', file)).toEqual({ status: 0, output: '' });
  });

  it('rates its exposure as low', () => {
    const rated = run('security', '--offline=true', `--threshold=${EXPOSURE}`, file);
    expect([rated.status, rated.output]).toEqual([0, expect.stringContaining('OK')]);
  });
});
