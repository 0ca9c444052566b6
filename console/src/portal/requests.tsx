// This file lists the requests of the person, the latest change first.
import { Button, Group, Loader, Text, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { requestJson } from '../api/client.ts';
import type { Page } from '../api/read-all.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, keyOf, titleOf } from '../model/entity.ts';
import { defaultOrder } from '../model/layout.ts';
import { type EntitySet, typeOfSet } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { searchText } from '../model/search-text.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './portal.module.css';
import { ownPaths, summaryPaths } from './portal-model.ts';
import { RequestFacts } from './request-facts.tsx';
import { useMe } from './use-me.ts';

/** The condition that selects the requests of the person: null while it loads, undefined where the model has none. */
function useOwnFilter(set: EntitySet): string | undefined | null {
  const model = useModel();
  const me = useMe(set);
  if (me === null || me === undefined) return me;
  return ownPaths(model, typeOfSet(model, set))
    .map(({ name }) => `${name}/${me.path} eq ${me.literal}`)
    .join(' or ');
}

/** The requests of the person that contain what is searched. */
function useRequests(set: EntitySet, search: string) {
  const model = useModel();
  const type = typeOfSet(model, set);
  const filter = useOwnFilter(set);
  const select = new Set([...type.key.map(({ path }) => path), ...summaryPaths(model, type)]);
  const path = pathWith(set.name, [
    ['$select', [...select].join(',')],
    ['$filter', filter ?? undefined],
    ['$search', searchText(search)],
    ['$orderby', defaultOrder(model, type)],
  ]);
  return useInfiniteQuery({
    queryKey: ['portal', path],
    queryFn: async ({ pageParam, signal }) => requestJson<Page>(pageParam, { signal }),
    initialPageParam: path,
    getNextPageParam: (last) => last['@odata.nextLink'],
    enabled: filter !== null,
  });
}

export function Requests({
  set,
  mayCreate,
}: {
  readonly set: EntitySet;
  readonly mayCreate: boolean;
}) {
  const text = useText();
  const type = typeOfSet(useModel(), set);
  const [search, setSearch] = useState('');
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useRequests(set, search);
  const rows = data?.pages.flatMap(({ value }) => value) ?? [];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSearch(String(new FormData(event.currentTarget).get('search') ?? ''));
  };
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('portal.mine')}
        </Title>
        {mayCreate && (
          <Button
            renderRoot={(props) => <Link to="/portal/$page" params={{ page: 'new' }} {...props} />}
          >
            {text('portal.new')}
          </Button>
        )}
      </Group>
      <form onSubmit={submit}>
        <TextInput
          type="search"
          name="search"
          data-list-search
          aria-label={text('portal.search')}
          placeholder={text('portal.search')}
        />
      </form>
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
      <ul className={classes.list}>
        {rows.map((row) => (
          <RequestItem key={keyOf(type, row)} set={set} row={row} />
        ))}
      </ul>
      {isFetching && <Loader size="sm" aria-label={text('common.loading')} />}
      {data !== undefined && rows.length === 0 && (
        <Text c="dimmed" role="status">
          {text(search === '' ? 'portal.none' : 'common.nothingFound')}
        </Text>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
          {text('common.more')}
        </Button>
      )}
    </>
  );
}

function RequestItem({ set, row }: { readonly set: EntitySet; readonly row: Entity }) {
  const model = useModel();
  const type = typeOfSet(model, set);
  const key = keyOf(type, row) ?? '';
  return (
    <li>
      <Link to="/portal/$page" params={{ page: key }} className={classes.item}>
        <Text fw={600}>{titleOf(model, type, row)}</Text>
        <RequestFacts type={type} request={row} />
      </Link>
    </li>
  );
}
