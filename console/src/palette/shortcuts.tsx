// This file listens to the keys that work everywhere, and opens the palette and the map of keys. Both are loaded when they are first needed.
import { ActionIcon, Button, Kbd } from '@mantine/core';
import '@mantine/core/styles/Kbd.css';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useRights } from '../app/rights.ts';
import { useKeyNames } from '../components/key-names.ts';
import {
  endSequence,
  isInSequence,
  isSingleKey,
  startSequence,
} from '../components/single-keys.ts';
import { useText } from '../i18n/text.tsx';
import { navigationSets } from '../model/layout.ts';
import type { EntitySet } from '../model/model.ts';
import { useService } from '../model/use-model.tsx';
import { goLetters } from './palette-entries.ts';
import { WaitingField } from './waiting-field.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }));

export type Layer = 'palette' | 'help' | undefined;

export function Shortcuts() {
  const text = useText();
  const keyNames = useKeyNames();
  const sets = useVisibleSets();
  const [layer, setLayer] = useState<Layer>();
  const [early, setEarly] = useState('');
  const opener = useRef<Element | null>(null);
  const open = (next: Layer) => {
    // From one layer to the other, the focus later returns to where it was before the first.
    if (layer === undefined) opener.current = document.activeElement;
    if (next !== layer) setEarly('');
    setLayer(next);
  };
  const close = () => {
    setLayer(undefined);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  useKeys(sets, open);
  return (
    <>
      <ActionIcon
        variant="default"
        hiddenFrom="sm"
        aria-label={text('app.search')}
        onClick={() => open('palette')}
      >
        <svg
          viewBox="0 0 16 16"
          width="16"
          height="16"
          fill="none"
          stroke="currentColor"
          aria-hidden
        >
          <circle cx="7" cy="7" r="4.5" strokeWidth="1.5" />
          <path d="M10.5 10.5 14 14" strokeWidth="1.5" strokeLinecap="round" />
        </svg>
      </ActionIcon>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        aria-keyshortcuts="Control+K"
        rightSection={<Kbd size="xs">{keyNames('Ctrl K')}</Kbd>}
        onClick={() => open('palette')}
      >
        {text('app.search')}
      </Button>
      <Suspense fallback={<WaitingField typed={early} onType={setEarly} close={close} />}>
        {layer === 'palette' && (
          <Palette sets={sets} early={early} close={close} openHelp={() => open('help')} />
        )}
      </Suspense>
      <Suspense>{layer === 'help' && <KeyHelp sets={sets} close={close} />}</Suspense>
    </>
  );
}

/** The sets that the account may read, in the order of the navigation. */
function useVisibleSets(): readonly EntitySet[] {
  const { model, listed } = useService();
  const { setsToRead } = useRights();
  return navigationSets(model, new Set(listed.filter((name) => setsToRead.has(name))));
}

/** The set of the page. */
export function useCurrentSet(): string | undefined {
  const { pathname } = useLocation();
  const match = /\/(?:s|new)\/([^/]+)/.exec(pathname);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
}

function useKeys(sets: readonly EntitySet[], open: (layer: Layer) => void): void {
  const navigate = useNavigate();
  const { of } = useRights();
  const current = useCurrentSet();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        open('palette');
        return;
      }
      if (isSingleKey(event) && single(event.key)) event.preventDefault();
    };
    const single = (key: string): boolean => {
      if (isInSequence()) {
        endSequence();
        return go(key);
      }
      if (key === 'g') startSequence();
      else if (key === '?') open('help');
      else if (key === '/') return focusSearch();
      else if (key === 'c') return create();
      else return false;
      return true;
    };
    const go = (key: string): boolean => {
      const set = goLetters(sets).get(key.toLocaleLowerCase());
      if (set === undefined) return false;
      void navigate({ to: '/s/$set', params: { set: set.name }, search: {} });
      return true;
    };
    const focusSearch = (): boolean => {
      const field = document.querySelector<HTMLInputElement>('input[data-list-search]');
      if (field === null) open('palette');
      else field.focus();
      return true;
    };
    const create = (): boolean => {
      const set = [current, ...sets.map(({ name }) => name)].find(
        (name) => name !== undefined && of(name).Create,
      );
      if (set === undefined) return false;
      void navigate({ to: '/new/$set', params: { set }, search: {} });
      return true;
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}
