// Reads the policy of a running service from the role records of the installation, and validates changed roles in the transaction that
// writes them.
import { ADMINISTRATORS_ONLY, type Policy } from '../access/policy.ts';
import { type CheckRule, type ReadRole, readRole } from '../access/read-roles.ts';
import { Fault, toDetail } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import { moreMistakes } from '../bind/body/body-errors.ts';
import { ruleCheck } from '../bind/model/policy-condition.ts';
import type { BindLimits } from '../bind/scope.ts';
import {
  ACCESS_ACTIONS,
  ACCOUNT_SET,
  ATTRIBUTE_ACCESS,
  type AttributeAccess,
  ENTITY_ACCESS,
  type EntityAccess,
  FACTOR_REQUIRED,
  ROLE_SET,
  type RoleDefinition,
} from '../edm/account-sets.ts';
import {
  API_KEY_TYPE,
  SESSION_TYPE,
  SETTING_TYPE,
  systemSet,
  TOKEN_TYPE,
} from '../edm/administration-sets.ts';
import { codeSources } from '../edm/code-sets.ts';
import type { Model } from '../edm/model.ts';
import { containmentSource, type Source, setSource } from '../edm/source.ts';
import { transitionStorage } from '../edm/workflow/transition-rows.ts';
import {
  column,
  type Fragment,
  join,
  list,
  name,
  sql,
  tableName,
  value,
  writesOf,
} from '../sql/fragment.ts';
import { type Layout, PARENT_COLUMN, tableOf } from '../sql/schema/layout.ts';
import { NEWEST_CHANGE } from '../sql/write/change-log.ts';
import type { Row, SqlText, Work } from '../store/database.ts';
import { isTrue } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';
import type { AuthDatabase } from './database.ts';

/** All roles of the installation, oldest first. */
export function* readStoredRoles(layout: Layout): Work<readonly StoredRole[]> {
  const statements = statementsFor(layout, roleSources(layout.model));
  return storedRoles({
    roles: (yield query(statements.roles)).rows,
    entities: (yield query(statements.entities)).rows,
    attributes: (yield query(statements.attributes)).rows,
  });
}

export interface RolesSettings {
  readonly database: AuthDatabase;
  readonly layout: Layout;
  readonly limits: BindLimits;
  readonly observe: Observe;
}

/** The roles of this process. */
export class Roles {
  readonly #settings: RolesSettings;
  readonly #sources: RoleSources;
  readonly #check: CheckRule;
  #policy: Policy = ADMINISTRATORS_ONLY;

  constructor(settings: RolesSettings) {
    const { model } = settings.layout;
    this.#settings = settings;
    this.#sources = roleSources(model);
    this.#check = ruleCheck({ model, rules: 'odata', limits: settings.limits });
  }

  /** The rights of all roles. It is replaced by a new object when the roles are loaded. */
  get policy(): Policy {
    return this.#policy;
  }

