// This file gives the parts of a list its state: that of the saved view with the differences that the URL names, and changes it there.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { SetRights } from '../app/rights.ts';
import { type EntitySet, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { type ListState, readState } from './list-state.ts';
import { useUsable } from './views/left-out.ts';
import { useKeepState } from './views/unnamed-views.ts';
import {
  defaultView,
  differences,
  hasParts,
  NO_VIEW,
  stateIn,
  type View,
  type ViewState,
} from './views/view.ts';
import { useSingleView, useViewer, useViews } from './views/view-store.ts';

export interface ListContext {
  readonly state: ListState;
  /** Changes some parts; `replace` leaves no entry in the history, for changes that Back should not undo one by one. */
  readonly change: (part: Partial<ListState>, replace?: boolean) => void;
  /** The saved view that the list shows. */
  readonly view: View | undefined;
  /** Whether the state differs from that of the view. */
  readonly isModified: boolean;
  /** Parts of the view that do not exist any more, or that the account may not read. */
  readonly leftOut: readonly string[];
  /** Whether the URL names a view that does not exist, or that others keep for themselves. */
  readonly isViewMissing: boolean;
  readonly views: readonly View[];
  readonly viewsError: unknown;
  /** Opens a view as it is stored; undefined for the list of the model. */
  readonly open: (view: View | undefined) => void;
}

const Context = createContext<ListContext | undefined>(undefined);

export function useList(): ListContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('useList is called outside of ListProvider.');
  return context;
}

interface ListProviderProps {
  readonly set: EntitySet;
  readonly rights: SetRights;
  readonly waiting: ReactNode;
  readonly children: ReactNode;
}

export function ListProvider({ set, rights, waiting, children }: ListProviderProps) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const own = useMemo(() => readState(search), [search]);
  const { view, views, isLoading, isMissing, error } = useChosenView(set, own);
  const model = useModel();
  const usable = useUsable(view?.state ?? NOTHING, {
    set: set.name,
    type: typeOfSet(model, set),
    unreadable: rights.Unreadable ?? NONE,
  });
  const open = useOpen(views);
  const change = useChange(set.name, own, {
    view: usable?.state ?? NOTHING,
    ifNone: defaultView(views, useViewer()) === undefined ? undefined : NO_VIEW,
  });
  if (isLoading || usable === undefined) return waiting;
  const state = stateIn(usable.state, own);
  return (
    <Context
      value={{
        state,
        change,
        view,
        isModified: view !== undefined && hasParts(own),
        leftOut: usable.leftOut,
        isViewMissing: isMissing,
        views,
        viewsError: error,
        open,
      }}
    >
      {children}
    </Context>
  );
}

const NOTHING: ViewState = {};
const NONE: readonly string[] = [];
const NO_VIEWS: readonly View[] = [];
/** Characters of the query of a URL: mail programs and proxies cut or reject longer ones. */
const LONGEST_QUERY = 2000;

function useOpen(views: readonly View[]) {
  const navigate = useNavigate();
  const none = defaultView(views, useViewer()) === undefined ? undefined : NO_VIEW;
  return (view: View | undefined) =>
    void navigate({ to: '.', search: { view: view?.uid ?? none } as never, resetScroll: false });
}

interface Base {
  readonly view: ViewState;
  /** What the URL says of its view where it names none. */
  readonly ifNone: string | undefined;
}

/** Writes changes to the URL. A state that is too long for it is stored as a view without a name. */
function useChange(set: string, own: ListState, { view, ifNone }: Base): ListContext['change'] {
  const navigate = useNavigate();
  const keep = useKeepState(set);
  return (part, replace = false) => {
    const searchAfter = (before: ListState): ListState => {
      const next = { ...stateIn(view, before), ...part };
      return { view: before.view ?? ifNone, peek: next.peek, ...differences(view, next) };
    };
    const go = (search: (before: ListState) => ListState) =>
      void navigate({
        to: '.',
        search: (previous: Readonly<Record<string, unknown>>) =>
          search(readState(previous)) as never,
        replace,
        resetScroll: false,
      });
    const { peek, ...parts } = searchAfter(own);
    if (new URLSearchParams(JSON.parse(JSON.stringify(parts))).toString().length <= LONGEST_QUERY) {
      go(searchAfter);
      return;
    }
    const state = { ...stateIn(view, own), ...part };
    // A query that the service does not accept has to be in the URL, so that the list shows what is wrong with it.
    keep.mutateAsync(state).then(
      (uid) => go(() => ({ view: uid, peek })),
      () => go(searchAfter),
    );
  };
}

/** The view that the URL names. A list that is opened without any state shows the default view, which the URL then names. */
function useChosenView(set: EntitySet, own: ListState) {
  const navigate = useNavigate();
  const viewer = useViewer();
  const { data: views = NO_VIEWS, isLoading, error } = useViews(set.name);
  const isOpenedPlain = own.view === undefined && !hasParts(own);
  const wanted = own.view === NO_VIEW ? undefined : own.view;
  const listed = views.find(({ uid }) => uid === wanted);
  const isSingle = wanted !== undefined && !isLoading && listed === undefined;
  const single = useSingleView(isSingle ? wanted : undefined);
  const chosen = isOpenedPlain ? defaultView(views, viewer) : undefined;
  const redirected = chosen?.uid;
  useEffect(() => {
    if (redirected === undefined) return;
    void navigate({
      to: '.',
      search: (previous: Readonly<Record<string, unknown>>) =>
        ({ ...previous, view: redirected }) as never,
      replace: true,
    });
  }, [redirected, navigate]);
  const found = listed ?? single.data;
  const view = found?.set === set.name && found.uid === wanted ? found : undefined;
  return {
    view,
    views,
    error,
    isMissing: isSingle && !single.isLoading && view === undefined,
    isLoading:
      redirected !== undefined ||
      (isLoading && (isOpenedPlain || wanted !== undefined)) ||
      (isSingle && single.isLoading),
  };
}
