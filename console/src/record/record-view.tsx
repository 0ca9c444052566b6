// This file shows one record: head, form, and what surrounds it. The page and the side panel of lists use it.
import '@mantine/core/styles/Tabs.css';
import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { useLiveChanges } from '../api/live.ts';
import { isMissing } from '../api/request-failed.ts';
import { NotFound } from '../app/shell.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LeaveGuard } from '../components/leave-guard.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { titleOf } from '../model/entity.ts';
import type { EntitySet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { PasswordDialog, useMaySetPassword } from './actions/password-dialog.tsx';
import { StatusButtons } from './actions/status-buttons.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { AddProperty, useDynamicFields } from './dynamic-fields.tsx';
import { fieldGroups } from './fields.ts';
import { FormFields } from './form-fields.tsx';
import { MistakeSummary } from './mistake-summary.tsx';
import classes from './record.module.css';
import {
  changesPath,
  type ReadRecord,
  refreshRecord,
  type Surroundings,
  useRecord,
  useSurroundings,
} from './record-data.ts';
import { RecordHeader } from './record-header.tsx';
import { RecordTabs } from './record-tabs.tsx';
import { ContentField, StreamFields } from './streams.tsx';
import { type Drafts, useDirty, useDrafts, useFormStore } from './use-form.ts';
import { useSave } from './use-save.ts';
import { valuesOf } from './values.ts';

export interface RecordViewProps {
  readonly set: EntitySet;
  readonly recordKey: string;
  /** Where the view is: a page has room for the history beside the form. */
  readonly place: 'page' | 'panel';
  readonly tab?: string | undefined;
  /** The line of the history to show. */
  readonly line?: string | undefined;
  readonly onTab: (tab: string) => void;
  readonly onDeleted: () => void;
  /** Buttons of the place, such as closing the panel. */
  readonly children?: ReactNode;
}

export function RecordView(props: RecordViewProps) {
  const { set, recordKey } = props;
  const text = useText();
  const record = useRecord(set, recordKey);
  const around = useSurroundings(set, recordKey, record.data?.type);
  if (isMissing(record.error) && record.data === undefined) {
    const none = text('record.none', { set: set.label });
    return props.place === 'page' ? (
      <NotFound title={none} />
    ) : (
      <ErrorNotice error={record.error} title={none} />
    );
  }
  if (record.error !== null && record.data === undefined)
    return <ErrorNotice error={record.error} retry={() => void record.refetch()} />;
  // Rights decide which fields may be changed: a form must not show fields and lock them a moment later.
  if (record.data === undefined || around.isPending)
    return (
      <Stack p="md" role="status" aria-label={text('common.loading')}>
        <Skeleton height={32} width="60%" />
        <Skeleton height={240} />
      </Stack>
    );
  return (
    <LoadedRecord
      {...props}
      key={`${set.name} ${recordKey}`}
      record={record.data}
      around={around.data}
    />
  );
}

export interface LoadedProps extends RecordViewProps {
  readonly record: ReadRecord;
  readonly around: Surroundings | undefined;
}

/** The form of a record: its fields, what was typed, and how it is saved. */
function useRecordForm({ set, recordKey, record, around }: LoadedProps) {
  const model = useModel();
  const form = useId();
  const { type, entity, unreadable } = record;
  const rights = around?.rights;
  const declared = useMemo(
    () => fieldGroups(model, type, { set, rights, unreadable, mode: 'change' }),
    [model, type, set, rights, unreadable],
  );
  const isLocked = rights?.Change === false;
  const { groups, properties } = useDynamicFields(type, entity, { groups: declared, isLocked });
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  const base = useMemo(() => valuesOf(fields, entity), [fields, entity]);
  const store = useFormStore(fields, base);
  const drafts = useDrafts(store, `${set.name}(${recordKey})`, properties);
  useLiveChanges(changesPath(set, recordKey, type), () => {
    // What somebody is typing is compared with the changes of others when it is saved.
    if (store.dirty().length === 0) void refreshRecord(set.name, recordKey);
  });
  const saving = useSave({ set, recordKey, record, fields, store, drafts, form });
  return { groups, add: properties.add, fields, store, drafts, saving, form };
}

function LoadedRecord(props: LoadedProps) {
  const { set, recordKey, record, around, place } = props;
  const model = useModel();
  const [isDeleting, setDeleting] = useState(false);
  const { type, entity, etag } = record;
  const form = useRecordForm(props);
  const { store, drafts, saving } = form;
  const actions = (
    <Group gap="xs">
      <StatusButtons {...props} />
      <PasswordButton {...props} />
      {around?.rights?.Delete !== false && set.kind === 'set' && (
        <DeleteButton onClick={() => setDeleting(true)} />
      )}
      {props.children}
    </Group>
  );
  return (
    <div className={`${classes.page} ${place === 'panel' ? classes.peek : ''}`}>
      <RecordHeader set={set} type={type} entity={entity} actions={actions} />
      <RecordTabs {...props} details={<Details {...props} {...form} />} store={store} />
      <LeaveGuard isDirty={() => store.dirty().length > 0} onLeave={drafts.discard} />
      {saving.conflict !== undefined && (
        <ConflictDialog
          conflict={saving.conflict}
          onResolve={saving.resolve}
          onCancel={saving.cancelConflict}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          set={set}
          recordKey={recordKey}
          type={type}
          etag={etag}
          title={titleOf(model, type, entity)}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            drafts.discard();
            props.onDeleted();
          }}
        />
      )}
    </div>
  );
}

