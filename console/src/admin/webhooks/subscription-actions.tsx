// This file has what can be done with a subscription: pause, test, a new secret, replay, deletion. What loses something asks first.
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useErrorText } from '../../components/error-notice.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { type Subscription, useSubscriptionChanges } from './subscription-data.ts';

type Asked = 'rotate' | 'replay' | 'delete';

export function SubscriptionActions({
  subscription: { Uid, State },
  onSecret,
  onDelivery,
}: {
  readonly subscription: Subscription;
  readonly onSecret: (secret: string) => void;
  /** Opens a delivery. */
  readonly onDelivery: (uid: string) => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const changes = useSubscriptionChanges();
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState<string>();
  const uid = String(Uid);
  const run = async (name: string, work: () => Promise<void>) => {
    setBusy(name);
    await work().catch((error) => showToast({ kind: 'failure', text: errorText(error) }));
    setBusy(undefined);
  };
  const isActive = State === 'active';
  const toggle = async () => await changes.update(uid, { State: isActive ? 'paused' : 'active' });
  const close = () => setAsked(undefined);
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant={isActive ? 'default' : 'filled'}
        loading={busy === 'toggle'}
        onClick={() => void run('toggle', toggle)}
      >
        {text(isActive ? 'webhook.pause' : 'webhook.activate')}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={busy === 'test'}
        onClick={() => void run('test', async () => onDelivery(await changes.test(uid)))}
      >
        {text('webhook.test')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsked('rotate')}>
        {text('webhook.rotate')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsked('replay')}>
        {text('webhook.replay')}
      </Button>
      <Button size="xs" variant="subtle" color="red" onClick={() => setAsked('delete')}>
        {text('common.delete')}
      </Button>
      {asked === 'rotate' && <RotateDialog uid={uid} onSecret={onSecret} onClose={close} />}
      {asked === 'replay' && <ReplayDialog uid={uid} onClose={close} />}
      {asked === 'delete' && <DeleteDialog uid={uid} onClose={close} />}
    </Group>
  );
}

/** A dialog that says what will happen, and shows why it has not. */
function AskDialog({
  title,
  children,
  confirm,
  isDangerous = false,
  isReady = true,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  /** Rejects with RequestFailed. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setError(undefined);
    await onConfirm().then(onClose, (problem: unknown) => {
      setError(problem);
      setBusy(false);
    });
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Stack gap="sm">
          {children}
          {error !== undefined && (
            <Alert color="red" role="alert" p="xs">
              {errorText(error)}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              {text('common.cancel')}
            </Button>
            <Button
              size="xs"
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(isDangerous ? { color: 'red' } : {})}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function RotateDialog({
  uid,
  onSecret,
  onClose,
}: {
  readonly uid: string;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}) {
  const text = useText();
  const { rotateSecret } = useSubscriptionChanges();
  return (
    <AskDialog
      title={text('webhook.rotate')}
      confirm={text('webhook.rotate')}
      onConfirm={async () => onSecret(await rotateSecret(uid))}
      onClose={onClose}
    >
      <Text size="sm">{text('webhook.rotateHelp')}</Text>
    </AskDialog>
  );
}

type ReplayBy = 'time' | 'position';

function ReplayDialog({ uid, onClose }: { readonly uid: string; readonly onClose: () => void }) {
  const text = useText();
  const { replay } = useSubscriptionChanges();
  const [by, setBy] = useState<ReplayBy>('time');
  const [typed, setTyped] = useState('');
  const from = by === 'time' && typed !== '' ? new Date(typed).toISOString() : typed.trim();
  const onConfirm = async () => {
    await replay(uid, from);
    showToast({ kind: 'result', text: text('webhook.replayed') });
  };
  return (
    <AskDialog
      title={text('webhook.replay')}
      confirm={text('webhook.replay')}
      isReady={from !== ''}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm">{text('webhook.replayHelp')}</Text>
      <Select
        size="xs"
        label={text('webhook.replayBy')}
        allowDeselect={false}
        data={(['time', 'position'] as const).map((value) => ({
          value,
          label: text(`webhook.replayBy.${value}`),
        }))}
        value={by}
        onChange={(next) => {
          setBy((next ?? 'time') as ReplayBy);
          setTyped('');
        }}
      />
      <TextInput
        key={by}
        size="xs"
        type={by === 'time' ? 'datetime-local' : 'text'}
        label={text(`webhook.replayFrom.${by}`)}
        {...(by === 'position' ? { description: text('webhook.positionHelp') } : {})}
        required
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
    </AskDialog>
  );
}

function DeleteDialog({ uid, onClose }: { readonly uid: string; readonly onClose: () => void }) {
  const text = useText();
  const navigate = useNavigate();
  const { remove } = useSubscriptionChanges();
  const onConfirm = async () => {
    await remove(uid);
    await navigate({ to: '/admin/$page', params: { page: 'webhooks' }, search: {} });
  };
  return (
    <AskDialog
      title={text('common.delete')}
      confirm={text('common.delete')}
      isDangerous
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm">{text('webhook.deleteAsk')}</Text>
    </AskDialog>
  );
}
