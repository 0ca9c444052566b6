// This file edits one condition of the filter: its operator, and values by the kind of the member.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import type { Column } from '../../model/layout.ts';
import type { StructuredType } from '../../model/model.ts';
import classes from '../list.module.css';
import { type Condition, type Operator, operatorsFor, valueCount } from './filter.ts';
import { OPERATOR_TEXTS } from './filter-summary.ts';
import { useChoices, useRelatedNames } from './use-choices.ts';

export interface ConditionEditorProps {
  readonly set: string;
  readonly type: StructuredType;
  readonly column: Column;
  readonly condition: Condition;
  readonly change: (condition: Condition) => void;
  readonly close: () => void;
}

export function ConditionEditor(props: ConditionEditorProps) {
  const { column, condition, change, close } = props;
  const text = useText();
  const operators = operatorsFor(column.member);
  const [operator, setOperator] = useState<Operator>(condition.operator);
  const choose = (next: Operator) => {
    setOperator(next);
    const keepsValues = valueCount(next) === valueCount(condition.operator) && next !== 'last';
    const values = keepsValues && condition.operator !== 'last' ? condition.values : [];
    if (valueCount(next) === 'none' || values.length > 0)
      change({ ...condition, operator: next, values });
  };
  return (
    <Stack gap="xs">
      <NativeSelect
        size="xs"
        aria-label={text('list.operator', { property: column.label })}
        value={operator}
        onChange={(event) => {
          const next = operators.find((one) => one === event.currentTarget.value);
          if (next !== undefined) choose(next);
        }}
        data={operators.map((one) => ({ value: one, label: text(OPERATOR_TEXTS[one]) }))}
      />
      <Values {...props} key={operator} condition={{ ...condition, operator }} />
      <Group justify="flex-end">
        <Button size="compact-xs" variant="default" onClick={close}>
          {text('common.close')}
        </Button>
      </Group>
    </Stack>
  );
}

function Values(props: ConditionEditorProps) {
  const { column, condition } = props;
  if (valueCount(condition.operator) === 'none') return null;
  if (condition.operator === 'last') return <LastValues {...props} />;
  const { member } = column;
  const isChoice = valueCount(condition.operator) === 'many' || member.type === 'Edm.Boolean';
  return isChoice ? <ChoiceValues {...props} /> : <TypedValues {...props} />;
}

const PERIODS = ['P1D', 'P7D', 'P30D', 'P90D', 'P365D'] as const;

function LastValues({ condition, change }: ConditionEditorProps) {
  const text = useText();
  return (
    <Group gap={4}>
      {PERIODS.map((period) => (
        <Button
          key={period}
          size="compact-xs"
          variant={condition.values[0] === period ? 'filled' : 'default'}
          aria-pressed={condition.values[0] === period}
          onClick={() => change({ ...condition, values: [period] })}
        >
          {text('list.days', { days: Number(period.replaceAll(/\D/g, '')) })}
        </Button>
      ))}
    </Group>
  );
}

/** Values that are longer than this list can be searched. */
const SEARCHABLE = 8;

function ChoiceValues({ set, type, column, condition, change }: ConditionEditorProps) {
  const text = useText();
  const [search, setSearch] = useState('');
  const isRelated = column.member.kind === 'navigation';
  const choices = useChoices(set, type, column, search);
  const names = useRelatedNames(set, column, condition.values);
  const found = (choices ?? []).filter(
    ({ value, label }) =>
      !names.has(value) &&
      (isRelated || label.toLocaleLowerCase().includes(search.toLocaleLowerCase())),
  );
  const chosen = [...names].map(([value, label]) => ({ value, label, detail: undefined }));
  const shown = [...chosen, ...found];
  const isSingle = valueCount(condition.operator) === 'one';
  const toggle = (value: string) => {
    const has = condition.values.includes(value);
    const others = isSingle ? [] : condition.values.filter((one) => one !== value);
    change({ ...condition, values: has ? others : [...others, value] });
  };
  return (
    <>
      {(isRelated || (choices?.length ?? 0) > SEARCHABLE) && (
        <TextInput
          size="xs"
          data-autofocus
          aria-label={text('common.typeToSearch')}
          placeholder={text('common.typeToSearch')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Stack gap={10} className={classes.choices ?? ''}>
        {shown.map(({ value, label, detail }) => (
          <Checkbox
            key={value}
            size="xs"
            label={label}
            description={detail}
            checked={condition.values.includes(value)}
            onChange={() => toggle(value)}
          />
        ))}
        {choices === undefined && <Text size="xs">{text('common.loading')}</Text>}
        {choices !== undefined && shown.length === 0 && (
          <Text size="xs" c="dimmed">
            {text('common.nothingFound')}
          </Text>
        )}
      </Stack>
    </>
  );
}

function TypedValues({ column, condition, change, close }: ConditionEditorProps) {
  const text = useText();
  const isRange = valueCount(condition.operator) === 'two';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const values = ['from', ...(isRange ? ['to'] : [])].map((name) =>
      toValue(
        column.member.type,
        String(fields.get(name) ?? ''),
        name === 'to' || condition.operator === 'le',
      ),
    );
    change({ ...condition, values });
    close();
  };
  const inputType = INPUT_TYPES[column.member.type] ?? 'text';
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {['from', ...(isRange ? ['to'] : [])].map((name, index) => (
          <TextInput
            key={name}
            size="xs"
            name={name}
            type={inputType}
            step={inputType === 'number' ? 'any' : undefined}
            required
            data-autofocus={index === 0 || undefined}
            label={isRange ? text(index === 0 ? 'list.from' : 'list.to') : column.label}
            defaultValue={toInput(column.member.type, condition.values[index] ?? '')}
          />
        ))}
        <Button type="submit" size="xs">
          {text('list.apply')}
        </Button>
      </Stack>
    </form>
  );
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  'Edm.DateTimeOffset': 'date',
  'Edm.Date': 'date',
  'Edm.TimeOfDay': 'time',
  'Edm.Byte': 'number',
  'Edm.SByte': 'number',
  'Edm.Int16': 'number',
  'Edm.Int32': 'number',
  'Edm.Double': 'number',
  'Edm.Single': 'number',
};

/** A day in the zone of the reader as a time: its start, or its end for an upper limit. */
function toValue(type: string, input: string, isEnd: boolean): string {
  if (type !== 'Edm.DateTimeOffset' || input === '') return input;
  const time = new Date(`${input}T${isEnd ? '23:59:59.999' : '00:00:00'}`);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

function toInput(type: string, value: string): string {
  if (type !== 'Edm.DateTimeOffset' || value === '') return value;
  const time = new Date(value);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
