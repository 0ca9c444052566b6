// This file says what has changed since a list was read, and why a list is empty.
import { Alert, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SetRights } from '../app/rights.ts';
import { useText } from '../i18n/text.tsx';
import { type EntitySet, memberAt, type StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './list.module.css';
import { useList } from './list-context.tsx';
import type { ListQuery } from './list-request.ts';
import { orderText, readOrder } from './list-state.ts';
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

/** Names the property by which the list cannot be grouped. */
export function GroupProblem({ path }: { readonly path: string }) {
  const text = useText();
  const { change } = useList();
  return (
    <Problem
      title={text('list.noGroupProperty', { property: path })}
      remedy={text('list.noGroup')}
      onRemedy={() => change({ group: undefined })}
    />
  );
}

/** Names what the list cannot be sorted by, and offers the order without it. */
export function OrderProblem({
  type,
  orderby,
}: {
  readonly type: StructuredType;
  readonly orderby: string | undefined;
}) {
  const text = useText();
  const model = useModel();
  const { change } = useList();
  const order = readOrder(orderby);
  const known = order.filter(({ path }) => memberAt(model, type, path) !== undefined);
  // The service may have other reasons, such as an expression that it cannot read.
  const kept = known.length < order.length ? known : [];
  const names = order.filter((one) => !kept.includes(one)).map(({ path }) => path);
  return (
    <Problem
      title={text('list.noOrder', { names: names.join(', ') })}
      remedy={text('list.removeOrder')}
      onRemedy={() => change({ orderby: orderText(kept) || undefined })}
    />
  );
}

/** What is wrong with the URL of a list, and a way out. */
function Problem({
  title,
  remedy,
  onRemedy,
}: {
  readonly title: string;
  readonly remedy: string;
  readonly onRemedy: () => void;
}) {
  return (
    <Alert color="red" role="alert" m="md" title={title}>
      <Button variant="default" size="xs" onClick={onRemedy}>
        {remedy}
      </Button>
    </Alert>
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
