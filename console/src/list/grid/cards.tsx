// This file shows the rows of a list as cards, for narrow screens: a heading that opens the record, and two lines of values.

import { Link } from '@tanstack/react-router';
import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { areLettersCommands } from '../../components/single-keys.ts';
import { useText } from '../../i18n/text.tsx';
import { valueAt } from '../../model/entity.ts';
import { extentOf, type Slot, slotAt } from '../row-window.ts';
import { failureOf, isSelected, toggled } from '../selection.ts';
import classes from './grid.module.css';
import type { GridProps } from './grid.tsx';
import { gridCommand } from './grid-keys.ts';
import { CellValue, LinkText } from './grid-row.tsx';
import { scrollScale } from './scroll-scale.ts';

/** Pixels. */
const CARD_HEIGHT = 104;
/** Values below the heading. */
const VALUES = 4;

export function Cards(props: GridProps) {
  const { rows, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const total = extentOf(rows.window, rows.count);
  const { factor, height } = scrollScale(total, 600, CARD_HEIGHT);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    overscan: 4,
    observeElementOffset: (instance, report) =>
      observeElementOffset(instance, (offset, isScrolling) => report(offset * factor, isScrolling)),
  });
  const { range } = virtualizer;
  const { store } = rows;
  useEffect(() => {
    if (range !== null) store.show(range.startIndex, range.endIndex);
  }, [store, range]);
  const seen = virtualizer.scrollOffset ?? 0;
  const shift = factor === 1 ? 0 : seen - seen / factor;
  return (
    <div ref={scroller} className={classes.scroller} data-scroller>
      <ul className={classes.cards} style={{ height, margin: 0, padding: 0 }} aria-label={label}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <Card
            key={index}
            {...props}
            index={index}
            top={start - shift}
            slot={slotAt(rows.window, index)}
          />
        ))}
      </ul>
    </div>
  );
}

interface CardProps extends GridProps {
  readonly index: number;
  readonly top: number;
  readonly slot: Slot;
}

type Row = Extract<Slot, { readonly kind: 'row' }>;

function Card(props: CardProps) {
  const { index, top, slot, rows } = props;
  const item = {
    className: classes.card,
    style: { height: CARD_HEIGHT, transform: `translateY(${top}px)` },
    'aria-posinset': index + 1,
    'aria-setsize': extentOf(rows.window, rows.count),
  };
  if (slot.kind === 'missing')
    return (
      <li {...item} aria-busy>
        <span className={classes.placeholder} />
      </li>
    );
  return (
    <li {...item} onKeyDown={(event) => onCardKey(event, props, slot)}>
      <CardContent {...props} slot={slot} />
    </li>
  );
}

/** The column whose value is the heading. */
const titleOf = ({ columns, linked }: GridProps) => columns.find(({ path }) => path === linked);

function onCardKey(event: KeyboardEvent<HTMLElement>, props: GridProps, { key, row }: Row): void {
  const command = gridCommand(event, areLettersCommands());
  if (command?.kind === 'select') props.select(toggled(props.selection, key));
  else if (command?.kind === 'move') focusSibling(event.currentTarget, command.to);
  else if (command !== undefined && command.kind !== 'open' && command.kind !== 'copy')
    props.perform(command.kind, { key, row, column: titleOf(props) });
  else return;
  event.preventDefault();
}

function CardContent(props: CardProps & { readonly slot: Row }) {
  const { index, slot, selection, select, set, columns, linked } = props;
  const text = useText();
  const failure = failureOf(props, slot.key);
  const title = titleOf(props);
  const values = columns
    .filter(({ path }) => path !== linked)
    .slice(0, VALUES)
    .map(({ path, member }) => (
      <CellValue key={path} member={member} value={valueAt(slot.row, path)} />
    ));
  return (
    <>
      <h2 className={classes.cardTitle}>
        <Link
          to="/s/$set/$key"
          params={{ set, key: slot.key }}
          search={{}}
          className={classes.link}
          data-card
        >
          {title === undefined ? slot.key : <LinkText {...title} row={slot.row} />}
        </Link>
      </h2>
      <div className={classes.cardLine}>
        <input
          type="checkbox"
          checked={isSelected(selection, slot.key)}
          onChange={() => select(toggled(selection, slot.key))}
          aria-label={text('list.selectRow', { row: index + 1 })}
        />
        {failure !== undefined && <span className={classes.failure}>{failure}</span>}
        {values.slice(0, 2)}
      </div>
      <div className={classes.cardLine}>{values.slice(2)}</div>
    </>
  );
}

function focusSibling(card: HTMLElement, to: string): void {
  const sibling =
    to === 'down' ? card.nextElementSibling : to === 'up' ? card.previousElementSibling : undefined;
  sibling?.querySelector<HTMLElement>('[data-card]')?.focus();
}
