// This file is a small form in a dialog: a few inputs, and mistakes of the answer at their inputs.
import { Alert, Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { mistakesOf, RequestFailed } from '../../api/request-failed.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useErrorText } from '../../components/error-notice.tsx';
import { FieldInput } from '../../components/inputs/field-input.tsx';
import { useText } from '../../i18n/text.tsx';
import { useModel } from '../../model/use-model.tsx';
import type { Field } from '../fields.ts';
import { fieldId, focusField } from '../form-fields.tsx';
import { FormStore } from '../form-store.ts';
import { placeMistakes } from '../mistakes.ts';
import { sameOf, useChecks, useField, useFieldErrorText } from '../use-form.ts';
import type { Values } from '../values.ts';

interface DialogFormProps {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly initial: Values;
  readonly submitLabel: string;
  readonly children?: ReactNode;
  /** Rejects with the error of the service, whose mistakes are shown at the inputs. */
  readonly onSubmit: (values: Values) => Promise<void>;
  readonly onClose: () => void;
}

export function DialogForm({
  title,
  fields,
  initial,
  submitLabel,
  children,
  onSubmit,
  onClose,
}: DialogFormProps) {
  const text = useText();
  const model = useModel();
  const form = useId();
  const same = useMemo(() => sameOf(model, fields), [model, fields]);
  const [store] = useState(() => new FormStore(initial, same));
  const { submit, isBusy, problem } = useSubmit({ fields, store, form, onSubmit });
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack>
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          {fields.map((field, index) => (
            <DialogField
              key={field.path}
              field={field}
              store={store}
              form={form}
              isFirst={index === 0}
            />
          ))}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text('common.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Sends the values if they are in order, and places the mistakes of the answer. */
function useSubmit({
  fields,
  store,
  form,
  onSubmit,
}: Pick<DialogFormProps, 'fields' | 'onSubmit'> & {
  readonly store: FormStore;
  /** Prefix of the ids of fields. */
  readonly form: string;
}) {
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { checkAll } = useChecks(store);
  const showMistakes = (error: unknown) => {
    const mistakes = error instanceof RequestFailed ? mistakesOf(error) : [];
    // Parameters of actions contain the paths of members: `Values/Solution`.
    const placed = placeMistakes(
      mistakes.map((one) => ({ ...one, ...withoutParameter(one.target) })),
      fields.map(({ path }) => path),
    );
    store.setErrors(new Map([...placed.fields].map(([path, all]) => [path, all.join(' ')])));
    const others = placed.others.map(({ message }) => message).join(' ');
    setProblem(placed.fields.size === 0 ? errorText(error) : others || undefined);
    const [first] = placed.fields.keys();
    if (first !== undefined) focusField(form, first);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const [broken] = checkAll(fields);
    if (broken !== undefined) {
      focusField(form, broken);
      return;
    }
    setBusy(true);
    setProblem(undefined);
    await onSubmit(store.values()).catch(showMistakes);
    setBusy(false);
  };
  return { submit, isBusy, problem };
}

function withoutParameter(target: string | undefined) {
  return target === undefined ? {} : { target: target.replace(/^Values\//, '') };
}

function DialogField({
  field,
  store,
  form,
  isFirst,
}: {
  readonly field: Field;
  readonly store: FormStore;
  readonly form: string;
  readonly isFirst: boolean;
}) {
  const { value, error } = useField(store, field.path);
  const { check } = useChecks(store);
  const errorText = useFieldErrorText();
  return (
    <FieldInput
      id={fieldId(form, field.path)}
      member={field.member}
      label={field.label}
      description={field.member.help}
      value={value}
      required={field.required}
      targetSet={field.targetSet}
      error={errorText(error)}
      autoFocus={isFirst}
      onChange={(next) => {
        store.set(field.path, next);
        store.setError(field.path, undefined);
      }}
      onBlur={() => value !== null && check(field)}
    />
  );
}
