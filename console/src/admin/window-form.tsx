// This file adds, changes and deletes a window of a schedule.
import { Alert, Button, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { repeatable, request } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { entityPath } from '../model/entity.ts';
import type { Shape } from './schedules.ts';
import { shortTime, type Window } from './week.ts';

function useChangeWindow({ set, windows, ...names }: Shape, schedule: string) {
  const client = useQueryClient();
  const onSuccess = async () =>
    await client.invalidateQueries({ queryKey: ['schedules', set.name] });
  const collection = `${entityPath(set.name, schedule)}/${windows.name}`;
  const pathOf = (uid: string) => `${collection}(${encodeURIComponent(uid)})`;
  const save = useMutation({
    mutationFn: async ({ uid, weekday, from, to }: Window) =>
      await request(uid === '' ? collection : pathOf(uid), {
        method: uid === '' ? 'POST' : 'PATCH',
        headers: uid === '' ? repeatable() : {},
        body: { [names.weekday]: weekday, [names.from]: from, [names.to]: to },
      }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: async (uid: string) => await request(pathOf(uid), { method: 'DELETE' }),
    onSuccess,
  });
  return { save, remove };
}

const NEW: Window = { uid: '', weekday: 1, from: '09:00:00', to: '17:00:00' };

export function WindowForm({
  shape,
  schedule,
  dayNames,
  window = NEW,
  onDone,
}: {
  readonly shape: Shape;
  readonly schedule: string;
  readonly dayNames: readonly string[];
  readonly window: Window | undefined;
  readonly onDone: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const [draft, setDraft] = useState(window);
  const { save, remove } = useChangeWindow(shape, schedule);
  const error = save.error ?? remove.error;
  return (
    <Paper withBorder p="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(draft, { onSuccess: onDone });
        }}
      >
        <Stack gap="xs">
          <Title order={2} size="h5">
            {text(window.uid === '' ? 'admin.addWindow' : 'admin.editWindow')}
          </Title>
          <WindowFields window={draft} dayNames={dayNames} onChange={setDraft} />
          {error !== null && (
            <Alert color="red" role="alert" p="xs">
              {errorText(error)}
            </Alert>
          )}
          <Group gap="xs">
            <Button size="xs" type="submit" loading={save.isPending}>
              {text('common.save')}
            </Button>
            {window.uid !== '' && (
              <>
                <Button size="xs" variant="default" onClick={onDone}>
                  {text('common.cancel')}
                </Button>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  onClick={() => remove.mutate(window.uid, { onSuccess: onDone })}
                >
                  {text('common.delete')}
                </Button>
              </>
            )}
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function WindowFields({
  window,
  dayNames,
  onChange,
}: {
  readonly window: Window;
  readonly dayNames: readonly string[];
  readonly onChange: (window: Window) => void;
}) {
  const text = useText();
  const days = dayNames.map((label, index) => ({ value: String(index + 1), label }));
  return (
    <>
      <Select
        size="xs"
        label={text('admin.weekday')}
        allowDeselect={false}
        data={[{ value: '', label: text('admin.everyDay') }, ...days]}
        value={window.weekday === null ? '' : String(window.weekday)}
        onChange={(day) => onChange({ ...window, weekday: day ? Number(day) : null })}
      />
      <Group grow>
        <TimeInput
          label={text('admin.from')}
          value={window.from}
          onChange={(from) => onChange({ ...window, from })}
        />
        <TimeInput
          label={text('admin.to')}
          value={window.to}
          onChange={(to) => onChange({ ...window, to })}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {text('admin.windowHelp')}
      </Text>
    </>
  );
}

function TimeInput({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}) {
  return (
    <TextInput
      size="xs"
      type="time"
      label={label}
      value={shortTime(value, '')}
      onChange={({ currentTarget: { value: typed } }) =>
        onChange(typed === '' ? null : `${typed}:00`.slice(0, 8))
      }
    />
  );
}
