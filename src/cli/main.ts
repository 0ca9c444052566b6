// This file is the command line: it names the commands and their options, reads the configuration, and hands over to the file that does
// the work, which is loaded only then. A user's mistake ends with exit code 2 and a sentence, what is not there with 3, any other refusal
// with 1, success with 0. It is long because every command is declared here, so that the help is read in one place.
import { Argument, Command, CommanderError, Option } from 'commander';
import { STORE_NAMES } from '../attachments/store.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { completionScript, SHELLS, type Shell } from './command/completion.ts';
import { configFlags, count, type OptionGroup, repeated, withOptions } from './command/options.ts';
import { type Config, ConfigError, type Flags, readConfig } from './config/config.ts';
import { troubleOf } from './system-errors.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { packageVersion } from './version.ts';

const GROUPS: Readonly<Record<string, string>> = {
  account: 'Who may log in.',
  audit: 'What happened that matters for security.',
  files: 'Where the bytes of attachments are kept.',
  role: 'What accounts may do.',
  session: 'Who is logged in.',
  settings: 'What can be changed while the service runs.',
  token: 'Tokens that were issued.',
  model: "The installation's own part of the model.",
};

/** Faults after which another command is named. */
const MODEL_FAULTS = new Set(['store.migration-due', 'store.migration-loses', 'cli.model-lacks']);

/** `words` are the arguments of the command, each empty where it was left out. */
type Deed = (
  config: Config,
  flags: Flags,
  terminal: Terminal,
  ...words: string[]
) => Promise<number>;

/** What a file does that is loaded when its command is given. */
function of<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Deed>>>,
  name: Name,
): Deed {
  return async (...given) => await (await load())[name](...given);
}

const accounts = () => import('./command/account.ts');
const audit = () => import('./command/audit.ts');
const files = () => import('./command/files.ts');
const installation = () => import('./command/installation.ts');
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
    return await explain(error, run);
  }
}

/** What becomes of a command. */
interface Run {
  readonly terminal: Terminal;
  /** As they were typed, from the name of the command on. */
  readonly words: readonly string[];
  /** Undefined until it was read. */
  config?: Config;
  code: number;
}

/** Declares a command with the options of some groups; by default those of commands that open the installation. */
type Declare = (
  name: string,
  description: string,
  deed: Deed,
  groups?: readonly OptionGroup[],
) => Command;

const OPENING: readonly OptionGroup[] = ['place', 'model'];
const SERVING: readonly OptionGroup[] = [...OPENING, 'address', 'serving'];

function describeProgram(run: Run): Command {
  const program = new Command('docket')
    .description("An OData service over a service desk's records.")
    .version(packageVersion(), '-V, --version', 'show the version')
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('(docket --help shows the commands)')
    .addHelpText('after', '\n"docket help settings" shows every key of docket.yaml.');
  const command: Declare = (name, description, deed, groups = OPENING) =>
    withOptions(declare(program, name).description(description), groups).action(
      async (...parts: unknown[]) => {
        const self = parts.at(-1);
        const words = parts.slice(0, -2).map((part) => (part === undefined ? '' : String(part)));
        const flags = self instanceof Command ? self.optsWithGlobals() : {};
        run.config = readConfig(configFlags(flags), process.env);
        run.code = await deed(run.config, flags, run.terminal, ...words);
      },
    );
  describeServing(command);
  describeInstallation(command);
  describeAccounts(command);
  describeRoles(command);
  describeSessions(command);
  describeSettings(command);
  describeAudit(command);
  describeFiles(command);
  describeLanguage(program, run);
  return program;
}

/** `account add <name>` is the command `add` of the group `account`. */
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
  command(
    'start',
    'Serve; where there is no installation yet, make one with demo data first.',
    of(() => import('./command/start.ts'), 'start'),
    SERVING,
  ).option('--requests <n>', 'service requests of the demo data', count);
  command(
    'serve',
    'Serve the installation until Ctrl-C.',
    of(() => import('./command/serve.ts'), 'serve'),
    SERVING,
  )
    .option('--workers <n>', 'processes that answer', count)
    .option(
      '--load <file>',
      'JSON file with records by set, for a fresh installation of the model given by --model',
    );
  command(
    'status',
    'Show the state of the installation, and whether a service answers.',
    of(() => import('./command/status.ts'), 'showStatus'),
    [...OPENING, 'address'],
  ).option('--json', 'as JSON');
}

