// This file is the dialogs of a saved view: its name, whom it is shared with, whether lists open with it; and deleting it.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../i18n/text.tsx';
import type { EntitySet } from '../../model/model.ts';
import { useList } from '../list-context.tsx';
import { useAudiences } from './audiences.ts';
import type { Sharing, View } from './view.ts';
import { useStoreView } from './view-store.ts';

interface DialogProps {
  readonly set: EntitySet;
  readonly close: () => void;
}

/** Without a view, the state of the list is stored as a new one. */
export function ViewDialog({
  set,
  view,
  close,
}: DialogProps & { readonly view: View | undefined }) {
  const text = useText();
  const { state, open } = useList();
  const { save } = useStoreView(set.name);
  const [name, setName] = useState(view?.name ?? '');
  const [sharing, setSharing] = useState<Sharing>(view?.sharing ?? { scope: 'own' });
  const [isDefault, setDefault] = useState(view?.isDefault ?? false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const form = { name: name.trim(), sharing, isDefault };
    const stored = await save.mutateAsync(
      view === undefined ? { view, form, state } : { view, form },
    );
    if (view === undefined) open(stored);
    close();
  };
  return (
    <Dialog onClose={close} title={text(view === undefined ? 'view.new' : 'view.edit')}>
      <form onSubmit={(event) => void submit(event).catch(() => undefined)}>
        <Stack>
          <TextInput
            label={text('view.name')}
            required
            maxLength={128}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SharingField sharing={sharing} change={setSharing} />
          <Checkbox
            label={text('view.makeDefault', { set: set.label })}
            checked={isDefault}
            onChange={(event) => setDefault(event.currentTarget.checked)}
          />
          {save.error !== null && <ErrorNotice error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {text('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function SharingField({
  sharing,
  change,
}: {
  readonly sharing: Sharing;
  readonly change: (sharing: Sharing) => void;
}) {
  const text = useText();
  const { audiences, error } = useAudiences(sharing);
  const textOf = ({ scope, key }: Sharing) => `${scope} ${key ?? ''}`;
  return (
    <>
      <NativeSelect
        label={text('view.visibleTo')}
        value={textOf(sharing)}
        data={audiences.map((audience) => ({
          value: textOf(audience.sharing),
          label: audience.label,
        }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = audiences.find((audience) => textOf(audience.sharing) === value);
          if (chosen !== undefined) change(chosen.sharing);
        }}
      />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

export function DeleteViewDialog({ set, view, close }: DialogProps & { readonly view: View }) {
  const text = useText();
  const { open } = useList();
  const { remove } = useStoreView(set.name);
  const confirm = async () => {
    await remove.mutateAsync(view);
    close();
    open(undefined);
  };
  return (
    <Dialog onClose={close} title={text('view.delete')}>
      <Stack>
        <Text size="sm">
          {text(view.sharing.scope === 'own' ? 'view.deleteAsk' : 'view.deleteShared', {
            name: view.name ?? '',
          })}
        </Text>
        {remove.error !== null && <ErrorNotice error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {text('common.cancel')}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => void confirm().catch(() => undefined)}
          >
            {text('common.delete')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
