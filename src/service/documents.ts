// This file creates the documents that describe the service: $metadata in both formats and versions, and the OpenAPI description. Their
// capability annotations are in capabilities.ts.
import { createHash } from 'node:crypto';
import type { FileLimits } from '../attachments/vault.ts';
import { Fault } from '../base/fault.ts';
import { memoized } from '../base/memo.ts';
import { nearestName } from '../base/nearest-name.ts';
import { systemTable } from '../edm/administration-sets.ts';
import { CODE_SET_TYPES } from '../edm/code-sets.ts';
import { CONSOLE_TILE_TYPE } from '../edm/console-sets.ts';
import { flattenTypes } from '../edm/csdl/flat-types.ts';
import { type CsdlOptions, toCsdl } from '../edm/csdl/write-csdl.ts';
import { csdlXml } from '../edm/csdl/xml.ts';
import { SYSTEM_NAMESPACE } from '../edm/engine-schema.ts';
import {
  type EntitySet,
  entityType,
  type Model,
  type ModelDefinition,
  makeModel,
  memberAt,
  type NamedType,
} from '../edm/model.ts';
import { toOpenApi } from '../edm/openapi/openapi.ts';
import { withoutEngine } from '../edm/unpublished-engine.ts';
import { type JsonObject, printJson } from '../edm/value/lossless-json.ts';
import type {
  MetadataDocuments,
  OpenApiSelection,
  PrebuiltDocument,
  PrebuiltDocuments,
} from '../response/site.ts';
import { capabilitiesOf } from './capabilities.ts';

/**
 * The documents of a model, each created on first use.
 * @param version of the service, for the OpenAPI description
 * @param files limits of file types and sizes
 * @param basePath path of the service root on the server, which the token endpoint does not share
 */
export function makeDocuments(
  model: Model,
  version: string,
  files?: FileLimits,
  basePath = '/odata',
): PrebuiltDocuments {
  const definition = publicPart(model.definition);
  const capabilities = capabilitiesOf(definition, files);
  const known = new Map<string, PrebuiltDocument>();
  return Object.assign(variantsOf(definition, files), {
    engine: variantsOf(wholePart(model.definition), files, { userInterface: true }),
    openapi: (root: string, selection: OpenApiSelection = {}) =>
      memoized(known, JSON.stringify([root, selection]), () => describe(root, selection), KEPT),
  });

  function describe(root: string, selection: OpenApiSelection): PrebuiltDocument {
    const sets = selection.sets && chosenSets(definition, selection.sets);
    const description = toOpenApi(definition, {
      version,
      server: root,
      capabilities,
      securitySchemes: securityOf(root, basePath),
      isCompact: selection.isCompact ?? false,
      ...(sets === undefined ? {} : { sets }),
    });
    return document('application/json', printJson(description));
  }
}

/** OpenAPI descriptions that are kept. Each takes up to 2 MB. */
const KEPT = 4;

type Protocol = '4.0' | '4.01';

/** $metadata of a definition, also without base types. */
function variantsOf(
  definition: ModelDefinition,
  files: FileLimits | undefined,
  options: Pick<CsdlOptions, 'userInterface'> = {},
) {
  const capabilities = once(() => capabilitiesOf(definition, files));
  const csdl = (version: Protocol) =>
    toCsdl(definition, { ...options, version, capabilities: capabilities() });
  return Object.assign(metadataOf(csdl), {
    flat: metadataOf((protocol) => flattenTypes(csdl(protocol))),
  });
}

/** $metadata in its formats, each created on first use. */
function metadataOf(csdl: (protocol: Protocol) => JsonObject): MetadataDocuments {
  const xml = (protocol: Protocol) =>
    once(() => document('application/xml', csdlXml(csdl(protocol))));
  const [xml40, xml401] = [xml('4.0'), xml('4.01')];
  const json = once(() => document('application/json', printJson(csdl('4.01'))));
  return {
    metadataXml: {
      get '4.0'() {
        return xml40();
      },
      get '4.01'() {
        return xml401();
      },
    },
    get metadataJson() {
      return json();
    },
  };
}

