// This file defines what the checks of `docket doctor` find.

/** Problems need action; warnings may be intended. */
type State = 'ok' | 'warning' | 'problem';

export interface Finding {
  /** What was checked: `certificate`. */
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly explanation: string;
  /** What to do; absent if nothing is wrong. */
  readonly remedy?: string;
}

export function ok(check: string, explanation: string): Finding {
  return { check, state: 'ok', explanation };
}

export function warning(check: string, explanation: string, remedy: string): Finding {
  return { check, state: 'warning', explanation, remedy };
}

export function problem(check: string, explanation: string, remedy: string): Finding {
  return { check, state: 'problem', explanation, remedy };
}
