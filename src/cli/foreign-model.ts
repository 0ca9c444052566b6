// Creates an installation with the records of a JSON file, for `docket serve --model FILE --load FILE`.
import { rolesDocument } from '../edm/account-sets.ts';
import { importRecords } from '../service/import.ts';
import { readJson } from '../service/json-body.ts';
import { writeSetting } from '../store/installation-settings.ts';
import { finishTables } from '../store/model-tables.ts';
import {
  addAdministrator,
  fillNewInstallation,
  generatePassword,
  storeDemoAccount,
} from './command/installation.ts';
import type { Config } from './config/config.ts';
import { readBytes } from './config/read-file.ts';
import { readModelRoles } from './model-file.ts';
import type { Terminal } from './terminal.ts';
import { ENABLED_SETTING, wireService } from './wire.ts';

const ADMINISTRATOR = 'admin';

/**
 * Creates an enabled installation with an administrator, whose generated password is printed. Nothing remains after an error.
 * Throws: cli.exists, cli.file, cli.model, service.import.
 */
export async function createFromRecords(
  config: Config,
  file: string,
  terminal: Terminal,
): Promise<void> {
  const document = readJson(readBytes(file));
  const account = { name: ADMINISTRATOR, password: generatePassword() };
  const roles = readModelRoles(config);
  await fillNewInstallation(config, async (installation) => {
    const { database, dialect, layout } = installation;
    await finishTables(database, layout, dialect);
    const { service } = wireService(installation);
    if (installation.isForeign && roles.length > 0)
      await importRecords(rolesDocument(roles), service);
    const count = await importRecords(document, service);
    await addAdministrator(installation, account);
    await writeSetting(database, ENABLED_SETTING, 'true');
    terminal.say(`Imported ${count.toLocaleString('en')} records from ${file}.`);
  });
  storeDemoAccount(config, account);
  terminal.print(`account ${account.name}, password ${account.password}`);
}
