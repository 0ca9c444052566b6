// This file makes the package as `npm pack` does and installs it in an empty folder, beside the packages that it depends on and no
// others. Nothing is downloaded.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { compileSources } from '../compiled.ts';

const root = resolve(import.meta.dirname, '../..');
export const modules = join(root, 'node_modules');

/** What a checkout contains after its build; some of it does not belong into the package. */
const CHECKOUT = [
  'bin',
  'client',
  'console/dist',
  'console/package.json',
  'deploy',
  'docs',
  'examples',
  'models',
  'scripts',
  'src/cli',
  'test/openapi-client/package.json',
  'test/package',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'package.json',
];

export interface InstalledPackage {
  /** The folder of a program that depends on Docket. */
  readonly folder: string;
  /** The command, as npm links it. */
  readonly docket: string;
  /** The paths of the files in the package. */
  readonly files: readonly string[];
  /** The size of the package in bytes. */
  readonly size: number;
}

export function installPackage(): InstalledPackage {
  const base = mkdtempSync(join(tmpdir(), 'docket-package-'));
  const checkout = join(base, 'checkout');
  for (const path of CHECKOUT) cpSync(join(root, path), join(checkout, path), { recursive: true });
  cpSync(compileSources(), join(checkout, 'dist'), { recursive: true });
  const { filename, files, size } = pack(checkout);
  const folder = join(base, 'program');
  const installed = join(folder, 'node_modules', 'docket');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(checkout, filename), '--strip-components=1', '-C', installed]);
  return { folder, docket: link(folder, installed), files, size };
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly string[];
}

function pack(checkout: string): Packed {
  const npm = process.env.npm_execpath ?? '';
  const [command, ...before] = basename(npm) === 'npm-cli.js' ? [process.execPath, npm] : ['npm'];
  const words = [...before, 'pack', '--json', '--ignore-scripts', '--offline'];
  const output = execFileSync(command ?? 'npm', words, { cwd: checkout, encoding: 'utf8' });
  const [{ filename, size, files }] = JSON.parse(output);
  return { filename, size, files: files.map(({ path }: { readonly path: string }) => path) };
}

/** Links the command and the dependencies, and types of Node for programs in TypeScript. */
function link(folder: string, installed: string): string {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(modules, name), target, 'junction');
  }
  const command = join(folder, 'node_modules', '.bin', 'docket');
  mkdirSync(dirname(command), { recursive: true });
  symlinkSync(join('..', 'docket', manifest.bin.docket), command);
  return command;
}
