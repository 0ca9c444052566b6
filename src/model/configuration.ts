// This file holds the sets in which the model describes itself to clients that make forms and menus of it: entities and their
// attributes, code lists and their codes, and the transitions from one status to the next.
import {
  boolean,
  code,
  collectionOf,
  complex,
  entitySet,
  entityType,
  int32,
  int64,
  many,
  one,
  text,
} from '../edm/define.ts';
import type { EntitySet, Member, NamedType, Property } from '../edm/model.ts';
import { uid } from './common.ts';

/** What follows from the model is changed by changing the model. */
const READ_ONLY = { insertable: false, updatable: false, deletable: false } as const;

export const configurationSets: readonly EntitySet[] = [
  entitySet('Entities', 'Entity', { singular: 'Entity', listed: false, ...READ_ONLY }),
  entitySet('Attributes', 'Attribute', { singular: 'Attribute', listed: false, ...READ_ONLY }),
  entitySet('CodeLists', 'CodeList', { singular: 'CodeList', listed: false, ...READ_ONLY }),
  entitySet('Codes', 'CodeEntry', { singular: 'CodeEntry', listed: false, ...READ_ONLY }),
  entitySet('Transitions', 'Transition', { singular: 'Transition', listed: false }),
];

export const configurationTypes: readonly NamedType[] = [
  configured('Entity', 'A kind of record', [
    uniqueName(),
    text('EntitySet', { maxLength: 128 }),
    texts('Label'),
    boolean('HasWorkflow'),
    boolean('HasAttachments'),
    many('Attributes', 'Attribute', { partner: 'Entity' }),
    many('Templates', 'Template', { partner: 'Entity' }),
    many('Transitions', 'Transition', { partner: 'Entity' }),
  ]),
  configured('Attribute', 'A property of a kind of record', [
    text('Name', { maxLength: 255, indexed: true }),
    texts('Label'),
    text('EdmType', { maxLength: 255 }),
    int32('MaxLength'),
    boolean('Required'),
    int64('RequiredFromStatus', { description: 'Value of the status from which it is required' }),
    boolean('IsCustom'),
    boolean('Searchable'),
    one('CodeList', 'CodeList'),
    one('Entity', 'Entity', { partner: 'Attributes', onDelete: 'cascade' }),
  ]),
  configured('CodeList', 'A list of codes', [
    uniqueName(),
    text('Property', { maxLength: 255, description: 'The property that the list is made for' }),
    boolean('Ordered'),
    boolean('Hierarchical'),
    one('Entity', 'Entity'),
    many('Codes', 'CodeEntry', { partner: 'List' }),
  ]),
  configured('CodeEntry', 'A code; its Uid is the Value of the code', [
    texts('Texts'),
    int32('Ordering'),
    boolean('Disabled', { description: 'Kept where it is, but no longer to be chosen' }),
    text('Meaning', { maxLength: 80, description: 'Symbol that outlives renaming' }),
    code('Folder', 'Folder', { description: 'Only in this folder; everywhere where it is null' }),
    one('List', 'CodeList', { partner: 'Codes' }),
    one('Parent', 'CodeEntry', { partner: 'Children', acyclic: true }),
    many('Children', 'CodeEntry', { partner: 'Parent' }),
  ]),
  configured('Transition', 'A step from one status to another that is allowed', [
    text('Symbol', { maxLength: 80 }),
    collectionOf(text('RequiredProperties', { maxLength: 255 })),
    code('ClockEffect', 'ClockEffect'),
    text('Guard', { description: 'OData expression that must be true' }),
    one('Entity', 'Entity', { partner: 'Transitions', onDelete: 'cascade' }),
    one('From', 'CodeEntry'),
    one('To', 'CodeEntry'),
    many('AllowedRoles', 'Role', { description: 'Who may take it; everybody where it is empty' }),
  ]),
];

function configured(name: string, description: string, members: readonly Member[]): NamedType {
  const named = members.some((member) => member.kind === 'property' && member.unique === true);
  return entityType(name, [uid(), ...members], {
    key: ['Uid'],
    description,
    ...(named ? { alternateKeys: [['Name']] } : {}),
  });
}

function uniqueName(): Property {
  return text('Name', { nullable: false, maxLength: 128, unique: true });
}

function texts(name: string): Property {
  return collectionOf(complex(name, 'Translation'));
}
