// This file is the commands of the palette: going to sets and pages, creating records, and preferences.
import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRights } from '../app/rights.ts';
import { switchSingleKeys, useSingleKeys } from '../components/single-keys.ts';
import { LANGUAGE_NAMES, LANGUAGES, useChangeLanguage, useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import { signOut } from '../session/session.ts';
import { type Entry, goLetters } from './palette-entries.ts';

interface Layers {
  readonly close: () => void;
  readonly openHelp: () => void;
}

export interface Commands {
  /** Sets and pages. */
  readonly goTo: readonly Entry[];
  readonly commands: readonly Entry[];
}

export function useCommands(sets: readonly EntitySet[], { close, openHelp }: Layers): Commands {
  const text = useText();
  const navigate = useNavigate();
  const { of, isAdministrator, isRequester } = useRights();
  const letters = new Map([...goLetters(sets)].map(([letter, { name }]) => [name, letter]));
  const to = (path: string) => () => {
    close();
    void navigate({ to: path });
  };
  const pages = [
    ...(isRequester
      ? [{ path: '/portal', label: text('app.portal') }]
      : [
          { path: '/d', label: text('app.dashboards') },
          { path: '/explore', label: text('app.explorer') },
        ]),
    ...(isAdministrator ? [{ path: '/admin', label: text('app.administration') }] : []),
    { path: '/account', label: text('account.title') },
  ];
  const goTo = [
    ...sets.map(({ name, label }) => ({
      id: `set-${name}`,
      label,
      keys: letters.has(name) ? `g ${letters.get(name)}` : undefined,
      run: to(`/s/${name}`),
    })),
    ...pages.map(({ path, label }) => ({ id: `page-${path.slice(1)}`, label, run: to(path) })),
  ];
  const create = sets
    .filter(({ name }) => of(name).Create)
    .map(({ name, label }) => ({
      id: `new-${name}`,
      label: text('palette.newIn', { set: label }),
      run: to(`/new/${name}`),
    }));
  return { goTo, commands: [...create, ...usePreferences({ close, openHelp })] };
}

function usePreferences({ close, openHelp }: Layers): readonly Entry[] {
  const text = useText();
  const changeLanguage = useChangeLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const singleKeys = useSingleKeys();
  const then = (run: () => void) => () => {
    close();
    run();
  };
  const schemes = [
    ['light', 'app.themeLight'],
    ['dark', 'app.themeDark'],
    ['auto', 'app.themeAuto'],
  ] as const;
  return [
    { id: 'help', label: text('palette.keyHelp'), keys: '?', run: openHelp },
    {
      id: 'single-keys',
      label: text(singleKeys ? 'palette.singleKeysOff' : 'palette.singleKeysOn'),
      run: then(() => switchSingleKeys(!singleKeys)),
    },
    ...schemes.map(([scheme, name]) => ({
      id: `scheme-${scheme}`,
      label: `${text('app.theme')}: ${text(name)}`,
      run: then(() => setColorScheme(scheme)),
    })),
    ...LANGUAGES.map((tag) => ({
      id: `language-${tag}`,
      label: `${text('app.language')}: ${LANGUAGE_NAMES[tag]}`,
      run: then(() => changeLanguage(tag)),
    })),
    { id: 'sign-out', label: text('app.signOut'), run: then(() => void signOut()) },
  ];
}
