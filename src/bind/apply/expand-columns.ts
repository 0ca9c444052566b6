// This file binds $expand of rows that $apply has made: of whole entities in them, with every option, and of what join has put beside
// them, of which parts can be selected. OData Data Aggregation 4.0, "Transformations join and outerjoin", "Simple Grouping".
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type * as Tree from '../../request/tree.ts';
import type { NestedRows, Query, SelectedItem, Selection } from '../bound.ts';
import { innerLevel, type Level, optionFrame, refuseOthers } from '../query/option-scope.ts';
import type { DerivedRow, EntityRow, Subject } from '../scope.ts';
import { isColumnName, rowsOfColumn, shownNames } from './derived-columns.ts';
import { bindColumnSelect } from './select-columns.ts';

/** What $expand makes of the columns: some are asked for as rows of their own, the others are selected. */
export interface ExpandedColumns {
  readonly nested: readonly NestedRows[];
  readonly selection: Selection;
}

/** Where columns are expanded, and how the options of a whole entity are bound. */
export interface ExpandingColumns {
  readonly level: Level;
  readonly row: DerivedRow;
  readonly subject: Subject;
  readonly bindQuery: (level: Level, row: EntityRow, options: Tree.NestedOptions) => Query;
}

/** Faults: bind.aggregated-away for what the rows do not have, request.misplaced-option, and those of options. */
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
    throw goneAway(level, row, name);
  }
  const { options } = item;
  if (options === undefined) return { ...before, selection: withNames(before.selection, [name]) };
  const frame = optionFrame(level, 'expand', subject);
  const inner = innerLevel(level, frame, options);
  const column = row.columns.get(name);
  const rows = column === undefined ? undefined : rowsOfColumn(row, column);
  if (rows !== undefined) {
    refuseOthers(options, ['select', 'expand', 'compute'], `behind ${name}, which is one entity`);
    const query = expanding.bindQuery(inner, rows.row, options);
    return { ...before, nested: [...before.nested, { name, rows, single: true, query }] };
  }
  refuseOthers(options, ['select'], `behind ${name}, which $apply has made`);
  const parts = (options.select ?? []).map((one) => under(name, one));
  const chosen = bindColumnSelect(inner, row, parts, new Set());
  return { ...before, selection: narrowed(expanding, before.selection, name, namesOf(chosen)) };
}

/** The name that an item of $expand consists of, where it is nothing but a name. */
export function soleName(item: Tree.ExpandItem): string | undefined {
  const [step, ...others] = item.kind === 'path' ? item.steps : [];
  const isPlain = item.kind === 'path' && item.suffix === undefined && others.length === 0;
  return isPlain && step?.kind === 'name' ? step.name : undefined;
}

/** The item of $select seen from the row around. */
function under(name: string, item: Tree.SelectItem): Tree.SelectItem {
  if (item.kind !== 'path') return item;
  return {
    ...item,
    steps: [{ kind: 'name', at: item.at, name, parameters: undefined }, ...item.steps],
  };
}

function namesOf({ items }: Selection): readonly string[] {
  return items.flatMap((item) => (item.kind === 'named' ? [item.name] : []));
}

/** What is expanded is shown though it is not selected. */
function withNames(selection: Selection, names: readonly string[]): Selection {
  if (selection.all) return selection;
  const items = names.map((name): SelectedItem => ({ kind: 'named', name }));
  return { all: false, items: [...selection.items, ...items] };
}

/** Of the object only these parts, of the rest of the row what was selected before. */
function narrowed(
  { row, subject }: ExpandingColumns,
  selection: Selection,
  name: string,
  parts: readonly string[],
): Selection {
  if (parts.length === 0) return withNames(selection, [name]);
  const others = [...shownNames(row), ...subject.computed.keys()].filter(
    (one) => one !== name && !one.startsWith(`${name}/`),
  );
  const rest: Selection = selection.all ? { all: false, items: [] } : selection;
  return withNames(rest, selection.all ? [...others, ...parts] : parts);
}

function goneAway(level: Level, row: DerivedRow, name: string | undefined): Fault {
  return new Fault(
    'bind.aggregated-away',
    {
      name: name ?? 'What is named in $expand',
      columns: shownNames(row).slice(0, 10).join(', '),
      hint: name === undefined ? '' : didYouMean(name, shownNames(row)),
      place: 'in $expand',
    },
    { target: level.part?.target ?? '$expand' },
  );
}
