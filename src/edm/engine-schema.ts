// This file adds the engine's own types, sets and operations to a model. They are declared as CSDL JSON, like the models of users.
import { invariant } from '../base/fault.ts';
import { readCsdl } from './csdl/read-csdl.ts';
import { labelEngine } from './engine-texts/label-engine.ts';
import type { ModelDefinition, Operation } from './model.ts';
import { printMistakes } from './model-error.ts';
import { deriveBindings } from './navigation-bindings.ts';
import type { JsonObject } from './value/lossless-json.ts';

export const SYSTEM_NAMESPACE = 'Docket.System';

/** The schema of the engine, and its sets and imports. */
export interface EngineSchema {
  readonly elements: JsonObject;
  readonly container?: JsonObject;
  /** Default: `Docket.System`. */
  readonly namespace?: string;
}

/** Adds the elements to the definition, and the bindings of navigations that have only one possible target among the added sets. */
export function withSchema(
  definition: ModelDefinition,
  { elements, container = {}, namespace = SYSTEM_NAMESPACE }: EngineSchema,
): ModelDefinition {
  const read = readCsdl({
    $Version: '4.01',
    [namespace]: { ...elements, Container: { $Kind: 'EntityContainer', ...container } },
  });
  invariant(read.mistakes.length === 0, printMistakes(read.mistakes));
  const { types, sets, operations, imports } = labelEngine(
    deriveBindings(read.definition),
    definition.languages,
  );
  const { namespaces } = definition;
  const isKnown = namespaces.some(({ name }) => name === SYSTEM_NAMESPACE);
  return {
    ...definition,
    namespaces: isKnown ? namespaces : [...namespaces, { name: SYSTEM_NAMESPACE }],
    types: [...definition.types, ...types],
    sets: [...definition.sets, ...sets],
    operations: [...definition.operations, ...operations],
    imports: [...definition.imports, ...imports],
  };
}

/** Adds operations that the engine implements. */
export function withEngine(
  engine: Operation['engine'] & string,
  definition: ModelDefinition,
  schema: EngineSchema,
): ModelDefinition {
  const known = new Set(definition.operations);
  const added = withSchema(definition, schema);
  const operations = added.operations.map((operation) =>
    known.has(operation) ? operation : { ...operation, engine },
  );
  return { ...added, operations };
}

/** The name, the kind and the declaration of an action without a binding parameter. */
type EngineAction = readonly [
  name: string,
  engine: Operation['engine'] & string,
  declaration: JsonObject,
];

/** The names of sets, singular forms and imports, in lower case. */
export function takenNames({ sets, imports }: ModelDefinition): readonly (string | undefined)[] {
  return [...sets, ...imports].flatMap((element) => [
    element.name.toLowerCase(),
    'singular' in element ? element.singular?.toLowerCase() : undefined,
  ]);
}

/** Adds actions and their imports. An action whose name the model uses is imported with the prefix Docket. */
export function withActions(
  definition: ModelDefinition,
  actions: readonly EngineAction[],
): ModelDefinition {
  const taken = takenNames(definition);
  return actions.reduce((before, [name, engine, action]) => {
    const prefix = taken.includes(name.toLowerCase()) ? 'Docket' : '';
    return withEngine(engine, before, {
      elements: { [name]: [action] },
      container: { [`${prefix}${name}`]: { $Action: `${SYSTEM_NAMESPACE}.${name}` } },
    });
  }, definition);
}

/** The first namespace of the model, unless it has an element of that name. */
export function namespaceOf(
  { namespaces, types, operations }: ModelDefinition,
  name: string,
): string {
  const own = namespaces[0]?.name ?? SYSTEM_NAMESPACE;
  const isTaken = [...types, ...operations].some((one) => one.name === `${own}.${name}`);
  return isTaken ? SYSTEM_NAMESPACE : own;
}

// ---- Parts of declarations ----

export const OPTIONAL = { $Nullable: true };
export const COMPUTED = { '@Core.Computed': true };
export const FLAG = { $Type: 'Edm.Boolean' };
/** A point in time in milliseconds. */
export const INSTANT = { $Type: 'Edm.DateTimeOffset', $Precision: 3, ...COMPUTED };
export const INDEXED = { '@Docket.Indexed': true };

/** An entity type with a generated key. */
export const KEYED = {
  $Kind: 'EntityType',
  $Key: ['Uid'],
  Uid: { $Type: 'Edm.Int64', ...COMPUTED, '@Docket.Generated': { By: 'key' } },
};

export function about(description: string) {
  return { '@Core.LongDescription': description };
}

/** A text of at most so many characters. */
export function text(length: number, description?: string): JsonObject {
  return { $MaxLength: length, ...(description === undefined ? {} : about(description)) };
}

/** A navigation to any number of entities of an engine type. */
export function many(type: string, terms: JsonObject): JsonObject {
  const target = `${SYSTEM_NAMESPACE}.${type}`;
  return { $Kind: 'NavigationProperty', $Collection: true, $Type: target, ...terms };
}
