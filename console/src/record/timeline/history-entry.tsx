// This file shows one entry of the history: a note or mail, or the changes of one transaction with names in place of codes.
import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { FileList } from '../../components/attachments/file-list.tsx';
import { useErrorText } from '../../components/error-notice.tsx';
import { GrowingTextarea } from '../../components/growing-textarea.tsx';
import { HtmlFrame, isHtml } from '../../components/html-frame.tsx';
import { Icon } from '../../components/icons.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useValueText } from '../../components/value.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { useCodes } from '../../model/codes.ts';
import { type Entity, entityPath, keyOf } from '../../model/entity.ts';
import { attachmentsMember } from '../../model/layout.ts';
import { type Member, memberAt, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../record.module.css';
import { authorOf, etagOf, recordPath, refreshRecord, rejectChange } from '../record-data.ts';
import { type HistoryEntry, quotedParts } from './history-groups.ts';
import type { TimelineProps } from './timeline.tsx';

type LineProps = Omit<TimelineProps, 'line'> & { readonly line: Entity };
type EntryProps = Omit<TimelineProps, 'line'> & {
  readonly entry: HistoryEntry;
  readonly isShown: boolean;
  /** The keys of the notes that the account may change now. */
  readonly changeable: ReadonlySet<string>;
};

export function HistoryEntryView(props: EntryProps) {
  const { entry, isShown, member } = props;
  const model = useModel();
  const formats = useFormats();
  const text = useText();
  const [line] = entry.lines;
  if (line === undefined) return null;
  const author = authorOf(model, member, line);
  return (
    <li className={classes.entry} data-line={isShown}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {author ?? text('record.unknownAuthor')}
          </Text>
          {!entry.isChange && <Kind {...props} line={line} />}
        </Group>
        {typeof line.CreatedAt === 'string' && (
          <Text size="xs" c="dimmed" component="time" dateTime={line.CreatedAt}>
            {formats.dateTime(line.CreatedAt)}
          </Text>
        )}
      </Group>
      {entry.isChange ? <Changes {...props} /> : <Note {...props} line={line} />}
    </li>
  );
}

function Kind({ member, line }: LineProps) {
  const model = useModel();
  const toText = useValueText();
  const type = typeNamed(model, member.type);
  const isInternal = useIsInternal(member, line);
  const kind = type.members.get('Kind');
  if (kind === undefined) return null;
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      leftSection={<Icon name={isInternal ? 'lock' : 'eye'} />}
    >
      {toText(kind, line.Kind)}
    </Badge>
  );
}

/** Whether only people of the desk see a line. */
function useIsInternal(member: Member, line: Entity): boolean {
  const model = useModel();
  const visibility = typeNamed(model, member.type).members.get('Visibility');
  const codes = useCodes(visibility?.codeList);
  const coded = model.types.get(visibility?.type ?? '')?.coded;
  const value = (line.Visibility as Entity | null | undefined)?.[coded?.value ?? ''];
  const meaning = codes?.find((code) => code.value === String(value))?.meaning;
  return meaning === undefined || meaning === 'INTERNAL';
}

function Changes({ entry, record }: EntryProps) {
  const model = useModel();
  return (
    <dl className={classes.changes}>
      {entry.lines.map((line) => {
        const path = String(line.Attribute);
        const member = memberAt(model, record.type, path);
        return (
          <div key={path} style={{ display: 'contents' }}>
            <dt>{member?.label ?? path}</dt>
            <dd>
              <ChangedValue member={member} value={line.OldValue} /> <Icon name="arrow" />{' '}
              <ChangedValue member={member} value={line.NewValue} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A value of the history, which is stored as text: codes by a text or their value, references by their names. */
function ChangedValue({
  member,
  value,
}: {
  readonly member: Member | undefined;
  readonly value: unknown;
}) {
  const toText = useValueText();
  const codes = useCodes(member?.kind === 'code' ? member.codeList : undefined);
  if (value === null || value === undefined || value === '') return '–';
  const shown = String(value);
  const code = codes?.find(({ value: code, texts }) => code === shown || texts.includes(shown));
  if (code !== undefined) return code.text;
  return member?.kind === 'primitive' ? toText(member, readable(member, shown)) : shown;
}

function readable(member: Member, value: string): unknown {
  if (member.type === 'Edm.Boolean') return value === 'true' || value === '1';
  const isTime = member.type === 'Edm.DateTimeOffset' || member.type === 'Edm.Date';
  return isTime && Number.isNaN(Date.parse(value)) ? null : value;
}

function Note(props: EntryProps & { readonly line: Entity }) {
  const { line, member, set, recordKey, record } = props;
  const text = useText();
  const model = useModel();
  const type = typeNamed(model, member.type);
  const [isEditing, setEditing] = useState(false);
  const files = attachmentsMember(model, type);
  const isInternal = useIsInternal(member, line);
  const note = String(line.Information ?? '');
  const key = keyOf(type, line) ?? '';
  const path = `${recordPath(set, recordKey, record.type)}/${entityPath(member.name, key)}`;
  const html = [...type.members.values()].find((one) => isHtml(one) && Boolean(line[one.name]));
  if (isEditing)
    return <EditNote {...props} path={path} note={note} onClose={() => setEditing(false)} />;
  return (
    <div className={isInternal ? classes.internal : classes.public}>
      {Boolean(line.Subject) && (
        <Text size="sm" fw={500}>
          {String(line.Subject)}
        </Text>
      )}
      <NoteText note={note} />
      {html !== undefined && <HtmlFrame html={String(line[html.name])} title={html.label} />}
      {files !== undefined && (
        <FileList
          files={(line[files.name] ?? []) as readonly Entity[]}
          path={`${path}/${files.name}`}
          member={files}
        />
      )}
      {props.changeable.has(key) && (
        <Anchor component="button" type="button" size="xs" onClick={() => setEditing(true)}>
          {text('common.edit')}
        </Anchor>
      )}
    </div>
  );
}

/** What a note quotes is folded. */
function NoteText({ note }: { readonly note: string }) {
  const text = useText();
  const { own, quoted } = quotedParts(note);
  return (
    <>
      <Text size="sm" className={classes.text ?? ''}>
        {own}
      </Text>
      {quoted !== '' && (
        <details>
          <summary>{text('record.quoted')}</summary>
          <Text size="sm" c="dimmed" className={classes.text ?? ''}>
            {quoted}
          </Text>
        </details>
      )}
    </>
  );
}

function EditNote({
  set,
  recordKey,
  line,
  path,
  note,
  onClose,
}: EntryProps & {
  readonly line: Entity;
  readonly path: string;
  readonly note: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const [changed, setChanged] = useState(note);
  const save = async () => {
    const etag = etagOf(line);
    try {
      await request(path, {
        method: 'PATCH',
        headers: etag === undefined ? {} : { 'If-Match': etag },
        body: { Information: changed },
      }).catch(async (error) => await rejectChange(set.name, recordKey, error));
      await refreshRecord(set.name, recordKey);
      onClose();
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
  };
  return (
    <div>
      <GrowingTextarea
        aria-label={text('record.editNote')}
        minRows={2}
        value={changed}
        onChange={(event) => setChanged(event.currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          {text('common.cancel')}
        </Button>
        <Button size="xs" disabled={changed.trim() === ''} onClick={() => void save()}>
          {text('common.save')}
        </Button>
      </Group>
    </div>
  );
}
