// The options that several commands share, in groups. A command declares only the groups that affect it.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { STORE_NAMES } from '../../attachments/store.ts';
import type { Flags } from '../config/config.ts';

export type OptionGroup = 'place' | 'model' | 'serving' | 'address';

export function withOptions(command: Command, groups: readonly OptionGroup[]): Command {
  for (const group of groups) GROUPS[group](command);
  return command;
}

const GROUPS = {
  place: (command) =>
    command
      .option(
        '--config <file>',
        'configuration file (default: docket.yaml in the current directory)',
      )
      .option('--data <dir>', 'directory of the database and the files'),
  model: (command) => command.option('--model <file>', 'model file or directory'),
  address: (command) =>
    command
      .option('--host <host>', 'address to listen on')
      .option('--port <port>', 'port to listen on'),
  serving: (command) =>
    command
      .addOption(
        new Option('--rules <rules>', 'rules of the service contract, or plain OData').choices([
          'service',
          'odata',
        ]),
      )
      .addOption(new Option('--files-store <store>', 'store of new files').choices(STORE_NAMES))
      .option('--log-level <level>', 'debug, info, warn, error or silent'),
} satisfies Record<OptionGroup, (command: Command) => Command>;

/** The options that are keys of the configuration. */
export function configFlags(flags: Flags): Flags {
  const { config, data, host, port, model, rules, logLevel, workers, filesStore } = flags;
  const files = filesStore === undefined ? undefined : { store: filesStore };
  return { config, data, host, port, model, rules, logLevel, workers, files };
}

/** A command for the installation that the options of `place` name: `docket enable --data ./data`. Variables have the same effect again. */
export function commandLine(command: string, { config, data }: Flags): string {
  const options = Object.entries({ config, data }).filter(([, value]) => value !== undefined);
  const words = options.map(([name, value]) => `--${name} ${shellWord(String(value))}`);
  return ['docket', command, ...words].join(' ');
}

/** The text as one word of a shell: in quotes, unless it has only characters that no shell interprets. */
function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Parses a whole number above 0. Throws an InvalidArgumentError. */
export function count(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('Expected a whole number above 0.');
  return value;
}

/** As many as the setting auditDays permits: dates do not reach much further. */
const MOST_DAYS = 36_500;

/** Parses a number of days. Throws an InvalidArgumentError. */
export function days(text: string): number {
  const value = count(text);
  if (value > MOST_DAYS) throw new InvalidArgumentError(`Expected at most ${MOST_DAYS} days.`);
  return value;
}

const DAY = 24 * 3600 * 1000;

/** Parses a date, a date and time, or a number of days before now such as `7d`, to ISO 8601. Throws an InvalidArgumentError. */
export function pointInTime(text: string): string {
  const ago = /^(\d{1,5})d$/.exec(text)?.[1];
  const time = ago === undefined ? Date.parse(text) : Date.now() - Number(ago) * DAY;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      'Write 2026-03-31, 2026-03-31T12:00:00Z, or 7d for seven days ago.',
    );
  return new Date(time).toISOString();
}

/** Parses a date and time with its offset from UTC. Throws an InvalidArgumentError. */
export function timestamp(text: string): string {
  const isComplete = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  if (!isComplete || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('Write a date and time, such as 2027-12-31T00:00:00Z.');
  return text;
}

/** Collects the values of an option that may be given several times. */
export function repeated(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text];
}

/** The values of an option that may have several; none if it is omitted. */
export function listOf(flag: unknown): readonly string[] {
  return Array.isArray(flag) ? flag.map(String) : [];
}
