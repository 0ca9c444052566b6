// Reads the version of the program from package.json.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the closest package.json above a directory, which works for sources and for compiled files. */
export function packageVersion(directory: string = import.meta.dirname): string {
  const file = join(directory, 'package.json');
  const parent = dirname(directory);
  if (!existsSync(file)) return parent === directory ? '0' : packageVersion(parent);
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? manifest.version
      : undefined;
  return typeof version === 'string' ? version : packageVersion(parent);
}
