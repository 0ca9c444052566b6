// This file tells the version of the program.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the package's own description, wherever the compiled files stand. */
export function packageVersion(directory: string = import.meta.dirname): string {
  const file = join(directory, 'package.json');
  const parent = dirname(directory);
  if (!existsSync(file)) return parent === directory ? '0' : packageVersion(parent);
  const described: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const version =
    typeof described === 'object' && described !== null && 'version' in described
      ? described.version
      : undefined;
  return typeof version === 'string' ? version : packageVersion(parent);
}
