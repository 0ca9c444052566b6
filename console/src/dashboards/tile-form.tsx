// This file is the form of a tile: what it counts and how it is shown, with the OData requests that it makes.
import {
  Button,
  Code,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import '@mantine/core/styles/Code.css';
import '@mantine/core/styles/Fieldset.css';
import '@mantine/core/styles/NumberInput.css';
import { useState } from 'react';
import { serviceNow } from '../api/reachability.ts';
import { ODATA_ROOT } from '../app/place.ts';
import { useRights } from '../app/rights.ts';
import { Dialog } from '../components/dialog.tsx';
import { ownZone } from '../components/inputs/local-time.ts';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useText } from '../i18n/text.tsx';
import { memberPaths, navigationSets } from '../model/layout.ts';
import { type Model, memberAt, type StructuredType, typeOfSet } from '../model/model.ts';
import { useService } from '../model/use-model.tsx';
import { ApplyInput } from '../query/apply-input.tsx';
import { UNITS, type Unit } from '../query/buckets.ts';
import { ConditionsInput } from '../query/conditions-input.tsx';
import legend from '../query/query.module.css';
import { parseRequest, printRequest } from '../query/request-text.ts';
import { type Axes, TILE_KINDS, type Tile, type TileKind } from './tile.ts';
import { planTile } from './tile-plan.ts';

