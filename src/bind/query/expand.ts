// Binds $expand. Each item becomes the expansion of one navigation with its options, `*` expands all navigations, and $levels
// becomes nested expansions. Depth and width are limited. OData 4.01 URL Conventions, "System Query Option $expand".
import { Fault } from '../../base/fault.ts';
import type { EntityType, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { entityType, isAssignable } from '../../edm/model.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import type { OptionName } from '../../request/options/option-names.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expansion, Query, RowExpression, Rows, StreamExpansion } from '../bound.ts';
import { castRows } from '../expression/collection.ts';
import { navigatedRows } from '../path/navigation.ts';
import { type Frame, faultAt, notBuilt, type Subject } from '../scope.ts';
import { notExpandable, resolveTarget, starHolder, type Target } from './expand-path.ts';
import { innerLevel, type Level, optionFrame, rejectOtherOptions } from './option-scope.ts';
import { requireFilter } from './restrictions.ts';

export interface Expanded {
  readonly expansions: readonly Expansion[];
  readonly streams: readonly StreamExpansion[];
}

/** Context of an $expand: its level, its start row, and the function that binds the options of an expansion. */
export interface ExpandContext {
  readonly level: Level;
  readonly subject: Subject;
  readonly row: RowExpression;
  readonly type: StructuredType;
  /** The complex properties in the resource path. */
  readonly path: readonly Property[];
  readonly bindQuery: (level: Level, rows: Rows, options: Tree.NestedOptions) => Query;
}

/** Throws: bind.expand-depth, bind.expand-width, bind.unknown-property, bind.option-on, bind.duplicate, request.misplaced-option */
export function bindExpand(expand: ExpandContext, items: readonly Tree.ExpandItem[]): Expanded {
  const frame = optionFrame(expand.level, 'expand', expand.subject);
  const context = { ...expand, frame };
  const paths = items.filter((item) => item.kind === 'path');
  const named = paths.map((item) => ({ item, target: resolveTarget(context, item.steps) }));
  rejectDuplicates(frame, named);
  const explicit = new Set(named.map(({ target }) => keyOf(target)));
  const streams = items.flatMap((item) =>
    item.kind === 'value' ? [mediaStream(context, item)] : [],
  );
  const expansions = items.flatMap((item): readonly Expansion[] => {
    if (item.kind !== 'star') return [];
    return expandStar(context, item, explicit).map((one) => ({ ...one, isStarred: true }));
  });
  const own = named.flatMap(({ item, target }) => expandPath(context, item, target));
  checkWidth(frame, own.length);
  return { expansions: [...expansions, ...own], streams: [...streams, ...named.flatMap(streamOf)] };
}

type FramedContext = ExpandContext & { readonly frame: Frame };

interface ResolvedItem {
  readonly item: Tree.ExpandPath;
  readonly target: Target;
}

// ---- expansions -----------------------------------------------------------------------------------------------------

function expandPath(
  context: FramedContext,
  item: Tree.ExpandPath,
  target: Target,
): readonly Expansion[] {
  const { member } = target;
  if (member.kind === 'property') {
    if (item.suffix !== undefined) throw notExpandable(context.frame, named(item), 'a stream');
    if (item.options !== undefined)
      rejectOtherOptions(item.options, [], `on the stream ${member.name}`);
    if (target.path.length > 0) {
      const feature = '$expand of streams inside complex values';
      throw notBuilt(context.frame, feature, item.at);
    }
    return [];
  }
  const options = item.options ?? NO_OPTIONS;
  const form = formOf(item.suffix);
  if (form === 'count' && !member.collection) throw notCountable(context.frame, item, member);
  const takesLevels = options.levels !== undefined || isRecursive(context, member, target.cast);
  rejectOtherOptions(options, allowedOptions(form, member, takesLevels), placeName(member));
  return [
    expandNavigation(context, { ...target, member }, { form, options, levels: options.levels }),
  ];
}

