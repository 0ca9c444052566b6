// This file changes the columns and the order of a list in its URL.
import { titlePath } from '../model/layout.ts';
import type { Model, StructuredType } from '../model/model.ts';
import type { ColumnActions } from './grid/grid-header.tsx';
import type { ShownColumn } from './list-columns.ts';
import type { ListContext } from './list-context.tsx';
import { isGroupable } from './list-request.ts';
import {
  type ColumnChoice,
  clampWidth,
  columnsText,
  moved,
  nextOrder,
  type Order,
  orderText,
} from './list-state.ts';

export interface AllColumnActions extends ColumnActions {
  readonly columns: readonly ShownColumn[];
  readonly show: (path: string) => void;
  readonly reset: () => void;
}

export function useColumnActions({
  model,
  type,
  columns,
  order,
  change,
}: {
  readonly model: Model;
  readonly type: StructuredType;
  readonly columns: readonly ShownColumn[];
  readonly order: readonly Order[];
  readonly change: ListContext['change'];
}): AllColumnActions {
  const write = (next: readonly ColumnChoice[]) => change({ cols: columnsText(next) }, true);
  const sortBy = (next: readonly Order[]) =>
    change({ orderby: next.length === 0 ? undefined : orderText(next), peek: undefined });
  return {
    columns,
    sort: (path, descending) => sortBy([{ path, descending }]),
    toggleSort: (path, keepOthers) => sortBy(nextOrder(order, path, keepOthers)),
    move: (from, to) => write(moved(columns, from, to)),
    resize: (index, width) =>
      write(
        columns.map((column, at) =>
          at === index ? { ...column, width: clampWidth(width) } : column,
        ),
      ),
    hide: (index) => write(columns.toSpliced(index, 1)),
    show: (path) => write([...columns, { path, width: undefined }]),
    reset: () => change({ cols: undefined }, true),
    group: (path) => change({ group: path }),
    isGroupable: (path) => path !== titlePath(model, type) && isGroupable(model, type, path),
  };
}
