// This file runs the programs of docs/tour.md against a demo installation, each in a process of its own, and compares what they print.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN } from '../make-demo.ts';
import { type Demo, openDemo } from './open-demo.ts';
import { differsFrom } from './read-pages.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../docs/tour.md'), 'utf8');

/** Programs that run a block of each language. */
const RUNS: ReadonlyMap<string, readonly [command: string, ...options: string[]]> = new Map([
  ['bash', ['bash', '-c']],
  ['js', [process.execPath, '--input-type=module', '-e']],
  ['python', ['python3', '-c']],
]);

/** What a block needs besides its own command. */
const NEEDS: Readonly<Record<string, string>> = { bash: 'curl', python: 'python3' };

const isMissing = (language: string) => {
  const command = NEEDS[language];
  return command !== undefined && spawnSync(command, ['--version']).error !== undefined;
};

const programs = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', program = '', output = '']) => ({ language, program, output }),
);

let demo: Demo;
let server: string;
beforeAll(async () => {
  demo = await openDemo();
  server = await demo.app.server.listen({ host: '127.0.0.1', port: 0 });
}, 60_000);
afterAll(async () => await demo.close());

test('the page has a program in each language', () => {
  expect(programs.map(({ language }) => language)).toEqual([...RUNS.keys()]);
});

for (const { language, program, output } of programs)
  test.skipIf(isMissing(language))(`in ${language}`, async () => {
    const [command = '', ...options] = RUNS.get(language) ?? [];
    const env = { ...process.env, DOCKET_URL: server, DOCKET_PASSWORD: ADMIN.password };
    const { stdout } = await promisify(execFile)(command, [...options, program], { env });
    // CSV has lines that end with CR and LF.
    expect(differsFrom(output.trim(), stdout.replaceAll('\r', '').trim())).toBeUndefined();
  });
