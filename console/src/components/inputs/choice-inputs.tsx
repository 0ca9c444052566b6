// This file has the inputs of values that are chosen from a few: yes and no, enumerations, and flags.
import { Checkbox, Group, NativeSelect, Text } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { useModel } from '../../model/use-model.tsx';
import { type InputProps, wrapperProps } from './input-props.ts';

/** Options of a native select, which is quick in long forms and good on small screens. */
export function ChoiceInput({
  options,
  toValue = (chosen) => chosen,
  ...props
}: InputProps<string> & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly toValue?: (chosen: string) => string;
}) {
  const { member, value, onChange, readOnly = false, required = false } = props;
  const mayBeEmpty = member.nullable || value === null || !required;
  return (
    <NativeSelect
      {...wrapperProps(props)}
      value={value ?? ''}
      disabled={readOnly}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onChange(chosen === '' ? null : toValue(chosen));
      }}
    >
      {mayBeEmpty && <option value="">–</option>}
      {options.map(({ value: option, label }) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </NativeSelect>
  );
}

export function BooleanInput(props: InputProps<boolean>) {
  const text = useText();
  const { value, onChange, onBlur, member, readOnly = false } = props;
  if (!member.nullable)
    return (
      <Checkbox
        id={props.id}
        label={props.label ?? ''}
        aria-label={member.label}
        description={props.description}
        error={props.error}
        checked={value === true}
        disabled={readOnly}
        onChange={(event) => onChange(event.currentTarget.checked)}
        {...(onBlur === undefined ? {} : { onBlur })}
      />
    );
  return (
    <ChoiceInput
      {...props}
      value={value === null ? null : String(value)}
      onChange={(chosen) => onChange(chosen === null ? null : chosen === 'true')}
      options={[
        { value: 'true', label: text('common.yes') },
        { value: 'false', label: text('common.no') },
      ]}
    />
  );
}

export function EnumerationInput(props: InputProps<string>) {
  const type = useModel().enums.get(props.member.type);
  const members = type?.members ?? [];
  if (type?.flags === true) return <FlagsInput {...props} members={members} />;
  return (
    <ChoiceInput {...props} options={members.map(({ name, label }) => ({ value: name, label }))} />
  );
}

function FlagsInput({
  members,
  ...props
}: InputProps<string> & {
  readonly members: readonly { readonly name: string; readonly label: string }[];
}) {
  const { id, label, member, description, error, value, onChange, readOnly = false } = props;
  const chosen = value === null ? [] : value.split(',').map((name) => name.trim());
  return (
    <Checkbox.Group
      id={id}
      label={label ?? member.label}
      description={description}
      error={error}
      withAsterisk={props.required ?? false}
      value={chosen}
      onChange={(names) => {
        // In the order of the enumeration, so that the same flags are the same text.
        const ordered = members.filter(({ name }) => names.includes(name)).map(({ name }) => name);
        onChange(ordered.length === 0 ? null : ordered.join(','));
      }}
    >
      <Group mt={4} gap="md">
        {members.map(({ name, label: option }) => (
          <Checkbox key={name} value={name} label={option} disabled={readOnly} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** A value that the console cannot edit, such as geography or binary data. */
export function FixedInput({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {text || '–'}
      </Text>
    </div>
  );
}
