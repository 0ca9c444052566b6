// This file writes notes: internal ones, and public ones that the people concerned see. The two differ in colour, icon and label.
import { Button, Group, SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { repeatable, request } from '../../api/client.ts';
import { useErrorText } from '../../components/error-notice.tsx';
import { GrowingTextarea } from '../../components/growing-textarea.tsx';
import { Icon, type IconName } from '../../components/icons.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { type Code, useCodes } from '../../model/codes.ts';
import type { Entity } from '../../model/entity.ts';
import { type StructuredType, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { useSession } from '../../session/use-session.ts';
import { draftId, eraseDraft, readDraft, saveDraft } from '../drafts.ts';
import classes from '../record.module.css';
import { recordPath, refreshRecord } from '../record-data.ts';
import type { TimelineProps } from './timeline.tsx';

type Kind = 'internal' | 'public';

export function Composer(props: TimelineProps) {
  const { around, member } = props;
  const text = useText();
  const id = useId();
  const [kind, setKind] = useState<Kind>('internal');
  const { draft, send, isBusy, hasPublic } = useNote(props, kind);
  const { members } = typeNamed(useModel(), member.type);
  const mayWrite =
    around?.rights?.Members.find(({ Name }) => Name === member.name)?.Change !== false;
  if (!mayWrite || !members.has('Information')) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className={kind === 'public' ? classes.public : classes.internal} data-part="composer">
      {hasPublic && <KindChoice kind={kind} choose={setKind} />}
      <GrowingTextarea
        id={id}
        label={text(kind === 'public' ? 'record.publicNote' : 'record.internalNote')}
        description={text(kind === 'public' ? 'record.publicHint' : 'record.internalHint')}
        minRows={2}
        maxRows={12}
        value={draft.note}
        onChange={(event) => draft.change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        aria-keyshortcuts="m"
      />
      <Group justify="flex-end" mt="xs">
        <Button
          size="xs"
          loading={isBusy}
          disabled={draft.note.trim() === ''}
          onClick={() => void send()}
          aria-keyshortcuts="Control+Enter"
        >
          {text('record.addNote')}
        </Button>
      </Group>
    </div>
  );
}

/** The note that is written, and how it is sent. */
function useNote({ set, recordKey, record, member }: TimelineProps, kind: Kind) {
  const text = useText();
  const model = useModel();
  const errorText = useErrorText();
  const type = typeNamed(model, member.type);
  const kinds = useCodes(type.members.get('Kind')?.codeList);
  const visibilities = useCodes(type.members.get('Visibility')?.codeList);
  const [isBusy, setBusy] = useState(false);
  const draft = useNoteDraft(`${set.name}(${recordKey})/${member.name}`);
  const send = async () => {
    if (draft.note.trim() === '' || isBusy) return;
    setBusy(true);
    try {
      await request(`${recordPath(set, recordKey, record.type)}/${member.name}`, {
        method: 'POST',
        headers: repeatable(),
        body: { Information: draft.note, ...codesBody(model, type, kind, kinds, visibilities) },
      });
      draft.erase();
      await refreshRecord(set.name, recordKey);
    } catch (error) {
      const action = { label: text('common.retry'), run: () => void send() };
      showToast({ kind: 'failure', text: errorText(error), action });
    }
    setBusy(false);
  };
  return { draft, send, isBusy, hasPublic: noteCodes(kinds, visibilities, 'public') !== undefined };
}

function KindChoice({
  kind,
  choose,
}: {
  readonly kind: Kind;
  readonly choose: (kind: Kind) => void;
}) {
  const text = useText();
  return (
    <SegmentedControl
      size="xs"
      mb="xs"
      aria-label={text('record.noteKind')}
      value={kind}
      onChange={(next) => choose(next as Kind)}
      data={[
        { value: 'internal', label: <NoteLabel icon="lock" text={text('record.internalNote')} /> },
        { value: 'public', label: <NoteLabel icon="eye" text={text('record.publicNote')} /> },
      ]}
    />
  );
}

function NoteLabel({ icon, text }: { readonly icon: IconName; readonly text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Icon name={icon} />
      {text}
    </Group>
  );
}

/** The codes of a kind of note: by the symbols `NOTE_PUBLIC` and `NOTE_INTERNAL`, and visibilities other than `INTERNAL`. */
function noteCodes(
  kinds: readonly Code[] | undefined,
  visibilities: readonly Code[] | undefined,
  kind: Kind,
) {
  const meaning = kind === 'public' ? 'NOTE_PUBLIC' : 'NOTE_INTERNAL';
  const note = kinds?.find((code) => code.meaning === meaning);
  const visibility = visibilities?.find(
    (code) => (code.meaning === 'INTERNAL') === (kind === 'internal'),
  );
  return note === undefined ? undefined : { note, visibility };
}

function codesBody(
  model: ReturnType<typeof useModel>,
  type: StructuredType,
  kind: Kind,
  kinds: readonly Code[] | undefined,
  visibilities: readonly Code[] | undefined,
): Entity {
  const codes = noteCodes(kinds, visibilities, kind);
  const codeBody = (name: string, code: Code | undefined): Entity => {
    const coded = model.types.get(type.members.get(name)?.type ?? '')?.coded;
    return code === undefined || coded === undefined
      ? {}
      : { [name]: { [coded.value]: code.value } };
  };
  return { ...codeBody('Kind', codes?.note), ...codeBody('Visibility', codes?.visibility) };
}

/** Milliseconds after the last key. */
const PAUSE = 300;

/** A note that is kept until it is sent; it is independent of the record and its ETag. */
function useNoteDraft(form: string) {
  const session = useSession();
  const account = session.kind === 'signed-in' ? session.grant.Account.Uid : undefined;
  const [note, setNote] = useState('');
  const [isTyped, setTyped] = useState(false);
  const id = account === undefined ? undefined : draftId(account, form);
  useEffect(() => {
    let isCurrent = true;
    if (id !== undefined)
      void readDraft(id)
        .catch(() => undefined)
        .then((draft) => {
          if (isCurrent && draft !== undefined) setNote(String(draft.values.Information ?? ''));
        });
    return () => {
      isCurrent = false;
    };
  }, [id]);
  useEffect(() => {
    if (!isTyped || id === undefined || account === undefined) return undefined;
    const keep = async () => {
      if (note === '') await eraseDraft(id);
      else
        await saveDraft({
          id,
          account,
          values: { Information: note },
          at: Date.now(),
        });
    };
    const timer = setTimeout(() => void keep().catch(() => undefined), PAUSE);
    return () => clearTimeout(timer);
  }, [note, isTyped, id, account]);
  return {
    note,
    change: (next: string) => {
      setTyped(true);
      setNote(next);
    },
    erase: () => {
      setTyped(false);
      setNote('');
      if (id !== undefined) void eraseDraft(id).catch(() => undefined);
    },
  };
}
