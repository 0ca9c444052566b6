// This file compiles the change of a row that is there: what it was before is read first, so that nothing is written, noted or told in
// the history where nothing changes. OData Protocol 4.01, "Update an Entity".
import type { Register } from '../../plan/write-plan.ts';
import { type Fragment, list, name, sql } from '../fragment.ts';
import { type TableUse, tableOf } from '../schema/layout.ts';
import { noteChange } from './change-log.ts';
import type { Setting } from './column-values.ts';
import { historyEntry } from './history.ts';
import { noteFormerTargets } from './previous-relations.ts';
import { identityOf, rowIs, run, stamps, statement, type WriteScope } from './steps.ts';
import type { ScriptStep, TrackedColumn, UpdateStep } from './write-script.ts';

/** A change of columns, with notes of what the row will no longer refer to. `computed` are statements to be run after a change. */
export function changeColumns(
  row: Register,
  settings: readonly Setting[],
  computed: readonly Fragment[],
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, row.source);
  const notes = noteFormerTargets(scope.layout, use, settings, rowIs(use, row));
  return [...notes.map((note) => run(note, scope)), updateStep(row, settings, computed, scope)];
}

/** A change of columns: versions, stamps, history and the note of the change are the same for all of them. */
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
  const made = settings.filter((setting) => !isPlain(setting.content));
  const looked = [
    ...settings.map((setting) => name(setting.column.name)),
    ...made.map((setting) => setting.content),
  ];
  return {
    kind: 'update',
    row: row.name,
    before: statement(
      sql`SELECT ${list(looked)} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)}`,
      scope,
    ),
    tracked: trackedColumns(use, settings, made, scope),
    statement: statement(
      sql`UPDATE ${name(use.table.name)} SET ${list([...assignments, ...stamps(use, scope)])} WHERE ${rowIs(use, row)}`,
      scope,
    ),
    afterwards: [...computed, noteChange('update', row.source, identityOf(row))].map((fragment) =>
      statement(fragment, scope),
    ),
  };
}

/** Where the new value of each setting is found: as a parameter, or, where the database makes it, behind the old ones. */
function trackedColumns(
  use: TableUse,
  settings: readonly Setting[],
  made: readonly Setting[],
  scope: WriteScope,
): readonly TrackedColumn[] {
  let next = 0;
  return settings.map((setting) => {
    const at = next;
    next += setting.content.parameters.length;
    const after = isPlain(setting.content)
      ? ({ kind: 'parameter', index: at } as const)
      : ({ kind: 'column', index: settings.length + made.indexOf(setting) } as const);
    const history = historyEntry(scope, use, setting);
    return { property: setting.path, after, ...(history === undefined ? {} : { history }) };
  });
}

/** One bound value and nothing else. */
function isPlain({ parameters, texts }: Fragment): boolean {
  return parameters.length === 1 && texts.every((piece) => piece === '');
}
