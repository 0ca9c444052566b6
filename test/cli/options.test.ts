// This file looks at the command line as a whole: which options a command lists, that completion knows them, that a mistyped directory
// is never made, and that every key of the configuration is explained.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command/options.ts';
import { keyHelp } from '../../src/cli/config/settings-help.ts';
import { docketHere } from './run-docket.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-options-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const optionsIn = (help: string) =>
  [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name);

const PLACE = ['config', 'data'];
const CREATING = [...PLACE, 'model'];

describe('a command lists the options that apply to it, and no others', () => {
  it.each([
    [
      'serve',
      [...CREATING, 'host', 'port', 'rules', 'files-store', 'log-level', 'workers', 'load'],
    ],
    ['start', [...CREATING, 'host', 'port', 'rules', 'files-store', 'log-level', 'requests']],
    ['status', [...CREATING, 'host', 'port', 'json']],
    ['init', [...CREATING, 'admin']],
    ['enable', PLACE],
    ['backup', PLACE],
    ['restore', [...PLACE, 'replace', 'quick']],
    ['load', [...PLACE, 'restart', 'json']],
    ['migrate', [...PLACE, 'plan', 'allow-loss', 'json']],
    ['model check', ['json']],
    ['model apply', [...PLACE, 'plan', 'allow-loss', 'json']],
    ['model diff', [...CREATING, 'json']],
    ['model list', [...PLACE, 'json']],
    ['model rollback', [...PLACE, 'plan', 'allow-loss', 'json']],
    ['model export', [...PLACE, 'out']],
    ['account delete', PLACE],
    ['role delete', PLACE],
    ['settings list', [...PLACE, 'json']],
    ['settings set', [...PLACE, 'reset', 'json']],
    ['files test', [...PLACE, 'store', 'json']],
    ['completion', []],
  ])('%s', async (command, options) => {
    const { code, out } = await docketHere([...command.split(' '), '--help']);
    expect([code, optionsIn(out)]).toEqual([0, [...options, 'help']]);
    expect((await docketHere(['help', ...command.split(' ')])).out).toBe(out);
  });

  it('another option is rejected with exit code 2', async () => {
    const rejected = await docketHere(['account', 'list', '--port', '1']);
    expect(rejected).toMatchObject({ code: 2, out: '', err: expect.stringContaining("'--port'") });
  });
});

describe('a recommended command', () => {
  it
    .skipIf(process.platform === 'win32')
    .each(['./data', 'my data', "Ada's data; echo $HOME", 'a"b\\c'])(
    'names the same directory in a shell: %s',
    (data) => {
      const line = commandLine('enable', { data }).replace('docket', 'printf "%s|"');
      const words = execFileSync('sh', ['-c', line], { encoding: 'utf8' });
      expect(words).toBe(`enable|--data|${data}|`);
    },
  );

  it('has quotes only where they are necessary', () => {
    expect(commandLine('enable', { data: './data' })).toBe('docket enable --data ./data');
  });
});

describe('docket help settings', () => {
  it('explains every key of the schema, those of limits and of the stores included', async () => {
    const { code, out } = await docketHere(['help', 'settings']);
    expect(code).toBe(0);
    for (const { key, meaning, range } of keyHelp())
      expect(out).toContain(`\n${key}\n  ${meaning}\n  values   ${range}\n  default  `);
    expect(out).toContain(
      '\nlimits.pageSize\n  records per page if the client requests no other size\n  values   a whole number from 1 to 250\n  default  20\n  variable DOCKET_LIMITS_PAGE_SIZE\n',
    );
    expect(out).toContain('\nfiles.s3.uploads\n');
  });

  it('every key of the schema has a description of its own', () => {
    expect(keyHelp().filter(({ meaning }) => meaning === '')).toEqual([]);
    const all = keyHelp().map(({ meaning }) => meaning);
    expect(all.filter((meaning, at) => all.indexOf(meaning) !== at)).toEqual([]);
    expect(all.length).toBeGreaterThan(50);
  });

  it('as JSON has type, range, default, variable and meaning of each', async () => {
    const { out } = await docketHere(['help', 'settings', '--json']);
    const keys = JSON.parse(out);
    expect(keys).toHaveLength(keyHelp().length);
    expect(keys).toContainEqual({
      key: 'limits.pageSize',
      type: 'integer',
      range: 'a whole number from 1 to 250',
      default: 20,
      variable: 'DOCKET_LIMITS_PAGE_SIZE',
      meaning: 'records per page if the client requests no other size',
    });
    expect(keys).toContainEqual(
      expect.objectContaining({ key: 'files.ftp.connections', type: 'integer', default: 8 }),
    );
  });

  it('help for what there is not: exit code 2 with the nearest name', async () => {
    expect(await docketHere(['help', 'settngs'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('"settings"'),
    });
  });
});

describe('a mistyped --data', () => {
  it.each([
    'serve --port 0',
    'serve --port 0 --workers 2',
    'status',
    'enable',
    'disable',
    'backup /nowhere/copy',
    'migrate',
    'migrate --plan',
    'account add zoe',
    'account list',
    'account block zoe',
    'account unblock zoe',
    'account delete zoe',
    'account password zoe',
    'account roles zoe',
    'role list',
    'role show agent',
    'role add x',
    'role edit x --description y',
    'role delete x',
    'session list',
    'session end 1',
    'token list',
    'token revoke 1',
    'settings list',
    'settings set logLevel debug',
    'audit list',
    'audit export',
    'audit prune',
    'files test',
    'files check',
    'files move --to local',
    'restore /nowhere/copy',
  ])('%s makes no directory', async (command) => {
    const before = readdirSync(folder);
    const { code, out, err } = await docketHere(
      [...command.split(' '), '--data', join(folder, 'mistyped')],
      {
        DOCKET_PASSWORD: 'correct horse battery',
      },
    );
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/mistyped|nowhere/)]);
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(join(folder, 'mistyped'))).toBe(false);
  });
});

describe('languages', () => {
  it('that the model does not have are rejected with those that it has, before anything is made', async () => {
    const environment = { DOCKET_LANGUAGE: 'sv', DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    for (const words of [['init', '--admin', 'ada'], ['demo'], ['start', '--port', '0']]) {
      const rejected = await docketHere([...words, '--data', join(folder, 'swedish')], environment);
      expect(rejected).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          'language: expected one of "en", "nl", "de", "fr", not "sv".\n',
        ),
      });
      expect(existsSync(join(folder, 'swedish'))).toBe(false);
    }
  }, 60_000);

  it('a model file that cannot be used leaves no directory either', async () => {
    const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    const words = [
      'init',
      '--admin',
      'ada',
      '--data',
      join(folder, 'modelled'),
      '--model',
      'missing.json',
    ];
    expect(await docketHere(words, environment)).toMatchObject({ code: 1 });
    expect(existsSync(join(folder, 'modelled'))).toBe(false);
  });
});
