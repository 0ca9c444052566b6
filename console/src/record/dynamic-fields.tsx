// This file gives the form of an entity of an open type its dynamic properties: those that the entity has, and those that people add.
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import type { Entity } from '../model/entity.ts';
import { type StructuredType, undeclaredMember } from '../model/model.ts';
import type { PropertyKind as Kind } from './drafts.ts';
import type { Field, FieldGroup } from './fields.ts';
import { focusField } from './form-fields.tsx';

const KINDS = ['text', 'number', 'flag'] as const satisfies readonly Kind[];

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'Edm.String',
  number: 'Edm.Double',
  flag: 'Edm.Boolean',
};

/** OData names, as the service accepts them. */
const NAME = /^[\p{L}_][\p{L}\d_]{0,127}$/u;

type Added = Readonly<Record<string, Kind>>;

/** The dynamic properties that were added to a form, and a function that adds one; undefined if nobody may. */
export interface AddedProperties {
  readonly added: Added;
  readonly add: ((name: string, kind: Kind) => void) | undefined;
}

function kindOf(value: unknown): Kind | undefined {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : undefined;
}

/** Objects, and lists with values of several kinds, have no input. */
function dynamicField(name: string, value: unknown, isLocked: boolean): Field {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [kind, ...others] = new Set(items.map(kindOf));
  const type = kind === undefined || others.length > 0 ? 'Edm.Untyped' : TYPES[kind];
  return {
    ...{
      path: name,
      label: name,
      member: undeclaredMember(name, type, { collection: Array.isArray(value) }),
    },
    ...{ readOnly: isLocked || type === 'Edm.Untyped', required: false, targetSet: undefined },
  };
}

/** The fields of the dynamic properties of an entity, and of those that have been added to the form. */
function dynamicFields(
  { open, members }: StructuredType,
  entity: Entity,
  added: Added,
  isLocked: boolean,
): readonly Field[] {
  if (!open) return [];
  const stored = Object.entries(entity).filter(
    ([name, value]) => !name.includes('@') && !members.has(name) && value !== null,
  );
  const names = new Set(stored.map(([name]) => name));
  const fresh = Object.entries(added).filter(([name]) => !names.has(name));
  return [
    ...stored.map(([name, value]) => dynamicField(name, value, isLocked)),
    ...fresh.map(([name, kind]) => ({
      ...dynamicField(name, '', isLocked),
      member: undeclaredMember(name, TYPES[kind]),
    })),
  ];
}

/** The groups of a form with the group of dynamic properties, before what the service computes. */
export function useDynamicFields(
  type: StructuredType,
  entity: Entity,
  { groups, isLocked }: { readonly groups: readonly FieldGroup[]; readonly isLocked: boolean },
) {
  const [added, setAdded] = useState<Added>({});
  const all = useMemo(() => {
    const fields = dynamicFields(type, entity, added, isLocked);
    if (fields.length === 0) return groups;
    const group: FieldGroup = { id: DYNAMIC, label: undefined, fields, collapsed: false };
    const isComputed = ({ id }: FieldGroup) => id === 'system';
    return [...groups.filter((one) => !isComputed(one)), group, ...groups.filter(isComputed)];
  }, [type, entity, added, groups, isLocked]);
  const add = (name: string, kind: Kind) => setAdded((before) => ({ ...before, [name]: kind }));
  const properties: AddedProperties = { added, add: type.open && !isLocked ? add : undefined };
  return { groups: all, properties };
}

/** The id of the group. */
const DYNAMIC = 'dynamic';

/** Asks for the name and the kind of a property, and adds its field to the form. */
export function AddProperty({
  type,
  taken,
  form,
  add,
}: {
  readonly type: StructuredType;
  readonly taken: readonly Field[];
  readonly form: string;
  readonly add: (name: string, kind: Kind) => void;
}) {
  const text = useText();
  const id = useId();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('text');
  const [fresh, setFresh] = useState<string>();
  useEffect(() => {
    if (fresh !== undefined) focusField(form, fresh);
  }, [form, fresh]);
  const isTaken = type.members.has(name) || taken.some(({ path }) => path === name);
  const problem = isTaken
    ? text('record.propertyTaken')
    : name !== '' && !NAME.test(name)
      ? text('record.propertyName')
      : undefined;
  const finish = () => {
    if (name === '' || problem !== undefined) return;
    add(name, kind);
    setFresh(name);
    setName('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    finish();
  };
  return (
    <Group gap="xs" mt="md" align="flex-start">
      <TextInput
        id={id}
        size="xs"
        label={text('record.newProperty')}
        value={name}
        error={problem}
        onChange={(event) => setName(event.currentTarget.value.trim())}
        onKeyDown={onKeyDown}
      />
      <NativeSelect
        size="xs"
        label={text('record.propertyKind')}
        value={kind}
        data={KINDS.map((value) => ({ value, label: text(`record.kind.${value}`) }))}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
      />
      <Button size="xs" variant="default" mt={22} onClick={finish}>
        {text('record.addProperty')}
      </Button>
    </Group>
  );
}
