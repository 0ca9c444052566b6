// Reads the version of the program from package.json.
import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../base/package-root.ts';

let version: string | undefined;

/** The version of the program. */
export function packageVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
