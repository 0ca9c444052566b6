// The commands that create and change an installation: init, demo, enable, disable and migrate.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, personWithoutAccount } from '../../auth/accounts.ts';
import { requireGoodLoginName } from '../../auth/login-name.ts';
import { hashPassword, requireGoodPassword } from '../../auth/password.ts';
import { storePassword } from '../../auth/stored-passwords.ts';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { ADMINISTRATOR_ROLE, rolesDocument } from '../../edm/account-sets.ts';
import { makeModel } from '../../edm/model.ts';
import { addInitialMail } from '../../mail/out/initial-mail.ts';
import { catalogRecords, entityKeys } from '../../seed/catalog.ts';
import {
  demoCodeChanges,
  demoCount,
  masterLinks,
  masterRecords,
  workLinks,
  workRecords,
} from '../../seed/demo.ts';
import type { DemoExtent, DemoOptions } from '../../seed/demo-plan.ts';
import { CLOCK_SETTING } from '../../service/due/business-clock.ts';
import { importRecords } from '../../service/import.ts';
import { changeCodes } from '../../store/codes/stored-codes.ts';
import { writeSetting } from '../../store/installation-settings.ts';
import { continueSequences, loadLinks, loadRecords } from '../../store/load/bulk-load.ts';
import { endLoad, loadPosition } from '../../store/load/load-position.ts';
import { applyModelCatalog } from '../../store/model/model-catalog.ts';
import { finishTables } from '../../store/model-tables.ts';
import { kept } from '../../store/work.ts';
import type { Config } from '../config/config.ts';
import { demoClocks } from '../demo/clocks.ts';
import { storeDemoFiles, withFiles } from '../demo/files.ts';
import { demoTerms, readDemoVocabulary } from '../demo/vocabulary.ts';
import { type Invocation, withInstallation } from '../invocation.ts';
import { configuredFiles, readModel, readModelMail, readModelRoles } from '../model-file.ts';
import { readPassword, type Terminal } from '../terminal.ts';
import {
  createInstallation,
  databaseOf,
  ENABLED_SETTING,
  hasInstallation,
  type Installation,
  placeOf,
  processWorld,
  wireService,
} from '../wire.ts';
import { newPassword } from './account.ts';
import { commandLine } from './options.ts';

/** The fixed end of the demo data, so that a seed produces the same records every day. Milliseconds since 1970. */
export const DEMO_NOW = Date.UTC(2026, 8, 30, 12);

export const DEMO_ACCOUNT_FILE = 'demo-account.json';

/** The file with the generated password of a demo installation, readable only by its owner. */
export function demoPasswordFile(config: Config): string {
  return join(config.data, DEMO_ACCOUNT_FILE);
}

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** The demo account of an installation, if its password was generated. */
export function readDemoAccount(config: Config): Credentials | undefined {
  const file = demoPasswordFile(config);
  if (!existsSync(file)) return undefined;
  const account: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isAccount =
    typeof account === 'object' && account !== null && 'name' in account && 'password' in account;
  return isAccount ? { name: String(account.name), password: String(account.password) } : undefined;
}

/**
 * `docket init`: creates a disabled installation without demo data. Throws: cli.exists, cli.model, cli.file, auth.login-name,
 * auth.password, a ConfigError.
 */
export async function initialize({ config, flags, terminal }: Invocation): Promise<void> {
  if (await hasInstallation(config)) throw new Fault('cli.exists', { data: placeOf(config) });
  const name = String(flags.admin);
  requireGoodLoginName(name);
  const password = await newPassword(name, 'DOCKET_ADMIN_PASSWORD');
  const roles = readModelRoles(configuredFiles(config));
  await fillNewInstallation(config, async (installation) => {
    await loadRecords(
      installation.database,
      installation.layout,
      catalogRecords(installation.model),
      () => undefined,
    );
    await finishTables(installation.database, installation.layout, installation.dialect);
    await continueSequences(installation.database, installation.layout);
    await storeCatalog(installation);
    if (roles.length > 0)
      await importRecords(rolesDocument(roles), (await wireService(installation)).service);
    await addAdministrator(installation, { name, password });
    await storeMail(installation, config);
  });
  terminal.print(
    `Created an installation in ${placeOf(config)} with the administrator ${name}. Enable it with "${commandLine('enable', flags)}".`,
  );
}

/** `docket demo`: creates an enabled installation with demo data. If no password is given, it generates and prints one. */
export async function loadDemo({ config, flags, terminal }: Invocation): Promise<void> {
  const name = String(flags.admin ?? 'admin');
  requireGoodLoginName(name);
  const chosen =
    process.env.DOCKET_ADMIN_PASSWORD ||
    (process.stdin.isTTY ? undefined : await readPassword(undefined, name));
  if (chosen !== undefined) requireGoodPassword(chosen, name);
  const password = chosen ?? generatePassword();
  await createDemo(
    config,
    {
      requests: Number(flags.requests ?? 1500),
      seed: Number(flags.seed ?? 1),
      now: DEMO_NOW,
      hasClock: flags.clock === true,
    },
    { name, password },
    terminal,
  );
  if (chosen === undefined) {
    storeDemoAccount(config, { name, password });
    terminal.print(`account ${name}, password ${password}`);
  }
}

