// This file has the inputs of collections and of complex values, which contain inputs of their parts.
import '@mantine/core/styles/Fieldset.css';
import { Button, CloseButton, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import type { Entity } from '../../model/entity.ts';
import { typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { firstField } from '../focus.ts';
import { FieldInput } from './field-input.tsx';
import type { InputProps } from './input-props.ts';

export function CollectionInput(props: InputProps<readonly unknown[]>) {
  const { id, label, member, description, error, value, onChange, readOnly = false } = props;
  const text = useText();
  const items = value ?? [];
  const item = { ...member, collection: false, nullable: true };
  const name = label ?? member.label;
  const [added, setAdded] = useState<number>();
  useEffect(() => {
    if (added !== undefined) firstField(document.getElementById(`${id}/${added}`))?.focus();
    setAdded(undefined);
  }, [id, added]);
  const add = () => {
    onChange([...items, member.kind === 'complex' ? {} : null]);
    setAdded(items.length);
  };
  const replace = (index: number, next: unknown) =>
    onChange(items.map((old, at) => (at === index ? next : old)));
  return (
    <Fieldset legend={name} id={id} tabIndex={-1} variant="unstyled">
      <Stack gap="xs">
        {description !== undefined && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
        {items.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place.
          <Group key={index} align="start" gap="xs" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>
              <FieldInput
                id={`${id}/${index}`}
                member={{ ...item, label: text('inputs.itemOf', { name, index: index + 1 }) }}
                value={one}
                readOnly={readOnly}
                onChange={(next) => replace(index, next)}
                onBlur={props.onBlur}
              />
            </div>
            {!readOnly && (
              <CloseButton
                aria-label={text('inputs.removeItem', { name, index: index + 1 })}
                onClick={() => onChange(items.filter((_, at) => at !== index))}
              />
            )}
          </Group>
        ))}
        {!readOnly && (
          <Button variant="default" size="compact-sm" style={{ alignSelf: 'start' }} onClick={add}>
            {text('inputs.addItem', { name })}
          </Button>
        )}
        {error !== undefined && (
          <Text size="xs" c="red" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

export function ComplexInput(props: InputProps<Entity>) {
  const { id, label, member, error, value, onChange, readOnly = false } = props;
  const type = typeNamed(useModel(), member.type);
  const members = [...type.members.values()].filter(({ kind }) => kind !== 'navigation');
  return (
    <Fieldset legend={label ?? member.label} id={id} tabIndex={-1} p="xs">
      <Stack gap="xs">
        {members.map((part) => (
          <FieldInput
            key={part.name}
            id={`${id}/${part.name}`}
            member={part}
            label={part.label}
            value={value?.[part.name] ?? null}
            readOnly={readOnly || part.computed}
            onChange={(next) => onChange({ ...value, [part.name]: next })}
            onBlur={props.onBlur}
          />
        ))}
        {error !== undefined && (
          <Text size="xs" c="red" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}
