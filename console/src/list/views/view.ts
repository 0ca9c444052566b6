// This file is what a saved view keeps of a list, as text: query options that other programs can use too, and columns and grouping as JSON.
import { searchText } from '../../model/search-text.ts';
import { columnsText, type ListState, readColumns } from '../list-state.ts';

/** The parts of a list's state that belong to a view. */
const VIEW_PARTS = ['filter', 'orderby', 'q', 'cols', 'group'] as const;

export type ViewState = Pick<ListState, (typeof VIEW_PARTS)[number]>;

/** In a URL: no view, although there is a default one. */
export const NO_VIEW = 'none';

/** The text of a view as the service stores it. */
export interface ViewText {
  readonly Query: string | null;
  readonly Layout: string | null;
}

const OPTIONS = { $filter: 'filter', $orderby: 'orderby', $search: 'q' } as const;

export function readView({ Query, Layout }: ViewText): ViewState {
  const layout = readLayout(Layout);
  const options = (Query ?? '').split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).replace(/^(?=[a-z])/, '$');
    const part = OPTIONS[name as keyof typeof OPTIONS];
    const value = decoded(pair.slice(at + 1));
    return part === undefined || value === '' ? [] : [[part, value] as const];
  });
  return { ...Object.fromEntries(options), ...layout };
}

export function printView(state: ViewState): ViewText {
  const options = [
    ['$filter', state.filter],
    ['$search', searchText(state.q)],
    ['$orderby', state.orderby],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const columns = readColumns(state.cols)?.map((column) => columnsText([column]));
  return { Query: options.join('&'), Layout: JSON.stringify({ columns, group: state.group }) };
}

function readLayout(text: string | null): Pick<ViewState, 'cols' | 'group'> {
  const layout = parsed(text);
  const columns = Array.isArray(layout.columns)
    ? layout.columns.filter((column) => typeof column === 'string' && column !== '')
    : [];
  return {
    ...(columns.length === 0 ? {} : { cols: columns.join(',') }),
    ...(typeof layout.group === 'string' && layout.group !== '' ? { group: layout.group } : {}),
  };
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text ?? '{}') ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** A `%` that is none of an encoding stays. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The state of a list: that of the view, with what the URL says otherwise. An empty text in the URL leaves out a part of the view. */
export function stateIn(view: ViewState, own: ListState): ListState {
  const parts = VIEW_PARTS.map((name) => [name, (own[name] ?? view[name]) || undefined] as const);
  return { ...own, ...Object.fromEntries(parts) };
}

/** What a URL has to say so that the list has a state: the parts that differ from the view. */
export function differences(view: ViewState, state: ViewState): ViewState {
  const parts = VIEW_PARTS.map((name) => {
    const value = state[name] || undefined;
    return [name, value === view[name] ? undefined : (value ?? '')] as const;
  });
  return Object.fromEntries(parts);
}

/** Whether a URL has parts of a state, which then count instead of the default view. */
export const hasParts = (own: ListState): boolean =>
  VIEW_PARTS.some((name) => own[name] !== undefined);

/** A view as its set has it. */
export interface View {
  readonly uid: string;
  readonly etag: string | undefined;
  /** The set whose list it is. */
  readonly set: string;
  /** Undefined for a view that only keeps what is too long for a URL. */
  readonly name: string | undefined;
  readonly owner: string;
  readonly sharing: Sharing;
  readonly isDefault: boolean;
  readonly state: ViewState;
}

/** Who sees a view besides its owner. */
export interface Sharing {
  readonly scope: 'own' | 'workgroup' | 'role' | 'everybody';
  /** The key of the workgroup or role. */
  readonly key?: string | undefined;
}

/** The account that looks at views. */
export interface Viewer {
  readonly loginName: string;
  readonly isAdministrator: boolean;
}

/** Owners change what is theirs unless it is shared with a role or everybody, which only administrators do. */
export function mayChange({ owner, sharing }: View, viewer: Viewer): boolean {
  const isPrivate = sharing.scope === 'own' || sharing.scope === 'workgroup';
  return viewer.isAdministrator || (owner === viewer.loginName && isPrivate);
}

const PRECEDENCE = ['own', 'workgroup', 'role', 'everybody'] as const;

/**
 * The view that a list opens with: the person's own default, else that of a workgroup, of a role, or of everybody. Administrators see
 * the views of all workgroups and roles, which do not concern them for that.
 */
export function defaultView(views: readonly View[], viewer: Viewer): View | undefined {
  const candidates = views.filter(
    ({ isDefault, owner, sharing: { scope } }) =>
      isDefault &&
      (owner === viewer.loginName ||
        scope === 'everybody' ||
        (scope !== 'own' && !viewer.isAdministrator)),
  );
  for (const scope of PRECEDENCE) {
    const found = candidates.find(({ sharing }) => sharing.scope === scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The other views that would compete with a default one for the same people. */
export function rivals(views: readonly View[], view: View, viewer: Viewer): readonly View[] {
  return views.filter(
    (other) =>
      other.uid !== view.uid &&
      other.isDefault &&
      other.sharing.scope === view.sharing.scope &&
      other.sharing.key === view.sharing.key &&
      (view.sharing.scope !== 'own' || other.owner === view.owner) &&
      mayChange(other, viewer),
  );
}

/** Milliseconds that a view without a name is kept. Links to it work until then. */
const KEPT = 90 * 24 * 3_600_000;

/** A view without a name. */
export interface UnnamedView extends ViewText {
  readonly Uid: string;
  readonly EntitySet: string;
  readonly Modified: string;
}

/** The view that has the state already, and the keys of those that are no longer kept. */
export function sortOut(
  views: readonly UnnamedView[],
  wanted: Omit<UnnamedView, 'Uid' | 'Modified'>,
  now: number,
): { readonly same: string | undefined; readonly outdated: readonly string[] } {
  const same = views.find(
    ({ EntitySet, Query, Layout }) =>
      EntitySet === wanted.EntitySet && Query === wanted.Query && Layout === wanted.Layout,
  )?.Uid;
  const outdated = views
    .filter(({ Uid, Modified }) => Uid !== same && now - Date.parse(Modified) > KEPT)
    .map(({ Uid }) => Uid);
  return { same, outdated };
}
