// This file is the grid of a list: rows drawn as they come into view, one cell in the order of the Tab key, and commands by keys.
import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { lastOpened } from '../../api/list-keys.ts';
import { isFocusOnPage } from '../../components/focus.ts';
import { areLettersCommands } from '../../components/single-keys.ts';
import type { Entity } from '../../model/entity.ts';
import type { ShownColumn } from '../list-columns.ts';
import type { Order } from '../list-state.ts';
import { extentOf, placeOf, slotAt } from '../row-window.ts';
import {
  failureOf,
  isEmptySelection,
  isSelected,
  type Selection,
  toggled,
  withRows,
} from '../selection.ts';
import type { Rows } from '../use-rows.ts';
import classes from './grid.module.css';
import { type ColumnActions, cssName, GridHeader } from './grid-header.tsx';
import { type Cell, type GridCommand, gridCommand, type Move, nextCell } from './grid-keys.ts';
import { GridRow } from './grid-row.tsx';
import { offsetForRow, ROW_HEIGHT, scrollScale } from './scroll-scale.ts';

/** The row that a command is about. */
export interface FocusedRow {
  readonly key: string;
  readonly row: Entity;
  readonly column: ShownColumn | undefined;
}

export interface GridProps {
  readonly label: string;
  readonly set: string;
  readonly rows: Rows;
  readonly columns: readonly ShownColumn[];
  readonly linked: string | undefined;
  readonly order: readonly Order[];
  readonly actions: ColumnActions;
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  /** Why rows could not be changed together with others, by their keys. */
  readonly failures: ReadonlyMap<string, string>;
  readonly peeked: string | undefined;
  /** Commands other than those of moving and selecting, which the grid performs itself. */
  readonly perform: (command: GridCommand['kind'], focused: FocusedRow | undefined) => void;
}

/** Rows beyond the visible ones that are drawn. */
const OVERSCAN = 5;
const SELECT_WIDTH = 36;
/** ARIA in HTML permits this role for tables, and gives their rows and cells those of a grid; the lint rule does not know that. */
const GRID = { role: 'grid', 'aria-multiselectable': true } as const;

