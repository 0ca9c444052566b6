// Binds the query options of one level in the evaluation order of the standard: $apply, $compute, $search, $filter, $orderby, then
// $select and $expand. The caller checks which options are allowed. OData 4.01 Protocol, "System Query Options".
import { Fault } from '../../base/fault.ts';
import { ROW_OPTIONS } from '../../request/options/option-names.ts';
import { readable } from '../../request/print/expression.ts';
import { printSelect } from '../../request/print/url.ts';
import type * as Tree from '../../request/tree.ts';
import { bindApply } from '../apply/apply.ts';
import { isTakenName } from '../apply/derived-columns.ts';
import { bindColumnSelect, expandColumns, soleName } from '../apply/expand-columns.ts';
import type { Computed, NestedRows, Query, RowVariable, Selection } from '../bound.ts';
import { variable } from '../expression/constructors.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseRows } from '../expression/these-variable.ts';
import { structureOf } from '../expression/types.ts';
import { type EntityRow, resolvedVariable, type Subject, type These } from '../scope.ts';
import { bindExpand, type Expanded } from './expand.ts';
import {
  EVERYTHING,
  innerLevel,
  type Level,
  optionFrame,
  rejectOtherOptions,
  subjectWith,
} from './option-scope.ts';
import { bindCompute, bindOrder } from './order-and-compute.ts';
import { requireSupported, supportedExpansions } from './restrictions.ts';
import { bindSearch } from './search.ts';
import { bindSelect } from './select.ts';
import { keyNames } from './select-errors.ts';

/**
 * Binds all options of entity rows. Throws: the errors of the options; bind.select-key if the rules of the service apply.
 * OData 4.01 URL Conventions, "System Query Options".
 */
export function bindQuery(level: Level, row: EntityRow, options: Tree.NestedOptions): Query {
  return bindAppliedQuery(level, applyOption(level, row, options), options);
}

/** Binds the options other than $apply, whose result is `applied`. Throws: as bindQuery. */
export function bindAppliedQuery(
  level: Level,
  applied: Applied,
  options: Tree.NestedOptions,
): Query {
  const { row, computed } = applied;
  const computeThese = theseRows(level.session, row, computed);
  const compute = computeOption(level, applied, computeThese, options);
  const all = [...computed, ...compute];
  const subject = subjectWith(resolvedVariable(row), all, applied.nested);
  const { search, filter, orderby, skip, top } = options;
  const frame = (name: 'filter' | 'orderby' | 'search') => optionFrame(level, name, subject);
  const filterThese = theseRows(level.session, row, all);
  const orderThese = theseRows(level.session, row, all);
  const filterFrame = { ...frame('filter'), these: filterThese };
  const orderFrame = { ...frame('orderby'), these: orderThese };
  const shown = shownOptions(level, applied, subject, options);
  if (level.depth === 0) requireKey(level, row, options);
  const query: Query = {
    row,
    apply: applied.apply,
    compute: all,
    search: search && bindSearch(frame('search'), search),
    filter: filter && bindCondition(filterFrame, filter),
    orderby: orderby === undefined ? [] : bindOrder(orderFrame, orderby),
    count: options.count === true,
    skip,
    top,
    ...shown,
    expansions: supportedExpansions(row, shown.expansions),
  };
  requireSupported(query, options);
  return withThese(query, { compute: computeThese, filter: filterThese, orderby: orderThese });
}

/** Adds the variables of $these for the options that use it. */
function withThese(
  query: Query,
  options: Readonly<Record<keyof NonNullable<Query['these']>, These>>,
): Query {
  const used = Object.entries(options).flatMap(([option, these]) => {
    const row = these.used();
    return row === undefined ? [] : [[option, row] as const];
  });
  return used.length === 0 ? query : { ...query, these: Object.fromEntries(used) };
}

/** The rows after $apply. */
export interface Applied {
  readonly row: RowVariable;
  readonly apply: Query['apply'];
  /** Properties that compute transformations added to entity rows. */
  readonly computed: readonly Computed[];
  readonly nested?: readonly NestedRows[] | undefined;
}

function applyOption(level: Level, row: EntityRow, { apply }: Tree.NestedOptions): Applied {
  if (apply === undefined) return { row, apply: [], computed: [] };
  return bindApply(optionFrame(level, 'apply', subjectWith(resolvedVariable(row), [])), row, apply);
}

