// This file offers the transitions of a record: those that can be taken as buttons, the others in a menu with the reason, and the actions
// of its type.

import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../components/icons.tsx';
import { useText } from '../../i18n/text.tsx';
import { type Entity, valueAt } from '../../model/entity.ts';
import { isHidden } from '../../model/layout.ts';
import { type Operation, operationsOf, type StructuredType } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import type { AllowedTransition } from '../record-data.ts';
import type { LoadedProps } from '../record-view.tsx';
import { ActionDialog } from './action-dialog.tsx';
import { TransitionDialog } from './transition-dialog.tsx';

/** Buttons beside the menu. */
const BUTTONS = 3;

/** Whether people can take a transition now. What is missing can be given with it, and may make its condition true. */
function canTake({ Permitted, Guard, Missing }: AllowedTransition): boolean {
  return Permitted && (Guard === null || Missing.length > 0);
}

export function StatusButtons(props: LoadedProps) {
  const { record, around } = props;
  const text = useText();
  const model = useModel();
  const [transition, setTransition] = useState<AllowedTransition>();
  const [action, setAction] = useState<Operation>();
  const all = around?.transitions ?? [];
  const possible = all.filter(canTake);
  const rest = [...possible.slice(BUTTONS), ...all.filter((one) => !canTake(one))];
  // An action changes the record, with the checks of a change.
  const mayChange = around?.rights?.Change !== false;
  const actions = mayChange
    ? usableActions(operationsOf(model, record.type, false), record.type, record.entity)
    : [];
  return (
    <>
      {possible.slice(0, BUTTONS).map((one) => (
        <Button
          key={one.Symbol}
          size="xs"
          variant="light"
          leftSection={<Icon name="arrow" />}
          styles={{ section: { marginInlineEnd: 4 } }}
          onClick={() => setTransition(one)}
        >
          {one.Label}
        </Button>
      ))}
      {rest.length + actions.length > 0 && (
        <Menu position="bottom-end" width={300}>
          <Menu.Target>
            <Button size="xs" variant="default">
              {text('record.actions')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
            {rest.length > 0 && <Menu.Label>{text('record.transitions')}</Menu.Label>}
            {rest.map((one) => (
              <Menu.Item
                key={one.Symbol}
                disabled={!canTake(one)}
                onClick={() => setTransition(one)}
              >
                {one.Label}
                {!canTake(one) && <Reason transition={one} />}
              </Menu.Item>
            ))}
            {actions.length > 0 && <Menu.Label>{text('record.actions')}</Menu.Label>}
            {actions.map((one) => (
              <Menu.Item key={one.name} onClick={() => setAction(one)}>
                {one.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {transition !== undefined && (
        <TransitionDialog
          {...props}
          transition={transition}
          onClose={() => setTransition(undefined)}
        />
      )}
      {action !== undefined && (
        <ActionDialog {...props} action={action} onClose={() => setAction(undefined)} />
      )}
    </>
  );
}

function Reason({ transition }: { readonly transition: AllowedTransition }) {
  const text = useText();
  const { Guard, Takers, Missing } = transition;
  const reason =
    Takers.length > 0
      ? text('record.takers', { names: Takers.join(', ') })
      : Guard !== null
        ? text('record.guard', { condition: Guard })
        : Missing.length > 0
          ? text('record.missing', { names: Missing.join(', ') })
          : text('record.notAllowed');
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {reason}
    </Text>
  );
}

/**
 * Actions that the record offers now. Transitions have their own buttons, and hidden actions are not for people.
 * `Core.OperationAvailable` is a constant or a path.
 */
function usableActions(
  operations: readonly Operation[],
  type: StructuredType,
  entity: Entity,
): readonly Operation[] {
  return operations.filter(({ kind, name, annotations }) => {
    if (kind !== 'action' || name === 'Docket.System.Transition') return false;
    if (isHidden(annotations)) return false;
    const available = annotations['Core.OperationAvailable'];
    if (typeof available !== 'object' || available === null) return available !== false;
    const path = String((available as { $Path?: unknown }).$Path ?? '');
    // The path starts with the name of the binding parameter.
    const inner = path.split('/').slice(1).join('/');
    return !type.members.has(inner.split('/')[0] ?? '') || valueAt(entity, inner) !== false;
  });
}
