// This file is the page of a new record: `/new/{Set}?template=5&Caller=85`. Parameters are values of members by their paths.
import { Alert, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { repeatable, request, requestJson } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { usePageTitle } from '../app/page-title.ts';
import { type Rights, useRights } from '../app/rights.ts';
import { NotFound } from '../app/shell.tsx';
import { unreadablePaths } from '../app/unreadable.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LeaveGuard } from '../components/leave-guard.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, entityPath, keyOf, referenceSelect, titleOf } from '../model/entity.ts';
import { isForPortal, templateMember } from '../model/layout.ts';
import {
  type EntitySet,
  type Model,
  type StructuredType,
  typeNamed,
  typeOfSet,
} from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { PasswordDialog, useMaySetPassword } from './actions/password-dialog.tsx';
import { AddProperty, useDynamicFields } from './dynamic-fields.tsx';
import { type Field, type FieldGroup, fieldGroups, rightsToGive } from './fields.ts';
import { FormFields, focusField } from './form-fields.tsx';
import { MistakeSummary } from './mistake-summary.tsx';
import { useNewContent } from './new-content.ts';
import classes from './record.module.css';
import { DraftNotice } from './record-view.tsx';
import { NewContentField } from './streams.tsx';
import { useChecks, useDrafts, useField, useFormStore } from './use-form.ts';
import { useMistakes } from './use-mistakes.ts';
import { bodyOf, type Values } from './values.ts';

export function NewPage() {
  const { set: name } = useParams({ from: '/new/$set' });
  const search = useSearch({ from: '/new/$set' });
  const model = useModel();
  const text = useText();
  const set = model.sets.get(name);
  const rights = useRights();
  const groups = useMemo(
    () => (set === undefined ? [] : groupsToGive(model, set, rights)),
    [model, set, rights],
  );
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  const { data, error } = useQuery({
    queryKey: ['prefilled', name, search],
    queryFn: async ({ signal }) => await prefilled(model, fields, search, signal),
    enabled: set !== undefined,
  });
  if (set === undefined) return <NotFound title={text('app.noSet', { name })} />;
  if (!rights.of(name).Create)
    return <NotFound title={text('record.noRightToCreate', { set: set.label })} />;
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return null;
  return <NewForm key={name} set={set} all={groups} given={data.values} unknown={data.unknown} />;
}

/** The fields that the account may fill in. */
function groupsToGive(model: Model, set: EntitySet, rights: Rights): readonly FieldGroup[] {
  const type = typeOfSet(model, set);
  return fieldGroups(model, type, {
    set,
    rights: rightsToGive(type, rights.of(set.name)),
    unreadable: unreadablePaths(model, set, rights),
    mode: 'create',
  });
}

interface Prefilled {
  readonly values: Values;
  /** Names that belong to no field. */
  readonly unknown: readonly string[];
}

/** Reads the values that the URL gives. `template` is the reference with this name, whatever its case. */
async function prefilled(
  model: Model,
  fields: readonly Field[],
  search: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Prefilled> {
  const values: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, given] of Object.entries(search)) {
    const field =
      fields.find(({ path }) => path === name) ??
      fields.find(({ path }) => path.toLowerCase() === name.toLowerCase());
    const value = field === undefined ? undefined : await givenValue(model, field, given, signal);
    if (field === undefined || value === undefined) unknown.push(name);
    else values[field.path] = value;
  }
  return { values, unknown };
}

async function givenValue(
  model: Model,
  { member, targetSet }: Field,
  given: string,
  signal: AbortSignal,
): Promise<unknown> {
  const type = model.types.get(member.type);
  if (member.kind === 'navigation') {
    if (type === undefined || targetSet === undefined) return undefined;
    const path = `${entityPath(targetSet, given)}?$select=${encodeURIComponent(referenceSelect(model, type))}`;
    return await request(path, { signal })
      .then(async (response) => (await response.json()) as Entity)
      .catch(() => undefined);
  }
  if (type?.coded !== undefined)
    return /^-?\d+$/.test(given) ? { [type.coded.value]: given } : { [type.coded.text]: given };
  if (member.type === 'Edm.Boolean') return given === 'true';
  return member.collection || member.kind === 'complex' ? undefined : given;
}

