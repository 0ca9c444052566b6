// Writes each row of a response: control information, properties, links and expansions, in output order, and the combined rows of
// $crossjoin. property-values.ts writes values, and select-rows.ts selects the rows. OData JSON Format 4.01, "Entity".

import { perPair } from '../../base/memo.ts';
import type {
  BoundCrossjoin,
  Expansion,
  NestedRows,
  Query,
  Rows,
  Selection,
} from '../../bind/bound.ts';
import { variable } from '../../bind/expression/constructors.ts';
import { plainQuery, selectsName } from '../../bind/query/option-scope.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { EntityType, Model, Navigation } from '../../edm/model.ts';
import { bindingPath } from '../../edm/source.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import { printQuery } from '../../request/print/url.ts';
import type { NestedOptions } from '../../request/tree.ts';
import {
  asRequestOptions,
  refersToIt,
  writtenFor,
  writtenForName,
} from '../read/nested-options.ts';
import { decideNestedPage, pagingOf } from '../read/page.ts';
import { type RowUrl, textPart, urlsOfExpanded, urlsOfRows } from '../read/row-urls.ts';
import { isInAppliedOrder, selectRows, totalOrder } from '../read/select-rows.ts';
import { tokenHead } from '../read/tokens.ts';
import type { LinkPart, Page, RowSelection, Shape, ShapeMember } from '../read-plan.ts';
import { secureRows } from '../rights/read-rights.ts';
import { restrictedMembers, unreadableMember } from '../rights/row-conditions.ts';
import { operationMembers } from './bound-operations.ts';
import {
  controlInformation,
  links,
  type ShapedEntity,
  visibleUrls,
} from './control-information.ts';
import { type DerivedRow, derivedShape } from './derived-row.ts';
import {
  annotationMembers,
  type Content,
  computedMembers,
  dynamicMembers,
  propertyMembers,
  selectedComputed,
  withoutNames,
} from './property-values.ts';
import { annotation, declaredMembers, type Place, type ShapeScope } from './shape-scope.ts';
import { fileMembers, streamMembers } from './stream-values.ts';

export function entityShape(scope: ShapeScope, entity: ShapedEntity): Shape {
  const { row, query } = entity;
  const content = contentOf(scope, entity);
  const place: Place = { row: variable(row), path: [] };
  return {
    row,
    form: scope.form,
    members: [
      ...controlInformation(scope, entity),
      ...annotationMembers(scope, query.selection),
      ...propertyMembers(scope, place, row.type, query.selection, content),
      ...selectedComputed(scope, query),
      ...dynamicMembers(scope.model, place, row.type, dynamicSelection(query)),
      ...navigationMembers(scope, entity, place, content),
      ...nestedMembers(scope, query, entity.written),
      ...operationMembers(scope, row, entity.urls, query.selection),
      ...fileMembers(scope, entity),
    ],
  };
}

/** Rows produced by $apply, with the options written for them. `rows` are the input entities, if the input was entities. */
export interface Applied {
  readonly row: DerivedRow;
  readonly query: Query;
  readonly rows?: Rows | undefined;
  readonly written: NestedOptions;
}

/** The shape of each row produced by $apply, with whole entities and nested rows. */
export function appliedShape(scope: ShapeScope, { row, query, rows, written }: Applied): Shape {
  const whole = (name: string, unsecured: Rows) => wholeEntity(scope, name, unsecured);
  const shape = derivedShape({ scope, whole, isTransient: rows !== undefined }, row, query);
  const nested = nestedMembers(scope, query, written, rows);
  return { ...shape, members: [...shape.members, ...nested] };
}

/**
 * Rows added by nest and addnested, unless $select excludes them. They are not paged, as they have no URL for the remaining rows.
 * OData Data Aggregation 4.0, "Transformation nest", "Transformation addnested".
 */
function nestedMembers(
  scope: ShapeScope,
  { nested = [], selection }: Query,
  written: NestedOptions,
  base?: Rows,
): readonly ShapeMember[] {
  return nested.flatMap((one) => {
    const options = writtenForName(written, one.name);
    const isShown = selectsName(selection, one.name) || options !== undefined;
    const rows = one.rows ?? base;
    if (!isShown || rows === undefined) return [];
    return nestedMember(scope, one, rows, options ?? NO_OPTIONS);
  });
}

function nestedMember(
  scope: ShapeScope,
  { name, single, query }: NestedRows,
  rows: Rows,
  written: NestedOptions,
): readonly ShapeMember[] {
  const { guard, model } = scope;
  const { row } = query;
  const found = rows.row.source.kind === 'containment' ? [] : urlsOfRows(model, rows, []);
  const urls = visibleUrls(scope, rows.row, found);
  const shape =
    row.kind === 'derived'
      ? appliedShape(scope, { row, query, rows, written })
      : entityShape(scope, { row: rows.row, query, urls, written });
  const context = nestedContext(scope, name, rows);
  if (single) {
    return [...context, { kind: 'one', name, select: selectRows(guard, rows, query, []), shape }];
  }
  const select = selectRows(guard, rows, query, totalOrder(model, query), requestedPage(query));
  return [...context, { kind: 'many', name, select, shape }];
}

