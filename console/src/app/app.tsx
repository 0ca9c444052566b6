// This file joins the parts of the console: styles, texts, the cache of responses, the session, and the pages.
import './component-styles.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { useEffect } from 'react';
import { queryClient } from '../api/query-client.ts';
import { Toasts } from '../components/toasts.tsx';
import { TextProvider } from '../i18n/text.tsx';
import { resume } from '../session/session.ts';
import { SessionGate } from '../session/session-gate.tsx';
import { styleNonce } from './place.ts';
import { router } from './router.tsx';
import { theme } from './theme.ts';

setNonce(styleNonce());

export function App() {
  useEffect(() => void resume(), []);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <TextProvider>
        <QueryClientProvider client={queryClient}>
          <SessionGate>
            <RouterProvider router={router} />
          </SessionGate>
          <Toasts />
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
