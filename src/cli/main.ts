// The command line: declares all commands and options, reads the configuration, and runs the module of a command, which is loaded on
// demand. Exit codes: 0 for success, 2 for wrong usage or configuration, 3 if something named does not exist, 1 for any other error.
// It is long because every command is declared here, which keeps all help texts in one place.
import { Argument, Command, CommanderError, Option } from 'commander';
import { STORE_NAMES } from '../attachments/store.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { completionScript, SHELLS, type Shell } from './command/completion.ts';
import {
  configFlags,
  count,
  days,
  type OptionGroup,
  pointInTime,
  repeated,
  timestamp,
  withOptions,
} from './command/options.ts';
import { type Config, ConfigError, type Flags, readConfig } from './config/config.ts';
import type { Invocation } from './invocation.ts';
import { describeDatabaseProblem, describeSystemError } from './system-errors.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

const GROUPS: Readonly<Record<string, string>> = {
  account: 'Manage accounts.',
  audit: 'List, export and prune the audit trail.',
  client: 'Generate clients.',
  files: 'Test, check and move the stores of attachment files.',
  index: 'List, add and drop indexes, and advise which would help.',
  key: 'Create, list and revoke API keys.',
  mail: 'Test the mail server.',
  role: 'Manage roles and their rights.',
  session: 'List and end sessions.',
  settings: 'List and change settings of the running service.',
  token: 'List and revoke tokens.',
  model: 'Check, apply and list models.',
};

/** Runs a command and returns its exit code, by default 0. */
type Action = (invocation: Invocation, ...words: string[]) => Promise<number> | Promise<void>;

const accounts = () => import('./command/account.ts');
const audit = () => import('./command/audit.ts');
const files = () => import('./command/files.ts');
const indexes = () => import('./command/indexes.ts');
const installation = () => import('./command/installation.ts');
const keys = () => import('./command/key.ts');
const mail = () => import('./command/mail.ts');
const models = () => import('./command/model.ts');
const roles = () => import('./command/role.ts');
const sessions = () => import('./command/session.ts');
const settings = () => import('./command/settings.ts');

/** Runs one command and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  const run: Run = { terminal, words: argv, code: 0 };
  try {
    await describeProgram(run).parseAsync(argv, { from: 'user' });
    return run.code;
  } catch (error) {
    return await report(error, run);
  }
}

/** One run of the program. */
interface Run {
  readonly terminal: Terminal;
  /** The command line from the name of the command on. */
  readonly words: readonly string[];
  /** Undefined until it has been read. */
  config?: Config;
  code: number;
}

/**
 * Declares a command with the options of some groups; by default those for opening an installation. The module of its action is loaded
 * when the command runs.
 */
type Declare = <Name extends string>(
  words: string,
  load: () => Promise<Readonly<Record<Name, Action>>>,
  action: Name,
  groups?: readonly OptionGroup[],
) => Command;

const OPENING: readonly OptionGroup[] = ['place'];
const CREATING: readonly OptionGroup[] = ['place', 'model'];
const SERVING: readonly OptionGroup[] = [...CREATING, 'address', 'serving'];

