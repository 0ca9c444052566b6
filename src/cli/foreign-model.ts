// Creates an installation with the records of files, for `docket serve --model FILE --load FILE`.
import { counted } from '../base/counted.ts';
import { rolesDocument } from '../edm/account-sets.ts';
import { importRecords, requireNoMistakes } from '../service/import.ts';
import { writeSetting } from '../store/installation-settings.ts';
import { endLoad, LOAD_SETTING } from '../store/load/load-position.ts';
import { finishTables } from '../store/model-tables.ts';
import {
  addAdministrator,
  fillNewInstallation,
  generatePassword,
  storeDemoAccount,
  storeMail,
} from './command/installation.ts';
import type { Config } from './config/config.ts';
import { loadPath } from './load/load.ts';
import { configuredFiles, readModelRoles } from './model-file.ts';
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
  const account = { name: ADMINISTRATOR, password: generatePassword() };
  const roles = readModelRoles(configuredFiles(config));
  await fillNewInstallation(config, async (installation) => {
    const { database, dialect, layout } = installation;
    // Until the load is complete this is no installation.
    await writeSetting(database, LOAD_SETTING, file);
    await finishTables(database, layout, dialect);
    const { service } = await wireService(installation);
    if (installation.isForeign && roles.length > 0)
      await importRecords(rolesDocument(roles), service);
    const { stored, mistakes } = await loadPath(file, service, terminal);
    requireNoMistakes(mistakes);
    await addAdministrator(installation, account);
    await storeMail(installation, config);
    await writeSetting(database, ENABLED_SETTING, 'true');
    await endLoad(database);
    terminal.say(`Imported ${counted(stored, 'record')} from ${file}.`);
  });
  storeDemoAccount(config, account);
  terminal.print(`account ${account.name}, password ${account.password}`);
}
