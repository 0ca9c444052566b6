// This file runs the commands about stores of files against a directory and an FTP server.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttachmentStore } from '../../src/attachments/store.ts';
import { checkFiles, moveAllFiles, testFiles } from '../../src/cli/command/files.ts';
import { initialize } from '../../src/cli/command/installation.ts';
import { type Config, readConfig } from '../../src/cli/config/config.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { change } from '../../src/store/work.ts';
import { gather, listed, newKey, pieces } from '../contracts/attachment-store.ts';
import { type FtpServer, startFtpSrv } from '../contracts/ftp-servers.ts';
import { writeAll } from '../write-all.ts';

/** A terminal that remembers what it is told. */
function makeTerminal(): Terminal & { readonly lines: string[]; readonly steps: number[] } {
  const lines: string[] = [];
  const steps: number[] = [];
  return {
    lines,
    steps,
    print: (line) => lines.push(...line.split('\n')),
    say: (line) => lines.push(line),
    progress: (title, total) => {
      lines.push(`${title} of ${total}`);
      return { update: (done) => steps.push(done), finish: (summary) => lines.push(summary) };
    },
  };
}

let folder: string;
let server: FtpServer;
let config: Config;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-cli-files-'));
  server = await startFtpSrv('explicit');
  const { host, port, user, password, authorities } = server.settings;
  writeFileSync(join(folder, 'ca.pem'), authorities ?? '');
  const lines = [
    `data: ${join(folder, 'data')}`,
    ...['files:', '  ftp:', `    host: ${host}`, `    port: ${port}`, `    user: ${user}`],
    ...[`    password: ${password}`, '    tls: explicit', `    ca: ${join(folder, 'ca.pem')}`],
  ];
  writeFileSync(join(folder, 'docket.yaml'), `${lines.join('\n')}\n`);
  config = readConfig({ config: join(folder, 'docket.yaml') }, {});
  process.env.DOCKET_ADMIN_PASSWORD = 'long enough to be good';
  await initialize({ config, flags: { admin: 'boss' }, terminal: makeTerminal() });
  delete process.env.DOCKET_ADMIN_PASSWORD;
}, 60_000);
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});

/** Files with rows, in a store of the installation. */
async function keepFiles(count: number, size: number): Promise<Map<string, Buffer>> {
  const { database, stores } = await openInstallation(config);
  const made = new Map<string, Buffer>();
  for (let index = 0; index < count; index++) {
    const key = newKey();
    const bytes = randomBytes(size);
    await stores.target.put(key, pieces(bytes));
    const digest = createHash('sha256').update(bytes).digest('hex');
    const text = `INSERT INTO "docket_file" ("media_type", "size", "sha256", "state", "created", "key", "store") VALUES ('text/plain', ?, ?, 'kept', '2026', ?, ?)`;
    await writeAll(database, change(text, [BigInt(size), digest, key, stores.target.name]));
    made.set(key, bytes);
  }
  await database.close();
  return made;
}

async function withStore<Result>(
  name: string,
  work: (store: AttachmentStore) => Promise<Result>,
): Promise<Result> {
  const { database, stores } = await openInstallation(config);
  try {
    return await work(stores.named(name));
  } finally {
    await stores.close();
    await database.close();
  }
}

describe('docket files test', () => {
  it('shows each step of the store of new files', async () => {
    const terminal = makeTerminal();
    expect(await testFiles({ config, flags: {}, terminal })).toBe(0);
    expect(terminal.lines.map((line) => line.slice(0, 24).trim())).toEqual([
      'ok      directory',
      'ok      write',
      'ok      read back',
      'ok      remove',
      'The store "local" works.',
    ]);
  });

  it('shows each step of another store, as JSON too', async () => {
    const terminal = makeTerminal();
    expect(await testFiles({ config, flags: { store: 'ftp', json: true }, terminal })).toBe(0);
    const told = JSON.parse(terminal.lines.join('\n'));
    expect(told).toMatchObject({ store: 'ftp', works: true });
    expect(told.steps.map(({ step }: { step: string }) => step)).toEqual([
      'reach',
      'secure',
      'log in',
      'directory',
      'data connection',
      'write',
      'read back',
      'remove',
    ]);
  });

  it('ends at what does not work, with the reason and the remedy, and exit code 1', async () => {
    const { ftp } = config.files;
    if (ftp === undefined) throw new Error('the store is configured above');
    const wrong = { ...config, files: { ...config.files, ftp: { ...ftp, password: 'wrong one' } } };
    const terminal = makeTerminal();
    expect(await testFiles({ config: wrong, flags: { store: 'ftp' }, terminal })).toBe(1);
    expect(terminal.lines.at(-2)).toMatch(/^failed {2}log in/);
    expect(terminal.lines.at(-1)).toContain('files.ftp.password');
    expect(terminal.lines.join('\n')).not.toContain('wrong one');
  });

  it('refuses a store without settings', async () => {
    await expect(
      testFiles({ config, flags: { store: 's3' }, terminal: makeTerminal() }),
    ).rejects.toMatchObject({
      code: 'file.not-configured',
    });
  });
});

describe('docket files move and check', () => {
  it('carry everything over to the FTP server and back, and find what is wrong', async () => {
    const files = await keepFiles(6, 40_000);
    const clean = makeTerminal();
    expect(await checkFiles({ config, flags: {}, terminal: clean })).toBe(0);
    expect(clean.lines).toEqual(['Checking (KiB) of 235', '6 files', 'No problems found.']);
    expect(clean.steps.at(-1)).toBe(234);

    const moving = makeTerminal();
    expect(await moveAllFiles({ config, flags: { to: 'ftp' }, terminal: moving })).toBe(0);
    expect(moving.lines.at(-1)).toBe('All files are in the store "ftp".');
    expect(await withStore('local', listed)).toEqual([]);
    for (const [key, bytes] of files) {
      const back = await withStore('ftp', async (store) => await gather(await store.get(key)));
      expect(back.equals(bytes)).toBe(true);
    }
    expect(await checkFiles({ config, flags: {}, terminal: makeTerminal() })).toBe(0);

    const [lost = '', changed = ''] = files.keys();
    await withStore('ftp', async (store) => {
      await store.remove(lost);
      await store.put(changed, pieces(randomBytes(40_000)));
    });
    const bad = makeTerminal();
    expect(await checkFiles({ config, flags: { repair: true, json: true }, terminal: bad })).toBe(
      1,
    );
    expect(JSON.parse(bad.lines.slice(2).join('\n'))).toMatchObject({
      files: 6,
      problems: [
        { problem: 'missing', store: 'ftp', key: lost, repaired: false },
        { problem: 'wrong digest', store: 'ftp', key: changed, repaired: false },
      ],
    });
    const shown = makeTerminal();
    expect(await checkFiles({ config, flags: { quick: true }, terminal: shown })).toBe(1);
    expect(shown.lines.join('\n')).toContain(`missing  ftp    ${lost.slice(0, 12)}`);

    const back = makeTerminal();
    expect(await moveAllFiles({ config, flags: { to: 'local' }, terminal: back })).toBe(1);
    expect(back.lines.join('\n')).toContain('2 files are still in other stores');
  }, 60_000);
});
