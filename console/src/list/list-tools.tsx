// This file is the first line of a list: its title, view and number of rows, search, and menus for columns, groups and files.
import { Button, Menu, Popover, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, type FormEvent, useEffect, useRef } from 'react';
import type { SetRights } from '../app/rights.ts';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import type { EntitySet, StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ExportMenu } from './bulk/export-menu.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import classes from './list.module.css';
import { possibleColumns } from './list-columns.ts';
import { useList } from './list-context.tsx';
import type { ListQuery } from './list-request.ts';
import type { AllColumnActions } from './use-column-actions.ts';
import { ViewMenu } from './views/view-menu.tsx';

export interface ListToolsProps {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly rights: SetRights;
  readonly query: ListQuery;
  readonly group: string | undefined;
  readonly count: number | undefined;
  readonly actions: AllColumnActions;
}

export function ListTools(props: ListToolsProps) {
  const { set, rights, count } = props;
  const text = useText();
  const formats = useFormats();
  return (
    <header className={classes.bar}>
      <h1 className={classes.title}>{set.label}</h1>
      <ViewMenu set={set} />
      <span className={classes.count} role="status" aria-label={text('list.count')}>
        {count === undefined ? '' : formats.number(count)}
      </span>
      <SearchField {...props} />
      <GroupMenu {...props} />
      <ColumnsButton {...props} />
      <ExportMenu set={set} type={props.type} rights={rights} query={props.query} />
      {rights.Create && (
        <Button
          size="xs"
          renderRoot={(link) => (
            <Link to="/new/$set" params={{ set: set.name }} search={{}} {...link} />
          )}
        >
          {text('list.new')}
        </Button>
      )}
    </header>
  );
}

/** The search is sent by Enter. The key `/` moves the focus here. */
function SearchField({ set, query }: ListToolsProps) {
  const text = useText();
  const { change } = useList();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = query.search ?? '';
  }, [query.search]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const value = input.current?.value.trim() ?? '';
    change({ q: value === '' ? undefined : value, peek: undefined });
  };
  // Browsers empty the field by Escape or a button of their own, which submits nothing.
  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    if (currentTarget.value === '' && query.search !== undefined)
      change({ q: undefined, peek: undefined });
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          ref={input}
          onChange={onChange}
          size="xs"
          type="search"
          data-list-search
          aria-label={text('list.searchIn', { set: set.label })}
          aria-keyshortcuts="/"
          placeholder={text('list.search')}
          defaultValue={query.search ?? ''}
        />
      </form>
    </search>
  );
}

function GroupMenu({ type, rights, group, actions }: ListToolsProps) {
  const text = useText();
  const model = useModel();
  const { change } = useList();
  const columns = possibleColumns(model, type, rights.Unreadable).filter(({ path }) =>
    actions.isGroupable(path),
  );
  if (columns.length === 0) return null;
  const current = columns.find(({ path }) => path === group);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant={current === undefined ? 'default' : 'light'}>
          {current === undefined
            ? text('list.group')
            : text('list.groupedBy', { property: current.label })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.longMenu ?? ''}>
        <Menu.Item disabled={group === undefined} onClick={() => change({ group: undefined })}>
          {text('list.noGroup')}
        </Menu.Item>
        {columns.map(({ path, label }) => (
          <Menu.Item
            key={path}
            disabled={path === group}
            onClick={() => change({ group: path, peek: undefined })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ColumnsButton({ type, rights, actions }: ListToolsProps) {
  const text = useText();
  const model = useModel();
  return (
    <Popover position="bottom-end" trapFocus returnFocus width={380}>
      <Popover.Target>
        <Button size="xs" variant="default">
          {text('list.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text('list.columns')}>
        <ColumnChooser
          possible={possibleColumns(model, type, rights.Unreadable)}
          actions={actions}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
