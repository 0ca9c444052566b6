// This file finds dynamic properties in rows that have the name of a declared member but cannot become its value, so that a migration
// removes them: records would otherwise have two members of one name.
import type { Dialect } from '../../sql/dialect/dialect.ts';
import { quoted } from '../../sql/fragment.ts';
import type { Layout, StoredLayout } from '../../sql/schema/layout.ts';
import type { MigrationStep } from '../../sql/schema/migration.ts';
import { dropDynamic } from '../../sql/schema/move-dynamic.ts';
import type { Migration } from '../installation-database.ts';

/** The steps that remove dynamic properties with the name of a declared member, in tables that have some. */
export async function droppedDynamic(
  migration: Migration,
  { installed, renamed, layout, rows, dialect }: Stages,
): Promise<readonly MigrationStep[]> {
  const { model } = layout;
  const found: MigrationStep[] = [];
  for (const { source, table } of layout.bySource.values()) {
    const at = renamed.tables.findIndex(({ name }) => name === table.name);
    const [old, next] = [installed.tables[at], renamed.tables[at]];
    if (old === undefined || next === undefined) continue;
    const types = [source.type, ...model.derived(source.type)];
    const declared = types.flatMap((type) => [...model.stored(type).keys()]);
    const from = rows.get(table.name) ?? quoted(table.name);
    for (const { isNeeded, ...step } of dropDynamic(
      { old, table },
      { renamed: next, declared },
      dialect,
    ))
      if ((await migration.read(`SELECT 1 FROM ${from} WHERE ${isNeeded} LIMIT 1`, [])).length > 0)
        found.push(step);
  }
  return found;
}

/** A migration from the installed layout, by the renames, to that of the model. */
interface Stages {
  readonly installed: StoredLayout;
  readonly renamed: StoredLayout;
  readonly layout: Layout;
  /** The rows that exist before the steps, by the name of the table after renames. */
  readonly rows: ReadonlyMap<string, string>;
  readonly dialect: Dialect;
}
