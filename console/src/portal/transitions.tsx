// This file offers the person what may be done with a request, such as to close or reopen it, and asks for what that needs.

import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { repeatable, requestJson } from '../api/client.ts';
import { Dialog } from '../components/dialog.tsx';
import { useErrorText } from '../components/error-notice.tsx';
import { GrowingTextarea } from '../components/growing-textarea.tsx';
import { Icon } from '../components/icons.tsx';
import { FieldInput } from '../components/inputs/field-input.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, jsonValue, withValueAt } from '../model/entity.ts';
import { type Column, columnAt } from '../model/layout.ts';
import type { StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';

interface Transition {
  readonly Symbol: string;
  readonly To: unknown;
  readonly State: string;
  readonly Label: string;
  /** Whether rights and roles permit it, whatever it lacks. */
  readonly Permitted: boolean;
  /** The condition that is not true. */
  readonly Guard: string | null;
  readonly Comment: boolean;
  /** Paths of members that need a value. */
  readonly Missing: readonly string[];
  /** Paths of members that may be given with it. */
  readonly Prompt: readonly string[];
}

export interface TransitionsProps {
  /** The path of the entity. */
  readonly entity: string;
  readonly type: StructuredType;
  readonly changed: () => void;
}

export function Transitions({ entity, type, changed }: TransitionsProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Transition>();
  const { data } = useQuery({
    queryKey: ['transitions', entity],
    queryFn: async ({ signal }) => {
      const path = `${entity}/AllowedTransitions()`;
      const result = await requestJson<{ readonly Transitions: readonly Transition[] }>(path, {
        signal,
      });
      return result.Transitions;
    },
    retry: false,
  });
  // What is missing can be given with the transition, and may make the condition true.
  const offered = (data ?? []).filter(
    ({ Permitted, Guard, Missing }) => Permitted && (Guard === null || Missing.length > 0),
  );
  if (offered.length === 0) return null;
  return (
    <Group gap="xs">
      {offered.map((transition) => (
        <Button
          key={transition.Symbol}
          variant="default"
          leftSection={<Icon name="arrow" />}
          styles={{ section: { marginInlineEnd: 4 } }}
          onClick={() => setChosen(transition)}
        >
          {transition.Label}
        </Button>
      ))}
      {chosen !== undefined && (
        <TransitionDialog
          entity={entity}
          type={type}
          transition={chosen}
          close={() => setChosen(undefined)}
          changed={() => {
            setChosen(undefined);
            void client.invalidateQueries({ queryKey: ['transitions', entity] });
            void client.invalidateQueries({ queryKey: ['conversation', entity] });
            changed();
          }}
        />
      )}
    </Group>
  );
}

function TransitionDialog({
  entity,
  type,
  transition,
  close,
  changed,
}: TransitionsProps & { readonly transition: Transition; readonly close: () => void }) {
  const text = useText();
  const model = useModel();
  const errorText = useErrorText();
  const [values, setValues] = useState<Entity>({});
  const [comment, setComment] = useState('');
  const asked = [...new Set([...transition.Missing, ...transition.Prompt])].flatMap(
    (path) => columnAt(model, type, path) ?? [],
  );
  const { take, isBusy, problem } = useTake(entity, transition, changed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void take({
      ...(asked.length === 0 ? {} : { Values: bodyOf(asked, values) }),
      ...(comment.trim() === '' ? {} : { Comment: comment.trim() }),
    });
  };
  return (
    <Dialog onClose={close} title={transition.Label}>
      <form onSubmit={submit}>
        <Stack>
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {errorText(problem)}
            </Alert>
          )}
          {asked.map(({ path, member, label }) => (
            <FieldInput
              key={path}
              id={`transition-${path}`}
              member={member}
              label={label}
              value={values[path] ?? null}
              onChange={(value) => setValues({ ...values, [path]: value })}
              required={transition.Missing.includes(path)}
            />
          ))}
          <GrowingTextarea
            label={text('portal.comment')}
            required={transition.Comment}
            minRows={3}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text('common.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {transition.Label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Takes a transition with what it asks for. */
function useTake(entity: string, { State, Label }: Transition, changed: () => void) {
  const text = useText();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const take = async (given: Entity) => {
    setBusy(true);
    try {
      const body = { To: State, ...given };
      await requestJson(`${entity}/Transition`, { method: 'POST', body, headers: repeatable() });
      showToast({ kind: 'result', text: text('portal.done', { state: Label }) });
      changed();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return { take, isBusy, problem };
}

/** The values with their paths as objects. 32-bit numbers are numbers in JSON. */
function bodyOf(asked: readonly Column[], values: Entity): Entity {
  let body: Entity = {};
  for (const { path, member } of asked) {
    const value = values[path];
    if (value === undefined || value === null || value === '') continue;
    body = withValueAt(body, path, jsonValue(member.type, value));
  }
  return body;
}
