// This file looks up the workflow of an entity type: the declared one, or that of the nearest base type, with the codes of its states.
// The codes are those of the model; administrators can rename them, but a state is always the same code.
import { perObject } from '../../base/memo.ts';
import {
  type CodeList,
  type EntityType,
  lineage,
  type Model,
  type Property,
  type QualifiedName,
} from '../model.ts';
import type { Workflow, WorkflowState } from './declaration.ts';

export interface TypeWorkflow {
  /** The type that declares it. */
  readonly type: EntityType;
  readonly declared: Workflow;
  readonly property: Property;
  /** The path of the value of the state's code: `Status/Value`. */
  readonly path: string;
  readonly list: CodeList;
  /** The states by the values of their codes. */
  readonly states: ReadonlyMap<bigint, WorkflowState>;
  /** The values of the codes by symbol. */
  readonly values: ReadonlyMap<string, bigint>;
}

/** The workflows of a model by the names of their entity types, derived types included. The model must have passed its check. */
export const workflowsOf = perObject(
  (model: Model): ReadonlyMap<QualifiedName, TypeWorkflow> =>
    new Map(
      model.definition.types.flatMap((type) => {
        const workflow = type.kind === 'entity' ? workflowOf(model, type) : undefined;
        return workflow === undefined ? [] : [[type.name, workflow] as const];
      }),
    ),
);

function workflowOf(model: Model, type: EntityType): TypeWorkflow | undefined {
  const owner = lineage(type, model.types).find(
    (one): one is EntityType => one.kind === 'entity' && one.workflow !== undefined,
  );
  const declared = owner?.workflow;
  if (owner === undefined || declared === undefined) return undefined;
  const property = model.stored(owner).get(declared.member);
  const list =
    property?.kind === 'property' ? model.codeLists.get(property.codeList ?? '') : undefined;
  if (property?.kind !== 'property' || list === undefined) return undefined;
  const values = new Map(
    list.codes.flatMap(({ meaning, value }) => (meaning === undefined ? [] : [[meaning, value]])),
  );
  const states = new Map(
    declared.states.flatMap((state) => {
      const value = values.get(state.symbol);
      return value === undefined ? [] : [[value, state] as const];
    }),
  );
  const path = codePath(model, property);
  return { type: owner, declared, property, path, list, states, values };
}

function codePath(model: Model, { name, type }: Property): string {
  const coded = model.types.get(type);
  return coded?.kind === 'complex' && coded.coded !== undefined
    ? `${name}/${coded.coded.value}`
    : name;
}