/** Expands all navigations of the type, except those that other items name. */
function expandStar(
  context: FramedContext,
  item: Tree.ExpandStar,
  explicit: ReadonlySet<string>,
): readonly Expansion[] {
  const { frame } = context;
  const start = starHolder(context, item);
  const navigations = [...frame.model.members(start.holder).values()].filter(
    (member) => member.kind === 'navigation',
  );
  const form = item.ref ? 'references' : 'entities';
  const levels = levelsOf(frame, item.levels);
  return navigations.flatMap((member) => {
    const target = { ...start, member, cast: undefined };
    if (explicit.has(keyOf(target))) return [];
    const nested: Tree.ExpandItem = { ...item, steps: [], levels: oneLess(levels) };
    const options = levels === 1 || item.ref ? NO_OPTIONS : { ...NO_OPTIONS, expand: [nested] };
    const own = mayNest(context, levels) ? options : NO_OPTIONS;
    return [expandNavigation(context, target, { form, options: own, levels: undefined })];
  });
}

/** Whether the depth limit allows another level; `max` stops at the limit. */
function mayNest({ level }: FramedContext, levels: number | 'max'): boolean {
  return levels !== 'max' || level.depth + 2 <= level.session.scope.limits.expandDepth;
}

interface RequestedExpansion {
  readonly form: Expansion['form'];
  readonly options: Tree.NestedOptions;
  readonly levels: number | 'max' | undefined;
}

function expandNavigation(
  context: FramedContext,
  target: Target & { readonly member: Navigation },
  requested: RequestedExpansion,
): Expansion {
  const { frame, level, row } = context;
  const { member, path, holder, onType, cast } = target;
  checkDepth(frame, level.depth + 1);
  countExpansion(level);
  const all = navigatedRows(frame.session, { row, path, type: holder }, member);
  const rows = cast === undefined ? all : castRows(all, cast);
  const options = withLevels(context, target, requested, rows.row.type);
  const query = context.bindQuery(innerLevel(level, frame, options), rows, options);
  if (member.collection) requireFilter(rows, query);
  return {
    path,
    onType,
    navigation: member,
    rows,
    form: requested.form,
    query,
  };
}

/**
 * Replaces $levels=n by a nested expansion with $levels=n-1; `max` nests up to the depth limit. Throws: bind.option-on.
 * OData 4.01 Protocol, "Expand Option $levels".
 */
function withLevels(
  context: FramedContext,
  target: Target & { readonly member: Navigation },
  { form, options, levels: written }: RequestedExpansion,
  type: EntityType,
): Tree.NestedOptions {
  if (written === undefined || form !== 'entities') return options;
  const { frame, level } = context;
  const levels = levelsOf(frame, written);
  const { model, limits } = frame.session.scope;
  if (model.members(type).get(target.member.name) !== target.member) {
    throw faultAt(frame, 0, 'bind.option-on', {
      name: '$levels',
      what: `not applicable to ${target.member.name}, whose entities do not have this property`,
      instead: 'remove it',
    });
  }
  if (levels === 1 || (levels === 'max' && level.depth + 2 > limits.expandDepth)) {
    return { ...options, levels: undefined };
  }
  const nested: Tree.ExpandItem = {
    kind: 'path',
    at: 0,
    steps: [{ kind: 'name', at: 0, name: target.member.name }],
    suffix: undefined,
    options: { ...options, levels: oneLess(levels) },
  };
  return { ...options, levels: undefined, expand: [...(options.expand ?? []), nested] };
}

function oneLess(levels: number | 'max'): number | 'max' {
  return levels === 'max' ? levels : levels - 1;
}

function levelsOf(frame: Frame, levels: number | 'max' | undefined): number | 'max' {
  if (levels === undefined) return 1;
  if (levels === 'max') return levels;
  const { expandDepth } = frame.session.scope.limits;
  if (levels < 1) {
    throw new Fault(
      'request.option-value',
      { value: String(levels), name: '$levels', expected: 'it is a positive number or max' },
      { target: frame.part.target },
    );
  }
  if (levels > expandDepth) checkDepth(frame, levels);
  return levels;
}

