// This file looks up the workflow of an entity type: the declared one, or that of the nearest base type, with the codes of its states and
// the edits of the installation. Which codes are states is declared in the model; administrators can rename them and disable them, but a
// state is always the same code.
import { perObject } from '../../base/memo.ts';
import {
  type CodeList,
  type EntityType,
  lineage,
  type Model,
  type Property,
  type QualifiedName,
  simpleName,
} from '../model.ts';
import type { Workflow, WorkflowMode, WorkflowState } from './declaration.ts';
import { type TransitionRow, withRows } from './transition-rows.ts';

export interface TypeWorkflow {
  /** The type that declares it. */
  readonly type: EntityType;
  /** What the model declares, with the transitions of the installation, without those to codes that are no longer in use. */
  readonly declared: Workflow;
  readonly mode: WorkflowMode;
  readonly property: Property;
  /** The path of the value of the state's code: `Status/Value`. */
  readonly path: string;
  /** The codes of the installation. */
  readonly list: CodeList;
  /** The states by the values of their codes. */
  readonly states: ReadonlyMap<bigint, WorkflowState>;
  /** The values of the codes by symbol. */
  readonly values: ReadonlyMap<string, bigint>;
}

/** Workflows by the names of their entity types, derived types included. */
export type Workflows = ReadonlyMap<QualifiedName, TypeWorkflow>;

/** What an installation changes in the workflows of its model. */
export interface WorkflowEdits {
  /** By the names of the types that declare the workflows. */
  readonly modes: ReadonlyMap<QualifiedName, WorkflowMode>;
  readonly transitions: readonly TransitionRow[];
  readonly codeLists: readonly CodeList[];
}

/** The workflows as the model declares them. The model must have passed its check. */
export const workflowsOf = perObject(
  (model: Model): Workflows =>
    installedWorkflows(model, {
      modes: new Map(),
      transitions: [],
      codeLists: model.definition.codeLists,
    }),
);

/** The workflows of an installation. */
export function installedWorkflows(model: Model, edits: WorkflowEdits): Workflows {
  return new Map(
    model.definition.types.flatMap((type) => {
      const workflow = type.kind === 'entity' ? workflowOf(model, type, edits) : undefined;
      return workflow === undefined ? [] : [[type.name, workflow] as const];
    }),
  );
}

/** The type that declares the workflow of a type. */
export function workflowOwner(model: Model, type: EntityType): EntityType | undefined {
  return lineage(type, model.types).find(
    (one): one is EntityType => one.kind === 'entity' && one.workflow !== undefined,
  );
}

function workflowOf(
  model: Model,
  type: EntityType,
  { modes, transitions, codeLists }: WorkflowEdits,
): TypeWorkflow | undefined {
  const owner = workflowOwner(model, type);
  if (owner?.workflow === undefined) return undefined;
  const mode = modes.get(owner.name) ?? owner.workflow.mode;
  const property = model.stored(owner).get(owner.workflow.member);
  const source =
    property?.kind === 'property' ? model.codeLists.get(property.codeList ?? '') : undefined;
  if (property?.kind !== 'property' || source === undefined) return undefined;
  const list = codeLists.find(({ name }) => name === source.name) ?? source;
  const values = new Map(
    source.codes.flatMap(({ meaning, value }) => (meaning === undefined ? [] : [[meaning, value]])),
  );
  const edited = withRows(owner.workflow, simpleName(owner.name), transitions);
  const declared = withoutDisabled(edited, values, list);
  const states = new Map(
    declared.states.flatMap((state) => {
      const value = values.get(state.symbol);
      return value === undefined ? [] : [[value, state] as const];
    }),
  );
  const path = codePath(model, property);
  return { type: owner, declared, mode, property, path, list, states, values };
}

/** The workflow without the transitions to codes that cannot be chosen. */
function withoutDisabled(
  workflow: Workflow,
  values: ReadonlyMap<string, bigint>,
  { codes }: CodeList,
): Workflow {
  const enabled = new Set(codes.flatMap(({ value, disabled }) => (disabled === true ? [] : value)));
  const isEnabled = (symbol: string) => enabled.has(values.get(symbol) ?? -1n);
  const transitions = workflow.transitions.filter(({ to }) => isEnabled(to));
  return { ...workflow, initial: workflow.initial.filter(isEnabled), transitions };
}

function codePath(model: Model, { name, type }: Property): string {
  const coded = model.types.get(type);
  return coded?.kind === 'complex' && coded.coded !== undefined
    ? `${name}/${coded.coded.value}`
    : name;
}
