// This file takes what is typed before the palette has been loaded.
import { createPortal } from 'react-dom';
import { useText } from '../i18n/text.tsx';
import classes from './palette.module.css';

/** Gives a field the focus when it is drawn, with the caret after its text: the next key belongs to it. */
export function takeFocus(field: HTMLInputElement | null): void {
  if (field === null) return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(field.value.length, field.value.length);
}

export function WaitingField({
  typed,
  onType,
  close,
}: {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly close: () => void;
}) {
  const text = useText();
  return createPortal(
    <div role="dialog" aria-label={text('app.search')} className={classes.waiting}>
      <input
        ref={takeFocus}
        className={classes.input}
        aria-label={text('app.search')}
        placeholder={text('palette.placeholder')}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key === 'Tab') event.preventDefault();
        }}
      />
    </div>,
    document.body,
  );
}
