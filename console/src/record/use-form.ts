// This file makes the store of a form for React: one store per record, fields that follow their own values, and drafts.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { checkValue } from '../components/inputs/check-value.ts';
import { useLanguage, useText } from '../i18n/text.tsx';
import type { Model } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { useSession } from '../session/use-session.ts';
import { type Draft, draftId, eraseDraft, eraseOldDrafts, readDraft, saveDraft } from './drafts.ts';
import type { AddedProperties } from './dynamic-fields.tsx';
import type { Field } from './fields.ts';
import { type FieldError, type FieldState, FormStore } from './form-store.ts';
import { sameValue, type Values } from './values.ts';

/** Compares values by the members of the fields. */
export function sameOf(model: Model, fields: readonly Field[]) {
  const members = new Map(fields.map(({ path, member }) => [path, member]));
  return (path: string, one: unknown, other: unknown): boolean => {
    const member = members.get(path);
    return member === undefined || sameValue(model, member, one, other);
  };
}

/** The store of a form, which takes each new base without touching what was typed. */
export function useFormStore(fields: readonly Field[], base: Values, given?: Values): FormStore {
  const model = useModel();
  const same = useRef(sameOf(model, fields));
  same.current = sameOf(model, fields);
  const [store] = useState(
    () => new FormStore(base, (path, one, other) => same.current(path, one, other), given),
  );
  const last = useRef(base);
  useEffect(() => {
    if (last.current === base) return;
    last.current = base;
    store.rebase(base);
  }, [store, base]);
  return store;
}

export const useField = (store: FormStore, path: string): FieldState =>
  useSyncExternalStore(store.subscribe, () => store.field(path));

export const useDirty = (store: FormStore): readonly string[] =>
  useSyncExternalStore(store.subscribe, store.dirty);

export const useErrors = (store: FormStore): ReadonlyMap<string, FieldError> =>
  useSyncExternalStore(store.subscribe, store.errors);

/** A function that puts the mistake of a field into words. */
export function useFieldErrorText(): (error: FieldError | undefined) => string | undefined {
  const text = useText();
  return (error) =>
    error === undefined || typeof error === 'string' ? error : text(error.name, error.values);
}

/** Checks fields by the rules of the metadata. Returns the paths of those that break one. */
export function useChecks(store: FormStore): {
  readonly check: (field: Field) => void;
  readonly checkAll: (fields: readonly Field[]) => readonly string[];
} {
  const language = useLanguage();
  return useMemo(() => {
    const mistakeOf = ({ path, member, required }: Field) =>
      checkValue(member, store.field(path).value, { required, language });
    return {
      check: (field) => {
        const mistake = mistakeOf(field);
        // What the service has said stays until the value changes.
        const isOwn = typeof store.field(field.path).error !== 'string';
        if (mistake !== undefined || isOwn) store.setError(field.path, mistake);
      },
      checkAll: (fields) => {
        const found = fields.flatMap((field) => {
          const mistake = field.readOnly ? undefined : mistakeOf(field);
          return mistake === undefined ? [] : [[field.path, mistake] as const];
        });
        store.setErrors(new Map(found));
        return found.map(([path]) => path);
      },
    };
  }, [store, language]);
}

/** Milliseconds after the last key. */
const PAUSE = 300;

export interface Drafts {
  /** When the restored draft was typed; undefined without one. */
  readonly restoredAt: number | undefined;
  /** Drops what was restored and typed. */
  readonly discard: () => void;
  /** Erases the draft after its values were saved. */
  readonly erase: () => void;
}

/**
 * Keeps changes of a form as a draft of the account, and restores them when the form opens.
 * @param properties the dynamic properties that were added, which are part of the draft
 */
export function useDrafts(store: FormStore, form: string, properties: AddedProperties): Drafts {
  const session = useSession();
  const account = session.kind === 'signed-in' ? session.grant.Account.Uid : undefined;
  const id = account === undefined ? undefined : draftId(account, form);
  const [restoredAt, setRestoredAt] = useState<number>();
  const dynamic = useRef(properties);
  dynamic.current = properties;
  useEffect(() => {
    if (id === undefined || account === undefined) return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let dirty = store.dirty();
    let saved = JSON.stringify(dirtyValues(store));
    const keep = () => {
      const values = dirtyValues(store);
      const isEmpty = Object.keys(values).length === 0;
      const { added } = dynamic.current;
      const seen = pick(store.seen(), store.dirty());
      const draft: Draft = { id, account, values, seen, added, at: Date.now() };
      void (isEmpty ? eraseDraft(id) : saveDraft(draft)).catch(() => undefined);
    };
    const stop = store.subscribe(() => {
      const now = JSON.stringify(dirtyValues(store));
      if (now === saved && dirty === store.dirty()) return;
      saved = now;
      dirty = store.dirty();
      clearTimeout(timer);
      timer = setTimeout(keep, PAUSE);
    });
    void eraseOldDrafts().catch(() => undefined);
    void readDraft(id)
      .catch(() => undefined)
      .then((draft) => {
        if (!isCurrent || draft === undefined || store.dirty().length > 0) return;
        const { add } = dynamic.current;
        const added = add === undefined ? {} : (draft.added ?? {});
        for (const [name, kind] of Object.entries(added)) add?.(name, kind);
        const values = Object.entries(draft.values).filter(
          ([path]) => path in store.base() || path in added,
        );
        store.restore(Object.fromEntries(values), draft.seen ?? {});
        // An added property has no field yet, so that its value does not count as changed.
        const isChanged = store.dirty().length > 0 || values.some(([path]) => path in added);
        if (isChanged) setRestoredAt(draft.at);
      });
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      stop();
    };
  }, [store, id, account]);
  return useMemo(() => {
    const erase = () => {
      setRestoredAt(undefined);
      if (id !== undefined) void eraseDraft(id).catch(() => undefined);
    };
    const discard = () => {
      store.reset(store.base());
      erase();
    };
    return { restoredAt, discard, erase };
  }, [store, id, restoredAt]);
}

const dirtyValues = (store: FormStore): Values => pick(store.values(), store.dirty());

const pick = (values: Values, paths: readonly string[]): Values =>
  Object.fromEntries(paths.map((path) => [path, values[path]]));
