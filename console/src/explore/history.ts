// This file remembers the requests of each account, in memory: they may contain what nobody else should see.
import { useSyncExternalStore } from 'react';
import { onSignOut, sessionState } from '../session/session.ts';

export interface Sent {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const LENGTH = 50;
const NOTHING: readonly Sent[] = [];
const histories = new Map<string, readonly Sent[]>();
const listeners = new Set<() => void>();

onSignOut(async () => change(() => histories.clear()));

function change(work: () => void): void {
  work();
  for (const listener of listeners) listener();
}

function accountId(): string | undefined {
  const state = sessionState();
  return state.kind === 'signed-in' ? state.grant.Account.Uid : undefined;
}

/** Adds a request at the front. One that was sent before moves there. */
export function remember(text: string): void {
  const account = accountId();
  if (account === undefined) return;
  const others = (histories.get(account) ?? []).filter((sent) => sent.text !== text);
  const entry = { text, at: Date.now() };
  change(() => histories.set(account, [entry, ...others].slice(0, LENGTH)));
}

/** The requests of the account, the latest first. */
export function useHistory(): readonly Sent[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => histories.get(accountId() ?? '') ?? NOTHING,
  );
}
