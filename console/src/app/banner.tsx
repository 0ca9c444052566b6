// This file shows a banner while the service cannot be reached or is busy.
import { Alert } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useReachability } from '../api/reachability.ts';
import { useText } from '../i18n/text.tsx';

export function Banner() {
  const text = useText();
  const { kind, until = 0 } = useReachability();
  const seconds = useSecondsUntil(kind === 'busy' ? until : 0);
  if (kind === 'reachable' || (kind === 'busy' && seconds === 0)) return null;
  return (
    <Alert color="yellow" role="status" radius={0}>
      {kind === 'busy' ? text('app.busy', { seconds }) : text('app.unreachable')}
    </Alert>
  );
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
