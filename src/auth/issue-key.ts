// Checks the parameters of a new API key, and issues it. Accounts create keys for themselves, administrators for any account.
import { hasRightsOf } from '../access/key-rights.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import type { World } from '../base/world.ts';
import { ADMINISTRATOR_ROLE, KEY_PARAMETERS } from '../edm/account-sets.ts';
import { API_KEY_TYPE, systemSet } from '../edm/administration-sets.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Work } from '../store/database.ts';
import { query } from '../store/work.ts';
import { accountQuery } from './accounts.ts';
import { storeKey } from './api-keys.ts';
import { type AuditEntry, storeEntry } from './audit.ts';
import { readStoredRoles, rejectMistakes } from './policy-reader.ts';
import { makeKey } from './token.ts';

/** The parameters of CreateApiKey, with the limit of one. */
export interface KeyRequest {
  readonly name: string;
  /** The login name of another account. */
  readonly account: string | undefined;
  /** A date and time; undefined if the key does not expire. */
  readonly expires: string | undefined;
  readonly readOnly: boolean;
  /** Undefined for all roles of the account. */
  readonly roles: readonly string[] | undefined;
  readonly pageSize: bigint | undefined;
  /** The largest page that the service returns. */
  readonly maximumPage: number;
}

interface KeyOwner {
  readonly uid: bigint;
  readonly loginName: string;
  readonly roles: readonly string[];
  readonly administrator: boolean;
}

/**
 * Stores a key, with an entry in the audit trail, and returns its text.
 * Throws: auth.key-of-key, auth.key-of-other, auth.account-unknown, auth.key-role, auth.key-value, write.body.
 */
export function* issueKey(
  request: KeyRequest,
  principal: Principal,
  { layout, world }: { readonly layout: Layout; readonly world: World },
  actor: Pick<AuditEntry, 'account' | 'address' | 'request'>,
): Work<string> {
  if (principal.key !== undefined) throw new Fault('auth.key-of-key');
  const { name, expires, readOnly, roles = [], pageSize = null } = request;
  const owner = yield* ownerOf(request, principal, layout);
  const now = world.now();
  rejectMistakes([
    ...(yield* roleMistakes(request, owner, layout)),
    ...valueMistakes(request, now),
  ]);
  const key = makeKey(world);
  const uid = yield* storeKey(
    {
      account: owner.uid,
      name,
      expires: expires === undefined ? null : new Date(expires).toISOString(),
      readOnly,
      roles: JSON.stringify(roles),
      pageSize,
    },
    key,
    new Date(now).toISOString(),
  );
  const target = `${systemSet(layout.model, API_KEY_TYPE)?.name}(${uid})`;
  const detail = `insert API key "${name}" of ${owner.loginName}`;
  yield* storeEntry({ time: now, kind: 'administration', ...actor, target, detail });
  return key.text;
}

function* ownerOf({ account }: KeyRequest, principal: Principal, layout: Layout): Work<KeyOwner> {
  const isOther = account !== undefined && account !== principal.loginName;
  if (isOther && !principal.administrator)
    throw new Fault('auth.key-of-other', {}, { target: KEY_PARAMETERS.account });
  const condition = isOther ? { loginName: account } : { uid: principal.account };
  const { rows } = yield query(accountQuery(layout)(condition));
  const [first] = rows;
  if (first === undefined || typeof first[0] !== 'bigint')
    throw new Fault(
      'auth.account-unknown',
      { name: (account ?? principal.loginName).slice(0, 128), hint: '' },
      { target: KEY_PARAMETERS.account },
    );
  const [uid, loginName] = first;
  const roles = rows.flatMap((row) =>
    row[0] === uid && typeof row[4] === 'string' ? [row[4]] : [],
  );
  const administrator = roles.includes(ADMINISTRATOR_ROLE);
  return { uid, loginName: String(loginName), roles, administrator };
}

/** The names of roles that the account does not have; for an administrator, those that do not exist. */
function* roleMistakes(
  { roles = [] }: KeyRequest,
  owner: KeyOwner,
  layout: Layout,
): Work<readonly Fault[]> {
  if (roles.length === 0) return [];
  const stored = (yield* readStoredRoles(layout)).map(({ definition }) => definition.name);
  const possible = stored.filter((role) => hasRightsOf(owner, role));
  return roles
    .filter((role) => !possible.includes(role))
    .map((role) => {
      const hint = didYouMean(role, possible);
      const parameters = { account: owner.loginName, name: role.slice(0, 128), hint };
      return new Fault('auth.key-role', parameters, { target: KEY_PARAMETERS.roles });
    });
}

function valueMistakes(
  { name, expires, roles, pageSize, maximumPage }: KeyRequest,
  now: number,
): readonly Fault[] {
  const mistake = (parameter: string, reason: string) =>
    new Fault('auth.key-value', { name: parameter, reason }, { target: parameter });
  return [
    ...(name.trim() === '' ? [mistake(KEY_PARAMETERS.name, 'it is empty')] : []),
    ...(expires !== undefined && !(Date.parse(expires) > now)
      ? [mistake(KEY_PARAMETERS.expires, 'it must be in the future')]
      : []),
    ...(roles?.length === 0
      ? [mistake(KEY_PARAMETERS.roles, 'it is empty; leave it out for all roles of the account')]
      : []),
    ...(pageSize !== undefined && (pageSize < 1n || pageSize > maximumPage)
      ? [mistake(KEY_PARAMETERS.pageSize, `use 1 to ${maximumPage} (limits.maximumPage)`)]
      : []),
  ];
}
