// This file sends each request to a service that caches plans and to one that plans every request from scratch, and reports responses that
// differ.
import type { Principal } from '../../../src/access/principal.ts';
import { createAccount } from '../../../src/auth/accounts.ts';
import { type RoleDefinition, rolesDocument } from '../../../src/edm/account-sets.ts';
import type { Answer } from '../../../src/response/response.ts';
import { plansOf } from '../../../src/service/cache/prepared-plans.ts';
import { performer } from '../../../src/service/handle-request.ts';
import { importRecords } from '../../../src/service/import.ts';
import type { Call, Service } from '../../../src/service/service.ts';
import { type Desk, principalNamed } from '../../journeys/desk.ts';
import type { Asked } from './template.ts';

/** Writes that were answered without a plan of their own. */
export function cachedWrites({ service }: Party): number {
  return plansOf(service).hits;
}

/** The same service without any plan in its caches, which belong to the object: a copy has none. */
function withoutPlans(service: Service): Service {
  return { ...service };
}

interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Difference {
  /** Earlier requests of the template after which the last one has another response. */
  readonly requests: readonly string[];
  readonly cached: unknown;
  readonly alone: unknown;
}

/** Accounts by name, with their roles. */
export interface Account {
  readonly roles: readonly string[];
  readonly person?: number;
}

/** Stores roles and makes accounts; the administrator is there already. */
export async function makeAccounts(
  desk: Desk,
  roles: readonly RoleDefinition[],
  accounts: Readonly<Record<string, Account>>,
): Promise<ReadonlyMap<string, Principal>> {
  const { auth, layout } = desk.installation;
  await importRecords(rolesDocument(roles), desk.service);
  const principals = new Map([['admin', await principalNamed(desk.service, 'admin')]]);
  for (const [loginName, { roles: names, person }] of Object.entries(accounts)) {
    const ofPerson = person === undefined ? undefined : BigInt(person);
    const account = { loginName, displayName: loginName, roles: names, person: ofPerson };
    await createAccount(auth, layout, account);
    principals.set(loginName, await principalNamed(desk.service, loginName));
  }
  return principals;
}

/** A service, and the accounts that ask it. */
export class Party {
  readonly service: Service;
  readonly #principals: ReadonlyMap<string, Principal>;
  /** Reads that were answered without a plan of their own. */
  cached = 0;
  readonly failures: string[] = [];

  constructor(service: Service, principals: ReadonlyMap<string, Principal>) {
    this.#principals = principals;
    this.service = {
      ...service,
      observe: (observation) => {
        if (observation.kind === 'failure') this.failures.push(String(observation.error));
        if (observation.kind === 'request' && observation.status < 300)
          this.cached += observation.stages.bind === undefined ? 1 : 0;
      },
    };
  }

  async ask(asked: Asked, service = this.service): Promise<Shown> {
    const principal = this.#principals.get(asked.account);
    if (principal === undefined) throw new Error(`there is no account ${asked.account}`);
    return shown(await performer(service)(callOf(asked), principal));
  }

  /** Plans the request from scratch. */
  async askAlone(asked: Asked): Promise<Shown> {
    return await this.ask(asked, withoutPlans(this.service));
  }
}

function callOf({ method, url, headers, body }: Asked): Call {
  const at = url.indexOf('?');
  return {
    id: 'same',
    method,
    path: at < 0 ? url : url.slice(0, at),
    query: at < 0 ? '' : url.slice(at + 1),
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
    address: '127.0.0.1',
    root: 'http://desk.example/odata/',
  };
}

/** Everything of a response that does not differ from one moment to the next. */
function shown({ status, headers, body }: Answer): Shown {
  const plain = Object.entries(headers).filter(([name]) => !/^(?:date|x-request-id)$/i.test(name));
  const text = body === undefined ? undefined : Buffer.from(body).toString('utf8');
  const boundary = /boundary="?([^";]+)/.exec(headers['Content-Type'] ?? '')?.[1];
  const same = (one: string) => (boundary === undefined ? one : one.replaceAll(boundary, 'b'));
  return {
    status,
    headers: Object.fromEntries(plain.map(([name, value]) => [name, same(value)])),
    body: text === undefined ? undefined : same(text),
  };
}

export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** A request as one line, for the report of a difference. */
export function describeRequest({ account, method, url, headers, body }: Asked): string {
  const more = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), body ?? ''];
  return `${account}: ${method} ${url} ${more.join(' ')}`.trim();
}

/** What two responses differ in. */
export function difference(requests: readonly Asked[], cached: Shown, alone: Shown): Difference {
  const names = ['status', 'headers', 'body'] as const;
  const differing = names.filter((name) => !isSame(cached[name], alone[name]));
  const pick = (one: Shown) => differing.map((name) => one[name]);
  return { requests: requests.map(describeRequest), cached: pick(cached), alone: pick(alone) };
}

/**
 * The requests that are needed for the last one to have another response: as few as can be found by leaving out one after the other.
 * All of them only read.
 */
export async function reduce(
  party: Party,
  earlier: readonly Asked[],
  last: Asked,
): Promise<readonly Asked[]> {
  const alone = await party.askAlone(last);
  const differs = async (requests: readonly Asked[]) => {
    const fresh = withoutPlans(party.service);
    for (const one of requests) await party.ask(one, fresh);
    return !isSame(await party.ask(last, fresh), alone);
  };
  let needed = earlier;
  if (!(await differs(needed))) return [...earlier, last];
  for (const one of earlier) {
    const fewer = needed.filter((other) => other !== one);
    if (await differs(fewer)) needed = fewer;
  }
  return [...needed, last];
}
