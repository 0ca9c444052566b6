// This file sets the password of another account: a generated one, which is shown once, or one that is typed.
import '@mantine/core/styles/Radio.css';
import { Alert, Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { RequestFailed } from '../../api/request-failed.ts';
import { useRights } from '../../app/rights.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useErrorText } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { SecretNotice } from '../../components/secret-notice.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { entityPath } from '../../model/entity.ts';
import { useSession } from '../../session/use-session.ts';
import { refreshRecord } from '../record-data.ts';

/** The set with the accounts of every model. */
const ACCOUNTS = 'Accounts';

/** Whether the account may set passwords of the entities of a set. Its own changes on the page about it, with the current one. */
export function useMaySetPassword(set: string): (key: string) => boolean {
  const { isAdministrator } = useRights();
  const session = useSession();
  return (key) =>
    set === ACCOUNTS &&
    isAdministrator &&
    session.kind === 'signed-in' &&
    String(session.grant.Account.Uid) !== key;
}

type Choice = 'generate' | 'type' | 'keep';

interface PasswordDialogProps {
  /** The key of the account. */
  readonly account: string;
  readonly name: string;
  /** Whether the account has just been created: it has no password that it could keep. */
  readonly isNew?: boolean;
  readonly onClose: () => void;
}

export function PasswordDialog({ account, name, isNew = false, onClose }: PasswordDialogProps) {
  const text = useText();
  // A secret must not be closed by a click beside it.
  const [generated, setGenerated] = useState<string>();
  const title = text('account.setPasswordOf', { name });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      closeOnClickOutside={generated === undefined}
      closeOnEscape={generated === undefined}
    >
      {generated === undefined ? (
        <PasswordChoice
          {...{ account, name, isNew, onClose }}
          onGenerated={(password) => setGenerated(password)}
        />
      ) : (
        <SecretNotice
          title={text('account.passwordOnce', { name })}
          secret={generated}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

function PasswordChoice({
  account,
  name,
  isNew,
  onClose,
  onGenerated,
}: PasswordDialogProps & { readonly onGenerated: (password: string) => void }) {
  const text = useText();
  const [choice, setChoice] = useState<Choice>('generate');
  const [typed, setTyped] = useState('');
  const [mustChange, setMustChange] = useState(true);
  const set = useSetPassword(account, (password) => {
    if (choice === 'generate' && password !== undefined) {
      onGenerated(password);
      return;
    }
    const done = choice === 'keep' ? 'account.passwordKept' : 'account.passwordSet';
    showToast({ kind: 'result', text: text(done, { name }) });
    onClose();
  });
  const password = { generate: generatePassword, type: () => typed, keep: () => undefined };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate({ password: password[choice](), mustChange: choice === 'keep' || mustChange });
      }}
    >
      <Stack>
        <Problem error={set.error} />
        <Choices {...{ choice, setChoice }} isNew={isNew === true} />
        {choice === 'type' && (
          <PasswordField
            label={text('account.newPassword')}
            description={text('account.passwordRule')}
            autoComplete="new-password"
            required
            data-autofocus
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
        )}
        <Checkbox
          label={text('account.mustChange')}
          description={text('account.mustChangeHelp')}
          checked={choice === 'keep' || mustChange}
          disabled={choice === 'keep'}
          onChange={({ currentTarget: { checked } }) => setMustChange(checked)}
        />
        {isNew !== true && <Text size="sm">{text('account.sessionsEnd')}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text(isNew === true ? 'account.passwordLater' : 'common.cancel')}
          </Button>
          <Button type="submit" loading={set.isPending}>
            {text(choice === 'keep' ? 'common.save' : 'account.setPassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Sends a password, and whether it must be changed. What is sent is kept no longer than the dialog. */
function useSetPassword(account: string, onDone: (password: string | undefined) => void) {
  return useMutation({
    mutationFn: async ({
      password,
      mustChange,
    }: {
      readonly password: string | undefined;
      readonly mustChange: boolean;
    }) => {
      const body = {
        ...(password === undefined ? {} : { Password: password }),
        MustChangePassword: mustChange,
      };
      await request(entityPath(ACCOUNTS, account), { method: 'PATCH', body });
      await refreshRecord(ACCOUNTS, account);
      return password;
    },
    onSuccess: onDone,
    gcTime: 0,
  });
}

function Problem({ error }: { readonly error: unknown }) {
  const errorText = useErrorText();
  if (error === null) return null;
  const isPolicy = error instanceof RequestFailed && error.code === 'auth.password';
  return (
    <Alert color="red" role="alert" p="xs">
      {isPolicy ? error.message : errorText(error)}
    </Alert>
  );
}

function Choices({
  choice,
  setChoice,
  isNew,
}: {
  readonly choice: Choice;
  readonly setChoice: (choice: Choice) => void;
  readonly isNew: boolean;
}) {
  const text = useText();
  return (
    <Radio.Group
      label={text('account.password')}
      value={choice}
      onChange={(value) => setChoice(value as Choice)}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="generate" label={text('account.generatePassword')} />
        <Radio value="type" label={text('account.typePassword')} />
        {!isNew && <Radio value="keep" label={text('account.keepPassword')} />}
      </Stack>
    </Radio.Group>
  );
}

/** 32 letters and digits without look-alikes, so that each is as likely as the others. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A password of 20 letters and digits. */
function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
