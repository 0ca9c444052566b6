// This file maps keys to the commands of a grid, and commands to the next focused cell.

export interface Cell {
  /** -1 is the header. */
  readonly row: number;
  readonly column: number;
}

export type GridCommand =
  | { readonly kind: 'move'; readonly to: Move; readonly extend: boolean }
  | { readonly kind: 'open' | 'peek' | 'select' | 'selectAll' | 'edit' | 'copy' | 'menu' }
  | { readonly kind: 'filter' | 'status' | 'assignee' | 'priority' };

export type Move =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageUp'
  | 'pageDown'
  | 'rowStart'
  | 'rowEnd'
  | 'top'
  | 'bottom';

interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const MOVES: Readonly<Record<string, Move>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
  Home: 'rowStart',
  End: 'rowEnd',
};

const NAMED: Readonly<Record<string, GridCommand>> = {
  Enter: { kind: 'open' },
  ' ': { kind: 'peek' },
  F2: { kind: 'edit' },
  ContextMenu: { kind: 'menu' },
};

const LETTERS: Readonly<Record<string, GridCommand>> = {
  j: { kind: 'move', to: 'down', extend: false },
  k: { kind: 'move', to: 'up', extend: false },
  x: { kind: 'select' },
  f: { kind: 'filter' },
  s: { kind: 'status' },
  a: { kind: 'assignee' },
  p: { kind: 'priority' },
};

/**
 * The command of a key; undefined if the grid has none for it. Keys with Alt belong to the browser and to keyboard layouts.
 *
 * @param letters whether single letters are commands (WCAG 2.2, 2.1.4 "Character Key Shortcuts")
 */
export function gridCommand(key: Key, letters: boolean): GridCommand | undefined {
  if (key.altKey) return undefined;
  if (key.ctrlKey || key.metaKey) return controlCommand(key);
  const to = MOVES[key.key];
  if (to !== undefined)
    return { kind: 'move', to, extend: key.shiftKey && (to === 'up' || to === 'down') };
  if (key.key === 'F10' && key.shiftKey) return { kind: 'menu' };
  return NAMED[key.key] ?? (letters ? LETTERS[key.key] : undefined);
}

function controlCommand({ key }: Key): GridCommand | undefined {
  switch (key) {
    case 'Home':
      return { kind: 'move', to: 'top', extend: false };
    case 'End':
      return { kind: 'move', to: 'bottom', extend: false };
    case 'a':
      return { kind: 'selectAll' };
    case 'c':
      return { kind: 'copy' };
    default:
      return undefined;
  }
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows of a page. */
  readonly page: number;
}

/** The cell after a move, within the grid. */
export function nextCell(from: Cell, move: Move, extent: Extent): Cell {
  const last = extent.rows - 1;
  const row = (value: number) => Math.max(-1, Math.min(last, value));
  const column = (value: number) => Math.max(0, Math.min(extent.columns - 1, value));
  switch (move) {
    case 'up':
      return { ...from, row: row(from.row - 1) };
    case 'down':
      return { ...from, row: row(from.row + 1) };
    case 'left':
      return { ...from, column: column(from.column - 1) };
    case 'right':
      return { ...from, column: column(from.column + 1) };
    case 'pageUp':
      return { ...from, row: Math.min(last, Math.max(0, from.row - extent.page)) };
    case 'pageDown':
      return { ...from, row: row(from.row + extent.page) };
    case 'rowStart':
      return { ...from, column: 0 };
    case 'rowEnd':
      return { ...from, column: extent.columns - 1 };
    case 'top':
      return { row: last < 0 ? -1 : 0, column: from.column };
    case 'bottom':
      return { row: last, column: from.column };
  }
}
