// Enforces the rules of administration in the transaction of each write: roles, settings and code lists must be valid, login names unique, and an
// administrator must remain. It also ends the sessions of blocked accounts, deletes secrets of deleted records, stores passwords, and
// records all changes in the audit trail.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';
import { ACCOUNT_SET, ADMINISTRATOR_ROLE, ROLE_SET } from '../edm/account-sets.ts';
import {
  API_KEY_TYPE,
  SESSION_TYPE,
  SETTING_TYPE,
  systemSet,
  TOKEN_TYPE,
} from '../edm/administration-sets.ts';
import { type Source, setSource } from '../edm/source.ts';
import { type Fragment, list, name, sql, tableName, value } from '../sql/fragment.ts';
import { type Layout, tableOf } from '../sql/schema/layout.ts';
import { cascadingSources } from '../sql/write/deletion.ts';
import type { CodeRules } from '../store/codes/code-rules.ts';
import type { Cell, Work } from '../store/database.ts';
import { firstRow, query } from '../store/work.ts';
import { administratorQuery, machineQuery } from './accounts.ts';
import { forgetHashes } from './api-keys.ts';
import { storeEntry } from './audit.ts';
import { endOtherLogins, endWhere, type LoginOwner, RAISE_REVISION } from './auth-store.ts';
import { issueKey, type KeyRequest } from './issue-key.ts';
import { type LoginNames, requireGoodLoginNames } from './login-name.ts';
import { requireGoodPassword } from './password.ts';
import type { Roles } from './policy-reader.ts';
import { showFactor } from './second-factor/shown-factor.ts';
import { forgetFactors } from './second-factor/stored-factor.ts';
import {
  forgetPasswords,
  isHashOf,
  permitPassword,
  requireOtherPassword,
  storePasswordIn,
} from './stored-passwords.ts';
import { type KnownHash, wrongPassword } from './token-grants.ts';

/** The account and the request that make a change. */
export interface Actor {
  readonly account: string;
  readonly address: string;
  readonly request: string;
}

/** A password in a request, and its hash. */
export interface NewPassword {
  readonly plain: string;
  readonly hash: string;
}

/** A check of records that control the service. */
interface RecordCheck {
  readonly concerns: (sources: readonly string[]) => boolean;
  /** Checks what has changed after the number `since` of the change log, by the principal. */
  readonly check: (since: bigint, principal: Principal) => Work<void>;
  /** Whether changes are left out of the audit trail, because accounts make them for themselves. */
  readonly isPersonal?: boolean;
}

export interface AdministrationParts {
  readonly layout: Layout;
  readonly world: World;
  readonly roles: Pick<Roles, 'concerns' | 'mark' | 'check'>;
  readonly codes: Pick<CodeRules, 'concerns' | 'check' | 'describe'>;
  readonly settings: { readonly check: (identities: readonly Cell[]) => Work<void> };
  /** Whether passwords that administrators set must be changed, unless their request decides that. */
  readonly temporaryPasswords: () => boolean;
  /** Each checks other records: the rules and templates of outgoing mail, transitions, views and dashboards, webhooks. */
  readonly checks: readonly RecordCheck[];
}

/** The state before a write. */
export interface Before {
  /** The number of the latest change. */
  readonly mark: bigint;
  /** Whether there is an account that can administrate. */
  readonly isAdministrable: boolean;
  /** The login names, if the write concerns accounts. */
  readonly names: LoginNames;
}

interface Change {
  readonly source: string;
  readonly operation: string;
  readonly identity: Cell;
  readonly address: string | undefined;
  readonly detail: string;
}

/** Maximum number of audit entries per write. Further changes are summarized in one entry. */
const ENTRY_LIMIT = 20;

export class Administration {
  readonly #parts: AdministrationParts;
  readonly #accounts: Source;
  readonly #sessions: Source | undefined;
  readonly #tokens: Source | undefined;
  readonly #apiKeys: Source | undefined;
  readonly #settings: Source | undefined;
  /** Sources of accounts and roles, and those whose deletion can cascade to them. */
  readonly #cascading: ReadonlySet<string>;
  readonly #administrators: Fragment;
  /** Selects the accounts that programs use; undefined if the model does not name them. */
  readonly #machines: Fragment | undefined;

