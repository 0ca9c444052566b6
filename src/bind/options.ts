// This file binds the query options of one level in the order in which the standard evaluates them: $apply, $compute, $search,
// $filter, $orderby, then $select and $expand. Which options have a meaning where is for the caller to say.
// OData 4.01 Protocol, "System Query Options".
import { Fault } from '../base/fault.ts';
import type { EntityType } from '../edm/model.ts';
import { printSelect } from '../request/print.ts';
import type * as Tree from '../request/tree.ts';
import { bindApply } from './apply.ts';
import type { Computed, Query, RowVariable, Selection } from './bound.ts';
import { isColumnName, shownNames } from './columns.ts';
import { bindExpand, type Expanded } from './expand.ts';
import { bindCompute, bindOrder } from './ordering.ts';
import { bindCondition } from './promotion.ts';
import { type Level, optionFrame, subjectWith } from './query.ts';
import { type EntityRow, reachVariable, type Subject } from './scope.ts';
import { bindSearch } from './search.ts';
import { bindColumnSelect, bindSelect, EVERYTHING } from './select.ts';

/**
 * What the options ask of the rows. Faults: those of the options; bind.select-key where the service's rules hold.
 * OData 4.01 URL Conventions, "System Query Options".
 */
export function bindQuery(level: Level, row: EntityRow, options: Tree.NestedOptions): Query {
  const applied = applyOption(level, row, options);
  const compute = computeOption(level, applied.row, applied.computed, options);
  const subject = subjectWith(reachVariable(applied.row), [...applied.computed, ...compute]);
  const { search, filter, orderby, skip, top } = options;
  const frame = (name: 'filter' | 'orderby' | 'search') => optionFrame(level, name, subject);
  if (level.depth === 0) requireKey(level, applied.row, options);
  return {
    row: applied.row,
    apply: applied.apply,
    compute: [...applied.computed, ...compute],
    ...(search === undefined ? {} : { search: bindSearch(frame('search'), search) }),
    ...(filter === undefined ? {} : { filter: bindCondition(frame('filter'), filter) }),
    orderby: orderby === undefined ? [] : bindOrder(frame('orderby'), orderby),
    count: options.count === true,
    ...(skip === undefined ? {} : { skip }),
    ...(top === undefined ? {} : { top }),
    selection: selectOption(level, applied.row, subject, options),
    ...expandOption(level, applied.row, subject, options),
  };
}

interface Applied {
  readonly row: RowVariable;
  readonly apply: Query['apply'];
  /** Properties that compute transformations have added to entity rows. */
  readonly computed: readonly Computed[];
}

function applyOption(level: Level, row: EntityRow, { apply }: Tree.NestedOptions): Applied {
  if (apply === undefined) return { row, apply: [], computed: [] };
  return bindApply(optionFrame(level, 'apply', subjectWith(reachVariable(row), [])), row, apply);
}

function computeOption(
  level: Level,
  row: RowVariable,
  before: readonly Computed[],
  { compute }: Tree.NestedOptions,
): readonly Computed[] {
  if (compute === undefined) return [];
  const subject = subjectWith(reachVariable(row), before);
  const frame = optionFrame(level, 'compute', subject);
  return bindCompute(frame, subject, compute, nameTaken(level, row));
}

function nameTaken(level: Level, row: RowVariable): (name: string) => boolean {
  const { model } = level.session.scope;
  if (row.kind === 'derived') return (name) => isColumnName(row, name);
  if (row.kind === 'entity') return (name) => model.members(row.type).has(name);
  return (name) => row.type.kind === 'complex' && model.members(row.type.type).has(name);
}

function selectOption(
  level: Level,
  row: RowVariable,
  { computed }: Subject,
  { select }: Tree.NestedOptions,
): Selection {
  if (select === undefined) return EVERYTHING;
  if (row.kind === 'derived') return bindColumnSelect(level, row, select, computed);
  if (row.kind === 'entity') return bindSelect(level, { type: row.type, computed }, select);
  return row.type.kind === 'complex'
    ? bindSelect(level, { type: row.type.type, computed }, select)
    : EVERYTHING;
}

function expandOption(
  level: Level,
  row: RowVariable,
  subject: Subject,
  { expand }: Tree.NestedOptions,
): Expanded {
  if (expand === undefined) return { expansions: [], streams: [] };
  if (row.kind !== 'entity') {
    throw new Fault(
      'bind.aggregated-away',
      {
        name: 'Navigation properties',
        columns: row.kind === 'derived' ? shownNames(row).slice(0, 10).join(', ') : '',
        hint: '',
        place: 'in $expand',
      },
      { target: level.part?.target ?? '$expand' },
    );
  }
  return expandRow(level, row, subject, expand);
}

/** $expand of the row's own navigations, or of those inside a complex value that the path has walked into. */
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
      row: { kind: 'variable', row },
      type: row.type,
      path: [],
      ...inside,
      bindQuery: (inner, rows, options) => bindQuery(inner, rows.row, options),
    },
    expand,
  );
}

/** The contract's rule: whoever selects and expands must select the key. */
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
    { keys: keys.join(','), written: printSelect(select) },
    { target: '$select' },
  );
}

function keyNames(key: EntityType['key']): readonly string[] {
  return (key ?? []).map(({ path }) => path.split('/')[0] ?? path);
}
