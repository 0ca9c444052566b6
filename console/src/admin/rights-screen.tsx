// This file shows what an account may do with an entity, and another account beside it.
import '@mantine/core/styles/Table.css';
import { Button, Group, Select, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { requestJson } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { entityPath } from '../model/entity.ts';
import { typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { engineSet } from './admin-sets.ts';
import { ACTIONS, type EffectiveRights, memberRows } from './compare-rights.ts';

interface Search {
  readonly set?: string;
  readonly key?: string;
  readonly account?: string;
  readonly other?: string;
}

export function RightsScreen() {
  const search: Search = useSearch({ strict: false });
  return (
    <Stack>
      <RightsForm key={JSON.stringify(search)} search={search} />
      <RightsResult search={search} />
    </Stack>
  );
}

function RightsForm({ search }: { readonly search: Search }) {
  const text = useText();
  const model = useModel();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(search);
  const names = useAccountNames();
  const sets = [...model.sets.values()].filter(({ kind }) => kind === 'set');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '.', search: draft as never });
  };
  return (
    <form onSubmit={submit}>
      <Group align="end">
        <Select
          size="xs"
          label={text('explore.set')}
          searchable
          required
          data={sets.map(({ name, label }) => ({ value: name, label }))}
          value={draft.set ?? null}
          onChange={(set) => setDraft({ ...draft, set: set ?? '' })}
        />
        <TextInput
          size="xs"
          w={140}
          label={text('admin.recordKey')}
          required
          value={draft.key ?? ''}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, key: value })}
        />
        <Select
          size="xs"
          label={text('admin.account')}
          searchable
          required
          data={[...names]}
          value={draft.account ?? null}
          onChange={(account) => setDraft({ ...draft, account: account ?? '' })}
        />
        <Select
          size="xs"
          label={text('admin.otherAccount')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': text('common.clear') }}
          data={[...names]}
          value={draft.other === '' ? null : (draft.other ?? null)}
          onChange={(other) => setDraft({ ...draft, other: other ?? '' })}
        />
        <Button size="xs" type="submit" disabled={!draft.set || !draft.key || !draft.account}>
          {text('admin.showRights')}
        </Button>
      </Group>
    </form>
  );
}

function useAccountNames(): readonly string[] {
  const set = engineSet(useModel(), 'Accounts')?.name;
  const { data } = useQuery({
    queryKey: ['account-names', set],
    queryFn: async ({ signal }) => {
      const path = `${set}?$select=LoginName&$orderby=LoginName&$top=250`;
      return await requestJson<{ readonly value: readonly { readonly LoginName: string }[] }>(
        path,
        { signal },
      );
    },
    enabled: set !== undefined,
  });
  return data?.value.map(({ LoginName }) => LoginName) ?? [];
}

function useRightsOf({ set = '', key = '' }: Search, account: string) {
  return useQuery({
    queryKey: ['effective-rights', set, key, account],
    queryFn: async ({ signal }) => {
      const name = encodeURIComponent(`'${account.replaceAll("'", "''")}'`);
      const path = `${entityPath(set, key)}/EffectiveRights(Account=${name})`;
      return await requestJson<EffectiveRights>(path, { signal });
    },
    enabled: set !== '' && key !== '' && account !== '',
    staleTime: 0,
  });
}

function RightsResult({ search }: { readonly search: Search }) {
  const text = useText();
  const [isOnlyDifferences, setOnlyDifferences] = useState(false);
  const { account = '', other = '' } = search;
  const first = useRightsOf(search, account);
  const second = useRightsOf(search, other);
  const error = first.error ?? second.error;
  if (error !== null) return <ErrorNotice error={error} />;
  if (first.data === undefined) return null;
  const rights = [first.data, ...(second.data === undefined ? [] : [second.data])];
  const names = [account, ...(second.data === undefined ? [] : [other])];
  return (
    <Stack>
      {rights.length > 1 && (
        <Switch
          size="xs"
          label={text('admin.onlyDifferences')}
          checked={isOnlyDifferences}
          onChange={({ currentTarget }) => setOnlyDifferences(currentTarget.checked)}
        />
      )}
      <RightsTable
        search={search}
        names={names}
        rights={rights}
        isOnlyDifferences={isOnlyDifferences && rights.length > 1}
      />
    </Stack>
  );
}

function RightsTable({
  search: { set = '' },
  names,
  rights,
  isOnlyDifferences,
}: {
  readonly search: Search;
  readonly names: readonly string[];
  readonly rights: readonly EffectiveRights[];
  readonly isOnlyDifferences: boolean;
}) {
  const text = useText();
  const model = useModel();
  const entitySet = model.sets.get(set);
  const type = entitySet === undefined ? undefined : typeOfSet(model, entitySet);
  const members = memberRows(rights).filter(({ differs }) => differs || !isOnlyDifferences);
  const actions = ACTIONS.map((name) => ({ name, values: rights.map((one) => one[name]) }));
  const shown = actions.filter(({ values }) => new Set(values).size > 1 || !isOnlyDifferences);
  return (
    <Table.ScrollContainer minWidth={360} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="sm">
        <caption className="visually-hidden">{text('admin.rights')}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text('admin.right')}</Table.Th>
            {names.map((name) => (
              <Table.Th key={name} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ name, values }) => (
            <RightsRow
              key={name}
              label={text(`admin.action.${name}`)}
              values={values.map((may) => text(may ? 'common.yes' : 'common.no'))}
              differs={new Set(values).size > 1}
            />
          ))}
          {members.map(({ name, access, differs }) => (
            <RightsRow
              key={`member ${name}`}
              label={type?.members.get(name)?.label ?? name}
              values={access.map((one) => text(`admin.access.${one}`))}
              differs={differs}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function RightsRow({
  label,
  values,
  differs,
}: {
  readonly label: string;
  readonly values: readonly string[];
  readonly differs: boolean;
}) {
  const text = useText();
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={differs ? 700 : 400}>
        {label}
        {differs && (
          <Text span size="xs" c="dimmed">
            {` (${text('admin.differs')})`}
          </Text>
        )}
      </Table.Th>
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The columns are the accounts.
        <Table.Td key={index}>{value}</Table.Td>
      ))}
    </Table.Tr>
  );
}
