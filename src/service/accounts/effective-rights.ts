// This file answers administrators who ask what another account may do with an entity, `…/EffectiveRights(Account='ada')`. The entity is
// found with the rights of who asks, and then asked about at its own address as the other account would ask, so that what is told is what
// happens. With an entity that it cannot see, and where it is blocked, an account can do nothing.
import type { Principal } from '../../access/principal.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { bind } from '../../bind/bind-read.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import { RIGHTS_ACCOUNT } from '../../edm/account-sets.ts';
import type { Answer } from '../../response/response.ts';
import { answerRead } from '../read.ts';
import type { Call, Service } from '../service.ts';
import { isReading, readTree, rightsOf, type Spoke, scopeOf } from '../stage-inputs.ts';

/** Whether the call may be about the rights of another account; those that are not are not looked at any further. */
export function mayAskForOther(call: Call): boolean {
  const { path, query } = call;
  if (!path.includes('EffectiveRights') && !path.includes('%')) return false;
  const last = lastSegment(path);
  return last !== undefined && isReading(call) && `${last.given}?${query}`.includes(RIGHTS_ACCOUNT);
}

interface LastSegment {
  /** The path before it, as it was written. */
  readonly entity: string;
  /** The function, simple or qualified. */
  readonly name: string;
  readonly given: string;
}

function lastSegment(path: string): LastSegment | undefined {
  const whole = path.replace(/\/+$/, '');
  const at = whole.lastIndexOf('/');
  const [, name, given = ''] =
    /^([\w.]*EffectiveRights)(.*)$/s.exec(decoded(whole.slice(at + 1))) ?? [];
  return name === undefined ? undefined : { entity: whole.slice(0, at), name, given };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Answers such a call. Faults access.rights-of, auth.account-unknown, and those of reads. */
export async function answerRightsOf(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  const account = accountIn(call, service, trail);
  const last = lastSegment(call.path);
  if (account === undefined || last === undefined)
    return await answerRead(call, service, principal, trail);
  const isOther = account.toLowerCase() !== principal.loginName.toLowerCase();
  if (isOther && !rightsOf(service, principal).everything) throw new Fault('access.rights-of');
  const { entity, name } = last;
  const query = call.query.split('&').filter((part) => !part.startsWith(`${RIGHTS_ACCOUNT}=`));
  const about = (place: string): Call => ({
    ...call,
    path: `${place}/${name}()`,
    query: query.join('&'),
  });
  const found = await answerRead(about(entity), service, principal, trail);
  if (!isOther || found.status !== 200) return found;
  const other = await service.sessions.accountNamed(account);
  if (other === 'blocked') return withoutRights(found);
  const address = await addressOf(entity, call, service, principal);
  try {
    return await answerRead(about(address), service, other, trail);
  } catch (error) {
    if (error instanceof Fault && HIDDEN.has(error.status)) return withoutRights(found);
    throw error;
  }
}

/** How a read is refused of which the account may see nothing. */
const HIDDEN: ReadonlySet<number> = new Set([403, 404]);

/** The account that is asked about; undefined where the call is about something else. */
function accountIn(call: Call, service: Service, trail: Spoke): string | undefined {
  const bound = bind(readTree(call, service, trail), scopeOf(call, service));
  return bound.kind === 'read' && bound.wanted.kind === 'rights' ? bound.wanted.whose : undefined;
}

/** The address of the entity itself: the one that was asked for may lead elsewhere for another account, such as `Me`. */
async function addressOf(
  entity: string,
  call: Call,
  service: Service,
  principal: Principal,
): Promise<string> {
  const headers = { accept: 'application/json', 'odata-maxversion': '4.0' };
  const asked: Call = { ...call, method: 'GET', path: `${entity}/$ref`, query: '', headers };
  const trail: Spoke = { spoken: undefined, stages: {} };
  const { body } = await answerRead(asked, service, principal, trail);
  const shown: { readonly '@odata.id'?: unknown } = JSON.parse(textOf(body));
  const id = String(shown['@odata.id']);
  const path = relativePath({ root: call.root, contentIds: new Map() }, id);
  invariant('relative' in path, `${id} is not of this service`);
  return path.relative;
}

/** The same answer, with nothing allowed. */
function withoutRights(answer: Answer): Answer {
  const nothing: unknown = JSON.parse(textOf(answer.body), (_name, value: unknown) =>
    value === true ? false : value,
  );
  return { ...answer, body: JSON.stringify(nothing) };
}

function textOf(body: Answer['body']): string {
  return typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8');
}
