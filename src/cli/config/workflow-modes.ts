// This file reads the setting `workflows`: the modes of workflows in an installation, for all of them (`enforce`) or for one entity type
// (`Incident=off`). Workflows that it does not name have the mode that the model declares.
import { z } from 'zod';
import { type ModelDefinition, type QualifiedName, simpleName } from '../../edm/model.ts';
import { WORKFLOW_MODES, type WorkflowMode } from '../../edm/workflow/declaration.ts';

type Types = Pick<ModelDefinition, 'types'>;

/** The names of the types that declare a workflow. */
function workflowTypes({ types }: Types): readonly QualifiedName[] {
  return types.flatMap((type) =>
    type.kind === 'entity' && type.workflow !== undefined ? [type.name] : [],
  );
}

/** The schema of the setting for a model. */
export function workflowsField(definition: Types) {
  const names = workflowTypes(definition).map(simpleName);
  const ofTypes = names.flatMap((name) => WORKFLOW_MODES.map((mode) => `${name}=${mode}`));
  return z.array(z.enum([...WORKFLOW_MODES, ...ofTypes])).refine(isUnambiguous, {
    message: 'expected at most one mode for the same workflows',
  });
}

function isUnambiguous(items: readonly string[]): boolean {
  const subjects = items.map((item) => (item.includes('=') ? item.replace(/=.*/, '') : ''));
  return new Set(subjects).size === subjects.length;
}

/** The modes by the names of the types that declare the workflows. */
export function workflowModes(
  definition: Types,
  items: readonly string[],
): ReadonlyMap<QualifiedName, WorkflowMode> {
  const general = modeIn(items.find((item) => !item.includes('=')));
  return new Map(
    workflowTypes(definition).flatMap((name) => {
      const start = `${simpleName(name)}=`;
      const own = items.find((item) => item.startsWith(start))?.slice(start.length);
      const mode = modeIn(own) ?? general;
      return mode === undefined ? [] : [[name, mode] as const];
    }),
  );
}

function modeIn(text: string | undefined): WorkflowMode | undefined {
  return WORKFLOW_MODES.find((mode) => mode === text);
}
