// This file adds a second factor to the account: the password, a QR code for the app, a code that confirms it, and recovery codes. With a
// code, it is removed again.
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { requestJson } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { SecretNotice } from '../components/secret-notice.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import { useModel } from '../model/use-model.tsx';
import { renewGrant } from '../session/session.ts';
import { useSession } from '../session/use-session.ts';
import { importOf } from './account-names.ts';
import { QrCode } from './qr-code.tsx';

export function SecondFactor() {
  const text = useText();
  const session = useSession();
  const [uri, setUri] = useState<string>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isAdded, setAdded] = useState(false);
  // An account that has to add the factor leaves this page with the next session, so it must have seen the codes first.
  useEffect(() => (codes === undefined ? undefined : () => void renewGrant()), [codes]);
  if (codes !== undefined)
    return (
      <SecretNotice
        title={text('account.recovery')}
        secret={codes.join('\n')}
        onDone={() => setCodes(undefined)}
      />
    );
  if (uri !== undefined)
    return (
      <Confirm
        uri={uri}
        onDone={(found) => {
          setUri(undefined);
          setCodes(found);
          setAdded(true);
        }}
      />
    );
  const isKnown = session.kind === 'signed-in' && session.grant.HasSecondFactor === true;
  return isAdded || isKnown ? <Remove onDone={() => setAdded(false)} /> : <Begin onDone={setUri} />;
}

/** Calls an action with the member of a form. */
function useAction<T>(name: string, member: string, onDone: (value: T) => void | Promise<void>) {
  const action = importOf(useModel(), name);
  return useMutation({
    mutationFn: async (value: string) => {
      const body = { [member]: value };
      return await requestJson<{ readonly value: T } | undefined>(action, { method: 'POST', body });
    },
    onSuccess: (result) => onDone(result?.value as T),
    gcTime: 0,
  });
}

function Begin({ onDone }: { readonly onDone: (uri: string) => void }) {
  const text = useText();
  const begin = useAction('BeginSecondFactor', 'CurrentPassword', onDone);
  return (
    <FactorForm action={begin} submit={text('account.factorBegin')}>
      <Text size="sm">{text('account.factorOff')}</Text>
      <PasswordField
        size="xs"
        name="value"
        label={text('account.currentPassword')}
        autoComplete="current-password"
        required
      />
    </FactorForm>
  );
}

function Confirm({
  uri,
  onDone,
}: {
  readonly uri: string;
  readonly onDone: (codes: readonly string[]) => void;
}) {
  const text = useText();
  const confirm = useAction('ConfirmSecondFactor', 'Code', onDone);
  const key = new URL(uri).searchParams.get('secret') ?? '';
  return (
    <FactorForm action={confirm} submit={text('account.factorConfirm')}>
      <Text size="sm">{text('account.factorScan')}</Text>
      <QrCode content={uri} label={text('account.factorImage')} />
      <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
        {text('account.factorKey', { key })}
      </Text>
      <CodeInput />
    </FactorForm>
  );
}

function Remove({ onDone }: { readonly onDone: () => void }) {
  const text = useText();
  const remove = useAction('RemoveSecondFactor', 'Code', async () => {
    showToast({ kind: 'result', text: text('account.factorRemoved') });
    await renewGrant();
    onDone();
  });
  return (
    <FactorForm action={remove} submit={text('account.factorRemove')}>
      <Text size="sm">{text('account.factorOn')}</Text>
      <CodeInput description={text('app.codeHelp')} />
    </FactorForm>
  );
}

function CodeInput({ description }: { readonly description?: string }) {
  const text = useText();
  return (
    <TextInput
      size="xs"
      name="value"
      label={text('app.code')}
      {...(description === undefined ? {} : { description })}
      autoComplete="one-time-code"
      required
    />
  );
}

interface FactorFormProps {
  readonly action: {
    readonly mutate: (value: string) => void;
    readonly error: unknown;
    readonly isPending: boolean;
  };
  readonly submit: string;
  readonly children: ReactNode;
}

function FactorForm({ action, submit, children }: FactorFormProps) {
  const errorText = useErrorText();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.mutate(String(new FormData(event.currentTarget).get('value')));
  };
  return (
    <form onSubmit={send}>
      <Stack maw={420} gap="sm">
        {action.error !== null && (
          <Alert color="red" role="alert" p="xs">
            {errorText(action.error)}
          </Alert>
        )}
        {children}
        <Group>
          <Button size="xs" type="submit" loading={action.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
