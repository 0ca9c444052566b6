// This file is the page of one record: `/s/{Set}/{key}?tab=…&line=…`.
import { Button } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { neighbours, rememberOpened } from '../api/list-keys.ts';
import { queryClient } from '../api/query-client.ts';
import { usePageTitle } from '../app/page-title.ts';
import { NotFound } from '../app/shell.tsx';
import { Icon } from '../components/icons.tsx';
import { isSingleKey } from '../components/single-keys.ts';
import { useText } from '../i18n/text.tsx';
import { titleOf } from '../model/entity.ts';
import type { EntitySet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { useRecord } from './record-data.ts';
import { RecordView } from './record-view.tsx';

export function RecordPage() {
  const { set: name, key } = useParams({ from: '/s/$set/$key' });
  const model = useModel();
  const text = useText();
  const set = model.sets.get(name);
  if (set === undefined) return <NotFound title={text('app.noSet', { name })} />;
  return <Page set={set} recordKey={decodeKey(key)} />;
}

/** Composite keys are written as `(Product=1,Language='en')`. */
const decodeKey = (key: string): string => key.replace(/^\((.*)\)$/, '$1');

interface PageProps {
  readonly set: EntitySet;
  readonly recordKey: string;
}

function Page({ set, recordKey }: PageProps) {
  const { tab, line } = useSearch({ from: '/s/$set/$key' });
  const navigate = useNavigate();
  useEffect(() => rememberOpened(set.name, recordKey), [set, recordKey]);
  useTitle({ set, recordKey });
  const beside = useNeighbours({ set, recordKey });
  useKeys({
    j: () => beside.open(beside.next),
    k: () => beside.open(beside.previous),
    e: (event) => focusFirst(event, 'form-fields'),
    m: (event) => focusFirst(event, 'composer'),
  });
  return (
    <RecordView
      set={set}
      recordKey={recordKey}
      place="page"
      tab={tab}
      line={line}
      onTab={(id) =>
        void navigate({
          to: '/s/$set/$key',
          params: { set: set.name, key: recordKey },
          search: id === 'details' ? {} : { tab: id },
          replace: true,
          resetScroll: false,
        })
      }
      onDeleted={() => {
        void queryClient.invalidateQueries();
        void navigate({ to: '/s/$set', params: { set: set.name }, search: {} });
      }}
    >
      <Neighbours {...beside} />
    </RecordView>
  );
}

/** Names the page after the record, and after its set until it is read. */
function useTitle({ set, recordKey }: PageProps): void {
  const model = useModel();
  const { data } = useRecord(set, recordKey);
  const title = data === undefined ? [] : [titleOf(model, data.type, data.entity)];
  usePageTitle(...title, set.label);
}

/** The records beside this one in the list that it was opened from. */
function useNeighbours({ set, recordKey }: PageProps) {
  const navigate = useNavigate();
  const open = (key: string | undefined) => {
    if (key !== undefined)
      void navigate({ to: '/s/$set/$key', params: { set: set.name, key }, search: {} });
  };
  return { ...neighbours(set.name, recordKey), open };
}

function Neighbours({ previous, next, open }: ReturnType<typeof useNeighbours>) {
  const text = useText();
  if (previous === undefined && next === undefined) return null;
  return (
    <Button.Group>
      <Button
        variant="default"
        size="xs"
        disabled={previous === undefined}
        aria-keyshortcuts="k"
        aria-label={text('record.previous')}
        onClick={() => open(previous)}
      >
        <Icon name="up" />
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === undefined}
        aria-keyshortcuts="j"
        aria-label={text('record.next')}
        onClick={() => open(next)}
      >
        <Icon name="down" />
      </Button>
    </Button.Group>
  );
}

/** What keys without Ctrl or Alt do where nobody types. */
function useKeys(actions: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isSingleKey(event)) actions[event.key]?.(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** Gives the focus to the first input of a part of the page, without typing the key there. */
function focusFirst(event: KeyboardEvent, part: string): void {
  const area = document.querySelector(`[data-part="${part}"]`);
  const inputs = 'input:not([readonly], [type=radio]), textarea, select';
  const input = area?.querySelector<HTMLElement>(inputs);
  if (input === undefined || input === null) return;
  event.preventDefault();
  input.focus();
}
