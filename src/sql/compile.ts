// The entry point of the module: compiles a plan into a script, as a pure function of plan, layout and dialect.
// Throws: not-built for features that are not implemented. Any other plan from plan/ compiles.
import { unreachable } from '../base/fault.ts';
import { perPair } from '../base/memo.ts';
import type { ChainPlan, Plan, ReadPlan } from '../plan/read-plan.ts';
import type { Register, WritePlan } from '../plan/write-plan.ts';
import type { Dialect } from './dialect/dialect.ts';
import { makeScope } from './expression/expression.ts';
import { compileCrossjoin } from './read/crossjoin.ts';
import { compileDelta } from './read/delta.ts';
import { compileEvaluation, compileRead } from './read/read.ts';
import type { Layout } from './schema/layout.ts';
import type { ChainScript, ReadScript, Script } from './script.ts';
import { requireCurrentCodes } from './write/code-guard.ts';
import { makeDeletions } from './write/deletion.ts';
import { withReturnedRow } from './write/returned-row.ts';
import { compileSteps } from './write/write.ts';
import type { WriteScript } from './write/write-script.ts';

/** The script of a read plan. */
export function compile(plan: Plan, layout: Layout, dialect: Dialect): Script {
  switch (plan.kind) {
    case 'read':
      return compileOne(plan, layout, dialect);
    case 'evaluate':
      return compileEvaluation(makeScope(layout, dialect, plan.form.language), plan);
    case 'chain':
      return compileChain(plan, layout, dialect);
    case 'crossjoin':
      return compileCrossjoin(makeScope(layout, dialect, plan.shape.form.language), plan);
    case 'delta':
      return compileDelta(makeScope(layout, dialect, plan.language), plan);
    case 'document':
      return { kind: 'empty' };
    default:
      return unreachable(plan);
  }
}

/**
 * The script of a write plan, including the deletion rules of every table.
 * @param hasCodes whether the body has codes, which must be those of the database
 */
export function compileWrite(
  plan: WritePlan,
  layout: Layout,
  dialect: Dialect,
  hasCodes = false,
): WriteScript {
  const { steps, subject, result, resultFor, dryRun, counted } = plan;
  const scope = { layout, dialect };
  const compiled = compileSteps(steps, scope);
  const returning = result && subject && withReturnedRow(compiled, result, subject, scope);
  const all = returning ?? compiled;
  return {
    kind: 'write',
    steps: hasCodes ? [...requireCurrentCodes(scope), ...all] : all,
    dryRun,
    deletions: deletionsOf(layout, dialect),
    counted,
    subject: subject?.name,
    result: result && subject && compileResult(result, subject, layout, dialect),
    resultFor,
    returnsResult: returning !== undefined,
  };
}

/** The script that reads the row of a register after a write has inserted or changed it. */
export function compileResult(
  plan: ReadPlan,
  { name }: Register,
  layout: Layout,
  dialect: Dialect,
): ReadScript {
  const scope = makeScope(layout, dialect, plan.language);
  return compileRead({ ...scope, subject: { row: plan.select.rows.row.id, register: name } }, plan);
}

function compileOne(plan: ReadPlan, layout: Layout, dialect: Dialect): ReadScript {
  return compileRead(makeScope(layout, dialect, plan.language), plan);
}

function compileChain(plan: ChainPlan, layout: Layout, dialect: Dialect): ChainScript {
  return { kind: 'chain', parts: plan.parts.map((part) => compileOne(part, layout, dialect)) };
}

/** Computed once, because that visits all tables. */
const deletionsOf = perPair(makeDeletions);
