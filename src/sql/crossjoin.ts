// This file compiles $crossjoin: every combination of rows of several sources, each row of a source under its own variable.
// OData 4.01 URL Conventions, "Addressing the Cross Join of Entity Sets".
import type { CrossjoinPlan } from '../plan/plan.ts';
import { join } from './fragment.ts';
import { type Origin, originOf } from './origin.ts';
import { compilePage } from './read.ts';
import { binding, type Scope } from './scope.ts';
import type { ReadScript } from './script.ts';
import { completed } from './selecting.ts';

export function compileCrossjoin(scope: Scope, plan: CrossjoinPlan): ReadScript {
  const { select, sources, shape } = plan;
  const all = binding(scope, ...sources.map(({ rows }) => rows.row));
  const origins = sources.map(({ rows }) => originOf(all, rows));
  const joined: Origin = {
    from: join(
      origins.map(({ from }) => from),
      ' CROSS JOIN ',
    ),
    conditions: origins.flatMap(({ conditions }) => conditions),
    scope: all,
  };
  return compilePage({ selecting: select, selected: completed(joined, select), shape });
}
