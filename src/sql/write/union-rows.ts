// Compiles steps on rows that can be in several tables, such as the targets of a navigation to an abstract type. At run time, the
// step is performed in the table that contains the row.
import type { Member, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import { list, name, sql, tableName } from '../fragment.ts';
import { tableOf, VERSION_COLUMN } from '../schema/layout.ts';
import { membersOf } from '../schema/relation-storage.ts';
import { rowIs, statement, type WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

/** A step whose statements name the table of its row. */
export type RowStep = Extract<
  WriteStep,
  {
    readonly kind:
      | 'update'
      | 'touch'
      | 'delete'
      | 'link'
      | 'append'
      | 'bytes'
      | 'match-file'
      | 'apart'
      | 'once';
  }
>;

/** Compiles a step whose row is in a known table. */
export type CompileStep = (step: RowStep, scope: WriteScope) => readonly ScriptStep[];

/** Compiles the step for every table that may contain its row, each in a branch that runs only if the row is there. */
export function compileInEachTable(
  step: RowStep,
  scope: WriteScope,
  compile: CompileStep,
): readonly ScriptStep[] {
  const { model } = scope.layout;
  return membersOf(step.row.source)
    .filter((member) => membersOfStep(step).every((one) => hasMember(model, member, one)))
    .flatMap((member) => {
      const row: Register = { name: `${step.row.name} in ${member.id}`, source: member };
      const there = compile({ ...step, row }, scope);
      return [
        findIn(step.row, row, scope),
        { kind: 'branch', on: row.name, there, absent: [] } as const,
      ];
    });
}

function findIn(row: Register, into: Register, scope: WriteScope): ScriptStep {
  const use = tableOf(scope.layout, into.source);
  const columns = list([name(use.table.identity), name(VERSION_COLUMN)]);
  const found = sql`SELECT ${columns} FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)}`;
  return {
    kind: 'find',
    statement: statement(found, scope),
    into: into.name,
    missing: { code: 'write.not-found', parameters: { address: into.source.id } },
    optional: true,
  };
}

/** The members that the step uses. An earlier guard ensures that the row's type has them. */
function membersOfStep(step: RowStep): readonly Member[] {
  switch (step.kind) {
    case 'update':
      return step.values.flatMap(({ path }) => path.slice(0, 1));
    case 'link':
      return [step.path[0] ?? step.navigation];
    case 'touch':
    case 'delete':
    case 'apart':
    case 'once':
      return [];
    default:
      return step.path.slice(0, 1);
  }
}

function hasMember(model: Model, { type }: Source, member: Member): boolean {
  return [type, ...model.derived(type)].some(
    (one) => one.kind === 'entity' && model.stored(one).get(member.name) === member,
  );
}
