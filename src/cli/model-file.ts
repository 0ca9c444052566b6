// Builds the model of an installation: the built-in model, the built-in model with an extension, or a foreign model. A model file with
// an entity container of its own is foreign, that is, it replaces the built-in model; one without a container, or with a container that
// extends the built-in one, extends it. The built-in model in models/service-desk consists of the same kinds of files.
import { readRole } from '../access/read-roles.ts';
import { perObject } from '../base/memo.ts';
import {
  checkConditions,
  checkConstraints,
  checkOperations,
} from '../bind/model/operation-check.ts';
import { ruleCheck } from '../bind/model/policy-condition.ts';
import { checkProperties } from '../bind/model/property-check.ts';
import { checkWorkflows } from '../bind/model/workflow-check.ts';
import { DEFAULT_BIND_LIMITS } from '../bind/scope.ts';
import {
  ATTRIBUTE_ACCESS,
  accountSetMistakes,
  ENTITY_ACCESS,
  ROLE_SET,
  type RoleDefinition,
  withoutAccountSets,
  withSystem,
} from '../edm/account-sets.ts';
import { readCsdl } from '../edm/csdl/read-csdl.ts';
import { toCsdl } from '../edm/csdl/write-csdl.ts';
import { extendDocument, isIndependent, strayMembers } from '../edm/extension/extend-document.ts';
import { mergeCodeLists } from '../edm/extension/merge-code-lists.ts';
import { lintRequired } from '../edm/extension/required-members.ts';
import {
  type BrokenElements,
  brokenElements,
  type SoundPart,
  soundPart,
  withoutFollowUps,
} from '../edm/lint/follow-up.ts';
import { hasMistakes, lintModel } from '../edm/lint/lint.ts';
import {
  type CodeList,
  isStructured,
  type Member,
  type ModelDefinition,
  makeModel,
} from '../edm/model.ts';
import { addMistakes, codeListPath, elementPath, type Mistake } from '../edm/model-error.ts';
import { deriveBindings } from '../edm/navigation-bindings.ts';
import { readRoles, unknownRoleMembers } from '../edm/roles-document.ts';
import { CODE_LISTS_FILE, CODES_FILE, readCodeTables } from '../edm/tables/code-tables.ts';
import { applyLabels, LABELS_FILE } from '../edm/tables/label-table.ts';
import { isJsonObject, type JsonInput } from '../edm/value/lossless-json.ts';
import type { InitialMail } from '../mail/out/initial-mail.ts';
import { compiler } from '../sql/check-expression.ts';
import { makeLayout } from '../sql/schema/model-layout.ts';
import { nameMistakes } from '../sql/schema/stored-names.ts';
import type { Config } from './config/config.ts';
import { demoMistakes } from './demo/vocabulary.ts';
import { joinMail, mailIn, mailMistakes } from './model-mail.ts';
import {
  BUILT_IN_MODEL,
  CUSTOM_FIELDS,
  type ModelFiles,
  type ModelSource,
  parseModel,
  ROLES_FILE,
  readModelFiles,
  readModelJson,
  requireFaultless,
} from './model-source.ts';

interface CheckedModel {
  readonly definition: ModelDefinition;
  readonly mistakes: readonly Mistake[];
  readonly isForeign: boolean;
}

/** A model definition, including the model that it adds to. */
interface MadeModel extends CheckedModel {
  readonly broken: BrokenElements;
  readonly locate: ModelSource['locate'];
}

/** The bare built-in model, as the files of additions to it. */
export const NO_ADDITIONS: ModelFiles = { place: '', files: [], mistakes: [] };

/** The files of the configured model. Throws: cli.file. */
export function configuredFiles({ model }: Pick<Config, 'model'>): ModelFiles {
  return model === undefined ? NO_ADDITIONS : readModelFiles(model);
}

/** The model in the files, and whether it is foreign. Throws: cli.model (with all mistakes), request.body. */
export function readModel(files: ModelFiles): Pick<CheckedModel, 'definition' | 'isForeign'> {
  if (files.files.length === 0 && files.mistakes.length === 0)
    return { definition: withSystem(builtInModel()), isForeign: false };
  const checked = checkModel(files);
  requireFaultless(files.place, checked.mistakes);
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
    parseModel(readModelFiles(BUILT_IN_MODEL), parse),
    undefined,
  );
  requireFaultless(BUILT_IN_MODEL, mistakes);
  return definition;
}

