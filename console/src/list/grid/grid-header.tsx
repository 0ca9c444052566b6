// This file is the header of a grid: sorting, the menu of each column, and changing widths and order by pointer.

import { Menu } from '@mantine/core';
import { type PointerEvent, useRef, useState } from 'react';
import { Icon } from '../../components/icons.tsx';
import { useText } from '../../i18n/text.tsx';
import { useModel } from '../../model/use-model.tsx';
import { type ShownColumn, sortPath } from '../list-columns.ts';
import { clampWidth, type Order } from '../list-state.ts';
import classes from './grid.module.css';

/** What the header may change. */
export interface ColumnActions {
  readonly sort: (path: string, descending: boolean) => void;
  readonly toggleSort: (path: string, keepOthers: boolean) => void;
  readonly move: (from: number, to: number) => void;
  readonly resize: (index: number, width: number) => void;
  readonly hide: (index: number) => void;
  /** Undefined where the list cannot be grouped, such as within a group. */
  readonly group: ((path: string) => void) | undefined;
  readonly isGroupable: (path: string) => boolean;
}

export interface GridHeaderProps {
  readonly columns: readonly ShownColumn[];
  readonly order: readonly Order[];
  readonly actions: ColumnActions;
  readonly active: number | undefined;
  readonly allSelected: boolean;
  readonly someSelected: boolean;
}

/** Pixels by which the menu changes a width. */
const STEP = 40;

export function GridHeader(props: GridHeaderProps) {
  const { columns, active, allSelected, someSelected } = props;
  const text = useText();
  return (
    <thead className={classes.head}>
      <tr aria-rowindex={1} className={classes.header}>
        <th
          scope="col"
          aria-colindex={1}
          tabIndex={active === 0 ? 0 : -1}
          data-row={-1}
          data-column={0}
          className={classes.select}
        >
          <input
            type="checkbox"
            tabIndex={-1}
            readOnly
            checked={allSelected}
            ref={(element) => {
              if (element !== null) element.indeterminate = someSelected && !allSelected;
            }}
            data-select-all
            aria-label={text('list.selectAll')}
          />
        </th>
        {columns.map((column, index) => (
          <Heading key={column.path} {...props} column={column} index={index} />
        ))}
      </tr>
    </thead>
  );
}

interface HeadingProps extends GridHeaderProps {
  readonly column: ShownColumn;
  readonly index: number;
}

function Heading(props: HeadingProps) {
  const { column, index, order, actions, active } = props;
  const model = useModel();
  const [isOver, setOver] = useState(false);
  const path = sortPath(model, column);
  const sorted = order.find((item) => item.path === path);
  const direction = sorted?.descending === true ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      aria-colindex={index + 2}
      aria-sort={sorted === undefined ? 'none' : direction}
      tabIndex={active === index + 1 ? 0 : -1}
      data-row={-1}
      data-column={index + 1}
      data-over={isOver || undefined}
      className={classes.heading}
      draggable
      onDragStart={(event) => event.dataTransfer.setData('text/docket-column', String(index))}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('text/docket-column')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const from = event.dataTransfer.getData('text/docket-column');
        if (from !== '') actions.move(Number(from), index);
      }}
    >
      <button
        type="button"
        tabIndex={-1}
        className={classes.sort}
        title={column.member.help ?? column.label}
        disabled={path === undefined}
        onClick={(event) => path !== undefined && actions.toggleSort(path, event.shiftKey)}
      >
        {column.label}
        {sorted !== undefined && (
          <span className={classes.arrow}>
            <Icon name={sorted.descending ? 'down' : 'up'} />
          </span>
        )}
      </button>
      <HeadingMenu {...props} />
      <ResizeHandle column={column} resize={(width) => actions.resize(index, width)} />
    </th>
  );
}

function HeadingMenu({ column, columns, index, actions }: HeadingProps) {
  const text = useText();
  const model = useModel();
  const path = sortPath(model, column);
  const { group } = actions;
  return (
    <Menu position="bottom-end" withinPortal returnFocus>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          data-menu
          className={classes.more}
          aria-label={text('list.columnMenu', { column: column.label })}
        >
          <Icon name="more" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {path !== undefined && (
          <>
            <Menu.Item onClick={() => actions.sort(path, false)}>{text('list.sortUp')}</Menu.Item>
            <Menu.Item onClick={() => actions.sort(path, true)}>{text('list.sortDown')}</Menu.Item>
          </>
        )}
        {group !== undefined && actions.isGroupable(column.path) && (
          <Menu.Item onClick={() => group(column.path)}>{text('list.groupBy')}</Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item disabled={index === 0} onClick={() => actions.move(index, index - 1)}>
          {text('list.moveLeft')}
        </Menu.Item>
        <Menu.Item
          disabled={index === columns.length - 1}
          onClick={() => actions.move(index, index + 1)}
        >
          {text('list.moveRight')}
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          onClick={() => actions.resize(index, column.width + STEP)}
        >
          {text('list.wider')}
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          onClick={() => actions.resize(index, column.width - STEP)}
        >
          {text('list.narrower')}
        </Menu.Item>
        <Menu.Item disabled={columns.length === 1} onClick={() => actions.hide(index)}>
          {text('list.hideColumn')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Changes the width while the pointer moves without drawing rows again, and reports it when the pointer is released. */
function ResizeHandle({
  column,
  resize,
}: {
  readonly column: ShownColumn;
  readonly resize: (width: number) => void;
}) {
  const start = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const widthAt = (event: PointerEvent) => {
    if (start.current === undefined) return column.width;
    return clampWidth(start.current.width + event.clientX - start.current.x);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu of the column does the same by keyboard.
    <div
      className={classes.handle}
      onPointerDown={(event) => {
        event.preventDefault();
        event.stopPropagation();
        const heading = event.currentTarget.parentElement;
        start.current = { x: event.clientX, width: heading?.offsetWidth ?? column.width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current === undefined) return;
        const grid = event.currentTarget.closest<HTMLElement>('[role="grid"]');
        grid?.style.setProperty(`--width-${cssName(column.path)}`, `${widthAt(event)}px`);
      }}
      onPointerUp={(event) => {
        const width = widthAt(event);
        start.current = undefined;
        resize(width);
      }}
      onDragStart={(event) => event.preventDefault()}
    />
  );
}

/** A path as part of the name of a CSS property. */
export const cssName = (path: string): string => path.replaceAll('/', '-');
