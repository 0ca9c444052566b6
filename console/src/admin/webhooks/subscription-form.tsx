// This file is the form of a subscription: what is sent where. It takes changes of others at fields that nobody is editing, and says which
// fields both have changed.
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import {
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { mistakesOf, RequestFailed } from '../../api/request-failed.ts';
import { useErrorText } from '../../components/error-notice.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { useText } from '../../i18n/text.tsx';
import { memberPaths } from '../../model/layout.ts';
import { typeOfSet } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { ConditionsInput } from '../../query/conditions-input.tsx';
import { split } from '../../query/split.ts';
import { FORMATS, KINDS, type SubscriptionValues } from './subscription-data.ts';

type FieldName = keyof SubscriptionValues;
type Changes = Partial<SubscriptionValues>;
/** What the service has said about each field. */
type Mistakes = Partial<Record<FieldName, string>>;

const FIELDS = [
  ...(['Name', 'Url', 'EntitySet', 'Filter', 'Select', 'Expand', 'Kinds', 'Format'] as const),
] satisfies readonly FieldName[];

const EMPTY: SubscriptionValues = {
  Name: null,
  Url: '',
  EntitySet: '',
  Filter: null,
  Select: null,
  Expand: null,
  Kinds: [],
  Format: 'structured',
};

interface FormProps {
  /** As it is stored; undefined for a new one. */
  readonly stored: SubscriptionValues | undefined;
  /** Stores what has changed. Returns what follows as soon as nothing would be lost by leaving. Rejects with RequestFailed. */
  readonly onSave: (changes: Changes) => Promise<(() => void) | undefined>;
}

export function SubscriptionForm({ stored, onSave }: FormProps) {
  const text = useText();
  const { draft, change, dirty, conflicts, reset, saved } = useDraft(stored);
  const { problem, mistakes, isSaving, save } = useSaving(onSave);
  const isNew = stored === undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const names = isNew ? FIELDS : dirty();
    const body = Object.fromEntries(names.map((name) => [name, draft[name]]));
    await save(body, saved);
  };
  return (
    <form onSubmit={(event) => void submit(event)} aria-label={text('webhook.settings')}>
      <LeaveGuard isDirty={() => dirty().length > 0} onLeave={() => undefined} />
      <Stack gap="sm" maw={560}>
        <Fields draft={draft} change={change} mistakes={mistakes} />
        {conflicts.length > 0 && (
          <Alert color="yellow" role="status" p="xs">
            <Stack gap="xs" align="start">
              {text('webhook.conflict', {
                fields: conflicts.map((name) => text(`webhook.field.${name}`)).join(', '),
              })}
              <Button size="compact-xs" variant="default" onClick={reset}>
                {text('webhook.takeTheirs')}
              </Button>
            </Stack>
          </Alert>
        )}
        {problem !== undefined && (
          <Alert color="red" role="alert" p="xs">
            {problem}
          </Alert>
        )}
        <Group gap="xs">
          <Button
            size="xs"
            type="submit"
            loading={isSaving}
            disabled={draft.Url === '' || draft.EntitySet === '' || dirty().length === 0}
          >
            {text(isNew ? 'webhook.create' : 'common.save')}
          </Button>
          {!isNew && dirty().length > 0 && (
            <Button size="xs" variant="default" onClick={reset}>
              {text('webhook.discard')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function valuesOf(source: SubscriptionValues): SubscriptionValues {
  return Object.fromEntries(FIELDS.map((name) => [name, source[name]])) as never;
}

/** The values of the form, beside those that it has started from. */
function useDraft(stored: SubscriptionValues = EMPTY) {
  const [draft, setDraft] = useState(() => valuesOf(stored));
  const base = useRef(draft);
  const current = useRef(draft);
  current.current = draft;
  const differing = (one: SubscriptionValues, other: SubscriptionValues) =>
    FIELDS.filter((name) => !isSame(one[name], other[name]));
  const dirty = () => differing(current.current, base.current);
  const text = JSON.stringify(valuesOf(stored));
  useEffect(() => {
    const next: SubscriptionValues = JSON.parse(text);
    const free = FIELDS.filter((name) => isSame(current.current[name], base.current[name]));
    const taken = Object.fromEntries(free.map((name) => [name, next[name]]));
    base.current = { ...base.current, ...taken };
    setDraft((before) => ({ ...before, ...taken }));
  }, [text]);
  const start = (values: SubscriptionValues) => {
    base.current = values;
    current.current = values;
    setDraft(values);
  };
  return {
    draft,
    dirty,
    change: (changes: Changes) => setDraft((before) => ({ ...before, ...changes })),
    /** Fields that both this form and others have changed, to different values. */
    conflicts: dirty().filter(
      (name) => !isSame(stored[name], base.current[name]) && !isSame(stored[name], draft[name]),
    ),
    reset: () => start(valuesOf(stored)),
    saved: () => start(draft),
  };
}

/** Sends changes, and divides what the service says between the fields and the form. */
function useSaving(onSave: FormProps['onSave']) {
  const errorText = useErrorText();
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const save = async (changes: Changes, onSaved: () => void) => {
    setSaving(true);
    setProblem(undefined);
    setMistakes({});
    try {
      const next = await onSave(changes);
      onSaved();
      next?.();
    } catch (error) {
      const found = error instanceof RequestFailed ? placed(error) : { fields: {}, others: [] };
      setMistakes(found.fields);
      const isPlaced = Object.keys(found.fields).length > 0;
      const others = found.others.join(' ');
      setProblem(isPlaced ? others || undefined : errorText(error));
    } finally {
      setSaving(false);
    }
  };
  return { isSaving, problem, mistakes, save };
}

function placed(error: RequestFailed) {
  const fields: Mistakes = {};
  const others: string[] = [];
  for (const { target, message } of mistakesOf(error)) {
    const name = FIELDS.find((field) => field === target?.split('/')[0]);
    if (name === undefined) others.push(message);
    else fields[name] = [fields[name], message].filter(Boolean).join(' ');
  }
  return { fields, others };
}

interface FieldsProps {
  readonly draft: SubscriptionValues;
  readonly change: (changes: Changes) => void;
  readonly mistakes: Mistakes;
}

const optional = (typed: string): string | null => (typed.trim() === '' ? null : typed);

function Fields({ draft, change, mistakes }: FieldsProps) {
  const text = useText();
  const { sets } = useModel();
  const offered = [...sets.values()].filter(({ kind }) => kind === 'set');
  return (
    <>
      <TextInput
        size="xs"
        label={text('webhook.field.Name')}
        maxLength={128}
        value={draft.Name ?? ''}
        error={mistakes.Name}
        onChange={({ currentTarget: { value } }) => change({ Name: optional(value) })}
      />
      <TextInput
        size="xs"
        type="url"
        label={text('webhook.field.Url')}
        description={text('webhook.urlHelp')}
        placeholder="https://"
        required
        maxLength={2000}
        value={draft.Url}
        error={mistakes.Url}
        onChange={({ currentTarget: { value } }) => change({ Url: value.trim() })}
      />
      <Select
        size="xs"
        label={text('webhook.field.EntitySet')}
        required
        searchable
        limit={100}
        allowDeselect={false}
        data={offered.map(({ name, label }) => ({ value: name, label }))}
        value={draft.EntitySet === '' ? null : draft.EntitySet}
        error={mistakes.EntitySet}
        onChange={(name) =>
          name !== draft.EntitySet &&
          change({ EntitySet: name ?? '', Filter: null, Select: null, Expand: null })
        }
      />
      <QueryFields draft={draft} change={change} mistakes={mistakes} />
      <Checkbox.Group
        size="xs"
        label={text('webhook.field.Kinds')}
        description={text('webhook.kindsHelp')}
        value={[...draft.Kinds]}
        error={mistakes.Kinds}
        onChange={(chosen) => change({ Kinds: KINDS.filter((kind) => chosen.includes(kind)) })}
      >
        <Group gap="md" mt={6}>
          {KINDS.map((kind) => (
            <Checkbox key={kind} size="xs" value={kind} label={text(`webhook.kind.${kind}`)} />
          ))}
        </Group>
      </Checkbox.Group>
      <Select
        size="xs"
        label={text('webhook.field.Format')}
        allowDeselect={false}
        data={FORMATS.map((value) => ({ value, label: text(`webhook.format.${value}`) }))}
        value={draft.Format}
        error={mistakes.Format}
        onChange={(Format) => change({ Format: Format ?? 'structured' })}
      />
    </>
  );
}

/** The query options; none before a set is chosen. */
function QueryFields({ draft, change, mistakes }: FieldsProps) {
  const text = useText();
  const model = useModel();
  const set = model.sets.get(draft.EntitySet);
  if (set === undefined) return null;
  const type = typeOfSet(model, set);
  const chosen = split(draft.Select ?? '', ',').map((item) => item.trim());
  const selected = [...new Set(chosen.filter((item) => item !== ''))];
  const columns = memberPaths(model, type).filter(
    (path) => type.members.get(path)?.kind !== 'navigation',
  );
  return (
    <>
      <ConditionsInput
        label={text('webhook.field.Filter')}
        type={type}
        value={draft.Filter ?? ''}
        onChange={(value) => change({ Filter: optional(value) })}
      />
      {mistakes.Filter !== undefined && (
        <Alert color="red" role="alert" p="xs">
          {mistakes.Filter}
        </Alert>
      )}
      <MultiSelect
        size="xs"
        label={text('webhook.field.Select')}
        description={text('webhook.selectHelp')}
        searchable
        hidePickedOptions
        limit={100}
        data={[...new Set([...selected, ...columns])]}
        value={selected}
        error={mistakes.Select}
        onChange={(next) => change({ Select: optional(next.join(',')) })}
      />
      <TextInput
        size="xs"
        label={text('webhook.field.Expand')}
        description={text('webhook.expandHelp')}
        autoComplete="off"
        value={draft.Expand ?? ''}
        error={mistakes.Expand}
        onChange={({ currentTarget: { value } }) => change({ Expand: optional(value) })}
      />
    </>
  );
}
