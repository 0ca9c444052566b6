// Binds $select and $expand on derived rows. In $expand, entities take every option, objects produced by join or concat only $select.
// OData Data Aggregation 4.0, "Transformations join and outerjoin", "Simple Grouping".
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type * as Tree from '../../request/tree.ts';
import type { NestedRows, Query, SelectedItem, Selection } from '../bound.ts';
import {
  innerLevel,
  type Level,
  namedItems,
  optionFrame,
  rejectOtherOptions,
} from '../query/option-scope.ts';
import { type DerivedRow, type EntityRow, faultAt, type Subject } from '../scope.ts';
import { isColumnName, rowsOfColumn, visibleNames } from './derived-columns.ts';

/** The result of $expand: entities become nested queries, other columns become part of the selection. */
export interface ExpandedColumns {
  readonly nested: readonly NestedRows[];
  readonly selection: Selection;
}

/** The row whose columns are expanded, and the function that binds the options of an expanded entity. */
export interface ExpandingColumns {
  readonly level: Level;
  readonly row: DerivedRow;
  readonly subject: Subject;
  readonly bindQuery: (level: Level, row: EntityRow, options: Tree.NestedOptions) => Query;
}

/** Throws: bind.aggregated-away for names that the rows do not have, request.misplaced-option, and the errors of options. */
export function expandColumns(
  expanding: ExpandingColumns,
  items: readonly Tree.ExpandItem[],
  selection: Selection,
): ExpandedColumns {
  return items.reduce<ExpandedColumns>((before, item) => expandOne(expanding, item, before), {
    nested: [],
    selection,
  });
}

function expandOne(
  expanding: ExpandingColumns,
  item: Tree.ExpandItem,
  before: ExpandedColumns,
): ExpandedColumns {
  const { row, level, subject } = expanding;
  const name = soleName(item);
  if (item.kind !== 'path' || name === undefined || !isColumnName(row, name)) {
    throw missingColumn(level, row, name);
  }
  const { options } = item;
  if (options === undefined) return { ...before, selection: withNames(before.selection, [name]) };
  const frame = optionFrame(level, 'expand', subject);
  const inner = innerLevel(level, frame, options);
  const column = row.columns.get(name);
  const rows = column === undefined ? undefined : rowsOfColumn(row, column);
  if (rows !== undefined) {
    rejectOtherOptions(
      options,
      ['select', 'expand', 'compute'],
      `for ${name}, which is a single entity`,
    );
    const query = expanding.bindQuery(inner, rows.row, options);
    return { ...before, nested: [...before.nested, { name, rows, single: true, query }] };
  }
  rejectOtherOptions(options, ['select'], `for ${name}, which is a result of $apply`);
  const parts = (options.select ?? []).map((one) => prefixItem(name, one));
  const chosen = bindColumnSelect(inner, row, parts, new Set());
  return {
    ...before,
    selection: selectParts(expanding, before.selection, name, namedItems(chosen)),
  };
}

/** The name in an item of $expand; undefined if the item is more than a single name. */
export function soleName(item: Tree.ExpandItem): string | undefined {
  const [step, ...others] = item.kind === 'path' ? item.steps : [];
  const isPlain = item.kind === 'path' && item.suffix === undefined && others.length === 0;
  return isPlain && step?.kind === 'name' ? step.name : undefined;
}

/** Prefixes an item of a nested $select with the name of the expanded column. */
function prefixItem(name: string, item: Tree.SelectItem): Tree.SelectItem {
  if (item.kind !== 'path') return item;
  return {
    ...item,
    steps: [{ kind: 'name', at: item.at, name, parameters: undefined }, ...item.steps],
  };
}

/** Adds names to the selection: expanded columns are returned even if $select omits them. */
function withNames(selection: Selection, names: readonly string[]): Selection {
  if (selection.all) return selection;
  const items = names.map((name): SelectedItem => ({ kind: 'named', name }));
  return { all: false, items: [...selection.items, ...items] };
}

/** Restricts the object to the parts and keeps the selection of all other columns. */
function selectParts(
  { row, subject }: ExpandingColumns,
  selection: Selection,
  name: string,
  parts: readonly string[],
): Selection {
  if (parts.length === 0) return withNames(selection, [name]);
  const others = [...visibleNames(row), ...subject.computed.keys()].filter(
    (one) => one !== name && !one.startsWith(`${name}/`),
  );
  const rest: Selection = selection.all ? { all: false, items: [] } : selection;
  return withNames(rest, selection.all ? [...others, ...parts] : parts);
}

function missingColumn(level: Level, row: DerivedRow, name: string | undefined): Fault {
  return new Fault(
    'bind.aggregated-away',
    {
      name: name ?? 'The item of $expand',
      columns: visibleNames(row).slice(0, 10).join(', '),
      hint: name === undefined ? '' : didYouMean(name, visibleNames(row)),
      place: 'in $expand',
    },
    { target: level.part?.target ?? '$expand' },
  );
}

/** Throws: bind.aggregated-away for names that the row does not have. */
export function bindColumnSelect(
  level: Level,
  row: DerivedRow,
  items: readonly Tree.SelectItem[],
  computed: ReadonlySet<string>,
): Selection {
  const frame = optionFrame(level, 'select', undefined);
  const columns = [...visibleNames(row), ...computed];
  const named = items.flatMap((item): readonly SelectedItem[] => {
    if (item.kind === 'star') return [];
    const name = item.kind === 'operations' ? `${item.namespace}.*` : stepNames(item).join('/');
    if (columns.some((column) => column === name || column.startsWith(`${name}/`))) {
      return [{ kind: 'named', name }];
    }
    throw faultAt(frame, item.at, 'bind.aggregated-away', {
      name,
      columns: columns.slice(0, 10).join(', '),
      hint: didYouMean(name, columns),
    });
  });
  return { all: items.some(({ kind }) => kind === 'star'), items: named };
}

/** The names in the steps of a path; annotations start with `@`. */
export function stepNames(path: Tree.SelectPath): readonly string[] {
  return path.steps.map((step) => (step.kind === 'name' ? step.name : `@${step.term}`));
}
