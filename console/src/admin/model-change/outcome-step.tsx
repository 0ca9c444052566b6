// This file shows that a model is being applied, and then its outcome.
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import type { ModelApplication } from './model-data.ts';
import { Step } from './step.tsx';

export function OutcomeStep({
  outcome,
  onClose,
}: {
  /** Undefined while the model is being applied. */
  readonly outcome: ModelApplication | undefined;
  readonly onClose: () => void;
}) {
  const text = useText();
  if (outcome === undefined)
    return (
      <Step key="applying">
        <Group role="status" gap="sm" py="md" wrap="nowrap">
          <Loader size="sm" />
          <Text size="sm">{text('model.applying')}</Text>
        </Group>
      </Step>
    );
  const { State, Version: version, Message, Backup } = outcome;
  const isApplied = State === 'applied';
  return (
    <Step key="outcome">
      <Alert
        color={isApplied ? 'green' : 'red'}
        role={isApplied ? 'status' : 'alert'}
        title={
          isApplied ? text('model.applied', { version }) : text(`model.${State}` as 'model.failed')
        }
      >
        {Message}
        {isApplied && Backup !== null && text('model.backup', { file: Backup })}
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>{text('common.close')}</Button>
      </Group>
    </Step>
  );
}