  constructor(parts: AdministrationParts) {
    const { model } = parts.layout;
    const source = (type: string) => {
      const set = systemSet(model, type);
      return set === undefined ? undefined : setSource(model, set.name);
    };
    this.#parts = parts;
    this.#accounts = setSource(model, ACCOUNT_SET);
    this.#sessions = source(SESSION_TYPE);
    this.#tokens = source(TOKEN_TYPE);
    this.#apiKeys = source(API_KEY_TYPE);
    this.#settings = source(SETTING_TYPE);
    this.#cascading = cascadingSources(parts.layout, [
      this.#accounts.id,
      setSource(model, ROLE_SET).id,
    ]);
    this.#administrators = administratorQuery(parts.layout);
    this.#machines = machineQuery(parts.layout);
  }

  /** Whether the rules apply to a write to these sources. */
  concerns(sources: readonly string[]): boolean {
    return (
      sources.some((id) => this.#isOwn(id) || this.#cascading.has(id)) ||
      this.#parts.roles.concerns(sources) ||
      this.#parts.codes.concerns(sources) ||
      this.#parts.checks.some((one) => one.concerns(sources))
    );
  }

  /** Whether a write to these sources can change codes. */
  concernsCodes(sources: readonly string[]): boolean {
    return this.#parts.codes.concerns(sources);
  }

  /** The state before a write to these sources, for `finish`. */
  *begin(sources: readonly string[]): Work<Before> {
    const names = sources.includes(this.#accounts.id) ? yield* this.#names() : new Map();
    const isAdministrable = yield* this.#isAdministrable();
    return { mark: yield* this.#parts.roles.mark(), isAdministrable, names };
  }

  /**
   * Checks the changes since `begin` and applies their consequences.
   * Throws: access.rule, access.member, access.type, write.body, auth.setting, auth.login-name, auth.account-exists,
   * auth.last-administrator, codes.texts, codes.parent, codes.taken, codes.default, codes.symbol, codes.in-use, mail.rule,
   * mail.template, workflow.row, workflow.code, console.set, console.query, console.json, console.scope, webhook.*.
   */
  *finish(
    { mark: since, isAdministrable, names }: Before,
    actor: Actor,
    principal: Principal,
  ): Work<void> {
    yield* this.#parts.roles.check(since);
    yield* this.#parts.codes.check(since);
    for (const one of this.#parts.checks) yield* one.check(since, principal);
    const changes = yield* this.#changesSince(since);
    const changedIn = (source: Source | undefined) =>
      changes.filter((change) => change.source === source?.id).map(({ identity }) => identity);
    const settings = changedIn(this.#settings);
    if (settings.length > 0) yield* this.#parts.settings.check(settings);
    const accounts = changedIn(this.#accounts);
    if (accounts.length > 0) yield* this.#finishAccounts(accounts, names);
    if (isAdministrable && !(yield* this.#isAdministrable()))
      throw new Fault('auth.last-administrator', { role: ADMINISTRATOR_ROLE });
    const revoked = [...changedIn(this.#tokens), ...changedIn(this.#apiKeys)];
    if (revoked.length > 0)
      yield* forgetHashes(sql`token IN (${list(revoked.map((one) => value(one)))})`);
    yield* this.#audit(changes, actor);
  }

  /** Changes the password of an account by itself and ends its other logins. Throws: auth.current-password, auth.password. */
  *changePassword(
    owner: LoginOwner & { readonly known: KnownHash },
    password: NewPassword,
    actor: Actor,
  ): Work<void> {
    if (!(yield* isHashOf(owner.account, owner.known))) throw wrongPassword();
    yield* this.setPassword(owner, password, actor);
  }

  /** Changes the password of an account and ends its logins. Throws: auth.password. */
  *setPassword(owner: LoginOwner, { plain, hash }: NewPassword, actor: Actor): Work<void> {
    const { account } = owner;
    const { table } = tableOf(this.#parts.layout, this.#accounts);
    const row = yield* firstRow(
      sql`SELECT "LoginName", "Name" FROM ${tableName(table.name)} WHERE "Uid" = ${value(account)}`,
    );
    const now = this.#parts.world.now();
    requireGoodPassword(plain, String(row?.[0]), [String(row?.[1] ?? '')]);
    yield* storePasswordIn(owner, hash, now);
    const target = `${ACCOUNT_SET}(${account})`;
    const detail = `password of ${String(row?.[0])}`;
    yield* storeEntry({ time: now, kind: 'administration', ...actor, target, detail });
  }

  /**
   * Decides whether an account must change its password, and records it.
   * @param mustChange what the request contains; without it, only a new password of somebody else is concerned
   */
  *limitPassword(
    account: bigint,
    { isNew, mustChange }: { readonly isNew: boolean; readonly mustChange: boolean | undefined },
    principal: Principal,
    actor: Actor,
  ): Work<void> {
    const isDue = mustChange ?? (isNew && (yield* this.#isTemporary(account, principal)));
    if (!isDue && mustChange === undefined) return;
    const time = this.#parts.world.now();
    if (isDue) yield* requireOtherPassword(account, time);
    else yield* permitPassword(account);
    const target = `${ACCOUNT_SET}(${account})`;
    const detail = isDue ? 'password must be changed' : 'password need not be changed';
    yield* storeEntry({ time, kind: 'administration', ...actor, target, detail });
  }

  /** Removes the second factor of an account. */
  *removeFactor(account: bigint, actor: Actor): Work<void> {
    yield* forgetFactors(sql`account = ${value(account)}`);
    yield* this.noteFactor(account, 'removed', actor);
  }

  /** Records that an account has got or lost its second factor. Its sessions notice it, because roles can require one. */
  *noteFactor(account: bigint, change: 'added' | 'removed', actor: Actor): Work<void> {
    const time = this.#parts.world.now();
    yield* showFactor(this.#parts.layout, account, change === 'added', { ...actor, time });
    yield query(RAISE_REVISION);
    const target = `${ACCOUNT_SET}(${account})`;
    const detail = `second factor ${change}`;
    yield* storeEntry({ time, kind: 'administration', ...actor, target, detail });
  }

  /** Programs cannot change their passwords, and what administrators choose for themselves stays. */
  *#isTemporary(account: bigint, principal: Principal): Work<boolean> {
    if (!this.#parts.temporaryPasswords() || account === principal.account) return false;
    if (this.#machines === undefined) return true;
    const isMachine = sql`${value(account)} IN (${this.#machines})`;
    return (yield* firstRow(sql`SELECT 1 WHERE ${isMachine}`)) === undefined;
  }

  /** Ends all logins of an account but that of the request. */
  *endOtherSessions({ account, session }: LoginOwner, actor: Actor): Work<void> {
    yield* endOtherLogins({ account, session });
    const time = this.#parts.world.now();
    const target = `${ACCOUNT_SET}(${account})`;
    const detail = `other sessions of ${actor.account} ended`;
    yield* storeEntry({ time, kind: 'session end', ...actor, target, detail });
  }

  /** Creates an API key and returns it. Throws like `issueKey`. */
  issueKey(request: KeyRequest, principal: Principal, actor: Actor): Work<string> {
    return issueKey(request, principal, this.#parts, actor);
  }

  *#isAdministrable(): Work<boolean> {
    const { rows } = yield query(this.#administrators);
    return rows.length > 0;
  }

  #isOwn(id: string): boolean {
    return [this.#accounts, this.#sessions, this.#tokens, this.#apiKeys, this.#settings].some(
      (source) => source?.id === id,
    );
  }

  *#finishAccounts(identities: readonly Cell[], before: LoginNames): Work<void> {
    requireGoodLoginNames(identities, before, yield* this.#names());
    const { table } = tableOf(this.#parts.layout, this.#accounts);
    const changed = list(identities.map((one) => value(one)));
    const blocked = sql`SELECT "Uid" FROM ${tableName(table.name)} WHERE "Blocked" = ${value(true)} AND "Uid" IN (${changed})`;
    yield* endWhere(sql`"Account" IN (${blocked})`);
    const isGone = sql`account NOT IN (SELECT "Uid" FROM ${tableName(table.name)})`;
    yield* forgetPasswords(sql`account IN (${changed}) AND ${isGone}`);
    yield* forgetFactors(sql`account IN (${changed}) AND ${isGone}`);
  }

  *#names(): Work<LoginNames> {
    const { table } = tableOf(this.#parts.layout, this.#accounts);
    const { rows } = yield query(
      sql`SELECT "Uid", "LoginName" FROM ${tableName(table.name)} ORDER BY "Uid"`,
    );
    return new Map(rows.map(([uid, loginName]) => [uid ?? null, String(loginName ?? '')]));
  }

  *#changesSince(since: bigint): Work<readonly Change[]> {
    const { rows } = yield query(
      sql`SELECT "source", "deed", "identity", "address", "navigation", "other" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} ORDER BY "seq"`,
    );
    return rows
      .map(([source, operation, identity, address, navigation, other]) => ({
        source: String(source),
        operation: String(operation),
        identity: identity ?? null,
        address: typeof address === 'string' ? address : undefined,
        detail:
          navigation === null
            ? String(operation)
            : `${String(operation)} ${String(navigation)} ${String(other)}`,
      }))
      .filter(
        ({ source }) =>
          this.#isOwn(source) ||
          this.#parts.roles.concerns([source]) ||
          this.#parts.codes.concerns([source]) ||
          this.#parts.checks.some((one) => one.isPersonal !== true && one.concerns([source])),
      );
  }

  *#audit(changes: readonly Change[], actor: Actor): Work<void> {
    const time = this.#parts.world.now();
    const entry = { time, kind: 'administration' as const, ...actor };
    const keys = new Set<string>();
    for (const change of changes.filter((one) => this.#isAudited(one, changes))) {
      const target = change.address ?? `${change.source}(${String(change.identity)})`;
      const detail = yield* this.#describe(change);
      const key = `${target} ${detail}`;
      if (!keys.has(key) && keys.size < ENTRY_LIMIT)
        yield* storeEntry({ ...entry, target, detail });
      keys.add(key);
    }
    const more = keys.size - ENTRY_LIMIT;
    if (more > 0) yield* storeEntry({ ...entry, detail: 'and more changes', count: more });
  }

  /** Of sessions, tokens and API keys only deletions count, and tokens that are deleted with their session do not. */
  #isAudited({ source, operation }: Change, all: readonly Change[]): boolean {
    const [session, token, key] = [this.#sessions?.id, this.#tokens?.id, this.#apiKeys?.id];
    if (source !== session && source !== token && source !== key) return true;
    const isPartOfSession = source === token && all.some((one) => one.source === session);
    return operation === 'delete' && !isPartOfSession;
  }

  /** Adds the login name of an account, the value of a setting, or the text of a code. */
  *#describe({ source, identity, detail }: Change): Work<string> {
    const known = [this.#accounts, this.#settings].find((one) => one?.id === source);
    if (known === undefined) {
      const code = yield* this.#parts.codes.describe(source, identity);
      return code === undefined ? detail : `${detail} ${code}`;
    }
    const { table } = tableOf(this.#parts.layout, known);
    const summary =
      known === this.#accounts
        ? sql`"LoginName" || CASE WHEN "Blocked" = ${value(true)} THEN ', blocked' ELSE '' END`
        : sql`"Name" || ' = ' || coalesce("Value", 'as configured')`;
    const row = yield* firstRow(
      sql`SELECT ${summary} FROM ${tableName(table.name)} WHERE ${name(table.identity)} = ${value(identity)}`,
    );
    return row === undefined ? detail : `${detail} ${String(row[0])}`;
  }
}

/** The password in a body as text. Throws: auth.password. */
export function passwordText(input: unknown, target: string): string {
  if (typeof input === 'string') return input;
  throw new Fault('auth.password', { reason: 'it must be a string' }, { target });
}
