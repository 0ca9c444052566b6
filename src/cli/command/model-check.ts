// This file is the command that checks a model file: mistakes with their place and remedy, or what the file adds.
import { hasMistakes } from '../../edm/lint/lint.ts';
import { printMistakes } from '../../edm/model-error.ts';
import type { Config, Flags } from '../config/config.ts';
import { checkModelFile } from '../model-file.ts';
import type { Terminal } from '../terminal.ts';

/** Exit code 0 when the model can be served, 1 when it has mistakes. */
export async function checkModel(
  _config: Config,
  file: string,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const { definition, mistakes, isForeign } = checkModelFile(file);
  const isWrong = hasMistakes(mistakes);
  if (flags.json === true)
    terminal.print(JSON.stringify({ file, valid: !isWrong, mistakes }, null, 2));
  else {
    if (mistakes.length > 0) terminal.print(`${file}:\n${printMistakes(mistakes)}`);
    const what = isForeign ? 'a model of its own' : 'additions to the built-in model';
    const size = `${definition.types.length} types, ${definition.sets.length} sets, ${definition.codeLists.length} code lists`;
    terminal.print(
      isWrong
        ? `${file} cannot be used; nothing was changed.`
        : `${file} is ${what}: ${size} in all.`,
    );
  }
  return isWrong ? 1 : 0;
}
