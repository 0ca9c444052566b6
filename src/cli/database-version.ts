// This file keeps the version of Docket that has made or last migrated a database, so that older versions do not migrate it back.
import { Fault } from '../base/fault.ts';
import type { Work } from '../store/database.ts';
import type { InstallationDatabase } from '../store/installation-database.ts';
import { storeSetting } from '../store/installation-settings.ts';
import { packageVersion } from './version.ts';

const PROGRAM_SETTING = 'program-version';

/** Stores the version of this program, as part of a migration or of the creation of a database. */
export function storeProgramVersion(): Work<void> {
  return storeSetting(PROGRAM_SETTING, packageVersion());
}

/** Versions before 0.2.0 have stored none. Throws: store.newer-version. */
export async function requireNoNewerVersion(
  database: Pick<InstallationDatabase, 'setting'>,
): Promise<void> {
  const stored = await database.setting(PROGRAM_SETTING);
  const version = packageVersion();
  if (stored !== undefined && isNewer(stored, version))
    throw new Fault('store.newer-version', { stored, version });
}

/** Compares major, minor and patch version. */
function isNewer(left: string, right: string): boolean {
  const [leftParts, rightParts] = [left, right].map((one) => one.split(/[.-]/, 3).map(Number));
  const differing = leftParts?.findIndex((part, at) => part !== rightParts?.[at]) ?? -1;
  return differing >= 0 && (leftParts?.[differing] ?? 0) > (rightParts?.[differing] ?? 0);
}