/** Throws request.option-value for a name that is not of a published set. */
function chosenSets({ sets }: ModelDefinition, chosen: readonly string[]): ReadonlySet<string> {
  const names = sets.map(({ name }) => name);
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown === undefined) return new Set(chosen);
  const nearest = nearestName(unknown.slice(0, 100), names);
  const hint = nearest === undefined ? '' : `"${nearest}" or other `;
  const expected = `use ${hint}names of sets, separated by commas: ${names.join(', ')}`;
  throw new Fault(
    'request.option-value',
    { value: unknown.slice(0, 100), name: 'sets', expected },
    { target: 'sets' },
  );
}

/** The token endpoint is on the server of the service root, without its base path. */
function securityOf(root: string, basePath: string) {
  const server = basePath === '/' ? root.slice(0, -1) : root.slice(0, -basePath.length - 1);
  const url = `${server}/token`;
  const flows = { password: { tokenUrl: url, refreshUrl: url, scopes: {} } };
  return { token: { type: 'oauth2', flows } } as const;
}

/** The model without its administrative and hidden parts. */
function publicPart(definition: ModelDefinition): ModelDefinition {
  const sets = definition.sets.filter((set) => set.administrative !== true);
  const published = withoutEngine({ ...definition, sets });
  const types = published.types.filter(({ name }) => !isAdministrative(name));
  return withoutHiddenParts(definition, { ...published, types });
}

/** Whether a type belongs to administrative sets only. */
function isAdministrative(name: string): boolean {
  return systemTable(name) !== undefined || CODE_SET_TYPES.has(name) || name === CONSOLE_TILE_TYPE;
}

/** The model with everything that the engine adds, but without its hidden parts. */
function wholePart(definition: ModelDefinition): ModelDefinition {
  return withoutHiddenParts(definition, { ...definition, unpublishedEngine: false });
}

/** What is left of the published part without hidden sets and members, and without what refers to parts that are left out. */
function withoutHiddenParts(
  definition: ModelDefinition,
  published: ModelDefinition,
): ModelDefinition {
  const model = makeModel(definition);
  const sets = published.sets.filter((set) => set.hidden !== true);
  const names = new Set(sets.map(({ name }) => name));
  const types = published.types.map(withoutHidden);
  const kept = new Set(types.map(({ name }) => name));
  const isLeftOut = ({ type }: { readonly type: string }) =>
    !kept.has(type) && definition.types.some(({ name }) => name === type);
  const operations = published.operations.filter(
    ({ parameters, returns }) =>
      !parameters.some(isLeftOut) && (returns === undefined || !isLeftOut(returns)),
  );
  const operationNames = new Set(operations.map(({ name }) => name));
  const imports = published.imports.filter(({ operation }) => operationNames.has(operation));
  const namespaces = definition.namespaces.filter(
    ({ name }) =>
      name !== SYSTEM_NAMESPACE || types.some((type) => type.name.startsWith(`${name}.`)),
  );
  const isBound = (set: EntitySet, path: string, target: string) =>
    (names.has(target) || !model.storedSets.has(target)) &&
    memberAt(model, entityType(model, set.type), path)?.hidden !== true;
  return {
    ...published,
    operations,
    imports,
    namespaces,
    types,
    sets: sets.map((set) => ({
      ...set,
      bindings: Object.fromEntries(
        Object.entries(set.bindings).filter(([path, target]) => isBound(set, path, target)),
      ),
    })),
  };
}

/** The type without its hidden members.  */
function withoutHidden(type: NamedType): NamedType {
  if (type.kind !== 'entity' || type.members.every(({ hidden }) => hidden !== true)) return type;
  return { ...type, members: type.members.filter(({ hidden }) => hidden !== true) };
}

function document(type: string, text: string): PrebuiltDocument {
  return {
    type,
    text,
    // Weak, since compression changes the bytes.
    etag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
  };
}

function once<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
