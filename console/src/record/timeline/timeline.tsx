// This file is the history of a record: notes, mails and changes, the newest first, with the way to add notes.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { requestJson } from '../../api/client.ts';
import type { Page } from '../../api/read-all.ts';
import { ErrorNotice, useErrorText } from '../../components/error-notice.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { type Code, useCodes } from '../../model/codes.ts';
import { keyOf } from '../../model/entity.ts';
import { type Member, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../record.module.css';
import { authorOf, historyQuery, PAGES, recordPath } from '../record-data.ts';
import type { LoadedProps } from '../record-view.tsx';
import { Composer } from './composer.tsx';
import { HistoryEntryView } from './history-entry.tsx';
import { groupLines } from './history-groups.ts';
import { useChangeable } from './use-changeable.ts';

export interface TimelineProps extends LoadedProps {
  /** The contained lines. */
  readonly member: Member;
}

export function Timeline(props: TimelineProps) {
  const { record, set, recordKey, member, around, line } = props;
  const model = useModel();
  const text = useText();
  const errorText = useErrorText();
  const type = typeNamed(model, member.type);
  const codes = useCodes(type.members.get('Kind')?.codeList);
  const [kind, setKind] = useState('');
  const filter = kind === '' ? undefined : `Kind/${codedValue(model, type)} eq ${kind}`;
  const path = `${recordPath(set, recordKey, record.type)}/${member.name}`;
  const filtered = useQuery({
    queryKey: ['surroundings', set.name, recordKey, 'history', kind],
    queryFn: async ({ signal }) =>
      await requestJson<Page>(`${path}?${historyQuery(model, member, record.unreadable, filter)}`, {
        signal,
        headers: PAGES,
      }),
    // The first page without a filter comes with the other surroundings.
    enabled: filter !== undefined || around?.history === undefined,
  });
  const first =
    filter === undefined && around?.history !== undefined ? around.history : filtered.data;
  const { pages, more, isLoading, loadMore } = usePages(first, (error) =>
    showToast({ kind: 'failure', text: errorText(error) }),
  );
  const lines = pages.flatMap(({ value }) => value);
  const entries = groupLines(
    lines,
    (one) => keyOf(type, one) ?? '',
    (one) => authorOf(model, member, one),
  );
  const changeable = useChangeable(path, member, lines);
  useShownLine(line, lines.length);
  if (filtered.error !== null && first === undefined)
    return <ErrorNotice error={filtered.error} retry={() => void filtered.refetch()} />;
  return (
    <Stack gap="sm">
      <Composer {...props} />
      {codes !== undefined && <KindFilter codes={codes} kind={kind} onChange={setKind} />}
      {first !== undefined && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {text('record.noHistory')}
        </Text>
      )}
      <ol className={classes.list} aria-label={member.label} aria-busy={first === undefined}>
        {entries.map((entry) => (
          <HistoryEntryView
            key={entry.key}
            {...props}
            entry={entry}
            changeable={changeable}
            isShown={entry.lines.some((one) => keyOf(type, one) === line)}
          />
        ))}
      </ol>
      {more !== undefined && (
        <Button variant="default" loading={isLoading} onClick={loadMore}>
          {text('record.olderLines')}
        </Button>
      )}
    </Stack>
  );
}

/** The name of the value of the code `Kind`. */
function codedValue(
  model: ReturnType<typeof useModel>,
  type: ReturnType<typeof typeNamed>,
): string {
  const kind = type.members.get('Kind');
  return model.types.get(kind?.type ?? '')?.coded?.value ?? 'Value';
}

/** Pages after the first one, which start again when the first one changes. */
function usePages(first: Page | undefined, onError: (error: unknown) => void) {
  const [later, setLater] = useState<{
    readonly first: Page | undefined;
    readonly pages: readonly Page[];
  }>({
    first,
    pages: [],
  });
  const [isLoading, setLoading] = useState(false);
  const pages = [
    ...(first === undefined ? [] : [first]),
    ...(later.first === first ? later.pages : []),
  ];
  const more = pages.at(-1)?.['@odata.nextLink'];
  const loadMore = () => {
    if (more === undefined) return;
    setLoading(true);
    void requestJson<Page>(more, { headers: PAGES })
      .then((page) => setLater({ first, pages: [...pages.slice(1), page] }))
      .catch(onError)
      .finally(() => setLoading(false));
  };
  return { pages, more, isLoading, loadMore };
}

function KindFilter({
  codes,
  kind,
  onChange,
}: {
  readonly codes: readonly Code[];
  readonly kind: string;
  readonly onChange: (kind: string) => void;
}) {
  const text = useText();
  return (
    <Group justify="flex-end">
      <NativeSelect
        aria-label={text('record.filterKind')}
        size="xs"
        value={kind}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{text('record.allKinds')}</option>
        {codes.map(({ value, text: label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </NativeSelect>
    </Group>
  );
}

/** Scrolls to the line that the URL names, once it is there. */
function useShownLine(line: string | undefined, count: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the line may come with a later page.
  useEffect(() => {
    if (line !== undefined)
      document.querySelector('[data-line="true"]')?.scrollIntoView({ block: 'center' });
  }, [line, count]);
}
