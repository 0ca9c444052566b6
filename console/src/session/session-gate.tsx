// This file shows the page to a signed-in account that has nothing to do first, and the sign-in to everybody else. When a session
// ends, the page stays as it is below a dialog.
import { Center, Loader, Modal, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useNativeChecks } from '../components/native-checks.ts';
import { usePreferLanguage, useText } from '../i18n/text.tsx';
import { IdleWarning } from './idle-warning.tsx';
import { requiredStep } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { useSession } from './use-session.ts';

const RequiredStepPage = lazy(async () => ({
  default: (await import('../account/required-step-page.tsx')).RequiredStepPage,
}));

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const text = useText();
  useNativeChecks();
  const prefer = usePreferLanguage();
  const language = session.kind === 'signed-in' ? session.grant.Language : undefined;
  useEffect(() => prefer(language), [prefer, language]);
  if (session.kind === 'unknown') return <Waiting label={text('app.loading')} />;
  if (session.kind === 'signed-out') return <SignInPage />;
  const step = session.kind === 'signed-in' ? requiredStep(session.grant) : undefined;
  if (step !== undefined)
    return (
      <Suspense fallback={<Waiting label={text('app.loading')} />}>
        <RequiredStepPage step={step} />
      </Suspense>
    );
  return (
    <>
      {children}
      {session.kind === 'signed-in' && session.grant.IdleMinutes !== undefined && (
        <IdleWarning minutes={session.grant.IdleMinutes} />
      )}
      <Modal
        opened={session.kind === 'ended'}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={text('app.signInAgain')}
      >
        <Stack>
          <Text>{text('app.sessionEnded')}</Text>
          <SignInForm name={session.kind === 'ended' ? session.userName : ''} isOverPage />
        </Stack>
      </Modal>
    </>
  );
}

function Waiting({ label }: { readonly label: string }) {
  return (
    <Center h="100vh" role="status" aria-label={label}>
      <Loader />
    </Center>
  );
}
