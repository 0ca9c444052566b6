// This file shows short messages about what happened. Those with an action stay until they are closed, others disappear by themselves.
import { Button, Group, Notification, Stack } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { useText } from '../i18n/text.tsx';
import classes from './toasts.module.css';

export interface Toast {
  readonly text: string;
  /** Failures are announced at once, results when the reader pauses. */
  readonly kind: 'result' | 'failure';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds after which a message with an action closes; without it, it stays. */
  readonly closesAfter?: number;
}

interface Shown extends Toast {
  readonly id: number;
}

/** Milliseconds. */
const VISIBLE = 6000;

let shown: readonly Shown[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a message. Returns the way to close it. */
export function showToast(toast: Toast): () => void {
  last += 1;
  const id = last;
  change([...shown, { ...toast, id }]);
  return () => closeToast(id);
}

function closeToast(id: number): void {
  change(shown.filter((toast) => toast.id !== id));
}

export function Toasts() {
  const text = useText();
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <Stack
      className={classes.region ?? ''}
      gap="xs"
      role="region"
      aria-label={text('common.messages')}
    >
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </Stack>
  );
}

function ToastView({ toast }: { readonly toast: Shown }) {
  const text = useText();
  const { id, action, closesAfter = action === undefined ? VISIBLE : undefined } = toast;
  useEffect(() => {
    if (closesAfter === undefined) return undefined;
    const timer = setTimeout(() => closeToast(id), closesAfter);
    return () => clearTimeout(timer);
  }, [id, closesAfter]);
  const run = () => {
    action?.run();
    closeToast(id);
  };
  return (
    <Notification
      role={toast.kind === 'failure' ? 'alert' : 'status'}
      color={toast.kind === 'failure' ? 'red' : 'blue'}
      onClose={() => closeToast(id)}
      closeButtonProps={{ 'aria-label': text('common.close') }}
      withBorder
    >
      <Group justify="space-between" gap="md">
        {toast.text}
        {action !== undefined && (
          <Button size="compact-sm" variant="default" onClick={run}>
            {action.label}
          </Button>
        )}
      </Group>
    </Notification>
  );
}
