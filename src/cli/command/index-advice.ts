// The command `docket index advise`: the slow statements that services have recorded, and the indexes that would help them.

import { memberText } from '../../sql/schema/layout.ts';
import {
  type Advice,
  adviseIndexes,
  commandFor,
  setOf,
  timeOf,
} from '../../store/tuning/index-advice.ts';
import {
  clearSlowStatements,
  readSlowStatements,
  type StoredStatement,
} from '../../store/tuning/slow-statements.ts';
import { type Columns, type Invocation, withInstallation } from '../invocation.ts';
import { table } from '../terminal.ts';
import { databaseOf, type Installation } from '../wire.ts';

/** `docket index advise`. Throws: store.not-installed. */
export async function adviseOnIndexes(invocation: Invocation): Promise<void> {
  const { config, flags, terminal } = invocation;
  await withInstallation(invocation, async (installation) => {
    if (flags.clear === true) {
      await clearSlowStatements(installation.database);
      terminal.print(
        flags.json === true
          ? JSON.stringify({ indexes: [], statements: [] }, null, 2)
          : 'The slow statements have been forgotten.',
      );
      return;
    }
    const statements = await readSlowStatements(installation.database);
    const advice = await adviceFor(statements, installation);
    const helped = new Set(advice.flatMap((one) => one.statements));
    const listed = statements.map((one) => ({
      ...listedStatement(one),
      isHelped: helped.has(one),
    }));
    const indexes = advice.map((one) => listedAdvice(one, installation));
    if (flags.json === true)
      terminal.print(JSON.stringify({ indexes, statements: listed }, null, 2));
    else if (listed.length === 0)
      terminal.print(
        `No slow statements have been recorded. Those that take more than ${config.limits.slowMilliseconds} ms are (limits.slowMilliseconds).`,
      );
    else terminal.print(printed(indexes, listed));
  });
}

async function adviceFor(
  statements: readonly StoredStatement[],
  { config, layout, dialect }: Installation,
): Promise<readonly Advice[]> {
  const builder = await (await databaseOf(config)).openIndexes();
  try {
    return adviseIndexes(statements, layout, dialect, builder.wouldUse);
  } finally {
    await builder.close();
  }
}

type ListedStatement = ReturnType<typeof listedStatement> & { readonly isHelped: boolean };

function listedStatement(one: StoredStatement) {
  return {
    template: one.template,
    count: one.count,
    totalMilliseconds: one.microseconds / 1000,
    meanMilliseconds: one.microseconds / one.count / 1000,
    longestMilliseconds: one.longest / 1000,
    rows: one.rows,
    last: one.at,
  };
}

type ListedAdvice = ReturnType<typeof listedAdvice>;

function listedAdvice(advice: Advice, { layout }: Installation) {
  const { statements, columns, isConfirmed } = advice;
  const count = statements.reduce((sum, one) => sum + one.count, 0);
  const use = [...layout.bySource.values()].find((one) => one.table === advice.table);
  const set = use === undefined ? advice.table.name : setOf(use);
  const members = columns.map(memberText);
  return {
    set,
    members,
    statements: statements.length,
    count,
    totalMilliseconds: timeOf(advice) / 1000,
    meanMilliseconds: timeOf(advice) / count / 1000,
    isConfirmed,
    command: commandFor(advice, layout),
  };
}

function printed(indexes: readonly ListedAdvice[], statements: readonly ListedStatement[]): string {
  const parts = [listText(statements, STATEMENT_COLUMNS)];
  if (indexes.length > 0) parts.push('', listText(indexes, ADVICE_COLUMNS));
  else parts.push('', 'No index would help them.');
  return parts.join('\n');
}

function listText<Item>(items: readonly Item[], columns: Columns<Item>): string {
  return table(
    columns.map(([heading]) => heading),
    items.map((item) => columns.map(([, cell]) => cell(item))),
  );
}

const STATEMENT_COLUMNS: Columns<ListedStatement> = [
  ['Count', ({ count }) => String(count)],
  ['Mean', ({ meanMilliseconds }) => timeText(meanMilliseconds)],
  ['Longest', ({ longestMilliseconds }) => timeText(longestMilliseconds)],
  ['Helped', ({ isHelped }) => (isHelped ? 'yes' : 'no')],
  ['Statement', ({ template }) => template],
];

const ADVICE_COLUMNS: Columns<ListedAdvice> = [
  ['Statements', ({ statements }) => String(statements)],
  ['Count', ({ count }) => String(count)],
  ['Total', ({ totalMilliseconds }) => timeText(totalMilliseconds)],
  ['Confirmed', ({ isConfirmed }) => (isConfirmed ? 'by the planner' : 'by rule')],
  ['Command', ({ command }) => command],
];

function timeText(milliseconds: number): string {
  return milliseconds < 10_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}
