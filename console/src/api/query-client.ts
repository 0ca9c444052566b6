// This file configures the cache of responses: reads are repeated while the service is busy or out of reach, other errors are shown.
import { QueryClient } from '@tanstack/react-query';
import { isTemporary } from './request-failed.ts';

/** Milliseconds for which a response counts as fresh. */
const FRESH = 30_000;
const ATTEMPTS = 6;
/** Milliseconds. */
const LONGEST_WAIT = 30_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < ATTEMPTS && isTemporary(error),
      retryDelay: (failures, error) => waitBefore(failures, error),
    },
    mutations: { retry: false },
  },
});

/** Milliseconds: what the service asks for, or a doubling time, each with jitter so that clients do not return together. */
function waitBefore(failures: number, error: unknown): number {
  const asked = isTemporary(error) ? (error.retryAfter ?? 0) * 1000 : 0;
  const doubled = Math.min(LONGEST_WAIT, 500 * 2 ** failures);
  return Math.max(asked, doubled) * (1 + Math.random() / 4);
}