export function Grid(props: GridProps) {
  const { rows, columns, selection } = props;
  const total = extentOf(rows.window, rows.count);
  const grid = useGrid(props, total);
  const { active, scroller, items, shift, height } = grid;
  return (
    <div ref={scroller} className={classes.scroller} data-scroller>
      <table
        {...GRID}
        aria-label={props.label}
        aria-rowcount={rows.count === undefined ? -1 : total + 1}
        aria-colcount={columns.length + 1}
        className={classes.grid}
        style={templateOf(columns)}
        onKeyDown={grid.onKeyDown}
        onClick={grid.onClick}
        onDoubleClick={grid.onDoubleClick}
        onFocus={grid.onFocus}
        ref={grid.element}
      >
        <GridHeader
          columns={columns}
          order={props.order}
          actions={props.actions}
          active={active.row === -1 ? active.column : undefined}
          allSelected={selection.kind === 'all' && selection.except.size === 0}
          someSelected={!isEmptySelection(selection)}
        />
        <tbody className={classes.body} style={{ height }}>
          {items.map(({ index, start }) => {
            const slot = slotAt(rows.window, index);
            return (
              <GridRow
                key={index}
                index={index}
                top={start - shift}
                slot={slot}
                set={props.set}
                columns={columns}
                linked={props.linked}
                selected={slot.key !== undefined && isSelected(selection, slot.key)}
                failure={failureOf(props, slot.key)}
                pending={slot.key !== undefined && rows.pending.has(slot.key)}
                peeked={slot.key !== undefined && slot.key === props.peeked}
                active={active.row === index ? active.column : undefined}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The columns as a template of CSS. Each width is a property, which changes while the pointer drags. */
function templateOf(columns: readonly ShownColumn[]): CSSProperties {
  const widths = columns.map(({ path, width }, index) => {
    const name = `var(--width-${cssName(path)}, ${width}px)`;
    return index === columns.length - 1 ? `minmax(${name}, 1fr)` : name;
  });
  return { '--columns': `${SELECT_WIDTH}px ${widths.join(' ')}` } as CSSProperties;
}

/** The scrolling and the rows in view. */
function useScrolling(total: number, active: Cell, rows: Rows) {
  const scroller = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState(600);
  const scale = useMemo(() => scrollScale(total, viewport), [total, viewport]);
  const factor = useRef(scale.factor);
  factor.current = scale.factor;
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    observeElementOffset: (instance, report) =>
      observeElementOffset(instance, (offset, isScrolling) =>
        report(offset * factor.current, isScrolling),
      ),
    // The focused row stays, or the focus would be lost when it scrolls out of view.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(count - 1, endIndex + overscan);
      const range = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
      const { row } = active;
      return row >= 0 && row < count && (row < first || row > last) ? [...range, row] : range;
    },
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setViewport(element.clientHeight - ROW_HEIGHT));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const range = virtualizer.range;
  const { store } = rows;
  useEffect(() => {
    if (range !== null) store.show(range.startIndex, range.endIndex);
  }, [store, range]);
  const scrollTo = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element === null || row < 0) return;
      const offset = offsetForRow(row, element.scrollTop, viewport, scale);
      if (offset !== undefined) element.scrollTop = offset;
    },
    [scale, viewport],
  );
  const seen = virtualizer.scrollOffset ?? 0;
  const shift = scale.factor === 1 ? 0 : seen - seen / scale.factor;
  return {
    scroller,
    scrollTo,
    shift,
    items: virtualizer.getVirtualItems(),
    height: scale.height,
    page: Math.max(1, Math.floor(viewport / ROW_HEIGHT) - 1),
  };
}

function useGrid(props: GridProps, total: number) {
  const element = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState<Cell>({ row: 0, column: 1 });
  const wantsFocus = useRef(false);
  const present = { row: Math.min(active.row, total - 1), column: active.column };
  const scrolling = useScrolling(total, present, props.rows);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the active cell when a command has moved it.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    cellElement(element.current, present)?.focus({ preventScroll: true });
  }, [active]);

  const goTo = (cell: Cell) => {
    wantsFocus.current = true;
    setActive(cell);
    scrolling.scrollTo(cell.row);
  };
  useStart(props, (row) => {
    // When a page has opened, the arrow keys work immediately. In other cases the focus stays where it is.
    wantsFocus.current = isFocusOnPage();
    setActive({ row, column: present.column });
    scrolling.scrollTo(row);
  });

  const cells: Cells = { element, present, total, page: scrolling.page, goTo, setActive };
  const selecting = useSelecting(props, present);
  const onKeyDown = keyHandler(props, cells, selecting);
  return {
    ...scrolling,
    active: present,
    element,
    onKeyDown,
    ...mouseHandlers(props, cells, selecting),
  };
}

/** The cells of a grid, one of which is in the order of the Tab key. */
interface Cells {
  readonly element: { readonly current: HTMLTableElement | null };
  readonly present: Cell;
  readonly total: number;
  /** Rows that are in view. */
  readonly page: number;
  /** Moves the focus. */
  readonly goTo: (cell: Cell) => void;
  readonly setActive: (cell: Cell) => void;
}

/** Selecting single rows, and from the row where an extension started. */
function useSelecting({ rows, selection, select }: GridProps, present: Cell) {
  const anchor = useRef<number>(undefined);
  const extendTo = (row: number) => {
    anchor.current ??= present.row;
    const [from, to] = [Math.min(anchor.current, row), Math.max(anchor.current, row)];
    const keys: string[] = [];
    for (let index = Math.max(0, from); index <= to; index += 1) {
      const { key } = slotAt(rows.window, index);
      if (key !== undefined) keys.push(key);
    }
    select(withRows(selection, keys, true));
  };
  const selectAt = (row: number, isRange: boolean) => {
    const { key } = slotAt(rows.window, row);
    if (isRange) extendTo(row);
    else if (key !== undefined) select(toggled(selection, key));
    if (!isRange) anchor.current = row;
  };
  const endExtension = () => {
    anchor.current = undefined;
  };
  return { extendTo, selectAt, endExtension };
}

