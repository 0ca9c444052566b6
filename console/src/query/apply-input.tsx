// This file is a form for aggregations: groups and aggregates, or text where an aggregation is more than that.
import { Icon } from '../components/icons.tsx';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useText } from '../i18n/text.tsx';
import { memberPaths } from '../model/layout.ts';
import { type Model, memberAt, type StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import {
  type Aggregate,
  type Aggregation,
  type AggregationMethod,
  COUNT,
  METHODS_OF_AGGREGATION,
  parseApply,
  printApply,
} from './apply-text.ts';
import classes from './query.module.css';

const NOTHING: Aggregation = { filter: undefined, groups: [], aggregates: [] };

export function ApplyInput({
  label,
  type,
  value,
  onChange,
}: {
  readonly label: string;
  readonly type: StructuredType;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const text = useText();
  const model = useModel();
  const parsed = value.trim() === '' ? NOTHING : parseApply(value);
  if (parsed === undefined)
    return (
      <TextInput
        size="xs"
        label={label}
        description={text('query.applyAsText')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  const change = (next: Aggregation) =>
    onChange(next.groups.length + next.aggregates.length === 0 ? '' : printApply(next));
  // A group without a number says nothing.
  const changeGroups = (groups: readonly string[]) =>
    change({
      ...parsed,
      groups,
      aggregates: parsed.aggregates.length === 0 ? [COUNT] : parsed.aggregates,
    });
  return (
    <Fieldset legend={label} p="xs" classNames={{ legend: classes.legend ?? '' }}>
      <Stack gap="xs">
        <MultiSelect
          size="xs"
          label={text('query.groupBy')}
          searchable
          limit={100}
          data={[...new Set([...parsed.groups, ...groupPaths(model, type)])]}
          value={[...parsed.groups]}
          onChange={changeGroups}
        />
        <Aggregates
          type={type}
          aggregates={parsed.aggregates}
          onChange={(aggregates) => change({ ...parsed, aggregates })}
        />
      </Stack>
    </Fieldset>
  );
}

/** What entities can be grouped by: codes by value and text, related entities by the parts of their titles. */
function groupPaths(model: Model, type: StructuredType): readonly string[] {
  return memberPaths(model, type).flatMap((path) => {
    const member = memberAt(model, type, path);
    if (member === undefined || member.collection) return [];
    if (member.kind !== 'navigation') return [path];
    const target = model.types.get(member.type);
    const texts = [...(target?.members.values() ?? [])].filter(
      (inner) => !inner.collection && (inner.kind === 'primitive' || inner.kind === 'code'),
    );
    return texts.map(({ name }) => `${path}/${name}`);
  });
}

const NUMBERS = /^Edm\.(?:Int16|Int32|Int64|Decimal|Double|Single|S?Byte|Duration)$/;

function Aggregates({
  type,
  aggregates,
  onChange,
}: {
  readonly type: StructuredType;
  readonly aggregates: readonly Aggregate[];
  readonly onChange: (aggregates: readonly Aggregate[]) => void;
}) {
  const text = useText();
  const model = useModel();
  const numbers = memberPaths(model, type).filter((path) =>
    NUMBERS.test(memberAt(model, type, path)?.type ?? ''),
  );
  const add = () => onChange([...aggregates, { ...COUNT, alias: freeAlias('Count', aggregates) }]);
  return (
    <>
      {aggregates.map((aggregate, index) => (
        <AggregateRow
          key={aggregate.alias}
          aggregate={aggregate}
          paths={['$count', ...new Set([aggregate.path, ...numbers])].filter(
            (path, at, all) => all.indexOf(path) === at,
          )}
          onChange={(next) => onChange(aggregates.with(index, next))}
          onRemove={() => onChange(aggregates.filter((_, at) => at !== index))}
        />
      ))}
      <Button size="compact-xs" variant="subtle" onClick={add} style={{ alignSelf: 'start' }}>
        {text('query.addNumber')}
      </Button>
    </>
  );
}

function freeAlias(wanted: string, aggregates: readonly Aggregate[]): string {
  const used = new Set(aggregates.map(({ alias }) => alias));
  const candidates = [wanted, ...Array.from(aggregates, (_, index) => `${wanted}${index + 2}`)];
  return candidates.find((alias) => !used.has(alias)) ?? `${wanted}${aggregates.length + 2}`;
}

function AggregateRow({
  aggregate,
  paths,
  onChange,
  onRemove,
}: {
  readonly aggregate: Aggregate;
  readonly paths: readonly string[];
  readonly onChange: (aggregate: Aggregate) => void;
  readonly onRemove: () => void;
}) {
  const text = useText();
  const { path, method } = aggregate;
  const change = (next: string, how: AggregationMethod) =>
    onChange(
      next === '$count'
        ? COUNT
        : { path: next, method: how, alias: `${next.replace(/\W/g, '')}_${how}` },
    );
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        size="xs"
        flex={1}
        aria-label={text('query.number')}
        allowDeselect={false}
        searchable
        data={paths.map((value) => ({
          value,
          label: value === '$count' ? text('query.count') : value,
        }))}
        value={path}
        onChange={(next) => next !== null && change(next, method ?? 'sum')}
      />
      {method !== undefined && (
        <Select
          size="xs"
          w={120}
          aria-label={text('query.method')}
          allowDeselect={false}
          data={[...METHODS_OF_AGGREGATION]}
          value={method}
          onChange={(next) => change(path, next as AggregationMethod)}
        />
      )}
      <ActionIcon variant="subtle" aria-label={text('common.remove')} onClick={onRemove}>
        <Icon name="cross" />
      </ActionIcon>
    </Group>
  );
}
