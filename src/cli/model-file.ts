// This file reads the model of an installation: the built-in one, the built-in one with the installation's additions, or a foreign one.
// A document that has an entity container of its own is a model; one without adds to the built-in one.
import { Fault } from '../base/fault.ts';
import { checkConditions, checkOperations } from '../bind/model/operation-check.ts';
import { withSystem } from '../edm/account-sets.ts';
import { deriveBindings } from '../edm/complete-definition.ts';
import { readCsdl } from '../edm/csdl/read-csdl.ts';
import { hasMistakes, lintModel } from '../edm/lint/lint.ts';
import { mergeDefinition } from '../edm/merge-additions.ts';
import { type ModelDefinition, makeModel } from '../edm/model.ts';
import type { Mistake } from '../edm/model-error.ts';
import { suiteDefinition } from '../model/index.ts';
import { readJson } from '../service/json-body.ts';
import type { Config } from './config/config.ts';
import { readBytes } from './config/read-file.ts';

const SUITE = withSystem(suiteDefinition);

export interface CheckedModel {
  readonly definition: ModelDefinition;
  readonly mistakes: readonly Mistake[];
  readonly isForeign: boolean;
}

/** The model that the configuration asks for, and whether it stands alone. Faults cli.model with every mistake, cli.file. */
export function readModel(config: Config): Pick<CheckedModel, 'definition' | 'isForeign'> {
  if (config.model === undefined) return { definition: SUITE, isForeign: false };
  const checked = checkModelFile(config.model);
  if (!hasMistakes(checked.mistakes)) return checked;
  const details = checked.mistakes.map(({ path, message, remedy }) => ({
    code: 'cli.model',
    target: path,
    message: `${message} ${remedy}`,
  }));
  throw new Fault('cli.model', { file: config.model }, { details });
}

/** Reads and checks a model file; nothing is changed. Fault cli.file. */
export function checkModelFile(file: string): CheckedModel {
  const document = readJson(readBytes(file));
  const read = readCsdl(document, suiteDefinition.languages);
  const isForeign = read.definition.container !== '';
  if (hasMistakes(read.mistakes)) return { ...read, isForeign };
  const merged = isForeign
    ? { definition: read.definition, mistakes: [] }
    : mergeDefinition(suiteDefinition, read.definition);
  const definition = withSystem(deriveBindings(merged.definition));
  return {
    definition,
    mistakes: [...read.mistakes, ...merged.mistakes, ...ownMistakes(definition)],
    isForeign,
  };
}

/** What the built-in model is warned about is not the installation's business. */
function ownMistakes(definition: ModelDefinition): readonly Mistake[] {
  const known = new Set(lintModel(SUITE).map(({ path, message }) => `${path}\n${message}`));
  const found = lintModel(definition).filter(
    ({ path, message }) => !known.has(`${path}\n${message}`),
  );
  if (hasMistakes(found)) return found;
  const model = makeModel(definition);
  return [...found, ...checkOperations(model), ...checkConditions(model)];
}
