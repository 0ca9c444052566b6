// This file is the page for accounts whose password somebody else has chosen: nothing else is possible before it is changed.
import { Button, Center, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { ModelProvider } from '../model/use-model.tsx';
import { notePasswordChange, signOut } from '../session/session.ts';
import { PasswordForm } from './password-form.tsx';

export function FirstPasswordPage() {
  const text = useText();
  useEffect(() => {
    document.title = `${text('account.firstPassword')} · Docket`;
  }, [text]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w={420} maw="100%">
        <Stack>
          <Title order={1} size="h3">
            {text('account.firstPassword')}
          </Title>
          <Text size="sm">{text('account.firstPasswordWhy')}</Text>
          <ModelProvider
            waiting={<Loader aria-label={text('app.loading')} />}
            failed={(error, retry) => <ErrorNotice error={error} retry={retry} />}
          >
            <PasswordForm onChanged={notePasswordChange} />
          </ModelProvider>
          <Button size="xs" variant="subtle" onClick={() => void signOut()}>
            {text('app.signOut')}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}