export function TileForm({
  tile,
  onSave,
  onCancel,
}: {
  /** Undefined for a new one. */
  readonly tile: Tile | undefined;
  readonly onSave: (tile: Tile) => void;
  readonly onCancel: () => void;
}) {
  const text = useText();
  const { model, listed } = useService();
  const { setsToRead } = useRights();
  const sets = navigationSets(model, new Set(listed.filter((name) => setsToRead.has(name))));
  const [draft, setDraft] = useState<Tile>(() => tile ?? newTile(sets[0]?.name ?? ''));
  const set = model.sets.get(draft.set);
  return (
    <Dialog onClose={onCancel} size="lg" title={text('dashboard.tile')}>
      <Stack gap="sm">
        <TextInput
          size="xs"
          label={text('dashboard.title')}
          required
          value={draft.title}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, title: value })}
        />
        <Group grow>
          <Select
            size="xs"
            label={text('dashboard.kind')}
            allowDeselect={false}
            data={TILE_KINDS.map((value) => ({ value, label: text(`dashboard.kind.${value}`) }))}
            value={draft.kind}
            onChange={(kind) => setDraft({ ...draft, kind: (kind ?? 'bar') as TileKind })}
          />
          <Select
            size="xs"
            label={text('explore.set')}
            allowDeselect={false}
            searchable
            data={sets.map(({ name, label }) => ({ value: name, label }))}
            value={draft.set}
            onChange={(name) =>
              setDraft({
                ...newTile(name ?? draft.set),
                title: draft.title,
                kind: draft.kind,
                uid: draft.uid,
              })
            }
          />
        </Group>
        {set !== undefined && (
          <Query type={typeOfSet(model, set)} draft={draft} onChange={setDraft} />
        )}
        <Requests model={model} tile={draft} />
        <Group justify="end">
          <Button variant="default" size="xs" onClick={onCancel}>
            {text('common.cancel')}
          </Button>
          <Button size="xs" disabled={draft.title.trim() === ''} onClick={() => onSave(draft)}>
            {text('dashboard.apply')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function newTile(set: string): Tile {
  return { uid: undefined, title: '', kind: 'bar', set, filter: '', apply: '', axes: {} };
}

function Query({
  type,
  draft,
  onChange,
}: {
  readonly type: StructuredType;
  readonly draft: Tile;
  readonly onChange: (tile: Tile) => void;
}) {
  const text = useText();
  const changeAxes = (axes: Axes) => onChange({ ...draft, axes });
  const isByTime = draft.axes.time !== undefined || draft.axes.age !== undefined;
  return (
    <>
      <ConditionsInput
        label={text('explore.filter')}
        type={type}
        value={draft.filter}
        onChange={(filter) => onChange({ ...draft, filter })}
      />
      {draft.kind !== 'table' && (
        <TimeAxisInput type={type} axes={draft.axes} onChange={changeAxes} />
      )}
      {draft.kind !== 'table' && !isByTime && (
        <ApplyInput
          label={text('explore.groups')}
          type={type}
          value={draft.apply}
          onChange={(apply) => onChange({ ...draft, apply })}
        />
      )}
    </>
  );
}

/** Which time divides the entities, and into what. */
function TimeAxisInput({
  type,
  axes,
  onChange,
}: {
  readonly type: StructuredType;
  readonly axes: Axes;
  readonly onChange: (axes: Axes) => void;
}) {
  const text = useText();
  const { model } = useService();
  const times = memberPaths(model, type).filter(
    (path) => memberAt(model, type, path)?.type === 'Edm.DateTimeOffset',
  );
  const { time, age, ...others } = axes;
  const path = time?.series[0]?.path ?? age?.path ?? '';
  const unit = time?.unit ?? (age === undefined ? 'week' : 'age');
  const change = (nextPath: string, nextUnit: string, count: number) =>
    onChange(
      nextPath === ''
        ? others
        : { ...others, ...axisOf(model, type, nextPath, nextUnit, count, time) },
    );
  return (
    <Fieldset legend={text('dashboard.byTime')} p="xs" classNames={{ legend: legend.legend ?? '' }}>
      <Group grow align="end">
        <Select
          size="xs"
          label={text('dashboard.timeOf')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': text('common.clear') }}
          data={times}
          value={path === '' ? null : path}
          onChange={(next) => change(next ?? '', unit, time?.count ?? 12)}
        />
        <Select
          size="xs"
          label={text('dashboard.unit')}
          disabled={path === ''}
          allowDeselect={false}
          data={[...UNITS, 'age'].map((value) => ({
            value,
            label: text(`dashboard.unit.${value as Unit | 'age'}`),
          }))}
          value={unit}
          onChange={(next) => change(path, next ?? 'week', time?.count ?? 12)}
        />
        {time !== undefined && (
          <NumberInput
            size="xs"
            min={1}
            max={120}
            label={text('dashboard.howMany')}
            value={time.count}
            onChange={(count) => change(path, unit, Number(count) || 1)}
          />
        )}
      </Group>
    </Fieldset>
  );
}

const AGES = [1, 3, 7, 14, 30, 90] as const;

/** Further series of a stored axis stay. */
function axisOf(
  model: Model,
  type: StructuredType,
  path: string,
  unit: string,
  count: number,
  before: Axes['time'],
): Axes {
  if (unit === 'age') return { age: { path, days: AGES } };
  const first = { path, name: memberAt(model, type, path)?.label ?? path };
  const others = (before?.series ?? []).slice(1);
  const same = before?.series[0]?.path === path ? before.series : [first, ...others];
  return { time: { unit: unit as Unit, count, series: same } };
}

/** The requests of a tile, as the explorer shows them. */
function Requests({ model, tile }: { readonly model: Model; readonly tile: Tile }) {
  const text = useText();
  const zone = ownZone();
  if (!model.sets.has(tile.set)) return null;
  const { requests } = planTile(model, tile, { now: new Date(serviceNow()), zone });
  return (
    <Stack gap={4}>
      <Text size="xs" fw={500}>
        {text('dashboard.requests')}
      </Text>
      {requests.map((request) => {
        const readable = printRequest(parseRequest(`${ODATA_ROOT}/${request}`, ODATA_ROOT));
        return (
          <Stack key={request} gap={2}>
            <Code block mah={160} tabIndex={0} style={{ whiteSpace: 'pre-wrap' }}>
              {readable}
            </Code>
            <RouterAnchor to="/explore" search={{ request: readable }} target="_blank" size="xs">
              {text('dashboard.openInExplorer')}
            </RouterAnchor>
          </Stack>
        );
      })}
    </Stack>
  );
}