/** The page that $top and $skip request, without server-driven paging. */
function requestedPage({ skip = 0, top }: Query): Page | undefined {
  if (top === undefined && skip === 0) return undefined;
  return { limit: top ?? Number.MAX_SAFE_INTEGER, more: false, skip };
}

/** The context of nested rows, as their name does not identify the set. */
function nestedContext(scope: ShapeScope, name: string, { row }: Rows): readonly ShapeMember[] {
  const { source } = row;
  if (scope.metadata === 'none' || source.kind !== 'set') return [];
  const parts: readonly LinkPart[] = [{ kind: 'root' }, textPart(`$metadata#${source.id}`)];
  return [{ kind: 'link', name: annotation(scope, name, 'context'), parts }];
}

/** A whole entity, as with $expand. OData Data Aggregation 4.0, "Simple Grouping". */
function wholeEntity(
  scope: ShapeScope,
  name: string,
  unsecured: Rows,
): ShapeMember & { readonly kind: 'one' } {
  const rows = secureRows(scope.guard, unsecured);
  const query = plainQuery(rows.row);
  const urls = visibleUrls(scope, rows.row, urlsOfRows(scope.model, rows, []));
  const shape = entityShape(scope, { row: rows.row, query, urls, written: NO_OPTIONS });
  return { kind: 'one', name, select: selectRows(scope.guard, rows, query, []), shape };
}

/** Only the id: `{"@odata.id":"…"}`. OData JSON Format 4.01, "Entity Reference". */
export function referenceShape(scope: ShapeScope, row: EntityRow, urls: readonly RowUrl[]): Shape {
  return { row, form: scope.form, members: links(annotation(scope, '', 'id'), urls) };
}

// ---- values ---------------------------------------------------------------------------------------------------------

function dynamicSelection({ compute, selection, nested = [] }: Query): Selection {
  return withoutNames(selection, [...compute, ...nested]);
}

// ---- navigation -----------------------------------------------------------------------------------------------------

/** The streams, links and expansions of an entity. */
export function contentOf(scope: ShapeScope, entity: ShapedEntity): Content {
  return {
    expansions: entity.query.expansions,
    navigation: (place, navigation, expansion) =>
      navigationMember(scope, entity, { place, navigation, expansion }),
    stream: (place, property) => streamMembers(scope, entity, place, property),
  };
}

function navigationMembers(
  scope: ShapeScope,
  entity: ShapedEntity,
  place: Place,
  content: Content,
): readonly ShapeMember[] {
  const { model } = scope;
  const { type } = entity.row;
  const { selection } = entity.query;
  const selected = new Set(
    selection.items.flatMap((item) => (item.kind === 'navigation' ? [item.navigation] : [])),
  );
  const isLinked = (navigation: Navigation) =>
    (selection.all && scope.metadata === 'full') || selected.has(navigation);
  const here = content.expansions.filter(({ path }) => path.length === 0);
  const restricted = restrictedMembers(scope.guard, type);
  return navigationsOf(model, type).flatMap(({ navigation, onType }) => {
    if (restricted.has(navigation.name)) {
      if (selected.has(navigation)) throw unreadableMember(type, navigation.name);
      return [];
    }
    const expansion = here.find((one) => one.navigation === navigation);
    if (expansion === undefined && !isLinked(navigation)) return [];
    return content.navigation({ ...place, onType }, navigation, expansion);
  });
}

/** Cached, because few members are navigation properties. */
const navigationsOf = perPair((model: Model, type: EntityType) =>
  declaredMembers(model, type).flatMap(({ member, onType }) =>
    member.kind === 'navigation' ? [{ navigation: member, onType }] : [],
  ),
);

interface NavigationPlace {
  readonly place: Place;
  readonly navigation: Navigation;
  readonly expansion: Expansion | undefined;
}

function navigationMember(
  scope: ShapeScope,
  entity: ShapedEntity,
  { place, navigation, expansion }: NavigationPlace,
): readonly ShapeMember[] {
  const { name } = navigation;
  const tail = `/${urlPath(scope, entity, place, navigation)}`;
  const { onType } = place;
  const isLinked =
    scope.metadata === 'full' || (expansion === undefined && scope.metadata !== 'none');
  const written = isLinked
    ? [
        ...links(annotation(scope, name, 'navigationLink'), entity.urls, { tail, onType }),
        ...(scope.metadata === 'full'
          ? links(annotation(scope, name, 'associationLink'), entity.urls, {
              tail: `${tail}/$ref`,
              onType,
            })
          : []),
      ]
    : [];
  return expansion === undefined
    ? written
    : [...written, expansionMember(scope, entity, place, expansion)];
}

/** `Assignment/AssigneePerson`, `Model.Bird/Nest`: the path relative to the entity. */
function urlPath(
  { model }: ShapeScope,
  { row }: ShapedEntity,
  { path }: Place,
  navigation: Navigation,
): string {
  return bindingPath(model, row.type, [...path, navigation]);
}

