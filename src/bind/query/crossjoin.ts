// Binds reads of several sets: $crossjoin returns all combinations of their rows, $all the entities of one set after another.
// OData 4.01 URL Conventions, "Addressing the Cross Join of Entity Sets", "Addressing All Entities".
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { EntitySet, EntityType, Model, Navigation } from '../../edm/model.ts';
import { entityType, isAssignable } from '../../edm/model.ts';
import { setSource } from '../../edm/source.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import { ROW_OPTIONS } from '../../request/options/option-names.ts';
import type * as Tree from '../../request/tree.ts';
import { bindApplyToDerived } from '../apply/apply.ts';
import { bindColumnSelect } from '../apply/expand-columns.ts';
import type {
  BoundAll,
  BoundCrossjoin,
  BoundRead,
  DerivedColumn,
  Expansion,
  Expression,
  Query,
} from '../bound.ts';
import { castRows } from '../expression/collection.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseRows } from '../expression/these-variable.ts';
import type { Place } from '../path/position.ts';
import type { DerivedRow, Frame, Subject } from '../scope.ts';
import { allRows, faultAt, newEntityRow, notBuilt, resolvedVariable, subjectOf } from '../scope.ts';
import {
  EVERYTHING,
  innerLevel,
  type Level,
  optionFrame,
  plainQuery,
  rejectOtherOptions,
  subjectWith,
} from './option-scope.ts';
import { bindCompute, bindOrder } from './order-and-compute.ts';
import { bindAppliedQuery, bindQuery } from './query-options.ts';

type Source = BoundCrossjoin['sources'][number];

/** Throws: bind.unknown-resource for unknown sets, bind.duplicate, request.misplaced-option, and the errors of options. */
export function bindCrossjoin(
  level: Level,
  place: Place & { readonly kind: 'crossjoin' },
  options: Tree.NestedOptions,
): BoundCrossjoin {
  rejectOtherOptions(options, CROSSJOIN_OPTIONS, 'after $crossjoin');
  const sources = place.sets.map(({ name, at }) => sourceNamed(level, name, at));
  rejectDuplicates(sources, place.sets);
  if (options.apply !== undefined) return bindApplied(level, sources, options.apply, options);
  return { kind: 'crossjoin', sources, where: [], query: bindJoined(level, sources, options) };
}

/** Binds the options of a $crossjoin without $apply. */
function bindJoined(
  level: Level,
  sources: readonly Source[],
  { compute, filter, orderby, count, skip, top, select, expand = [] }: Tree.NestedOptions,
): Query {
  const row = crossRow(level, sources);
  const resolved = resolvedVariable(row);
  const plain = subjectOf(resolved);
  const isTaken = (name: string) => row.columns.has(name);
  const computeFrame = joinedFrame(level, sources, 'compute', plain);
  const computed = compute === undefined ? [] : bindCompute(computeFrame, plain, compute, isTaken);
  const subject = subjectWith(resolved, computed);
  const filterFrame = joinedFrame(level, sources, 'filter', subject);
  const orderFrame = joinedFrame(level, sources, 'orderby', subject);
  const expandFrame = joinedFrame(level, sources, 'expand', plain);
  const names = new Set(subject.computed.keys());
  return {
    ...plainQuery(row),
    compute: computed,
    filter: filter && bindCondition(filterFrame, filter),
    orderby: orderby === undefined ? [] : bindOrder(orderFrame, orderby),
    count: count === true,
    skip,
    top,
    selection: select === undefined ? EVERYTHING : bindColumnSelect(level, row, select, names),
    expansions: expand.flatMap((item) => expandSet(level, expandFrame, sources, item)),
  };
}

/**
 * Binds $apply of a $crossjoin. Leading filters become conditions of the join, so that the database can use indexes. For all other
 * transformations, each combination is a row with the identities of its entities.
 */
function bindApplied(
  level: Level,
  sources: readonly Source[],
  apply: Tree.Apply,
  options: Tree.NestedOptions,
): BoundCrossjoin {
  const row = withTargets(level, crossRow(level, sources));
  const subject = subjectOf(resolvedVariable(row));
  const where: Expression[] = [];
  for (const step of apply) {
    const these = theseRows(level.session, row);
    const frame = { ...joinedFrame(level, sources, 'apply', subject), these };
    const condition = step.kind === 'filter' ? bindCondition(frame, step.condition) : undefined;
    if (condition === undefined || these.used() !== undefined) break;
    where.push(condition);
  }
  const frame = optionFrame(level, 'apply', subject);
  const applied = bindApplyToDerived(frame, row, apply.slice(where.length));
  if (applied.nested?.some(({ rows }) => rows === undefined)) {
    throw notBuilt(frame, 'nest after $crossjoin', apply[0]?.at ?? 0);
  }
  const query = bindAppliedQuery(level, applied, options);
  return { kind: 'crossjoin', sources, where, combined: row, query };
}

/** Adds a variable for the entity of each column, so that paths can navigate into it. */
function withTargets({ session }: Level, row: DerivedRow): DerivedRow {
  const columns = [...row.columns].map(([name, column]): [string, DerivedColumn] => {
    const { type, entity } = column;
    if (type.kind !== 'entity' || entity === undefined) return [name, column];
    return [name, { ...column, target: newEntityRow(session, entity, type.type) }];
  });
  return { ...row, columns: new Map(columns) };
}

const CROSSJOIN_OPTIONS = ROW_OPTIONS.filter((name) => name !== 'search');