/**
 * The model in files that this version of Docket has checked before: reading reports what it cannot read, and the check, which compiles
 * every expression of the model, is not repeated. Throws: cli.model, request.body.
 */
export function readCheckedModel(
  files: ModelFiles,
): Pick<CheckedModel, 'definition' | 'isForeign'> {
  if (files.files.length === 0) return readModel(files);
  const made = makeDefinition(parseModel(files), builtInModel());
  requireFaultless(files.place, made.mistakes);
  return { definition: withSystem(made.definition), isForeign: made.isForeign };
}

/** Reads and checks the model in a file or directory. Throws: cli.file, request.body. */
export function checkModelFile(path: string): CheckedModel {
  return checkModel(readModelFiles(path));
}

/** Checks all parts as far as the others permit it. Throws: request.body. */
export const checkModel = perObject((files: ModelFiles): CheckedModel => {
  const source = parseModel(files);
  const made = makeDefinition(source, builtInModel());
  const { isForeign, locate } = made;
  const taken = isForeign ? accountSetMistakes(made.definition) : [];
  const definition = withSystem(
    taken.length === 0 ? made.definition : withoutAccountSets(made.definition),
  );
  const found = source.isComplete ? ownMistakes(definition) : [];
  const sound = source.isComplete ? soundPart(definition, made.broken, found) : undefined;
  const stored = sound && nameMistakes(makeLayout(makeModel(sound.definition)));
  const all = addMistakes(found, stored ?? []);
  const mistakes = [
    ...made.mistakes,
    ...taken.map(locate),
    ...(isForeign || files.isStored === true ? [] : strayMembers(source.document).map(locate)),
    ...withoutFollowUps(definition, all, made.broken).map(locate),
    ...(sound === undefined ? [] : expressionMistakes(sound).map(locate)),
    ...roleMistakes(files, { sound, isForeign }),
    ...demoMistakes(files),
    ...mailMistakesIn(files, { sound, isForeign }),
  ];
  return { definition, mistakes, isForeign };
});

/** @param base the model that the source may extend; undefined when reading the built-in model itself */
function makeDefinition(source: ModelSource, base: ModelDefinition | undefined): MadeModel {
  const isForeign = base === undefined || isIndependent(source.document);
  const extended = isForeign ? undefined : extendModel(base, source.document);
  const read = readCsdl(extended?.document ?? source.document, base?.languages);
  const place = (mistake: Mistake) => source.locate(extended?.locate(mistake) ?? mistake);
  const mistakes = [...source.mistakes, ...(extended?.mistakes ?? []).map(place)];
  mistakes.push(...read.mistakes.map(place));
  const inDocument = brokenElements(read.definition, read.mistakes);
  const known = isForeign ? [] : knownLists(base, read.definition);
  const own = read.definition.codeLists.slice(isForeign ? 0 : base.codeLists.length);
  const inTables: Mistake[] = [];
  const lists = readCodeTables(
    { lists: source.tables.get(CODE_LISTS_FILE), codes: source.tables.get(CODES_FILE) },
    { languages: read.definition.languages, own, base: known },
    inTables,
  );
  const codeLists = mergeCodeLists([...known, ...own, ...lists]);
  const bound = deriveBindings({ ...read.definition, codeLists });
  const broken = hasMistakes(inTables) ? withBrokenLists(inDocument, bound, lists) : inDocument;
  const labels = source.tables.get(LABELS_FILE);
  const inLabels: Mistake[] = [];
  const definition =
    labels === undefined || !source.isComplete ? bound : applyLabels(bound, labels, inLabels);
  const required = isForeign ? [] : lintRequired(base, definition);
  mistakes.push(
    ...inTables,
    ...withoutFollowUps(definition, inLabels, broken),
    ...withoutFollowUps(definition, required, broken).map(place),
  );
  const inLists = locator({ ...source, locate: place }, lists, definition);
  return { definition, mistakes, isForeign, broken, locate: inLists };
}

/** Joins the extension with the model. Numbered custom fields are enabled by naming them. */
function extendModel(base: ModelDefinition, extension: JsonInput) {
  if (!isJsonObject(extension)) return undefined;
  const [{ name: namespace = '' } = {}] = base.namespaces;
  const numbered = base === builtIn ? customFields(base).document[namespace] : undefined;
  const optional = isJsonObject(numbered) ? numbered : {};
  return extendDocument(baseDocument(base), extension, optional);
}

