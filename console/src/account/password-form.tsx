// This file gives the account another password, with the current one.
import { Alert, Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { request } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import { useModel } from '../model/use-model.tsx';
import { importOf } from './account-names.ts';

class PasswordsDiffer extends Error {}

/** @param onChanged called after the change */
export function PasswordForm({ onChanged }: { readonly onChanged?: () => void }) {
  const text = useText();
  const errorText = useErrorText();
  const action = importOf(useModel(), 'ChangePassword');
  const change = useMutation({
    mutationFn: async (form: FormData) => {
      const [CurrentPassword, NewPassword, again] = ['current', 'new', 'again'].map((name) =>
        String(form.get(name)),
      );
      if (NewPassword !== again) throw new PasswordsDiffer();
      await request(action, { method: 'POST', body: { CurrentPassword, NewPassword } });
    },
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    change.mutate(new FormData(form), {
      onSuccess: () => {
        form.reset();
        showToast({ kind: 'result', text: text('account.passwordChanged') });
        onChanged?.();
      },
    });
  };
  const problem =
    change.error instanceof PasswordsDiffer
      ? text('account.passwordsDiffer')
      : change.error && errorText(change.error);
  return (
    <form onSubmit={submit}>
      <Stack maw={420} gap="sm">
        {problem !== null && (
          <Alert color="red" role="alert" p="xs">
            {problem}
          </Alert>
        )}
        <PasswordField
          size="xs"
          name="current"
          label={text('account.currentPassword')}
          autoComplete="current-password"
          required
        />
        <PasswordField
          size="xs"
          name="new"
          label={text('account.newPassword')}
          description={text('account.passwordRule')}
          autoComplete="new-password"
          required
        />
        <PasswordField
          size="xs"
          name="again"
          label={text('account.newPasswordAgain')}
          autoComplete="new-password"
          required
        />
        <Group>
          <Button size="xs" type="submit" loading={change.isPending}>
            {text('account.changePassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
