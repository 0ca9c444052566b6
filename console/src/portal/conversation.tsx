// This file shows the public lines of a request, the latest first, and sends a reply. Internal lines are never read.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { repeatable, requestJson } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { GrowingTextarea } from '../components/growing-textarea.tsx';
import { showToast } from '../components/toasts.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { useCodes } from '../model/codes.ts';
import type { Entity } from '../model/entity.ts';
import { pathWith } from '../model/query-path.ts';
import classes from './portal.module.css';
import type { Conversation } from './portal-model.ts';

/** Meanings of the codes of lines that the person sees. */
const PUBLIC = /^(?:CALLER|PUBLIC|REQUESTER)$/;
const LINES = 100;

export function ConversationView({
  entity,
  conversation: { path, visibility, kind },
}: {
  readonly entity: string;
  readonly conversation: Conversation;
}) {
  const text = useText();
  const formats = useFormats();
  const codes = useCodes(visibility?.codeList);
  const shown = codes?.find(({ meaning }) => PUBLIC.test(meaning ?? ''))?.value;
  const note = useCodes(kind?.codeList)?.find(({ meaning }) => meaning === 'NOTE_PUBLIC')?.value;
  const isReady = visibility === undefined || shown !== undefined;
  const lines = pathWith(`${entity}/${path}`, [
    ['$select', 'Information,CreatedAt'],
    [
      '$filter',
      `Information ne null${visibility === undefined ? '' : ` and Visibility/Value eq ${shown}`}`,
    ],
    ['$orderby', 'CreatedAt desc'],
    ['$top', String(LINES)],
  ]);
  const { data } = useQuery({
    queryKey: ['conversation', entity, lines],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(lines, { signal })).value,
    enabled: isReady,
  });
  if (!isReady) return null;
  return (
    <section aria-labelledby="conversation">
      <Title order={2} size="h5" id="conversation" mb="xs">
        {text('portal.conversation')}
      </Title>
      <Reply path={`${entity}/${path}`} entity={entity} visibility={shown} note={note} />
      <Stack gap="xs" mt="md">
        {data?.map(({ Information, CreatedAt }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are not changed here.
          <div key={`${CreatedAt} ${index}`} className={classes.line}>
            <Text size="xs" c="dimmed">
              {typeof CreatedAt === 'string' ? formats.dateTime(CreatedAt) : ''}
            </Text>
            {String(Information)}
          </div>
        ))}
      </Stack>
    </section>
  );
}

function Reply({
  path,
  entity,
  visibility,
  note,
}: {
  readonly path: string;
  readonly entity: string;
  readonly visibility: string | undefined;
  readonly note: string | undefined;
}) {
  const text = useText();
  const errorText = useErrorText();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const Information = field.current?.value.trim() ?? '';
    if (Information === '') return;
    setBusy(true);
    try {
      const Visibility = visibility === undefined ? {} : { Visibility: { Value: visibility } };
      const Kind = note === undefined ? {} : { Kind: { Value: note } };
      await requestJson(path, {
        method: 'POST',
        body: { Information, ...Visibility, ...Kind },
        headers: { Prefer: 'return=minimal', ...repeatable() },
      });
      if (field.current !== null) field.current.value = '';
      showToast({ kind: 'result', text: text('portal.sent') });
      await client.invalidateQueries({ queryKey: ['conversation', entity] });
    } catch (error) {
      // What was typed stays in the field.
      showToast({ kind: 'failure', text: errorText(error) });
    }
    setBusy(false);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" align="start">
        <GrowingTextarea ref={field} w="100%" label={text('portal.reply')} minRows={3} required />
        <Button type="submit" loading={isBusy}>
          {text('portal.send')}
        </Button>
      </Stack>
    </form>
  );
}
