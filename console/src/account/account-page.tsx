// This file is the page about the account that has signed in: its sessions, its password and its second factor.
import { Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { usePageTitle } from '../app/page-title.ts';
import { type TextName, useText } from '../i18n/text.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  const text = useText();
  usePageTitle(text('account.title'));
  return (
    <Stack p="md" gap="xl" maw={760}>
      <Title order={1} size="h3">
        {text('account.title')}
      </Title>
      <Section title="account.sessions">
        <Sessions />
      </Section>
      <Section title="account.password">
        <PasswordForm />
      </Section>
      <Section title="account.factor">
        <SecondFactor />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { readonly title: TextName; readonly children: ReactNode }) {
  const text = useText();
  const id = useId();
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Title order={2} size="h5" id={id}>
        {text(title)}
      </Title>
      {children}
    </Stack>
  );
}
