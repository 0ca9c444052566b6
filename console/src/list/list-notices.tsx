// This file says what has changed since a list was read, and why a list is empty.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SetRights } from '../app/rights.ts';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import classes from './list.module.css';
import { useList } from './list-context.tsx';
import type { ListQuery } from './list-request.ts';
import type { Rows } from './use-rows.ts';

/** Offers to read the list again. Rows move only when the reader wants it. */
export function ChangesPill({ rows }: { readonly rows: Rows }) {
  const text = useText();
  const { added, changed } = rows.changes;
  return (
    <div role="status">
      {added + changed > 0 && (
        <Button size="compact-sm" radius="xl" className={classes.pill ?? ''} onClick={rows.reload}>
          {text('list.changes', { added, changed })}
        </Button>
      )}
    </div>
  );
}

export function EmptyList({
  set,
  rights,
  query,
}: {
  readonly set: EntitySet;
  readonly rights: SetRights;
  readonly query: ListQuery;
}) {
  const text = useText();
  const { change } = useList();
  const isFiltered = query.filter !== undefined || query.search !== undefined;
  return (
    <div className={classes.empty} role="status">
      {text(isFiltered ? 'list.noMatch' : 'list.noRows', { set: set.label })}
      {isFiltered && (
        <Button
          variant="default"
          size="xs"
          onClick={() => change({ filter: undefined, q: undefined })}
        >
          {text('list.clearAll')}
        </Button>
      )}
      {!isFiltered && rights.Create && (
        <Button
          size="xs"
          renderRoot={(props) => (
            <Link to="/new/$set" params={{ set: set.name }} search={{}} {...props} />
          )}
        >
          {text('list.new')}
        </Button>
      )}
    </div>
  );
}

/** Reports what a list was to show and cannot: columns, parts of its view, or the view itself. */
export function DroppedNotice({ dropped }: { readonly dropped: readonly string[] }) {
  const text = useText();
  const { change, leftOut, isViewMissing } = useList();
  return (
    <>
      {isViewMissing && <Notice>{text('view.missing')}</Notice>}
      {leftOut.length > 0 && <Notice>{text('view.leftOut', { parts: leftOut.join(', ') })}</Notice>}
      {dropped.length > 0 && (
        <Notice>
          {text('list.dropped', { properties: dropped.join(', ') })}
          <Button size="compact-xs" variant="default" onClick={() => change({ cols: undefined })}>
            {text('list.usualColumns')}
          </Button>
        </Notice>
      )}
    </>
  );
}

function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes.notice} role="status">
      {children}
    </div>
  );
}
