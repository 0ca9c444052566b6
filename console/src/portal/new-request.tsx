// This file starts a new request: people search for what they need, then fill in the form of the template.

import { Anchor, Loader, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { requestJson } from '../api/client.ts';
import { usePageTitle } from '../app/page-title.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Icon } from '../components/icons.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, keyOf, referenceSelect, titleOf, valueAt } from '../model/entity.ts';
import { isForPortal, subtitlePath, titlePath } from '../model/layout.ts';
import { type EntitySet, typeOfSet } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { searchText } from '../model/search-text.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './portal.module.css';
import { ownPaths, type TemplateSource, templateSource } from './portal-model.ts';
import { useMe } from './use-me.ts';

/** Templates that are offered at once; the search finds the others. */
const OFFERED = 30;
/** Milliseconds for which typing has to rest. */
const REST = 150;

export function NewRequest({ set }: { readonly set: EntitySet }) {
  const text = useText();
  const model = useModel();
  const source = templateSource(model, set);
  usePageTitle(text('portal.what'), text('app.portal'));
  const me = useMe(set);
  const type = typeOfSet(model, set);
  const candidates = ownPaths(model, type);
  const own = candidates.find(({ name }) => isForPortal(type, name)) ?? candidates[0];
  const values = me && own !== undefined ? { [own.name]: me.literal } : {};
  // A request without its person would not be among one's own.
  if (me === null) return <Loader size="sm" aria-label={text('common.loading')} />;
  return (
    <>
      <div>
        <Anchor component={Link} to="/portal" size="sm">
          <Icon name="back" /> {text('portal.mine')}
        </Anchor>
      </div>
      <Title order={1} size="h3">
        {text('portal.what')}
      </Title>
      {source !== undefined && <Templates set={set} source={source} values={values} />}
      <Link to="/new/$set" params={{ set: set.name }} search={values} className={classes.item}>
        <Text fw={600}>{text('portal.other')}</Text>
        <Text size="sm" c="dimmed">
          {text('portal.otherHint')}
        </Text>
      </Link>
    </>
  );
}

interface TemplatesProps {
  readonly set: EntitySet;
  readonly source: TemplateSource;
  /** What the form of a new request is filled with. */
  readonly values: Readonly<Record<string, string>>;
}

/** The templates that contain what is searched. `second` is the path of their second line. */
function useTemplates(source: TemplateSource, search: string) {
  const model = useModel();
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
  const found = useQuery({
    queryKey: ['templates', path],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(path, { signal })).value,
    placeholderData: (before) => before,
  });
  return { ...found, second };
}

function Templates({ set, source, values }: TemplatesProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, REST);
  const { data, error, refetch, second } = useTemplates(source, search);
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
        {data?.map((row) => (
          <TemplateItem
            key={keyOf(source.type, row)}
            {...{ set, source, values, row }}
            detail={second === undefined ? undefined : valueAt(row, second)}
          />
        ))}
      </ul>
      {data?.length === 0 && (
        <Text c="dimmed" role="status">
          {text('common.nothingFound')}
        </Text>
      )}
    </>
  );
}

function TemplateItem({
  set,
  source: { type },
  values,
  row,
  detail,
}: TemplatesProps & { readonly row: Entity; readonly detail: unknown }) {
  const model = useModel();
  return (
    <li>
      <Link
        to="/new/$set"
        params={{ set: set.name }}
        search={{ template: keyOf(type, row) ?? '', ...values }}
        className={classes.item}
      >
        <Text fw={600}>{titleOf(model, type, row)}</Text>
        {typeof detail === 'string' && detail !== '' && (
          <Text size="sm" c="dimmed">
            {detail}
          </Text>
        )}
      </Link>
    </li>
  );
}