const baseDocument = perObject((base: ModelDefinition) => toCsdl(base, { complete: true }));

/** The lists of the model, and those of the numbered custom fields that the extension enables. */
function knownLists(
  base: ModelDefinition,
  { types }: Pick<ModelDefinition, 'types'>,
): readonly CodeList[] {
  if (base !== builtIn) return base.codeLists;
  const used = new Set(
    types.filter(isStructured).flatMap(({ members }) => members.map(codeListOf)),
  );
  const isAdded = ({ name }: CodeList) =>
    used.has(name) && !base.codeLists.some((list) => list.name === name);
  return [...base.codeLists, ...customFields(base).lists.filter(isAdded)];
}

function codeListOf(member: Member): string | undefined {
  return member.kind === 'property' ? member.codeList : undefined;
}

/**
 * The built-in model with all numbered custom fields, and their code lists, which have no codes. The fields have no labels, because an
 * installation that enables one gives it a meaning of its own.
 */
const customFields = perObject((model: ModelDefinition) => {
  const { tables, ...source } = parseModel(readModelFiles(CUSTOM_FIELDS));
  const unlabelled = new Map([...tables].filter(([name]) => name !== LABELS_FILE));
  // A copy of the model, because these fields do not enable others.
  const { definition, mistakes } = makeDefinition({ ...source, tables: unlabelled }, { ...model });
  requireFaultless(CUSTOM_FIELDS, mistakes);
  return { document: toCsdl(definition, { complete: true }), lists: definition.codeLists };
});

/** Maps mistakes in code lists from CSV tables, which carry the path that the list would have in CSDL, to the CSV file. */
function locator(
  source: ModelSource,
  lists: readonly CodeList[],
  { container }: ModelDefinition,
): ModelSource['locate'] {
  return (mistake) => {
    const list = lists.find(({ name }) => mistake.path.startsWith(codeListPath(container, name)));
    return list === undefined
      ? source.locate(mistake)
      : { ...mistake, path: `${CODES_FILE}: ${list.name}` };
  };
}

/** Adds the lists of tables with mistakes, and properties with codes of lists that are missing. */
function withBrokenLists(
  { paths, names }: BrokenElements,
  { container, types, codeLists }: ModelDefinition,
  lists: readonly CodeList[],
): BrokenElements {
  const known = new Set(codeLists.map(({ name }) => name));
  const isMissing = (list: string | undefined) => list !== undefined && !known.has(list);
  const coded = types
    .filter(isStructured)
    .flatMap((type) =>
      type.members
        .filter((member) => isMissing(codeListOf(member)))
        .map((member) => elementPath(type.name, member.name)),
    );
  const broken = lists.map(({ name }) => name);
  const inContainer = broken.map((name) => codeListPath(container, name));
  return {
    paths: new Set([...paths, ...coded, ...inContainer]),
    names: new Set([...names, ...broken]),
  };
}

/** The mistakes of a model without the warnings about the built-in model, which an installation cannot fix. */
function ownMistakes(definition: ModelDefinition): readonly Mistake[] {
  const builtInMistakes = lintModel(withSystem(builtInModel()));
  const known = new Set(builtInMistakes.map(({ path, message }) => `${path}\n${message}`));
  return lintModel(definition).filter(({ path, message }) => !known.has(`${path}\n${message}`));
}

/** The mistakes in expressions of the model that do not follow from what the sound part lacks. */
function expressionMistakes({ definition, names }: SoundPart): readonly Mistake[] {
  const model = makeModel(definition);
  const check = { model, compile: compiler(makeLayout(model)) };
  const found = [
    ...checkOperations(check),
    ...checkConditions(check),
    ...checkConstraints(check),
    ...checkProperties(check),
    ...checkWorkflows(check),
  ];
  return withoutFollowUps(definition, found, { paths: NO_PATHS, names });
}

const NO_PATHS: ReadonlySet<string> = new Set();

/**
 * The roles of a new installation: those of the built-in model, unless the model is foreign, and those of the model, which override
 * built-in roles of the same name. Throws: cli.model.
 */
export function readModelRoles(files: ModelFiles): readonly RoleDefinition[] {
  const shipped = readModel(files).isForeign ? [] : builtInRoles();
  const mistakes: Mistake[] = [];
  const own = rolesIn(files, mistakes);
  requireFaultless(files.place, mistakes);
  const kept = shipped.filter(({ name }) => !own.some((role) => role.name === name));
  return [...kept, ...own];
}

