// This file is a tile with the first entities of a list.
import '@mantine/core/styles/Table.css';
import { Stack, Table, Text } from '@mantine/core';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { Value } from '../components/value.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, keyOf, valueAt } from '../model/entity.ts';
import { listColumns } from '../model/layout.ts';
import { typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';

const COLUMNS = 4;

export function TileRecords({
  set,
  rows,
  filter,
}: {
  readonly set: string;
  readonly rows: readonly Entity[];
  readonly filter: string;
}) {
  const text = useText();
  const model = useModel();
  const entitySet = model.sets.get(set);
  if (entitySet === undefined) return null;
  const type = typeOfSet(model, entitySet);
  const columns = listColumns(model, type).slice(0, COLUMNS);
  return (
    <Stack gap="xs">
      <Table.ScrollContainer minWidth={280} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table fz="xs">
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ path, label }) => (
                <Table.Th key={path} scope="col">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => {
              const key = keyOf(type, row) ?? '';
              return (
                <Table.Tr key={key}>
                  {columns.map(({ path, member }, index) => (
                    <Table.Td key={path}>
                      {index === 0 ? (
                        <RouterAnchor to="/s/$set/$key" params={{ set, key }} inherit>
                          <Value member={member} value={valueAt(row, path)} />
                        </RouterAnchor>
                      ) : (
                        <Value member={member} value={valueAt(row, path)} />
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length === 0 && <Text size="xs">{text('common.nothingFound')}</Text>}
      <RouterAnchor to="/s/$set" params={{ set }} search={{ filter }} size="xs">
        {text('dashboard.all', { set: entitySet.label })}
      </RouterAnchor>
    </Stack>
  );
}
