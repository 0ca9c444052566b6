// This file applies the roles of a model to the installation. Each change of the model applies only to roles that administrators have not
// edited, so that their edits survive.
import {
  ACCESS_ACTIONS,
  accessValues,
  FACTOR_REQUIRED,
  ROLE_SET,
  type RoleDefinition,
  roleValues,
} from '../edm/account-sets.ts';
import { simpleName } from '../edm/model.ts';
import { setSource } from '../edm/source.ts';
import { ARGUMENT, list, name, sql, tableName } from '../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import { type Layout, type Table, tableOf, VERSION_COLUMN } from '../sql/schema/layout.ts';
import type { Rename } from '../sql/schema/renames.ts';
import type { Work } from '../store/database.ts';
import { recordInsert } from '../store/load/bulk-load.ts';
import { removeContained, removeRow } from '../store/model/remove-row.ts';
import { allocate, change, firstRow } from '../store/work.ts';
import { readStoredRoles, type StoredRole } from './policy-reader.ts';

/** The roles of two versions of a model. */
export interface RoleVersions {
  /** The roles of the model in force. */
  readonly applied: readonly RoleDefinition[];
  readonly wanted: readonly RoleDefinition[];
  /** The renames of types and members in rights. */
  readonly renames: readonly Rename[];
}

/** What the model does to a role, and why not more. */
export interface RoleStep {
  readonly kind: 'add' | 'change' | 'remove' | 'keep';
  /** For people: `Add the role "fleet-manager".` */
  readonly text: string;
  readonly stored?: StoredRole | undefined;
  readonly wanted?: RoleDefinition | undefined;
}

