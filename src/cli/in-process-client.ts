// This file lets commands administer an installation through the service itself, inside of their own process: what they change is
// checked, counted and noted as if an administrator had asked for it, and a service that runs beside them notices within a second.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { performer } from '../service/handle.ts';
import type { Config } from './config/config.ts';
import { type Installation, openInstallation, type WiredService, wireService } from './wire.ts';

/** Under this name commands stand in the audit trail. */
const COMMAND: Principal = {
  account: 0n,
  loginName: 'docket command',
  person: undefined,
  roles: [],
  administrator: true,
};

const ROOT = 'http://localhost/odata/';

/** A record as the service answers it. */
export type Shown = Readonly<Record<string, unknown>>;

/** The service, as commands ask it. */
export interface Desk extends Pick<WiredService, 'settingNames' | 'storeSettings'> {
  readonly installation: Installation;
  /** All records that an address gives, page after page. */
  readonly all: (url: string) => Promise<readonly Shown[]>;
  /** Changes something; gives what was answered, if anything. Faults: those of the service. */
  readonly send: (method: string, url: string, body?: Shown) => Promise<Shown>;
}

/** Opens the installation, does the work, and closes it. Faults of openInstallation and of the work. */
export async function administer(
  config: Config,
  work: (desk: Desk) => Promise<number>,
): Promise<number> {
  const installation = await openInstallation(config);
  const { service, settingNames, storeSettings } = wireService(installation, { isQuiet: true });
  const perform = performer(service);
  let count = 0;
  const send: Desk['send'] = async (method, url, body) => {
    const [path = '', query = ''] = url.replace(ROOT, '').split(/\?(.*)/s);
    const answer = await perform(
      {
        id: `command-${process.pid}-${count++}`,
        method,
        path,
        query,
        // Lists inside of a body are written as 4.01 has it, the response is read as 4.0 has it.
        headers: {
          'content-type': 'application/json',
          'odata-version': '4.01',
          'odata-maxversion': '4.0',
        },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        address: '',
        root: ROOT,
      },
      COMMAND,
    );
    const text = Buffer.from(answer.body ?? '').toString('utf8');
    const shown: Shown = text === '' ? {} : JSON.parse(text);
    if (answer.status >= 400) throw faultOf(shown);
    return shown;
  };
  try {
    const all: Desk['all'] = async (url) => await readAll(send, url);
    return await work({ installation, send, all, settingNames, storeSettings });
  } finally {
    await service.jobs.close();
    await service.sessions.close();
    await installation.database.close();
  }
}

async function readAll(send: Desk['send'], url: string): Promise<readonly Shown[]> {
  const records: Shown[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const page: Shown = await send('GET', next);
    if (Array.isArray(page.value)) records.push(...page.value);
    const link = page['@odata.nextLink'];
    next = typeof link === 'string' ? link : undefined;
  }
  return records;
}

/** The refusal of the service, to be told as it is. */
function faultOf({ error }: Shown): Fault {
  const message = isShown(error) ? error.message : undefined;
  return new Fault('cli.refused', {
    reason: String(message ?? 'It was refused without a reason.'),
  });
}

export function isShown(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The account of that name, whatever its case unless two differ by that alone. Fault auth.account-unknown with the nearest name. */
export async function accountNamed(desk: Desk, name: string): Promise<Shown> {
  const accounts = await desk.all('Accounts?$expand=Roles($select=Uid,Name)');
  const same = (one: Shown) => String(one.LoginName).toLowerCase() === name.toLowerCase();
  const found = accounts.find(({ LoginName }) => LoginName === name) ?? accounts.find(same);
  if (found !== undefined) return found;
  const near = didYouMean(
    name,
    accounts.map(({ LoginName }) => String(LoginName)),
  );
  const hint = near === '' ? ' "docket account list" shows those that exist.' : near;
  throw new Fault('auth.account-unknown', { name, hint });
}

/** The role of that name. Fault cli.unknown with the nearest name. */
export async function roleNamed(desk: Desk, name: string): Promise<Shown> {
  const roles = await desk.all('Roles?$expand=EntityAccess,AttributeAccess');
  const found = roles.find((role) => role.Name === name);
  if (found !== undefined) return found;
  const near = didYouMean(
    name,
    roles.map((role) => String(role.Name)),
  );
  const hint = near === '' ? ' "docket role list" shows those that exist.' : near;
  throw new Fault('cli.unknown', { thing: 'role', name, hint });
}
