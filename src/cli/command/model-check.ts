// The command `docket model check`: prints the mistakes of a model file with their remedies, or a summary of the model.
import { hasMistakes } from '../../edm/lint/lint.ts';
import { printMistakes } from '../../edm/model-error.ts';
import type { Invocation } from '../invocation.ts';
import { checkModelFile } from '../model-file.ts';

/** `docket model check FILE`. Returns exit code 1 if the model has mistakes. Throws: cli.file. */
export async function checkModel({ flags, terminal }: Invocation, file: string): Promise<number> {
  const { definition, mistakes, isForeign } = checkModelFile(file);
  const isValid = !hasMistakes(mistakes);
  if (flags.json === true)
    terminal.print(JSON.stringify({ file, valid: isValid, mistakes }, null, 2));
  else {
    if (mistakes.length > 0) terminal.print(`${file}:\n${printMistakes(mistakes)}`);
    const kind = isForeign ? 'a model of its own' : 'an extension of the built-in model';
    const size = `${definition.types.length} types, ${definition.sets.length} sets, ${definition.codeLists.length} code lists`;
    terminal.print(
      isValid ? `${file} contains ${kind}: ${size} in total.` : `${file} cannot be used.`,
    );
  }
  return isValid ? 0 : 1;
}
