// This file edits the working time of schedules: a week as a grid, with a form beside it. Which sets are schedules shows in their members:
// a contained collection with two times of day and a number.
import {
  Alert,
  Button,
  Group,
  Paper,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { repeatable, request, requestJson } from '../api/client.ts';
import { ErrorNotice, useErrorText } from '../components/error-notice.tsx';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useLanguage, useText } from '../i18n/text.tsx';
import { type Entity, entityPath, keyOf, titleOf } from '../model/entity.ts';
import { type EntitySet, type Member, type Model, typeNamed, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './admin.module.css';
import { type Part, type Window, weekOf } from './week.ts';

/** Where the windows of a schedule are, and how their members are called. */
interface Shape {
  readonly set: EntitySet;
  readonly windows: Member;
  readonly weekday: string;
  readonly from: string;
  readonly to: string;
}

function shapesOf(model: Model): readonly Shape[] {
  return [...model.sets.values()].flatMap((set) => {
    const members = [...typeOfSet(model, set).members.values()];
    return members.flatMap((windows) => {
      if (!windows.contained || !windows.collection) return [];
      const parts = [...typeNamed(model, windows.type).members.values()];
      const times = parts.filter(({ type }) => type === 'Edm.TimeOfDay').map(({ name }) => name);
      const day = parts.find(
        ({ type, computed }) => /^Edm\.(?:Int32|Int16|Byte)$/.test(type) && !computed,
      );
      const [from, to] = times;
      if (day === undefined || from === undefined || to === undefined) return [];
      return [{ set, windows, weekday: day.name, from, to }];
    });
  });
}

interface Search {
  readonly set?: string;
  readonly key?: string;
}

export function ScheduleScreen() {
  const text = useText();
  const model = useModel();
  const search: Search = useSearch({ strict: false });
  const shapes = shapesOf(model);
  const shape = shapes.find(({ set }) => set.name === search.set) ?? shapes[0];
  if (shape === undefined) return <Text>{text('admin.noSchedules')}</Text>;
  return <Schedules shape={shape} chosen={search.key} />;
}

function Schedules({
  shape,
  chosen,
}: {
  readonly shape: Shape;
  readonly chosen: string | undefined;
}) {
  const model = useModel();
  const navigate = useNavigate();
  const type = typeOfSet(model, shape.set);
  const { data, error } = useQuery({
    queryKey: ['schedules', shape.set.name],
    queryFn: async ({ signal }) =>
      await requestJson<{ readonly value: readonly Entity[] }>(
        `${shape.set.name}?$expand=${shape.windows.name}&$top=250`,
        { signal },
      ),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Skeleton h={320} />;
  const entity = data.value.find((one) => keyOf(type, one) === chosen) ?? data.value[0];
  return (
    <Stack>
      <Select
        size="xs"
        w={260}
        label={shape.set.label}
        allowDeselect={false}
        data={data.value.map((one) => ({
          value: keyOf(type, one) ?? '',
          label: titleOf(model, type, one),
        }))}
        value={keyOf(type, entity) ?? null}
        onChange={(key) =>
          void navigate({ to: '.', search: { set: shape.set.name, key } as never })
        }
      />
      {entity !== undefined && <Week key={keyOf(type, entity)} shape={shape} entity={entity} />}
    </Stack>
  );
}

function windowsOf(
  { windows, weekday, from, to }: Shape,
  model: Model,
  entity: Entity,
): readonly Window[] {
  const type = typeNamed(model, windows.type);
  const rows = (entity[windows.name] ?? []) as readonly Entity[];
  return rows.map((row) => ({
    uid: keyOf(type, row) ?? '',
    weekday: row[weekday] === null ? null : Number(row[weekday]),
    from: (row[from] ?? null) as string | null,
    to: (row[to] ?? null) as string | null,
  }));
}

function Week({ shape, entity }: { readonly shape: Shape; readonly entity: Entity }) {
  const text = useText();
  const model = useModel();
  const type = typeOfSet(model, shape.set);
  const key = keyOf(type, entity) ?? '';
  const [edited, setEdited] = useState<Window>();
  const names = useDayNames();
  const days = weekOf(windowsOf(shape, model, entity));
  return (
    <div className={classes.split}>
      <section
        className={classes.main}
        style={{ overflowX: 'auto' }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={text('admin.week')}
      >
        <div className={classes.week}>
          {days.map((parts, index) => (
            <div key={names[index]}>
              <Text size="xs" fw={600} ta="center">
                {names[index]}
              </Text>
              <Day name={names[index] ?? ''} parts={parts} onChoose={setEdited} />
            </div>
          ))}
        </div>
      </section>
      <Stack>
        <WindowForm
          key={edited?.uid ?? 'new'}
          shape={shape}
          schedule={key}
          window={edited}
          onDone={() => setEdited(undefined)}
        />
        <RouterAnchor to="/s/$set/$key" params={{ set: shape.set.name, key }} search={{}} size="sm">
          {text('admin.openRecord', { name: titleOf(model, type, entity) })}
        </RouterAnchor>
      </Stack>
    </div>
  );
}

/** Monday first. */
function useDayNames(): readonly string[] {
  const format = new Intl.DateTimeFormat(useLanguage(), { weekday: 'long', timeZone: 'UTC' });
  // 1 January 2024 was a Monday.
  return Array.from({ length: 7 }, (_, index) => format.format(Date.UTC(2024, 0, 1 + index)));
}

const DAY = 1440;
const percent = (minutes: number): string => `${(minutes / DAY) * 100}%`;
const short = (time: string | null, otherwise: string): string => time?.slice(0, 5) ?? otherwise;

function Day({
  name,
  parts,
  onChoose,
}: {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly onChoose: (window: Window) => void;
}) {
  const text = useText();
  return (
    <div className={classes.day}>
      {parts.map(({ window, start, end }) => {
        const times = `${short(window.from, '00:00')}–${short(window.to, '24:00')}`;
        return (
          <button
            key={`${window.uid} ${start}`}
            type="button"
            className={classes.window}
            style={{ top: percent(start), height: percent(end - start) }}
            aria-label={text('admin.window', { day: name, times })}
            onClick={() => onChoose(window)}
          >
            {times}
          </button>
        );
      })}
    </div>
  );
}

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

function WindowForm({
  shape,
  schedule,
  window = NEW,
  onDone,
}: {
  readonly shape: Shape;
  readonly schedule: string;
  readonly window: Window | undefined;
  readonly onDone: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const names = useDayNames();
  const [draft, setDraft] = useState(window);
  const { save, remove } = useChangeWindow(shape, schedule);
  const error = save.error ?? remove.error;
  const time = (value: string) => (value === '' ? null : `${value}:00`.slice(0, 8));
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
          <Select
            size="xs"
            label={text('admin.weekday')}
            allowDeselect={false}
            data={[
              { value: '', label: text('admin.everyDay') },
              ...names.map((label, index) => ({ value: String(index + 1), label })),
            ]}
            value={draft.weekday === null ? '' : String(draft.weekday)}
            onChange={(day) => setDraft({ ...draft, weekday: day ? Number(day) : null })}
          />
          <Group grow>
            <TextInput
              size="xs"
              type="time"
              label={text('admin.from')}
              value={short(draft.from, '')}
              onChange={({ currentTarget: { value } }) => setDraft({ ...draft, from: time(value) })}
            />
            <TextInput
              size="xs"
              type="time"
              label={text('admin.to')}
              value={short(draft.to, '')}
              onChange={({ currentTarget: { value } }) => setDraft({ ...draft, to: time(value) })}
            />
          </Group>
          <Text size="xs" c="dimmed">
            {text('admin.windowHelp')}
          </Text>
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