/** The roles of the built-in model, in display order. */
export function builtInRoles(): readonly RoleDefinition[] {
  return rolesIn(readModelFiles(BUILT_IN_MODEL), []);
}

function rolesIn(files: ModelFiles, mistakes: Mistake[]): readonly RoleDefinition[] {
  const found: Mistake[] = [];
  const document = readModelJson(files, ROLES_FILE, found);
  const roles = document === undefined ? [] : readRoles(document, found);
  const isParsed = document !== undefined;
  mistakes.push(
    ...found.map((one) => (isParsed ? { ...one, path: `${ROLES_FILE}: ${one.path}` } : one)),
  );
  return roles;
}

/**
 * Unknown types, unknown members and invalid conditions in the roles of a model directory, and in the built-in roles, if the model extends
 * the built-in one. Without a sound part of the model, only the format of the roles is checked.
 */
function roleMistakes(
  files: ModelFiles,
  { sound, isForeign }: { readonly sound: SoundPart | undefined; readonly isForeign: boolean },
): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const own = rolesIn(files, mistakes);
  if (sound === undefined) return mistakes;
  const { definition, names } = sound;
  const model = makeModel(definition);
  const limits = DEFAULT_BIND_LIMITS;
  const check = ruleCheck({ model, rules: 'odata', limits }, compiler(makeLayout(model)));
  const parts = { entities: ENTITY_ACCESS, attributes: ATTRIBUTE_ACCESS };
  const mistakesOf = (role: RoleDefinition, place: string, remedy: string) => [
    ...unknownRoleMembers(model, role, place),
    ...readRole(model, role, check).mistakes.map(({ part, index, fault }) => ({
      path: `${place}.${parts[part]}[${index}].${fault.target ?? ''}`,
      message: fault.message,
      remedy,
    })),
  ];
  const isOverridden = ({ name }: RoleDefinition) => own.some((role) => role.name === name);
  const shipped = isForeign || mistakes.length > 0 ? [] : builtInRoles();
  const found = [
    ...own.flatMap((role, at) =>
      mistakesOf(role, `${ROLES_FILE}: $.${ROLE_SET}[${at}]`, 'Correct or remove it.'),
    ),
    ...shipped
      .filter((role) => !isOverridden(role))
      .flatMap((role) => {
        const remedy = `Add a role ${role.name} to ${ROLES_FILE} that does without it.`;
        return mistakesOf(role, `built-in role ${role.name}: $`, remedy);
      }),
  ];
  const entries = new Set(mistakes.map(({ path }) => entryOf(path)));
  const others = found.filter(({ path }) => !entries.has(entryOf(path)));
  return [...mistakes, ...withoutFollowUps(definition, others, { paths: NO_PATHS, names })];
}

/** The rules and templates of outgoing mail that the model comes with, in addition to the built-in ones if it extends that model. Throws: cli.model. */
export function readModelMail(files: ModelFiles): InitialMail {
  const { isForeign } = readModel(files);
  const mistakes: Mistake[] = [];
  const own = mailIn(files, mistakes);
  requireFaultless(files.place, mistakes);
  return isForeign ? own : joinMail(builtInMail(), own);
}

const builtInMail = () => mailIn(readModelFiles(BUILT_IN_MODEL), []);

/** Mistakes in the rules and templates. Without a sound part of the model, only their format is checked. */
function mailMistakesIn(
  files: ModelFiles,
  { sound, isForeign }: { readonly sound: SoundPart | undefined; readonly isForeign: boolean },
): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const own = mailIn(files, mistakes);
  const isEmpty = own.rules.length + own.templates.length === 0;
  if (sound === undefined || mistakes.length > 0 || isEmpty) return mistakes;
  const model = makeModel(sound.definition);
  const limits = DEFAULT_BIND_LIMITS;
  const check = ruleCheck({ model, rules: 'odata', limits }, compiler(makeLayout(model)));
  const all = isForeign ? own : joinMail(builtInMail(), own);
  return mailMistakes({ layout: makeLayout(model), check }, all);
}

/** `roles.json: $.Roles[0].EntityAccess[0]` of the path of a member in it. */
function entryOf(path: string): string {
  return path.slice(0, path.lastIndexOf(']') + 1);
}
