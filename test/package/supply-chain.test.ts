// This file tests what a release says about the packages in it: the software bill of materials, their licences, and where they come from.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isPermitted } from '../../scripts/licences.mjs';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** The packages of a release by their folders: those of the program and of the console, without those for development. */
const locked: readonly (readonly [folder: string, Locked])[] = Object.entries<Locked>(
  read('package-lock.json').packages,
).filter(
  ([folder, { dev, devOptional, link }]) =>
    /node_modules\//.test(folder) && !dev && !devOptional && !link,
);

const nameOf = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 13);

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the bill
type Json = any;

describe('the bill of materials', () => {
  let bill: Json;
  beforeAll(() => {
    const script = join(root, 'scripts', 'sbom.mjs');
    const output = execFileSync(process.execPath, [script], { encoding: 'utf8' });
    bill = JSON.parse(output);
  }, 120_000);

  it('is CycloneDX, and about this version of Docket', () => {
    const { name, version } = read('package.json');
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bill.metadata.component).toMatchObject({
      name,
      version,
      type: 'application',
      purl: `pkg:npm/${name}@${version}`,
    });
  });

  it('lists each package of the program and of the console with its hash, and no others', () => {
    const listed = bill.components.map((one: Json) =>
      decodeURIComponent(one.purl.replace('pkg:npm/', '')),
    );
    const expected = new Set(locked.map(([folder, { version }]) => `${nameOf(folder)}@${version}`));
    expect(new Set(listed)).toEqual(expected);
    expect([...expected]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^pg@/),
        expect.stringMatching(/^react@/),
        expect.stringMatching(/^@node-rs\/argon2-linux-x64-gnu@/),
      ]),
    );
    for (const { hashes, name } of bill.components)
      expect([name, hashes[0].content]).toEqual([name, expect.stringMatching(/^[\da-f]{128}$/)]);
  });

  it('says why each package is there', () => {
    const needs = new Map<string, readonly string[]>(
      bill.dependencies.map(({ ref, dependsOn }: Json) => [ref, dependsOn]),
    );
    const reached = new Set<string>();
    const follow = (ref: string) => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const one of needs.get(ref) ?? []) follow(one);
    };
    follow(bill.metadata.component['bom-ref']);
    const listed: readonly string[] = bill.components.map((one: Json) => one['bom-ref']);
    expect(listed.filter((ref) => !reached.has(ref))).toEqual([]);
    expect(
      needs.get(`pkg:npm/fastify@${read('package.json').dependencies.fastify}`),
    ).toContainEqual(expect.stringMatching(/^pkg:npm\/pino@/));
  });

  it('refers only to what it lists', () => {
    const known = new Set([
      bill.metadata.component['bom-ref'],
      ...bill.components.map((one: Json) => one['bom-ref']),
    ]);
    for (const { ref, dependsOn } of bill.dependencies)
      expect([ref, [ref, ...dependsOn].filter((one) => !known.has(one))]).toEqual([ref, []]);
  });
});

describe('licences', () => {
  it('of all packages of a release are permitted', () => {
    const denied = locked
      .map(([folder, { license }]) => [folder, license ?? licenceOf(folder)] as const)
      .filter(([, licence]) => !isPermitted(licence));
    expect(locked.length).toBeGreaterThan(200);
    expect(denied).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['GPL-3.0-only OR (ISC AND MIT)', true],
    ['MIT AND ISC AND BSD-3-Clause', true],
    ['GPL-3.0-only', false],
    ['MIT AND GPL-3.0-only', false],
    ['MIT AND (GPL-3.0-only OR AGPL-3.0-only)', false],
    ['MIT ISC', false],
    ['(MIT', false],
    ['', false],
    ['UNLICENSED', false],
    ['SEE LICENSE IN LICENSE', false],
  ])('%s: %s', (expression, expected) => {
    expect(isPermitted(expression)).toBe(expected);
  });
});

/** Old packages state their licence in their own manifest only. */
function licenceOf(folder: string): string {
  const file = join(folder, 'package.json');
  return existsSync(join(root, file)) ? String(read(file).license ?? '') : '';
}

it('packages come from the registry, each with a hash and pinned to a version', () => {
  // The lock file leaves out addresses in the registry that is configured, and has those of other places.
  const open = locked.filter(
    ([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
  );
  expect(open.map(([folder]) => folder)).toEqual([]);
  for (const file of ['package.json', 'console/package.json'])
    for (const [name, version] of Object.entries(read(file).dependencies))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});
