// This file is the door of the room: it turns a plan into a script, a pure function of plan, layout and dialect. Nothing is looked up
// and nothing can fail here on a plan that plan/ has made, save for features that are not built.
import { unreachable } from '../base/fault.ts';
import type { ChainPlan, Plan, ReadPlan } from '../plan/read-plan.ts';
import type { Register, WritePlan } from '../plan/write-plan.ts';
import type { Dialect } from './dialect/dialect.ts';
import { makeScope } from './expression/expression.ts';
import { compileCrossjoin } from './read/crossjoin.ts';
import { compileDelta } from './read/delta.ts';
import { compileEvaluation, compileRead } from './read/read.ts';
import type { Layout } from './schema/layout.ts';
import type { ChainScript, ReadScript, Script } from './script.ts';
import { makeDeletions } from './write/deletion.ts';
import { compileSteps } from './write/write.ts';
import type { Deletion, WriteScript } from './write/write-script.ts';

/** The script of a plan that changes nothing. */
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

/** The script of a plan that changes something, with how rows of every table are deleted. */
export function compileWrite(plan: WritePlan, layout: Layout, dialect: Dialect): WriteScript {
  const { steps, subject, result, resultFor, dryRun, counted } = plan;
  return {
    kind: 'write',
    steps: compileSteps(steps, { layout, dialect }),
    dryRun,
    deletions: deletionsOf(layout, dialect),
    ...(counted === undefined ? {} : { counted }),
    ...(subject === undefined ? {} : { subject: subject.name }),
    ...(result === undefined || subject === undefined
      ? {}
      : { result: compileResult(result, subject, layout, dialect) }),
    ...(resultFor === undefined ? {} : { resultFor }),
  };
}

/** Reads the row of a register: what a write has made or changed. */
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

/** They depend on the layout alone, and a deletion may go through all tables. */
const deletions = new WeakMap<Layout, ReadonlyMap<string, Deletion>>();

function deletionsOf(layout: Layout, dialect: Dialect): ReadonlyMap<string, Deletion> {
  const known = deletions.get(layout) ?? makeDeletions(layout, dialect);
  deletions.set(layout, known);
  return known;
}
