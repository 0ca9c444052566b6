// This file asks which value counts where two people have changed the same field.
import '@mantine/core/styles/Radio.css';
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useValueText } from '../components/value.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import type { Field } from './fields.ts';
import type { Conflict } from './use-save.ts';
import type { Values } from './values.ts';

export function ConflictDialog({
  conflict,
  onResolve,
  onCancel,
}: {
  readonly conflict: Conflict;
  readonly onResolve: (chosen: Values) => void;
  readonly onCancel: () => void;
}) {
  const text = useText();
  const [isTheirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (path: string, theirs: boolean) => {
    const next = new Set(isTheirs);
    if (theirs) next.add(path);
    else next.delete(path);
    setTheirs(next);
  };
  const { fields, mine, theirs } = conflict;
  const save = () =>
    onResolve(
      Object.fromEntries(
        fields.map(({ path }) => [path, isTheirs.has(path) ? theirs[path] : mine[path]]),
      ),
    );
  return (
    <Dialog onClose={onCancel} title={text('record.conflictTitle')} size="lg">
      <Stack>
        <Text size="sm">{text('record.conflictIntro')}</Text>
        {fields.map((field) => (
          <Choice
            key={field.path}
            field={field}
            conflict={conflict}
            isTheirs={isTheirs.has(field.path)}
            onChoose={(chosen) => choose(field.path, chosen)}
          />
        ))}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {text('record.conflictBack')}
          </Button>
          <Button onClick={save}>{text('record.conflictSave')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Choice({
  field,
  conflict,
  isTheirs,
  onChoose,
}: {
  readonly field: Field;
  readonly conflict: Conflict;
  readonly isTheirs: boolean;
  readonly onChoose: (theirs: boolean) => void;
}) {
  const text = useText();
  const formats = useFormats();
  const toText = useValueText();
  const { path, member, label } = field;
  const shown = (values: Values) => toText(member, values[path]) || '–';
  const change = conflict.changes.get(path);
  const theirLabel = () => {
    if (change === undefined) return text('record.conflictTheirs');
    const time = formats.dateTime(change.at);
    return change.by === undefined
      ? text('record.conflictTheirsAt', { time })
      : text('record.conflictTheirsBy', { name: change.by, time });
  };
  return (
    <Radio.Group
      label={label}
      description={text('record.conflictBefore', { value: shown(conflict.base) })}
      value={isTheirs ? 'theirs' : 'mine'}
      onChange={(chosen) => onChoose(chosen === 'theirs')}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="mine"
          label={text('record.conflictMine')}
          description={shown(conflict.mine)}
        />
        <Radio value="theirs" label={theirLabel()} description={shown(conflict.theirs)} />
        <Text size="sm" fw={600}>
          {text('record.conflictResult', {
            value: shown(isTheirs ? conflict.theirs : conflict.mine),
          })}
        </Text>
      </Stack>
    </Radio.Group>
  );
}
