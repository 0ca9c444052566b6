// This file takes files: dropped, or chosen in the dialog of the browser.
import { Button, Group, Text } from '@mantine/core';
import { type DragEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import classes from './file-drop.module.css';

export function FileDrop({
  onFiles,
  accept,
  hint,
  single,
  children,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  /** The types that the dialog of the browser offers: `.json,.csv`. */
  readonly accept?: string;
  readonly hint: string;
  /** Of one file only: what the button does, and what the file is. */
  readonly single?: { readonly label: string; readonly name: string };
  /** What is wrong with the files. */
  readonly children?: ReactNode;
}) {
  const text = useText();
  const id = useId();
  const [isOver, setOver] = useState(false);
  const label = single?.label ?? text('record.chooseFiles');
  const take = (files: readonly File[]) =>
    onFiles(single === undefined ? files : files.slice(0, 1));
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
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
          {label}
        </Button>
        <input
          id={id}
          type="file"
          multiple={single === undefined}
          accept={accept}
          className="visually-hidden"
          aria-label={single === undefined ? label : `${label}: ${single.name}`}
          onChange={(event) => {
            take([...(event.currentTarget.files ?? [])]);
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
