// This file makes the browser's checks of forms speak the language of the console: the browser itself has the language of its own menus.
import { useEffect } from 'react';
import { type TextName, useText } from '../i18n/text.tsx';

type Checked = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isChecked = (target: EventTarget | null): target is Checked =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement;

/** What the browser finds wrong, as a text of the console; undefined for what no form of the console checks. */
function mistakeOf({ validity }: Checked): TextName | undefined {
  if (validity.valueMissing) return 'inputs.required';
  if (validity.badInput) return 'inputs.notNumber';
  if (validity.typeMismatch) return 'inputs.notAddress';
  return undefined;
}

/** Names mistakes when a form reports them, and forgets them when the value changes. */
export function useNativeChecks(): void {
  const text = useText();
  useEffect(() => {
    const name = ({ target }: Event) => {
      if (!isChecked(target)) return;
      const mistake = mistakeOf(target);
      if (mistake !== undefined) target.setCustomValidity(text(mistake));
    };
    const forget = ({ target }: Event) => {
      if (isChecked(target)) target.setCustomValidity('');
    };
    const events = [
      ['invalid', name],
      ['input', forget],
      ['change', forget],
    ] as const;
    for (const [type, listen] of events) document.addEventListener(type, listen, true);
    return () => {
      for (const [type, listen] of events) document.removeEventListener(type, listen, true);
    };
  }, [text]);
}
