// This file applies the transitions that administrators write as entities of the set Transitions to the workflow that the model declares.
// A model has them if it has such a set with the members of the built-in one.
import { type EntityType, entityType, type Model, type Navigation } from '../model.ts';
import { type Source, setSource } from '../source.ts';
import type { Workflow, WorkflowTransition } from './declaration.ts';

/** A transition of the installation. It replaces the declared one of the same symbol and state. */
export interface TransitionRow {
  /** The simple name of the entity type. */
  readonly entity: string;
  readonly symbol: string;
  /** The symbol of the state it starts in; undefined: any state. */
  readonly from: string | undefined;
  readonly to: string;
  readonly require: readonly string[];
  readonly guard: string | undefined;
  /** Names of the roles that may take it; empty: everybody. */
  readonly roles: readonly string[];
  readonly needsComment: boolean;
  /** Whether nobody can take it. */
  readonly isBlocked: boolean;
}

/** The workflow of a type with the transitions of the installation. */
export function withRows(
  workflow: Workflow,
  entity: string,
  rows: readonly TransitionRow[],
): Workflow {
  const own = rows.filter((row) => row.entity === entity);
  if (own.length === 0) return workflow;
  const declared = workflow.transitions.flatMap((one) => withoutReplaced(one, own));
  const added = own.flatMap((row) => (row.isBlocked ? [] : [transitionOf(row, workflow)]));
  return { ...workflow, transitions: [...declared, ...added] };
}

/** The transition from those states for which the installation has no row. */
function withoutReplaced(
  transition: WorkflowTransition,
  rows: readonly TransitionRow[],
): readonly WorkflowTransition[] {
  const same = rows.filter(({ symbol }) => symbol === transition.symbol);
  if (same.some(({ from }) => from === undefined)) return [];
  if (transition.from.length === 0) return [transition];
  const from = transition.from.filter((state) => !same.some((row) => row.from === state));
  return from.length === 0 ? [] : [{ ...transition, from }];
}

/** Who else may take a declared transition is a right, which rows do not change; nor do they change when the service takes it. */
function transitionOf(row: TransitionRow, { transitions }: Workflow): WorkflowTransition {
  const { symbol, from, to, require, guard, roles, needsComment } = row;
  const declared = transitions.find((one) => one.symbol === symbol);
  return {
    symbol,
    from: from === undefined ? [] : [from],
    to,
    require,
    roles,
    grants: declared?.grants ?? [],
    ...(guard === undefined ? {} : { guard }),
    ...(needsComment ? { comment: 'required' as const } : {}),
    ...(declared?.by === undefined ? {} : { by: declared.by }),
    ...(declared?.on === undefined ? {} : { on: declared.on }),
    ...(declared?.added === undefined ? {} : { added: declared.added }),
  };
}

const TRANSITION_SET = 'Transitions';
const PROPERTIES = ['Symbol', 'RequiredProperties', 'Guard', 'CommentRequired', 'Blocked'];

/** Where the rows are stored. */
export interface TransitionStorage {
  readonly source: Source;
  readonly roles: Navigation;
}

/** Where the model stores transitions of the installation; undefined if it has no set for them. */
export function transitionStorage(model: Model): TransitionStorage | undefined {
  const set = model.storedSets.get(TRANSITION_SET);
  if (set === undefined) return undefined;
  const type = entityType(model, set.type);
  const members = model.stored(type);
  const [entity, from, to] = ['Entity', 'From', 'To'].map((name) =>
    singleTarget(model, type, name),
  );
  const roles = members.get('AllowedRoles');
  const isWhole =
    PROPERTIES.every((name) => members.get(name)?.kind === 'property') &&
    hasProperty(model, entity, 'Name') &&
    [from, to].every((code) => hasProperty(model, code, 'Meaning')) &&
    roles?.kind === 'navigation' &&
    roles.collection;
  return isWhole ? { source: setSource(model, set.name), roles } : undefined;
}

function singleTarget(model: Model, type: EntityType, name: string): EntityType | undefined {
  const member = model.stored(type).get(name);
  return member?.kind === 'navigation' && !member.collection
    ? entityType(model, member.target)
    : undefined;
}

function hasProperty(model: Model, type: EntityType | undefined, name: string): boolean {
  return type !== undefined && model.stored(type).get(name)?.kind === 'property';
}
