// This file is one row of a grid. Rows are remembered, so that scrolling and moving the focus draw only those that change.
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Value } from '../../components/value.tsx';
import { useText } from '../../i18n/text.tsx';
import { useCodes } from '../../model/codes.ts';
import { type Entity, valueAt } from '../../model/entity.ts';
import type { Member } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { isNumeric, type ShownColumn } from '../list-columns.ts';
import type { Slot } from '../row-window.ts';
import classes from './grid.module.css';

export interface GridRowProps {
  readonly index: number;
  readonly top: number;
  readonly slot: Slot;
  readonly set: string;
  readonly columns: readonly ShownColumn[];
  /** The path of the column that links to the record. */
  readonly linked: string | undefined;
  readonly selected: boolean;
  /** Why the row could not be changed together with others. */
  readonly failure: string | undefined;
  readonly pending: boolean;
  /** The record is in the side panel. */
  readonly peeked: boolean;
  /** The column that is in the order of the Tab key, if it is in this row. */
  readonly active: number | undefined;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, top, slot, columns, selected, failure, pending, peeked, active } = props;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-busy={slot.kind === 'missing' || pending}
      data-failed={failure !== undefined || undefined}
      title={failure}
      data-pending={pending || undefined}
      data-peeked={peeked || undefined}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      <SelectCell {...props} />
      {columns.map((column, offset) => (
        <td
          key={column.path}
          aria-colindex={offset + 2}
          tabIndex={active === offset + 1 ? 0 : -1}
          data-row={index}
          data-column={offset + 1}
          className={isNumeric(column.member) ? classes.number : classes.cell}
        >
          <CellContent {...props} column={column} />
        </td>
      ))}
    </tr>
  );
});

function SelectCell({ index, slot, selected, failure, active }: GridRowProps) {
  const text = useText();
  return (
    <td
      aria-colindex={1}
      tabIndex={active === 0 ? 0 : -1}
      data-row={index}
      data-column={0}
      className={classes.select}
    >
      {slot.kind === 'row' && (
        <input
          type="checkbox"
          tabIndex={-1}
          checked={selected}
          readOnly
          data-select
          aria-label={text('list.selectRow', { row: index + 1 })}
          aria-description={failure}
        />
      )}
    </td>
  );
}

function CellContent({
  slot,
  set,
  linked,
  column: { path, member },
}: GridRowProps & { readonly column: ShownColumn }) {
  if (slot.kind === 'missing') return <span className={classes.placeholder} />;
  if (path !== linked) return <CellValue member={member} value={valueAt(slot.row, path)} />;
  return (
    <Link to="/s/$set/$key" params={{ set, key: slot.key }} tabIndex={-1} className={classes.link}>
      <LinkText path={path} member={member} row={slot.row} />
    </Link>
  );
}

/** The value that links to a record, which must have a text. */
export function LinkText({
  path,
  member,
  row,
}: Pick<ShownColumn, 'path' | 'member'> & { readonly row: Entity }) {
  const text = useText();
  const value = valueAt(row, path);
  const isEmpty = value === null || value === undefined || String(value).trim() === '';
  return isEmpty ? text('list.untitled') : <CellValue member={member} value={value} />;
}

/** The value of a cell, with the colour of its code. */
export function CellValue({ member, value }: { readonly member: Member; readonly value: unknown }) {
  if (member.kind !== 'code' || member.codeList === undefined)
    return <Value member={member} value={value} />;
  return <CodeCell member={member} value={value as Entity | null} />;
}

function CodeCell({ member, value }: { readonly member: Member; readonly value: Entity | null }) {
  const model = useModel();
  const codes = useCodes(member.codeList);
  const coded = model.types.get(member.type)?.coded;
  const raw = coded === undefined ? undefined : value?.[coded.value];
  const code = codes?.find((one) => one.value === String(raw));
  return <Value member={member} value={value} criticality={code?.criticality} />;
}
