// This file keeps the policy of a running service: it reads the roles among the records of the installation, and reads them again when
// they have changed. Roles that are written are checked in the transaction that writes them, whatever request it was that did.
import { ADMINISTRATORS_ONLY, type Policy } from '../access/policy.ts';
import { type CheckRule, type ReadRole, readRole } from '../access/read-roles.ts';
import { Fault, toDetail } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import { ruleCheck } from '../bind/model/policy-condition.ts';
import type { BindLimits } from '../bind/scope.ts';
import {
  ACCESS_ACTIONS,
  ACCOUNT_SET,
  ATTRIBUTE_ACCESS,
  type AttributeAccess,
  ENTITY_ACCESS,
  type EntityAccess,
  ROLE_SET,
  type RoleDefinition,
} from '../edm/account-sets.ts';
import { SESSION_TYPE, SETTING_TYPE, systemSet, TOKEN_TYPE } from '../edm/administration-sets.ts';
import type { Model } from '../edm/model.ts';
import { containmentSource, type Source, setSource } from '../edm/source.ts';
import { column, type Fragment, join, list, name, sql, value } from '../sql/fragment.ts';
import { type Layout, PARENT_COLUMN, tableOf } from '../sql/schema/layout.ts';
import type { AuthDatabase, Row, RunStatement } from './database.ts';

export interface RolesSettings {
  readonly database: AuthDatabase;
  readonly layout: Layout;
  readonly limits: BindLimits;
  readonly see: See;
}

/** The roles of this process. */
export class Roles {
  readonly #settings: RolesSettings;
  readonly #places: RolePlaces;
  readonly #check: CheckRule;
  #policy: Policy = ADMINISTRATORS_ONLY;

  constructor(settings: RolesSettings) {
    const { model } = settings.layout;
    this.#settings = settings;
    this.#places = rolePlaces(model);
    this.#check = ruleCheck({ model, rules: 'odata', limits: settings.limits });
  }

  /** What the roles say. Another value whenever something in it has changed. */
  get policy(): Policy {
    return this.#policy;
  }

  /** Reads the roles. What cannot be understood any more grants nothing, and is told to those who watch. */
  async load(): Promise<void> {
    const { database, see } = this.#settings;
    const statements = this.#statements();
    const [roles, entities, attributes] = await Promise.all([
      database.read(statements.roles),
      database.read(statements.entities),
      database.read(statements.attributes),
    ]);
    const read = this.#readAll({ roles, entities, attributes });
    for (const { mistakes } of read)
      for (const { fault: error } of mistakes) see({ kind: 'failure', id: 'roles', error });
    this.#policy = { roles: read.map(({ role }) => role) };
  }

  /** Whether a write that speaks of these sources can change what roles say. */
  concerns(sources: readonly string[]): boolean {
    return this.#places.written.some(({ id }) => sources.includes(id));
  }

  /** The number of the newest change, to be handed to `check`. */
  mark(run: RunStatement): bigint {
    const [row] = run(sql`SELECT coalesce(max("seq"), 0) FROM "docket_change"`);
    return typeof row?.[0] === 'bigint' ? row[0] : 0n;
  }

  /** Refuses what has been written to roles since the mark and cannot be understood. Faults: access.rule, -member, -type. */
  check(run: RunStatement, since: bigint): void {
    const sources = list(this.#places.written.map(({ id }) => value(id)));
    const changed = run(
      sql`SELECT DISTINCT "identity" FROM "docket_change" WHERE "seq" > ${value(since)} AND "source" IN (${sources})`,
    );
    if (changed.length === 0) return;
    const touched = new Set(changed.map(([identity]) => identity));
    const statements = this.#statements();
    const read = this.#readAll({
      roles: run(statements.roles),
      entities: run(statements.entities),
      attributes: run(statements.attributes),
    });
    refuse(
      read.flatMap(({ uids, mistakes }) =>
        mistakes.filter(({ part, index }) => touched.has(uids[part][index] ?? null)),
      ),
    );
  }

  #readAll(rows: RoleRows): readonly (ReadRole & Pick<StoredRole, 'uids'>)[] {
    const { model } = this.#settings.layout;
    return storedRoles(rows).map(({ definition, uids }) => ({
      ...readRole(model, definition, this.#check),
      uids,
    }));
  }

  #statements(): Readonly<Record<keyof RoleRows, Fragment>> {
    const { layout } = this.#settings;
    const { roles, entities, attributes } = this.#places;
    return {
      roles: select(layout, roles, ['Name', 'UpdateAllAllowed']),
      entities: select(layout, entities, [PARENT_COLUMN, 'Entity', 'Filter', ...ACCESS_ACTIONS]),
      attributes: select(layout, attributes, [
        PARENT_COLUMN,
        ...['Entity', 'Attribute', 'Read', 'Modify'],
      ]),
    };
  }
}

