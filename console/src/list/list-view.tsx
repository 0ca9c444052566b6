// This file joins the parts of a list: title and tools, filters, rows, the record beside them, and what can be done with a selection.

import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { rememberList } from '../api/list-keys.ts';
import { RequestFailed } from '../api/request-failed.ts';
import type { SetRights } from '../app/rights.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useValueText } from '../components/value.tsx';
import { type Entity, valueAt } from '../model/entity.ts';
import { defaultOrder, titlePath } from '../model/layout.ts';
import { type EntitySet, type StructuredType, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { type EditTarget, editableFor } from './edit-target.ts';
import { FilterBar } from './filter/filter-bar.tsx';
import { Cards } from './grid/cards.tsx';
import { type FocusedRow, Grid, type GridProps } from './grid/grid.tsx';
import type { GridCommand } from './grid/grid-keys.ts';
import { Groups } from './groups.tsx';
import classes from './list.module.css';
import { chooseColumns, type Room, type ShownColumn } from './list-columns.ts';
import { useList } from './list-context.tsx';
import { ChangesPill, DroppedNotice, EmptyList, OrderProblem } from './list-notices.tsx';
import type { ListQuery } from './list-request.ts';
import { readOrder } from './list-state.ts';
import { ListTools } from './list-tools.tsx';
import { Peek } from './peek.tsx';
import { EVERYTHING_SELECTED, NOTHING_SELECTED, type Selection } from './selection.ts';
import { useColumnActions } from './use-column-actions.ts';
import { type Rows, useRows } from './use-rows.ts';

/** Below this width rows are cards. */
const NARROW = '(max-width: 40em)';

export function ListView({ set, rights }: { readonly set: EntitySet; readonly rights: SetRights }) {
  const model = useModel();
  const { state } = useList();
  const type = typeOfSet(model, set);
  const unreadable = rights.Unreadable ?? NONE;
  const room = useRoom();
  const columns = useMemo(
    () => chooseColumns(model, type, { cols: state.cols, unreadable, room }),
    [model, type, state.cols, unreadable, room],
  );
  const query: ListQuery = {
    set: set.name,
    columns: columns.shown,
    filter: state.filter,
    search: state.q,
    orderby: state.orderby ?? defaultOrder(model, type),
  };
  return (
    <LoadedList
      set={set}
      type={type}
      rights={rights}
      query={query}
      group={state.group}
      columns={columns.shown}
      dropped={columns.dropped}
    />
  );
}

/** The first render knows the width, so that a list is not read twice. */
const KNOWN_FIRST = { getInitialValueInEffect: false };

/** How much room there is for columns that nobody has chosen. */
function useRoom(): Room {
  const isCards = useMediaQuery(NARROW, undefined, KNOWN_FIRST);
  const isSmall = useMediaQuery('(max-width: 48em)', undefined, KNOWN_FIRST);
  const isMedium = useMediaQuery('(max-width: 75em)', undefined, KNOWN_FIRST);
  if (isCards) return 'cards';
  if (isSmall) return 'small';
  return isMedium ? 'medium' : 'wide';
}

const NONE: readonly string[] = [];
const NO_FAILURES: ReadonlyMap<string, string> = new Map();

interface LoadedListProps {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly rights: SetRights;
  readonly query: ListQuery;
  readonly columns: readonly ShownColumn[];
  readonly group: string | undefined;
  readonly dropped: readonly string[];
}

function LoadedList(props: LoadedListProps) {
  const { set, type, rights, query, columns, group, dropped } = props;
  const model = useModel();
  const { state, change } = useList();
  const rows = useRows(model, type, query);
  useRemembered(set.name, rows);
  const [selection, select] = useState<Selection>(NOTHING_SELECTED);
  const [failures, report] = useState<ReadonlyMap<string, string>>(NO_FAILURES);
  const [editing, setEditing] = useState<EditTarget>();
  const filterButton = useRef<HTMLButtonElement>(null);
  const order = readOrder(query.orderby);
  const actions = useColumnActions({ model, type, columns, order, change });
  const perform = usePerform({
    set: set.name,
    type,
    columns: query.columns,
    select,
    rights,
    edit: setEditing,
    openFilter: () => filterButton.current?.focus(),
  });
  const gridProps: GridPart = {
    label: set.label,
    set: set.name,
    columns,
    linked: titlePath(model, type) ?? type.key[0]?.path,
    order,
    actions,
    selection,
    select,
    failures,
    peeked: state.peek,
    perform,
  };
  return (
    <section className={classes.page} aria-label={set.label}>
      <ListTools {...props} count={rows.count} actions={actions} />
      <FilterBar
        set={set.name}
        type={type}
        filter={query.filter}
        change={(filter) => change({ filter })}
        unreadable={rights.Unreadable ?? NONE}
        problem={filterProblem(rows.error)}
        firstButton={filterButton}
      />
      <DroppedNotice dropped={dropped} />
      <ListBody {...{ set, rights, group, gridProps, rows, type, query }} />
      <BulkBar
        {...props}
        total={rows.count}
        selection={selection}
        select={select}
        changed={rows.reload}
        report={report}
      />
      {editing !== undefined && (
        <EditDialog
          set={set.name}
          type={type}
          target={editing}
          store={rows.store}
          columns={query.columns}
          close={() => setEditing(undefined)}
        />
      )}
    </section>
  );
}

/** Remembers the rows for the record page, which goes to the next and the previous one. */
function useRemembered(set: string, { window }: Rows): void {
  useEffect(() => {
    rememberList(
      set,
      window.flatMap(({ keys }) => keys),
    );
  }, [set, window]);
}

/** The rows, and the record beside them. */
function ListBody(props: RowsOfProps) {
  const { set, type, rights, rows } = props;
  const { state, change } = useList();
  return (
    <div className={classes.body}>
      <div className={classes.main}>
        <ChangesPill rows={rows} />
        <RowsProblem {...props} />
        <RowsOf {...props} />
      </div>
      {state.peek !== undefined && (
        <Peek
          set={set}
          type={type}
          keyText={state.peek}
          unreadable={rights.Unreadable ?? NONE}
          close={() => change({ peek: undefined }, true)}
        />
      )}
    </div>
  );
}

/** Why rows could not be read, unless it is said at the filter. */
function RowsProblem({ rows: { error, store }, type, query }: RowsOfProps) {
  if (error === undefined || filterProblem(error) !== undefined) return null;
  if (error instanceof RequestFailed && error.target === '$orderby')
    return <OrderProblem type={type} orderby={query.orderby} />;
  return <ErrorNotice error={error} retry={() => store.retry()} />;
}

type GridPart = Omit<GridProps, 'rows'>;

interface RowsOfProps {
  readonly set: EntitySet;
  readonly rights: SetRights;
  readonly group: string | undefined;
  readonly gridProps: GridPart;
  readonly rows: Rows;
  readonly type: StructuredType;
  readonly query: ListQuery;
}

function RowsOf({ set, rights, group, gridProps, rows, type, query }: RowsOfProps) {
  const isNarrow = useMediaQuery(NARROW) ?? false;
  if (group !== undefined)
    return <Groups {...gridProps} type={type} query={query} path={group} isNarrow={isNarrow} />;
  if (rows.window.length === 1 && rows.window[0]?.keys.length === 0)
    return <EmptyList set={set} rights={rights} query={query} />;
  return isNarrow ? <Cards {...gridProps} rows={rows} /> : <Grid {...gridProps} rows={rows} />;
}

/** What the service says about the filter, which is shown there. */
function filterProblem(error: unknown): string | undefined {
  if (!(error instanceof RequestFailed) || error.status !== 400) return undefined;
  return error.target === '$filter' || error.target === '$search' ? error.message : undefined;
}

interface Performing {
  readonly set: string;
  readonly type: StructuredType;
  readonly rights: SetRights;
  readonly columns: ListQuery['columns'];
  readonly select: (selection: Selection) => void;
  readonly edit: (target: EditTarget) => void;
  readonly openFilter: () => void;
}

/** Performs the commands of rows. */
function usePerform({ set, type, rights, columns, select, edit, openFilter }: Performing) {
  const model = useModel();
  const navigate = useNavigate();
  const { state, change } = useList();
  const toText = useValueText();
  const copy = (row: Entity) => {
    const cells = columns.map(({ path, member }) => toText(member, valueAt(row, path)));
    void navigator.clipboard.writeText(
      cells.map((cell) => cell.replaceAll(/\s+/g, ' ')).join('\t'),
    );
  };
  return (command: GridCommand['kind'], focused: FocusedRow | undefined) => {
    if (command === 'selectAll') select(EVERYTHING_SELECTED);
    if (command === 'filter') openFilter();
    if (focused === undefined) return;
    const { key, row, column } = focused;
    const editable = editableFor({ model, type, rights }, command, column);
    if (editable !== undefined) edit({ key, row, column: editable });
    if (command === 'open') void navigate({ to: '/s/$set/$key', params: { set, key }, search: {} });
    if (command === 'peek') change({ peek: state.peek === key ? undefined : key }, true);
    if (command === 'copy') copy(row);
  };
}
