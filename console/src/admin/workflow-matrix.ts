// This file is a workflow as a matrix: from each state to each other one, by transitions of the model and by rows that change them.

export interface State {
  /** The value of the code. */
  readonly value: string;
  readonly label: string;
}

/** A transition as AllowedTransitions reports it for an entity in its first state. */
export interface Declared {
  readonly symbol: string;
  readonly from: string;
  readonly to: string;
  readonly takers: readonly string[];
  readonly needsComment: boolean;
  readonly clocks: readonly { readonly clock: string; readonly effect: string }[];
}

/** An entity of the set Transitions. */
export interface Row {
  /** Undefined before it is stored. */
  readonly uid: string | undefined;
  readonly etag: string | undefined;
  readonly symbol: string;
  /** Undefined: from every state. */
  readonly from: string | undefined;
  readonly to: string;
  readonly guard: string;
  readonly required: readonly string[];
  /** Names of roles. */
  readonly roles: readonly string[];
  readonly needsComment: boolean;
  readonly isBlocked: boolean;
}

export interface Cell {
  readonly declared: readonly Declared[];
  readonly rows: readonly Row[];
  readonly kind: 'none' | 'declared' | 'changed' | 'blocked';
}

export interface Workflow {
  readonly states: readonly State[];
  readonly declared: readonly Declared[];
  readonly rows: readonly Row[];
  /** States of which no entity exists: their declared transitions are not known. */
  readonly unknown: ReadonlySet<string>;
}

export function cellOf({ declared, rows }: Workflow, from: string, to: string): Cell {
  const mine = rows.filter((row) => row.to === to && (row.from === undefined || row.from === from));
  const model = declared.filter((one) => one.from === from && one.to === to);
  return { declared: model, rows: mine, kind: kindOf(model, mine) };
}

function kindOf(declared: readonly Declared[], rows: readonly Row[]): Cell['kind'] {
  // The service reports blocked transitions no longer, so what it reports is possible.
  if (declared.length > 0) return rows.some(({ isBlocked }) => !isBlocked) ? 'changed' : 'declared';
  if (rows.some(({ isBlocked }) => !isBlocked)) return 'changed';
  return rows.length > 0 ? 'blocked' : 'none';
}

export interface Finding {
  readonly kind: 'unreachable' | 'dead-end';
  readonly state: State;
}

/** States without transitions to them, and states without transitions from them. Both are right for some states, so they are only hints. */
export function findings(workflow: Workflow): readonly Finding[] {
  const { states, unknown } = workflow;
  const leads = (from: State, to: State) => {
    const { kind } = cellOf(workflow, from.value, to.value);
    return from.value !== to.value && (kind === 'declared' || kind === 'changed');
  };
  return states.flatMap((state): readonly Finding[] => {
    const isReached = states.some((from) => leads(from, state) || unknown.has(from.value));
    const isLeft = unknown.has(state.value) || states.some((to) => leads(state, to));
    return [
      ...(isReached ? [] : [{ kind: 'unreachable' as const, state }]),
      ...(isLeft ? [] : [{ kind: 'dead-end' as const, state }]),
    ];
  });
}

/** A new row for a cell: it replaces the transition of the model there, or adds one. */
export function newRow({ declared }: Cell, from: string, to: string, name: string): Row {
  const [model] = declared;
  return {
    uid: undefined,
    etag: undefined,
    symbol: model?.symbol ?? name,
    from,
    to,
    guard: '',
    required: [],
    roles: model?.takers ?? [],
    needsComment: model?.needsComment ?? false,
    isBlocked: false,
  };
}
