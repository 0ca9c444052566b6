// Builds the model of an installation: the built-in model, the built-in model with additions, or a foreign model. A model file with an
// entity container is foreign, that is, it replaces the built-in model; one without a container adds to it. The built-in model in
// models/service-desk consists of the same kinds of files.
import { readRole } from '../access/read-roles.ts';
import { checkConditions, checkOperations } from '../bind/model/operation-check.ts';
import { ruleCheck } from '../bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../bind/scope.ts';
import {
  ATTRIBUTE_ACCESS,
  ENTITY_ACCESS,
  ROLE_SET,
  type RoleDefinition,
  withSystem,
} from '../edm/account-sets.ts';
import { deriveBindings } from '../edm/complete-definition.ts';
import { readCsdl } from '../edm/csdl/read-csdl.ts';
import { hasMistakes, lintModel } from '../edm/lint/lint.ts';
import { mergeDefinition } from '../edm/merge-additions.ts';
import { type CodeList, type ModelDefinition, makeModel } from '../edm/model.ts';
import { elementPath, type Mistake } from '../edm/model-error.ts';
import { readRoles } from '../edm/roles-document.ts';
import { CODE_LISTS_FILE, CODES_FILE, readCodeTables } from '../edm/tables/code-tables.ts';
import { applyLabels, LABELS_FILE } from '../edm/tables/label-table.ts';
import type { Config } from './config/config.ts';
import { demoMistakes } from './demo-vocabulary.ts';
import {
  BUILT_IN_MODEL,
  type ModelSource,
  ROLES_FILE,
  readModelDirectory,
  readModelJson,
  readModelSource,
  requireFaultless,
} from './model-source.ts';

interface CheckedModel {
  readonly definition: ModelDefinition;
  readonly mistakes: readonly Mistake[];
  readonly isForeign: boolean;
}

/** A model definition, including the model that it adds to. */
type MadeModel = CheckedModel & { readonly locate: ModelSource['locate'] };

/** The configured model, and whether it is foreign. Throws: cli.model (with all mistakes), cli.file. */
export function readModel(config: Config): Pick<CheckedModel, 'definition' | 'isForeign'> {
  if (config.model === undefined)
    return { definition: withSystem(builtInModel()), isForeign: false };
  const checked = checkModelFile(config.model);
  requireFaultless(config.model, checked.mistakes);
  return checked;
}

let builtIn: ModelDefinition | undefined;

/**
 * The built-in model without the sets for accounts, roles and administration. It is read at every start, so a test lints it instead of
 * this function. JSON.parse is exact for its numbers. Throws: cli.model, cli.file.
 */
export function builtInModel(): ModelDefinition {
  builtIn ??= readBuiltIn();
  return builtIn;
}

function readBuiltIn(): ModelDefinition {
  const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
  const { definition, mistakes } = makeDefinition(
    readModelDirectory(BUILT_IN_MODEL, parse),
    undefined,
  );
  requireFaultless(BUILT_IN_MODEL, mistakes);
  return definition;
}

/** Reads and checks the model in a file or directory. Throws: cli.file. */
export function checkModelFile(path: string): CheckedModel {
  const source = readModelSource(path);
  const checked = makeDefinition(source, builtInModel());
  const { isForeign } = checked;
  if (hasMistakes(checked.mistakes)) return checked;
  const definition = withSystem(checked.definition);
  const found = ownMistakes(definition).map(checked.locate);
  const mistakes = [...checked.mistakes, ...found];
  if (hasMistakes(mistakes)) return { definition, mistakes, isForeign };
  const others = [...roleMistakes(path, definition), ...demoMistakes(path)];
  return { definition, mistakes: [...mistakes, ...others], isForeign };
}

