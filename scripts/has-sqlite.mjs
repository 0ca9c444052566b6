// This file tells whether Docket uses the SQLite that this Node contains. It runs before anything is installed or compiled.

/** A Node with a suitable SQLite can import TypeScript, too. */
export async function hasSqlite() {
  if (!process.features.typescript) return false;
  const { builtInSqlite } = await import('../src/store/sqlite/driver-choice.ts');
  return builtInSqlite() !== undefined;
}
