// This file shows what applying a model changes, and asks before it is applied: also for each loss of data.
import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Group,
  List,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import '@mantine/core/styles/List.css';
import '@mantine/core/styles/Table.css';
import { type ReactNode, useState } from 'react';
import { useErrorText } from '../../components/error-notice.tsx';
import { type TextName, useText } from '../../i18n/text.tsx';
import type { ModelDifference, ModelLoss, ModelPlan, ModelStep } from './model-data.ts';
import { Step } from './step.tsx';

export function PlanStep({
  plan,
  error,
  onBack,
  onApply,
}: {
  readonly plan: ModelPlan;
  /** Why the model could not be applied. */
  readonly error: unknown;
  readonly onBack: () => void;
  readonly onApply: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const { IsSame, LosesData, Differences, Steps, Warnings } = plan;
  return (
    <Step>
      {IsSame && <Alert role="status">{text('model.same')}</Alert>}
      {Differences.length > 0 && <DifferenceTable differences={Differences} />}
      {Steps.length > 0 && <StepTable steps={Steps} />}
      {Warnings.length > 0 && (
        <Alert color="orange" title={text('model.warnings')}>
          <List size="sm">
            {Warnings.map(({ Path, Message, Remedy }) => (
              <List.Item key={`${Path} ${Message}`}>{`${Path}: ${Message} ${Remedy}`}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {error !== null && (
        <Alert color="red" role="alert">
          {errorText(error)}
        </Alert>
      )}
      <Confirmation
        isPossible={!IsSame && Steps.every(({ Conflicts }) => Conflicts.length === 0)}
        losesData={LosesData}
        onBack={onBack}
        onApply={onApply}
      />
    </Step>
  );
}

/** A part of the plan, which scrolls by itself. */
function PlanTable({
  caption,
  columns,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly children: ReactNode;
}) {
  return (
    <Table.ScrollContainer
      minWidth={300}
      mah={280}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
    >
      <Table fz="sm" verticalSpacing={6} captionSide="top">
        <Table.Caption ta="start" fw={600} mt={0}>
          {caption}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column} scope="col">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const COLORS = { added: 'green', changed: 'blue', removed: 'red' } as const;

function DifferenceTable({ differences }: { readonly differences: readonly ModelDifference[] }) {
  const text = useText();
  return (
    <PlanTable
      caption={text('model.differences', { count: differences.length })}
      columns={[text('model.change'), text('model.kind'), text('model.element')]}
    >
      {differences.map(({ Change, Kind, Name, Fields }) => (
        <Table.Tr key={`${Kind} ${Name}`}>
          <Table.Td>
            <Badge variant="light" color={COLORS[Change]} style={{ minWidth: 'max-content' }}>
              {text(`model.change.${Change}`)}
            </Badge>
          </Table.Td>
          <Table.Td>{text(`model.kind.${Kind}` as TextName)}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            {Name}
            {Fields.map(({ Field, Before, After }) => (
              <Text key={Field} size="xs" c="dimmed">
                {`${Field}: ${text('admin.transition', { from: Before ?? '–', to: After ?? '–' })}`}
              </Text>
            ))}
          </Table.Td>
        </Table.Tr>
      ))}
    </PlanTable>
  );
}

function StepTable({ steps }: { readonly steps: readonly ModelStep[] }) {
  const text = useText();
  return (
    <PlanTable
      caption={text('model.steps', { count: steps.length })}
      columns={[text('model.step'), text('model.danger')]}
    >
      {steps.map((step) => (
        <Table.Tr key={step.Text}>
          <Table.Td>{step.Text}</Table.Td>
          <Table.Td>
            <Dangers step={step} />
          </Table.Td>
        </Table.Tr>
      ))}
    </PlanTable>
  );
}

function Dangers({ step: { Losses, Conflicts } }: { readonly step: ModelStep }) {
  const text = useText();
  if (Losses.length + Conflicts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {text('model.noDanger')}
      </Text>
    );
  const lost = ({ Kind, Table: table, Column, Rows }: ModelLoss) =>
    text(`model.loss.${Kind}`, { table, column: Column ?? '', count: Number(Rows) });
  const conflicts = Conflicts.map((value) => text('model.conflict', { value }));
  return [...Losses.map(lost), ...conflicts].map((danger) => (
    <Text key={danger} size="sm" c="var(--mantine-color-error)" fw={600}>
      {danger}
    </Text>
  ));
}

function Confirmation({
  isPossible,
  losesData,
  onBack,
  onApply,
}: {
  readonly isPossible: boolean;
  readonly losesData: boolean;
  readonly onBack: () => void;
  readonly onApply: () => void;
}) {
  const text = useText();
  const [isAccepted, setAccepted] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <Stack gap="sm">
      {isPossible && losesData && (
        <Checkbox
          label={text('model.acceptLoss')}
          checked={isAccepted}
          onChange={({ currentTarget: { checked } }) => setAccepted(checked)}
        />
      )}
      {isAsking && (
        <Alert color={losesData ? 'red' : 'blue'} role="status">
          <Title order={3} size="sm">
            {text('model.confirm')}
          </Title>
          <Text size="sm">{text('model.interruption')}</Text>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={isAsking ? () => setAsking(false) : onBack}>
          {text(isAsking ? 'common.cancel' : 'model.back')}
        </Button>
        {isPossible && (
          <Button
            {...(losesData ? { color: 'red' } : {})}
            disabled={losesData && !isAccepted}
            onClick={isAsking ? onApply : () => setAsking(true)}
          >
            {text(isAsking ? 'model.applyNow' : 'model.apply')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
