// This file writes responses in the OData Atom Format 4.0 (feeds, entries, values and references) from the JSON records. For Atom, plans
// request full metadata and large numbers as strings, so that the records contain all annotations and no number is rounded.
import { invariant, unreachable } from '../../base/fault.ts';
import { type AttributeValue, element, writeXml, type XmlElement } from '../../base/xml.ts';
import { parseExactJson } from '../../edm/value/lossless-json.ts';
import type { Shape } from '../../plan/read-plan.ts';
import { printPath, printQuery } from '../../request/print/url.ts';
import type { Tree } from '../../request/tree.ts';
import type { CollectionPayload, Payload, RecordPayload, ValuePayload } from '../payload.ts';
import type { Site } from '../site.ts';
import { type AtomRecord, readRecord } from './record.ts';
import { ownTypeName, structureElements, valueContent } from './value.ts';

/** Namespace declarations of the root element. */
const NAMESPACES = {
  xmlns: 'http://www.w3.org/2005/Atom',
  'xmlns:d': 'http://docs.oasis-open.org/odata/ns/data',
  'xmlns:m': 'http://docs.oasis-open.org/odata/ns/metadata',
} as const;

const SCHEME = 'http://docs.oasis-open.org/odata/ns/scheme';
const RELATED = 'http://docs.oasis-open.org/odata/ns/related/';
const RELATED_LINKS = 'http://docs.oasis-open.org/odata/ns/relatedlinks/';
const READ_MEDIA = 'http://docs.oasis-open.org/odata/ns/mediaresource/';
const EDIT_MEDIA = 'http://docs.oasis-open.org/odata/ns/edit-media/';

interface Writing {
  readonly site: Site;
  /** Time of the response, which Atom requires in every feed and entry. */
  readonly updated: string;
}

/** Returns the body as an XML document. */
export function writeAtom(payload: Payload, tree: Tree, site: Site): string {
  const writing = { site, updated: new Date(site.now).toISOString() };
  switch (payload.kind) {
    case 'entities':
    case 'references':
      return writeXml(feed(writing, payload, tree));
    case 'entity':
    case 'reference':
      return writeXml(single(writing, payload));
    case 'value':
      return writeXml(value(writing, payload));
    default:
      return unreachable(payload);
  }
}

function rootAttributes({ site }: Writing, context: string): Readonly<Record<string, string>> {
  return { 'xml:base': site.root, 'm:context': context, ...NAMESPACES };
}

// ---- feeds ----------------------------------------------------------------------------------------------------------

/** OData Atom Format 4.0, "Feed". */
function feed(writing: Writing, payload: CollectionPayload, tree: Tree): XmlElement {
  const { kind, records, context, count, nextLink, shape } = payload;
  const query = printQuery(tree.options);
  const self = `${writing.site.root}${printPath(tree.path)}${query === '' ? '' : `?${query}`}`;
  const items = records.map((text) => {
    const record = recordOf(writing, shape, text);
    return kind === 'references' ? reference(record) : entry(writing, record);
  });
  return element('feed', rootAttributes(writing, context), [
    ...feedHead(writing, self),
    ...(count === undefined ? [] : [element('m:count', {}, [String(count)])]),
    ...items,
    ...link({ rel: 'next', href: nextLink }),
  ]);
}

function feedHead({ updated }: Writing, self: string): readonly XmlElement[] {
  return [
    element('id', {}, [self]),
    element('title'),
    element('updated', {}, [updated]),
    element('link', { rel: 'self', href: self }),
  ];
}

function recordOf({ site }: Writing, { row }: Shape, text: string): AtomRecord {
  const type = row.kind === 'entity' ? row.type : undefined;
  return readRecord(site.model, type, parseExactJson(text));
}

// ---- entries --------------------------------------------------------------------------------------------------------

function single(writing: Writing, { kind, record, context, shape }: RecordPayload): XmlElement {
  const read = recordOf(writing, shape, record);
  const root = rootAttributes(writing, context);
  return kind === 'reference' ? reference(read, root) : entry(writing, read, root);
}

/** OData Atom Format 4.0, "Entity Reference". */
function reference(
  { annotations }: AtomRecord,
  root: Readonly<Record<string, AttributeValue>> = {},
): XmlElement {
  return element('m:ref', { ...root, id: annotations.get('id') });
}

