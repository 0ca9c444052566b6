// This file compiles $crossjoin: every combination of rows of several sources, each row of a source under its own variable. Where
// $apply transforms the combinations, each becomes a row of the identities of its entities.
// OData 4.01 URL Conventions, "Addressing the Cross Join of Entity Sets"; Data Aggregation 4.0, "Cross-Joins and Aggregation".
import type { CrossjoinPlan } from '../../plan/read-plan.ts';
import { applyAll } from '../apply/apply.ts';
import { nextStage } from '../apply/transformation-rows.ts';
import { column, type Fragment, join, list, name, sql, where } from '../fragment.ts';
import { aliasOf, binding, type Scope } from '../scope.ts';
import type { ReadScript } from '../script.ts';
import { compilePage } from './read.ts';
import { type Origin, originOf } from './row-source.ts';
import { completed, finished } from './select-rows.ts';
import { useOf } from './union-source.ts';

export function compileCrossjoin(scope: Scope, plan: CrossjoinPlan): ReadScript {
  const { select, shape, combined } = plan;
  const joined = joinedRows(scope, plan);
  if (combined === undefined) {
    return compilePage({ selecting: select, selected: completed(joined, select), shape });
  }
  const start = nextStage(scope, combined, identities(joined, plan));
  const selected = finished(applyAll(start, select.apply), select);
  return compilePage({ selecting: select, selected, shape });
}

function joinedRows(scope: Scope, { sources, where: chosen }: CrossjoinPlan): Origin {
  const all = binding(scope, ...sources.map(({ rows }) => rows.row));
  const origins = sources.map(({ rows }) => originOf(all, rows));
  const conditions = chosen.map((condition) => scope.condition(all, condition));
  return {
    from: join(
      origins.map(({ from }) => from),
      ' CROSS JOIN ',
    ),
    conditions: [...origins.flatMap((origin) => origin.conditions), ...conditions],
    scope: all,
  };
}

/** `SELECT t1."Id" AS "Animals", t2."Id" AS "Keepers" FROM …`. */
function identities({ scope, from, conditions }: Origin, { sources }: CrossjoinPlan): Fragment {
  const columns = sources.map(({ name: of, rows }) => {
    const { table } = useOf(scope.layout, rows.row.source);
    return sql`${column(aliasOf(scope, rows.row), table.identity)} AS ${name(of)}`;
  });
  return sql`SELECT ${list(columns)} FROM ${from}${where(conditions)}`;
}
