// This file shows the numbers of a chart as a table. Each number is a link to its records where the chart has such links.
import { Anchor, Table } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import type { ChartData } from './chart-data.ts';

export function ChartTable({
  title,
  data,
  onSelect,
}: {
  readonly title: string;
  readonly data: ChartData;
  readonly onSelect?: ((category: number, series: number) => void) | undefined;
}) {
  const text = useText();
  const { number } = useFormats();
  return (
    <Table.ScrollContainer
      minWidth={240}
      maxHeight={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
    >
      <Table striped>
        <caption className="visually-hidden">{title}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text('chart.group')}</Table.Th>
            {data.series.map(({ name }) => (
              <Table.Th key={name} scope="col" ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.categories.map((category, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Two categories may have the same name.
            <Table.Tr key={row}>
              <Table.Th scope="row" fw={400}>
                {category}
              </Table.Th>
              {data.series.map(({ name, values }, column) => (
                <Table.Td key={name} ta="end">
                  {onSelect === undefined ? (
                    number(values[row] ?? 0)
                  ) : (
                    <Anchor
                      component="button"
                      type="button"
                      inherit
                      onClick={() => onSelect(row, column)}
                    >
                      {number(values[row] ?? 0)}
                    </Anchor>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
