// This file counts rows by code text. It groups by the code first, which an index may serve, and then merges groups whose codes share
// a text. The text is looked up per group instead of per row.
//     groupby((Status/Text),aggregate($count as N))
//     SELECT (SELECT "text" … = p.g1), sum(p.n) FROM (SELECT t1."Status" AS g1, count(*) AS n FROM … GROUP BY t1."Status") p GROUP BY 1
import type { Aggregation, DerivedColumn, Grouping } from '../../bind/bound.ts';
import { codeOfText, codeText } from '../expression/property.ts';
import { type Fragment, list, name, sql, where } from '../fragment.ts';
import { countOf } from './aggregation-methods.ts';
import { columnsOf, type Stage, selectColumns, toColumn } from './transformation-rows.ts';

/** Groups of one grouping set. */
export interface CodeGroups {
  readonly groupings: readonly Grouping[];
  readonly aggregations: readonly Aggregation[];
  /** The value of each grouping, by position. */
  readonly keys: readonly Fragment[];
  /** Positions of the groupings in this set. */
  readonly set: readonly number[];
}

/** The rows of the groups; undefined unless they are row counts by code text. */
export function countByCodes(
  stage: Stage,
  grouped: CodeGroups,
  output: Parameters<typeof columnsOf>[0],
): Fragment | undefined {
  const { groupings, aggregations, set } = grouped;
  const isCount = ({ expression, over, from }: Aggregation) =>
    expression === undefined && over === undefined && from.length === 0;
  const isWhole = set.length === groupings.length && set.length > 0;
  if (!isWhole || stage.partition.length > 0 || stage.row.kind !== 'entity') return undefined;
  if (aggregations.length === 0 || !aggregations.every(isCount)) return undefined;
  // Further columns would show which groupings are left out.
  if (columnsOf(output).length !== groupings.length + aggregations.length) return undefined;
  const parts = groupings.map((grouping, index) => partOf(stage, grouped, grouping, index));
  if (!parts.some(({ isCode }) => isCode)) return undefined;
  const selected = parts.map(({ raw, as }) => sql`${raw} AS ${as}`);
  const rows = sql`SELECT ${list([...selected, sql`count(*) AS n`])} FROM ${stage.from}${where(stage.conditions)} GROUP BY ${list(parts.map(({ raw }) => raw))}`;
  const total = countOf(stage.scope.dialect.values.aggregate('sum', countOf(sql`p.n`)));
  const shownAs = (column: DerivedColumn): Fragment => {
    const at = groupings.findIndex((grouping) => grouping.name === column.name);
    return parts[at]?.shown ?? toColumn(stage.scope, total, column);
  };
  const groups = parts.map(({ shown }) => shown);
  return sql`SELECT ${selectColumns(output, shownAs)} FROM (${rows}) p GROUP BY ${list(groups)}`;
}

interface Part {
  readonly isCode: boolean;
  /** The value that rows are grouped by, and its alias. */
  readonly raw: Fragment;
  readonly as: Fragment;
  /** The value in the result. */
  readonly shown: Fragment;
}

function partOf(
  { scope }: Stage,
  { keys }: CodeGroups,
  { name: key, type, expression }: Grouping,
  index: number,
): Part {
  const as = name(`g${index + 1}`);
  const code = codeOfText(scope, expression);
  const raw = code?.sql ?? keys[index] ?? sql`NULL`;
  if (code === undefined) return { isCode: false, raw, as, shown: sql`p.${as}` };
  const text = codeText(scope, { ...code, sql: sql`p.${as}` });
  return { isCode: true, raw, as, shown: toColumn(scope, text, { name: key, type }) };
}
