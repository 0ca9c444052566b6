// This file starts a new request: people search for what they need, then fill in the form of the template.
import { Anchor, Loader, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { requestJson } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, keyOf, referenceSelect, titleOf, valueAt } from '../model/entity.ts';
import { subtitlePath, titlePath } from '../model/layout.ts';
import type { EntitySet } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { searchText } from '../model/search-text.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './portal.module.css';
import { type TemplateSource, templateSource } from './portal-model.ts';

/** Templates that are offered at once; the search finds the others. */
const OFFERED = 30;
/** Milliseconds for which typing has to rest. */
const REST = 150;

export function NewRequest({ set }: { readonly set: EntitySet }) {
  const text = useText();
  const model = useModel();
  const source = templateSource(model, set);
  return (
    <>
      <div>
        <Anchor component={Link} to="/portal" size="sm">
          ← {text('portal.mine')}
        </Anchor>
      </div>
      <Title order={1} size="h3">
        {text('portal.what')}
      </Title>
      {source !== undefined && <Templates set={set} source={source} />}
      <Link to="/new/$set" params={{ set: set.name }} search={{}} className={classes.item}>
        <Text fw={600}>{text('portal.other')}</Text>
        <Text size="sm" c="dimmed">
          {text('portal.otherHint')}
        </Text>
      </Link>
    </>
  );
}

function Templates({ set, source }: { readonly set: EntitySet; readonly source: TemplateSource }) {
  const text = useText();
  const model = useModel();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, REST);
  const second = source.type.members.has('Description')
    ? 'Description'
    : subtitlePath(model, source.type);
  const select = [referenceSelect(model, source.type), second].filter(Boolean).join(',');
  const path = pathWith(source.set, [
    ['$select', [...new Set(select.split(','))].join(',')],
    ['$filter', source.filter],
    ['$search', searchText(search)],
    ['$orderby', searchText(search) === undefined ? titlePath(model, source.type) : undefined],
    ['$top', String(OFFERED)],
  ]);
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', path],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(path, { signal })).value,
    placeholderData: (before) => before,
  });
  return (
    <>
      <TextInput
        type="search"
        data-list-search
        aria-label={text('portal.searchTemplates')}
        placeholder={text('portal.searchTemplates')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader size="sm" />}
      <ul className={classes.list} aria-live="polite">
        {data?.map((row) => {
          const key = keyOf(source.type, row) ?? '';
          const detail = second === undefined ? undefined : valueAt(row, second);
          return (
            <li key={key}>
              <Link
                to="/new/$set"
                params={{ set: set.name }}
                search={{ template: key }}
                className={classes.item}
              >
                <Text fw={600}>{titleOf(model, source.type, row)}</Text>
                {typeof detail === 'string' && detail !== '' && (
                  <Text size="sm" c="dimmed">
                    {detail}
                  </Text>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      {data?.length === 0 && (
        <Text c="dimmed" role="status">
          {text('common.nothingFound')}
        </Text>
      )}
    </>
  );
}
