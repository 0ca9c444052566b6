// This file lets the service calculate the clocks of open rows again after a migration that has added what it stores of them.
import { clocksOf, scheduleOf } from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import type { Source } from '../../edm/source.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
import type { Layout, StoredLayout } from '../../sql/schema/layout.ts';
import type { Statement } from '../../sql/script.ts';
import { outdateOpenRows } from '../../sql/write/clocks.ts';
import { statement } from '../../sql/write/steps.ts';
import { bindParameters, type Work } from '../database.ts';
import { change } from '../work.ts';

interface ClockTable {
  readonly source: Source;
  readonly rules: ClockRules;
  readonly table: string;
}

/** The tables that have columns for schedules, but did not have them in the installed layout. */
export function tablesWithoutSchedules(
  installed: StoredLayout,
  { model, bySource }: Layout,
): readonly ClockTable[] {
  return [...bySource.values()].flatMap(({ source, table, clocks }) => {
    const before = installed.tables.find(({ name }) => name === table.name);
    const rules = clocksOf(model, source.type);
    if (before === undefined || !rules?.clocks.some(scheduleOf)) return [];
    const known = new Set(before.columns.map(({ name }) => name));
    const isKnown = [...clocks.values()].every(({ schedule }) => known.has(schedule));
    return isKnown ? [] : [{ source, rules, table: table.name }];
  });
}

/** Marks the clocks of open rows as outdated since now. */
export function* outdateClocks(
  tables: readonly ClockTable[],
  scope: { readonly layout: Layout; readonly dialect: Dialect },
): Work<void> {
  for (const one of tables) {
    yield changeAsNobody(statement(outdateOpenRows(one, scope), scope));
  }
}

/** A change that no request makes. */
export function changeAsNobody(statement: Statement): ReturnType<typeof change> {
  const context = { ...NOBODY, now: new Date().toISOString(), present: null };
  return change(statement, bindParameters(statement, context));
}

const NOBODY = {
  me: null,
  account: '',
  accountKey: null,
  session: null,
  cause: null,
  root: '',
  request: '',
  positions: null,
};
