// This file joins an extension with the model that it extends. Both are CSDL JSON documents, and so is the result, which readCsdl reads
// like any other. Sets of the extending container become sets of the extended one, because few clients follow `Extends`.
// OData CSDL JSON 4.01, "Extending an Entity Container", "Annotations with External Targeting".
import { childPart, type Part } from '../csdl/document-reader.ts';
import { pathTo } from '../csdl/external-targets.ts';
import { includesIn } from '../csdl/references.ts';
import { canonicalTerm } from '../csdl/terms.ts';
import { isOwnVocabulary } from '../csdl/vocabularies.ts';
import { elementPath, type Mistake, memberPath } from '../model-error.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../value/lossless-json.ts';
import { type MergeContext, mergeContainer, mergeSchema } from './merge-elements.ts';

export interface ExtendedDocument {
  readonly document: JsonObject;
  readonly mistakes: readonly Mistake[];
  /** Moves a mistake in the joined document to its place in the extension. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Whether the document has an entity container that does not extend another one: a model of its own. */
export function isIndependent(document: JsonInput): boolean {
  if (!isJsonObject(document)) return false;
  const container = containerOf(document);
  return container !== undefined && container.part.$Extends === undefined;
}

/** Mistakes at root members that are not schemas. Joining ignores them, because earlier versions of Docket have stored such extensions. */
export function strayMembers(extension: JsonInput): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  if (!isJsonObject(extension)) return mistakes;
  const root: Part = { value: extension, path: '$', mistakes };
  for (const name of Object.keys(extension).filter(isSchemaName)) childPart(root, name);
  return mistakes;
}

/**
 * Joins the documents. Elements match by name, overloads of operations by their parameters.
 * @param optional types with members that the extension enables by naming them
 */
export function extendDocument(
  base: JsonObject,
  extension: JsonObject,
  optional: JsonObject = {},
): ExtendedDocument {
  const joining = startJoining(base, extension, optional);
  const { mistakes, moves } = joining;
  const own = containerOf(extension);
  checkContainer(joining, base, extension, own);
  const { schemas, targeted } = separateTargets(joining, base, ownSchemas(extension, own));
  const root = Object.entries(extension).filter(([name]) => name.startsWith('$'));
  let document: JsonObject = {
    ...base,
    ...Object.fromEntries(root),
    ...joinRoots(base, extension),
  };
  document = joinSchemas(joining.context, document, schemas);
  if (own !== undefined) document = joinContainer(joining, document, own);
  for (const partial of targeted) document = joinSchemas(joining.context, document, partial);
  const locate = (mistake: Mistake) => moved(moves, mistake);
  return { document, mistakes: mistakes.map(locate), locate };
}

interface Joining {
  readonly context: MergeContext;
  readonly mistakes: Mistake[];
  /** Paths in the extension by paths in the joined document. */
  readonly moves: Map<string, string>;
}

interface Container {
  readonly namespace: string;
  readonly name: string;
  readonly part: JsonObject;
}

function startJoining(base: JsonObject, extension: JsonObject, optional: JsonObject): Joining {
  const mistakes: Mistake[] = [];
  const includes = [...includesIn(base.$Reference), ...includesIn(extension.$Reference)];
  const own = schemasOf(extension).flatMap(([namespace, { $Alias: alias }]) =>
    typeof alias === 'string' ? [[alias, namespace] as const] : [],
  );
  const aliases = new Map([
    ...includes.map(([namespace, alias]) => [alias, namespace] as const),
    ...own,
  ]);
  const context: MergeContext = {
    mistakes,
    optional,
    fullName: (name) => {
      const dot = name.lastIndexOf('.');
      const namespace = aliases.get(name.slice(0, dot));
      return namespace === undefined ? name : namespace + name.slice(dot);
    },
    termName: (name) => canonicalTerm(name, { aliases, languages: [] }),
  };
  return { context, mistakes, moves: new Map() };
}

function schemasOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(document).flatMap(([name, schema]) =>
    isSchemaName(name) && isJsonObject(schema) ? [[name, schema] as const] : [],
  );
}

function isSchemaName(name: string): boolean {
  return !name.startsWith('$') && !isOwnVocabulary(name);
}

/** The container that `$EntityContainer` names, else the first one. */
function containerOf(document: JsonObject): Container | undefined {
  const all = schemasOf(document).flatMap(([namespace, schema]) =>
    Object.entries(schema).flatMap(([name, part]) =>
      isJsonObject(part) && part.$Kind === 'EntityContainer' ? [{ namespace, name, part }] : [],
    ),
  );
  const { $EntityContainer: named } = document;
  return all.find(({ namespace, name }) => `${namespace}.${name}` === named) ?? all[0];
}

function checkContainer(
  { context, mistakes }: Joining,
  base: JsonObject,
  { $EntityContainer: named }: JsonObject,
  own: Container | undefined,
): void {
  const extended = String(base.$EntityContainer);
  const remedy = `Write "${extended}".`;
  if (own !== undefined && context.fullName(String(own.part.$Extends)) !== extended) {
    const path = elementPath(`${own.namespace}.${own.name}`, '$Extends');
    const message = `An extension extends the container of the model, not ${String(own.part.$Extends)}.`;
    mistakes.push({ path, message, remedy });
  }
  const known = own === undefined ? extended : `${own.namespace}.${own.name}`;
  if (named === undefined || named === known) return;
  const message = `There is no entity container ${String(named)} in this document.`;
  mistakes.push({ path: '$.$EntityContainer', message, remedy: `Write "${known}", or remove it.` });
}

