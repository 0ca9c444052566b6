// Writes the control information of an entity: type, id, ETag, links and media stream. OData JSON Format 4.01, "Control
// Information".

import type { Query } from '../../bind/bound.ts';
import { joinConditions, variable } from '../../bind/expression/constructors.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { Model } from '../../edm/model.ts';
import { hasStream } from '../../edm/model.ts';
import type { NestedOptions } from '../../request/tree.ts';
import { type RowUrl, textPart } from '../read/row-urls.ts';
import type { ShapeMember } from '../read-plan.ts';
import { wholeRow } from '../rights/row-conditions.ts';
import { annotation, type Place, type ShapeScope } from './shape-scope.ts';

export interface ShapedEntity {
  readonly row: EntityRow;
  readonly query: Query;
  readonly urls: readonly RowUrl[];
  /** The options that the client wrote for these entities, such as the nested options of $expand. */
  readonly written: NestedOptions;
}

/** Type, id and ETag come first, in this order: streaming clients rely on it. */
export function controlInformation(
  scope: ShapeScope,
  entity: ShapedEntity,
): readonly ShapeMember[] {
  const { metadata } = scope;
  if (metadata === 'none') return [];
  const { row, urls } = entity;
  const name = (term: string) => annotation(scope, '', term);
  const isFull = metadata === 'full';
  const members: ShapeMember[] = [];
  if (isFull || scope.model.derived(row.type).length > 0) {
    const type = { row: variable(row), declared: row.type, always: isFull };
    members.push({ kind: 'type', name: name('type'), ...type });
  }
  if (isFull || needsId(scope.model, entity)) members.push(...links(name('id'), urls));
  members.push(...etagMember(scope, row));
  if (isFull) members.push(...links(name('editLink'), urls));
  return [...members, ...mediaMembers(scope, entity)];
}

/** The ETag, if the whole row is visible rather than only its disclosed members. */
export function etagMember(scope: ShapeScope, row: EntityRow): readonly ShapeMember[] {
  const visible = wholeRow(scope.guard, variable(row), row.type);
  if (visible === false) return [];
  const tag = { kind: 'etag', name: annotation(scope, '', 'etag'), row: variable(row) } as const;
  return [visible === true ? tag : { ...tag, when: visible }];
}

/** The URLs of rows that are visible as a whole: a URL contains the key, which partially disclosed rows do not show. */
export function visibleUrls(
  { guard }: ShapeScope,
  row: EntityRow,
  urls: readonly RowUrl[],
): readonly RowUrl[] {
  const visible = wholeRow(guard, variable(row), row.type);
  if (typeof visible === 'boolean') return visible ? urls : [];
  return urls.map(({ parts, when }) => ({
    parts,
    when: when === undefined ? visible : joinConditions('and', [when, visible]),
  }));
}

/** Whether clients cannot compute the id, because the key is not selected or the context does not name the set. */
function needsId(model: Model, { row, query }: ShapedEntity): boolean {
  if (row.source.kind === 'union') return true;
  const { all, items } = query.selection;
  if (all) return false;
  const selected = new Set(
    items.flatMap((item) => (item.kind === 'property' ? [item.property.name] : [])),
  );
  return model.key(row.type).some(({ path }) => !selected.has(path.split('/')[0] ?? path));
}

/** One link for each possible URL of the row. */
export function links(
  name: string,
  urls: readonly RowUrl[],
  { tail = '', onType }: { readonly tail?: string | undefined } & Pick<Place, 'onType'> = {},
): readonly ShapeMember[] {
  return urls.map(({ parts, when }) => ({
    kind: 'link',
    name,
    parts: tail === '' ? parts : [...parts, textPart(tail)],
    onType,
    when,
  }));
}

/** Links to the content of a media entity, with its type and ETag. OData JSON Format 4.01, "Control Information: media*". */
function mediaMembers(scope: ShapeScope, { row, urls }: ShapedEntity): readonly ShapeMember[] {
  const { model } = scope;
  const name = (term: string) => annotation(scope, '', term);
  const types: readonly Pick<Place, 'onType'>[] = hasStream(model, row.type)
    ? [{}]
    : model
        .derived(row.type)
        .filter((type) => type.hasStream === true)
        .map((onType) => ({ onType }));
  return types.flatMap((on): readonly ShapeMember[] => [
    { kind: 'media', name: name('mediaContentType'), row: variable(row), fact: 'type', ...on },
    ...links(name('mediaReadLink'), urls, { tail: '/$value', ...on }),
    ...(scope.metadata === 'full'
      ? ([
          { kind: 'media', name: name('mediaEtag'), row: variable(row), fact: 'etag', ...on },
          ...links(name('mediaEditLink'), urls, { tail: '/$value', ...on }),
        ] as const)
      : []),
  ]);
}
