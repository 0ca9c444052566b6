// This file runs a bound action, with a form for its parameters.
import { Text } from '@mantine/core';
import { repeatable, request } from '../../api/client.ts';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { entityPath, keyOf } from '../../model/entity.ts';
import type { Model, Operation, OperationParameter } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import type { Field } from '../fields.ts';
import { recordPath, refreshRecord, rejectChange } from '../record-data.ts';
import type { LoadedProps } from '../record-view.tsx';
import { bodyOf, type Values } from '../values.ts';
import { DialogForm } from './dialog-form.tsx';
import { textMember } from './transition-dialog.tsx';

export function ActionDialog({
  set,
  recordKey,
  record,
  action,
  onClose,
}: LoadedProps & { readonly action: Operation; readonly onClose: () => void }) {
  const text = useText();
  const model = useModel();
  const fields = action.parameters.map((parameter) => parameterField(model, parameter));
  const submit = async (values: Values) => {
    const given = fields
      .filter(({ path, required }) => required || values[path] !== null)
      .map(({ path }) => path);
    await request(`${recordPath(set, recordKey, record.type)}/${action.name}`, {
      method: 'POST',
      headers: {
        ...repeatable(),
        ...(record.etag === undefined ? {} : { 'If-Match': record.etag }),
      },
      body: parametersBody(model, fields, values, given),
    }).catch(async (error) => await rejectChange(set.name, recordKey, error));
    await refreshRecord(set.name, recordKey);
    showToast({ kind: 'result', text: text('record.actionDone', { name: action.label }) });
    onClose();
  };
  return (
    <DialogForm
      title={action.label}
      fields={fields}
      initial={Object.fromEntries(fields.map(({ path }) => [path, null]))}
      submitLabel={action.label}
      onSubmit={submit}
      onClose={onClose}
    >
      {action.help !== undefined && (
        <Text size="sm" c="dimmed">
          {action.help}
        </Text>
      )}
    </DialogForm>
  );
}

function parameterField(model: Model, parameter: OperationParameter): Field {
  const { name, label, type, collection, nullable, optional, codeList } = parameter;
  const structured = model.types.get(type);
  const kind =
    structured?.kind === 'entity'
      ? 'navigation'
      : structured?.coded !== undefined
        ? 'code'
        : structured !== undefined
          ? 'complex'
          : model.enums.has(type)
            ? 'enumeration'
            : 'primitive';
  const targetSet = [...model.sets.values()].find((one) => one.type === type)?.name;
  return {
    path: name,
    label,
    // Untyped parameters are given as text.
    member: {
      ...textMember(label),
      name,
      kind,
      type: type === 'Edm.Untyped' ? 'Edm.String' : type,
      collection,
      nullable,
      codeList,
    },
    readOnly: false,
    required: !nullable && !optional && !collection && type !== 'Edm.Boolean',
    targetSet,
  };
}

/** Entities are given as references (OData JSON Format 4.01, "Invoke an Action"). */
function parametersBody(
  model: Model,
  fields: readonly Field[],
  values: Values,
  paths: readonly string[],
) {
  const isEntity = ({ member }: Field) => member.kind === 'navigation';
  const plain = fields.filter((field) => !isEntity(field));
  const references = fields.filter((field) => isEntity(field) && paths.includes(field.path));
  return {
    ...bodyOf(model, plain, values, paths),
    ...Object.fromEntries(
      references.map(({ path, member, targetSet = '' }) => {
        const type = model.types.get(member.type);
        const key = type === undefined ? undefined : keyOf(type, values[path]);
        return [path, key === undefined ? null : { '@odata.id': entityPath(targetSet, key) }];
      }),
    ),
  };
}
