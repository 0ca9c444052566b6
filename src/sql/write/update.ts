// Compiles updates of existing rows. The previous values are read first: if nothing changes, neither the row nor the change log nor the
// history is written. OData Protocol 4.01, "Update an Entity".
import type { Register } from '../../plan/write-plan.ts';
import {
  type Fragment,
  isParameter,
  list,
  name,
  parametersOf,
  sql,
  tableName,
} from '../fragment.ts';
import { type TableUse, tableOf } from '../schema/layout.ts';
import { logChange } from './change-log.ts';
import type { Setting } from './column-values.ts';
import { historyEntry } from './history.ts';
import { logReplacedReferences } from './lost-relations.ts';
import {
  identityOf,
  rowIs,
  rowStatement,
  run,
  stamps,
  statement,
  type WriteScope,
} from './steps.ts';
import type { ScriptStep, TrackedColumn, UpdateStep } from './write-script.ts';

/** A change of columns, including change log entries for replaced references. `computed` statements run after the change. */
export function changeColumns(
  row: Register,
  settings: readonly Setting[],
  computed: readonly Fragment[],
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, row.source);
  const entries = logReplacedReferences(scope, use, settings, rowIs(use, row));
  return [...entries.map((entry) => run(entry, scope)), updateStep(row, settings, computed, scope)];
}

/** A change of columns with version, stamps, history and change log entry. */
export function updateStep(
  row: Register,
  settings: readonly Setting[],
  computed: readonly Fragment[],
  scope: WriteScope,
): UpdateStep {
  const use = tableOf(scope.layout, row.source);
  const assignments = settings.map(
    (setting) => sql`${name(setting.column.name)} = ${setting.content}`,
  );
  const change = (set: readonly Fragment[]) =>
    rowStatement(
      sql`UPDATE ${tableName(use.table.name)} SET ${list(set)} WHERE ${rowIs(use, row)}`,
      row,
      scope,
    );
  const computedSettings = settings.filter((setting) => !isParameter(setting.content));
  const before = [
    ...settings.map((setting) => name(setting.column.name)),
    ...computedSettings.map((setting) => setting.content),
  ];
  return {
    kind: 'update',
    row: row.name,
    before: rowStatement(
      sql`SELECT ${list(before)} FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)}`,
      row,
      scope,
    ),
    tracked: trackedColumns(use, settings, computedSettings, scope),
    statement: change([...assignments, ...stamps(use, scope)]),
    again: change(assignments),
    afterwards: [...computed, logChange('update', row.source, identityOf(row))].map((fragment) =>
      statement(fragment, scope),
    ),
  };
}

/** Locates the new value of each setting: a parameter of the update, or a column after the old values if the database computes it. */
function trackedColumns(
  use: TableUse,
  settings: readonly Setting[],
  computedSettings: readonly Setting[],
  scope: WriteScope,
): readonly TrackedColumn[] {
  let next = 0;
  return settings.map((setting) => {
    const at = next;
    next += parametersOf(setting.content).length;
    const after = isParameter(setting.content)
      ? ({ kind: 'parameter', index: at } as const)
      : ({
          kind: 'column',
          index: settings.length + computedSettings.indexOf(setting),
        } as const);
    const history = historyEntry(scope, use, setting);
    return { property: setting.path, after, history, isKept: setting.isKept };
  });
}
