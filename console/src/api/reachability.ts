// This file knows whether the service answers, for the banner that is shown while it does not, and its clock.
import { useSyncExternalStore } from 'react';

export interface Reachability {
  readonly kind: 'reachable' | 'unreachable' | 'busy';
  /** Milliseconds since 1970 until when the service asks to wait. */
  readonly until?: number;
}

let state: Reachability = { kind: 'reachable' };
/** Milliseconds by which the clock of the service is ahead of the one of this machine. */
let offset = 0;
const listeners = new Set<() => void>();

function change(next: Reachability): void {
  if (next.kind === state.kind && next.until === state.until) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Takes note of a response: its status, and the time of the service. */
export function noteReachable(response: Response): void {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) offset = date - Date.now();
  const seconds = Number(response.headers.get('Retry-After'));
  const isBusy = (response.status === 503 || response.status === 429) && seconds > 0;
  change(isBusy ? { kind: 'busy', until: Date.now() + seconds * 1000 } : { kind: 'reachable' });
}

export function noteUnreachable(): void {
  change({ kind: 'unreachable' });
}

export function useReachability(): Reachability {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** The present time of the service: milliseconds since 1970. */
export const serviceNow = (): number => Date.now() + offset;
