// This file lists the mistakes of a form above it, with links that focus their fields.
import { Alert, Anchor } from '@mantine/core';
import type { ErrorDetail } from '../api/request-failed.ts';
import { useText } from '../i18n/text.tsx';
import type { Field } from './fields.ts';
import { focusField } from './form-fields.tsx';
import type { FormStore } from './form-store.ts';
import classes from './record.module.css';
import { useErrors, useFieldErrorText } from './use-form.ts';

export function MistakeSummary({
  store,
  fields,
  others,
  form,
}: {
  readonly store: FormStore;
  readonly fields: readonly Field[];
  readonly others: readonly ErrorDetail[];
  readonly form: string;
}) {
  const text = useText();
  const errors = useErrors(store);
  const errorText = useFieldErrorText();
  const broken = fields.filter(({ path }) => errors.has(path));
  const count = broken.length + others.length;
  // A single mistake is shown at its field only.
  if (count === 0 || (others.length === 0 && broken.length === 1)) return null;
  return (
    <Alert color="red" role="alert" title={text('record.mistakes', { count })} mb="md">
      <ul className={classes.list}>
        {others.map(({ code, target, message }) => (
          <li key={`${code} ${target} ${message}`}>{message}</li>
        ))}
        {broken.map(({ path, label }) => (
          <li key={path}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => focusField(form, path)}
            >
              {label}
            </Anchor>
            {`: ${errorText(errors.get(path))}`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