/** OData Atom Format 4.0, "Entity". */
function entry(
  writing: Writing,
  record: AtomRecord,
  root: Readonly<Record<string, AttributeValue>> = {},
): XmlElement {
  const { annotations } = record;
  const properties = element('m:properties', {}, structureElements(record));
  const source = annotations.get('mediaReadLink');
  const content =
    source === undefined
      ? [element('content', { type: 'application/xml' }, [properties])]
      : [
          element('content', { type: annotations.get('mediaContentType') ?? '*/*', src: source }),
          properties,
        ];
  const type =
    annotations.get('type') ?? (record.type === undefined ? undefined : `#${record.type.name}`);
  const id = annotations.get('id');
  return element('entry', { ...root, 'm:etag': annotations.get('etag') }, [
    element('id', {}, id === undefined ? [] : [id]),
    ...(type === undefined ? [] : [element('category', { scheme: SCHEME, term: type })]),
    element('title'),
    element('updated', {}, [writing.updated]),
    element('author', {}, [element('name')]),
    ...ownLinks(record),
    ...navigationLinks(writing, record),
    ...streamLinks(record),
    ...record.operations.map(({ kind, ...offer }) => element(`m:${kind}`, offer)),
    ...content,
  ]);
}

function ownLinks({ annotations }: AtomRecord): readonly XmlElement[] {
  const media = {
    href: annotations.get('mediaEditLink'),
    'm:etag': annotations.get('mediaEtag'),
  };
  return [
    ...link({ rel: 'edit', href: annotations.get('editLink') }),
    ...link({ rel: 'edit-media', ...media }),
  ];
}

/** A link, unless it has no address. */
function link(
  attributes: Readonly<Record<string, string | undefined>>,
  content: readonly XmlElement[] = [],
): readonly XmlElement[] {
  return attributes.href === undefined ? [] : [element('link', attributes, content)];
}

/** Returns the links to related entities, with expanded ones inline. OData Atom Format 4.0, "Navigation Property". */
function navigationLinks(writing: Writing, record: AtomRecord): readonly XmlElement[] {
  return record.navigations.flatMap((navigation): XmlElement[] => {
    const { name, isCollection, links, expanded, count, nextLink } = navigation;
    const type = `application/atom+xml;type=${isCollection ? 'feed' : 'entry'}`;
    // A count without entities becomes a feed without entries.
    const isInline = expanded !== undefined || count !== undefined;
    const content = { expanded: expanded ?? [], isCollection, count, nextLink, links };
    const inline = isInline ? [element('m:inline', {}, inlined(writing, content))] : [];
    return [
      element(
        'link',
        { rel: RELATED + name, type, title: name, href: links.get('navigationLink') },
        inline,
      ),
      ...link({
        rel: RELATED_LINKS + name,
        type: 'application/xml',
        title: name,
        href: links.get('associationLink'),
      }),
    ];
  });
}

interface Inlined {
  readonly expanded: readonly AtomRecord[];
  readonly isCollection: boolean;
  readonly count: string | undefined;
  readonly nextLink: string | undefined;
  readonly links: ReadonlyMap<string, string>;
}

function inlined(writing: Writing, inline: Inlined): readonly XmlElement[] {
  const { expanded, isCollection, count, nextLink, links } = inline;
  const entries = expanded.map((record) =>
    record.isReference ? reference(record) : entry(writing, record),
  );
  if (!isCollection) return entries;
  return [
    element('feed', {}, [
      ...feedHead(writing, links.get('navigationLink') ?? ''),
      ...(count === undefined ? [] : [element('m:count', {}, [count])]),
      ...entries,
      ...link({ rel: 'next', href: nextLink }),
    ]),
  ];
}

/** OData Atom Format 4.0, "Stream Property". */
function streamLinks({ streams }: AtomRecord): readonly XmlElement[] {
  return [...streams].flatMap(([name, facts]) => {
    const type = facts.get('mediaContentType');
    const etag = facts.get('mediaEtag');
    const to = (rel: string, href: string | undefined) =>
      link({ rel: rel + name, type, title: name, href, 'm:etag': etag });
    return [
      ...to(READ_MEDIA, facts.get('mediaReadLink')),
      ...to(EDIT_MEDIA, facts.get('mediaEditLink')),
    ];
  });
}

// ---- values ---------------------------------------------------------------------------------------------------------

/** OData Atom Format 4.0, "Individual Property". */
function value(writing: Writing, { json, context, type }: ValuePayload): XmlElement {
  const { model } = writing.site;
  const parsed = parseExactJson(json);
  invariant(parsed !== null, 'a null value has no body');
  const attributes = { ...rootAttributes(writing, context), 'm:type': ownTypeName(type, parsed) };
  return element('m:value', attributes, valueContent(model, type, parsed));
}
