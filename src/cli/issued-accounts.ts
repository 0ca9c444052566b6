// Opens the configured issuers, and creates the accounts of users who sign in there for the first time.
import { servicePrincipal } from '../access/principal.ts';
import type { IssuedAccount } from '../auth/issuers/issued-account.ts';
import type { IssuerParts, IssuerTokens } from '../auth/issuers/issuer-tokens.ts';
import type { IssuerSignIn } from '../auth/issuers/sign-in.ts';
import { Fault } from '../base/fault.ts';
import { ACCOUNT_SET, ROLE_SET } from '../edm/account-sets.ts';
import { sender } from '../service/internal-requests.ts';
import type { Service } from '../service/service.ts';
import type { Config } from './config/config.ts';
import { isRecord } from './config/nested-value.ts';

/** What the configured issuers are used for; nothing if there are none. */
interface OpenIssuers {
  readonly tokens?: IssuerTokens;
  readonly signIn?: IssuerSignIn;
}

/** Opens the configured issuers, which create accounts by the service. Their code is loaded on demand. */
export async function openIssuers(
  { issuers }: Pick<Config, 'issuers'>,
  others: Omit<IssuerParts, 'createAccount'>,
  service: () => Service,
): Promise<OpenIssuers> {
  if (issuers.length === 0) return {};
  const createAccount = (account: IssuedAccount) => createIssuedAccount(service(), account);
  const parts = { ...others, createAccount };
  const [{ IssuerKeys }, { IssuerTokens }, { IssuerSignIn }] = await Promise.all([
    import('../auth/issuers/issuer-keys.ts'),
    import('../auth/issuers/issuer-tokens.ts'),
    import('../auth/issuers/sign-in.ts'),
  ]);
  const known = issuers.map((issuer) => ({ issuer, keys: new IssuerKeys(issuer, parts) }));
  return { tokens: new IssuerTokens(known, parts), signIn: new IssuerSignIn(known, parts) };
}

/** Creates an account. Returns the reason if it cannot be created. Throws: auth.busy if the service is overloaded. */
async function createIssuedAccount(
  service: Service,
  { loginName, displayName, roles, issuer, address }: IssuedAccount,
): Promise<string | undefined> {
  const send = sender(service, servicePrincipal(`issuer ${issuer}`), { id: 'sign-in', address });
  const { body: found } = await send(
    'GET',
    `${ROLE_SET}?$select=Uid,Name&$top=250&$filter=${namesIn(roles)}`,
  );
  const known = Array.isArray(found.value) ? found.value.filter(isRecord) : [];
  const missing = roles.filter((role) => !known.some(({ Name }) => Name === role));
  if (missing.length > 0) return `there is no role ${missing.join(', ')}`;
  const { status, body } = await send('POST', ACCOUNT_SET, {
    LoginName: loginName,
    Name: displayName,
    'Roles@odata.bind': known.map(({ Uid }) => `${ROLE_SET}(${String(Uid)})`),
  });
  if (status >= 500) throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '5' } });
  return status < 400 ? undefined : messageIn(body);
}

function namesIn(roles: readonly string[]): string {
  const literals = roles.map((role) => `'${role.replaceAll("'", "''")}'`);
  return encodeURIComponent(`Name in (${literals.join(',')})`);
}

function messageIn({ error }: Readonly<Record<string, unknown>>): string {
  return isRecord(error) ? String(error.message).replace(/\.$/, '') : 'the service rejected it';
}
