// This file shows the groups of a form. Each field renders by itself when its value changes.
import '@mantine/core/styles/Fieldset.css';
import { Fieldset, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { HtmlFrame, isHtml } from '../components/html-frame.tsx';
import { FieldInput } from '../components/inputs/field-input.tsx';
import { Value } from '../components/value.tsx';
import { type TextName, useText } from '../i18n/text.tsx';
import { isLongText } from '../model/layout.ts';
import type { Field, FieldGroup } from './fields.ts';
import type { FormStore } from './form-store.ts';
import classes from './record.module.css';
import { useChecks, useField, useFieldErrorText } from './use-form.ts';

/** The id of the input of a field, which links to mistakes focus. */
export const fieldId = (form: string, path: string): string => `${form}-${path}`;

export function focusField(form: string, path: string): void {
  const element = document.getElementById(fieldId(form, path));
  element?.closest('details')?.setAttribute('open', '');
  element?.scrollIntoView({ block: 'center' });
  element?.focus({ preventScroll: true });
}

export function FormFields({
  groups,
  store,
  form,
}: {
  readonly groups: readonly FieldGroup[];
  readonly store: FormStore;
  /** Prefix of ids. */
  readonly form: string;
}) {
  const { check } = useChecks(store);
  return groups.map((group) => (
    <GroupOfFields key={group.id} group={group}>
      {group.fields.map((field) =>
        field.readOnly || isStoredHtml(field, store) ? (
          <FixedField key={field.path} field={field} store={store} />
        ) : (
          <FormField key={field.path} field={field} store={store} form={form} check={check} />
        ),
      )}
    </GroupOfFields>
  ));
}

/** Groups that no model names. */
const GROUP_NAMES: Readonly<Record<string, TextName>> = {
  system: 'record.system',
  dynamic: 'record.dynamic',
};

function GroupOfFields({
  group,
  children,
}: {
  readonly group: FieldGroup;
  readonly children: React.ReactNode;
}) {
  const text = useText();
  // What nobody has opened is not rendered.
  const [isOpened, setOpened] = useState(!group.collapsed);
  const name = GROUP_NAMES[group.id];
  const label = name === undefined ? group.label : text(name);
  if (group.collapsed)
    return (
      <details className={classes.group} onToggle={() => setOpened(true)}>
        <summary className={classes.summary}>{label ?? text('common.more')}</summary>
        {isOpened && <div className={classes.fields}>{children}</div>}
      </details>
    );
  if (label === undefined) return <div className={classes.fields}>{children}</div>;
  return (
    <Fieldset legend={label} className={classes.group ?? ''} variant="unstyled">
      <div className={classes.fields}>{children}</div>
    </Fieldset>
  );
}

/** HTML that came from others is shown, not edited. */
const isStoredHtml = ({ member, path }: Field, store: FormStore): boolean =>
  isHtml(member) && Boolean(store.base()[path]);

const isWide = ({ member }: Field): boolean =>
  (member.kind === 'primitive' && isLongText(member)) ||
  member.collection ||
  member.kind === 'complex';

interface FormFieldProps {
  readonly field: Field;
  readonly store: FormStore;
  readonly form: string;
  readonly check: (field: Field) => void;
}

const FormField = memo(({ field, store, form, check }: FormFieldProps) => {
  const { path, member, label, required, targetSet } = field;
  const { value, error } = useField(store, path);
  const errorText = useFieldErrorText();
  return (
    <div className={isWide(field) ? classes.wide : undefined}>
      <FieldInput
        id={fieldId(form, path)}
        member={member}
        label={label}
        description={member.help === label ? undefined : member.help}
        value={value}
        required={required}
        targetSet={targetSet}
        error={errorText(error)}
        onChange={(next) => {
          store.set(path, next);
          // A mistake disappears as soon as it may be gone; the next check is when the field is left.
          store.setError(path, undefined);
        }}
        onBlur={() => check(field)}
      />
    </div>
  );
});

const FixedField = memo(
  ({ field, store }: { readonly field: Field; readonly store: FormStore }) => {
    const { value } = useField(store, field.path);
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    return (
      <div className={isWide(field) ? classes.wide : undefined}>
        <Text size="sm" c="dimmed">
          {field.label}
        </Text>
        <div className={classes.fixed}>
          {isEmpty ? (
            '–'
          ) : isHtml(field.member) ? (
            <HtmlFrame html={String(value)} title={field.label} />
          ) : (
            <Value member={field.member} value={value} set={field.targetSet} isWhole />
          )}
        </div>
      </div>
    );
  },
);
