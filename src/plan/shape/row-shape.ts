// Writes each row of a response: control information, properties, links and expansions, in output order. property-values.ts
// writes values, and select-rows.ts selects the rows. OData JSON Format 4.01, "Entity".
import type { Expansion, NestedRows, Query, Rows, Selection } from '../../bind/bound.ts';
import { plainQuery } from '../../bind/query/option-scope.ts';
import type { EntityType, Model, Navigation, StructuredType } from '../../edm/model.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import { printQuery } from '../../request/print/url.ts';
import type { NestedOptions } from '../../request/tree.ts';
import { asRequestOptions, writtenFor, writtenForName } from '../read/nested-options.ts';
import { decideNestedPage, pagingOf } from '../read/page.ts';
import { type Self, selfOfExpanded, selfOfRows, textPart } from '../read/row-address.ts';
import { selectingOf, totalOrder } from '../read/select-rows.ts';
import { tokenHead } from '../read/skip-token.ts';
import { isInAppliedOrder } from '../read/transformation-order.ts';
import type { LinkPart, Page, Selecting, Shape, ShapeMember } from '../read-plan.ts';
import { secureRows } from '../rights/read-rights.ts';
import {
  type EntityRow,
  restrictedMembers,
  unreadableMember,
  variable,
} from '../rights/row-conditions.ts';
import { operationMembers } from './bound-operations.ts';
import { annotationMembers, selectedComputed, withoutNames } from './computed-values.ts';
import { controlInformation, type EntityDraft, links, shownSelf } from './control-information.ts';
import { type DerivedRow, derivedShape } from './derived-row.ts';
import { computedParts, dynamicMembers, type Inside, propertyMembers } from './property-values.ts';
import { annotation, type Drafting, onlyOn, type Place } from './shape-scope.ts';
import { fileMembers, streamMembers } from './stream-values.ts';

/** The shape of each entity. */
export function entityShape(drafting: Drafting, draft: EntityDraft): Shape {
  const { row, query } = draft;
  const inside = insideOf(drafting, draft);
  const place: Place = { row: variable(row), path: [] };
  return {
    row,
    form: drafting.form,
    members: [
      ...controlInformation(drafting, draft),
      ...annotationMembers(drafting, query.selection),
      ...propertyMembers(drafting, place, row.type, query.selection, inside),
      ...selectedComputed(drafting, query, computedParts),
      ...dynamicMembers(drafting.model, place, row.type, dynamicSelection(query)),
      ...navigationMembers(drafting, draft, place, inside),
      ...nestedMembers(drafting, query, draft.written),
      ...operationMembers(drafting, row, draft.self, query.selection),
      ...fileMembers(drafting, draft),
    ],
  };
}

/** Rows produced by $apply, with the options written for them. `rows` are the input entities, if the input was entities. */
export interface Applied {
  readonly row: DerivedRow;
  readonly query: Query;
  readonly rows?: Rows;
  readonly written: NestedOptions;
}

/** The shape of each row produced by $apply, with whole entities and nested rows. */
export function appliedShape(drafting: Drafting, { row, query, rows, written }: Applied): Shape {
  const whole = (name: string, unsecured: Rows) => wholeEntity(drafting, name, unsecured);
  const shape = derivedShape({ drafting, whole, isTransient: rows !== undefined }, row, query);
  const nested = nestedMembers(drafting, query, written, rows);
  return { ...shape, members: [...shape.members, ...nested] };
}

/**
 * Rows added by nest and addnested, unless $select excludes them. They are not paged, as they have no URL for the remaining rows.
 * OData Data Aggregation 4.0, "Transformation nest", "Transformation addnested".
 */
function nestedMembers(
  drafting: Drafting,
  { nested = [], selection }: Query,
  written: NestedOptions,
  base?: Rows,
): readonly ShapeMember[] {
  const named = namedItems(selection);
  return nested.flatMap((one) => {
    const options = writtenForName(written, one.name);
    const isShown = selection.all || named.has(one.name) || options !== undefined;
    const rows = one.rows ?? base;
    if (!isShown || rows === undefined) return [];
    return nestedMember(drafting, one, rows, options ?? NO_OPTIONS);
  });
}

function nestedMember(
  drafting: Drafting,
  { name, single, query }: NestedRows,
  rows: Rows,
  written: NestedOptions,
): readonly ShapeMember[] {
  const { guard, model } = drafting;
  const { row } = query;
  const found = rows.row.source.kind === 'containment' ? [] : selfOfRows(model, rows, []);
  const self = shownSelf(drafting, rows.row, found);
  const shape =
    row.kind === 'derived'
      ? appliedShape(drafting, { row, query, rows, written })
      : entityShape(drafting, { row: rows.row, query, self, written });
  const context = nestedContext(drafting, name, rows);
  if (single) {
    return [...context, { kind: 'one', name, select: selectingOf(guard, rows, query, []), shape }];
  }
  const select = selectingOf(guard, rows, query, totalOrder(model, query), pageOf(query));
  return [...context, { kind: 'many', name, select, shape }];
}

