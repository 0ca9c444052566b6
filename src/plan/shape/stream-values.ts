// Writes streams of entities: the link, type and ETag of a stream property, and its content if $expand requests it. OData JSON
// Format 4.01, "Stream Property", "Media Entity".
import { Fault } from '../../base/fault.ts';
import type { Expression, Query, ValueType } from '../../bind/bound.ts';
import { BOOLEAN } from '../../bind/expression/types.ts';
import type { Property } from '../../edm/model.ts';
import type { Self } from '../read/row-address.ts';
import type { ShapeMember } from '../read-plan.ts';
import { allOf, variable } from '../rights/row-conditions.ts';
import { type EntityDraft, links } from './control-information.ts';
import { annotation, type Drafting, onlyOn, type Place } from './shape-scope.ts';

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
export function fileMembers(drafting: Drafting, draft: EntityDraft): readonly ShapeMember[] {
  const { query, row } = draft;
  if (query.streams.length === 0) return [];
  if (drafting.isXml) {
    const supported = 'XML cannot represent the bytes of files; request application/json';
    throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
  }
  if (!drafting.takesFiles) {
    throw new Fault('not-built', { feature: 'bytes of files in this response' });
  }
  return query.streams.flatMap(({ property, onType }) => {
    const place: Place = { row: variable(row), path: [], ...onlyOn({ ...(onType && { onType }) }) };
    const name = property?.name ?? MEDIA;
    const told =
      property === undefined
        ? mediaType(drafting, place)
        : streamLinks(drafting, draft, place, name);
    const of = { row: place.row, ...(property === undefined ? {} : { property }) };
    const typeName = annotation(drafting, name, 'type');
    return [...told, { kind: 'bytes', name, typeName, ...of, ...onlyOn(place) }];
  });
}

/** The media type; with metadata, the entity already carries it. */
function mediaType(drafting: Drafting, { row }: Place): readonly ShapeMember[] {
  if (drafting.metadata !== 'none') return [];
  return [{ kind: 'media', name: annotation(drafting, '', 'mediaContentType'), row, fact: 'type' }];
}

/** The annotations of a selected stream property. If it is expanded, fileMembers writes them. */
export function streamMembers(
  drafting: Drafting,
  draft: EntityDraft,
  place: Place,
  { name }: Property,
): readonly ShapeMember[] {
  const isExpanded = draft.query.streams.some(({ property }) => property?.name === name);
  if (drafting.metadata === 'none' || isExpanded) return [];
  return streamLinks(drafting, draft, place, name);
}

function streamLinks(
  drafting: Drafting,
  { row, self }: EntityDraft,
  place: Place,
  name: string,
): readonly ShapeMember[] {
  const property = drafting.model.members(place.onType ?? row.type).get(name);
  if (property?.kind !== 'property') return [];
  const fact = (term: string) => ({ name: annotation(drafting, name, term), ...onlyOn(place) });
  const type = { kind: 'media', row: place.row, property, fact: 'type' } as const;
  const there =
    drafting.metadata === 'full' ? self : self.map((one) => whereStored(one, place, property));
  const tail = `/${[...place.path, property].map((step) => step.name).join('/')}`;
  if (drafting.metadata === 'none') return [{ ...type, ...fact('mediaContentType') }];
  return [
    { ...type, ...fact('mediaContentType') },
    ...links(annotation(drafting, name, 'mediaReadLink'), there, { tail, ...onlyOn(place) }),
    ...(drafting.metadata === 'full'
      ? ([
          { kind: 'media', row: place.row, property, fact: 'etag', ...fact('mediaEtag') },
          ...links(annotation(drafting, name, 'mediaEditLink'), self, { tail, ...onlyOn(place) }),
        ] as const)
      : []),
  ];
}

/** Omits the read link if nothing is stored. Full metadata includes it for later uploads. */
function whereStored(self: Self, { row, path }: Place, property: Property): Self {
  const type: ValueType = { kind: 'primitive', name: 'Edm.Stream', facets: {}, collection: false };
  const isStored: Expression = {
    kind: 'compare',
    operator: 'ne',
    left: { kind: 'property', row, path: [...path, property], type },
    right: { kind: 'literal', type: { kind: 'null' }, value: null },
    operandType: type,
    type: BOOLEAN,
  };
  const { when } = self;
  return { ...self, when: when === undefined ? isStored : allOf([when, isStored]) };
}