function Details(props: LoadedProps & ReturnType<typeof useRecordForm>) {
  const { record, groups, add, fields, store, drafts, saving, form } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented)
      return;
    event.preventDefault();
    saving.save();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields inside.
    <div onKeyDown={onKeyDown} data-part="form-fields">
      <DraftNotice drafts={drafts} />
      <MistakeSummary store={store} fields={fields} others={saving.others} form={form} />
      <ContentField {...props} />
      <FormFields groups={groups} store={store} form={form} />
      <StreamFields {...props} />
      {add !== undefined && <AddProperty type={record.type} taken={fields} form={form} add={add} />}
      <SaveBar store={store} drafts={drafts} isSaving={saving.isSaving} onSave={saving.save} />
    </div>
  );
}

function PasswordButton({ set, recordKey, record: { type, entity } }: LoadedProps) {
  const text = useText();
  const model = useModel();
  const maySet = useMaySetPassword(set.name);
  const [isOpen, setOpen] = useState(false);
  if (!maySet(recordKey)) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {text('account.setPassword')}
      </Button>
      {isOpen && (
        <PasswordDialog
          account={recordKey}
          name={titleOf(model, type, entity)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function DeleteButton({ onClick }: { readonly onClick: () => void }) {
  const text = useText();
  return (
    <Button variant="subtle" color="red" size="xs" onClick={onClick}>
      {text('common.delete')}
    </Button>
  );
}

export function DraftNotice({ drafts }: { readonly drafts: Drafts }) {
  const text = useText();
  const formats = useFormats();
  if (drafts.restoredAt === undefined) return null;
  const time = formats.dateTime(new Date(drafts.restoredAt).toISOString());
  return (
    <Alert color="blue" role="status" mb="md" title={text('record.restored', { time })}>
      <Button variant="default" size="compact-sm" onClick={drafts.discard}>
        {text('record.discard')}
      </Button>
    </Alert>
  );
}

function SaveBar({
  store,
  drafts,
  isSaving,
  onSave,
}: {
  readonly store: Parameters<typeof useDirty>[0];
  readonly drafts: Drafts;
  readonly isSaving: boolean;
  readonly onSave: () => void;
}) {
  const text = useText();
  const count = useDirty(store).length;
  if (count === 0) return null;
  return (
    <div className={classes.bar}>
      <span role="status">{text('record.changed', { count })}</span>
      <Button variant="default" onClick={drafts.discard} disabled={isSaving}>
        {text('record.discard')}
      </Button>
      <Button onClick={onSave} loading={isSaving} aria-keyshortcuts="Control+Enter">
        {text('common.save')}
      </Button>
    </div>
  );
}
