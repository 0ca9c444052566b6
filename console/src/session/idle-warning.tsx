// This file warns before the session ends through inactivity, and ends it. The page stays as it is: signing in again goes on with what was
// typed (WCAG 2.2, "Timing Adjustable").
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useText } from '../i18n/text.tsx';
import { askForActivity, inactivity, noteActivity } from './activity.ts';
import { expire, resume } from './session.ts';

/** Milliseconds before the end; half of the time if that is shorter. */
const WARNING = 120_000;

/** @param minutes without input after which the session ends */
export function IdleWarning({ minutes }: { readonly minutes: number }) {
  const text = useText();
  const { seconds, stay } = useCountdown(minutes * 60_000);
  if (seconds === undefined) return null;
  return (
    <Dialog onClose={stay} withCloseButton={false} title={text('app.idleTitle')}>
      <Text>{text('app.idle', { seconds })}</Text>
      <Group justify="flex-end" mt="md">
        <Button onClick={stay} data-autofocus>
          {text('app.stay')}
        </Button>
      </Group>
    </Dialog>
  );
}

/** The seconds until the session ends; undefined while people are active. */
function useCountdown(limit: number) {
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    noteActivity();
    const check = () => {
      const left = limit - inactivity();
      const isNear = left <= Math.min(WARNING, limit / 2);
      askForActivity(isNear && left > 0);
      setSeconds(isNear && left > 0 ? Math.ceil(left / 1000) : undefined);
      if (left <= 0) void expire();
    };
    const timer = setInterval(check, 1000);
    return () => {
      clearInterval(timer);
      askForActivity(false);
    };
  }, [limit]);
  const stay = () => {
    noteActivity();
    askForActivity(false);
    setSeconds(undefined);
    // The service counts it as a use of the session as well.
    void resume().catch(() => undefined);
  };
  return { seconds, stay };
}