function computeOption(
  level: Level,
  { row, computed, nested }: Applied,
  these: These,
  { compute }: Tree.NestedOptions,
): readonly Computed[] {
  if (compute === undefined) return [];
  const subject = subjectWith(resolvedVariable(row), computed, nested);
  const frame = { ...optionFrame(level, 'compute', subject), these };
  const { model } = level.session.scope;
  return bindCompute(frame, subject, compute, (name) => isTakenName(model, row, name));
}

function selectOption(
  level: Level,
  { row, nested = [] }: Applied,
  subject: Subject,
  { select }: Tree.NestedOptions,
): Selection {
  if (select === undefined) return EVERYTHING;
  const computed = new Set([...subject.computed.keys(), ...nested.map(({ name }) => name)]);
  if (row.kind === 'derived') return bindColumnSelect(level, row, select, computed);
  const { resolved } = subject;
  const type = row.kind === 'entity' ? row.type : structureOf(row.type);
  return type === undefined ? EVERYTHING : bindSelect(level, { type, computed, resolved }, select);
}

/** Binds $select and $expand, including $expand of the rows that $apply nested. */
function shownOptions(
  level: Level,
  applied: Applied,
  subject: Subject,
  options: Tree.NestedOptions,
): Expanded & Pick<Query, 'nested' | 'selection'> {
  const { row, nested = [] } = applied;
  const { expand = [] } = options;
  const selection = selectOption(level, applied, subject, options);
  const isNested = (item: Tree.ExpandItem) => nested.some(({ name }) => name === soleName(item));
  const own = nested.map((one) => {
    const item = expand.find((other) => soleName(other) === one.name);
    return item?.kind === 'path' ? expandNested(level, subject, one, item) : one;
  });
  const others = expand.filter((item) => !isNested(item));
  const nothing = { expansions: [], streams: [] };
  if (row.kind === 'derived') {
    const columns = expandColumns({ level, row, subject, bindQuery }, others, selection);
    const all = [...own, ...columns.nested];
    return {
      ...nothing,
      selection: columns.selection,
      ...(all.length === 0 ? {} : { nested: all }),
    };
  }
  const selected = own.length === 0 ? { selection } : { selection, nested: own };
  if (others.length === 0 || row.kind !== 'entity') return { ...nothing, ...selected };
  return { ...expandRow(level, row, subject, others), ...selected };
}

/** Applies the options of $expand to the rows of nest or addnested. */
function expandNested(
  level: Level,
  subject: Subject,
  nested: NestedRows,
  { options }: Tree.ExpandPath,
): NestedRows {
  if (options === undefined) return nested;
  rejectOtherOptions(options, OPTIONS_OF_NESTED, `for ${nested.name}, which is a result of $apply`);
  const inner = innerLevel(level, optionFrame(level, 'expand', subject), options);
  const { row, apply, compute: computed, nested: deeper } = nested.query;
  const applied = { row, apply, computed, nested: deeper };
  return { ...nested, query: bindAppliedQuery(inner, applied, options) };
}

const OPTIONS_OF_NESTED = ROW_OPTIONS.filter((name) => name !== 'apply');

/** Binds $expand of an entity, or of the complex value `inside` it. Throws: as bindExpand. */
export function expandRow(
  level: Level,
  row: EntityRow,
  subject: Subject,
  expand: readonly Tree.ExpandItem[],
  inside: Partial<Pick<Parameters<typeof bindExpand>[0], 'type' | 'path'>> = {},
): Expanded {
  return bindExpand(
    {
      level,
      subject,
      row: variable(row),
      type: row.type,
      path: [],
      ...inside,
      bindQuery: (inner, rows, options) => bindQuery(inner, rows.row, options),
    },
    expand,
  );
}

/** A rule of the service: requests that combine $select and $expand must select the key. Throws: bind.select-key. */
function requireKey(level: Level, row: RowVariable, options: Tree.NestedOptions): void {
  const { model, rules } = level.session.scope;
  const { select, expand } = options;
  if (rules !== 'service' || select === undefined || expand === undefined) return;
  if (row.kind !== 'entity' || select.some(({ kind }) => kind === 'star')) return;
  const names = new Set(
    select.flatMap((item) => {
      const step = item.kind === 'path' ? item.steps[0] : undefined;
      return step?.kind === 'name' ? [step.name] : [];
    }),
  );
  const keys = keyNames(model.key(row.type));
  if (keys.every((name) => names.has(name))) return;
  throw new Fault(
    'bind.select-key',
    { keys: keys.join(','), written: readable(printSelect(select)) },
    { target: '$select' },
  );
}
