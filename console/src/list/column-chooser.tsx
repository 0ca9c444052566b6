// This file chooses the columns of a list, their order and their widths, without a pointer that drags.

import { ActionIcon, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../components/icons.tsx';
import { useText } from '../i18n/text.tsx';
import type { Column } from '../model/layout.ts';
import classes from './list.module.css';
import type { AllColumnActions } from './use-column-actions.ts';

/** Pixels by which the buttons change a width. */
const STEP = 40;

export function ColumnChooser({
  possible,
  actions,
}: {
  readonly possible: readonly Column[];
  readonly actions: AllColumnActions;
}) {
  const text = useText();
  const [search, setSearch] = useState('');
  const { columns } = actions;
  const others = possible.filter(
    ({ path, label }) =>
      !columns.some((column) => column.path === path) &&
      label.toLocaleLowerCase().includes(search.toLocaleLowerCase()),
  );
  return (
    <Stack gap="xs">
      <div className={classes.columnList}>
        {columns.map((column, index) => (
          <ShownRow key={column.path} index={index} actions={actions} />
        ))}
      </div>
      <TextInput
        size="xs"
        aria-label={text('list.findProperty')}
        placeholder={text('list.findProperty')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Stack gap={10} className={classes.choices ?? ''}>
        {others.map(({ path, label }) => (
          <Checkbox
            key={path}
            size="xs"
            label={label}
            checked={false}
            onChange={() => actions.show(path)}
          />
        ))}
      </Stack>
      <Group justify="flex-end">
        <Button size="compact-xs" variant="default" onClick={actions.reset}>
          {text('list.usualColumns')}
        </Button>
      </Group>
    </Stack>
  );
}

function ShownRow({
  index,
  actions,
}: {
  readonly index: number;
  readonly actions: AllColumnActions;
}) {
  const text = useText();
  const column = actions.columns[index];
  if (column === undefined) return null;
  const { label } = column;
  const last = actions.columns.length - 1;
  const buttons = [
    {
      sign: <Icon name="up" />,
      name: text('list.moveUpOf', { column: label }),
      off: index === 0,
      run: () => actions.move(index, index - 1),
    },
    {
      sign: <Icon name="down" />,
      name: text('list.moveDownOf', { column: label }),
      off: index === last,
      run: () => actions.move(index, index + 1),
    },
    {
      sign: '−',
      name: text('list.narrowerOf', { column: label }),
      off: false,
      run: () => actions.resize(index, column.width - STEP),
    },
    {
      sign: '+',
      name: text('list.widerOf', { column: label }),
      off: false,
      run: () => actions.resize(index, column.width + STEP),
    },
  ];
  return (
    <>
      <Checkbox
        size="xs"
        label={label}
        checked
        disabled={last === 0}
        onChange={() => actions.hide(index)}
      />
      <span className={classes.count}>{column.width}</span>
      {buttons.map(({ sign, name, off, run }) => (
        <ActionIcon
          key={name}
          size="sm"
          variant="subtle"
          aria-label={name}
          disabled={off}
          onClick={run}
        >
          {sign}
        </ActionIcon>
      ))}
    </>
  );
}
