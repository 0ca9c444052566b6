// This file describes the tables of the engine itself, which no model defines, as data. ddl.ts writes them as SQL.
import type { Storage } from './value-storage.ts';

export interface EngineTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, EngineColumn>>;
  /** The columns of the primary key, if there are several. */
  readonly key?: readonly string[];
  /** Whether rows are found by primary key only. */
  readonly keyed?: boolean;
  /** Columns by index name. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  /** The statement that inserts the first row. */
  readonly firstRow?: string;
}

/** identity: the key, which the database generates if none is given. numbered: the same, never reusing the number of a deleted row. */
interface EngineColumn {
  readonly kind: Storage['kind'] | 'identity' | 'numbered';
  readonly notNull?: boolean;
  readonly key?: boolean;
  readonly unique?: boolean;
}

/** A column that must not be null. */
export function required(
  kind: Storage['kind'],
  constraint: Pick<EngineColumn, 'key' | 'unique'> = {},
): EngineColumn {
  return { kind, notNull: true, ...constraint };
}

/** A column that may be null. */
export function optional(kind: Storage['kind']): EngineColumn {
  return { kind };
}

export function primaryKey(kind: Storage['kind']): EngineColumn {
  return { kind, key: true };
}

export const IDENTITY: EngineColumn = { kind: 'identity' };

export const NUMBERED: EngineColumn = { kind: 'numbered' };