/** The schemas of the extension without its container. */
function ownSchemas(extension: JsonObject, own: Container | undefined): JsonObject {
  const schemas = schemasOf(extension).map(([namespace, schema]) => {
    if (namespace !== own?.namespace) return [namespace, schema] as const;
    const { [own.name]: _, ...others } = schema;
    return [namespace, others] as const;
  });
  return Object.fromEntries(schemas);
}

/** The root members of both. An alias that the extension gives to a namespace of the model becomes the alias of that schema. */
function joinRoots(base: JsonObject, extension: JsonObject): JsonObject {
  const isOwn = (reference: JsonInput) => {
    const includes = includesIn({ reference });
    return includes.length > 0 && includes.every(([namespace]) => isJsonObject(base[namespace]));
  };
  const references = isJsonObject(extension.$Reference) ? extension.$Reference : {};
  const kept = Object.entries(references).filter(([, reference]) => !isOwn(reference));
  const known = isJsonObject(base.$Reference) ? base.$Reference : {};
  const aliased = includesIn(references).flatMap(([namespace, $Alias]) => {
    const schema = base[namespace];
    const isNew = isJsonObject(schema) && schema.$Alias === undefined && $Alias !== namespace;
    return isNew ? [[namespace, { $Alias, ...schema }] as const] : [];
  });
  return {
    ...(base.$EntityContainer === undefined ? {} : { $EntityContainer: base.$EntityContainer }),
    $Reference: { ...known, ...Object.fromEntries(kept) },
    ...Object.fromEntries(aliased),
  };
}

function joinSchemas(context: MergeContext, document: JsonObject, schemas: JsonObject): JsonObject {
  const joined = schemasOf(schemas).map(([namespace, added]) => {
    const known = document[namespace];
    const path = memberPath('$', namespace);
    const schema = isJsonObject(known) ? mergeSchema(context, { path, known, added }) : added;
    return [namespace, schema] as const;
  });
  return { ...document, ...Object.fromEntries(joined) };
}

function joinContainer(joining: Joining, document: JsonObject, own: Container): JsonObject {
  const { context, moves } = joining;
  const extended = String(document.$EntityContainer);
  const dot = extended.lastIndexOf('.');
  const [namespace, name] = [extended.slice(0, dot), extended.slice(dot + 1)];
  const schema = document[namespace];
  const known = isJsonObject(schema) ? schema[name] : undefined;
  if (!isJsonObject(schema) || !isJsonObject(known)) return document;
  const qualified = `${own.namespace}.${own.name}`;
  const path = elementPath(qualified);
  for (const child of Object.keys(own.part))
    moves.set(elementPath(extended, child), memberPath(path, child));
  const merged = mergeContainer(context, { path, known, added: own.part }, qualified);
  return { ...document, [namespace]: { ...schema, [name]: merged } };
}

// ---- annotations with external targets -------------------------------------------------------------------------------

interface Separated {
  /** The schemas without the annotations of elements of the model. */
  readonly schemas: JsonObject;
  /** These annotations, as schemas that contain nothing else. */
  readonly targeted: readonly JsonObject[];
}

function separateTargets(joining: Joining, base: JsonObject, schemas: JsonObject): Separated {
  const targeted: JsonObject[] = [];
  const kept = schemasOf(schemas).map(([namespace, schema]) => {
    const { $Annotations: targets, ...others } = schema;
    if (!isJsonObject(targets)) return [namespace, schema] as const;
    const own = Object.entries(targets).filter(([target, annotations]) => {
      const place = memberPath(memberPath(memberPath('$', namespace), '$Annotations'), target);
      const partial = partialOf(joining, base, { target, annotations, place });
      if (partial !== undefined) targeted.push(partial);
      return partial === undefined;
    });
    const $Annotations = Object.fromEntries(own);
    return [namespace, own.length === 0 ? others : { ...others, $Annotations }] as const;
  });
  return { schemas: Object.fromEntries(kept), targeted };
}

interface Target {
  readonly target: string;
  readonly annotations: JsonInput;
  readonly place: string;
}

/** The annotations as a part of the element of the model; undefined if the model does not have the element. */
function partialOf(
  { context, mistakes, moves }: Joining,
  base: JsonObject,
  { target, annotations, place }: Target,
): JsonObject | undefined {
  const [element = '', ...members] = target.split('/');
  const full = [context.fullName(element), ...members].join('/');
  const path = pathTo(base, new Map(), full);
  const namespace = full.split('/', 1)[0]?.replace(/\.[^.]*$/, '') ?? '';
  if (path === undefined || !isJsonObject(annotations)) {
    if (!isJsonObject(base[namespace])) return undefined;
    const message = `The model does not have the target ${target}.`;
    const remedy =
      'Write the qualified name of a type or container, optionally with / and a member.';
    mistakes.push({ path: place, message, remedy });
    return undefined;
  }
  moves.set(path.names.reduce(memberPath, '$'), place);
  const terms = Object.entries(annotations).map(([term, value]) => [path.prefix + term, value]);
  return path.names.reduceRight<JsonObject>(
    (inner, name) => ({ [name]: inner }),
    Object.fromEntries(terms),
  );
}

/** The place in the extension: the longest known path that contains the mistake is replaced. */
function moved(moves: ReadonlyMap<string, string>, mistake: Mistake): Mistake {
  const paths = [...moves.keys()].filter(
    (path) =>
      mistake.path === path ||
      (mistake.path.startsWith(path) && /^[.[]/.test(mistake.path.slice(path.length))),
  );
  const [longest] = paths.toSorted((one, other) => other.length - one.length);
  if (longest === undefined) return mistake;
  return { ...mistake, path: `${moves.get(longest)}${mistake.path.slice(longest.length)}` };
}
