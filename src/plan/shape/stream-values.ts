// Writes streams of entities: the link, type and ETag of a stream property, and its content if $expand requests it. OData JSON
// Format 4.01, "Stream Property", "Media Entity".

import { Fault } from '../../base/fault.ts';
import type { Query } from '../../bind/bound.ts';
import { isNotNull, joinConditions, variable } from '../../bind/expression/constructors.ts';
import { primitive } from '../../bind/expression/types.ts';
import type { Property } from '../../edm/model.ts';
import type { RowUrl } from '../read/row-urls.ts';
import type { ShapeMember } from '../read-plan.ts';
import { links, type ShapedEntity } from './control-information.ts';
import { annotation, type Place, type ShapeScope } from './shape-scope.ts';

/** The member that holds the content of a media entity. */
const MEDIA = '$value';

/** Whether the query requests the content of streams, at any level. */
export function showsFiles({ streams, expansions, nested = [] }: Query): boolean {
  if (streams.length > 0) return true;
  return [...expansions, ...nested].some(({ query }) => showsFiles(query));
}

/**
 * The content of streams in $expand, with annotations; the media type is written at every metadata level.
 * Throws: request.not-acceptable in XML; not-built in responses to writes.
 */
export function fileMembers(scope: ShapeScope, entity: ShapedEntity): readonly ShapeMember[] {
  const { query, row } = entity;
  if (query.streams.length === 0) return [];
  if (scope.isXml) {
    const supported = 'XML cannot represent the bytes of files; request application/json';
    throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
  }
  if (!scope.allowsFiles) {
    throw new Fault('not-built', { feature: 'bytes of files in this response' });
  }
  return query.streams.flatMap(({ property, onType }) => {
    const place: Place = { row: variable(row), path: [], onType };
    const name = property?.name ?? MEDIA;
    const annotations =
      property === undefined ? mediaType(scope, place) : streamLinks(scope, entity, place, name);
    const typeName = annotation(scope, name, 'type');
    return [...annotations, { kind: 'bytes', name, typeName, row: place.row, property, onType }];
  });
}

/** The media type; with metadata, the entity already carries it. */
function mediaType(scope: ShapeScope, { row }: Place): readonly ShapeMember[] {
  if (scope.metadata !== 'none') return [];
  return [{ kind: 'media', name: annotation(scope, '', 'mediaContentType'), row, fact: 'type' }];
}

/** The annotations of a selected stream property. If it is expanded, fileMembers writes them. */
export function streamMembers(
  scope: ShapeScope,
  entity: ShapedEntity,
  place: Place,
  { name }: Property,
): readonly ShapeMember[] {
  const isExpanded = entity.query.streams.some(({ property }) => property?.name === name);
  if (scope.metadata === 'none' || isExpanded) return [];
  return streamLinks(scope, entity, place, name);
}

function streamLinks(
  scope: ShapeScope,
  { row, urls }: ShapedEntity,
  place: Place,
  name: string,
): readonly ShapeMember[] {
  const property = scope.model.members(place.onType ?? row.type).get(name);
  if (property?.kind !== 'property') return [];
  const { onType } = place;
  const fact = (term: string) => ({ name: annotation(scope, name, term), onType });
  const type = { kind: 'media', row: place.row, property, fact: 'type' } as const;
  const readUrls =
    scope.metadata === 'full' ? urls : urls.map((url) => ifStored(url, place, property));
  const tail = `/${[...place.path, property].map((step) => step.name).join('/')}`;
  if (scope.metadata === 'none') return [{ ...type, ...fact('mediaContentType') }];
  return [
    { ...type, ...fact('mediaContentType') },
    ...links(annotation(scope, name, 'mediaReadLink'), readUrls, { tail, onType }),
    ...(scope.metadata === 'full'
      ? ([
          { kind: 'media', row: place.row, property, fact: 'etag', ...fact('mediaEtag') },
          ...links(annotation(scope, name, 'mediaEditLink'), urls, { tail, onType }),
        ] as const)
      : []),
  ];
}

/** Omits the read link if nothing is stored. Full metadata includes it for later uploads. */
function ifStored(url: RowUrl, { row, path }: Place, property: Property): RowUrl {
  const type = primitive('Edm.Stream');
  const isStored = isNotNull({ kind: 'property', row, path: [...path, property], type });
  const { when } = url;
  return { ...url, when: when === undefined ? isStored : joinConditions('and', [when, isStored]) };
}
