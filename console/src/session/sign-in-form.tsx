// This file asks for name and password, and offers the identity providers of the installation.
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { consoleUrl } from '../api/client.ts';
import { PasswordField } from '../components/password-field.tsx';
import { useText } from '../i18n/text.tsx';
import { signIn } from './session.ts';
import { signInObstacle } from './sign-in-obstacle.ts';

interface Options {
  readonly Issuers: readonly { readonly Name: string; readonly Issuer: string }[];
}

async function readOptions(): Promise<Options> {
  const response = await fetch(consoleUrl('/session/options'));
  return response.ok ? ((await response.json()) as Options) : { Issuers: [] };
}

interface SignInFormProps {
  /** The name of the account whose session has ended. */
  readonly name: string;
  /** Whether the page below the form must stay as it is. */
  readonly isOverPage?: boolean;
}

export function SignInForm({ name, isOverPage = false }: SignInFormProps) {
  const text = useText();
  const obstacle = isOverPage ? undefined : signInObstacle();
  const [problem, setProblem] = useState(
    obstacle === undefined ? undefined : text(`app.obstacle.${obstacle}`),
  );
  const [isBusy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    const result = await signIn(
      String(fields.get('username')),
      String(fields.get('password')),
      needsCode ? String(fields.get('code')) : undefined,
    ).catch(() => ({ kind: 'failed', message: text('common.unreachable') }) as const);
    setBusy(false);
    const code = 'code' in result ? result.code : undefined;
    setNeedsCode(needsCode || code !== undefined);
    setProblem(
      result.kind === 'failed' && code !== 'missing'
        ? code === 'wrong'
          ? text('app.wrongCode')
          : result.message
        : undefined,
    );
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
        <PasswordField
          label={text('app.password')}
          name="password"
          autoComplete="current-password"
          required
        />
        {needsCode && (
          <TextInput
            label={text('app.code')}
            description={text('app.codeHelp')}
            name="code"
            autoComplete="one-time-code"
            required
            autoFocus
          />
        )}
        <Button type="submit" loading={isBusy}>
          {text('app.signIn')}
        </Button>
        <Providers isOverPage={isOverPage} />
      </Stack>
    </form>
  );
}

/** Signing in at an issuer leaves the page. Another tab does so where the page must stay, and shares its session with this one. */
function Providers({ isOverPage }: { readonly isOverPage: boolean }) {
  const text = useText();
  const { data } = useQuery({ queryKey: ['sign-in-options'], queryFn: readOptions });
  const issuers = data?.Issuers ?? [];
  if (issuers.length === 0) return null;
  const back = location.pathname + location.search;
  const target = isOverPage ? { target: '_blank', rel: 'noopener' } : {};
  return (
    <Stack component="section" gap="xs" aria-label={text('app.otherSignIn')}>
      <Text size="sm" c="dimmed" ta="center">
        {text(isOverPage ? 'app.otherSignInTab' : 'app.otherSignIn')}
      </Text>
      {issuers.map(({ Name, Issuer }) => (
        <Button
          key={Issuer}
          component="a"
          variant="default"
          href={consoleUrl(
            `/session/sign-in?${new URLSearchParams({ issuer: Issuer, return: back })}`,
          )}
          {...target}
        >
          {text('app.signInWith', { name: Name })}
        </Button>
      ))}
    </Stack>
  );
}
