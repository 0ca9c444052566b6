// This file removes the engine's types and operations from the definition that metadata documents are made of. They remain usable: requests
// do not depend on the documents.
import { SYSTEM_NAMESPACE } from './engine-schema.ts';
import type { ModelDefinition, NamedType, Operation, QualifiedName } from './model.ts';
import { isStructured } from './model.ts';

/** Whether an operation is left out of documents and of full metadata. */
export function isUnpublished(
  { unpublishedEngine }: Pick<ModelDefinition, 'unpublishedEngine'>,
  { engine }: Operation,
): boolean {
  return unpublishedEngine === true && engine !== undefined;
}

/** The definition without engine operations, and without engine types that no other element refers to. */
export function withoutEngine(definition: ModelDefinition): ModelDefinition {
  if (definition.unpublishedEngine !== true) return definition;
  const operations = definition.operations.filter((one) => !isUnpublished(definition, one));
  const names = new Set(operations.map(({ name }) => name));
  const imports = definition.imports.filter(({ operation }) => names.has(operation));
  const used = usedTypes({ ...definition, operations });
  const types = definition.types.filter(({ name }) => !isEngineType(name) || used.has(name));
  return { ...definition, operations, imports, types };
}

/** The types that sets, operations and the model's own types refer to, directly or through other types. */
function usedTypes({ types, sets, operations }: ModelDefinition): ReadonlySet<QualifiedName> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const found = new Set<QualifiedName>();
  const open = [
    ...types.flatMap(({ name }) => (isEngineType(name) ? [] : [name])),
    ...sets.map(({ type }) => type),
    ...operations.flatMap(({ parameters, returns }) =>
      [...parameters, ...(returns === undefined ? [] : [returns])].map(({ type }) => type),
    ),
  ];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const type = byName.get(name);
    if (type === undefined || found.has(name)) continue;
    found.add(name);
    open.push(...referencesOf(type));
  }
  return found;
}

function referencesOf(type: NamedType): readonly QualifiedName[] {
  if (!isStructured(type)) return [];
  const members = type.members.map((one) => (one.kind === 'navigation' ? one.target : one.type));
  return type.base === undefined ? members : [...members, type.base];
}

function isEngineType(name: QualifiedName): boolean {
  return name.startsWith(`${SYSTEM_NAMESPACE}.`);
}
