// This file reads a setting of a database without opening the installation.
import { connect, firstCell } from './connection.ts';

/** The setting with that name; undefined if it is not set or the file holds no installation. */
export function storedText(file: string, setting: string): string | undefined {
  const connection = connect(file, true);
  try {
    const tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'docket_setting'";
    if (firstCell(connection, tables) === 0n) return undefined;
    const found = firstCell(connection, 'SELECT "value" FROM "docket_setting" WHERE "name" = ?', [
      setting,
    ]);
    return typeof found === 'string' ? found : undefined;
  } finally {
    connection.close();
  }
}
