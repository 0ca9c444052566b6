// This file makes the documents that describe the service, once: $metadata in both formats and versions, and the OpenAPI description. What they
// say of capabilities is in capabilities.ts.

import { createHash } from 'node:crypto';
import type { FileLimits } from '../attachments/vault.ts';
import { SYSTEM_NAMESPACE, systemTable } from '../edm/administration-sets.ts';
import { toCsdl } from '../edm/csdl/write-csdl.ts';
import { csdlXml } from '../edm/csdl/xml.ts';
import type { Model, ModelDefinition } from '../edm/model.ts';
import { toOpenApi } from '../edm/openapi/openapi.ts';
import { printJson } from '../edm/value/lossless-json.ts';
import type { ReadyDocument, ReadyDocuments } from '../response/site.ts';
import { capabilitiesOf } from './capabilities.ts';

/**
 * The documents of a model; each is made when it is first asked for.
 * @param version of the service, as the OpenAPI description shows it
 * @param files what files may be
 */
export function makeDocuments(model: Model, version: string, files?: FileLimits): ReadyDocuments {
  const definition = publicPart(model.definition);
  const capabilities = capabilitiesOf(definition, files);
  const xml = (protocol: '4.0' | '4.01') =>
    once(() =>
      document('application/xml', csdlXml(toCsdl(definition, { version: protocol, capabilities }))),
    );
  const [old, current] = [xml('4.0'), xml('4.01')];
  const json = once(() =>
    document('application/json', printJson(toCsdl(definition, { version: '4.01', capabilities }))),
  );
  return {
    get metadataXml() {
      return { '4.0': old(), '4.01': current() };
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

/** What is reserved to administrators is not described. */
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

function document(type: string, text: string): ReadyDocument {
  return {
    type,
    text,
    // Weak, since the same document is sent with and without compression.
    etag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