/** @param base the model to add to if the source has no container; undefined when reading the built-in model itself */
function makeDefinition(source: ModelSource, base: ModelDefinition | undefined): MadeModel {
  const read = readCsdl(source.document, base?.languages);
  const isForeign = read.definition.container !== '';
  const known = isForeign || base === undefined ? undefined : base;
  const mistakes = [...source.mistakes, ...read.mistakes.map(source.locate)];
  const lists = readCodeTables(
    { lists: source.tables.get(CODE_LISTS_FILE), codes: source.tables.get(CODES_FILE) },
    {
      languages: read.definition.languages,
      own: read.definition.codeLists,
      base: known?.codeLists ?? [],
    },
    mistakes,
  );
  const codeLists = [...read.definition.codeLists, ...lists];
  const own = { ...read.definition, codeLists };
  const merged = known === undefined ? undefined : mergeDefinition(known, own);
  mistakes.push(...(merged?.mistakes ?? []).map(source.locate));
  const bound = deriveBindings(merged?.definition ?? own);
  const labels = source.tables.get(LABELS_FILE);
  const isReadable = !hasMistakes(mistakes);
  const definition =
    labels === undefined || !isReadable ? bound : applyLabels(bound, labels, mistakes);
  const locate = locator(source, lists, definition);
  return { definition, mistakes, isForeign, locate };
}

/** Maps mistakes in code lists from CSV tables, which carry the path that the list would have in CSDL, to the CSV file. */
function locator(
  source: ModelSource,
  lists: readonly CodeList[],
  { container }: ModelDefinition,
): ModelSource['locate'] {
  const paths = elementPath(container, '@Docket.CodeLists');
  return (mistake) => {
    const list = lists.find(({ name }) =>
      mistake.path.startsWith(`${paths}[?(@.Name=='${name}')]`),
    );
    return list === undefined
      ? source.locate(mistake)
      : { ...mistake, path: `${CODES_FILE}: ${list.name}` };
  };
}

/** The mistakes of a model without the warnings about the built-in model, which an installation cannot fix. */
function ownMistakes(definition: ModelDefinition): readonly Mistake[] {
  const builtInMistakes = lintModel(withSystem(builtInModel()));
  const known = new Set(builtInMistakes.map(({ path, message }) => `${path}\n${message}`));
  const found = lintModel(definition).filter(
    ({ path, message }) => !known.has(`${path}\n${message}`),
  );
  if (hasMistakes(found)) return found;
  const model = makeModel(definition);
  return [...found, ...checkOperations(model), ...checkConditions(model)];
}

/**
 * The roles of a new installation: those of the built-in model, unless the model is foreign, and those of the model, which override
 * built-in roles of the same name. Throws: cli.model, cli.file.
 */
export function readModelRoles({ model }: Pick<Config, 'model'>): readonly RoleDefinition[] {
  const shipped = model === undefined || !checkModelFile(model).isForeign ? builtInRoles() : [];
  if (model === undefined) return shipped;
  const mistakes: Mistake[] = [];
  const own = rolesIn(model, mistakes);
  requireFaultless(model, mistakes);
  const kept = shipped.filter(({ name }) => !own.some((role) => role.name === name));
  return [...kept, ...own];
}

/** The roles of the built-in model, in display order. */
export function builtInRoles(): readonly RoleDefinition[] {
  return rolesIn(BUILT_IN_MODEL, []);
}

function rolesIn(path: string, mistakes: Mistake[]): readonly RoleDefinition[] {
  const found: Mistake[] = [];
  const document = readModelJson(path, ROLES_FILE, found);
  const roles = document === undefined ? [] : readRoles(document, found);
  const isParsed = document !== undefined;
  mistakes.push(
    ...found.map((one) => (isParsed ? { ...one, path: `${ROLES_FILE}: ${one.path}` } : one)),
  );
  return roles;
}

/** Unknown types, unknown members and invalid conditions in the roles of a model directory. */
function roleMistakes(path: string, definition: ModelDefinition): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const roles = rolesIn(path, mistakes);
  if (hasMistakes(mistakes)) return mistakes;
  const model = makeModel(definition);
  const check = ruleCheck({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const parts = { entities: ENTITY_ACCESS, attributes: ATTRIBUTE_ACCESS };
  return roles.flatMap((role, at) =>
    readRole(model, role, check).mistakes.map(({ part, index, fault }) => ({
      path: `${ROLES_FILE}: $.${ROLE_SET}[${at}].${parts[part]}[${index}].${fault.target ?? ''}`,
      message: fault.message,
      remedy: 'Correct or remove it.',
    })),
  );
}