/** What people who ask for something may give, and what the URL gives. */
function portalGroups(
  type: StructuredType,
  groups: readonly FieldGroup[],
  given: Values,
): readonly FieldGroup[] {
  return groups
    .map((group) => ({
      ...group,
      fields: group.fields.filter(
        ({ path }) => isForPortal(type, path, 'Write') || given[path] !== undefined,
      ),
    }))
    .filter(({ fields }) => fields.length > 0);
}

const NO_ENTITY: Entity = {};

function NewForm({
  set,
  all,
  given,
  unknown,
}: {
  readonly set: EntitySet;
  readonly all: readonly FieldGroup[];
  readonly given: Values;
  readonly unknown: readonly string[];
}) {
  const model = useModel();
  const text = useText();
  const form = useId();
  const type = typeOfSet(model, set);
  const { groups, add, fields, store, drafts } = useNewForm(set, all, given);
  const create = useCreate({ set, fields, store, drafts, form });
  const { created, finish, open } = useCreated(set);
  usePageTitle(text('record.new', { name: type.label }));
  const run = () => void create.run().then((entity) => entity !== undefined && finish(entity));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented)
      return;
    event.preventDefault();
    run();
  };
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <Title order={1} size="h3">
          {text('record.new', { name: type.label })}
        </Title>
      </header>
      {unknown.length > 0 && (
        <Alert color="yellow" role="status" mb="md">
          {text('record.unknownNames', { names: unknown.join(', ') })}
        </Alert>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields inside. */}
      <div onKeyDown={onKeyDown} data-part="form-fields">
        <DraftNotice drafts={drafts} />
        <MistakeSummary store={store} fields={fields} others={create.others} form={form} />
        {type.hasStream && <NewContentField content={create.content} limits={type} />}
        <FormFields groups={groups} store={store} form={form} />
        {add !== undefined && <AddProperty type={type} taken={fields} form={form} add={add} />}
        <CreateBar isBusy={create.isBusy} onCreate={run} />
      </div>
      <LeaveGuard
        isDirty={() =>
          !create.isDone() && (store.dirty().length > 0 || create.content.file !== undefined)
        }
        onLeave={drafts.erase}
      />
      {created !== undefined && (
        <PasswordDialog
          account={keyOf(type, created) ?? ''}
          name={titleOf(model, type, created)}
          isNew
          onClose={() => open(created)}
        />
      )}
    </div>
  );
}

function CreateBar({
  isBusy,
  onCreate,
}: {
  readonly isBusy: boolean;
  readonly onCreate: () => void;
}) {
  const text = useText();
  return (
    <div className={classes.bar}>
      <Button variant="default" onClick={() => history.back()}>
        {text('common.cancel')}
      </Button>
      <Button loading={isBusy} aria-keyshortcuts="Control+Enter" onClick={onCreate}>
        {text('record.create')}
      </Button>
    </div>
  );
}

/** The fields of a new record, with what the URL gives and a draft has kept. */
function useNewForm(set: EntitySet, all: readonly FieldGroup[], given: Values) {
  const type = typeOfSet(useModel(), set);
  const { isRequester } = useRights();
  const declared = useMemo(
    () => (isRequester ? portalGroups(type, all, given) : all),
    [type, isRequester, all, given],
  );
  const { groups, properties } = useDynamicFields(type, NO_ENTITY, {
    groups: declared,
    isLocked: isRequester,
  });
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  const base = useMemo(
    () => Object.fromEntries(fields.map(({ path, member }) => [path, member.defaultValue ?? null])),
    [fields],
  );
  const store = useFormStore(fields, base, given);
  // Several new records can be open: each has the parameters of its own URL.
  const drafts = useDrafts(store, `new ${set.name} ${JSON.stringify(given)}`, properties);
  return { ...useTemplated(type, groups, store), add: properties.add, store, drafts };
}

