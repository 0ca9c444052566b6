// This file has the inputs that are typed: texts of one and several lines, numbers, and durations.
import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { isLongText } from '../../model/layout.ts';
import { GrowingTextarea } from '../growing-textarea.tsx';
import { durationInput, parseDuration } from './duration-text.ts';
import { type InputProps, wrapperProps } from './input-props.ts';
import { isIntegerType, numberInput, parseNumber } from './number-text.ts';

export function StringInput(props: InputProps<string>) {
  const { member, value, onChange, readOnly = false } = props;
  const shared = {
    ...wrapperProps(props),
    value: value ?? '',
    readOnly,
    // An empty field means no value where there may be none.
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      const typed = event.currentTarget.value;
      onChange(typed === '' && member.nullable ? null : typed);
    },
  };
  if (isLongText(member)) return <GrowingTextarea {...shared} minRows={3} />;
  return <TextInput {...shared} type="text" autoComplete="off" />;
}

/**
 * A text that is read as a value: what cannot be read stays as it was typed, so that the form can report it.
 *
 * @param toText the value as people write it
 */
function ParsedInput({
  toText,
  parse,
  inputMode,
  placeholder,
  ...props
}: InputProps<string> & {
  readonly toText: (value: string) => string;
  readonly parse: (text: string) => string | undefined;
  readonly inputMode: 'decimal' | 'numeric' | 'text';
  readonly placeholder?: string | undefined;
}) {
  const { value, onChange, onBlur, readOnly = false } = props;
  const [typed, setTyped] = useState(() => (value === null ? '' : toText(value)));
  // What this input has reported; other values come from outside and replace the text.
  const reported = useRef(value);
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value === null ? '' : toText(value));
  }, [value, toText]);
  const change = (next: string) => {
    setTyped(next);
    const parsed = next.trim() === '' ? null : (parse(next) ?? next);
    reported.current = parsed;
    onChange(parsed);
  };
  const leave = () => {
    if (value !== null && parse(typed) !== undefined) setTyped(toText(value));
    onBlur?.();
  };
  return (
    <TextInput
      {...wrapperProps(props)}
      value={typed}
      inputMode={inputMode}
      placeholder={placeholder ?? ''}
      readOnly={readOnly}
      autoComplete="off"
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
    />
  );
}

export function NumberInput(props: InputProps<string>) {
  const language = useLanguage();
  return (
    <ParsedInput
      {...props}
      toText={(value) => numberInput(value, language)}
      parse={(text) => parseNumber(text, language)}
      inputMode={isIntegerType(props.member.type) ? 'numeric' : 'decimal'}
    />
  );
}

export function DurationInput(props: InputProps<string>) {
  const text = useText();
  return (
    <ParsedInput
      {...props}
      toText={durationInput}
      parse={parseDuration}
      inputMode="text"
      placeholder={text('inputs.durationExample')}
    />
  );
}