/** A number that is another one whenever accounts, roles, sessions, tokens or settings were changed by a request. */
export function rightsRevision(layout: Layout): Fragment {
  const newest = rightsSources(layout).map(
    (id) =>
      sql`coalesce((SELECT max("seq") FROM "docket_change" WHERE "source" = ${value(id)}), 0)`,
  );
  return join(newest, ' + ');
}

/** Where accounts, roles, sessions, tokens and settings are kept, as the change log names it. */
function rightsSources({ model }: Layout): readonly string[] {
  const { written } = rolePlaces(model);
  const watched = [SESSION_TYPE, TOKEN_TYPE, SETTING_TYPE].flatMap((type) => {
    const set = systemSet(model, type);
    return set === undefined ? [] : [setSource(model, set.name)];
  });
  return [setSource(model, ACCOUNT_SET), ...written, ...watched].map(({ id }) => id);
}

/** Tells of a statement, with what is bound, whether it may make the revision another one. */
export function raisesRevision(
  layout: Layout,
): (text: string, values: readonly unknown[]) => boolean {
  const sources = new Set<unknown>(rightsSources(layout));
  return (text, values) =>
    text.includes('docket_auth_revision') ||
    (text.startsWith('INSERT INTO "docket_change"') && values.some((one) => sources.has(one)));
}

// ---- where roles are kept -------------------------------------------------------------------------------------------

interface RolePlaces {
  readonly roles: Source;
  /** Undefined in a model that brings roles of its own without them. */
  readonly entities: Source | undefined;
  readonly attributes: Source | undefined;
  readonly written: readonly Source[];
}

function rolePlaces(model: Model): RolePlaces {
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

/** The identity, then the columns; columns that the model does not have are null. */
function select(layout: Layout, source: Source | undefined, columns: readonly string[]): Fragment {
  if (source === undefined) return sql`SELECT NULL WHERE 1 = 0`;
  const { table } = tableOf(layout, source);
  const alias = name('t');
  const known = new Set([PARENT_COLUMN, ...table.columns.map((one) => one.name)]);
  const cells = [table.identity, ...columns].map((one) =>
    known.has(one) || one === table.identity ? column(alias, one) : value(null),
  );
  return sql`SELECT ${join(cells, ', ')} FROM ${name(table.name)} ${alias} ORDER BY 1`;
}

// ---- rows to roles --------------------------------------------------------------------------------------------------

interface RoleRows {
  readonly roles: readonly Row[];
  readonly entities: readonly Row[];
  readonly attributes: readonly Row[];
}

interface StoredRole {
  readonly definition: RoleDefinition;
  /** Identities of what it consists of. */
  readonly uids: Readonly<Record<'entities' | 'attributes', readonly Row[number][]>>;
}

function storedRoles({ roles, entities, attributes }: RoleRows): readonly StoredRole[] {
  return roles.map(([uid, name, updatesAll]) => {
    const own = entities.filter((row) => row[1] === uid);
    const withheld = attributes.filter((row) => row[1] === uid);
    return {
      definition: {
        name: String(name),
        updatesAll: isTrue(updatesAll),
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
    ...(typeof filter === 'string' ? { filter } : {}),
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

function isTrue(cell: Row[number] | undefined): boolean {
  return cell === true || cell === 1n;
}

/** One mistake is told as it is, several with a detail for each. */
function refuse(mistakes: ReadRole['mistakes']): void {
  const [first, ...others] = mistakes.map(({ fault }) => fault);
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const details = [first, ...others].map(toDetail);
  const more = ` There are ${others.length} more like it.`;
  throw new Fault('write.body', { first: first.message, more }, { details });
}
