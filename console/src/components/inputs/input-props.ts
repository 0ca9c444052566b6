// This file is what all inputs have in common: the member that they edit, and the form of their values.
import type { Member } from '../../model/model.ts';

/**
 * Values have the form in which the service returns them: numbers of all types, times and durations as strings, codes and related entities as
 * objects, null for none. What cannot be read as a value of its type stays the text that was typed, which `checkValue` finds.
 */
export interface InputProps<T = unknown> {
  readonly id: string;
  readonly member: Member;
  /** Without it, `member.label` is the name for screen readers only. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly value: T | null;
  readonly onChange: (value: T | null) => void;
  readonly onBlur?: (() => void) | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  /** Of references: the set that contains the targets. */
  readonly targetSet?: string | undefined;
  readonly autoFocus?: boolean | undefined;
}

/** What the inputs of Mantine take from the properties of ours. */
export function wrapperProps(props: Omit<InputProps, 'value' | 'onChange'>) {
  const { id, member, label, description, error, required = false, autoFocus = false } = props;
  return {
    id,
    description,
    error,
    withAsterisk: required,
    'aria-required': required,
    ...(label === undefined ? { 'aria-label': member.label } : { label }),
    ...(autoFocus ? { 'data-autofocus': true, autoFocus: true } : {}),
    ...(props.onBlur === undefined ? {} : { onBlur: props.onBlur }),
  };
}
