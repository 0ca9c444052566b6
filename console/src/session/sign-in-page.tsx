// This file is the page for those who have not signed in.
import { Center, Paper, Stack, Title } from '@mantine/core';
import { usePageTitle } from '../app/page-title.ts';
import { useText } from '../i18n/text.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const text = useText();
  usePageTitle(text('app.signIn'));
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w={380} maw="100%">
        <Stack>
          <Title order={1} size="h3">
            Docket
          </Title>
          <SignInForm name="" />
        </Stack>
      </Paper>
    </Center>
  );
}
