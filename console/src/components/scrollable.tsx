// This file is an area that scrolls, also by the keyboard.
import type { ReactNode } from 'react';
import classes from './scrollable.module.css';

export function Scrollable({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <section
      className={classes.scroll}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without a tab stop, the keyboard could not scroll it.
      tabIndex={0}
    >
      {children}
    </section>
  );
}