/** The page that $top and $skip request, without server-driven paging. */
function pageOf({ skip = 0, top }: Query): Page | undefined {
  if (top === undefined && skip === 0) return undefined;
  return { limit: top ?? Number.MAX_SAFE_INTEGER, more: false, skip };
}

/** The context of nested rows, as their name does not identify the set. */
function nestedContext(drafting: Drafting, name: string, { row }: Rows): readonly ShapeMember[] {
  const { source } = row;
  if (drafting.metadata === 'none' || source.kind !== 'set') return [];
  const parts: readonly LinkPart[] = [{ kind: 'root' }, textPart(`$metadata#${source.id}`)];
  return [{ kind: 'link', name: annotation(drafting, name, 'context'), parts }];
}

/** A whole entity, as with $expand. OData Data Aggregation 4.0, "Simple Grouping". */
function wholeEntity(
  drafting: Drafting,
  name: string,
  unsecured: Rows,
): ShapeMember & { readonly kind: 'one' } {
  const rows = secureRows(drafting.guard, unsecured);
  const query = plainQuery(rows.row);
  const self = shownSelf(drafting, rows.row, selfOfRows(drafting.model, rows, []));
  const shape = entityShape(drafting, { row: rows.row, query, self, written: NO_OPTIONS });
  return { kind: 'one', name, select: selectingOf(drafting.guard, rows, query, []), shape };
}

/** Only the id: `{"@odata.id":"…"}`. OData JSON Format 4.01, "Entity Reference". */
export function referenceShape(drafting: Drafting, row: EntityRow, self: readonly Self[]): Shape {
  return { row, form: drafting.form, members: links(annotation(drafting, '', 'id'), self) };
}

// ---- values ---------------------------------------------------------------------------------------------------------

function namedItems({ items }: Selection): ReadonlySet<string> {
  return new Set(items.flatMap((item) => (item.kind === 'named' ? [item.name] : [])));
}

function dynamicSelection({ compute, selection, nested = [] }: Query): Selection {
  return withoutNames(selection, [...compute, ...nested]);
}

// ---- navigation -----------------------------------------------------------------------------------------------------

/** The streams, links and expansions of an entity. */
export function insideOf(drafting: Drafting, draft: EntityDraft): Inside {
  return {
    expansions: draft.query.expansions,
    navigation: (place, navigation, expansion) =>
      navigationMember(drafting, draft, { place, navigation, expansion }),
    stream: (place, property) => streamMembers(drafting, draft, place, property),
  };
}

function navigationMembers(
  drafting: Drafting,
  draft: EntityDraft,
  place: Place,
  inside: Inside,
): readonly ShapeMember[] {
  const { model } = drafting;
  const { type } = draft.row;
  const { selection } = draft.query;
  const selected = new Set(
    selection.items.flatMap((item) => (item.kind === 'navigation' ? [item.navigation] : [])),
  );
  const isLinked = (navigation: Navigation) =>
    (selection.all && drafting.metadata === 'full') || selected.has(navigation);
  const here = inside.expansions.filter(({ path }) => path.length === 0);
  const restricted = restrictedMembers(drafting.guard, type);
  return navigationsOf(model, type).flatMap(({ navigation, onType }) => {
    if (restricted.has(navigation.name)) {
      if (selected.has(navigation)) throw unreadableMember(type, navigation.name);
      return [];
    }
    const expansion = here.find((one) => one.navigation === navigation);
    if (expansion === undefined && !isLinked(navigation)) return [];
    return inside.navigation({ ...place, ...onlyOn({ ...onType }) }, navigation, expansion);
  });
}

interface OwnedNavigation {
  readonly navigation: Navigation;
  readonly onType: { readonly onType?: StructuredType };
}

/** Navigation properties of the type, then those of derived types. */
function navigationsOf(model: Model, type: EntityType): readonly OwnedNavigation[] {
  const own = [...model.members(type).values()].map((member) => ({ member, onType: {} }));
  const derived = model
    .derived(type)
    .flatMap((onType) => onType.members.map((member) => ({ member, onType: { onType } })));
  return [...own, ...derived].flatMap(({ member, onType }) =>
    member.kind === 'navigation' ? [{ navigation: member, onType }] : [],
  );
}

