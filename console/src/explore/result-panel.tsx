// This file shows a response: as table, chart, text and headers, or the error with its mistakes.
import { Alert, Badge, Button, Group, List, Stack, Tabs, Text } from '@mantine/core';
import '@mantine/core/styles/List.css';
import '@mantine/core/styles/Tabs.css';
import { RequestFailed } from '../api/request-failed.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { chartDataOf, ResultChart } from './result-chart.tsx';
import { ResultHeaders } from './result-headers.tsx';
import { rowsOf } from './result-rows.ts';
import { ResultTable } from './result-table.tsx';
import { ResultText } from './result-text.tsx';
import type { Answer, Result } from './run-request.ts';

export function ResultPanel({
  result,
  onNext,
}: {
  readonly result: Result;
  readonly onNext: (link: string) => void;
}) {
  const { outcome } = result;
  return (
    <Stack gap="xs" component="section" aria-live="polite">
      <Summary result={result} />
      {outcome.kind === 'failed' ? (
        <Failure error={outcome.error} />
      ) : (
        <AnswerTabs result={result} answer={outcome} onNext={onNext} />
      )}
    </Stack>
  );
}

function Summary({ result: { outcome, milliseconds } }: { readonly result: Result }) {
  const text = useText();
  const { number } = useFormats();
  const status = outcome.kind === 'answered' ? outcome.status : statusOf(outcome.error);
  return (
    <Group gap="md">
      <Badge {...(outcome.kind === 'answered' ? OK : FAILED)} tt="none">
        {status === 0 ? text('common.unreachable') : status}
      </Badge>
      <Text size="xs">{text('explore.time', { time: number(Math.round(milliseconds)) })}</Text>
      {outcome.kind === 'answered' && (
        <Text size="xs">{text('explore.size', { size: number(outcome.bytes) })}</Text>
      )}
    </Group>
  );
}

const OK = { variant: 'default' } as const;
const FAILED = { variant: 'filled', color: 'red' } as const;

const statusOf = (error: unknown): number => (error instanceof RequestFailed ? error.status : 0);

function Failure({ error }: { readonly error: unknown }) {
  const errorText = useErrorText();
  const details = error instanceof RequestFailed ? error.details : [];
  const code = error instanceof RequestFailed ? error.code : '';
  return (
    <Alert color="red" role="alert" title={errorText(error)}>
      <Text size="xs" ff="monospace">
        {code}
      </Text>
      {details.length > 0 && (
        <List size="sm">
          {details.map(({ code: one, target, message }) => (
            <List.Item key={`${one} ${target}`}>
              {target === undefined ? message : `${target}: ${message}`}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}

function AnswerTabs({
  result: { parts },
  answer,
  onNext,
}: {
  readonly result: Result;
  readonly answer: Answer;
  readonly onNext: (link: string) => void;
}) {
  const text = useText();
  const rows = rowsOf(answer.json);
  const chart = rows === undefined ? undefined : chartDataOf(parts, rows);
  const next = rows?.nextLink;
  return (
    <Tabs defaultValue={rows === undefined ? 'json' : 'table'} keepMounted={false}>
      <Tabs.List aria-label={text('explore.response')}>
        {rows !== undefined && <Tabs.Tab value="table">{text('explore.table')}</Tabs.Tab>}
        {chart !== undefined && <Tabs.Tab value="chart">{text('explore.chart')}</Tabs.Tab>}
        <Tabs.Tab value="json">{text('explore.json')}</Tabs.Tab>
        <Tabs.Tab value="headers">{text('explore.headers')}</Tabs.Tab>
      </Tabs.List>
      {rows !== undefined && (
        <Tabs.Panel value="table" pt="xs">
          <Group gap="md" pb="xs">
            <Text size="xs">{text('explore.rows', { count: rows.rows.length })}</Text>
            {rows.count !== undefined && (
              <Text size="xs">{text('explore.total', { count: rows.count })}</Text>
            )}
            {next !== undefined && (
              <Button size="compact-xs" variant="default" onClick={() => onNext(next)}>
                {text('explore.next')}
              </Button>
            )}
          </Group>
          {rows.rows.length > 0 && <ResultTable parts={parts} rows={rows} />}
        </Tabs.Panel>
      )}
      {chart !== undefined && (
        <Tabs.Panel value="chart" pt="xs">
          <ResultChart parts={parts} data={chart} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="json" pt="xs">
        <ResultText answer={answer} />
      </Tabs.Panel>
      <Tabs.Panel value="headers" pt="xs">
        <ResultHeaders headers={answer.headers} />
      </Tabs.Panel>
    </Tabs>
  );
}
