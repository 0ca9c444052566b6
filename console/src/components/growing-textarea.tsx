// This file is a text of several lines that grows with its content. CSS does so: measuring in a script costs a layout for each field.
import { Textarea, type TextareaProps } from '@mantine/core';
import type { CSSProperties, Ref } from 'react';
import classes from './growing-textarea.module.css';

/** Browsers without `field-sizing` show `minRows` lines, and people can make it higher. */
export function GrowingTextarea({
  minRows,
  maxRows = 16,
  ...props
}: Omit<TextareaProps, 'autosize' | 'rows' | 'resize'> & {
  readonly minRows: number;
  readonly maxRows?: number;
  readonly ref?: Ref<HTMLTextAreaElement>;
}) {
  return (
    <Textarea
      {...props}
      rows={minRows}
      resize="vertical"
      classNames={{ input: classes.input ?? '' }}
      styles={{ input: { '--least': minRows, '--most': maxRows } as CSSProperties }}
    />
  );
}