interface NavigationPlace {
  readonly place: Place;
  readonly navigation: Navigation;
  readonly expansion: Expansion | undefined;
}

function navigationMember(
  drafting: Drafting,
  draft: EntityDraft,
  { place, navigation, expansion }: NavigationPlace,
): readonly ShapeMember[] {
  const { name } = navigation;
  const tail = `/${navigationPath(place, name)}`;
  const on = onlyOn(place);
  const isLinked = drafting.metadata === 'full' || (expansion === undefined && !isNone(drafting));
  const written = isLinked
    ? [
        ...links(annotation(drafting, name, 'navigationLink'), draft.self, { tail, ...on }),
        ...(drafting.metadata === 'full'
          ? links(annotation(drafting, name, 'associationLink'), draft.self, {
              tail: `${tail}/$ref`,
              ...on,
            })
          : []),
      ]
    : [];
  return expansion === undefined
    ? written
    : [...written, expansionMember(drafting, draft, place, expansion)];
}

function isNone(drafting: Drafting): boolean {
  return drafting.metadata === 'none';
}

/** `Assignment/AssigneePerson`, `Model.Bird/Nest`: the path relative to the entity. */
function navigationPath(place: Place, name: string): string {
  const cast = place.onType?.kind === 'entity' ? [place.onType.name] : [];
  return [...cast, ...place.path.map((step) => step.name), name].join('/');
}

function expansionMember(
  drafting: Drafting,
  draft: EntityDraft,
  place: Place,
  expansion: Expansion,
): ShapeMember {
  const { navigation, rows, query, form } = expansion;
  const { name, collection } = navigation;
  const { options } = writtenFor(draft.written, expansion);
  const on = onlyOn(place);
  const path = navigationPath(place, name);
  const order = collection ? totalOrder(drafting.model, query) : [];
  if (form === 'count') {
    const select = selectingOf(drafting.guard, rows, query, []);
    return { kind: 'count', name: annotation(drafting, name, 'count'), select, ...on };
  }
  const found = selfOfExpanded(drafting.model, draft.self, rows.row, { path, collection });
  const self = shownSelf(drafting, rows.row, found);
  const shape = expandedShape(drafting, expansion, self, options);
  if (!collection) {
    const select = selectingOf(drafting.guard, rows, query, order);
    return { kind: 'one', name, select, shape, ...on };
  }
  const rest = restOf(drafting, { parent: draft.self, path, expansion, options });
  const select: Selecting = selectingOf(drafting.guard, rows, query, order, rest.page);
  const next = rest.nextLink === undefined ? {} : { nextLink: rest.nextLink };
  return { kind: 'many', name, select, shape, ...next, ...on };
}

function expandedShape(
  drafting: Drafting,
  { rows, query, form }: Expansion,
  self: readonly Self[],
  written: NestedOptions,
): Shape {
  if (form === 'references') return referenceShape(drafting, rows.row, self);
  if (query.row.kind === 'derived') {
    return appliedShape(drafting, { row: query.row, query, rows, written });
  }
  return entityShape(drafting, { row: rows.row, query, self, written });
}

interface Expanded {
  readonly parent: readonly Self[];
  readonly path: string;
  readonly expansion: Expansion;
  readonly options: NestedOptions;
}

interface Rest {
  readonly page?: Page;
  readonly nextLink?: readonly LinkPart[];
}

/**
 * The page of an expanded collection and its next link. A next link needs a unique URL of the collection and rows with a key;
 * otherwise all requested rows are returned.
 */
function restOf(drafting: Drafting, { parent, path, expansion, options }: Expanded): Rest {
  const { query, rows } = expansion;
  const [self, ...others] = parent;
  const isCertain = self !== undefined && self.when === undefined && others.length === 0;
  if (!isCertain || query.row.kind === 'derived' || isInAppliedOrder(query)) {
    const page = pageOf(query);
    return page === undefined ? {} : { page };
  }
  const { page, ...rest } = decideNestedPage(drafting.limits, {
    top: query.top,
    skip: query.skip,
    preferred: drafting.prefer.maxpagesize,
  });
  if (!page.more) return { page };
  const order = totalOrder(drafting.model, query);
  const { signature } = pagingOf(rows.row.source, query, order);
  const asked = printQuery(asRequestOptions(options, drafting.options));
  const suffix = expansion.form === 'references' ? '/$ref' : '';
  const link = `/${path}${suffix}?${asked}${asked === '' ? '' : '&'}$skiptoken=`;
  const head = tokenHead(signature, rest);
  return { page, nextLink: [...self.parts, textPart(`${link}${head}`)] };
}
