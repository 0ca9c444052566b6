// This file gives components the texts of the console in the language of the user. Texts are ICU messages, one file per language and area;
// a language is loaded when it is needed.
import { IntlMessageFormat } from 'intl-messageformat';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { setRequestLanguage } from '../api/client.ts';
import type { Messages } from './messages/en/index.ts';

export const LANGUAGES = ['en', 'nl', 'de', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  nl: 'Nederlands',
  de: 'Deutsch',
  fr: 'Français',
};

/** The name of a text: `list.noRows`. */
export type TextName = keyof Messages;
export type TextValues = Readonly<Record<string, string | number | Date>>;

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly messages: Messages }>>> = {
  en: async () => await import('./messages/en/index.ts'),
  nl: async () => await import('./messages/nl/index.ts'),
  de: async () => await import('./messages/de/index.ts'),
  fr: async () => await import('./messages/fr/index.ts'),
};

interface Texts {
  readonly language: Language;
  readonly change: (language: Language) => void;
  /** Uses the language of the account, unless one was chosen in this browser. */
  readonly prefer: (tag: string | undefined) => void;
  readonly format: (name: TextName, values?: TextValues) => string;
}

const TextContext = createContext<Texts | undefined>(undefined);

function useTexts(): Texts {
  const texts = useContext(TextContext);
  if (texts === undefined) throw new Error('Texts are used outside of TextProvider.');
  return texts;
}

/** A function that returns the text of a name in the language of the user. */
export const useText = (): Texts['format'] => useTexts().format;
export const useLanguage = (): Language => useTexts().language;
export const useChangeLanguage = (): Texts['change'] => useTexts().change;
export const usePreferLanguage = (): Texts['prefer'] => useTexts().prefer;

/** A preference, not a secret: it decides the language before anybody has signed in. */
const STORED = 'docket.language';

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages];
  const tags = wanted.map((tag) => tag?.split('-')[0]);
  return LANGUAGES.find((language) => tags.find((tag) => isLanguage(tag)) === language) ?? 'en';
}

function isLanguage(tag: string | undefined | null): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

export function TextProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const [loaded, setLoaded] = useState<{ language: Language; messages: Messages }>();
  useEffect(() => {
    let isCurrent = true;
    void LOADERS[language]().then(({ messages }) => {
      if (!isCurrent) return;
      setRequestLanguage(language);
      document.documentElement.lang = language;
      setLoaded({ language, messages });
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);
  const change = useCallback((next: Language) => {
    localStorage.setItem(STORED, next);
    setLanguage(next);
  }, []);
  const prefer = useCallback((tag: string | undefined) => {
    const preferred = tag?.split('-')[0];
    if (localStorage.getItem(STORED) === null && isLanguage(preferred)) setLanguage(preferred);
  }, []);
  const texts = useMemo(
    () => loaded && { language: loaded.language, change, prefer, format: formatter(loaded) },
    [loaded, change, prefer],
  );
  if (texts === undefined) return null;
  return <TextContext.Provider value={texts}>{children}</TextContext.Provider>;
}

/** What a message has that is more than text: arguments, tags, or an apostrophe that is written twice. */
const SYNTAX = /[{<]|''/;

/** Letters that are written from right to left, and characters that change the direction. */
const DIRECTED = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Isolates such values, which would otherwise change the direction of the message around them. */
function isolate(values: TextValues): TextValues {
  const isolated = Object.entries(values).map(([name, value]) => {
    const isDirected = typeof value === 'string' && DIRECTED.test(value);
    return [name, isDirected ? `\u2068${value}\u2069` : value] as const;
  });
  return Object.fromEntries(isolated);
}

/**
 * Formats messages; each is parsed once. Those that are only text are not parsed: the first parsed one loads data of the language, which takes
 * a slow processor a tenth of a second before anybody can sign in.
 */
function formatter({ language, messages }: { language: Language; messages: Messages }) {
  const parsed = new Map<TextName, IntlMessageFormat>();
  return (name: TextName, values?: TextValues): string => {
    if (!SYNTAX.test(messages[name])) return messages[name];
    const message = parsed.get(name) ?? new IntlMessageFormat(messages[name], language);
    parsed.set(name, message);
    return String(message.format(values && isolate(values)));
  };
}
