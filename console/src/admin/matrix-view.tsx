// This file shows a workflow as a table: from the states on the left to those on top. Each cell is a button.
import '@mantine/core/styles/Table.css';
import { Table } from '@mantine/core';
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
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="xs" withTableBorder withColumnBorders verticalSpacing={2} horizontalSpacing={4}>
        <caption>{text('admin.matrixHelp')}</caption>
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
  );
}

/** What a cell shows besides its name. */
const MARKS: Readonly<Record<Cell['kind'], string>> = {
  none: '',
  declared: '●',
  changed: '◆',
  blocked: '×',
};

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
  const look = [classes.cell, cell.kind === 'changed' ? classes.changed : ''].join(' ');
  return (
    <button
      type="button"
      className={look}
      aria-label={label}
      aria-pressed={isChosen}
      title={[...new Set(names)].join(', ')}
      onClick={onChoose}
    >
      {kind === 'unknown' ? '?' : MARKS[cell.kind]}
    </button>
  );
}
