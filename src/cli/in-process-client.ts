// Lets commands administer an installation through the service, running in their own process. Their changes are validated and audited
// like requests of an administrator, and a running service notices them within a second.
import { servicePrincipal } from '../access/principal.ts';
import { Fault, type FaultDetail } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { systemSet } from '../edm/administration-sets.ts';
import { LOCAL_ROOT, sender } from '../service/internal-requests.ts';
import { isRecord } from './config/nested-value.ts';
import type { Invocation } from './invocation.ts';
import { type Installation, openInstallation, type WiredService, wireService } from './wire.ts';

/** The account of commands in the audit trail. */
export const COMMAND_NAME = 'docket command';

const COMMAND = servicePrincipal(COMMAND_NAME);

/** A record in a response of the service. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface ServiceClient
  extends Pick<WiredService, 'service' | 'current' | 'settingNames' | 'storeSettings'> {
  readonly installation: Installation;
  /** All records of a collection, from all pages. Throws: cli.refused. */
  readonly all: (url: string) => Promise<readonly JsonObject[]>;
  /** The name of the set with this type in the model. */
  readonly setOf: (type: string) => string;
  /** Sends a request, without undefined members, and returns the body of the response, {} if it is empty. Throws: cli.refused. */
  readonly send: (method: string, url: string, body?: JsonObject) => Promise<JsonObject>;
}

/** Opens the installation, does the work, and closes it. Throws what openInstallation and the work throw. */
export async function withService<Result>(
  { config }: Pick<Invocation, 'config'>,
  work: (client: ServiceClient) => Promise<Result>,
): Promise<Result> {
  const installation = await openInstallation(config);
  const wired = await wireService(installation, { isQuiet: true });
  const { service } = wired;
  const perform = sender(service, COMMAND, { id: 'command', address: '' });
  const send: ServiceClient['send'] = async (method, url, content) => {
    const { status, body } = await perform(method, url.replace(LOCAL_ROOT, ''), content);
    if (status >= 400) throw faultOf(body);
    return body;
  };
  try {
    const all: ServiceClient['all'] = async (url) => await readAll(send, url);
    const setOf: ServiceClient['setOf'] = (type) =>
      systemSet(installation.model, type)?.name ?? type;
    return await work({ ...wired, installation, send, all, setOf });
  } finally {
    await service.jobs.close();
    await service.sessions.close();
    await installation.database.close();
  }
}

async function readAll(send: ServiceClient['send'], url: string): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const page: JsonObject = await send('GET', next);
    if (Array.isArray(page.value)) records.push(...page.value);
    const link = page['@odata.nextLink'];
    next = typeof link === 'string' ? link : undefined;
  }
  return records;
}

/** The error of the service with its messages unchanged, except that of a full disk, for which commands name the place. */
function faultOf({ error }: JsonObject): Fault {
  const { code, message, details } = isRecord(error) ? error : {};
  if (code === 'store.full') return new Fault(code);
  const reason = String(message ?? 'The service rejected the request without a message.');
  const list: readonly unknown[] = Array.isArray(details) ? details : [];
  return new Fault('cli.refused', { reason }, { details: list.filter(isRecord).map(detailOf) });
}

function detailOf({ code, message, target }: Readonly<Record<string, unknown>>): FaultDetail {
  return { code: String(code), message: String(message), target: String(target ?? '') };
}

/**
 * The account of that name: an exact match, otherwise a case-insensitive one. Throws: auth.account-unknown, with the closest name.
 */
export async function accountNamed(client: ServiceClient, name: string): Promise<JsonObject> {
  const accounts = await client.all('Accounts?$expand=Roles($select=Uid,Name)');
  const same = (one: JsonObject) => String(one.LoginName).toLowerCase() === name.toLowerCase();
  const found = accounts.find(({ LoginName }) => LoginName === name) ?? accounts.find(same);
  if (found !== undefined) return found;
  const names = accounts.map(({ LoginName }) => String(LoginName));
  const hint = didYouMean(name, names) || ' "docket account list" lists all accounts.';
  throw new Fault('auth.account-unknown', { name, hint });
}

/** The role of that name. Throws: cli.unknown, with the closest name. */
export async function roleNamed(client: ServiceClient, name: string): Promise<JsonObject> {
  const roles = await client.all('Roles?$expand=EntityAccess,AttributeAccess');
  return recordNamed(name, roles, 'role', 'docket role list');
}

/** The record of that name. Throws: cli.unknown, with the closest name or else the command that lists all. */
export function recordNamed(
  name: string,
  records: readonly JsonObject[],
  thing: string,
  command: string,
): JsonObject {
  const found = records.find((record) => record.Name === name);
  if (found !== undefined) return found;
  const names = records.map((record) => String(record.Name));
  const hint = didYouMean(name, names) || ` "${command}" lists all ${thing}s.`;
  throw new Fault('cli.unknown', { thing, name, hint });
}
