// This file gives a list its rows, and looks for changes while the page is visible.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useLanguage } from '../i18n/text.tsx';
import type { Model, StructuredType } from '../model/model.ts';
import { countPath, type ListQuery, rowsPath } from './list-request.ts';
import { RowStore, type RowsState } from './row-store.ts';

/** Milliseconds between looks for changes. */
const CHECK_EVERY = 60_000;

export interface Rows extends RowsState {
  readonly store: RowStore;
  /** Reads the list again from its start. */
  readonly reload: () => void;
}

export function useRows(model: Model, type: StructuredType, query: ListQuery): Rows {
  const [generation, setGeneration] = useState(0);
  const language = useLanguage();
  const path = rowsPath(model, type, query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path and the language decide about the rows, and a reload starts again.
  const store = useMemo(
    () =>
      new RowStore({
        type,
        pathAfter: (skip) => rowsPath(model, type, query, skip),
        countPath: countPath(query),
      }),
    [path, generation, language],
  );
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  useChecks(store);
  const state = useSyncExternalStore(store.subscribe, store.snapshot);
  return { ...state, store, reload: () => setGeneration((before) => before + 1) };
}

function useChecks(store: RowStore): void {
  useEffect(() => {
    const check = () => {
      if (document.visibilityState === 'visible') void store.check();
    };
    const timer = setInterval(check, CHECK_EVERY);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, [store]);
}
