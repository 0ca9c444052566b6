// This file reports to administrators what another account may do with an entity: `…/EffectiveRights(Account='ada')`. It resolves the
// entity with the rights of the administrator, then reads its rights by its canonical URL as the other account would. Blocked accounts,
// and accounts that cannot see the entity, have no rights.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { bind } from '../../bind/bind-read.ts';
import { knownPath } from '../../bind/path/entity-url.ts';
import { RIGHTS_ACCOUNT } from '../../edm/account-sets.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Answer } from '../../response/response.ts';
import { answerRead } from '../read.ts';
import type { Call, Service } from '../service.ts';
import {
  isReading,
  newTrace,
  type RequestTrace,
  readTree,
  rightsOf,
  scopeOf,
} from '../stage-inputs.ts';

/** Whether the request may be about the rights of another account. A cheap check before the path is parsed. */
export function mayConcernOtherAccount(call: Call): boolean {
  const { path, query } = call;
  if (!path.includes('EffectiveRights') && !path.includes('%')) return false;
  const last = lastSegment(path);
  const isRead = last !== undefined && isReading(call);
  return isRead && `${last.parameters}?${query}`.includes(RIGHTS_ACCOUNT);
}

interface LastSegment {
  /** The path before it, still encoded. */
  readonly entity: string;
  /** Simple or qualified name of the function. */
  readonly name: string;
  readonly parameters: string;
}

function lastSegment(path: string): LastSegment | undefined {
  const whole = path.replace(/\/+$/, '');
  const slash = whole.lastIndexOf('/');
  const [, name, parameters = ''] =
    /^([\w.]*EffectiveRights)(.*)$/s.exec(decodedIfPossible(whole.slice(slash + 1))) ?? [];
  return name === undefined ? undefined : { entity: whole.slice(0, slash), name, parameters };
}

/** Answers a read of EffectiveRights. Throws: access.rights-of, auth.account-unknown, and the faults of reads. */
export async function answerEffectiveRights(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const account = accountIn(call, service, trace);
  const last = lastSegment(call.path);
  if (account === undefined || last === undefined)
    return await answerRead(call, service, principal, trace);
  const isOther = account.toLowerCase() !== principal.loginName.toLowerCase();
  if (isOther && !rightsOf(service, principal).everything) throw new Fault('access.rights-of');
  const { entity, name } = last;
  const query = call.query.split('&').filter((part) => !part.startsWith(`${RIGHTS_ACCOUNT}=`));
  const rightsCall = (path: string): Call => ({
    ...call,
    path: `${path}/${name}()`,
    query: query.join('&'),
  });
  const own = await answerRead(rightsCall(entity), service, principal, trace);
  if (!isOther || own.status !== 200) return own;
  const other = await service.sessions.accountNamed(account);
  if (other === 'blocked') return withoutRights(own);
  const path = await canonicalPath(entity, call, service, principal);
  try {
    return await answerRead(rightsCall(path), service, other, trace);
  } catch (error) {
    if (error instanceof Fault && HIDDEN.has(error.status)) return withoutRights(own);
    throw error;
  }
}

/** Statuses of reads for which the account lacks rights. */
const HIDDEN: ReadonlySet<number> = new Set([403, 404]);

/** The account named in a request for effective rights; undefined for any other request. */
function accountIn(call: Call, service: Service, trace: RequestTrace): string | undefined {
  const bound = bind(readTree(call, service, trace), scopeOf(call, service));
  return bound.kind === 'read' && bound.wanted.kind === 'rights' ? bound.wanted.whose : undefined;
}

/** The canonical path of the entity, since paths such as `Me` have another target for another account. */
async function canonicalPath(
  entity: string,
  call: Call,
  service: Service,
  principal: Principal,
): Promise<string> {
  const headers = { accept: 'application/json', 'odata-maxversion': '4.0' };
  const refCall: Call = { ...call, method: 'GET', path: `${entity}/$ref`, query: '', headers };
  const { body } = await answerRead(refCall, service, principal, newTrace());
  const reference: { readonly '@odata.id'?: unknown } = JSON.parse(textOf(body));
  const id = String(reference['@odata.id']);
  return knownPath(call.root, id);
}

/** The same response with every right set to false. */
function withoutRights(answer: Answer): Answer {
  const rights: unknown = JSON.parse(textOf(answer.body), (_name, value: unknown) =>
    value === true ? false : value,
  );
  return { ...answer, body: JSON.stringify(rights) };
}

function textOf(body: Answer['body']): string {
  return typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8');
}
