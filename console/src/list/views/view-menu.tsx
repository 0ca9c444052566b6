// This file is the menu of the saved views of a list: which one is shown, whether the list differs from it, and what can be done with it.

import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useErrorText } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icons.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import type { EntitySet } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../list.module.css';
import { type ListContext, useList } from '../list-context.tsx';
import { mayChange, type View } from './view.ts';
import { DeleteViewDialog, ViewDialog } from './view-dialog.tsx';
import { useStoreView, useViewer, viewSet } from './view-store.ts';

type Dialog = 'new' | 'edit' | 'delete';

export function ViewMenu({ set }: { readonly set: EntitySet }) {
  const list = useList();
  const model = useModel();
  const [dialog, setDialog] = useState<Dialog>();
  if (viewSet(model) === undefined) return null;
  const close = () => setDialog(undefined);
  const { view } = list;
  return (
    <>
      <Menu position="bottom-start" width={280} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<Icon name="down" />}>
            <ShownName set={set} {...list} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.longMenu ?? ''}>
          <Choices set={set} {...list} />
          <Menu.Divider />
          <Actions set={set} ask={setDialog} {...list} />
        </Menu.Dropdown>
      </Menu>
      {(dialog === 'new' || (dialog === 'edit' && view !== undefined)) && (
        <ViewDialog set={set} view={dialog === 'new' ? undefined : view} close={close} />
      )}
      {dialog === 'delete' && view !== undefined && (
        <DeleteViewDialog set={set} view={view} close={close} />
      )}
    </>
  );
}

type PartProps = ListContext & { readonly set: EntitySet };

function ShownName({ set, view, isModified }: PartProps) {
  const text = useText();
  return (
    <>
      {nameOf(view) ?? text(view === undefined ? 'view.all' : 'view.unnamed', { set: set.label })}
      {isModified && (
        <Text span size="xs" c="dimmed" ms={6}>
          {text('view.modified')}
        </Text>
      )}
    </>
  );
}

const nameOf = (view: View | undefined): string | undefined => view?.name;

const markedIf = (isShown: boolean) => (isShown ? { 'aria-current': true, fw: 600 } : {});

/** The views to choose from: the list of the model, one's own, and those of others. */
function Choices({ set, view, views, viewsError, open }: PartProps) {
  const text = useText();
  const errorText = useErrorText();
  const { loginName } = useViewer();
  const own = views.filter(({ owner }) => owner === loginName);
  const shared = views.filter(({ owner }) => owner !== loginName);
  const item = (one: View) => (
    <Menu.Item
      key={one.uid}
      {...markedIf(one.uid === view?.uid)}
      rightSection={
        <Text size="xs" c="dimmed">
          {one.isDefault ? text('view.default') : one.owner === loginName ? '' : one.owner}
        </Text>
      }
      onClick={() => open(one)}
    >
      {one.name}
    </Menu.Item>
  );
  return (
    <>
      <Menu.Item {...markedIf(view === undefined)} onClick={() => open(undefined)}>
        {text('view.all', { set: set.label })}
      </Menu.Item>
      {own.length > 0 && <Menu.Label>{text('view.own')}</Menu.Label>}
      {own.map(item)}
      {shared.length > 0 && <Menu.Label>{text('view.shared')}</Menu.Label>}
      {shared.map(item)}
      {viewsError !== null && <Menu.Label role="alert">{errorText(viewsError)}</Menu.Label>}
    </>
  );
}

function Actions({ set, view, state, isModified, leftOut, open, ask }: ActionsProps) {
  const text = useText();
  const errorText = useErrorText();
  const viewer = useViewer();
  const { save } = useStoreView(set.name);
  const store = async (changed: View) => {
    try {
      open(await save.mutateAsync({ view: changed, state }));
      showToast({ kind: 'result', text: text('view.saved', { name: changed.name ?? '' }) });
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
  };
  const isOwn = view?.name !== undefined && mayChange(view, viewer);
  return (
    <>
      {isOwn && (isModified || leftOut.length > 0) && (
        <Menu.Item onClick={() => void store(view)}>{text('common.save')}</Menu.Item>
      )}
      {isModified && <Menu.Item onClick={() => open(view)}>{text('view.discard')}</Menu.Item>}
      <Menu.Item onClick={() => ask('new')}>{text('view.saveAs')}</Menu.Item>
      {isOwn && <Menu.Item onClick={() => ask('edit')}>{text('view.edit')}</Menu.Item>}
      {isOwn && <Menu.Item onClick={() => ask('delete')}>{text('view.delete')}</Menu.Item>}
    </>
  );
}

type ActionsProps = PartProps & { readonly ask: (dialog: Dialog) => void };