function describeInstallation(command: Declare): void {
  command(
    'init',
    'Make an empty installation with one administrator.',
    of(installation, 'initialize'),
  ).requiredOption(
    '--admin <name>',
    'name of the administrator; the password comes from DOCKET_ADMIN_PASSWORD, standard input or a prompt',
  );
  command('demo', 'Make an installation with demo data, enabled.', of(installation, 'loadDemo'))
    .option('--requests <n>', 'service requests; the rest is in proportion', count, 1500)
    .option('--seed <n>', 'the same seed gives the same records', count, 1)
    .option('--admin <name>', 'name of the administrator', 'admin');
  command(
    'enable',
    'Let the service answer.',
    async (config, _flags, out) => await (await installation()).setEnabled(config, true, out),
  );
  command(
    'disable',
    'Let the service answer nothing but 503.',
    async (config, _flags, out) => await (await installation()).setEnabled(config, false, out),
  );
  command(
    'backup <directory>',
    'Copy the database and the files to a new directory; the service may go on meanwhile.',
    of(() => import('./command/backup.ts'), 'backUp'),
    ['place'],
  );
  command(
    'restore <directory>',
    'Check a backup and put its database and files in place; the service must be stopped.',
    of(() => import('./command/restore.ts'), 'restore'),
    ['place'],
  )
    .option('--replace', 'put it in the place of an installation; that one is kept beside it')
    .option('--quick', 'compare sizes of files only, without reading them twice');
  command('migrate', "Bring the database to the model's present form.", of(installation, 'migrate'))
    .option('--plan', 'only show the steps, and what they lose')
    .option('--allow-loss', 'take steps that lose values, too')
    .option('--json', 'show the steps as JSON');
  command(
    'model check <file>',
    'Check a model file or directory; nothing is changed.',
    async (config, flags, out, file = '') =>
      await (await import('./command/model-check.ts')).checkModel(config, file, flags, out),
    [],
  ).option('--json', 'the mistakes as JSON');
}

function describeAccounts(command: Declare): void {
  command(
    'account add <name>',
    'Add an account; the password comes from DOCKET_PASSWORD, standard input or a prompt.',
    of(accounts, 'addAccount'),
  )
    .option('--role <role...>', 'roles of the account')
    .option('--person <uid>', 'key of the person behind the account', count);
  command('account list', 'List the accounts.', of(accounts, 'listAccounts')).option(
    '--json',
    'as JSON',
  );
  command(
    'account block <name>',
    'Refuse the account from now on, and end its sessions.',
    of(accounts, 'blockAccount'),
  ).alias('disable');
  command(
    'account unblock <name>',
    'Let the account log in again.',
    of(accounts, 'unblockAccount'),
  );
  command(
    'account delete <name>',
    'Delete the account and end its sessions; what it has written stays.',
    of(accounts, 'deleteAccount'),
  );
  command(
    'account password <name>',
    'Give the account another password, as with account add, and end its sessions.',
    of(accounts, 'changePassword'),
  );
  command(
    'account roles <name>',
    'Show the roles of the account, or change them.',
    of(accounts, 'changeRoles'),
  )
    .option('--add <role...>', 'roles to give')
    .option('--remove <role...>', 'roles to take away')
    .option('--json', 'as JSON');
}

function describeRoles(command: Declare): void {
  const ROLE = '"ServiceRequest=Read,Change where Caller/Uid eq $me"';
  const described = (one: Command) =>
    one
      .option('--description <text>', 'what the role is for')
      .addOption(
        new Option('--update-all <answer>', 'whether one request may change many records').choices([
          'yes',
          'no',
        ]),
      )
      .option('--allow <access>', `what may be done with a type, as in ${ROLE}`, repeated)
      .option('--withhold <member>', 'is not shown, as in Person/Birthdate', repeated)
      .option('--read-only <member>', 'is shown but not changed', repeated)
      .option('--from <file>', 'what the role may do, as "docket role show --json" writes it')
      .option('--json', 'show the role as JSON');
  command('role list', 'List the roles.', of(roles, 'listRoles')).option('--json', 'as JSON');
  command('role show <name>', 'Show what a role may do.', of(roles, 'showRole')).option(
    '--json',
    'as JSON',
  );
  described(command('role add <name>', 'Add a role.', of(roles, 'addRole')));
  described(command('role edit <name>', 'Change what a role may do.', of(roles, 'editRole')))
    .option('--name <name>', 'another name for the role')
    .option('--deny <type>', 'remove every access to a type', repeated)
    .option('--release <member>', 'show a member again, and let it be changed', repeated);
  command('role delete <name>', 'Delete a role; accounts lose it.', of(roles, 'deleteRole'));
}

