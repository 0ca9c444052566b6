// This file gives the accounts and roles that every installation needs to a model that has none of its own, such as a foreign one. A
// model that has a set Accounts brings the same members under its own names and texts.
import { boolean, defineModel, entitySet, entityType, int64, many, text } from './define.ts';
import type { ModelDefinition } from './model.ts';

/** Names that logging in relies on. */
export const ACCOUNT_SET = 'Accounts';
export const ROLE_SET = 'Roles';
export const ADMINISTRATOR_ROLE = 'administrator';

const NAMESPACE = 'Docket.System';

/** The definition with accounts and roles, reserved to administrators. */
export function withSystem(definition: ModelDefinition): ModelDefinition {
  if (definition.sets.some((set) => set.name === ACCOUNT_SET)) return definition;
  const system = systemDefinition();
  return {
    ...definition,
    namespaces: [...definition.namespaces, { name: NAMESPACE }],
    types: [...definition.types, ...system.types],
    sets: [...definition.sets, ...system.sets],
  };
}

function systemDefinition(): ModelDefinition {
  return defineModel({
    namespaces: [{ name: NAMESPACE }],
    types: [
      entityType(
        'Account',
        [
          int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } }),
          text('LoginName', { nullable: false, unique: true, maxLength: 128 }),
          text('Name', { maxLength: 255 }),
          boolean('Blocked'),
          many('Roles', 'Role', { partner: 'Accounts' }),
        ],
        { key: ['Uid'], alternateKeys: [['LoginName']] },
      ),
      entityType(
        'Role',
        [
          int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } }),
          text('Name', { nullable: false, unique: true, maxLength: 128 }),
          many('Accounts', 'Account', { partner: 'Roles' }),
        ],
        { key: ['Uid'] },
      ),
    ],
    sets: [
      entitySet(ACCOUNT_SET, 'Account', {
        singular: 'Account',
        administrative: true,
        listed: false,
      }),
      entitySet(ROLE_SET, 'Role', { singular: 'Role', administrative: true, listed: false }),
    ],
  });
}
