// This file creates an API key. The service returns it once, and nothing keeps it: leaving the screen loses it.
import { Alert, Button, Checkbox, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { requestJson } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { SecretNotice } from '../components/secret-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { useRoleNames } from './role-names.ts';

interface Draft {
  readonly Name: string;
  readonly Account: string;
  readonly Expires: string;
  readonly ReadOnly: boolean;
  readonly Roles: readonly string[];
}

const EMPTY: Draft = { Name: '', Account: '', Expires: '', ReadOnly: true, Roles: [] };

export function KeyScreen() {
  const text = useText();
  const errorText = useErrorText();
  const [draft, setDraft] = useState(EMPTY);
  const create = useMutation({ mutationFn: createKey, gcTime: 0 });
  const key = create.data?.value;
  if (key !== undefined)
    return <SecretNotice title={text('admin.keyOnce')} secret={key} onDone={create.reset} />;
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(draft, { onSuccess: () => setDraft(EMPTY) });
      }}
    >
      <Stack maw={420} gap="sm">
        <KeyFields draft={draft} change={change} />
        {create.error !== null && (
          <Alert color="red" role="alert" p="xs">
            {errorText(create.error)}
          </Alert>
        )}
        <Group>
          <Button
            size="xs"
            type="submit"
            loading={create.isPending}
            disabled={draft.Name.trim() === ''}
          >
            {text('admin.createKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

async function createKey({ Name, Account, Expires, ReadOnly, Roles }: Draft) {
  return await requestJson<{ readonly value: string }>('CreateApiKey', {
    method: 'POST',
    body: {
      Name,
      ReadOnly,
      ...(Account.trim() === '' ? {} : { Account }),
      ...(Expires === '' ? {} : { Expires: new Date(Expires).toISOString() }),
      ...(Roles.length === 0 ? {} : { Roles }),
    },
  });
}

function KeyFields({
  draft,
  change,
}: {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
}) {
  const text = useText();
  const roles = useRoleNames();
  return (
    <>
      <TextInput
        size="xs"
        label={text('admin.keyName')}
        required
        maxLength={128}
        value={draft.Name}
        onChange={({ currentTarget: { value } }) => change({ Name: value })}
      />
      <TextInput
        size="xs"
        label={text('admin.account')}
        description={text('admin.keyAccount')}
        autoComplete="off"
        value={draft.Account}
        onChange={({ currentTarget: { value } }) => change({ Account: value })}
      />
      <MultiSelect
        size="xs"
        label={text('admin.roles')}
        description={text('admin.keyRoles')}
        searchable
        data={[...roles]}
        value={[...draft.Roles]}
        onChange={(Roles) => change({ Roles })}
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label={text('admin.keyExpires')}
        description={text('admin.keyForever')}
        value={draft.Expires}
        onChange={({ currentTarget: { value } }) => change({ Expires: value })}
      />
      <Checkbox
        size="xs"
        label={text('admin.keyReadOnly')}
        checked={draft.ReadOnly}
        onChange={({ currentTarget: { checked } }) => change({ ReadOnly: checked })}
      />
    </>
  );
}
