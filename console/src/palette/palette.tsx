// This file is the command palette: one field that finds commands, sets and records. Records come after the rest, so that nothing moves below
// the arrow keys when they arrive.
import { Kbd, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import classes from './palette.module.css';
import { type Entry, matching, searchedSets } from './palette-entries.ts';
import { useCurrentSet } from './shortcuts.tsx';
import { useCommands } from './use-commands.ts';
import { useRecords } from './use-records.ts';
import { takeFocus } from './waiting-field.tsx';

interface PaletteProps {
  readonly sets: readonly EntitySet[];
  /** What was typed before the palette was there. */
  readonly early: string;
  readonly close: () => void;
  readonly openHelp: () => void;
}

interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

export function Palette(props: PaletteProps) {
  const text = useText();
  const id = useId();
  const [typed, setTyped] = useState(props.early);
  const [place, setPlace] = useState(0);
  const { groups, isSearching } = useFound(props, typed);
  const all = groups.flatMap(({ entries }) => entries);
  const active = all[Math.min(place, all.length - 1)];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPlace((place + step + all.length) % Math.max(1, all.length));
    else if (event.key === 'Enter') active?.run();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      onClose={props.close}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="10vh"
      attributes={{ content: { 'aria-label': text('app.search') } }}
    >
      <input
        className={classes.input}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
        aria-label={text('app.search')}
        placeholder={text('palette.placeholder')}
        data-autofocus
        ref={takeFocus}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={text('palette.results')} className={classes.list}>
        {groups.map((group) => (
          <GroupOfOptions key={group.name} group={group} active={active} listId={id} />
        ))}
      </div>
      <Text size="sm" c="dimmed" px="md" py="xs" role="status">
        {isSearching && text('common.searching')}
        {!isSearching && all.length === 0 && text('common.nothingFound')}
      </Text>
    </Dialog>
  );
}

/** What matches what was typed. */
function useFound({ sets, close, openHelp }: PaletteProps, typed: string) {
  const text = useText();
  const current = useCurrentSet();
  const { goTo, commands } = useCommands(sets, { close, openHelp });
  const records = useRecords(searchedSets(sets, current), typed, close);
  const groups: readonly Group[] = [
    { name: text('palette.sets'), entries: matching(goTo, typed) },
    { name: text('palette.commands'), entries: matching(commands, typed) },
    { name: text('palette.records'), entries: records.entries },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: records.isSearching,
  };
}

function GroupOfOptions({
  group: { name, entries },
  active,
  listId,
}: {
  readonly group: Group;
  readonly active: Entry | undefined;
  readonly listId: string;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: groups of options are no fieldsets.
    <div role="group" aria-label={name}>
      <div className={classes.group} aria-hidden>
        {name}
      </div>
      {entries.map((entry) => (
        <Option
          key={entry.id}
          id={`${listId}-${entry.id}`}
          entry={entry}
          isActive={entry === active}
        />
      ))}
    </div>
  );
}

function Option({
  id,
  entry,
  isActive,
}: {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
    <div
      id={id}
      ref={element}
      role="option"
      aria-selected={isActive}
      className={classes.option}
      onClick={entry.run}
    >
      <span className={classes.label}>{entry.label}</span>
      {entry.detail !== undefined && <span className={classes.detail}>{entry.detail}</span>}
      {entry.keys !== undefined && (
        <Kbd size="xs" aria-hidden>
          {entry.keys}
        </Kbd>
      )}
    </div>
  );
}