function describeSessions(command: Declare): void {
  command('session list', 'List the sessions.', of(sessions, 'listSessions')).option(
    '--json',
    'as JSON',
  );
  command(
    'session end [uid]',
    'End a session; its tokens are dead at once.',
    of(sessions, 'endSession'),
  ).option('--account <name>', 'all sessions of the account');
  command('token list', 'List the tokens.', of(sessions, 'listTokens')).option('--json', 'as JSON');
  command('token revoke <uid>', 'Revoke a token.', of(sessions, 'revokeToken'));
}

function describeSettings(command: Declare): void {
  command(
    'settings list',
    'List the settings with their values and what they take.',
    of(settings, 'listSettings'),
  ).option('--json', 'as JSON');
  command(
    'settings set <name> [value]',
    'Change a setting; a running service notices within a second.',
    of(settings, 'changeSetting'),
  )
    .option('--reset', 'go back to what the configuration says')
    .option('--json', 'show the setting as JSON');
}

function describeAudit(command: Declare): void {
  const chosen = (one: Command) =>
    one
      .option('--since <time>', 'a date, a point in time, or 7d for seven days back')
      .option('--kind <kind>', 'what happened, such as "log-in refused"')
      .option('--account <name>', 'of that account');
  chosen(
    command('audit list', 'Show the newest entries of the audit trail.', of(audit, 'listAudit')),
  )
    .option('--limit <n>', 'so many', count)
    .option('--json', 'as JSON');
  chosen(
    command(
      'audit export',
      'Write the audit trail, a line for each entry.',
      of(audit, 'exportAudit'),
    ),
  ).addOption(
    new Option('--format <format>', 'lines of JSON, or CSV')
      .choices(['ndjson', 'csv'])
      .default('ndjson'),
  );
  command(
    'audit prune',
    'Remove old entries of the audit trail.',
    of(audit, 'shortenAudit'),
  ).option(
    '--days <n>',
    'older than so many days (default: auditDays of the configuration)',
    count,
  );
}

function describeFiles(command: Declare): void {
  const names = new Option('--to <store>', 'the store that gets the files').choices(STORE_NAMES);
  command('files test', 'Try the store of files step by step.', of(files, 'testFiles'), ['place'])
    .addOption(
      new Option('--store <store>', 'another store than that of new files').choices(STORE_NAMES),
    )
    .option('--json', 'the steps as JSON');
  command('files check', 'Compare the stores with the records.', of(files, 'checkFiles'))
    .option('--repair', 'remove strays, and point records to where their bytes are')
    .option('--quick', 'compare sizes only, without reading the files')
    .option('--json', 'what was found as JSON');
  command(
    'files move',
    'Carry every file over to another store; the service may go on meanwhile.',
    of(files, 'moveAllFiles'),
  ).addOption(names.makeOptionMandatory());
}

/** What is about the command line itself. */
function describeLanguage(program: Command, { terminal }: Run): void {
  program
    .command('completion')
    .description('Write the script with which a shell completes commands and options.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => terminal.print(completionScript(shell, program)));
  const names = program.commands.map((one) => one.name());
  program
    .command('help')
    .argument('[command...]', `settings, or a command: ${names.join(', ')}`)
    .description('Show the options of a command; "help settings" shows every key of docket.yaml.')
    .option('--json', 'the keys of "help settings" as JSON')
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
    return found ?? at.error(`error: there is no command "${word}".${didYouMean(word, names)}`);
  }, program);
}

async function explain(error: unknown, run: Run): Promise<number> {
  const { terminal, config } = run;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError) {
    terminal.say(error.message);
    return 2;
  }
  if (error instanceof Fault) {
    terminal.say(error.message);
    for (const detail of error.details) terminal.say(`  ${detail.target ?? ''}: ${detail.message}`);
    const command = await commandFor(error, run);
    if (command !== undefined) terminal.say(`  ${command}`);
    return error.status === 404 ? 3 : 1;
  }
  const trouble = config === undefined ? undefined : troubleOf(error, config);
  if (trouble === undefined) throw error;
  terminal.say(trouble);
  return 1;
}

/** The command to run instead, where the model was the reason. */
async function commandFor(error: Fault, { words, config }: Run): Promise<string | undefined> {
  if (config === undefined || !MODEL_FAULTS.has(error.code)) return undefined;
  const { commandInstead, MODEL_SETTING } = await import('./model-note.ts');
  const { databaseFile, storedText } = await import('./wire.ts');
  return commandInstead(error, words, config, storedText(databaseFile(config), MODEL_SETTING));
}
