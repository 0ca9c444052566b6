// This file is the form that edits a request: set, columns, conditions, order, related entities, groups, and the number of entities.
import { Checkbox, Group, MultiSelect, NumberInput, Select, Stack } from '@mantine/core';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/NumberInput.css';
import { useText } from '../i18n/text.tsx';
import { memberPaths } from '../model/layout.ts';
import type { StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ApplyInput } from '../query/apply-input.tsx';
import { typeAtPath } from '../query/completion.ts';
import { ConditionsInput } from '../query/conditions-input.tsx';
import { optionOf, type RequestParts, withOption } from '../query/request-text.ts';
import { split } from '../query/split.ts';

interface FormProps {
  readonly parts: RequestParts;
  readonly onChange: (parts: RequestParts) => void;
}

export function RequestForm({ parts, onChange }: FormProps) {
  const text = useText();
  const model = useModel();
  const type = typeAtPath(model, parts.path);
  const set = parts.path.split(/[/(]/)[0] ?? '';
  const change = (name: string, value: string) => onChange(withOption(parts, name, value));
  const sets = [...model.sets.values()].map(({ name, label }) => ({
    value: name,
    label: label === name ? name : `${name} – ${label}`,
  }));
  return (
    <Stack gap="sm">
      <Select
        size="xs"
        label={text('explore.set')}
        searchable
        limit={100}
        allowDeselect={false}
        data={sets}
        value={model.sets.has(set) ? set : null}
        onChange={(path) =>
          path !== null && onChange({ method: 'GET', path, options: [], body: '' })
        }
      />
      {type !== undefined && <Options parts={parts} type={type} change={change} />}
    </Stack>
  );
}

type Change = (name: string, value: string) => void;

function Options({
  parts,
  type,
  change,
}: {
  readonly parts: RequestParts;
  readonly type: StructuredType;
  readonly change: Change;
}) {
  const text = useText();
  const option = (name: string) => optionOf(parts, name);
  return (
    <>
      <Items parts={parts} type={type} change={change} />
      <ConditionsInput
        label={text('explore.filter')}
        type={type}
        value={option('$filter')}
        onChange={(value) => change('$filter', value)}
      />
      <ApplyInput
        label={text('explore.groups')}
        type={type}
        value={option('$apply')}
        onChange={(value) => change('$apply', value)}
      />
      <Group align="end">
        <NumberInput
          size="xs"
          w={110}
          min={0}
          label={text('explore.top')}
          value={option('$top')}
          onChange={(value) => change('$top', String(value))}
        />
        <Checkbox
          size="xs"
          pb={6}
          label={text('explore.count')}
          checked={option('$count') === 'true'}
          onChange={({ currentTarget }) => change('$count', currentTarget.checked ? 'true' : '')}
        />
      </Group>
    </>
  );
}

/** The options that are lists: columns, order and related entities. */
function Items({
  parts,
  type,
  change,
}: {
  readonly parts: RequestParts;
  readonly type: StructuredType;
  readonly change: Change;
}) {
  const text = useText();
  const model = useModel();
  const paths = memberPaths(model, type);
  const members = [...type.members.values()];
  const navigation = members.filter(({ kind }) => kind === 'navigation').map(({ name }) => name);
  const columns = paths.filter((path) => !navigation.includes(path));
  const orders = columns.flatMap((path) => [path, `${path} desc`]);
  const list = (name: string, label: string, offered: readonly string[]) => {
    const value = itemsOf(optionOf(parts, name));
    return (
      <MultiSelect
        size="xs"
        label={label}
        searchable
        hidePickedOptions
        limit={100}
        data={[...new Set([...value, ...offered])]}
        value={[...value]}
        onChange={(next) => change(name, next.join(','))}
      />
    );
  };
  return (
    <>
      {list('$select', text('explore.columns'), columns)}
      {list('$expand', text('explore.expand'), navigation)}
      {list('$orderby', text('explore.order'), orders)}
    </>
  );
}

function itemsOf(value: string): readonly string[] {
  const items = split(value, ',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}