/** A template supplies values, so nothing else is required with one. */
function useTemplated(
  type: StructuredType,
  groups: readonly FieldGroup[],
  store: ReturnType<typeof useFormStore>,
) {
  const template = templateMember(type)?.name;
  const { value } = useField(store, template ?? '');
  const isTemplated = template !== undefined && value !== null && value !== undefined;
  return useMemo(() => {
    const optional = (group: FieldGroup): FieldGroup => ({
      ...group,
      fields: group.fields.map((field) => ({ ...field, required: false })),
    });
    const shown = isTemplated ? groups.map(optional) : groups;
    return { groups: shown, fields: shown.flatMap((group) => group.fields) };
  }, [groups, isTemplated]);
}

/** What follows on creating: an account is given a password before its page opens, others open. */
function useCreated(set: EntitySet) {
  const type = typeOfSet(useModel(), set);
  const open = useOpenCreated(set);
  const maySetPassword = useMaySetPassword(set.name);
  const [created, setCreated] = useState<Entity>();
  const finish = (entity: Entity) =>
    maySetPassword(keyOf(type, entity) ?? '') ? setCreated(entity) : open(entity);
  return { created, finish, open };
}

/** A function that opens the page of a record that has been created, and says so. */
function useOpenCreated(set: EntitySet) {
  const model = useModel();
  const text = useText();
  const navigate = useNavigate();
  const { isRequester } = useRights();
  const type = typeOfSet(model, set);
  return (entity: Entity) => {
    const key = keyOf(typeNamed(model, type.name), entity) ?? '';
    const name = titleOf(model, type, entity);
    showToast({ kind: 'result', text: text('record.created', { name }) });
    if (isRequester) void navigate({ to: '/portal/$page', params: { page: key } });
    else void navigate({ to: '/s/$set/$key', params: { set: set.name, key }, search: {} });
  };
}

function useCreate({
  set,
  fields,
  store,
  drafts,
  form,
}: {
  readonly set: EntitySet;
  readonly fields: readonly Field[];
  readonly store: ReturnType<typeof useFormStore>;
  readonly drafts: ReturnType<typeof useDrafts>;
  readonly form: string;
}) {
  const model = useModel();
  const type = typeOfSet(model, set);
  const { checkAll } = useChecks(store);
  const [isBusy, setBusy] = useState(false);
  const media = useNewContent(set, type);
  const mistakes = useMistakes({ fields, store, form });
  const [done] = useState({ value: false });
  // The same request is sent again after a failure, so that it is performed once.
  const [headers, setHeaders] = useState(repeatable);
  const post = async (body: Entity, once: typeof headers) =>
    await requestJson<Entity>(set.name, {
      method: 'POST',
      headers: { ...once, Prefer: 'return=representation' },
      body,
    });
  const run = async (): Promise<Entity | undefined> => {
    mistakes.clear();
    const [broken] = checkAll(fields);
    if (broken !== undefined) {
      focusField(form, broken);
      return undefined;
    }
    if (type.hasStream && media.content.file === undefined) {
      media.miss();
      return undefined;
    }
    setBusy(true);
    try {
      const body = bodyOf(model, fields, store.values(), store.dirty());
      const entity = await (type.hasStream ? media.create : post)(body, headers);
      done.value = true;
      drafts.erase();
      await queryClient.invalidateQueries({ queryKey: ['list', set.name] });
      return entity;
    } catch (error) {
      if (mistakes.show(error)) setHeaders(repeatable());
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const { content } = media;
  return { run, isBusy, content, others: mistakes.others, isDone: () => done.value };
}
