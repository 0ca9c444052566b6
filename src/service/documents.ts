// This file creates the documents that describe the service: $metadata in both formats and versions, and the OpenAPI description. Their
// capability annotations are in capabilities.ts.
import { createHash } from 'node:crypto';
import type { FileLimits } from '../attachments/vault.ts';
import { SYSTEM_NAMESPACE, systemTable } from '../edm/administration-sets.ts';
import { toCsdl } from '../edm/csdl/write-csdl.ts';
import { csdlXml } from '../edm/csdl/xml.ts';
import type { Model, ModelDefinition } from '../edm/model.ts';
import { toOpenApi } from '../edm/openapi/openapi.ts';
import { printJson } from '../edm/value/lossless-json.ts';
import type { PrebuiltDocument, PrebuiltDocuments } from '../response/site.ts';
import { capabilitiesOf } from './capabilities.ts';

/**
 * The documents of a model, each created on first use.
 * @param version of the service, for the OpenAPI description
 * @param files limits of file types and sizes
 */
export function makeDocuments(
  model: Model,
  version: string,
  files?: FileLimits,
): PrebuiltDocuments {
  const definition = publicPart(model.definition);
  const capabilities = capabilitiesOf(definition, files);
  const xml = (protocol: '4.0' | '4.01') =>
    once(() =>
      document('application/xml', csdlXml(toCsdl(definition, { version: protocol, capabilities }))),
    );
  const [xml40, xml401] = [xml('4.0'), xml('4.01')];
  const json = once(() =>
    document('application/json', printJson(toCsdl(definition, { version: '4.01', capabilities }))),
  );
  return {
    get metadataXml() {
      return { '4.0': xml40(), '4.01': xml401() };
    },
    get metadataJson() {
      return json();
    },
    openapi: (root) =>
      document(
        'application/json',
        printJson(
          toOpenApi(definition, { version, server: root, capabilities, securitySchemes: SECURITY }),
        ),
      ),
  };
}

const SECURITY = {
  token: {
    type: 'oauth2',
    flows: { password: { tokenUrl: '/token', refreshUrl: '/token', scopes: {} } },
  },
} as const;

/** The model without its administrative parts. */
function publicPart(definition: ModelDefinition): ModelDefinition {
  const hidden = new Set(
    definition.sets.filter((set) => set.administrative === true).map((set) => set.name),
  );
  const sets = definition.sets.filter((set) => !hidden.has(set.name));
  const types = definition.types.filter(({ name }) => systemTable(name) === undefined);
  const namespaces = definition.namespaces.filter(
    ({ name }) =>
      name !== SYSTEM_NAMESPACE || types.some((type) => type.name.startsWith(`${name}.`)),
  );
  return {
    ...definition,
    namespaces,
    types,
    sets: sets.map((set) => ({
      ...set,
      bindings: Object.fromEntries(
        Object.entries(set.bindings).filter(([, target]) => !hidden.has(target)),
      ),
    })),
  };
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
