// This file saves the changes of a form: with the ETag of what the person has seen, merged with changes of others, and with a way back.
import { useCallback, useEffect, useRef, useState } from 'react';
import { request, requestJson } from '../api/client.ts';
import type { Page } from '../api/read-all.ts';
import { RequestFailed } from '../api/request-failed.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import type { Entity } from '../model/entity.ts';
import type { EntitySet, Model } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import type { Field } from './fields.ts';
import { focusField } from './form-fields.tsx';
import type { FormStore } from './form-store.ts';
import {
  authorOf,
  etagOf,
  historyMember,
  historyQuery,
  queryOf,
  type ReadRecord,
  readRecord,
  recordPath,
  refreshRecord,
} from './record-data.ts';
import { type Drafts, sameOf, useChecks } from './use-form.ts';
import { useMistakes } from './use-mistakes.ts';
import { bodyOf, type Values, valuesOf } from './values.ts';

/** Who changed a field, and when. */
interface Change {
  /** Undefined if the account may not see who it was. */
  readonly by: string | undefined;
  readonly at: string;
}

type Changes = ReadonlyMap<string, Change>;

export interface Conflict {
  readonly fields: readonly Field[];
  readonly base: Values;
  readonly mine: Values;
  readonly theirs: Values;
  readonly changes: Changes;
}

export interface SaveOptions {
  readonly set: EntitySet;
  readonly recordKey: string;
  readonly record: ReadRecord;
  readonly fields: readonly Field[];
  readonly store: FormStore;
  readonly drafts: Drafts;
  /** Prefix of the ids of fields. */
  readonly form: string;
}

/** Milliseconds. */
const UNDO_TIME = 10_000;

export function useSave(options: SaveOptions) {
  const { fields, store, drafts, form } = options;
  const [isSaving, setSaving] = useState(false);
  const mistakes = useMistakes(options);
  const { conflict, asks, close } = useConflict(options);
  const { checkAll } = useChecks(store);
  const write = useWrite(options);
  const offerUndo = useUndo(write);
  const noteMerge = useMergeNote(fields);
  const model = useModel();

  /** Takes their record as the new base, and sends mine again, or asks where both have changed the same field. */
  const merge = async () => {
    const { record, theirs } = await mergeWithTheirs(model, options);
    const changes = await readChanges(model, options, record);
    if (asks(changes)) return;
    noteMerge(theirs, changes);
    await send(record.etag);
  };

  const send = async (etag: string | undefined) => {
    const paths = store.dirty();
    if (paths.length === 0) {
      drafts.erase();
      return;
    }
    const before = store.base();
    const sent = store.values();
    try {
      const record = await write(bodyOf(model, fields, sent, paths), etag);
      store.accept(
        valuesOf(fields, record.entity),
        Object.fromEntries(paths.map((path) => [path, sent[path]])),
      );
      drafts.erase();
      offerUndo(bodyOf(model, fields, before, paths), record.etag);
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 412) await merge();
      else throw error;
    }
  };

  const save = async (etag = options.record.etag) => {
    if (isSaving || store.dirty().length === 0) return;
    mistakes.clear();
    const dirty = new Set(store.dirty());
    const [broken] = checkAll(fields.filter(({ path }) => dirty.has(path)));
    if (broken !== undefined) {
      focusField(form, broken);
      return;
    }
    setSaving(true);
    // A note or a file reads the record again, and drafts are restored later: others may have changed it before.
    const isAsking =
      store.conflicts().length > 0 && asks(await readChanges(model, options, options.record));
    if (!isAsking) await send(etag).catch((error) => mistakes.show(error, () => void save()));
    setSaving(false);
  };

  /** Saves with the chosen values of the fields that both have changed. */
  const resolve = (chosen: Values) => {
    close();
    store.settle();
    for (const [path, value] of Object.entries(chosen)) store.set(path, value);
    void save();
  };
  const { others } = mistakes;
  return { save: () => void save(), isSaving, others, conflict, resolve, cancelConflict: close };
}

/** The question which value counts where two people have changed the same field. */
function useConflict({ fields, store }: SaveOptions) {
  const [conflict, setConflict] = useState<Conflict>();
  /** Asks if there is such a field, and returns whether there is. */
  const asks = (changes: Changes): boolean => {
    const paths = store.conflicts();
    const sides = { base: store.seen(), mine: store.values(), theirs: store.base() };
    if (paths.length > 0)
      setConflict({ fields: fields.filter(({ path }) => paths.includes(path)), ...sides, changes });
    return paths.length > 0;
  };
  return { conflict, asks, close: () => setConflict(undefined) };
}

