// Compiles $crossjoin: all combinations of the rows of several sources, with a variable for each source. For $apply, each combination
// becomes a row of identities.
// OData 4.01 URL Conventions, "Addressing the Cross Join of Entity Sets"; Data Aggregation 4.0, "Cross-Joins and Aggregation".
import type { CrossjoinPlan } from '../../plan/read-plan.ts';
import { applyAll } from '../apply/apply.ts';
import { nextStage } from '../apply/transformation-rows.ts';
import { derivedColumns } from '../derived-column.ts';
import { type Fragment, join, sql, where } from '../fragment.ts';
import { bindRows, type Scope } from '../scope.ts';
import type { ReadScript } from '../script.ts';
import { compilePage } from './read.ts';
import { type Origin, originOf } from './row-source.ts';
import { selectRows, selectStage } from './select-rows.ts';
import { identityColumn } from './union-source.ts';

export function compileCrossjoin(scope: Scope, plan: CrossjoinPlan): ReadScript {
  const { select, shape, combined } = plan;
  const joined = joinedRows(scope, plan);
  if (combined === undefined) {
    return compilePage({ selecting: select, selected: selectRows(joined, select), shape });
  }
  const start = nextStage(scope, combined, identities(joined, plan));
  const selected = selectStage(applyAll(start, select.apply), select);
  return compilePage({ selecting: select, selected, shape });
}

function joinedRows(scope: Scope, { sources, where: filters }: CrossjoinPlan): Origin {
  const all = bindRows(scope, ...sources.map(({ rows }) => rows.row));
  const origins = sources.map(({ rows }) => originOf(all, rows));
  const conditions = filters.map((condition) => scope.condition(all, condition));
  return {
    from: join(
      origins.map(({ from }) => from),
      ' CROSS JOIN ',
    ),
    conditions: [...origins.flatMap((origin) => origin.conditions), ...conditions],
    scope: all,
  };
}

/** `SELECT t1."Id" AS "c1", t2."Id" AS "c2" FROM …`. */
function identities({ scope, from, conditions }: Origin, { sources }: CrossjoinPlan): Fragment {
  const columns = sources.map(({ rows }) => identityColumn(scope, rows.row));
  return sql`SELECT ${derivedColumns(columns)} FROM ${from}${where(conditions)}`;
}
