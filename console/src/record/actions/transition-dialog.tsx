// This file takes a transition: it asks for the members that are missing or wanted and for a comment, and names what happens to the clocks.
import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { request } from '../../api/client.ts';
import { showToast } from '../../components/toasts.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { type TextName, useText } from '../../i18n/text.tsx';
import { valueAt } from '../../model/entity.ts';
import { columnAt } from '../../model/layout.ts';
import { type Member, undeclaredMember } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import type { Field } from '../fields.ts';
import {
  type AllowedTransition,
  type ClockEffect,
  recordPath,
  refreshRecord,
  rejectChange,
} from '../record-data.ts';
import type { LoadedProps } from '../record-view.tsx';
import { bodyOf, changedPaths, type Values } from '../values.ts';
import { DialogForm } from './dialog-form.tsx';

/** The name of the comment among the values; no path of a member starts with a sign. */
const COMMENT = '#comment';

const EFFECTS: Readonly<Record<string, TextName>> = {
  pause: 'record.clockPause',
  resume: 'record.clockResume',
  stop: 'record.clockStop',
  cancel: 'record.clockCancel',
  reopen: 'record.clockReopen',
  recalculate: 'record.clockRecalculate',
};

const CLOCKS: Readonly<Record<string, TextName>> = {
  Response: 'record.response',
  Resolution: 'record.resolution',
};

export function TransitionDialog({
  set,
  recordKey,
  record,
  transition,
  onClose,
}: LoadedProps & {
  readonly transition: AllowedTransition;
  readonly onClose: () => void;
}) {
  const text = useText();
  const model = useModel();
  const { type, entity, etag } = record;
  const asked = useMemo(() => {
    const { Missing, Prompt } = transition;
    return [...new Set([...Missing, ...Prompt])].flatMap((path): readonly Field[] => {
      const column = columnAt(model, type, path);
      const required = Missing.includes(path);
      const targetSet = set.bindings.get(path);
      return column === undefined ? [] : [{ ...column, readOnly: false, required, targetSet }];
    });
  }, [model, type, set, transition]);
  const comment: Field = {
    path: COMMENT,
    label: text('record.comment'),
    member: textMember(text('record.comment')),
    readOnly: false,
    required: transition.Comment,
    targetSet: undefined,
  };
  const fields = [...asked, comment];
  // What others change while the dialog is open is none of the changes that it sends.
  const [initial] = useState<Values>(() =>
    Object.fromEntries(
      fields.map(({ path }) => [path, path === COMMENT ? null : (valueAt(entity, path) ?? null)]),
    ),
  );
  const submit = async (values: Values) => {
    const paths = changedPaths(model, asked, initial, values);
    await request(`${recordPath(set, recordKey, type)}/Docket.System.Transition`, {
      method: 'POST',
      headers: etag === undefined ? {} : { 'If-Match': etag },
      body: {
        To: transition.State,
        ...(paths.length === 0 ? {} : { Values: bodyOf(model, asked, values, paths) }),
        ...(values[COMMENT] === null ? {} : { Comment: values[COMMENT] }),
      },
    }).catch(async (error) => await rejectChange(set.name, recordKey, error));
    await refreshRecord(set.name, recordKey);
    showToast({ kind: 'result', text: text('record.transitioned', { state: transition.Label }) });
    onClose();
  };
  return (
    <DialogForm
      title={text('record.transitionTo', { state: transition.Label })}
      fields={fields}
      initial={initial}
      submitLabel={transition.Label}
      onSubmit={submit}
      onClose={onClose}
    >
      {transition.Clocks.map((clock) => (
        <ClockLine key={clock.Clock} clock={clock} />
      ))}
    </DialogForm>
  );
}

/** What happens to a clock, and the deadline that results. */
function ClockLine({ clock: { Clock, Effect, Deadline } }: { readonly clock: ClockEffect }) {
  const text = useText();
  const { dateTime } = useFormats();
  const effect = EFFECTS[Effect];
  const name = CLOCKS[Clock];
  if (effect === undefined) return null;
  return (
    <Text size="sm">
      {text(effect, { clock: name === undefined ? Clock : text(name) })}
      {Deadline !== null && ` ${text('record.clockDeadline', { time: dateTime(Deadline) })}`}
    </Text>
  );
}

/** A text of several lines that is not a member of the record. */
export const textMember = (label: string): Member =>
  undeclaredMember(COMMENT, 'Edm.String', { label });
