// This file compiles steps on rows that can be in one of several tables, as where a navigation leads to an abstract type whose entities
// are kept in several sets: the step is done in the table that the row turns out to be in.
import type { Member, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import { list, name, sql } from '../fragment.ts';
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
      | 'delete'
      | 'link'
      | 'append'
      | 'bytes'
      | 'match-file'
      | 'apart'
      | 'once';
  }
>;

/** How a step is compiled whose row is in a known table. */
export type CompileStep = (step: RowStep, scope: WriteScope) => readonly ScriptStep[];

/** The step in each of the tables that its row can be in; only that is done in which the row is. */
export function compileAtHome(
  step: RowStep,
  scope: WriteScope,
  compile: CompileStep,
): readonly ScriptStep[] {
  const { model } = scope.layout;
  return membersOf(step.row.source)
    .filter((member) => membersNamed(step).every((one) => hasMember(model, member, one)))
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
  const found = sql`SELECT ${columns} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)}`;
  return {
    kind: 'find',
    statement: statement(found, scope),
    into: into.name,
    missing: { code: 'write.not-found', parameters: { address: into.source.id } },
    optional: true,
  };
}

/** The members of the row that the step names: a guard before it has settled that the row is of a type that has them. */
function membersNamed(step: RowStep): readonly Member[] {
  switch (step.kind) {
    case 'update':
      return step.values.flatMap(({ path }) => path.slice(0, 1));
    case 'link':
      return [step.path[0] ?? step.navigation];
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
    (one) => one.kind === 'entity' && model.members(one).get(member.name) === member,
  );
}
