// This file is the filter bar: one button for each condition, the usual members first, and a text mode for every other filter.
import { Alert, Button, Group, Menu, Popover, TextInput } from '@mantine/core';
import { type Ref, useEffect, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { type Column, columnAt, filterFields } from '../../model/layout.ts';
import type { StructuredType } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../list.module.css';
import { possibleColumns } from '../list-columns.ts';
import {
  type Condition,
  filterText,
  isComplete,
  operandOf,
  operatorsFor,
  readFilter,
} from './filter.ts';
import { ConditionEditor } from './filter-condition.tsx';
import { useSummary } from './filter-summary.ts';

export interface FilterBarProps {
  readonly set: string;
  readonly type: StructuredType;
  readonly filter: string | undefined;
  readonly change: (filter: string | undefined) => void;
  readonly unreadable: readonly string[];
  /** What the service says about the filter. */
  readonly problem: string | undefined;
  readonly firstButton: Ref<HTMLButtonElement>;
}

export function FilterBar(props: FilterBarProps) {
  const { type, filter } = props;
  const model = useModel();
  const conditions = readFilter(model, type, filter);
  const [wantsText, setWantsText] = useState(false);
  const isText = wantsText || conditions === undefined;
  if (isText)
    return (
      <FilterText
        {...props}
        close={conditions === undefined ? undefined : () => setWantsText(false)}
      />
    );
  return <Conditions {...props} conditions={conditions} openText={() => setWantsText(true)} />;
}

function FilterText({
  filter,
  change,
  problem,
  close,
}: FilterBarProps & { readonly close: (() => void) | undefined }) {
  const text = useText();
  const [value, setValue] = useState(filter ?? '');
  useEffect(() => setValue(filter ?? ''), [filter]);
  const isOwn = value.trim() === (filter ?? '');
  return (
    <form
      className={classes.filterText}
      onSubmit={(event) => {
        event.preventDefault();
        change(value.trim() === '' ? undefined : value.trim());
      }}
    >
      <TextInput
        flex={1}
        size="xs"
        label={text('list.filterText')}
        placeholder="Status/Value eq 101001"
        value={value}
        spellCheck={false}
        ff="monospace"
        onChange={(event) => setValue(event.currentTarget.value)}
        error={isOwn ? problem : undefined}
      />
      <Button type="submit" size="xs">
        {text('list.apply')}
      </Button>
      {close !== undefined && (
        <Button size="xs" variant="default" onClick={close}>
          {text('list.filterButtons')}
        </Button>
      )}
      {close === undefined && (
        <Button size="xs" variant="default" onClick={() => change(undefined)}>
          {text('list.clearFilter')}
        </Button>
      )}
    </form>
  );
}

interface ConditionsProps extends FilterBarProps {
  readonly conditions: readonly Condition[];
  readonly openText: () => void;
}

function Conditions(props: ConditionsProps) {
  const { conditions, type, change, problem, unreadable } = props;
  const text = useText();
  const model = useModel();
  const [added, setAdded] = useState<readonly string[]>([]);
  const usual = filterFields(model, type).map(({ path }) => path);
  const paths = [...usual, ...added].filter((path) => !unreadable.includes(path));
  const replace = (index: number | undefined, condition: Condition | undefined) => {
    const kept = index === undefined ? conditions : conditions.toSpliced(index, 1);
    const at = index ?? conditions.length;
    const next = condition === undefined ? kept : kept.toSpliced(at, 0, condition);
    change(filterText(model, type, next));
  };
  return (
    <fieldset className={classes.filters} aria-label={text('list.filters')}>
      {placesOf(paths, conditions).map(({ id, path, index }, place) => (
        <ConditionButton
          key={id}
          {...props}
          column={columnAt(model, type, path)}
          condition={index === undefined ? undefined : conditions[index]}
          startsOpen={index === undefined && added.at(-1) === path}
          replace={(next) => replace(index, next)}
          target={place === 0 ? props.firstButton : undefined}
        />
      ))}
      <AddCondition {...props} add={(path) => setAdded([...added, path])} />
      <Button size="compact-xs" variant="subtle" onClick={props.openText}>
        {text('list.filterAsText')}
      </Button>
      {conditions.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => change(undefined)}>
          {text('list.clearFilter')}
        </Button>
      )}
      {problem !== undefined && (
        <Alert color="red" role="alert" p="xs">
          {problem}
        </Alert>
      )}
    </fieldset>
  );
}

interface Place {
  readonly id: string;
  readonly path: string;
  /** The condition; undefined for a member without one. */
  readonly index: number | undefined;
}

/** The buttons in their order. A member keeps its place and its button when it gets a condition. */
function placesOf(paths: readonly string[], conditions: readonly Condition[]): readonly Place[] {
  const all = [...new Set([...paths, ...conditions.map(({ path }) => path)])];
  return all.flatMap((path): readonly Place[] => {
    const indexes = conditions.flatMap((one, index) => (one.path === path ? [index] : []));
    if (indexes.length === 0) return [{ id: path, path, index: undefined }];
    return indexes.map((index, nth) => ({ id: nth === 0 ? path : `${path} ${nth}`, path, index }));
  });
}

interface ConditionButtonProps extends ConditionsProps {
  readonly column: Column | undefined;
  readonly condition: Condition | undefined;
  readonly replace: (condition: Condition | undefined) => void;
  readonly startsOpen: boolean;
  readonly target: Ref<HTMLButtonElement> | undefined;
}

function ConditionButton(props: ConditionButtonProps) {
  const { column, condition, replace, startsOpen, set, type, target } = props;
  const [isOpen, setOpen] = useState(startsOpen);
  const summary = useSummary(set, type, column, condition);
  const [usual] = column === undefined ? [] : operatorsFor(column.member);
  if (column === undefined || usual === undefined) return null;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          ref={target}
          size="compact-xs"
          radius="xl"
          variant={condition === undefined ? 'default' : 'light'}
          aria-expanded={isOpen}
          aria-haspopup="dialog"
          onClick={() => setOpen(!isOpen)}
        >
          {condition === undefined ? column.label : `${column.label}: ${summary}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={column.label} w={300}>
        <ConditionEditor
          set={set}
          type={type}
          column={column}
          condition={condition ?? { path: column.path, operator: usual, values: [] }}
          change={(next) => {
            if (isComplete(next)) replace(next);
            else if (condition !== undefined) replace(undefined);
          }}
          close={() => setOpen(false)}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function AddCondition({
  type,
  unreadable,
  add,
}: ConditionsProps & { readonly add: (path: string) => void }) {
  const text = useText();
  const model = useModel();
  const [search, setSearch] = useState('');
  const columns = possibleColumns(model, type, unreadable).filter(
    ({ path, label, member }) =>
      operandOf(model, member, path) !== undefined &&
      operatorsFor(member).length > 0 &&
      label.toLocaleLowerCase().includes(search.toLocaleLowerCase()),
  );
  return (
    <Menu position="bottom-start" onClose={() => setSearch('')}>
      <Menu.Target>
        <Button size="compact-xs" variant="subtle">
          + {text('list.addFilter')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.longMenu ?? ''}>
        <Group px="xs" pb="xs">
          <TextInput
            size="xs"
            w="100%"
            data-autofocus
            aria-label={text('list.findProperty')}
            placeholder={text('list.findProperty')}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        </Group>
        {columns.map(({ path, label }) => (
          <Menu.Item key={path} onClick={() => add(path)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
