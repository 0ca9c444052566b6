// This file chooses the input of a member by its kind and type.
import type { Entity } from '../../model/entity.ts';
import { useValueText } from '../value.tsx';
import { BooleanInput, EnumerationInput, FixedInput } from './choice-inputs.tsx';
import { CodeInput } from './code-input.tsx';
import { CollectionInput, ComplexInput } from './collection-input.tsx';
import type { InputProps } from './input-props.ts';
import { isNumberType } from './number-text.ts';
import { ReferenceInput } from './reference-input.tsx';
import { DurationInput, NumberInput, StringInput } from './text-inputs.tsx';
import { DateInput, InstantInput, TimeOfDayInput } from './time-inputs.tsx';

/** An input for the value of a member, in the form that `InputProps` describes. */
export function FieldInput(props: InputProps) {
  const { member } = props;
  if (member.collection && member.kind !== 'navigation')
    return <CollectionInput {...(props as InputProps<readonly unknown[]>)} />;
  switch (member.kind) {
    case 'code':
      return <CodeInput {...(props as InputProps<Entity>)} />;
    case 'navigation':
      return <ReferenceInput {...(props as InputProps<Entity>)} />;
    case 'complex':
      return <ComplexInput {...(props as InputProps<Entity>)} />;
    case 'enumeration':
      return <EnumerationInput {...(props as InputProps<string>)} />;
    case 'stream':
      return null;
    case 'primitive':
      return <PrimitiveInput {...props} />;
  }
}

function PrimitiveInput(props: InputProps) {
  const { type } = props.member;
  const toText = useValueText();
  if (type === 'Edm.Boolean') return <BooleanInput {...(props as InputProps<boolean>)} />;
  // Single numbers arrive as numbers, others as strings.
  const text = {
    ...props,
    value: props.value === null || props.value === undefined ? null : String(props.value),
  } as InputProps<string>;
  if (isNumberType(type)) return <NumberInput {...text} />;
  switch (type) {
    case 'Edm.DateTimeOffset':
      return <InstantInput {...text} />;
    case 'Edm.Date':
      return <DateInput {...text} />;
    case 'Edm.TimeOfDay':
      return <TimeOfDayInput {...text} />;
    case 'Edm.Duration':
      return <DurationInput {...text} />;
    case 'Edm.String':
    case 'Edm.Guid':
      return <StringInput {...text} />;
    default:
      return (
        <FixedInput
          label={props.label ?? props.member.label}
          text={toText(props.member, props.value)}
        />
      );
  }
}