interface DemoSettings extends DemoExtent {
  /** Whether administrators can move business time. */
  readonly hasClock?: boolean;
}

/** Creates the demo installation, or resumes an interrupted creation. The administrator is linked to the first person without an account. */
export async function createDemo(
  config: Config,
  extent: DemoSettings,
  admin: Credentials,
  terminal: Terminal,
): Promise<void> {
  const model = configuredFiles(config);
  const vocabulary = readDemoVocabulary(model);
  const terms = demoTerms(makeModel(readModel(model).definition));
  const options = { ...extent, vocabulary, terms, roles: readModelRoles(model) };
  const fill = async (installation: Installation) => {
    const { database, dialect, layout } = installation;
    await loadDemoRecords(installation, options, terminal);
    const indexing = terminal.progress('Creating indexes', 0);
    await finishTables(database, layout, dialect, indexing.update);
    await changeCodes(database, layout, demoCodeChanges);
    await continueSequences(database, layout);
    await storeCatalog(installation);
    await storeMail(installation, config);
    indexing.finish('done');
    await endLoad(database);
    const person = await personWithoutAccount(installation.auth, layout);
    await addAdministrator(installation, admin, person);
    if (extent.hasClock === true) await writeSetting(database, CLOCK_SETTING, '0');
    await writeSetting(database, ENABLED_SETTING, 'true');
  };
  await fillNewInstallation(config, fill, JSON.stringify(options));
}

/** Notes that the records of the catalog are those of the model. */
async function storeCatalog({ database, layout }: Installation): Promise<void> {
  await database.write(() => kept(applyModelCatalog(layout)));
}

async function loadDemoRecords(
  installation: Installation,
  options: DemoOptions,
  terminal: Terminal,
): Promise<void> {
  const { database, layout, model } = installation;
  const silent = () => undefined;
  const position = await loadPosition(database, 'records');
  if (position > 0)
    terminal.say(`Resuming an interrupted load after ${counted(position, 'record')}.`);
  await loadRecords(database, layout, catalogRecords(model), silent, 'catalog');
  const files = await storeDemoFiles(installation, options);
  const total = demoCount(options);
  const progress = terminal.progress('Loading records', total);
  await loadRecords(database, layout, masterRecords(options), progress.update, 'masters');
  await loadLinks(database, layout, masterLinks(options), silent, 'master links');
  const masters = await loadPosition(database, 'masters');
  const clocks = await demoClocks(installation, options.now);
  const work = { ...options, entities: entityKeys(model), clocks };
  // Lines about marks are not part of the total, because only clocks determine their number.
  let marks = 0;
  const records = workRecords(work, () => marks++);
  const note = (stored: number) => progress.update(masters + stored - marks);
  await loadRecords(database, layout, withFiles(records, files), note, 'records');
  const stored = masters + (await loadPosition(database, 'records'));
  progress.finish(`${counted(stored, 'record')}`);
  await loadLinks(database, layout, workLinks(options), silent, 'links');
}

/** A password of 20 letters and digits without look-alikes. */
export function generatePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return [...processWorld.randomBytes(20)].map((byte) => letters[byte % letters.length]).join('');
}

export function storeDemoAccount(config: Config, account: Credentials): void {
  writeFileSync(demoPasswordFile(config), JSON.stringify(account), { mode: 0o600 });
}

/** `docket enable`. */
export async function enable(invocation: Invocation): Promise<void> {
  await setEnabled(invocation, true);
  invocation.terminal.print('The service is enabled.');
}

/** `docket disable`. */
export async function disable(invocation: Invocation): Promise<void> {
  await setEnabled(invocation, false);
  invocation.terminal.print('The service is disabled and returns 503.');
}

async function setEnabled({ config }: Invocation, isEnabled: boolean): Promise<void> {
  await withInstallation({ config }, async ({ database }) => {
    await writeSetting(database, ENABLED_SETTING, String(isEnabled));
  });
}

/**
 * Creates an installation and fills it. After an error the database is removed, unless the load can be resumed.
 * Throws: cli.exists, cli.model, cli.file, store.other-copy.
 * @param source identifies the records of a load that can be resumed
 */
export async function fillNewInstallation(
  config: Config,
  fill: (installation: Installation) => Promise<void>,
  source?: string,
): Promise<void> {
  const installation = await createInstallation(config, source);
  try {
    await fill(installation);
    await installation.database.close();
  } catch (error) {
    await installation.database.close();
    if (source === undefined) await (await databaseOf(config)).remove();
    throw error;
  }
}

/** Adds the rules and templates of outgoing mail that the model comes with. */
export async function storeMail(
  { database, layout, world }: Installation,
  config: Config,
): Promise<void> {
  const mail = readModelMail(configuredFiles(config));
  await database.write(() => kept(addInitialMail(layout, mail, world.now())));
}

/** Adds the first account, which may do everything. */
export async function addAdministrator(
  { auth, layout, world }: Installation,
  { name, password }: Credentials,
  person?: bigint,
): Promise<void> {
  const hash = await hashPassword(password);
  const uid = await createAccount(auth, layout, {
    loginName: name,
    displayName: name,
    roles: [ADMINISTRATOR_ROLE],
    person,
  });
  await storePassword(auth, uid, hash, world.now());
}
