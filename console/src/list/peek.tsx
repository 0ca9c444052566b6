// This file shows a record beside the list: its fields, to be read without leaving the list.
import { Button, CloseButton, Group, Loader, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { requestJson } from '../api/client.ts';
import { isMissing } from '../api/request-failed.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, entityPath, titleOf, valueAt } from '../model/entity.ts';
import { type FormGroup, formGroups, isSingleNavigation } from '../model/layout.ts';
import type { EntitySet, StructuredType } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { useModel } from '../model/use-model.tsx';
import { CellValue } from './grid/grid-row.tsx';
import classes from './list.module.css';
import { selectAndExpand } from './list-request.ts';

export function Peek({
  set,
  type,
  keyText,
  unreadable,
  close,
}: {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly keyText: string;
  readonly unreadable: readonly string[];
  readonly close: () => void;
}) {
  const text = useText();
  const model = useModel();
  const groups = formGroups(model, type).filter(({ collapsed }) => !collapsed);
  const columns = groups.flatMap(({ fields }) => fields);
  const { expand } = selectAndExpand(
    model,
    type,
    columns.filter(
      ({ path: column, member }) => isSingleNavigation(member) && !unreadable.includes(column),
    ),
  );
  const path = pathWith(entityPath(set.name, keyText), [['$expand', expand]]);
  const { data, error, refetch } = useQuery({
    queryKey: ['record', path],
    queryFn: async ({ signal }) => requestJson<Entity>(path, { signal }),
  });
  useCloseByEscape(close);
  return (
    <aside className={classes.peek} aria-label={text('list.preview')}>
      <Group justify="space-between" wrap="nowrap" p="sm" align="start">
        <Title order={2} size="h5">
          {data === undefined ? keyText : titleOf(model, type, data)}
        </Title>
        <CloseButton aria-label={text('common.close')} onClick={close} />
      </Group>
      <Group px="sm" pb="sm">
        <Button
          size="compact-sm"
          variant="default"
          renderRoot={(props) => (
            <Link
              to="/s/$set/$key"
              params={{ set: set.name, key: keyText }}
              search={{}}
              {...props}
            />
          )}
        >
          {text('list.open')}
        </Button>
      </Group>
      {error !== null && !isMissing(error) && (
        <ErrorNotice error={error} retry={() => void refetch()} />
      )}
      {isMissing(error) && (
        <ErrorNotice error={error} title={text('record.none', { set: set.label })} />
      )}
      {data === undefined && error === null && <Loader size="sm" m="sm" />}
      {data !== undefined &&
        groups.map((group) => <PeekGroup key={group.id} group={group} entity={data} />)}
    </aside>
  );
}

/** Escape closes the panel, unless something above it is open. */
function useCloseByEscape(close: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      const { target } = event;
      if (target instanceof Element && target.closest('[role="dialog"],[role="menu"]') !== null)
        return;
      close();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [close]);
}

function PeekGroup({ group, entity }: { readonly group: FormGroup; readonly entity: Entity }) {
  const filled = group.fields.filter(({ path }) => {
    const value = valueAt(entity, path);
    return value !== null && value !== undefined && value !== '';
  });
  if (filled.length === 0) return null;
  return (
    <div>
      {group.label !== undefined && (
        <Title order={3} size="h6" px="sm" pb={4}>
          {group.label}
        </Title>
      )}
      <dl className={classes.fields}>
        {filled.map(({ path, label, member }) => (
          <div key={path} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <CellValue member={member} value={valueAt(entity, path)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