function sourceNamed({ session }: Level, name: string, at: number): Source {
  const { model } = session.scope;
  const set = model.sets.get(name);
  if (set?.kind === 'set') return { name, rows: allRows(session, setSource(model, name)) };
  const hint = didYouMean(name, model.sets.keys());
  throw new Fault('bind.unknown-resource', { name, hint }, { position: at, target: 'the path' });
}

function rejectDuplicates(
  sources: readonly Source[],
  sets: readonly { readonly at: number; readonly name: string }[],
): void {
  const names = sources.map(({ name }) => name);
  const twin = sets.find(({ name }, index) => names.indexOf(name) < index);
  if (twin === undefined) return;
  const { name, at } = twin;
  throw new Fault(
    'bind.duplicate',
    { name, place: 'in $crossjoin' },
    { position: at, target: 'the path' },
  );
}

/** A row with one entity per set. */
function crossRow({ session }: Level, sources: readonly Source[]): DerivedRow {
  const columns = sources.map(({ name, rows }): [string, DerivedColumn] => {
    const { source, type } = rows.row;
    return [name, { name, type: { kind: 'entity', type, collection: false }, entity: source }];
  });
  return { kind: 'derived', id: session.rowId(), columns: new Map(columns) };
}

/** A frame in which the names of the sets are variables for their rows. */
function joinedFrame(
  level: Level,
  sources: readonly Source[],
  name: 'apply' | 'compute' | 'filter' | 'orderby' | 'expand',
  subject: Subject,
): Frame {
  const variables = sources.map(
    ({ name: set, rows }) => [set, resolvedVariable(rows.row)] as const,
  );
  // Only $apply supports $these, because it turns the combinations into rows.
  const these = { used: () => undefined, resolve: () => undefined };
  return { ...optionFrame(level, name, subject), these, variables: new Map(variables) };
}

/** Expands a set like a navigation property of the same name. */
function expandSet(
  level: Level,
  frame: Frame,
  sources: readonly Source[],
  item: Tree.ExpandItem,
): readonly Expansion[] {
  if (item.kind === 'star' && item.steps.length === 0 && !item.ref) {
    return sources.map((source) => setExpansion(level, frame, source, undefined));
  }
  const step = item.kind === 'path' ? item.steps[0] : undefined;
  const isPlain = item.kind === 'path' && item.steps.length === 1 && item.suffix === undefined;
  const source = sources.find(({ name }) => step?.kind === 'name' && name === step.name);
  if (isPlain && source !== undefined) return [setExpansion(level, frame, source, item.options)];
  throw faultAt(frame, item.at, 'bind.option-on', {
    name: step?.kind === 'name' ? step.name : '*',
    what: 'not a set of the $crossjoin',
    instead: `expand ${sources.map(({ name }) => name).join(' or ')}`,
  });
}

function setExpansion(
  level: Level,
  frame: Frame,
  { name, rows }: Source,
  written: Tree.NestedOptions | undefined,
): Expansion {
  const navigation: Navigation = {
    kind: 'navigation',
    name,
    target: rows.row.type.name,
    collection: false,
    nullable: false,
    contained: false,
  };
  const options = written ?? { ...NO_OPTIONS, aliases: level.aliases };
  rejectOtherOptions(options, ['select', 'expand', 'compute'], `for ${name}`);
  const query = bindQuery(innerLevel(level, frame, options), rows.row, options);
  return { path: [], navigation, rows, form: 'entities', query };
}

/**
 * Binds $all as one read per set. Options that name properties need a type cast.
 * Throws: request.misplaced-option, and the errors of options.
 */
export function bindAll(
  level: Level,
  { type }: Place & { readonly kind: 'all' },
  options: Tree.NestedOptions,
): BoundAll {
  const allowed = type === undefined ? UNTYPED_OPTIONS : TYPED_OPTIONS;
  rejectOtherOptions(
    options,
    allowed,
    type === undefined ? 'after $all without a type' : 'after $all',
  );
  const { model } = level.session.scope;
  const inner = { ...options, count: undefined, skip: undefined, top: undefined };
  const reads = [...model.sets.values()]
    .filter((set) => set.kind === 'set' && set.administrative !== true)
    .flatMap((set) => readSet(level, set, type, inner));
  const { skip, top } = options;
  return {
    kind: 'all',
    reads,
    count: options.count === true,
    skip,
    top,
  };
}

const UNTYPED_OPTIONS = ['search', 'count', 'skip', 'top'] as const;
const TYPED_OPTIONS = [...UNTYPED_OPTIONS, 'filter', 'compute', 'select', 'expand'] as const;

function readSet(
  level: Level,
  set: EntitySet,
  type: EntityType | undefined,
  options: Tree.NestedOptions,
): readonly BoundRead[] {
  const { session } = level;
  const { model } = session.scope;
  const narrower = narrowedType(model, set, type);
  if (narrower === undefined) return [];
  const rows = castRows(allRows(session, setSource(model, set.name)), narrower);
  const cast = narrower === entityType(model, set.type) ? [] : [narrower];
  return [
    {
      kind: 'read',
      rows,
      wanted: { kind: 'entities' },
      query: bindQuery(level, rows.row, options),
      address: [
        { name: set.name, kind: 'set', many: true },
        ...cast.map(({ name }) => ({ name, kind: 'cast', many: true }) as const),
      ],
      nullable: true,
    },
  ];
}

/** The type to which rows of the set must be cast; undefined if the set cannot contain the type. */
function narrowedType(
  model: Model,
  set: EntitySet,
  type: EntityType | undefined,
): EntityType | undefined {
  const own = entityType(model, set.type);
  if (type === undefined || isAssignable(model, own, type)) return own;
  return isAssignable(model, type, own) ? type : undefined;
}
