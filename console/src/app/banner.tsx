// This file shows a banner while the service cannot be reached or is busy.
import { Alert } from '@mantine/core';
import { useEffect, useState } from 'react';
import { request } from '../api/client.ts';
import { useReachability } from '../api/reachability.ts';
import { useText } from '../i18n/text.tsx';

export function Banner() {
  const text = useText();
  const { kind, until = 0 } = useReachability();
  useAttempts(kind === 'unreachable');
  const seconds = useSecondsUntil(kind === 'busy' ? until : 0);
  if (kind === 'reachable' || (kind === 'busy' && seconds === 0)) return null;
  return (
    <Alert color="yellow" role="status" radius={0}>
      {kind === 'busy' ? text('app.busy', { seconds }) : text('app.unreachable')}
    </Alert>
  );
}

/** Milliseconds. */
const PAUSE = 5000;

/** Reads the smallest page of the service until it answers: a failed change alone is not sent again. */
function useAttempts(isUnreachable: boolean): void {
  useEffect(() => {
    if (!isUnreachable) return undefined;
    const attempt = () => void request('').catch(() => undefined);
    const timer = setInterval(attempt, PAUSE);
    addEventListener('online', attempt);
    return () => {
      clearInterval(timer);
      removeEventListener('online', attempt);
    };
  }, [isUnreachable]);
}

/** Counts down to a time; 0 after it. */
function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (time <= Date.now()) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return Math.max(0, Math.ceil((time - now) / 1000));
}
