// This file runs the functions of docs/webhooks.md that verify signatures, with messages that the service would send and with altered ones.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { signatureHeaders } from '../../src/webhooks/sign.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another of 24 bytes .....').toString('base64')}`;
const body = '{"specversion":"1.0","data":{"Description":"Größe"}}';
const now = Date.now();
const signed = (secrets: readonly string[], at = now) =>
  signatureHeaders({ id: '12-751-40', body }, secrets, at);

/** Headers, the body that arrived, and whether the message is genuine. */
const CASES = [
  [signed([SECRET]), body, true],
  [signed([OTHER, SECRET]), body, true],
  [signed([OTHER]), body, false],
  [signed([SECRET]), body.replace('Größe', 'Farbe'), false],
  [signed([SECRET], now - 301_000), body, false],
  [{ ...signed([SECRET]), 'webhook-id': '12-752-40' }, body, false],
] as const;
const expected = CASES.map(([, , isGenuine]) => isGenuine);

/** Runs a program that reads the cases and the secret, and writes a list of booleans. */
async function run(command: string, options: readonly string[], program: string) {
  const env = { ...process.env, CASES: JSON.stringify(CASES), SECRET };
  const { stdout } = await promisify(execFile)(command, [...options, program], { env });
  return JSON.parse(stdout);
}

test('verify signatures in JavaScript', async () => {
  const rest = `const cases = JSON.parse(process.env.CASES);
    console.log(JSON.stringify(cases.map(([headers, body]) => isGenuine(headers, body, process.env.SECRET))));`;
  const options = ['--input-type=module', '-e'];
  expect(await run(process.execPath, options, `${block('js')}\n${rest}`)).toEqual(expected);
});

test.skipIf(spawnSync('python3', ['--version']).error)('verify signatures in Python', async () => {
  const rest = `import json, os
print(json.dumps([is_genuine(headers, body, os.environ["SECRET"]) for headers, body, _ in json.loads(os.environ["CASES"])]))`;
  expect(await run('python3', ['-c'], `${block('python')}\n${rest}`)).toEqual(expected);
});
