// This file is the page of a set: its list, with everything that the URL says about it.
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRights } from '../app/rights.ts';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './list.module.css';
import { ListView } from './list-view.tsx';

export function ListPage() {
  const { set: name } = useParams({ strict: false });
  const text = useText();
  const model = useModel();
  const rights = useRights();
  const set = model.sets.get(name ?? '');
  useTitle(set);
  if (set === undefined || set.kind !== 'set')
    return <p className={classes.empty}>{text('app.noSet', { name: name ?? '' })}</p>;
  if (!rights.of(set.name).Read)
    return <p className={classes.empty}>{text('list.noRight', { set: set.label })}</p>;
  return <ListView key={set.name} set={set} rights={rights.of(set.name)} />;
}

function useTitle(set: EntitySet | undefined): void {
  useEffect(() => {
    if (set !== undefined) document.title = `${set.label} · Docket`;
  }, [set]);
}
