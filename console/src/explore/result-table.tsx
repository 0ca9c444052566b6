// This file shows the rows of a response.
import { Anchor, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/text.tsx';
import { keyOf } from '../model/entity.ts';
import { useModel } from '../model/use-model.tsx';
import { optionOf, type RequestParts } from '../query/request-text.ts';
import { cellText, type Row, type Rows } from './result-rows.ts';

/** Rows of a page at most. */
const ROWS = 500;
const LENGTH = 200;

export function ResultTable({
  parts,
  rows,
}: {
  readonly parts: RequestParts;
  readonly rows: Rows;
}) {
  const text = useText();
  const recordOf = useRecordLink(parts);
  return (
    <Table.ScrollContainer
      minWidth={300}
      maxHeight={560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
    >
      <Table striped stickyHeader fz="xs" verticalSpacing={4}>
        <caption className="visually-hidden">{text('explore.table')}</caption>
        <Table.Thead>
          <Table.Tr>
            {rows.columns.map((name) => (
              <Table.Th key={name} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.rows.slice(0, ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Rows of groups have no key.
            <Table.Tr key={index}>
              {rows.columns.map((name, column) => (
                <Table.Td key={name}>
                  <Cell value={row[name]} to={column === 0 ? recordOf(row) : undefined} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cell({ value, to }: { readonly value: unknown; readonly to: string | undefined }) {
  const shown = cellText(value);
  const short = shown.length > LENGTH ? `${shown.slice(0, LENGTH)}…` : shown;
  if (to === undefined || short === '') return short;
  return (
    <Anchor component={Link} to={to} inherit>
      {short}
    </Anchor>
  );
}

/** The page of the entity of a row, where the request reads entities of a set. */
function useRecordLink({ path, options }: RequestParts): (row: Row) => string | undefined {
  const model = useModel();
  const set = model.sets.get(path);
  const isGrouped = optionOf({ path, options, method: 'GET', body: '' }, '$apply') !== '';
  const type = set?.kind === 'set' && !isGrouped ? model.types.get(set.type) : undefined;
  return (row) => {
    const key = type === undefined ? undefined : keyOf(type, row);
    return key === undefined ? undefined : `/s/${path}/${encodeURIComponent(key)}`;
  };
}
