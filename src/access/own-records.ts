// This file grants every account the rights to its sessions and to what it has made itself: its API keys, and its views and dashboards of the
// console. Others see those that are shared with them.
import { API_KEY_TYPE, SESSION_TYPE } from '../edm/administration-sets.ts';
import {
  CONSOLE_DASHBOARD_TYPE,
  CONSOLE_TILE_TYPE,
  CONSOLE_VIEW_TYPE,
} from '../edm/console-sets.ts';
import { entityType, type Model } from '../edm/model.ts';
import type { Grant, Reach, Role } from './policy.ts';
import { readRule } from './read-roles.ts';

/** A role that all accounts with these roles have. No stored role has its name, because names are not empty. */
export function ownRecords(roles: readonly string[], model: Model): Role {
  return { name: '', grants: [OWN_SESSIONS, OWN_KEYS, ...consoleGrants(roles, model)] };
}

const ofAccount = reach(['Account/LoginName eq $account']);

const OWN_SESSIONS: Grant = { type: SESSION_TYPE, actions: { read: ofAccount, delete: ofAccount } };
const OWN_KEYS: Grant = { type: API_KEY_TYPE, actions: { read: ofAccount, delete: ofAccount } };

/** Only administrators share with roles and everybody. */
function consoleGrants(roles: readonly string[], model: Model): readonly Grant[] {
  if (!model.types.has(CONSOLE_VIEW_TYPE)) return [];
  const own = [CONSOLE_VIEW_TYPE, CONSOLE_DASHBOARD_TYPE].map((type) =>
    sharingGrant(type, '', roles, model),
  );
  return [...own, sharingGrant(CONSOLE_TILE_TYPE, 'Dashboard/', roles, model)];
}

/** @param path from an entity of the type to the one that is shared */
function sharingGrant(type: string, path: string, roles: readonly string[], model: Model): Grant {
  const isOwn = `${path}Owner eq $account`;
  const isScope = (scope: string) => `${path}Scope eq '${scope}'`;
  const inGroup = membershipIn(path, model);
  const ofGroup = inGroup === undefined ? [] : [`${isScope('workgroup')} and ${inGroup}`];
  const names = roles.map((name) => `'${name.replaceAll("'", "''")}'`);
  const ofRole =
    names.length === 0 ? [] : [`${isScope('role')} and ${path}Role/Name in (${names.join(',')})`];
  const written = reach([
    `${isOwn} and ${isScope('own')}`,
    ...ofGroup.map((rule) => `${isOwn} and ${rule}`),
  ]);
  return {
    type,
    actions: {
      read: reach([isOwn, isScope('everybody'), ...ofRole, ...ofGroup]),
      create: written,
      change: written,
      delete: written,
    },
    isLasting: true,
  };
}

/** The condition that the account's person is in the group; undefined if the model has no groups. */
function membershipIn(path: string, model: Model): string | undefined {
  const group = model.members(entityType(model, CONSOLE_VIEW_TYPE)).get('Workgroup');
  if (group?.kind !== 'navigation') return undefined;
  const type = entityType(model, group.target);
  const persons = model.members(type).get(type.recipient?.members ?? '');
  if (persons?.kind !== 'navigation') return undefined;
  const [key] = model.key(entityType(model, persons.target));
  return key && `${path}Workgroup/${persons.name}/any(p:p/${key.path} eq $me)`;
}

function reach(rules: readonly string[]): Reach {
  return { kind: 'some', rules: rules.map(readRule) };
}
