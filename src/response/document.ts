// This file renders the service document in JSON and Atom, the prebuilt metadata documents, and the empty response of $ping.
// OData JSON Format 4.01, "Service Document"; OData Atom Format 4.0, "Service Document".

import { unreachable } from '../base/fault.ts';
import { element, writeXml, type XmlElement } from '../base/xml.ts';
import type { BoundDocument } from '../bind/bound.ts';
import type { EntitySet, Model, OperationImport } from '../edm/model.ts';
import { simpleName } from '../edm/model.ts';
import type { Negotiated } from '../request/tree.ts';
import { contentType, headersOf, withCharset } from './headers.ts';
import { contextUrl } from './links.ts';
import type { Answer } from './response.ts';
import type { PrebuiltDocument, Site } from './site.ts';

/** Renders the document of the plan. */
export function renderDocument(plan: BoundDocument, negotiated: Negotiated, site: Site): Answer {
  switch (plan.document) {
    case 'service':
      return ready(negotiated, serviceDocument(negotiated, site));
    case 'metadata':
      return ready(negotiated, metadataDocument(plan, negotiated, site));
    case 'openapi':
      return ready(negotiated, site.documents.openapi(site.root));
    case 'ping':
      return {
        status: 200,
        headers: { ...headersOf(negotiated, {}), 'Content-Length': '0' },
        body: '',
      };
    default:
      return unreachable(plan.document);
  }
}

function ready(negotiated: Negotiated, { type, text, etag }: PrebuiltDocument): Answer {
  return { status: 200, headers: headersOf(negotiated, { etag, type }), body: text };
}

function metadataDocument(
  { flat, engine = false }: BoundDocument,
  { format, version }: Negotiated,
  site: Site,
): PrebuiltDocument {
  const variants = engine ? site.documents.engine : site.documents;
  // Each of its documents is created when it is read, which takes longer than all else of a request.
  const documents = (flat ?? site.flatMetadata) ? variants.flat : variants;
  if (format.kind === 'json')
    return asType(documents.metadataJson, withCharset('application/json', format.charset), site);
  const document = documents.metadataXml[version];
  return format.kind === 'xml'
    ? asType(document, withCharset(format.type, format.charset), site)
    : document;
}

/** The same text with another media type is another representation and needs another ETag. */
function asType(document: PrebuiltDocument, type: string, { digest }: Site): PrebuiltDocument {
  if (type === document.type) return document;
  return { ...document, type, etag: `W/"${digest(`${type}\n${document.etag}`)}"` };
}

// ---- the service document -------------------------------------------------------------------------------------------

function serviceDocument(negotiated: Negotiated, site: Site): PrebuiltDocument {
  const { format, version } = negotiated;
  const type = contentType(format, version);
  const text = format.kind === 'xml' ? serviceXml(site) : serviceJson(negotiated, site);
  return { type, text, etag: `W/"${site.digest(`${type}\n${text}`)}"` };
}

interface Entry {
  readonly name: string;
  readonly kind: 'EntitySet' | 'Singleton' | 'FunctionImport';
}

/** Returns the listed sets and singletons in model order, then the listed function imports. */
function entries(model: Model): readonly Entry[] {
  const sets = [...model.sets.values()].filter((set) => set.listed && set.administrative !== true);
  const functions = [...model.imports.values()].filter((item) => isListedFunction(item));
  return [
    ...sets.map((set) => ({ name: set.name, kind: setKind(set) })),
    ...functions.map(({ name }) => ({ name, kind: 'FunctionImport' as const })),
  ];
}

function setKind({ kind }: EntitySet): Entry['kind'] {
  return kind === 'set' ? 'EntitySet' : 'Singleton';
}

function isListedFunction({ kind, listed }: OperationImport): boolean {
  return kind === 'function-import' && listed;
}

function serviceJson({ format, version }: Negotiated, { root, model }: Site): string {
  const hasContext = format.kind !== 'json' || format.metadata !== 'none';
  const name = version === '4.01' ? '@context' : '@odata.context';
  return JSON.stringify({
    ...(hasContext ? { [name]: contextUrl(root, '') } : {}),
    value: entries(model).map((entry) => ({ ...entry, url: entry.name })),
  });
}

const ELEMENTS = {
  EntitySet: 'app:collection',
  Singleton: 'm:singleton',
  FunctionImport: 'm:function-import',
} as const satisfies Record<Entry['kind'], string>;

function serviceXml({ root, model }: Site): string {
  const workspace = element('app:workspace', {}, [
    title(simpleName(model.definition.container)),
    ...entries(model).map(({ name, kind }) =>
      element(ELEMENTS[kind], { href: name, 'm:name': name }, [title(name)]),
    ),
  ]);
  return writeXml(
    element(
      'app:service',
      {
        'xml:base': root,
        'm:context': contextUrl(root, ''),
        'xmlns:app': 'http://www.w3.org/2007/app',
        'xmlns:atom': 'http://www.w3.org/2005/Atom',
        'xmlns:m': 'http://docs.oasis-open.org/odata/ns/metadata',
      },
      [workspace],
    ),
  );
}

function title(text: string): XmlElement {
  return element('atom:title', { type: 'text' }, [text]);
}
