// This file gives a list its rows, and follows their changes while the page is visible.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useLiveChanges } from '../api/live.ts';
import { useLanguage } from '../i18n/text.tsx';
import type { Model, StructuredType } from '../model/model.ts';
import { changesPath, countPath, type ListQuery, rowsPath } from './list-request.ts';
import { RowStore, type RowsState } from './row-store.ts';

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
  useLiveChanges(changesPath(model, type, query), () => void store.check());
  const state = useSyncExternalStore(store.subscribe, store.snapshot);
  return { ...state, store, reload: () => setGeneration((before) => before + 1) };
}
