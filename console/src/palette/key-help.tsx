// This file shows the keys of the console, and switches single letters off for those whom they disturb.
import { Checkbox, Kbd, Title } from '@mantine/core';
import { Dialog } from '../components/dialog.tsx';
import { useKeyNames } from '../components/key-names.ts';
import { switchSingleKeys, useSingleKeys } from '../components/single-keys.ts';
import { type TextName, useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import classes from './palette.module.css';
import { goLetters } from './palette-entries.ts';

const EVERYWHERE: readonly (readonly [string, TextName])[] = [
  ['Ctrl K', 'palette.keyPalette'],
  ['/', 'palette.keySearch'],
  ['?', 'palette.keyHelp'],
  ['c', 'palette.keyCreate'],
  ['Esc', 'palette.keyClose'],
];

const LIST: readonly (readonly [string, TextName])[] = [
  ['↑ ↓ j k', 'palette.keyRows'],
  ['Home End', 'palette.keyCells'],
  ['Ctrl Home, Ctrl End', 'palette.keyEnds'],
  ['Enter', 'palette.keyOpen'],
  ['Space', 'palette.keyPreview'],
  ['x', 'palette.keySelect'],
  ['Shift ↑ ↓', 'palette.keyExtend'],
  ['Ctrl A', 'palette.keyAll'],
  ['f', 'palette.keyFilter'],
  ['s a p', 'palette.keyQuick'],
  ['F2', 'palette.keyEdit'],
  ['Ctrl C', 'palette.keyCopy'],
];

export function KeyHelp({
  sets,
  close,
}: {
  readonly sets: readonly EntitySet[];
  readonly close: () => void;
}) {
  const text = useText();
  const singleKeys = useSingleKeys();
  const go = [...goLetters(sets)].map(([letter, { label }]) => [`g ${letter}`, label] as const);
  const named = (keys: readonly (readonly [string, TextName])[]) =>
    keys.map(([key, name]) => [key, text(name)] as const);
  return (
    <Dialog onClose={close} size="lg" title={text('palette.keyHelp')}>
      <Checkbox
        mb="md"
        label={text('palette.singleKeys')}
        checked={singleKeys}
        onChange={(event) => switchSingleKeys(event.currentTarget.checked)}
      />
      <Keys title={text('palette.everywhere')} keys={named(EVERYWHERE)} />
      <Keys title={text('palette.inLists')} keys={named(LIST)} />
      <Keys title={text('palette.sets')} keys={go} />
    </Dialog>
  );
}

function Keys({
  title,
  keys,
}: {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}) {
  const keyNames = useKeyNames();
  return (
    <>
      <Title order={3} size="h6" mb="xs">
        {title}
      </Title>
      <dl className={classes.keys}>
        {keys.map(([key, meaning]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>
              <Kbd>{keyNames(key)}</Kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
