// This file identifies reads that take long in the database by what they do without the values of clients, and finds the index that would
// help. Describing a statement costs more than running a quick one, so it is done for slow ones only, and once.
import { hash } from 'node:crypto';
import { describeRead } from '../plan/read/describe-read.ts';
import type { Plan } from '../plan/read-plan.ts';
import { compile } from '../sql/compile.ts';
import { indexCandidate } from '../sql/read/index-candidate.ts';
import { adjustLayout } from '../sql/schema/index-adjustments.ts';
import type { Script, Statement } from '../sql/script.ts';
import type { Execution } from '../store/tuning/collect-slow-statements.ts';
import type { StatementIdentity } from '../store/tuning/slow-statements.ts';
import { type PreparedRead, planAgain } from './read-plans.ts';
import type { Call, Service } from './service.ts';

/** Notes an execution of a read. */
export function noteSlow(
  prepared: PreparedRead,
  execution: Execution,
  call: Call,
  service: Service,
): void {
  service.slowStatements.note(prepared.script, execution, () =>
    identityOf(planAgain(prepared, call, service), prepared.script, service),
  );
}

/** @param script what the plan was compiled to */
export function identityOf(plan: Plan, script: Script, service: Service): StatementIdentity {
  const template = describeRead(plan);
  const candidate = indexCandidate(service.layout, plan);
  const { text = '', parameters = [] } = statementWith(plan, candidate, service) ?? {};
  const digest = hash('sha256', JSON.stringify([template, candidate]), 'hex');
  const executed = statementsOf(script);
  return { digest, template, candidate, statement: text, parameters: parameters.length, executed };
}

/** The statement as it would be with the index. */
function statementWith(
  plan: Plan,
  candidate: StatementIdentity['candidate'],
  { layout, dialect }: Service,
): Statement | undefined {
  if (candidate === undefined) return undefined;
  const { table, equal, ordered } = candidate;
  const added = [{ table, columns: [...equal, ...ordered] }];
  const script = compile(plan, adjustLayout(layout, { added, dropped: [] }), dialect);
  return script.kind === 'read' ? script.statement : undefined;
}

/** The statements that a script runs. */
function statementsOf(script: Script): readonly Statement[] {
  switch (script.kind) {
    case 'empty':
      return [];
    case 'chain':
      return script.parts.flatMap(statementsOf);
    case 'read':
      return [script.statement, ...(script.parent === undefined ? [] : [script.parent])];
    default:
      return [script.statement];
  }
}
