// This file decides which SQLite driver is used. scripts/setup.mjs runs it before anything is installed or compiled, to see whether a
// driver must be compiled; it therefore imports nothing.

/** The part of node:sqlite that the driver uses. Source: Node.js, "SQLite". */
export interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options?: {
      readonly readOnly: boolean;
      readonly timeout: number;
      readonly readBigInts: boolean;
      readonly returnArrays: boolean;
    },
  ) => NodeDatabase;
}

type NodeValue = null | bigint | number | string | Uint8Array;

interface NodeDatabase {
  readonly isTransaction: boolean;
  prepare(text: string): NodeStatement;
  exec(script: string): void;
  function(
    name: string,
    options: {
      readonly deterministic: boolean;
      readonly varargs: boolean;
      readonly useBigIntArguments: boolean;
    },
    implementation: (...values: NodeValue[]) => NodeValue,
  ): void;
  close(): void;
}

export interface NodeStatement {
  /** Undefined if a text is longer than JavaScript permits. */
  all(...values: readonly NodeValue[]): readonly (readonly NodeValue[])[] | undefined;
  iterate(...values: readonly NodeValue[]): Iterable<readonly NodeValue[]>;
  get(...values: readonly NodeValue[]): readonly NodeValue[] | undefined;
  run(...values: readonly NodeValue[]): { readonly changes: number | bigint };
  columns(): readonly unknown[];
}

/** The environment variable that names the driver to use; only `better-sqlite3` makes a difference. */
const VARIABLE = 'DOCKET_SQLITE_DRIVER';

/** The module node:sqlite, or undefined where better-sqlite3 is used: in a Node without it or with an early version of it. */
export function builtInSqlite(): NodeSqlite | undefined {
  if (process.env[VARIABLE] === 'better-sqlite3') return undefined;
  const module = loadQuietly();
  return module !== undefined && keepsText(module) ? module : undefined;
}

/** The name of the driver in use. */
export function driverName(): 'node:sqlite' | 'better-sqlite3' {
  return builtInSqlite() === undefined ? 'better-sqlite3' : 'node:sqlite';
}

/** Loads the module without the warning that it is experimental, which Node prints in some versions. */
function loadQuietly(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Early versions cut text at U+0000. They also lack other parts, so this is the first test that a version must pass. */
function keepsText({ DatabaseSync }: NodeSqlite): boolean {
  const database = new DatabaseSync(':memory:');
  const [row] = database.prepare('SELECT ? AS text').all('\0') ?? [];
  database.close();
  return Object.values(row ?? {})[0] === '\0';
}
