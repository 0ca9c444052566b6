// This file shows the working time of schedules: a week as a grid, with a form beside it.
import { Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { requestJson } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useLanguage, useText } from '../i18n/text.tsx';
import { type Entity, keyOf, titleOf } from '../model/entity.ts';
import { typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './admin.module.css';
import { type Shape, shapesOf, windowsOf } from './schedules.ts';
import { type Part, shortTime, type Window, weekOf } from './week.ts';
import { WindowForm } from './window-form.tsx';

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
          dayNames={names}
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
        const times = `${shortTime(window.from, '00:00')}–${shortTime(window.to, '24:00')}`;
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
