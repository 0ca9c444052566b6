// This file lists related entities of a record: references can be added and removed, contained entities are created in place.
import '@mantine/core/styles/Table.css';
import { Anchor, Button, CloseButton, Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { repeatable, request, requestJson } from '../api/client.ts';
import type { Page } from '../api/read-all.ts';
import { useRights } from '../app/rights.ts';
import { unreadablePaths } from '../app/unreadable.ts';
import { ErrorNotice, useErrorText } from '../components/error-notice.tsx';
import { ReferenceInput } from '../components/inputs/reference-input.tsx';
import { Scrollable } from '../components/scrollable.tsx';
import { showToast } from '../components/toasts.tsx';
import { Value } from '../components/value.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, entityPath, keyOf, titleOf, valueAt } from '../model/entity.ts';
import { type Column, listColumns, titlePath } from '../model/layout.ts';
import { isWithin, pathsInside } from '../model/member-path.ts';
import {
  type EntitySet,
  type Member,
  type Model,
  type StructuredType,
  typeNamed,
} from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { DialogForm } from './actions/dialog-form.tsx';
import { fieldGroups, recordQuery } from './fields.ts';
import { recordPath, refreshRecord } from './record-data.ts';
import type { LoadedProps } from './record-view.tsx';
import { bodyOf } from './values.ts';

const COLUMNS = 5;

interface RelatedProps extends LoadedProps {
  readonly member: Member;
}

/** Title first, then what lists show. */
function columnsOf(
  model: Model,
  type: StructuredType,
  unreadable: readonly string[],
): readonly Column[] {
  const title = titlePath(model, type);
  const columns = listColumns(model, type).filter(
    ({ path, member }) => !member.collection && !isWithin(path, unreadable),
  );
  return [
    ...columns.filter(({ path }) => path === title),
    ...columns.filter(({ path }) => path !== title),
  ].slice(0, COLUMNS);
}

/** The paths of related entities that the account cannot read. */
function useUnreadableOf(set: EntitySet, { name }: Member): readonly string[] {
  const model = useModel();
  const rights = useRights();
  const target = model.sets.get(set.bindings.get(name) ?? '');
  return target === undefined
    ? pathsInside(name, unreadablePaths(model, set, rights))
    : unreadablePaths(model, target, rights);
}

export function RelatedList(props: RelatedProps) {
  const { set, recordKey, record, member, around } = props;
  const model = useModel();
  const text = useText();
  const type = typeNamed(model, member.type);
  const unreadable = useUnreadableOf(set, member);
  const columns = columnsOf(model, type, unreadable);
  const path = `${recordPath(set, recordKey, record.type)}/${member.name}`;
  const query = recordQuery(
    model,
    type,
    columns.map((column) => column.path),
  );
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['related', set.name, recordKey, member.name],
      queryFn: async ({ pageParam, signal }) => await requestJson<Page>(pageParam, { signal }),
      initialPageParam: `${path}?${query}`,
      getNextPageParam: (page) => page['@odata.nextLink'],
    },
  );
  const mayChange =
    around?.rights?.Members.find(({ Name }) => Name === member.name)?.Change !== false &&
    !member.computed;
  if (error !== null && data === undefined)
    return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loader size="sm" />;
  const rows = data.pages.flatMap(({ value }) => value);
  return (
    <Stack>
      {mayChange &&
        (member.contained ? (
          <CreateContained {...props} path={path} unreadable={unreadable} />
        ) : (
          <AddReference {...props} path={path} />
        ))}
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text('record.noRelated')}
        </Text>
      ) : (
        <Rows
          {...props}
          rows={rows}
          columns={columns}
          type={type}
          path={path}
          mayChange={mayChange}
        />
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text('common.more')}
        </Button>
      )}
    </Stack>
  );
}

function Rows({
  set,
  recordKey,
  member,
  rows,
  columns,
  type,
  path,
  mayChange,
}: RelatedProps & {
  readonly rows: readonly Entity[];
  readonly columns: readonly Column[];
  readonly type: StructuredType;
  readonly path: string;
  readonly mayChange: boolean;
}) {
  const text = useText();
  const errorText = useErrorText();
  const remove = async (key: string) => {
    const item = entityPath(path, key);
    try {
      await request(member.contained ? item : `${item}/$ref`, { method: 'DELETE' });
      await refreshRecord(set.name, recordKey);
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
  };
  return (
    <Scrollable label={member.label}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ path: column, label }) => (
              <Table.Th key={column}>{label}</Table.Th>
            ))}
            {mayChange && (
              <Table.Th>
                <span className="visually-hidden">{text('common.remove')}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const key = keyOf(type, row) ?? '';
            return (
              <Row
                key={key}
                row={row}
                rowKey={key}
                type={type}
                target={set.bindings.get(member.name)}
                columns={columns}
                remove={mayChange ? remove : undefined}
              />
            );
          })}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

