// This file is the page for accounts that must change a password which somebody else has chosen, or add a second factor that a role
// requires: nothing else is possible before.
import { Button, Center, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { usePageTitle } from '../app/page-title.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { type TextName, useText } from '../i18n/text.tsx';
import { ModelProvider } from '../model/use-model.tsx';
import { type RequiredStep, renewGrant, signOut } from '../session/session.ts';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';

const TEXTS = {
  password: ['account.firstPassword', 'account.firstPasswordWhy'],
  factor: ['account.requiredFactor', 'account.requiredFactorWhy'],
} as const satisfies Record<RequiredStep, readonly [TextName, TextName]>;

export function RequiredStepPage({ step }: { readonly step: RequiredStep }) {
  const text = useText();
  const [title, why] = TEXTS[step];
  usePageTitle(text(title));
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w={420} maw="100%">
        <Stack>
          <Title order={1} size="h3">
            {text(title)}
          </Title>
          <Text size="sm">{text(why)}</Text>
          <ModelProvider
            waiting={<Loader role="status" aria-label={text('app.loading')} />}
            failed={(error, retry) => <ErrorNotice error={error} retry={retry} />}
          >
            {step === 'password' ? (
              <PasswordForm onChanged={() => void renewGrant()} />
            ) : (
              <SecondFactor />
            )}
          </ModelProvider>
          <Button size="xs" variant="subtle" onClick={() => void signOut()}>
            {text('app.signOut')}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}
