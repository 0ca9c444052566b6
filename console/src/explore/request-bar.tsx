// This file has the buttons of the explorer: send, copy, earlier requests, and the API reference.
import { Anchor, Button, Group, Kbd } from '@mantine/core';
import '@mantine/core/styles/Kbd.css';
import { CONSOLE_ROOT } from '../app/place.ts';
import { useKeyNames } from '../components/key-names.ts';
import { useText } from '../i18n/text.tsx';
import type { RequestParts } from '../query/request-text.ts';
import { CopyMenu } from './copy-menu.tsx';
import { HistoryMenu } from './history-menu.tsx';

/** Beside the console, below the same proxy. */
const REFERENCE = `${CONSOLE_ROOT.replace(/\/[^/]*$/, '')}/docs/api`;

export function RequestBar({
  parts,
  isRunning,
  onRun,
  onStop,
  onChoose,
}: {
  readonly parts: RequestParts;
  readonly isRunning: boolean;
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly onChoose: (text: string) => void;
}) {
  const text = useText();
  const keyNames = useKeyNames();
  return (
    <Group gap="xs">
      <Button
        size="xs"
        aria-keyshortcuts="Control+Enter"
        onClick={isRunning ? onStop : onRun}
        variant={isRunning ? 'default' : 'filled'}
      >
        {isRunning ? text('common.cancel') : text('explore.send', { method: parts.method })}
      </Button>
      <CopyMenu parts={parts} />
      <HistoryMenu onChoose={onChoose} />
      <Kbd size="xs">{keyNames('Ctrl Enter')}</Kbd>
      <Anchor href={REFERENCE} target="_blank" rel="noreferrer" size="xs" ms="auto">
        {text('explore.reference')}
      </Anchor>
    </Group>
  );
}
