// This file gives the list its state from the URL, and changes it there.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type ListState, readState } from './list-state.ts';

export interface ListUrl {
  /** What the URL says. */
  readonly own: ListState;
  /** Changes some parts; `replace` leaves no entry in the history, for changes that Back should not undo one by one. */
  readonly change: (part: Partial<ListState>, replace?: boolean) => void;
}

export function useListUrl(): ListUrl {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const own = useMemo(() => readState(search), [search]);
  const change = useCallback(
    (part: Partial<ListState>, replace = false) => {
      void navigate({
        to: '.',
        search: (previous: Readonly<Record<string, unknown>>) =>
          ({ ...previous, ...part }) as Readonly<Record<string, string>>,
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { own, change };
}
