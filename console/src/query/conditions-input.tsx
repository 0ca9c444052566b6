// This file is a form for filters: a list of conditions, or text where a filter is more than that.

import { ActionIcon, Button, Fieldset, Group, Select, Stack, TextInput } from '@mantine/core';
import { Icon } from '../components/icons.tsx';
import '@mantine/core/styles/Fieldset.css';
import { useText } from '../i18n/text.tsx';
import { useCodes } from '../model/codes.ts';
import { literal } from '../model/entity.ts';
import { memberPaths } from '../model/layout.ts';
import { type Member, memberAt, type StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import {
  COMPARISONS,
  type Condition,
  type Operator,
  parseConditions,
  printConditions,
  TEXT_FUNCTIONS,
} from './conditions.ts';
import classes from './query.module.css';

interface FilterProps {
  readonly label: string;
  readonly type: StructuredType;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ConditionsInput(props: FilterProps) {
  const { label, type, value, onChange } = props;
  const text = useText();
  const conditions = parseConditions(value);
  if (conditions === undefined) return <FilterText {...props} />;
  const change = (next: readonly Condition[]) => onChange(printConditions(next));
  const add = () => change([...conditions, firstCondition(type)]);
  return (
    <Fieldset legend={label} p="xs" classNames={{ legend: classes.legend ?? '' }}>
      <Stack gap="xs">
        {conditions.map((condition, index) => (
          <ConditionRow
            // biome-ignore lint/suspicious/noArrayIndexKey: Conditions have no identity; each is edited at its place.
            key={index}
            type={type}
            condition={condition}
            onChange={(next) => change(conditions.with(index, next))}
            onRemove={() => change(conditions.filter((_, at) => at !== index))}
          />
        ))}
        <Button size="compact-xs" variant="subtle" onClick={add} style={{ alignSelf: 'start' }}>
          {text('query.addCondition')}
        </Button>
      </Stack>
    </Fieldset>
  );
}

function FilterText({ label, value, onChange }: FilterProps) {
  const text = useText();
  return (
    <TextInput
      label={label}
      description={text('query.filterAsText')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      size="xs"
    />
  );
}

function firstCondition(type: StructuredType): Condition {
  const path = type.key[0]?.path ?? [...type.members.keys()][0] ?? '';
  return { path, operator: 'ne', value: 'null' };
}

/** The paths that conditions compare: codes by their values, related entities by their keys. */
function comparablePaths(model: ReturnType<typeof useModel>, type: StructuredType) {
  return memberPaths(model, type).flatMap((path) => {
    const member = memberAt(model, type, path);
    if (member === undefined || member.collection) return [];
    const target = model.types.get(member.type);
    if (member.kind === 'code') return [`${path}/${target?.coded?.value ?? 'Value'}`];
    if (member.kind !== 'navigation') return [path];
    return (target?.key ?? []).map((part) => `${path}/${part.path}`);
  });
}

function ConditionRow({
  type,
  condition,
  onChange,
  onRemove,
}: {
  readonly type: StructuredType;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}) {
  const text = useText();
  const model = useModel();
  const paths = new Set([condition.path, ...comparablePaths(model, type)]);
  return (
    <Group gap={4} wrap="nowrap" align="start">
      <Stack gap={4} flex={1} miw={0}>
        <Select
          size="xs"
          aria-label={text('query.property')}
          searchable
          limit={100}
          allowDeselect={false}
          data={[...paths]}
          value={condition.path}
          onChange={(path) => path !== null && onChange({ ...firstCondition(type), path })}
        />
        <Group gap={4} wrap="nowrap">
          <Select
            size="xs"
            w={110}
            flex="none"
            aria-label={text('query.operator')}
            allowDeselect={false}
            data={[...operatorsOf(memberAt(model, type, condition.path))]}
            value={condition.operator}
            onChange={(operator) => onChange(withOperator(condition, operator as Operator))}
          />
          <ValueInput type={type} condition={condition} onChange={onChange} />
        </Group>
      </Stack>
      <ActionIcon
        variant="subtle"
        aria-label={text('common.remove')}
        title={text('common.remove')}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </ActionIcon>
    </Group>
  );
}

function operatorsOf(member: Member | undefined): readonly Operator[] {
  return member?.type === 'Edm.String' ? [...COMPARISONS, ...TEXT_FUNCTIONS] : COMPARISONS;
}

/** Operators that need other kinds of values start with an empty one. */
function withOperator(condition: Condition, operator: Operator): Condition {
  const isText = TEXT_FUNCTIONS.some((name) => name === operator);
  if (isText && !condition.value.startsWith("'")) return { ...condition, operator, value: "''" };
  if (operator === 'in' && !condition.value.startsWith('('))
    return { ...condition, operator, value: `(${condition.value})` };
  if (operator !== 'in' && condition.value.startsWith('('))
    return { ...condition, operator, value: 'null' };
  return { ...condition, operator };
}

interface ValueProps {
  readonly type: StructuredType;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

function ValueInput({ type, condition, onChange }: ValueProps) {
  const text = useText();
  const model = useModel();
  const member = memberAt(model, type, condition.path);
  const choices = useChoices(type, condition.path);
  const change = (value: string) => onChange({ ...condition, value });
  const label = text('query.value');
  if (choices !== undefined && condition.operator !== 'in') {
    const known = choices.some(({ value }) => value === condition.value);
    const others = known ? [] : [{ value: condition.value, label: condition.value }];
    return (
      <Select
        size="xs"
        flex={1}
        aria-label={label}
        searchable
        allowDeselect={false}
        data={[...others, ...choices]}
        value={condition.value}
        onChange={(value) => value !== null && change(value)}
      />
    );
  }
  const isText = member?.type === 'Edm.String' && condition.value.startsWith("'");
  const shown = isText ? condition.value.slice(1, -1).replaceAll("''", "'") : condition.value;
  return (
    <TextInput
      size="xs"
      flex={1}
      aria-label={label}
      value={shown}
      onChange={({ currentTarget }) => change(literalOf(member, isText, currentTarget.value))}
    />
  );
}

/** What people type becomes a literal: texts get quotes, everything else stays. */
function literalOf(member: Member | undefined, isText: boolean, typed: string): string {
  const needsQuotes = isText || (member?.type === 'Edm.String' && !/^(?:null|\()/.test(typed));
  if (needsQuotes) return literal(typed, 'Edm.String');
  return typed.trim() === '' ? 'null' : typed.trim().replaceAll(' ', '');
}

/** The values of a code, boolean or enumeration; undefined for others. */
function useChoices(type: StructuredType, path: string) {
  const model = useModel();
  const text = useText();
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const code = parent === '' ? undefined : memberAt(model, type, parent);
  const isValue =
    code?.kind === 'code' && path.endsWith(`/${model.types.get(code.type)?.coded?.value}`);
  const codes = useCodes(isValue ? code.codeList : undefined);
  const none = { value: 'null', label: text('common.none') };
  if (codes !== undefined)
    return [none, ...codes.map((one) => ({ value: one.value, label: one.text }))];
  const member = memberAt(model, type, path);
  if (member?.type === 'Edm.Boolean')
    return [
      none,
      { value: 'true', label: text('common.yes') },
      { value: 'false', label: text('common.no') },
    ];
  if (member?.words !== undefined)
    return Object.entries(member.words).map(([value, name]) => ({
      value: literal(value, 'Edm.String'),
      label: text(name),
    }));
  const enumeration = member === undefined ? undefined : model.enums.get(member.type);
  return enumeration?.members.map(({ name, label }) => ({
    value: `${enumeration.name}'${name}'`,
    label,
  }));
}
