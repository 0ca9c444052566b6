// This file reads a CSDL JSON document into a definition. It collects all mistakes and preserves content that the service does not
// use, so that write-csdl.ts can write the same document again. lint.ts checks the model as a whole.
// OData CSDL JSON 4.01.

import { readCalculation } from '../clocks/schedules.ts';
import { definedMembers } from '../defined-members.ts';
import { readEffects } from '../effects.ts';
import type {
  Annotations,
  Due,
  Json,
  ModelDefinition,
  NamedType,
  Operation,
  Parameter,
  Remainder,
  ReturnType,
} from '../model.ts';
import type { Mistake } from '../model-error.ts';
import { isJsonObject, type JsonInput } from '../value/lossless-json.ts';
import {
  checkMembers,
  childPart,
  childParts,
  flagMember,
  objectPart,
  type Part,
  plainObject,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import { inlineAnnotations } from './external-targets.ts';
import { resolveOnDelete } from './on-delete.ts';
import { EMPTY_CONTAINER, readContainer } from './read-container.ts';
import { type ReadContext, readTypeReference, TYPE_MEMBERS } from './read-members.ts';
import { readType } from './read-types.ts';
import { isDerivedReference } from './references.ts';
import { Terms } from './terms.ts';
import { isOwnVocabulary } from './vocabularies.ts';

export interface ReadModel {
  readonly definition: ModelDefinition;
  /** The definition is complete if there are only warnings. */
  readonly mistakes: readonly Mistake[];
}

/**
 * Reads a document. Integers may be bigint.
 * @param languages default first; used if the document has no Docket.Languages, as in additions to a base model
 */
export function readCsdl(document: JsonInput, languages: readonly string[] = ['en']): ReadModel {
  const mistakes: Mistake[] = [];
  const inlined = isJsonObject(document) ? inlineAnnotations(document) : document;
  const root = objectPart(inlined, '$', mistakes);
  checkRoot(root);
  const schemas = schemaParts(root);
  const container = findContainer(root, schemas);
  const names = makeNames(root, schemas);
  const context = { ...names, languages: languagesOf(names, container) ?? languages };
  const read = schemas.map((schema) => readSchema(context, schema, container?.name));
  const parts =
    container === undefined
      ? EMPTY_CONTAINER
      : readContainer(context, container.part, container.name);
  const ordered = defaultFirst(read, container?.name);
  const [first] = ordered;
  const definition: ModelDefinition = {
    namespaces: ordered.map(({ namespace, alias }) => ({
      name: namespace,
      ...definedMembers({ alias }),
    })),
    container: container?.name ?? '',
    types: resolveOnDelete(
      read.flatMap(({ types }) => types),
      mistakes,
    ),
    operations: read.flatMap(({ operations }) => operations),
    languages: context.languages,
    ...parts,
    ...first?.terms.describe(context),
    ...definedMembers({ remainder: readRemainder(root, ordered) }),
  };
  return { definition, mistakes };
}

interface SchemaPart {
  readonly namespace: string;
  readonly alias: string | undefined;
  readonly part: Part;
}

interface ReadSchema {
  readonly namespace: string;
  readonly alias: string | undefined;
  readonly part: Part;
  readonly terms: Terms;
  readonly isDefault: boolean;
  readonly types: readonly NamedType[];
  readonly operations: readonly Operation[];
  /** Members that are preserved unchanged. */
  readonly preserved: Readonly<Record<string, Json>>;
}

function checkRoot(root: Part): void {
  checkMembers(root, ['$Version', '$EntityContainer', '$Reference']);
  const version = textMember(root, '$Version');
  if (version === '4.0' || version === '4.01') return;
  report(root, '$Version', 'The CSDL version is not 4.0 or 4.01.', 'Write "4.01".');
}

function schemaParts(root: Part): readonly SchemaPart[] {
  return Object.keys(root.value)
    .filter((name) => !name.startsWith('$') && !isOwnVocabulary(name))
    .flatMap((namespace) => {
      const part = childPart(root, namespace);
      return part === undefined ? [] : [{ namespace, alias: textMember(part, '$Alias'), part }];
    });
}

interface ContainerPart {
  readonly name: string;
  readonly part: Part;
}

/** The container that `$EntityContainer` names, else the first one. */
function findContainer(root: Part, schemas: readonly SchemaPart[]): ContainerPart | undefined {
  const containers = schemas.flatMap(({ namespace, part }) =>
    Object.entries(part.value).flatMap(([name, value]) => {
      const isContainer = isJsonObject(value) && value.$Kind === 'EntityContainer';
      const child = isContainer ? childPart(part, name) : undefined;
      return child === undefined ? [] : [{ name: `${namespace}.${name}`, part: child }];
    }),
  );
  const named = textMember(root, '$EntityContainer');
  const found = named === undefined ? containers[0] : containers.find(({ name }) => name === named);
  if (named !== undefined && found === undefined) {
    const remedy = 'Use the qualified name of an entity container in this document.';
    report(root, '$EntityContainer', `There is no entity container ${named}.`, remedy);
  }
  return found;
}

function makeNames(root: Part, schemas: readonly SchemaPart[]): Omit<ReadContext, 'languages'> {
  const schemaAliases = new Map(
    schemas.flatMap(({ namespace, alias }) => (alias === undefined ? [] : [[alias, namespace]])),
  );
  const fullName = (name: string): string => {
    const dot = name.lastIndexOf('.');
    const namespace = schemaAliases.get(name.slice(0, dot));
    return namespace === undefined ? name : namespace + name.slice(dot);
  };
  return { aliases: new Map([...includedAliases(root), ...schemaAliases]), fullName };
}

function languagesOf(
  { aliases }: Pick<ReadContext, 'aliases'>,
  container: ContainerPart | undefined,
): readonly string[] | undefined {
  if (container === undefined) return undefined;
  return new Terms({ aliases, languages: [] }, container.part).takeTexts('Docket.Languages');
}

function includedAliases(root: Part): ReadonlyMap<string, string> {
  const references = childPart(root, '$Reference');
  const includes = Object.keys(references?.value ?? {}).flatMap((address) => {
    const reference = references === undefined ? undefined : childPart(references, address);
    return reference === undefined ? [] : childParts(reference, '$Include');
  });
  return new Map(
    includes.map((include) => {
      const namespace = requiredText(include, '$Namespace');
      return [textMember(include, '$Alias') ?? namespace, namespace];
    }),
  );
}

function readSchema(
  context: ReadContext,
  schema: SchemaPart,
  container: string | undefined,
): ReadSchema {
  const { namespace, part } = schema;
  checkMembers(part, ['$Alias', '$Annotations']);
  const terms = new Terms(context, part);
  const isDefault = terms.take('Core.DefaultNamespace') === true;
  const types: NamedType[] = [];
  const operations: Operation[] = [];
  const preserved: Record<string, Json> = {};
  for (const [name, value] of Object.entries(part.value)) {
    const fullName = `${namespace}.${name}`;
    if (name.startsWith('@') || name === '$Alias' || fullName === container) continue;
    if (Array.isArray(value)) {
      operations.push(...readOperations(context, part, name, fullName));
      continue;
    }
    const child = childPart(part, name);
    if (child === undefined) continue;
    const type = readType(context, child, fullName);
    if (type === undefined) preserved[name] = plainObject(child.value);
    else types.push(type);
  }
  return { ...schema, terms, isDefault, types, operations, preserved };
}

function readOperations(
  context: ReadContext,
  schema: Part,
  name: string,
  fullName: string,
): readonly Operation[] {
  return childParts(schema, name).map((part) => readOperation(context, part, fullName));
}

const OPERATION_MEMBERS = [
  '$Kind',
  '$IsBound',
  '$IsComposable',
  '$EntitySetPath',
  '$Parameter',
  '$ReturnType',
];

function readOperation(context: ReadContext, part: Part, name: string): Operation {
  checkMembers(part, OPERATION_MEMBERS);
  const kind = requiredText(part, '$Kind');
  if (kind !== 'Action' && kind !== 'Function') {
    report(part, '$Kind', `${kind} is not a kind of operation.`, 'Use Action or Function.');
  }
  const terms = new Terms(context, part);
  const returns = childPart(part, '$ReturnType');
  return {
    kind: kind === 'Action' ? 'action' : 'function',
    name,
    bound: flagMember(part, '$IsBound') ?? false,
    parameters: childParts(part, '$Parameter').map((item) => readParameter(context, item)),
    ...definedMembers({
      composable: flagMember(part, '$IsComposable') || undefined,
      returns: returns === undefined ? undefined : readReturnType(context, returns),
      entitySetPath: textMember(part, '$EntitySetPath'),
      expression: terms.takeText('Docket.Expression'),
      effects: readEffects(part, terms, context.fullName),
      available: terms.takeText('Docket.Available'),
      due: readDue(part, terms),
      calculates: readCalculation(part, terms),
      recalculates: terms.takeFlag('Docket.Recalculates'),
    }),
    ...terms.describe(context),
  };
}

const DUE_MEMBERS = ['At', 'Where'];

function readDue(part: Part, terms: Terms): Due | undefined {
  const due = terms.take('Docket.Due');
  if (due === undefined) return undefined;
  const record = objectPart(due, `${part.path}/@Docket.Due`, part.mistakes);
  for (const name of Object.keys(record.value)) {
    if (DUE_MEMBERS.includes(name)) continue;
    report(record, name, `${name} is not allowed here.`, `Use only ${DUE_MEMBERS.join(', ')}.`);
  }
  const [at = '', where = ''] = DUE_MEMBERS.map((name) => requiredText(record, name));
  return at === '' || where === '' ? undefined : { at, where };
}

function readParameter(context: ReadContext, part: Part): Parameter {
  checkMembers(part, ['$Name', ...TYPE_MEMBERS]);
  const terms = new Terms(context, part);
  const optional = terms.takeRecord('Core.OptionalParameter');
  if (optional !== undefined && Object.keys(optional).length > 0) {
    terms.put('Core.OptionalParameter', optional);
  }
  return {
    name: requiredText(part, '$Name'),
    ...readTypeReference(context, part),
    ...definedMembers({
      optional: optional === undefined ? undefined : true,
      codeList: terms.takeText('Docket.CodeList'),
    }),
    ...terms.describe(context),
  };
}

function readReturnType(context: ReadContext, part: Part): ReturnType {
  checkMembers(part, TYPE_MEMBERS);
  return { ...readTypeReference(context, part), ...new Terms(context, part).describe(context) };
}

/** Moves the default namespace first: the one with Core.DefaultNamespace, else that of the container, else the first. */
function defaultFirst(
  schemas: readonly ReadSchema[],
  container: string | undefined,
): readonly ReadSchema[] {
  const first =
    schemas.find(({ isDefault }) => isDefault) ??
    schemas.find(({ namespace }) => container?.slice(0, container.lastIndexOf('.')) === namespace);
  return first === undefined ? schemas : [first, ...schemas.filter((schema) => schema !== first)];
}

function readRemainder(root: Part, schemas: readonly ReadSchema[]): Remainder | undefined {
  const references = childPart(root, '$Reference');
  const preserved = schemas.flatMap(({ namespace, part, preserved: members }, index) => {
    const about = index === 0 ? {} : schemaAnnotations(part);
    const all = { ...about, ...members };
    return Object.keys(all).length === 0 ? [] : [[namespace, all] as const];
  });
  const foreign = references === undefined ? {} : withoutDerived(references);
  const remainder = {
    ...(Object.keys(foreign).length === 0 ? {} : { references: foreign }),
    ...(preserved.length === 0 ? {} : { schemas: Object.fromEntries(preserved) }),
  };
  return Object.keys(remainder).length === 0 ? undefined : remainder;
}

function schemaAnnotations(part: Part): Annotations {
  const entries = Object.entries(plainObject(part.value));
  return Object.fromEntries(entries.filter(([name]) => name.startsWith('@')));
}

/** The references except those to standard vocabularies, which write-csdl.ts adds. */
function withoutDerived(references: Part): { readonly [name: string]: Json } {
  const entries = Object.entries(plainObject(references.value));
  return Object.fromEntries(
    entries.filter(([address, reference]) => !isDerivedReference(address, reference)),
  );
}
