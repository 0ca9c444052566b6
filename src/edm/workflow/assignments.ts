// This file looks up how entities are assigned (`Docket.Assigned`).
import { perObject } from '../../base/memo.ts';
import { type EntityType, lineage, type Model } from '../model.ts';
import type { AssignmentRules } from './assignment-rules.ts';

const typesWith = perObject((model: Model) =>
  model.definition.types.filter((type) => type.kind === 'entity' && type.assigned !== undefined),
);

/** Whether any entity type of the model is assigned by the service. */
export function hasAssignments(model: Model): boolean {
  return typesWith(model).length > 0;
}

/** The type that declares how entities of the type are assigned: itself, or the nearest base type that does. */
export function assigningType(model: Model, type: EntityType): EntityType | undefined {
  return lineage(type, model.types).find(
    (one): one is EntityType => one.kind === 'entity' && one.assigned !== undefined,
  );
}

export function assignmentOf(model: Model, type: EntityType): AssignmentRules | undefined {
  return assigningType(model, type)?.assigned;
}
