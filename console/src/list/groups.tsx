// This file shows a list in groups: the groups with their numbers of rows at once, the rows of a group when it is opened.

import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { requestJson } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Icon } from '../components/icons.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { type Entity, valueAt } from '../model/entity.ts';
import { type Column, columnAt } from '../model/layout.ts';
import type { Model, StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { filterText, operandOf } from './filter/filter.ts';
import { Cards } from './grid/cards.tsx';
import { Grid, type GridProps } from './grid/grid.tsx';
import { CellValue } from './grid/grid-row.tsx';
import { ROW_HEIGHT } from './grid/scroll-scale.ts';
import classes from './list.module.css';
import { GroupProblem } from './list-notices.tsx';
import {
  bothFilters,
  type GroupRow,
  groupsPath,
  type ListQuery,
  readGroups,
} from './list-request.ts';
import { useRows } from './use-rows.ts';

interface GroupsProps extends Omit<GridProps, 'rows'> {
  readonly type: StructuredType;
  readonly query: ListQuery;
  /** The path of the member that makes the groups. */
  readonly path: string;
  readonly isNarrow: boolean;
}

export function Groups(props: GroupsProps) {
  const { type, query, path } = props;
  const text = useText();
  const model = useModel();
  const column = columnAt(model, type, path);
  const request = column === undefined ? '' : groupsPath(model, type, query, column);
  const { data, error, refetch } = useQuery({
    queryKey: ['groups', request],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(request, { signal })).value,
    enabled: column !== undefined,
  });
  if (column === undefined) return <GroupProblem path={path} />;
  if (error !== null) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loader m="md" size="sm" aria-label={text('common.loading')} />;
  const groups = readGroups(data, column, (value) => groupFilter(model, type, column, value));
  if (groups.length === 0)
    return <p className={classes.empty}>{text('list.noMatch', { set: props.label })}</p>;
  return (
    <div style={{ overflowY: 'auto', flex: 1 }} data-scroller>
      {groups.map((group) => (
        <GroupSection key={group.filter} {...props} column={column} group={group} />
      ))}
    </div>
  );
}

/** The condition of a group. Grouping by parts of an entity without value gives parts that are null. */
function groupFilter(
  model: Model,
  type: StructuredType,
  column: Column,
  value: unknown,
): string | undefined {
  const { path, member } = column;
  const operand = operandOf(model, member, path);
  if (operand === undefined) return undefined;
  const inner = operand.path.slice(path.length + 1);
  const plain = inner === '' ? value : valueAt(value, inner);
  if (plain === null || plain === undefined) return `${operand.path} eq null`;
  return filterText(model, type, [
    {
      path,
      operator: member.type === 'Edm.Boolean' ? 'eq' : 'in',
      values: [String(plain)],
    },
  ]);
}

/** Rows of a group that are shown without scrolling within it. */
const ROWS_AT_ONCE = 12;

function GroupSection(props: GroupsProps & { readonly column: Column; readonly group: GroupRow }) {
  const { column, group } = props;
  const text = useText();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const isEmpty = /^\S+ eq null$/.test(group.filter);
  return (
    <section className={classes.group}>
      <button
        type="button"
        className={classes.groupButton}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        {isEmpty ? text('list.noValue') : <CellValue member={column.member} value={group.value} />}
        <span className={classes.count}>{formats.number(group.count)}</span>
      </button>
      <div id={id}>{isOpen && <GroupRows {...props} />}</div>
    </section>
  );
}

function GroupRows(props: GroupsProps & { readonly group: GroupRow }) {
  const { group, type, query, isNarrow } = props;
  const model = useModel();
  const rows = useRows(model, type, {
    ...query,
    filter: bothFilters(query.filter, group.filter),
  });
  const shown = Math.min(group.count, ROWS_AT_ONCE) + 1;
  // The last row is half visible where there are more, so that people see that it scrolls.
  const height = shown * ROW_HEIGHT + (group.count > ROWS_AT_ONCE ? ROW_HEIGHT / 2 : 2);
  return (
    <div className={classes.groupRows} style={{ height }}>
      {isNarrow ? <Cards {...props} rows={rows} /> : <Grid {...props} rows={rows} />}
    </div>
  );
}
