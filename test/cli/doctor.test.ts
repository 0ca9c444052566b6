// This file breaks an installation in the ways that `docket doctor` finds.
import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { checkClock } from '../../src/cli/doctor/check-installation.ts';
import {
  checkCertificate,
  checkDisk,
  checkNode,
  checkTimeZones,
} from '../../src/cli/doctor/check-machine.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { docketHere } from './run-docket.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-doctor-'));
const data = join(folder, 'data');
const file = join(data, 'docket.db');

beforeAll(async () => {
  const words = ['init', '--admin', 'ada', '--data', data];
  const { code } = await docketHere(words, { DOCKET_ADMIN_PASSWORD: 'correct horse battery' });
  expect(code).toBe(0);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The exit code, and the findings that are not ok. */
async function examined(environment: Readonly<Record<string, string>> = {}, place = data) {
  const { code, out, err } = await docketHere(['doctor', '--json', '--data', place], environment);
  expect(err).toBe('');
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  for (const { state, remedy } of findings)
    expect([state, remedy === undefined]).toEqual([state, state === 'ok']);
  const wrong = findings.filter(({ state }) => state !== 'ok');
  return {
    code,
    findings,
    wrong: wrong.map(({ check, state }) => `${check}: ${state}`),
    details: wrong,
  };
}

async function status() {
  return JSON.parse((await docketHere(['status', '--json', '--data', data])).out);
}

/** Changes the database for the work. */
async function withChanges(change: string, undo: string, work: () => Promise<void>): Promise<void> {
  const run = (text: string) => {
    const database = connect(file, false);
    database.exec(text);
    database.close();
  };
  run(change);
  try {
    await work();
  } finally {
    run(undo);
  }
}

it('finds that a new installation has never been copied, and nothing else', async () => {
  const { code, wrong, details } = await examined();
  expect([code, wrong]).toEqual([0, ['backup: warning']]);
  expect((await docketHere(['status', '--data', data])).out).toMatch(/^backup +never: see/m);
  const advised = /^Run "docket (.*)" every day/.exec(details[0]?.remedy ?? '')?.[1] ?? '';
  const words = advised.replace('DIR', join(folder, 'copy')).split(' ');
  expect((await docketHere(words)).code).toBe(0);
  const { lastBackup } = await status();
  expect(Math.abs(Date.parse(lastBackup) - Date.now())).toBeLessThan(60_000);
  expect((await examined({}, join(folder, 'copy'))).wrong).toEqual(['backup: warning']);
});

it('finds a backup that is older than seven days', async () => {
  const ages = [
    [6.9, []],
    [7.1, ['backup: warning']],
  ] as const;
  for (const [days, expected] of ages) {
    const time = new Date(Date.now() - days * 86_400_000).toISOString();
    const set = (value: string) =>
      `UPDATE docket_setting SET value = '${value}' WHERE name = 'last-backup'`;
    await withChanges(set(time), set(new Date().toISOString()), async () => {
      const { code, wrong } = await examined();
      expect([days, code, wrong]).toEqual([days, 0, expected]);
    });
  }
});

it('finds nothing in an installation that has been copied', async () => {
  const { code, wrong, findings } = await examined();
  expect([code, wrong]).toEqual([0, []]);
  const checks = findings.map(({ check }) => check);
  for (const check of [
    'program',
    'time zones',
    'disk',
    'settings',
    'database',
    'schema',
    'clock',
    'indexes',
    'backup',
    'queues',
    'files in local',
  ])
    expect(checks).toContain(check);
  const { code: shown, out } = await docketHere(['doctor', '--data', data]);
  expect([shown, out]).toEqual([0, expect.stringMatching(/^indexes +ok +All indexes exist/m)]);
});

it('finds a missing index, with the command that creates it', async () => {
  const database = connect(file, true);
  const [row = []] = database
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Persons' AND sql LIKE '%(\"EmployeeNumber\"%'",
    )
    .all([]);
  const [name, sql] = row.map(String);
  database.close();
  await withChanges(`DROP INDEX "${name}"`, String(sql), async () => {
    const { code, details } = await examined();
    expect([code, details]).toEqual([
      1,
      [
        expect.objectContaining({
          check: 'indexes',
          state: 'problem',
          explanation: 'The index of Persons by EmployeeNumber is missing.',
        }),
      ],
    ]);
    expect(details[0]?.remedy).toContain('docket index add Persons EmployeeNumber');
  });
});

it('finds files without records, as a warning', async () => {
  const stray = join(data, 'files', 'ab');
  mkdirSync(stray, { recursive: true });
  const name = join(stray, `ab${'0'.repeat(30)}`);
  writeFileSync(name, 'stray');
  const old = new Date(Date.now() - 30 * 86_400_000);
  utimesSync(name, old, old);
  const { code, wrong } = await examined();
  rmSync(stray, { recursive: true });
  expect([code, wrong]).toEqual([0, ['files in local: warning']]);
});

it('finds a store that cannot be reached, and still checks the others', async () => {
  const environment = {
    DOCKET_FILES_FTP_HOST: '127.0.0.1',
    DOCKET_FILES_FTP_PORT: '1',
    DOCKET_FILES_FTP_USER: 'u',
    DOCKET_FILES_FTP_PASSWORD: 'p',
    DOCKET_FILES_FTP_TLS: 'off',
  };
  const { code, wrong, findings } = await examined(environment);
  expect([code, wrong]).toEqual([1, ['files in ftp: problem']]);
  expect(findings.find(({ check }) => check === 'files in local')?.state).toBe('ok');
});

it('finds risky settings as warnings, and passwords in a readable file', async () => {
  const { code, wrong, details } = await examined({
    DOCKET_HOST: '0.0.0.0',
    DOCKET_ALLOW_INSECURE_TOKENS: 'true',
    DOCKET_CORS_ORIGINS: '*',
    DOCKET_TRUSTED_PROXIES: '0.0.0.0/0',
  });
  expect([code, new Set(wrong)]).toEqual([0, new Set(['settings: warning'])]);
  const names = details.map(({ explanation }) => explanation.split(':')[0]);
  expect(names).toEqual(['allowInsecureTokens', 'trustedProxies', 'corsOrigins']);
  const configuration = join(folder, 'docket.yaml');
  writeFileSync(configuration, 'metrics:\n  token: a-token-for-prometheus\n', { mode: 0o644 });
  const readable = await examined({ DOCKET_CONFIG: configuration });
  expect(readable.details.map(({ remedy }) => remedy)).toEqual([
    expect.stringContaining(`chmod 600 ${configuration}`),
  ]);
  expect(JSON.stringify(readable.findings)).not.toContain('a-token-for-prometheus');
});

it('finds a schema of another version', async () => {
  await withChanges(
    'ALTER TABLE docket_job RENAME TO former_job',
    'ALTER TABLE former_job RENAME TO docket_job',
    async () => {
      const { code, wrong } = await examined();
      expect([code, wrong[0]]).toEqual([1, 'schema: problem']);
    },
  );
});

it('finds a missing and a damaged database', async () => {
  const missing = await examined({}, join(folder, 'nothing'));
  expect([missing.code, missing.wrong]).toEqual([1, ['database: problem']]);
  expect(() => statSync(join(folder, 'nothing'))).toThrow();
  const damaged = join(folder, 'damaged');
  expect((await docketHere(['backup', damaged, '--data', data])).code).toBe(0);
  const copy = join(damaged, 'docket.db');
  truncateSync(copy, statSync(copy).size - 8192);
  const found = await examined({}, damaged);
  expect([found.code, found.wrong]).toEqual([1, ['database: problem']]);
  expect(found.details[0]?.remedy).toMatch(/^Stop the service.*docket restore/);
});

it('finds disabled webhooks, and deliveries that wait for long; docket status counts them', async () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const subscription = (uid: number, state: string) => `INSERT INTO "docket:webhooksubscription"
    ("Uid", "Url", "EntitySet", "Format", "State", "Owner", "Created", "Modified") VALUES
    (${uid}, 'https://receiver.example/', 'Persons', 'structured', '${state}', 'ada', '${hoursAgo(9)}', '${hoursAgo(9)}');`;
  const delivery = (uid: number, state: string, hours: number, attempts: number) => `
    INSERT INTO "docket:webhookdelivery" ("Uid", "Subscription", "State", "Created", "Attempts")
    VALUES (${uid}, 900001, '${state}', '${hoursAgo(hours)}', ${attempts});`;
  const rows = [
    subscription(900_001, 'active') + subscription(900_002, 'disabled'),
    delivery(900_011, 'queued', 2, 3) + delivery(900_012, 'queued', 0, 0),
    delivery(900_013, 'delivered', 5, 1),
  ];
  const undo = `DELETE FROM "docket:webhookdelivery"; DELETE FROM "docket:webhooksubscription"`;
  await withChanges(rows.join(''), undo, async () => {
    const { code, wrong, details } = await examined();
    expect([code, wrong]).toEqual([0, ['webhooks: warning', 'webhooks: warning']]);
    expect(details.map(({ explanation }) => explanation)).toEqual([
      'The service has disabled 1 subscription.',
      '2 deliveries wait, the oldest for 120 minutes.',
    ]);
    const { out } = await docketHere(['status', '--json', '--data', data]);
    expect(JSON.parse(out).contents.running).toMatchObject({
      subscriptions: { active: 1, paused: 0, disabled: 1 },
      deliveriesWaiting: 2,
      deliveriesRetried: 1,
    });
    const { out: shown } = await docketHere(['status', '--data', data]);
    expect(shown).toMatch(/^webhooks +1 active, 0 paused, 1 disabled: see Reason in/m);
    expect(shown).toMatch(/^deliveries +2 waiting, the oldest for 120 min, 1 not accepted yet$/m);
  });
});

it('finds clocks that differ', async () => {
  const installation = await openInstallation(readConfig({ data }, {}));
  try {
    const at = async (skew: number) =>
      (await checkClock(installation, async () => Date.now() + skew)).state;
    expect([await at(0), await at(-1500), await at(60_000), await at(-60_000)]).toEqual([
      'ok',
      'ok',
      'problem',
      'problem',
    ]);
    expect((await checkClock(installation)).state).toBe('ok');
  } finally {
    await installation.stores.close();
    await installation.database.close();
  }
});

it('finds old programs and time zones, and full disks', () => {
  expect([
    checkNode('18.20.0').state,
    checkNode('20.18.9').state,
    checkNode('20.19.0').state,
    checkNode('24.1.0').state,
  ]).toEqual(['problem', 'problem', 'ok', 'ok']);
  const now = Date.parse('2026-11-27');
  expect([
    checkTimeZones(now, '2026b').state,
    checkTimeZones(now, '2024a').state,
    checkTimeZones(now, '').state,
  ]).toEqual(['ok', 'warning', 'warning']);
  const disk = (bytes: number) => checkDisk({ data }, () => bytes).state;
  expect([disk(5e7), disk(5e8), disk(5e9)]).toEqual(['problem', 'warning', 'ok']);
});

it('finds certificates that expire, have expired or do not fit', async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  const certificates = await generate([{ name: 'commonName', value: 'desk.example' }], {
    notBeforeDate: days(-1),
    notAfterDate: days(90),
    keySize: 2048,
  });
  const tls = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(tls.certificate, certificates.cert);
  writeFileSync(tls.key, certificates.private);
  const config = readConfig({ data, tls }, {});
  const on = (count: number) => checkCertificate(config, days(count).getTime())?.state;
  expect([on(0), on(80), on(91), on(-3)]).toEqual(['ok', 'warning', 'problem', 'problem']);
  writeFileSync(tls.key, 'no key');
  expect(on(0)).toBe('problem');
  expect(checkCertificate(readConfig({ data }, {}), Date.now())).toBeUndefined();
});
