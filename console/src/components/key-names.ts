// This file names keys as they are printed on keyboards in the language of the user.
import { type TextName, useText } from '../i18n/text.tsx';

const NAMED: Readonly<Record<string, TextName>> = {
  Ctrl: 'common.keyCtrl',
  Shift: 'common.keyShift',
  Space: 'common.keySpace',
  Enter: 'common.keyEnter',
  Home: 'common.keyHome',
  End: 'common.keyEnd',
};

/** A function that names the keys in a text: `Ctrl K`. */
export function useKeyNames(): (keys: string) => string {
  const text = useText();
  return (keys) =>
    keys.replace(/[A-Z][a-z]+/g, (key) => {
      const name = NAMED[key];
      return name === undefined ? key : text(name);
    });
}
