// This file asks for name and password, and offers the identity providers of the installation.
import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { consoleUrl } from '../api/client.ts';
import { useText } from '../i18n/text.tsx';
import { signIn } from './session.ts';

interface Options {
  readonly Issuers: readonly { readonly Name: string; readonly Issuer: string }[];
}

async function readOptions(): Promise<Options> {
  const response = await fetch(consoleUrl('/session/options'));
  return response.ok ? ((await response.json()) as Options) : { Issuers: [] };
}

/** @param name fixed where the session of an account has ended */
export function SignInForm({ name }: { readonly name: string }) {
  const text = useText();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    const result = await signIn(
      String(fields.get('username')),
      String(fields.get('password')),
    ).catch(() => ({ kind: 'failed', message: text('common.unreachable') }) as const);
    setBusy(false);
    setProblem(result.kind === 'failed' ? result.message : undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem !== undefined && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <TextInput
          label={text('app.userName')}
          name="username"
          autoComplete="username"
          defaultValue={name}
          required
          data-autofocus
        />
        <PasswordInput
          label={text('app.password')}
          name="password"
          autoComplete="current-password"
          required
        />
        <Button type="submit" loading={isBusy}>
          {text('app.signIn')}
        </Button>
        <Providers />
      </Stack>
    </form>
  );
}

function Providers() {
  const text = useText();
  const { data } = useQuery({ queryKey: ['sign-in-options'], queryFn: readOptions });
  const back = location.pathname + location.search;
  return (data?.Issuers ?? []).map(({ Name, Issuer }) => (
    <Anchor
      key={Issuer}
      href={consoleUrl(`/session/sign-in?${new URLSearchParams({ issuer: Issuer, return: back })}`)}
    >
      {text('app.signInWith', { name: Name })}
    </Anchor>
  ));
}
