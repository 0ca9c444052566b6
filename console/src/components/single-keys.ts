// This file knows whether single letters are commands, and which keys an event is about (WCAG 2.2, 2.1.4 "Character Key Shortcuts").
import { useSyncExternalStore } from 'react';

/** A preference, not a secret. */
const STORED = 'docket.singleKeys';
const listeners = new Set<() => void>();

const areSingleKeysOn = (): boolean => localStorage.getItem(STORED) !== 'off';

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(STORED, on ? 'on' : 'off');
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areSingleKeysOn);
}

/** Milliseconds within which a letter has to follow `g`. */
const SEQUENCE = 1500;
let goSince = 0;

/** Called with `g`: the next letter names where to go, whatever has the focus. */
export function startSequence(): void {
  goSince = Date.now();
}

export const isInSequence = (): boolean => goSince > Date.now() - SEQUENCE;

/** Whether letters are commands of what has the focus. */
export const areLettersCommands = (): boolean => areSingleKeysOn() && !isInSequence();

export function endSequence(): void {
  goSince = 0;
}

/** Whether a key is a command of its own: not text, not a shortcut of the browser, and not switched off. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  return areSingleKeysOn() && !isHeld && !isTyping(event);
}

/** Whether a key belongs to the field that has the focus, or to text that is being composed. */
function isTyping(event: KeyboardEvent): boolean {
  if (event.isComposing) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('[role="dialog"],[role="menu"]') !== null)
    return true;
  if (target instanceof HTMLInputElement) return !/^(?:checkbox|radio|button)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
