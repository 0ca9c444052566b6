// This file shows the headers of a response, and the times in Server-Timing.
import { Stack, Table, Text } from '@mantine/core';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';

type Headers = readonly (readonly [string, string])[];

export function ResultHeaders({ headers }: { readonly headers: Headers }) {
  const text = useText();
  return (
    <Stack gap="md">
      <ServerTimes headers={headers} />
      <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <caption className="visually-hidden">{text('explore.headers')}</caption>
          <Table.Tbody>
            {headers.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function ServerTimes({ headers }: { readonly headers: Headers }) {
  const text = useText();
  const { number } = useFormats();
  const times = serverTimes(headers.find(([name]) => name === 'server-timing')?.[1] ?? '');
  if (times.length === 0)
    return (
      <Text size="xs" c="dimmed">
        {text('explore.noServerTiming')}
      </Text>
    );
  const [longest = 1] = times.map(({ milliseconds }) => milliseconds).sort((a, b) => b - a);
  return (
    <Table withRowBorders={false} w="auto">
      <caption>{text('explore.serverTiming')}</caption>
      <Table.Tbody>
        {times.map(({ name, milliseconds }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400}>
              {name}
            </Table.Th>
            <Table.Td ta="end">{number(milliseconds)} ms</Table.Td>
            <Table.Td w={200}>
              <meter min={0} max={longest} value={milliseconds} aria-hidden="true" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The times of a Server-Timing header: `plan;dur=0.4, total;dur=2.1`. */
function serverTimes(header: string) {
  return [...header.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name = '', duration]) => ({
    name,
    milliseconds: Number(duration),
  }));
}