/** The steps that applyModelRoles runs. */
export function* planModelRoles(layout: Layout, versions: RoleVersions): Work<readonly RoleStep[]> {
  const stored = new Map((yield* readStoredRoles(layout)).map((one) => [one.definition.name, one]));
  const steps: RoleStep[] = [];
  const { applied, wanted } = versions;
  const names = new Set([...wanted, ...applied].map((role) => role.name));
  for (const role of names) {
    const ofName = (one: RoleDefinition) => one.name === role;
    const known = stored.get(role);
    const step = planRole(versions, {
      name: role,
      stored: known,
      isUsed: known !== undefined && (yield* isUsed(layout, known)),
      applied: applied.find(ofName),
      wanted: wanted.find(ofName),
    });
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** Adds, changes and removes roles as the model has changed. */
export function* applyModelRoles(layout: Layout, versions: RoleVersions): Work<void> {
  const use = tableOf(layout, setSource(layout.model, ROLE_SET));
  for (const { kind, stored, wanted } of yield* planModelRoles(layout, versions)) {
    if (kind === 'remove' && stored !== undefined) yield* removeRow(layout, use, stored.identity);
    if (wanted === undefined) continue;
    if (kind === 'add') yield* addRole(layout, wanted);
    if (kind === 'change' && stored !== undefined) {
      yield* removeContained(layout, use, stored.identity);
      yield* changeRole(use.table, stored.identity, wanted);
      yield* addAccess(layout, stored.identity, wanted);
    }
  }
}

interface RoleState {
  readonly name: string;
  readonly stored: StoredRole | undefined;
  /** Whether accounts have it. */
  readonly isUsed: boolean;
  readonly applied: RoleDefinition | undefined;
  readonly wanted: RoleDefinition | undefined;
}

function planRole(
  { renames }: RoleVersions,
  { name: role, stored, isUsed: isAssigned, applied, wanted }: RoleState,
): RoleStep | undefined {
  const same = (one: RoleDefinition | undefined, other: RoleDefinition | undefined) =>
    one !== undefined &&
    other !== undefined &&
    comparable(one, renames) === comparable(other, renames);
  const isEdited = !same(stored?.definition, applied);
  const keep = (reason: string): RoleStep => ({
    kind: 'keep',
    text: `Keep the role "${role}" as it is: ${reason}.`,
  });
  if (wanted === undefined) {
    if (stored === undefined) return undefined;
    if (isEdited) return keep('the model no longer has it, but it has been edited');
    if (isAssigned) return keep('the model no longer has it, but accounts have it');
    return { kind: 'remove', text: `Remove the role "${role}".`, stored };
  }
  if (stored === undefined)
    return applied === undefined
      ? { kind: 'add', text: `Add the role "${role}".`, wanted }
      : undefined;
  if (same(stored.definition, wanted) || same(applied, wanted)) return undefined;
  if (applied === undefined) return keep('the installation has a role of that name already');
  if (isEdited) return keep('the model changes it, but it has been edited');
  return { kind: 'change', text: `Change the role "${role}".`, stored, wanted };
}

/** The rights of a role after renames, regardless of their order. */
function comparable(role: RoleDefinition, renames: readonly Rename[]): string {
  const { description = '', updatesAll = false, requiresFactor = false } = role;
  const { entities, attributes = [] } = role;
  const rights = entities.map(({ entity, actions, filter = '' }) => [
    newTypeName(entity, renames),
    ACCESS_ACTIONS.filter((action) => actions.includes(action)),
    filter,
  ]);
  const restrictions = attributes.map(({ entity, attribute, read, modify }) => [
    newTypeName(entity, renames),
    newMemberName(entity, attribute, renames),
    read,
    modify,
  ]);
  const sorted = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).sort();
  return JSON.stringify([
    description,
    updatesAll,
    requiresFactor,
    sorted(rights),
    sorted(restrictions),
  ]);
}

function newTypeName(type: string, renames: readonly Rename[]): string {
  for (const { kind, from, to } of renames) {
    if (kind !== 'type') continue;
    if (type === from) return to;
    if (type === simpleName(from)) return simpleName(to);
  }
  return type;
}

function newMemberName(type: string, member: string, renames: readonly Rename[]): string {
  const found = renames.find(
    (one) => one.kind === 'member' && one.from === member && one.types.includes(type),
  );
  return found?.to ?? member;
}

/** Whether accounts have the role. */
function* isUsed(layout: Layout, { identity }: StoredRole): Work<boolean> {
  const { table } = tableOf(layout, setSource(layout.model, ROLE_SET));
  for (const { name: links, source, target } of layout.links) {
    const end = source === table.name ? 'source' : target === table.name ? 'target' : undefined;
    if (end === undefined) continue;
    const statement = sql`SELECT 1 FROM ${tableName(links)} WHERE ${name(end)} = ${ARGUMENT} LIMIT 1`;
    if ((yield* firstRow(statement, [identity])) !== undefined) return true;
  }
  return false;
}

function* addRole(layout: Layout, role: RoleDefinition): Work<void> {
  const uid = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
  yield recordInsert(layout, { set: ROLE_SET, uid, values: roleValues(role) });
  yield* addAccess(layout, uid, role);
}

function* changeRole(table: Table, identity: bigint, role: RoleDefinition): Work<void> {
  const { Name: _, ...values } = { [FACTOR_REQUIRED]: false, ...roleValues(role) };
  const known = new Set(table.columns.map((column) => column.name));
  const changed = Object.entries(values).filter(([column]) => known.has(column));
  const version = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
  const cells = changed.map(([column]) => sql`${name(column)} = ${ARGUMENT}`);
  yield change(
    sql`UPDATE ${tableName(table.name)} SET ${list([...cells, version])} WHERE ${name(table.identity)} = ${ARGUMENT}`,
    [...changed.map(([, cell]) => cell), identity],
  );
}

function* addAccess(layout: Layout, parent: bigint, role: RoleDefinition): Work<void> {
  for (const { collection, values } of accessValues(role)) {
    const uid = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
    yield recordInsert(layout, { set: `${ROLE_SET}/${collection}`, uid, parent, values });
  }
}