  /** Loads the roles. Rules that have become invalid grant nothing and are reported. */
  async load(): Promise<void> {
    const { database, observe } = this.#settings;
    const statements = statementsFor(this.#settings.layout, this.#sources);
    const [roles, entities, attributes] = await Promise.all([
      database.read(statements.roles),
      database.read(statements.entities),
      database.read(statements.attributes),
    ]);
    const read = this.#readAll(storedRoles({ roles, entities, attributes }));
    for (const { mistakes } of read)
      for (const { fault: error } of mistakes) observe({ kind: 'failure', id: 'roles', error });
    this.#policy = { roles: read.map(({ role }) => role) };
  }

  /** Whether a write to these sources can change roles. */
  concerns(sources: readonly string[]): boolean {
    return this.#sources.written.some(({ id }) => sources.includes(id));
  }

  /** The number of the latest change, for `check`. */
  *mark(): Work<bigint> {
    const [number] = (yield* firstRow(sql`SELECT ${NEWEST_CHANGE}`)) ?? [];
    return typeof number === 'bigint' ? number : 0n;
  }

  /**
   * Rejects invalid rules and empty names that have been written since the mark. Throws: access.role-name, access.rule, access.member,
   * access.type, write.body.
   */
  *check(since: bigint): Work<void> {
    const sources = list(this.#sources.written.map(({ id }) => value(id)));
    const changed = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" IN (${sources})`,
    );
    if (changed.rows.length === 0) return;
    const changedIds = new Set(changed.rows.map(([identity]) => identity));
    const stored = yield* readStoredRoles(this.#settings.layout);
    const unnamed = stored.filter(
      ({ identity, definition }) => changedIds.has(identity) && definition.name.trim() === '',
    );
    const rules = this.#readAll(stored).flatMap(({ uids, mistakes }) =>
      mistakes
        .filter(({ part, index }) => changedIds.has(uids[part][index] ?? null))
        .map(({ fault }) => fault),
    );
    const names = unnamed.map(() => new Fault('access.role-name', {}, { target: 'Name' }));
    rejectMistakes([...names, ...rules]);
  }

  #readAll(roles: readonly StoredRole[]): readonly (ReadRole & Pick<StoredRole, 'uids'>)[] {
    const { model } = this.#settings.layout;
    return roles.map(({ definition, uids }) => ({
      ...readRole(model, definition, this.#check),
      uids,
    }));
  }
}

/** A number that changes whenever a request changes accounts, roles, sessions, tokens, API keys, settings, codes or transitions. */
export function rightsRevision(layout: Layout): Fragment {
  const newest = rightsSources(layout).map(
    (id) =>
      sql`coalesce((SELECT max("seq") FROM ${tableName('docket_change')} WHERE "source" = ${value(id)}), 0)`,
  );
  return join(newest, ' + ');
}

/** The sources of accounts, roles, sessions, tokens, API keys, settings, codes and transitions in the change log. */
function rightsSources({ model }: Layout): readonly string[] {
  const { written } = roleSources(model);
  const types = [SESSION_TYPE, TOKEN_TYPE, API_KEY_TYPE, SETTING_TYPE];
  const administration = types.flatMap((type) => {
    const set = systemSet(model, type);
    return set === undefined ? [] : [setSource(model, set.name)];
  });
  const codes = Object.values(codeSources(model) ?? {});
  const transitions = transitionStorage(model)?.source ?? [];
  return [setSource(model, ACCOUNT_SET), ...written, ...administration, ...codes]
    .concat(transitions)
    .map(({ id }) => id);
}

/** Returns a predicate for statements with bound values that may change the revision. */
export function changesRevision(
  layout: Layout,
): (statement: SqlText, values: readonly unknown[]) => boolean {
  const sources = new Set<unknown>(rightsSources(layout));
  return (statement, values) => {
    const writes = typeof statement === 'string' ? [] : writesOf(statement);
    const isLogEntry = writes.includes('docket_change');
    return (
      writes.includes('docket_auth_revision') ||
      (isLogEntry && values.some((one) => sources.has(one)))
    );
  };
}

// ---- sources of roles -----------------------------------------------------------------------------------------------

interface RoleSources {
  readonly roles: Source;
  /** Undefined in a model whose own roles lack them. */
  readonly entities: Source | undefined;
  readonly attributes: Source | undefined;
  readonly written: readonly Source[];
}

function roleSources(model: Model): RoleSources {
  const roles = setSource(model, ROLE_SET);
  const inside = (collection: string) => {
    const navigation = model.members(roles.type).get(collection);
    return navigation?.kind === 'navigation' && navigation.contained
      ? containmentSource(model, roles.type, navigation)
      : undefined;
  };
  const [entities, attributes] = [inside(ENTITY_ACCESS), inside(ATTRIBUTE_ACCESS)];
  const written = [roles, entities, attributes].filter((source) => source !== undefined);
  return { roles, entities, attributes, written };
}

function statementsFor(
  layout: Layout,
  { roles, entities, attributes }: RoleSources,
): Readonly<Record<keyof RoleRows, Fragment>> {
  return {
    roles: select(layout, roles, ['Name', 'UpdateAllAllowed', 'Description', FACTOR_REQUIRED]),
    entities: select(layout, entities, [PARENT_COLUMN, 'Entity', 'Filter', ...ACCESS_ACTIONS]),
    attributes: select(layout, attributes, [
      PARENT_COLUMN,
      ...['Entity', 'Attribute', 'Read', 'Modify'],
    ]),
  };
}

/** Selects the identity and the columns. Columns that the model does not define are null. */
function select(layout: Layout, source: Source | undefined, columns: readonly string[]): Fragment {
  if (source === undefined) return sql`SELECT NULL WHERE 1 = 0`;
  const { table } = tableOf(layout, source);
  const alias = name('t');
  const known = new Set([PARENT_COLUMN, ...table.columns.map((one) => one.name)]);
  const cells = [table.identity, ...columns].map((one) =>
    known.has(one) || one === table.identity ? column(alias, one) : value(null),
  );
  return sql`SELECT ${join(cells, ', ')} FROM ${tableName(table.name)} ${alias} ORDER BY 1`;
}

// ---- rows to roles --------------------------------------------------------------------------------------------------

interface RoleRows {
  readonly roles: readonly Row[];
  readonly entities: readonly Row[];
  readonly attributes: readonly Row[];
}

/** A role of the installation. */
export interface StoredRole {
  readonly identity: bigint;
  readonly definition: RoleDefinition;
  /** The identities of its parts. */
  readonly uids: Readonly<Record<'entities' | 'attributes', readonly Row[number][]>>;
}

function storedRoles({ roles, entities, attributes }: RoleRows): readonly StoredRole[] {
  return roles.map(([uid, name, updatesAll, description, requiresFactor]) => {
    const own = entities.filter((row) => row[1] === uid);
    const withheld = attributes.filter((row) => row[1] === uid);
    return {
      identity: BigInt(String(uid)),
      definition: {
        name: String(name),
        ...(typeof description === 'string' ? { description } : {}),
        updatesAll: isTrue(updatesAll),
        requiresFactor: isTrue(requiresFactor),
        entities: own.map(entityAccessOf),
        attributes: withheld.map(attributeAccessOf),
      },
      uids: {
        entities: own.map(([id]) => id ?? null),
        attributes: withheld.map(([id]) => id ?? null),
      },
    };
  });
}

function entityAccessOf([, , entity, filter, ...flags]: Row): EntityAccess {
  return {
    entity: String(entity),
    actions: ACCESS_ACTIONS.filter((_, index) => isTrue(flags[index])),
    filter: typeof filter === 'string' ? filter : undefined,
  };
}

function attributeAccessOf([, , entity, attribute, read, modify]: Row): AttributeAccess {
  return {
    entity: String(entity),
    attribute: String(attribute),
    read: isTrue(read),
    modify: isTrue(modify),
  };
}

/** Throws the only mistake, or write.body with a detail for each of several mistakes. */
export function rejectMistakes(mistakes: readonly Fault[]): void {
  const [first, ...others] = mistakes;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const details = [first, ...others].map(toDetail);
  throw new Fault(
    'write.body',
    { first: first.message, more: moreMistakes(others.length) },
    { details },
  );
}