/** Reads the record as others have changed it, and takes it as the base of the form. */
async function mergeWithTheirs(model: Model, options: SaveOptions) {
  const { set, recordKey, fields, store } = options;
  const before = store.base();
  const mine = store.dirty();
  const record = await readRecord(model, set, recordKey, options.record.unreadable);
  const after = valuesOf(fields, record.entity);
  const same = sameOf(model, fields);
  store.rebase(after);
  await refreshRecord(set.name, recordKey, record);
  const theirs = Object.keys(after).filter(
    (path) => !mine.includes(path) && !same(path, before[path], after[path]),
  );
  return { record, theirs };
}

/** A function that sends a change and returns the record as it is then. */
function useWrite({ set, recordKey, record }: SaveOptions) {
  const model = useModel();
  const { type, unreadable } = record;
  return useCallback(
    async (body: Entity, etag: string | undefined): Promise<ReadRecord> => {
      const response = await request(
        `${recordPath(set, recordKey, type)}?${queryOf(model, set, type, unreadable)}`,
        {
          method: 'PATCH',
          headers: {
            Prefer: 'return=representation',
            ...(etag === undefined ? {} : { 'If-Match': etag }),
          },
          body,
        },
      );
      const entity = (await response.json()) as Entity;
      const after = {
        entity,
        etag: etagOf(entity) ?? response.headers.get('ETag') ?? undefined,
        type,
        unreadable,
      };
      await refreshRecord(set.name, recordKey, after);
      return after;
    },
    [model, set, recordKey, type, unreadable],
  );
}

/** Offers to undo a change for some seconds, by a message and by Ctrl-Z where no field has the focus. */
function useUndo(write: (body: Entity, etag: string | undefined) => Promise<ReadRecord>) {
  const text = useText();
  const errorText = useErrorText();
  const undo = useRef<() => void>(undefined);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      const target = event.target as HTMLElement | null;
      if (!isUndo || target?.closest('input, textarea, select, [contenteditable]')) return;
      if (undo.current === undefined) return;
      event.preventDefault();
      undo.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (body: Entity, etag: string | undefined) => {
    const run = async () => {
      undo.current = undefined;
      close();
      try {
        await write(body, etag);
        showToast({ kind: 'result', text: text('record.undone') });
      } catch (error) {
        const moved = error instanceof RequestFailed && error.status === 412;
        showToast({ kind: 'failure', text: moved ? text('record.undoMoved') : errorText(error) });
      }
    };
    const current = () => void run();
    undo.current = current;
    const close = showToast({
      kind: 'result',
      text: text('record.saved'),
      action: { label: text('record.undo'), run: current },
      closesAfter: UNDO_TIME,
    });
    setTimeout(() => {
      if (undo.current === current) undo.current = undefined;
    }, UNDO_TIME);
  };
}

/** Reports what others have changed in the meantime. */
function useMergeNote(all: readonly Field[]) {
  const text = useText();
  return (paths: readonly string[], changes: Changes) => {
    const fields = all.filter(({ path, readOnly }) => !readOnly && paths.includes(path));
    const names = [...new Set(fields.flatMap(({ path }) => changes.get(path)?.by ?? []))];
    const labels = fields.map(({ label }) => label).join(', ');
    if (fields.length === 0) return;
    showToast({
      kind: 'result',
      text:
        names.length === 0
          ? text('record.merged', { fields: labels })
          : text('record.mergedBy', { fields: labels, names: names.join(', ') }),
    });
  };
}

/** The latest change of each field, from the history; empty if it cannot be read. */
async function readChanges(
  model: Model,
  { set, recordKey }: SaveOptions,
  record: ReadRecord,
): Promise<Changes> {
  const history = historyMember(model, record.type);
  if (history === undefined) return new Map();
  const path = `${recordPath(set, recordKey, record.type)}/${history.name}`;
  const query = historyQuery(model, history, record.unreadable);
  const { value } = await requestJson<Page>(`${path}?${query}`).catch(() => ({ value: [] }));
  const changes = new Map<string, Change>();
  for (const line of value) {
    const path = String(line.Attribute ?? '');
    if (path === '' || changes.has(path)) continue;
    changes.set(path, { by: authorOf(model, history, line), at: String(line.CreatedAt) });
  }
  return changes;
}