function mediaStream(
  context: FramedContext,
  item: Tree.ExpandItem & { readonly kind: 'value' },
): StreamExpansion {
  const { frame, type } = context;
  if (isMedia(frame, type)) return {};
  throw notExpandable(
    frame,
    { at: item.at, name: '$value' },
    `not available, since ${type.name} has no media stream`,
  );
}

function isMedia(frame: Frame, type: StructuredType): boolean {
  return [...frame.model.types.values()].some(
    (one) =>
      one.kind === 'entity' && one.hasStream === true && isAssignable(frame.model, type, one),
  );
}

function streamOf({ target }: ResolvedItem): readonly StreamExpansion[] {
  const { member, onType } = target;
  if (member.kind !== 'property') return [];
  return [{ property: member, onType }];
}

function formOf(suffix: Tree.ExpandPath['suffix']): Expansion['form'] {
  if (suffix === undefined) return 'entities';
  return suffix === 'ref' ? 'references' : 'count';
}

const OF_ROWS = ['filter', 'search'] as const;
const OF_LISTS = [...OF_ROWS, 'orderby', 'skip', 'top', 'count'] as const;
const OF_ENTITIES = ['compute', 'select', 'expand'] as const;

/** Whether the target type has the same navigation, so that $levels can follow it. */
function isRecursive(
  { frame }: FramedContext,
  { name, target }: Navigation,
  cast: EntityType | undefined,
): boolean {
  return (
    frame.model.members(cast ?? entityType(frame.model, target)).get(name)?.kind === 'navigation'
  );
}

function allowedOptions(
  form: Expansion['form'],
  { collection }: Navigation,
  takesLevels: boolean,
): readonly OptionName[] {
  if (form === 'count') return OF_ROWS;
  if (form === 'references') return collection ? OF_LISTS : [];
  const entities = takesLevels ? [...OF_ENTITIES, 'levels' as const] : OF_ENTITIES;
  return collection ? ['apply', ...OF_LISTS, ...entities] : entities;
}

function notCountable(frame: Frame, { at }: Tree.ExpandPath, { name }: Navigation): Fault {
  return faultAt(frame, at, 'bind.option-on', {
    name: `${name}/$count`,
    what: `not countable, since ${name} is single-valued`,
    instead: `use ${name} or ${name}/$ref`,
  });
}

function placeName({ name, collection }: Navigation): string {
  return `for ${name}, which is ${collection ? 'collection-valued' : 'single-valued'}`;
}

// ---- limits and errors ----------------------------------------------------------------------------------------------

function checkDepth(frame: Frame, depth: number): void {
  const limit = frame.session.scope.limits.expandDepth;
  if (depth > limit) {
    throw new Fault('bind.expand-depth', { depth, limit }, { target: frame.part.target });
  }
}

/** Counts only named items; countExpansion limits those of `*`. */
function checkWidth(frame: Frame, width: number): void {
  const limit = frame.session.scope.limits.expandWidth;
  if (width > limit) {
    throw new Fault('bind.expand-width', { width, limit }, { target: frame.part.target });
  }
}

/** Limits all expansions of a request together, because nested `*` grow exponentially. */
function countExpansion({ expansions, session }: Level): void {
  const { expandDepth, expandWidth } = session.scope.limits;
  expansions.count += 1;
  const limit = expandDepth * expandWidth;
  if (expansions.count <= limit) return;
  throw new Fault('bind.expand-width', { width: expansions.count, limit }, { target: '$expand' });
}

function rejectDuplicates(frame: Frame, all: readonly ResolvedItem[]): void {
  const keys = all.map(({ target }) => keyOf(target));
  const twin = all.find(({ target }, index) => keys.indexOf(keyOf(target)) < index);
  if (twin === undefined) return;
  const { at } = twin.item;
  const name = twin.target.member.name;
  throw faultAt(frame, at, 'bind.duplicate', { name });
}

function keyOf({ onType, path, member }: Omit<Target, 'cast' | 'holder'>): string {
  return [onType?.name ?? '', ...path.map(({ name }) => name), member.name].join('/');
}

function named(item: Tree.ExpandPath): { readonly at: number; readonly name: string } {
  const last = item.steps.at(-1);
  return { at: item.at, name: last?.kind === 'name' ? last.name : '' };
}
