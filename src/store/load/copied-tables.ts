// This file lists the tables that a copy of an installation consists of, as data: their columns, their keys, and the rows to copy.
import { type Fragment, sql } from '../../sql/fragment.ts';
import { engineTableColumns, LAYOUT_SETTING } from '../../sql/schema/ddl.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { StoredLayout } from '../../sql/schema/layout.ts';
import { allEngineTables, ENGINE_SETTING } from '../model-tables.ts';
import { SLOW_STATEMENT_TABLE } from '../tuning/slow-statements.ts';

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in which order rows are read. */
  readonly key: readonly string[];
  /** The column whose numbers the database generates, if there is one. */
  readonly generated?: string | undefined;
  /** The condition of rows that are copied. */
  readonly condition?: Fragment | undefined;
}

/** The setting of an incomplete copy that holds how far it is. */
export const COPY_SETTING = 'copy';

/** Rows that each database has of its own: definitions of its tables, the versions of tables, marks of commits, and slow statements. */
const CONDITIONS: Readonly<Record<string, Fragment>> = {
  docket_setting: sql`"name" NOT IN (${list(ENGINE_SETTING, LAYOUT_SETTING, COPY_SETTING)}) AND "name" NOT LIKE 'load.%'`,
  [SLOW_STATEMENT_TABLE.name]: sql`1 = 0`,
  docket_sequence: sql`"name" NOT LIKE 'changes of %' AND "name" NOT LIKE 'commits of %'`,
};

function list(...names: readonly string[]): Fragment {
  return { texts: [names.map((name) => `'${name}'`).join(', ')], pieces: [] };
}

/** All tables, those of the engine first. `more` are the tables of other modules. */
export function copiedTables(
  layout: StoredLayout,
  more: readonly EngineTable[],
): readonly CopiedTable[] {
  return [
    ...allEngineTables(more).map((table) => {
      const { all, key, generated } = engineTableColumns(table);
      return { name: table.name, columns: all, key, generated, condition: CONDITIONS[table.name] };
    }),
    ...layout.tables.map(({ name, columns, identity }) => ({
      name,
      columns: columns.map((column) => column.name),
      key: [identity],
    })),
    ...layout.links.map(({ name }) => ({ name, columns: ENDS, key: ENDS })),
  ];
}

const ENDS = ['source', 'target'];