function expansionMember(
  scope: ShapeScope,
  entity: ShapedEntity,
  place: Place,
  expansion: Expansion,
): ShapeMember {
  const { navigation, rows, query, form } = expansion;
  const { name, collection } = navigation;
  const { options } = writtenFor(entity.written, expansion);
  const { onType } = place;
  const path = urlPath(scope, entity, place, navigation);
  const order = collection ? totalOrder(scope.model, query) : [];
  if (form === 'count') {
    const select = selectRows(scope.guard, rows, query, []);
    return { kind: 'count', name: annotation(scope, name, 'count'), select, onType };
  }
  const found = urlsOfExpanded(scope.model, entity.urls, rows.row, { path, collection });
  const urls = visibleUrls(scope, rows.row, found);
  const shape = expandedShape(scope, expansion, urls, options);
  if (!collection) {
    const select = selectRows(scope.guard, rows, query, order);
    return { kind: 'one', name, select, shape, onType };
  }
  const nestedPage = nestedPageOf(scope, { parent: entity.urls, path, expansion, options });
  const select: RowSelection = selectRows(scope.guard, rows, query, order, nestedPage.page);
  return { kind: 'many', name, select, shape, nextLink: nestedPage.nextLink, onType };
}

function expandedShape(
  scope: ShapeScope,
  { rows, query, form }: Expansion,
  urls: readonly RowUrl[],
  written: NestedOptions,
): Shape {
  if (form === 'references') return referenceShape(scope, rows.row, urls);
  if (query.row.kind === 'derived') {
    return appliedShape(scope, { row: query.row, query, rows, written });
  }
  return entityShape(scope, { row: rows.row, query, urls, written });
}

interface ExpandedCollection {
  readonly parent: readonly RowUrl[];
  readonly path: string;
  readonly expansion: Expansion;
  readonly options: NestedOptions;
}

interface NestedPage {
  readonly page?: Page | undefined;
  readonly nextLink?: readonly LinkPart[] | undefined;
}

/**
 * The page of an expanded collection and its next link. A next link needs a unique URL of the collection, rows with a key, and options
 * without `$it`, which would be another row there; otherwise all requested rows are returned.
 */
function nestedPageOf(
  scope: ShapeScope,
  { parent, path, expansion, options }: ExpandedCollection,
): NestedPage {
  const { navigation, query, rows } = expansion;
  const [url, ...others] = parent;
  const isCertain = url !== undefined && url.when === undefined && others.length === 0;
  const requested = asRequestOptions(options, scope.options);
  const hasPages = query.row.kind !== 'derived' && !isInAppliedOrder(query);
  if (!isCertain || !hasPages || refersToIt(options, requested.aliases)) {
    return { page: requestedPage(query) };
  }
  const { page, ...rest } = decideNestedPage(scope.limits, {
    top: query.top,
    skip: query.skip,
    preferred: scope.prefer.maxpagesize,
  });
  if (!page.more) return { page };
  const order = totalOrder(scope.model, query);
  const { signature } = pagingOf(rows.row.source, query, order);
  const queryText = printQuery(requested);
  const cast = rows.row.type.name === navigation.target ? '' : `/${rows.row.type.name}`;
  const suffix = expansion.form === 'references' ? '/$ref' : '';
  const link = `/${path}${cast}${suffix}?${queryText}${queryText === '' ? '' : '&'}$skiptoken=`;
  const head = tokenHead(signature, rest);
  return { page, nextLink: [...url.parts, textPart(`${link}${head}`)] };
}

type JoinedSource = BoundCrossjoin['sources'][number];

/** The shape of each combination of rows. */
export function crossjoinShape(scope: ShapeScope, bound: BoundCrossjoin): Shape {
  const { query, sources } = bound;
  const { row } = query;
  if (bound.combined !== undefined && row.kind === 'derived') {
    return appliedShape(scope, { row, query, written: scope.options });
  }
  const members = sources.flatMap((source) => sourceMembers(scope, bound, source));
  const computed = query.compute.flatMap((one) => computedMembers(scope, one));
  return { row: query.row, form: scope.form, members: [...members, ...computed] };
}

function sourceMembers(
  scope: ShapeScope,
  { query }: BoundCrossjoin,
  { name, rows }: JoinedSource,
): readonly ShapeMember[] {
  const urls = visibleUrls(scope, rows.row, urlsOfRows(scope.model, rows, []));
  const expansion = query.expansions.find(({ navigation }) => navigation.name === name);
  if (expansion !== undefined) {
    const { options } = writtenFor(scope.options, expansion);
    const entity = { row: rows.row, query: expansion.query, urls, written: options };
    return [{ kind: 'object', name, members: entityShape(scope, entity).members }];
  }
  if (scope.metadata === 'none') return [];
  return urls.map(({ parts, when }) => ({
    kind: 'link',
    name: annotation(scope, name, 'navigationLink'),
    parts,
    when,
  }));
}