function describeProgram(run: Run): Command {
  const program = new Command('docket')
    .description('OData service for a service desk.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('(docket --help lists the commands)')
    .addHelpText('after', '\n"docket help settings" lists every key of docket.yaml.');
  const command: Declare = (words, load, action, groups = OPENING) =>
    withOptions(declare(program, words), groups).action(async (...parts: unknown[]) => {
      const self = parts.at(-1);
      const given = parts
        .slice(0, -2)
        .filter((part) => part !== undefined)
        .map(String);
      const flags = self instanceof Command ? self.optsWithGlobals() : {};
      const config = readConfig(configFlags(flags), process.env);
      run.config = config;
      const { [action]: perform } = await load();
      const code = await perform({ config, flags, terminal: run.terminal }, ...given);
      run.code = code ?? 0;
    });
  describeServing(command);
  describeInstallation(command);
  describeModels(command);
  describeClients(command);
  describeAccounts(command);
  describeRoles(command);
  describeSessions(command);
  describeKeys(command);
  describeSettings(command);
  describeAudit(command);
  describeUsage(command);
  describeFiles(command);
  describeMail(command);
  describeIndexes(command);
  describeAdvice(command);
  describeHelp(program, run);
  return program;
}

/** `account add <name>` declares the command `add` in the group `account`. */
function declare(program: Command, name: string): Command {
  const [group = '', ...rest] = name.split(' ');
  if (rest.length === 0 || /^[<[]/.test(rest[0] ?? '')) return program.command(name);
  const known = program.commands.find((candidate) => candidate.name() === group);
  const parent =
    known ??
    program
      .command(group)
      .description(GROUPS[group] ?? '')
      .helpCommand(false);
  return parent.command(rest.join(' '));
}

function describeServing(command: Declare): void {
  command('start', () => import('./command/start.ts'), 'start', SERVING)
    .description('Serve the installation; if there is none, create one with demo data first.')
    .option('--requests <n>', 'number of service requests in the demo data', count);
  command('serve', () => import('./command/serve.ts'), 'serve', SERVING)
    .description('Serve the installation until Ctrl-C.')
    .option('--workers <n>', 'number of processes that serve requests', count)
    .option(
      '--load <file>',
      'file or directory of records; if there is no installation, create one from them first',
    );
  command('status', () => import('./command/status.ts'), 'showStatus', [...CREATING, 'address'])
    .description('Show the state of the installation and whether the service responds.')
    .option('--json', 'print JSON');
  command('doctor', () => import('./doctor/doctor.ts'), 'examine', [...CREATING, 'address'])
    .description('Check the machine, the settings and the installation, and suggest what to do.')
    .option('--json', 'print JSON');
}

function describeInstallation(command: Declare): void {
  command('init', installation, 'initialize', CREATING)
    .description('Create an empty installation with one administrator.')
    .requiredOption(
      '--admin <name>',
      'login name of the administrator; the password is read from DOCKET_ADMIN_PASSWORD, standard input or a prompt',
    );
  command('demo', installation, 'loadDemo', CREATING)
    .description('Create an installation with demo data and enable it.')
    .option(
      '--requests <n>',
      'number of service requests; other records are in proportion',
      count,
      1500,
    )
    .option('--seed <n>', 'the same seed produces the same records', count, 1)
    .option('--clock', 'let administrators move the time of the service forward')
    .option('--admin <name>', 'login name of the administrator', 'admin');
  command('load <path>', () => import('./command/load.ts'), 'load')
    .description(
      'Load records from a JSON, NDJSON or CSV file, or from a directory of them; the service may keep running.',
    )
    .option('--restart', 'begin again although another load is incomplete')
    .option('--json', 'print the result as JSON');
  command('enable', installation, 'enable').description('Enable the service.');
  command('disable', installation, 'disable').description(
    'Disable the service: every request returns 503.',
  );
  command('backup <directory>', () => import('./command/backup.ts'), 'backUp', [
    'place',
  ]).description(
    'Copy the database and the files to a new directory; the service may keep running.',
  );
  command('restore <directory>', () => import('./command/restore.ts'), 'restore', ['place'])
    .description('Check a backup and restore its database and files; the service must be stopped.')
    .option('--replace', 'replace an existing installation, which is kept under another name')
    .option('--quick', 'check only the sizes of files, without reading them again');
  command('copy', () => import('./command/copy.ts'), 'copy', [])
    .description(
      'Copy an installation to another database; the service must be stopped. An interrupted copy continues.',
    )
    .requiredOption('--from <place>', 'data directory or URL of a PostgreSQL database to copy')
    .requiredOption('--to <place>', 'new data directory or URL of an empty PostgreSQL database')
    .option('--json', 'print the tables with numbers of rows and digests as JSON');
  command('migrate', () => import('./command/migrate.ts'), 'migrate')
    .description('Migrate the database to this version of Docket.')
    .option('--plan', 'only show the steps and the data they would lose')
    .option('--allow-loss', 'also run steps that lose data')
    .option('--json', 'print the steps as JSON');
}

function describeModels(command: Declare): void {
  const withApplyOptions = (one: Command) =>
    one
      .option('--plan', 'only show the differences, the steps and the data they would lose')
      .option('--allow-loss', 'also run steps that lose data')
      .option('--json', 'print the differences and steps as JSON');
  command('model check <file>', () => import('./command/model-check.ts'), 'checkModel', [])
    .description('Check a model file or directory without changing anything.')
    .option('--json', 'print the mistakes as JSON');
  withApplyOptions(command('model apply <file>', models, 'applyModel')).description(
    'Apply a model file or directory; a running service continues with the new model.',
  );
  command('model diff [file-or-version]', models, 'diffModel', CREATING)
    .description(
      'Show what applying a file or going back to a version would change (default: the configured file).',
    )
    .option('--json', 'print JSON');
  command('model list', models, 'listModels')
    .description('List the versions of the model, the newest first.')
    .option('--json', 'print JSON');
  withApplyOptions(command('model rollback [version]', models, 'rollBackModel')).description(
    'Apply an earlier version again (default: the previous one).',
  );
  command('model export [version]', models, 'exportModel')
    .description('Write the files of a version as they were applied (default: the one in force).')
    .option('--out <dir>', 'new directory for the files (default: model-VERSION)');
}

function describeClients(command: Declare): void {
  command('client generate', () => import('./command/client.ts'), 'generateClient', CREATING)
    .description(
      'Write a typed client in TypeScript from the model in force, or from the file of --model.',
    )
    .option('--output <file>', 'file to write (default: standard output)')
    .option('--sets <names>', 'entity sets of the client, separated by commas (default: all)');
}

const TEMPORARY = [
  '--temporary',
  'the account must change the password at its next log-in',
] as const;

function describeAccounts(command: Declare): void {
  command('account add <name>', accounts, 'addAccount')
    .description(
      'Add an account; the password is read from DOCKET_PASSWORD, standard input or a prompt.',
    )
    .option('--role <role...>', 'roles of the account')
    .option('--person <uid>', 'key of the person who owns the account', count)
    .option(...TEMPORARY);
  command('account list', accounts, 'listAccounts')
    .description('List the accounts.')
    .option('--json', 'print JSON');
  command('account block <name>', accounts, 'blockAccount')
    .description('Block an account and end its sessions.')
    .alias('disable');
  command('account unblock <name>', accounts, 'unblockAccount').description(
    'Allow a blocked account to log in again.',
  );
  command('account delete <name>', accounts, 'deleteAccount').description(
    'Delete an account and end its sessions; its records stay.',
  );
  command('account password <name>', accounts, 'changePassword')
    .description(
      'Change the password of an account and end its sessions; the password is read as for account add.',
    )
    .option(...TEMPORARY);
  command('account roles <name>', accounts, 'changeRoles')
    .description('Show or change the roles of an account.')
    .option('--add <role...>', 'roles to add')
    .option('--remove <role...>', 'roles to remove')
    .option('--json', 'print JSON');
}

function describeRoles(command: Declare): void {
  const ROLE = '"ServiceRequest=Read,Change where Caller/Uid eq $me"';
  const withRoleOptions = (one: Command) =>
    one
      .option('--description <text>', 'purpose of the role')
      .addOption(
        new Option('--update-all <answer>', 'whether one request may change many records').choices([
          'yes',
          'no',
        ]),
      )
      .addOption(
        new Option('--second-factor <answer>', 'whether accounts need a second factor').choices([
          'yes',
          'no',
        ]),
      )
      .option('--allow <access>', `grant access to a type, such as ${ROLE}`, repeated)
      .option('--withhold <member>', 'hide a member, such as Person/Birthdate', repeated)
      .option('--read-only <member>', 'allow reading a member but not changing it', repeated)
      .option('--from <file>', 'rights to start from, in the format of "docket role show --json"')
      .option('--json', 'print the role as JSON');
  command('role list', roles, 'listRoles')
    .description('List the roles.')
    .option('--json', 'print JSON');
  command('role show <name>', roles, 'showRole')
    .description('Show the rights of a role.')
    .option('--json', 'print JSON');
  withRoleOptions(command('role add <name>', roles, 'addRole').description('Add a role.'));
  withRoleOptions(command('role edit <name>', roles, 'editRole'))
    .description('Change the rights of a role.')
    .option('--name <name>', 'new name of the role')
    .option('--deny <type>', 'remove all access to a type', repeated)
    .option('--release <member>', 'lift --withhold or --read-only from a member', repeated);
  command('role delete <name>', roles, 'deleteRole').description(
    'Delete a role and remove it from all accounts.',
  );
}

function describeSessions(command: Declare): void {
  command('session list', sessions, 'listSessions')
    .description('List the sessions.')
    .option('--json', 'print JSON');
  command('session end [uid]', sessions, 'endSession')
    .description('End a session and revoke its tokens.')
    .option('--account <name>', 'end all sessions of this account');
  command('token list', sessions, 'listTokens')
    .description('List the tokens.')
    .option('--json', 'print JSON');
  command('token revoke <uid>', sessions, 'revokeToken').description('Revoke a token.');
}

function describeKeys(command: Declare): void {
  command('key add <account>', keys, 'addKey')
    .description('Create an API key for an account, and print it.')
    .requiredOption('--name <name>', 'what the key is for')
    .option(
      '--expires <time>',
      'when it expires, such as 2027-12-31T00:00:00Z (default: never)',
      timestamp,
    )
    .option('--role <role>', 'a role that the key is limited to; may be repeated', repeated)
    .option('--read-only', 'the key may only read')
    .option('--page <n>', 'records per page of responses to requests with the key', count)
    .option('--json', 'print the key as JSON');
  command('key list', keys, 'listKeys')
    .description('List the API keys.')
    .option('--account <name>', 'only keys of this account')
    .option('--json', 'print JSON');
  command('key revoke <uid>', keys, 'revokeKey').description('Revoke an API key.');
}

function describeSettings(command: Declare): void {
  command('settings list', settings, 'listSettings')
    .description('List the settings with their current and permitted values.')
    .option('--json', 'print JSON');
  command('settings set <name> [value]', settings, 'changeSetting')
    .description('Change a setting; a running service picks it up within a second.')
    .option('--reset', 'reset the setting to the configured value')
    .option('--json', 'print the setting as JSON');
}

function describeAudit(command: Declare): void {
  const withFilters = (one: Command) =>
    one
      .option(
        '--since <time>',
        'only entries since a date, a date and time, or 7d (7 days ago)',
        pointInTime,
      )
      .option('--kind <kind>', 'only entries of this kind, such as "log-in refused"')
      .option('--account <name>', 'only entries of this account');
  withFilters(command('audit list', audit, 'listAudit'))
    .description('List the newest entries of the audit trail.')
    .option('--limit <n>', 'number of entries (default: 50)', count)
    .option('--json', 'print JSON');
  withFilters(command('audit export', audit, 'exportAudit'))
    .description('Write the audit trail to standard output, one line per entry.')
    .addOption(
      new Option('--format <format>', 'newline-delimited JSON or CSV')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    );
  command('audit prune', audit, 'pruneEntries')
    .description('Remove old entries of the audit trail.')
    .option('--days <n>', 'age in days (default: auditDays of the configuration)', days);
}

function describeUsage(command: Declare): void {
  command('usage', () => import('./command/usage.ts'), 'showUsage')
    .description('Show how much each account requests by which client.')
    .option('--days <n>', 'number of days, today included (default: 30)', days)
    .option('--account <name>', 'only this account')
    .option('--json', 'print JSON');
}

function describeMail(command: Declare): void {
  command('mail test <address>', mail, 'testMail').description(
    'Send a test message with the configured mail server.',
  );
}

function describeFiles(command: Declare): void {
  command('files test', files, 'testFiles', ['place'])
    .description('Test a store of files step by step.')
    .addOption(
      new Option('--store <store>', 'store to test (default: the store of new files)').choices(
        STORE_NAMES,
      ),
    )
    .option('--json', 'print the steps as JSON');
  command('files check', files, 'checkFiles')
    .description('Compare the stores with the records.')
    .option('--repair', 'remove stray files, and correct the store of files found elsewhere')
    .option('--quick', 'check only the sizes, without reading the files')
    .option('--json', 'print the problems as JSON');
  command('files move', files, 'moveAllFiles')
    .description('Move all files to another store; the service may keep running.')
    .addOption(
      new Option('--to <store>', 'target store').choices(STORE_NAMES).makeOptionMandatory(),
    );
}

function describeIndexes(command: Declare): void {
  command('index list [set]', indexes, 'listIndexes')
    .description('List the indexes of all sets, or of one.')
    .option('--json', 'print JSON');
  command('index add <set> <members>', indexes, 'addIndex')
    .description(
      'Add an index on members, separated by commas; the service may keep running. Names are those of Docket.Indexes.',
    )
    .option('--block-writes', 'build the index even if writes of a running service fail meanwhile')
    .option('--json', 'print the index, with its expected and its actual cost, as JSON');
  command('index drop <set> [members]', indexes, 'dropIndex')
    .description('Drop an index, also one of the model; the service may keep running.')
    .option('--json', 'print the index as JSON');
}

function describeAdvice(command: Declare): void {
  command('index advise', () => import('./command/index-advice.ts'), 'adviseOnIndexes')
    .description('Show slow statements, and the indexes that would help them.')
    .option('--clear', 'forget the slow statements')
    .option('--json', 'print JSON');
}

/** The commands about the command line itself. */
function describeHelp(program: Command, { terminal }: Run): void {
  program
    .command('completion')
    .description('Print the completion script for a shell.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => terminal.print(completionScript(shell, program)));
  const names = program.commands.map((one) => one.name());
  program
    .command('help')
    .argument('[command...]', `settings, or a command: ${names.join(', ')}`)
    .description('Show the options of a command; "help settings" lists every key of docket.yaml.')
    .option('--json', 'print the keys of "help settings" as JSON')
    .action(async (words: readonly string[], flags: Flags) => {
      if (words.join(' ') === 'settings')
        (await import('./config/settings-help.ts')).showSettings(terminal, flags.json === true);
      else commandAt(program, words).outputHelp();
    });
}

function commandAt(program: Command, words: readonly string[]): Command {
  return words.reduce((at, word) => {
    const found = at.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    const names = at.commands.map((one) => one.name());
    return found ?? at.error(`error: unknown command "${word}".${didYouMean(word, names)}`);
  }, program);
}

/** Prints the error and returns the exit code. */
async function report(error: unknown, run: Run): Promise<number> {
  const { terminal, config } = run;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError) {
    terminal.say(error.message);
    return 2;
  }
  const problem = config === undefined ? undefined : await problemOf(error, config);
  if (problem !== undefined) {
    terminal.say(problem);
    return 1;
  }
  if (error instanceof Fault) {
    terminal.say(error.message);
    for (const detail of error.details) terminal.say(`  ${detail.target ?? ''}: ${detail.message}`);
    return error.status === 404 ? 3 : 1;
  }
  throw error;
}

async function problemOf(error: unknown, config: Config): Promise<string | undefined> {
  if (error instanceof Fault && error.code !== 'store.full') return undefined;
  const { databaseOf } = await import('./wire.ts');
  const database = await databaseOf(config);
  const problem = database.problemOf(error);
  return problem === undefined
    ? describeSystemError(error, config)
    : describeDatabaseProblem(problem, database.place, error);
}
