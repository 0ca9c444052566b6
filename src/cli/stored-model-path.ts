// Stores the path of the model file in the database, so that a command that was run without it can suggest the right --model option.
import { existsSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database } from '../store/database.ts';
import { readSetting, writeSetting } from '../store/installation-settings.ts';
import { missingInModel } from '../store/model-tables.ts';
import type { Config } from './config/config.ts';
import { shortList } from './terminal.ts';

/** The model file that the tables were created from: empty for the built-in model, absent if none was stored. */
export const MODEL_SETTING = 'model-file';

/** Stores the model file that the tables were created from. */
export async function noteModel(database: Database, { model = '' }: Config): Promise<void> {
  if (readSetting(database, MODEL_SETTING) !== model)
    await writeSetting(database, MODEL_SETTING, model);
}

/**
 * Rejects a model that lacks types or members of the database, because a migration would delete their data. The error names the model
 * file to use, if it is known. Throws: cli.model-lacks.
 */
export function requireWholeModel(database: Database, layout: Layout, { model }: Config): void {
  const missing = missingInModel(database, layout);
  if (missing.length === 0) return;
  throw new Fault('cli.model-lacks', {
    things: shortList(missing),
    model: model === undefined ? 'the built-in model' : `the model file ${model}`,
    remedy: remedyFor(readSetting(database, MODEL_SETTING), model),
  });
}

function remedyFor(noted: string | undefined, model: string | undefined): string {
  if (noted === '' && model !== undefined)
    return 'The installation uses the built-in model. Omit --model.';
  if (noted === undefined || noted === '')
    return 'Specify the model file that defines them with --model, or use the version of Docket that created them.';
  if (noted === model)
    return 'Restore them in the file, or run "docket migrate --plan" to see what would be lost without them.';
  return 'Specify the model file that defines them with --model.';
}

/**
 * The command to run instead of one that failed because of its model, if there is one.
 * `docket enable --data /srv/docket` becomes `docket enable --data /srv/docket --model /srv/model.json`.
 * @param noted the model file that the tables were created from
 */
export function suggestCommand(
  { code }: Fault,
  words: readonly string[],
  config: Config,
  noted: string | undefined,
): string | undefined {
  if (code === 'store.migration-due')
    return commandLine(['migrate', '--plan', ...installationFlags(config)]);
  if (code !== 'cli.model-lacks' && code !== 'store.migration-loses') return undefined;
  const others = withoutModel(words);
  if (noted === '') return others.length < words.length ? commandLine(others) : undefined;
  if (noted === config.model) return undefined;
  const isUsable = noted !== undefined && existsSync(noted);
  return commandLine([...others, '--model', isUsable ? noted : 'FILE']);
}

function installationFlags({ data, model }: Config): readonly string[] {
  return ['--data', data, ...(model === undefined ? [] : ['--model', model])];
}

function withoutModel(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) => word !== '--model' && !word.startsWith('--model=') && words[at - 1] !== '--model',
  );
}

/** The command with shell quoting. */
function commandLine(words: readonly string[]): string {
  const quoted = words.map((word) =>
    /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  return ['docket', ...quoted].join(' ');
}
