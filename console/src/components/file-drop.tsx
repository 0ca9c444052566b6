// This file takes files: dropped, or chosen in the dialog of the browser.
import { Button, Group, Text } from '@mantine/core';
import { type DragEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import classes from './file-drop.module.css';

export function FileDrop({
  onFiles,
  accept,
  hint,
  children,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  /** The types that the dialog of the browser offers: `.json,.csv`. */
  readonly accept?: string;
  readonly hint: string;
  /** What is wrong with the files. */
  readonly children?: ReactNode;
}) {
  const text = useText();
  const id = useId();
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same.
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Group gap="sm">
        <Button component="label" htmlFor={id} variant="default" size="xs">
          {text('record.chooseFiles')}
        </Button>
        <input
          id={id}
          type="file"
          multiple
          accept={accept}
          className="visually-hidden"
          aria-label={text('record.chooseFiles')}
          onChange={(event) => {
            onFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      </Group>
      {children}
    </div>
  );
}
