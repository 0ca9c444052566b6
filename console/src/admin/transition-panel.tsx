// This file edits the transitions of a cell: those of the model are replaced or blocked by entities of the set Transitions.
import {
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Paper,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { useState } from 'react';
import { mistakesOf, RequestFailed } from '../api/request-failed.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { GrowingTextarea } from '../components/growing-textarea.tsx';
import { showToast } from '../components/toasts.tsx';
import { useDraft } from '../components/use-draft.ts';
import { useText } from '../i18n/text.tsx';
import { memberPaths } from '../model/layout.ts';
import { typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { useRoleNames } from './role-names.ts';
import { type Subject, useChangeRow } from './workflow-data.ts';
import { type Cell, type Declared, newRow, type Row, type State } from './workflow-matrix.ts';

export function TransitionPanel({
  subject,
  cell,
  from,
  to,
}: {
  readonly subject: Subject;
  readonly cell: Cell;
  readonly from: State;
  readonly to: State;
}) {
  const text = useText();
  const name = text('admin.transition', { from: from.label, to: to.label });
  const [isAdding, setAdding] = useState(false);
  const added = newRow(cell, from.value, to.value, `${subject.entity}-${from.value}-${to.value}`);
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack>
        <Title order={2} size="h5">
          {name}
        </Title>
        {cell.declared.map((declared) => (
          <DeclaredView key={declared.symbol} declared={declared} />
        ))}
        {cell.rows.map((row) => (
          <RowForm key={row.uid} subject={subject} row={row} />
        ))}
        {isAdding ? (
          <RowForm subject={subject} row={added} onDone={() => setAdding(false)} />
        ) : (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            {text(cell.declared.length > 0 ? 'admin.replace' : 'admin.addTransition')}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

function DeclaredView({
  declared: { symbol, takers, needsComment, clocks },
}: {
  readonly declared: Declared;
}) {
  const text = useText();
  const facts = [
    takers.length === 0
      ? text('admin.everybody')
      : text('admin.takers', { roles: takers.join(', ') }),
    ...(needsComment ? [text('admin.needsComment')] : []),
    ...clocks.map(({ clock, effect }) => text('admin.clock', { clock, effect })),
  ];
  return (
    <Text size="sm">
      <strong>{symbol}</strong>: {facts.join(' · ')}
    </Text>
  );
}

/** The members of the form by the targets of mistakes. */
const TARGETS = {
  symbol: 'Symbol',
  guard: 'Guard',
  required: 'RequiredProperties',
  roles: 'AllowedRoles',
} as const;

function RowForm({
  subject,
  row,
  onDone = () => undefined,
}: {
  readonly subject: Subject;
  readonly row: Row;
  readonly onDone?: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const { draft, change: changeDraft, isMoved } = useDraft(row);
  const { check, save, remove } = useChangeRow(subject.entity);
  const error = save.error ?? check.error ?? remove.error;
  const { mistake, isElsewhere } = placed(error);
  const change = (changes: Partial<Row>) => {
    check.reset();
    save.reset();
    changeDraft(changes);
  };
  const done = (key: 'admin.checked' | 'admin.stored') => {
    showToast({ kind: 'result', text: text(key) });
    if (key === 'admin.stored') onDone();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft, { onSuccess: () => done('admin.stored') });
      }}
    >
      <Stack gap="xs">
        <RowFields subject={subject} draft={draft} change={change} mistake={mistake} />
        {(isElsewhere || (isMoved && save.isIdle)) && (
          <Alert color="red" role="alert" p="xs">
            {isElsewhere ? errorText(error) : text('common.changed')}
          </Alert>
        )}
        <Group gap="xs">
          <Button size="xs" type="submit" loading={save.isPending}>
            {text('common.save')}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={check.isPending}
            onClick={() => check.mutate(draft, { onSuccess: () => done('admin.checked') })}
          >
            {text('admin.check')}
          </Button>
          {row.uid !== undefined ? (
            <Button size="xs" variant="subtle" color="red" onClick={() => remove.mutate(row)}>
              {text('common.delete')}
            </Button>
          ) : (
            <Button size="xs" variant="subtle" onClick={onDone}>
              {text('common.cancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** The mistakes of an answer by the members of the form, and whether none of them is about these. */
function placed(error: Error | null) {
  const mistakes = error instanceof RequestFailed ? mistakesOf(error) : [];
  const messageOf = (name: string) =>
    mistakes.find(({ target }) => target?.split('/')[0] === name)?.message;
  return {
    mistake: (name: keyof typeof TARGETS) => messageOf(TARGETS[name]),
    isElsewhere: error !== null && Object.values(TARGETS).every((name) => !messageOf(name)),
  };
}

function RowFields({
  subject,
  draft,
  change,
  mistake,
}: {
  readonly subject: Subject;
  readonly draft: Row;
  readonly change: (changes: Partial<Row>) => void;
  readonly mistake: (name: keyof typeof TARGETS) => string | undefined;
}) {
  const text = useText();
  const model = useModel();
  const roles = useRoleNames();
  const paths = memberPaths(model, typeOfSet(model, subject.set));
  return (
    <>
      <TextInput
        size="xs"
        label={text('admin.symbol')}
        required
        value={draft.symbol}
        error={mistake('symbol')}
        onChange={({ currentTarget: { value } }) => change({ symbol: value })}
      />
      <MultiSelect
        size="xs"
        label={text('admin.required')}
        searchable
        limit={100}
        data={[...new Set([...draft.required, ...paths])]}
        value={[...draft.required]}
        error={mistake('required')}
        onChange={(required) => change({ required })}
      />
      <MultiSelect
        size="xs"
        label={text('admin.roles')}
        description={text('admin.rolesHelp')}
        searchable
        data={[...new Set([...draft.roles, ...roles])]}
        value={[...draft.roles]}
        error={mistake('roles')}
        onChange={(next) => change({ roles: next })}
      />
      <GrowingTextarea
        size="xs"
        label={text('admin.guard')}
        description={text('admin.guardHelp')}
        minRows={2}
        value={draft.guard}
        error={mistake('guard')}
        onChange={({ currentTarget: { value } }) => change({ guard: value })}
      />
      <Checkbox
        size="xs"
        label={text('admin.needsComment')}
        checked={draft.needsComment}
        onChange={({ currentTarget }) => change({ needsComment: currentTarget.checked })}
      />
      <Checkbox
        size="xs"
        label={text('admin.blocked')}
        checked={draft.isBlocked}
        onChange={({ currentTarget }) => change({ isBlocked: currentTarget.checked })}
      />
    </>
  );
}
