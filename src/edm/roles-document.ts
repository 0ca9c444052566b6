// This file reads the roles of a model, in the format of the set Roles: { "Roles": [{ "Name": …, "EntityAccess": [{ "Entity": …,
// "Read": true }] }] }. access/read-roles.ts checks the types and members that they name.

import { didYouMean } from '../base/nearest-name.ts';
import {
  ACCESS_ACTIONS,
  ATTRIBUTE_ACCESS,
  type AttributeAccess,
  ENTITY_ACCESS,
  type EntityAccess,
  FACTOR_REQUIRED,
  ROLE_SET,
  type RoleDefinition,
} from './account-sets.ts';
import {
  childParts,
  flagMember,
  objectPart,
  type Part,
  report,
  requiredText,
  textMember,
} from './csdl/document-reader.ts';
import { definedMembers } from './defined-members.ts';
import { entityType, type Model } from './model.ts';
import type { Mistake } from './model-error.ts';
import type { JsonInput } from './value/lossless-json.ts';

const ROLE_MEMBERS = [
  'Name',
  'Description',
  'UpdateAllAllowed',
  FACTOR_REQUIRED,
  ENTITY_ACCESS,
  ATTRIBUTE_ACCESS,
];
const ENTITY_MEMBERS = ['Entity', ...ACCESS_ACTIONS, 'Filter'];
const ATTRIBUTE_MEMBERS = ['Entity', 'Attribute', 'Read', 'Modify'];

/** Reads the roles of a document. Appends mistakes to the list and skips what it cannot read. */
export function readRoles(document: JsonInput, mistakes: Mistake[]): readonly RoleDefinition[] {
  const root = objectPart(document, '$', mistakes);
  requireKnown(root, [ROLE_SET]);
  const roles = childParts(root, ROLE_SET).map(readRole);
  const names = roles.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const path = `${root.path}.${ROLE_SET}[${index}].Name`;
    const message = `There is more than one role named ${name}.`;
    mistakes.push({ path, message, remedy: 'Rename one of them.' });
  }
  return roles;
}

function readRole(part: Part): RoleDefinition {
  requireKnown(part, ROLE_MEMBERS);
  return {
    name: requiredText(part, 'Name'),
    ...definedMembers({ description: textMember(part, 'Description') }),
    ...(flagMember(part, 'UpdateAllAllowed') === true ? { updatesAll: true } : {}),
    ...(flagMember(part, FACTOR_REQUIRED) === true ? { requiresFactor: true } : {}),
    entities: childParts(part, ENTITY_ACCESS).map(readEntityAccess),
    attributes: childParts(part, ATTRIBUTE_ACCESS).map(readAttributeAccess),
  };
}

/** Members that the role has and the roles of the model lack, which a model with its own set Roles can do. */
export function unknownRoleMembers(
  model: Model,
  { requiresFactor }: RoleDefinition,
  place: string,
): readonly Mistake[] {
  const set = model.sets.get(ROLE_SET);
  const members = set === undefined ? undefined : model.members(entityType(model, set.type));
  if (requiresFactor !== true || members?.has(FACTOR_REQUIRED) === true) return [];
  const message = `The type of ${ROLE_SET} has no property ${FACTOR_REQUIRED}.`;
  const remedy = `Add the Edm.Boolean property ${FACTOR_REQUIRED} to the type, or remove it here.`;
  return [{ path: `${place}.${FACTOR_REQUIRED}`, message, remedy }];
}

function readEntityAccess(part: Part): EntityAccess {
  requireKnown(part, ENTITY_MEMBERS);
  return {
    entity: requiredText(part, 'Entity'),
    actions: ACCESS_ACTIONS.filter((action) => flagMember(part, action) === true),
    ...definedMembers({ filter: textMember(part, 'Filter') }),
  };
}

function readAttributeAccess(part: Part): AttributeAccess {
  requireKnown(part, ATTRIBUTE_MEMBERS);
  return {
    entity: requiredText(part, 'Entity'),
    attribute: requiredText(part, 'Attribute'),
    read: flagMember(part, 'Read') ?? true,
    modify: flagMember(part, 'Modify') ?? true,
  };
}

function requireKnown(part: Part, known: readonly string[]): void {
  for (const name of Object.keys(part.value)) {
    if (known.includes(name)) continue;
    const remedy = `Remove it or use one of ${known.join(', ')}.${didYouMean(name, known)}`;
    report(part, name, `${name} is not allowed here.`, remedy);
  }
}
