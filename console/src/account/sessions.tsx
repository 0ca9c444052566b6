// This file lists the sessions of the account, and ends one or all but this.
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request, requestJson } from '../api/client.ts';
import { useRights } from '../app/rights.ts';
import { ErrorNotice, useErrorText } from '../components/error-notice.tsx';
import { showToast } from '../components/toasts.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { literal } from '../model/entity.ts';
import { useModel } from '../model/use-model.tsx';
import { useSession } from '../session/use-session.ts';
import classes from './account.module.css';
import { importOf, setOfType } from './account-names.ts';
import { agentName } from './agent-name.ts';

interface OwnSession {
  readonly Uid: string;
  readonly Address: string | null;
  readonly Client: string | null;
  readonly Opened: string;
  readonly LastUsed: string | null;
}

interface Found {
  readonly current: string | undefined;
  readonly sessions: readonly OwnSession[];
}

const KEY = ['own-sessions'];
const MOST = 100;

/** Administrators may read the sessions of all accounts, others only their own. */
function useOwnSessions() {
  const model = useModel();
  const session = useSession();
  const { isAdministrator } = useRights();
  const name = session.kind === 'signed-in' ? session.grant.Account.LoginName : '';
  const own = `Account/LoginName eq ${literal(name, 'Edm.String')}`;
  const filter = isAdministrator ? `&$filter=${encodeURIComponent(own)}` : '';
  const list = `${setOfType(model, 'Session')}?$orderby=LastUsed desc,Uid desc&$top=${MOST}${filter}`;
  const current = `${importOf(model, 'CurrentSession')}()?$select=Uid`;
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<Found> => {
      const [{ value }, found] = await Promise.all([
        requestJson<{ readonly value: readonly OwnSession[] }>(list, { signal }),
        requestJson<OwnSession | undefined>(current, { signal }),
      ]);
      return { current: found?.Uid, sessions: value };
    },
    staleTime: 0,
  });
}

export function Sessions() {
  const { data, error, refetch } = useOwnSessions();
  if (error !== null) return <ErrorNotice error={error} retry={() => void refetch()} />;
  return data === undefined ? null : <SessionList found={data} />;
}

/** Ends sessions by a request, and reads the list again. */
function useEnd() {
  const text = useText();
  const errorText = useErrorText();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ([method, path]: readonly [string, string]) =>
      await request(path, { method }),
    onSuccess: () => showToast({ kind: 'result', text: text('account.ended') }),
    onError: (error) => showToast({ kind: 'failure', text: errorText(error) }),
    onSettled: async () => await client.invalidateQueries({ queryKey: KEY }),
  });
}

function SessionList({ found: { current, sessions } }: { readonly found: Found }) {
  const text = useText();
  const model = useModel();
  const end = useEnd();
  const set = setOfType(model, 'Session');
  return (
    <Stack gap="sm">
      <Stack component="ul" gap={0} m={0} p={0}>
        {sessions.map((session) => (
          <SessionItem
            key={session.Uid}
            session={session}
            isCurrent={session.Uid === current}
            isBusy={end.isPending}
            end={() => end.mutate(['DELETE', `${set}(${session.Uid})`])}
          />
        ))}
      </Stack>
      <Group>
        <Button
          size="xs"
          variant="default"
          disabled={sessions.length < 2 || end.isPending}
          onClick={() => end.mutate(['POST', importOf(model, 'EndOtherSessions')])}
        >
          {text('account.endOthers')}
        </Button>
      </Group>
    </Stack>
  );
}

interface SessionItemProps {
  readonly session: OwnSession;
  readonly isCurrent: boolean;
  readonly isBusy: boolean;
  readonly end: () => void;
}

function SessionItem({ session, isCurrent, isBusy, end }: SessionItemProps) {
  const text = useText();
  const program = agentName(session.Client) ?? text('account.unknownProgram');
  return (
    <Group component="li" className={classes.session ?? ''} justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm" fw={600} title={session.Client ?? undefined}>
          {program}
        </Text>
        <Text size="xs" c="dimmed">
          <Uses session={session} />
        </Text>
      </div>
      {isCurrent ? (
        <Badge variant="default" tt="none" style={{ flexShrink: 0 }}>
          {text('account.current')}
        </Badge>
      ) : (
        <Button
          size="compact-xs"
          variant="subtle"
          style={{ flexShrink: 0 }}
          disabled={isBusy}
          aria-label={text('account.endOf', { program, address: session.Address ?? '' })}
          onClick={end}
        >
          {text('account.end')}
        </Button>
      )}
    </Group>
  );
}

function Uses({ session: { Address, Opened, LastUsed } }: { readonly session: OwnSession }) {
  const text = useText();
  const { dateTime } = useFormats();
  const used =
    LastUsed === null
      ? text('account.neverUsed')
      : text('account.lastUsed', { time: dateTime(LastUsed) });
  return [Address, text('account.opened', { time: dateTime(Opened) }), used]
    .filter((one) => one !== null)
    .join(' · ');
}
