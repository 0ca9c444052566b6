// This file is the bar for a selection: how many rows it has, and what can be done with them.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { SetRights } from '../../app/rights.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import type { EntitySet, StructuredType } from '../../model/model.ts';
import classes from '../list.module.css';
import type { ListQuery } from '../list-request.ts';
import {
  EVERYTHING_SELECTED,
  isEmptySelection,
  MOST_KEYS,
  NOTHING_SELECTED,
  type Selection,
  selectedCount,
} from '../selection.ts';
import { selectionFilter } from './bulk.ts';
import { BulkDeleteDialog, BulkEditDialog } from './bulk-dialog.tsx';
import type { BulkKind } from './bulk-steps.tsx';
import { ExportMenu } from './export-menu.tsx';

export interface BulkBarProps {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly rights: SetRights;
  readonly query: ListQuery;
  readonly total: number | undefined;
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  /** Called after rows have been changed. */
  readonly changed: () => void;
  /** Called with the reasons why rows could not be changed, by their keys. */
  readonly report: (failures: ReadonlyMap<string, string>) => void;
}

export function BulkBar(props: BulkBarProps) {
  const { set, type, rights, query, total, selection, select } = props;
  const text = useText();
  const formats = useFormats();
  const [open, setOpen] = useState<BulkKind>();
  // The dialog stays to report the outcome, after which nothing may be selected.
  if (isEmptySelection(selection) && open === undefined) return null;
  const count = selectedCount(selection, total);
  const isTooMany = selection.kind === 'keys' && selection.keys.size > MOST_KEYS;
  const selected = { ...query, filter: selectionFilter(type, selection, query.filter) };
  return (
    <section className={classes.bulk} aria-label={text('bulk.selection')}>
      <span role="status">
        {count === undefined
          ? text('bulk.allSelected')
          : text('bulk.selected', { count, shown: formats.number(count) })}
      </span>
      {rights.Update && (
        <Button size="xs" disabled={isTooMany} onClick={() => setOpen('edit')}>
          {text('bulk.edit')}
        </Button>
      )}
      {rights.Delete && (
        <Button size="xs" variant="default" disabled={isTooMany} onClick={() => setOpen('delete')}>
          {text('bulk.delete')}
        </Button>
      )}
      {!isTooMany && <ExportMenu set={set} type={type} rights={rights} query={selected} />}
      {isTooMany && text('bulk.tooMany', { most: MOST_KEYS })}
      {selection.kind === 'keys' && (
        <Button size="xs" variant="default" onClick={() => select(EVERYTHING_SELECTED)}>
          {text('bulk.selectAll')}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => select(NOTHING_SELECTED)}>
        {text('bulk.clear')}
      </Button>
      {open === 'edit' && <BulkEditDialog {...props} close={() => setOpen(undefined)} />}
      {open === 'delete' && <BulkDeleteDialog {...props} close={() => setOpen(undefined)} />}
    </section>
  );
}
