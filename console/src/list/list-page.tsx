// This file is the page of a set: its list, with everything that the URL says about it.
import { Loader } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { usePageTitle } from '../app/page-title.ts';
import { type Rights, useRights } from '../app/rights.ts';
import { NotFound } from '../app/shell.tsx';
import { unreadablePaths } from '../app/unreadable.ts';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ListProvider } from './list-context.tsx';
import { ListView } from './list-view.tsx';

export function ListPage() {
  const { set: name } = useParams({ strict: false });
  const text = useText();
  const model = useModel();
  const rights = useRights();
  const set = model.sets.get(name ?? '');
  usePageTitle(set?.label);
  if (set === undefined || set.kind !== 'set')
    return <NotFound title={text('app.noSet', { name: name ?? '' })} />;
  if (!rights.of(set.name).Read)
    return <NotFound title={text('list.noRight', { set: set.label })} />;
  return <List key={set.name} set={set} rights={rights} />;
}

function List({ set, rights }: { readonly set: EntitySet; readonly rights: Rights }) {
  const model = useModel();
  const own = useMemo(
    () => ({ ...rights.of(set.name), Unreadable: unreadablePaths(model, set, rights) }),
    [model, rights, set],
  );
  return (
    <ListProvider set={set} rights={own} waiting={<Waiting />}>
      <ListView set={set} rights={own} />
    </ListProvider>
  );
}

function Waiting() {
  const text = useText();
  return <Loader m="md" size="sm" role="status" aria-label={text('common.loading')} />;
}
