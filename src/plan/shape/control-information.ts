// Writes the control information of an entity: type, id, ETag, links and media stream. OData JSON Format 4.01, "Control
// Information".
import type { Query } from '../../bind/bound.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { structuredType } from '../../edm/model.ts';
import type { NestedOptions } from '../../request/tree.ts';
import { type Self, textPart } from '../read/row-address.ts';
import type { ShapeMember } from '../read-plan.ts';
import { allOf, type EntityRow, variable, wholeRow } from '../rights/row-conditions.ts';
import { annotation, type Drafting, onlyOn, type Place } from './shape-scope.ts';

/** An entity to be written. */
export interface EntityDraft {
  readonly row: EntityRow;
  readonly query: Query;
  readonly self: readonly Self[];
  /** The options that the client wrote for these entities, such as the nested options of $expand. */
  readonly written: NestedOptions;
}

/** Type, id and ETag come first, in this order: streaming clients rely on it. */
export function controlInformation(drafting: Drafting, draft: EntityDraft): readonly ShapeMember[] {
  const { metadata } = drafting;
  if (metadata === 'none') return [];
  const { row, self } = draft;
  const name = (term: string) => annotation(drafting, '', term);
  const isFull = metadata === 'full';
  const members: ShapeMember[] = [];
  if (isFull || drafting.model.derived(row.type).length > 0) {
    const type = { row: variable(row), declared: row.type, always: isFull };
    members.push({ kind: 'type', name: name('type'), ...type });
  }
  if (isFull || needsId(drafting.model, draft)) members.push(...links(name('id'), self));
  members.push(...etagMember(drafting, row));
  if (isFull) members.push(...links(name('editLink'), self));
  return [...members, ...mediaMembers(drafting, draft)];
}

/** The ETag, if the whole row is visible rather than only its disclosed members. */
export function etagMember(drafting: Drafting, row: EntityRow): readonly ShapeMember[] {
  const whole = wholeRow(drafting.guard, variable(row), row.type);
  if (whole === false) return [];
  const tag = { kind: 'etag', name: annotation(drafting, '', 'etag'), row: variable(row) } as const;
  return [whole === true ? tag : { ...tag, when: whole }];
}

/** The URLs of rows that are visible as a whole: a URL contains the key, which partially disclosed rows do not show. */
export function shownSelf(
  { guard }: Drafting,
  row: EntityRow,
  self: readonly Self[],
): readonly Self[] {
  const whole = wholeRow(guard, variable(row), row.type);
  if (typeof whole === 'boolean') return whole ? self : [];
  return self.map(({ parts, when }) => ({
    parts,
    when: when === undefined ? whole : allOf([when, whole]),
  }));
}

/** Whether clients cannot compute the id, because the key is not selected or the context does not name the set. */
function needsId(model: Model, { row, query }: EntityDraft): boolean {
  if (row.source.kind === 'union') return true;
  const { all, items } = query.selection;
  if (all) return false;
  const named = new Set(
    items.flatMap((item) => (item.kind === 'property' ? [item.property.name] : [])),
  );
  return model.key(row.type).some(({ path }) => !named.has(path.split('/')[0] ?? path));
}

/** One link for each possible URL of the row. */
export function links(
  name: string,
  self: readonly Self[],
  { tail = '', onType }: { readonly tail?: string } & Pick<Place, 'onType'> = {},
): readonly ShapeMember[] {
  return self.map(({ parts, when }) => ({
    kind: 'link',
    name,
    parts: tail === '' ? parts : [...parts, textPart(tail)],
    ...onlyOn({ ...(onType === undefined ? {} : { onType }) }),
    ...(when === undefined ? {} : { when }),
  }));
}

/** Links to the content of a media entity, with its type and ETag. OData JSON Format 4.01, "Control Information: media*". */
function mediaMembers(drafting: Drafting, { row, self }: EntityDraft): readonly ShapeMember[] {
  const { model } = drafting;
  const name = (term: string) => annotation(drafting, '', term);
  const types: readonly Pick<Place, 'onType'>[] = hasStream(model, row.type)
    ? [{}]
    : model
        .derived(row.type)
        .filter((type) => type.kind === 'entity' && type.hasStream === true)
        .map((onType) => ({ onType }));
  return types.flatMap((on): readonly ShapeMember[] => [
    { kind: 'media', name: name('mediaContentType'), row: variable(row), fact: 'type', ...on },
    ...links(name('mediaReadLink'), self, { tail: '/$value', ...on }),
    ...(drafting.metadata === 'full'
      ? ([
          { kind: 'media', name: name('mediaEtag'), row: variable(row), fact: 'etag', ...on },
          ...links(name('mediaEditLink'), self, { tail: '/$value', ...on }),
        ] as const)
      : []),
  ]);
}

function hasStream(model: Model, type: EntityType): boolean {
  if (type.hasStream === true) return true;
  const base = type.base === undefined ? undefined : structuredType(model, type.base);
  return base?.kind === 'entity' && hasStream(model, base);
}
