// This file shows which transitions an entity can take now, and why not the others.
import { Alert, Button, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import '@mantine/core/styles/List.css';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { requestJson } from '../api/client.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import { entityPath } from '../model/entity.ts';
import type { Subject } from './workflow-data.ts';

interface Transition {
  readonly Symbol: string;
  readonly Label: string;
  readonly Allowed: boolean;
  readonly Takers: readonly string[];
  readonly Guard: string | null;
  readonly Missing: readonly string[];
}

interface Outcome {
  readonly Transitions: readonly Transition[];
}

export function TryRecord({ subject }: { readonly subject: Subject }) {
  const text = useText();
  const errorText = useErrorText();
  const [key, setKey] = useState('');
  const attempt = useMutation({
    mutationFn: async () =>
      await requestJson<Outcome>(`${entityPath(subject.set.name, key)}/AllowedTransitions()`),
  });
  return (
    <Paper withBorder p="md" component="section" aria-label={text('admin.try')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {text('admin.try')}
        </Title>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            attempt.mutate();
          }}
        >
          <Group align="end" gap="xs">
            <TextInput
              size="xs"
              w={140}
              label={text('admin.recordKey')}
              required
              value={key}
              onChange={({ currentTarget }) => setKey(currentTarget.value)}
            />
            <Button size="xs" type="submit" variant="default" loading={attempt.isPending}>
              {text('admin.tryNow')}
            </Button>
          </Group>
        </form>
        {attempt.error !== null && (
          <Alert color="red" role="alert" p="xs">
            {errorText(attempt.error)}
          </Alert>
        )}
        {attempt.data !== undefined && (
          <List size="sm" role="status">
            {attempt.data.Transitions.map((transition) => (
              <TransitionItem key={transition.Symbol} {...transition} />
            ))}
            {attempt.data.Transitions.length === 0 && (
              <List.Item>{text('admin.noTransitions')}</List.Item>
            )}
          </List>
        )}
      </Stack>
    </Paper>
  );
}

function TransitionItem({ Symbol: symbol, Label, Allowed, Guard, Missing, Takers }: Transition) {
  const text = useText();
  const reasons = [
    ...(Missing.length > 0 ? [text('admin.missing', { members: Missing.join(', ') })] : []),
    ...(Guard === null ? [] : [text('admin.guardFails', { guard: Guard })]),
    ...(Takers.length > 0 ? [text('admin.takers', { roles: Takers.join(', ') })] : []),
  ];
  return (
    <List.Item>
      <strong>{Label}</strong> ({symbol}): {text(Allowed ? 'admin.allowed' : 'admin.notAllowed')}
      {!Allowed && <Text size="xs">{reasons.join(' · ')}</Text>}
    </List.Item>
  );
}
