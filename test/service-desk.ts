// This file gives tests the built-in model, its roles and the words of its demo records, read from models/service-desk as the service does.
import { demoTerms, readDemoVocabulary } from '../src/cli/demo/vocabulary.ts';
import { builtInModel, builtInRoles, NO_ADDITIONS } from '../src/cli/model-file.ts';
import { type Model, type ModelDefinition, makeModel } from '../src/edm/model.ts';

/** The definition as shipped. */
export const suiteDefinition: ModelDefinition = builtInModel();

/** The model as shipped, indexed. */
export function suiteModel(): Model {
  return makeModel(suiteDefinition);
}

export const suiteRoles = builtInRoles();

/** What the generator of demo records needs besides their number, seed and time. */
export const demoSource = {
  vocabulary: readDemoVocabulary(NO_ADDITIONS),
  terms: demoTerms(suiteModel()),
  roles: suiteRoles,
};
