// This file shows a workflow as a table: from the states on the left to those on top. Each cell is a button.
import '@mantine/core/styles/Table.css';
import { Group, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import classes from './admin.module.css';
import { type Cell, cellOf, type State, type Workflow } from './workflow-matrix.ts';

export interface Place {
  readonly from: string;
  readonly to: string;
}

export function MatrixView({
  workflow,
  chosen,
  onChoose,
}: {
  readonly workflow: Workflow;
  readonly chosen: Place | undefined;
  readonly onChoose: (place: Place) => void;
}) {
  const text = useText();
  const { states } = workflow;
  return (
    <Stack gap="xs">
      <MatrixLegend />
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table fz="xs" withTableBorder withColumnBorders verticalSpacing={2} horizontalSpacing={4}>
          <caption className="visually-hidden">{text('admin.matrix')}</caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{text('admin.fromTo')}</Table.Th>
              {states.map(({ value, label }) => (
                <Table.Th key={value} scope="col">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {states.map((from) => (
              <Table.Tr key={from.value}>
                <Table.Th scope="row">{from.label}</Table.Th>
                {states.map((to) => (
                  <Table.Td key={to.value}>
                    <CellButton
                      cell={cellOf(workflow, from.value, to.value)}
                      from={from}
                      to={to}
                      isUnknown={workflow.unknown.has(from.value)}
                      isChosen={chosen?.from === from.value && chosen.to === to.value}
                      onChoose={() => onChoose({ from: from.value, to: to.value })}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

/** What a cell shows, drawn: fonts may lack such characters. */
const MARKS: Readonly<Record<Cell['kind'] | 'unknown', ReactNode>> = {
  none: null,
  declared: <circle cx="6" cy="6" r="4" />,
  changed: <path d="M6 0L12 6L6 12L0 6Z" />,
  blocked: <path d="M1 1L11 11M11 1L1 11" strokeWidth="2" stroke="currentColor" />,
  unknown: <path d="M2 6H10" strokeWidth="2" stroke="currentColor" strokeDasharray="2 1" />,
};

function Mark({ kind }: { readonly kind: keyof typeof MARKS }) {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
      {MARKS[kind]}
    </svg>
  );
}

/** What the marks mean. */
function MatrixLegend() {
  const text = useText();
  return (
    <Group gap="md" component="ul" p={0} m={0} fz="xs">
      {(['declared', 'changed', 'blocked', 'unknown'] as const).map((kind) => (
        <li key={kind} className={classes.legend}>
          <Mark kind={kind} />{' '}
          {text(kind === 'unknown' ? 'admin.matrixUnknown' : `admin.cell.${kind}`)}
        </li>
      ))}
    </Group>
  );
}

function CellButton({
  cell,
  from,
  to,
  isUnknown,
  isChosen,
  onChoose,
}: {
  readonly cell: Cell;
  readonly from: State;
  readonly to: State;
  readonly isUnknown: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const text = useText();
  if (from.value === to.value) return null;
  const kind = isUnknown && cell.kind === 'none' ? 'unknown' : cell.kind;
  const names = [...cell.rows, ...cell.declared].map(({ symbol }) => symbol);
  const label = text('admin.cell', {
    from: from.label,
    to: to.label,
    state: text(`admin.cell.${kind}`),
  });
  return (
    <button
      type="button"
      className={classes.cell}
      aria-label={label}
      aria-pressed={isChosen}
      title={[...new Set(names)].join(', ')}
      onClick={onChoose}
    >
      <Mark kind={kind} />
    </button>
  );
}