function Row({
  row,
  rowKey,
  type,
  target,
  columns,
  remove,
}: {
  readonly row: Entity;
  readonly rowKey: string;
  readonly type: StructuredType;
  /** The set of the row. Without it, nothing shows the row alone. */
  readonly target: string | undefined;
  readonly columns: readonly Column[];
  readonly remove: ((key: string) => Promise<void>) | undefined;
}) {
  const text = useText();
  const name = titleOf(useModel(), type, row);
  return (
    <Table.Tr>
      {columns.map((column, index) => (
        <Table.Td key={column.path}>
          {index === 0 && target !== undefined ? (
            <Anchor component={Link} to={`/s/${target}/${encodeURIComponent(rowKey)}`} size="sm">
              {name}
            </Anchor>
          ) : (
            <Value member={column.member} value={valueAt(row, column.path)} />
          )}
        </Table.Td>
      ))}
      {remove !== undefined && (
        <Table.Td>
          <CloseButton
            size="sm"
            aria-label={text('record.removeRelated', { name })}
            onClick={() => void remove(rowKey)}
          />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function AddReference({ set, recordKey, member, path }: RelatedProps & { readonly path: string }) {
  const text = useText();
  const model = useModel();
  const errorText = useErrorText();
  const id = useId();
  const target = set.bindings.get(member.name);
  const [chosen, setChosen] = useState<Entity | null>(null);
  const add = async () => {
    const key = keyOf(typeNamed(model, member.type), chosen);
    if (target === undefined || key === undefined) return;
    try {
      await request(`${path}/$ref`, {
        method: 'POST',
        body: { '@odata.id': entityPath(target, key) },
      });
      setChosen(null);
      await refreshRecord(set.name, recordKey);
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
  };
  if (target === undefined) return null;
  return (
    <Group align="end" gap="xs">
      <div style={{ flex: '1 1 240px' }}>
        <ReferenceInput
          id={id}
          member={{ ...member, collection: false, nullable: true }}
          label={text('record.addRelated', { name: member.label })}
          value={chosen}
          onChange={setChosen}
          targetSet={target}
        />
      </div>
      <Button variant="default" disabled={chosen === null} onClick={() => void add()}>
        {text('common.add')}
      </Button>
    </Group>
  );
}

function CreateContained({
  set,
  recordKey,
  member,
  path,
  unreadable,
}: RelatedProps & { readonly path: string; readonly unreadable: readonly string[] }) {
  const text = useText();
  const model = useModel();
  const [isOpen, setOpen] = useState(false);
  const type = typeNamed(model, member.type);
  if (type.abstract || type.hasStream) return null;
  // Bindings of contained entities have paths that start with the member.
  const inner = new Map(
    [...set.bindings]
      .filter(([name]) => name.startsWith(`${member.name}/`))
      .map(([name, target]) => [name.slice(member.name.length + 1), target]),
  );
  const fields = fieldGroups(model, type, {
    set: { ...set, bindings: inner },
    rights: undefined,
    unreadable,
    mode: 'create',
  }).flatMap((group) => group.fields);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'start' }}
        onClick={() => setOpen(true)}
      >
        {text('record.createRelated', { name: type.label })}
      </Button>
      {isOpen && (
        <DialogForm
          title={text('record.createRelated', { name: type.label })}
          fields={fields}
          initial={Object.fromEntries(
            fields.map((field) => [field.path, field.member.defaultValue ?? null]),
          )}
          submitLabel={text('common.add')}
          onClose={() => setOpen(false)}
          onSubmit={async (values) => {
            const given = fields
              .filter((field) => values[field.path] !== null)
              .map((field) => field.path);
            await request(path, {
              method: 'POST',
              headers: repeatable(),
              body: bodyOf(model, fields, values, given),
            });
            await refreshRecord(set.name, recordKey);
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
