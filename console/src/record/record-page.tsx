// This file is the page of one record: `/s/{Set}/{key}?tab=…&line=…`.
import { Button } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { neighbours, rememberOpened } from '../api/list-keys.ts';
import { queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Icon } from '../components/icons.tsx';
import { isSingleKey } from '../components/single-keys.ts';
import { useText } from '../i18n/text.tsx';
import { titleOf } from '../model/entity.ts';
import { useModel } from '../model/use-model.tsx';
import { useRecord } from './record-data.ts';
import { RecordView } from './record-view.tsx';

export function RecordPage() {
  const { set: name, key } = useParams({ from: '/s/$set/$key' });
  const model = useModel();
  const text = useText();
  const set = model.sets.get(name);
  if (set === undefined)
    return <ErrorNotice error={undefined} title={text('app.noSet', { name })} />;
  return <Page set={set} recordKey={decodeKey(key)} />;
}

/** Composite keys are written as `(Product=1,Language='en')`. */
const decodeKey = (key: string): string => key.replace(/^\((.*)\)$/, '$1');

function Page({
  set,
  recordKey,
}: {
  readonly set: Parameters<typeof useRecord>[0];
  readonly recordKey: string;
}) {
  const { tab, line } = useSearch({ from: '/s/$set/$key' });
  const navigate = useNavigate();
  const text = useText();
  const model = useModel();
  const { data } = useRecord(set, recordKey);
  const { previous, next } = neighbours(set.name, recordKey);
  const open = (key: string | undefined) => {
    if (key !== undefined)
      void navigate({ to: '/s/$set/$key', params: { set: set.name, key }, search: {} });
  };
  useEffect(() => rememberOpened(set.name, recordKey), [set, recordKey]);
  useEffect(() => {
    if (data !== undefined)
      document.title = `${titleOf(model, data.type, data.entity)} · ${set.label} · Docket`;
  }, [model, data, set]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isSingleKey(event)) return;
      if (event.key === 'j') open(next);
      else if (event.key === 'k') open(previous);
      else if (event.key === 'e') focusFirst(event, 'form-fields');
      else if (event.key === 'm') focusFirst(event, 'composer');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
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
      {(previous !== undefined || next !== undefined) && (
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
      )}
    </RecordView>
  );
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