type Selecting = ReturnType<typeof useSelecting>;

function focusedAt({ rows, columns }: GridProps, cell: Cell): FocusedRow | undefined {
  const slot = slotAt(rows.window, cell.row);
  if (slot.kind !== 'row') return undefined;
  return { key: slot.key, row: slot.row, column: columns[cell.column - 1] };
}

function keyHandler(
  props: GridProps,
  cells: Cells,
  { extendTo, selectAt, endExtension }: Selecting,
) {
  const { columns, perform } = props;
  const { element, present, total, page, goTo } = cells;
  const move = (to: Move, extend: boolean) => {
    const cell = nextCell(present, to, { rows: total, columns: columns.length + 1, page });
    if (extend) extendTo(cell.row);
    else endExtension();
    goTo(cell);
  };
  const onHeader = (command: GridCommand) => {
    const heading = cellElement(element.current, present);
    if (command.kind === 'menu') heading?.querySelector<HTMLElement>('[data-menu]')?.click();
    else if (command.kind === 'open' || command.kind === 'peek')
      heading?.querySelector<HTMLElement>('button, input')?.click();
    else perform(command.kind, undefined);
  };
  return (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !isCell(event.target)) return;
    const command = gridCommand(event, areLettersCommands());
    if (command === undefined) return;
    // A text that is marked is copied by the browser.
    if (command.kind === 'copy' && String(getSelection()) !== '') return;
    event.preventDefault();
    event.stopPropagation();
    if (command.kind === 'move') move(command.to, command.extend);
    else if (present.row === -1 && command.kind !== 'selectAll') onHeader(command);
    else if (command.kind === 'select') selectAt(present.row, false);
    else if ((command.kind === 'open' || command.kind === 'peek') && present.column === 0)
      selectAt(present.row, false);
    else perform(command.kind, focusedAt(props, present));
  };
}

function mouseHandlers(props: GridProps, cells: Cells, { extendTo, selectAt }: Selecting) {
  const { perform, peeked } = props;
  const { present, setActive } = cells;
  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    if (target.closest('[data-select-all]') !== null) {
      perform('selectAll', undefined);
      return;
    }
    const cell = cellOf(target);
    if (cell === undefined || cell.row === -1) return;
    if (cell.column === 0) selectAt(cell.row, event.shiftKey);
    else if (target.closest('a') === null) {
      setActive(cell);
      if (event.shiftKey) extendTo(cell.row);
      else if (peeked !== undefined) perform('peek', focusedAt(props, cell));
    }
  };
  const onFocus = ({ target }: { readonly target: EventTarget }) => {
    const cell = isCell(target) ? cellOf(target as HTMLElement) : undefined;
    if (cell !== undefined && (cell.row !== present.row || cell.column !== present.column))
      setActive(cell);
  };
  const onDoubleClick = (event: MouseEvent) => {
    const cell = cellOf(event.target as HTMLElement);
    if (cell !== undefined && cell.row >= 0 && cell.column > 0)
      perform('open', focusedAt(props, cell));
  };
  return { onClick, onFocus, onDoubleClick };
}

/** Goes once to the row of the record in the side panel, or of the one that was opened last, or to the first. */
function useStart({ set, peeked, rows }: GridProps, go: (row: number) => void): void {
  const done = useRef(false);
  useEffect(() => {
    if (done.current || rows.window.length === 0) return;
    done.current = true;
    const key = peeked ?? lastOpened(set);
    go(key === undefined ? 0 : Math.max(0, placeOf(rows.window, key)));
  });
}

const isCell = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.dataset.row !== undefined;

function cellOf(target: HTMLElement): Cell | undefined {
  const cell = target.closest<HTMLElement>('[data-row]');
  if (cell === null) return undefined;
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

function cellElement(grid: HTMLElement | null, { row, column }: Cell): HTMLElement | null {
  return grid?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) ?? null;
}
