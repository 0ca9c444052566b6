// Reads the files of a model: a CSDL JSON file, or a directory with CSDL JSON files, CSV tables, roles, mail and demo vocabulary.
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ZodType } from 'zod';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { PACKAGE_ROOT } from '../base/package-root.ts';
import { joinDocuments, type NamedDocument } from '../edm/csdl/join-documents.ts';
import { hasMistakes } from '../edm/lint/lint.ts';
import { type Mistake, memberPath } from '../edm/model-error.ts';
import { CODE_LISTS_FILE, CODES_FILE } from '../edm/tables/code-tables.ts';
import type { TextFile } from '../edm/tables/csv.ts';
import { LABELS_FILE } from '../edm/tables/label-table.ts';
import { isJsonObject, type JsonInput } from '../edm/value/lossless-json.ts';
import { readJson } from '../service/json-body.ts';
import type { ModelFile } from '../store/model/stored-models.ts';
import { readBytes } from './config/read-file.ts';
import { reasonOf } from './system-errors.ts';

/** The directory of the built-in model. */
export const BUILT_IN_MODEL = fileURLToPath(new URL('models/service-desk', PACKAGE_ROOT));
/** The numbered custom fields, which an extension enables by naming them. */
export const CUSTOM_FIELDS = fileURLToPath(new URL('models/custom-fields', PACKAGE_ROOT));

const CSDL_SUFFIX = '.csdl.json';
export const ROLES_FILE = 'roles.json';
export const DEMO_FILE = 'demo.json';
/** Rules and templates of outgoing mail. */
export const MAIL_FILE = 'mail.json';
const TABLES = [CODE_LISTS_FILE, CODES_FILE, LABELS_FILE];
const KNOWN = [...TABLES, ROLES_FILE, DEMO_FILE, MAIL_FILE];

/** The files of a model as text, in alphabetical order. */
export interface ModelFiles {
  /** Where they come from, for messages. */
  readonly place: string;
  readonly files: readonly ModelFile[];
  /** Files with unknown names. */
  readonly mistakes: readonly Mistake[];
  /** Whether they have been applied before. Mistakes that earlier versions of Docket have ignored do not keep a service from starting. */
  readonly isStored?: boolean;
}

/** The parsed but not yet interpreted files of a model. */
export interface ModelSource {
  /** The merged CSDL of all files. */
  readonly document: JsonInput;
  /** CSV tables by file name, such as `codes.csv`. */
  readonly tables: ReadonlyMap<string, TextFile>;
  readonly mistakes: readonly Mistake[];
  /** Whether all files could be read. */
  readonly isComplete: boolean;
  /** Adds the file name to the path of a CSDL mistake. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Parses JSON. Throws a Fault or a SyntaxError. */
type ReadJson = (bytes: Uint8Array) => JsonInput;

/** Reads a file or directory. Throws: cli.file. */
export function readModelFiles(path: string): ModelFiles {
  if (!isDirectory(path))
    return { place: path, files: [readFile(path, basename(path))], mistakes: [] };
  const names = filesOf(path);
  const files = names.filter(isModelFile).map((name) => readFile(join(path, name), name));
  const unknown = names.flatMap(unknownFile);
  const isEmpty = unknown.length === 0 && files.length === 0;
  return { place: path, files, mistakes: isEmpty ? [noModelFile(path)] : unknown };
}

/** The uploaded files of a model. A file that is alone may have any name, like one that a command names. Throws: model.files. */
export function uploadedFiles(uploaded: readonly ModelFile[]): ModelFiles {
  const files = uploaded.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const names = files.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (!FILE_NAME.test(name) || name !== basename(name))
      throw unusable(`${JSON.stringify(name)} is not the name of a file without a directory.`);
    if (name === names[index + 1]) throw unusable(`there are several files named ${name}.`);
  }
  if (names.length === 0)
    throw unusable(`there is none. Send at least one, such as a *${CSDL_SUFFIX}.`);
  const others = names.length === 1 ? [] : names.filter((name) => !isModelFile(name));
  const place = names.length === 1 ? `${names[0]}` : `${names.length} uploaded files`;
  return { place, files, mistakes: others.map(notAModelFile) };
}

/** Names are those of files on all systems, because an export writes them. */
const FILE_NAME = /^(?!\.+$)[^\p{Cc}<>:"/\\|?*]{1,200}$/u;

function unusable(reason: string): Fault {
  return new Fault('model.files', { reason }, { target: 'Files' });
}

/** Throws: cli.file. */
function readFile(path: string, name: string): ModelFile {
  try {
    // The byte order mark is kept, so that an export writes the same bytes.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { name, text: decoder.decode(readBytes(path)) };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('cli.file', { file: path, reason: 'it is not valid UTF-8' });
  }
}

/**
 * Parses the files of a model, CSDL files in alphabetical order. A CSDL file that is alone may have any name.
 * @param parse parses JSON; its errors become mistakes of the file
 */
export function parseModel(
  { files, mistakes }: ModelFiles,
  parse: ReadJson = readJson,
): ModelSource {
  const [only, ...others] = files;
  const found = [...mistakes];
  if (only !== undefined && others.length === 0 && !KNOWN.includes(only.name)) {
    const document = parseFile(only, { parse, mistakes: found }) ?? NO_DOCUMENT;
    const isComplete = found.length === 0;
    return { document, tables: new Map(), mistakes: found, isComplete, locate: (one) => one };
  }
  const documents = files
    .filter(({ name }) => name.endsWith(CSDL_SUFFIX))
    .flatMap((file): readonly NamedDocument[] => {
      const document = parseFile(file, { parse, mistakes: found });
      return document === undefined ? [] : [{ name: file.name, document }];
    });
  const tables = files
    .filter(({ name }) => TABLES.includes(name))
    .map(({ name, text }) => [name, { name, text: text.replace(/^\uFEFF/, '') }] as const);
  const joined = joinDocuments(documents);
  return {
    document: documents.length === 0 ? NO_DOCUMENT : joined.document,
    tables: new Map(tables),
    mistakes: [...found, ...joined.mistakes],
    isComplete: found.length === 0 && documents.every(({ document }) => isJsonObject(document)),
    locate: joined.locate,
  };
}

const NO_DOCUMENT: JsonInput = { $Version: '4.01' };

/** A JSON file of a model; undefined if it does not exist or is not JSON. */
export function readModelJson(
  { files }: ModelFiles,
  name: string,
  mistakes: Mistake[],
  parse: ReadJson = readJson,
): JsonInput | undefined {
  const file = files.find((one) => one.name === name);
  return file === undefined ? undefined : parseFile(file, { parse, mistakes });
}

/**
 * A JSON file of a model as its schema describes it; undefined if it does not exist or has mistakes. It must contain no numbers other than
 * those that a double can represent.
 */
export function readModelPart<Part>(
  files: ModelFiles,
  name: string,
  schema: () => ZodType<Part>,
  mistakes: Mistake[],
): Part | undefined {
  const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
  const document = readModelJson(files, name, mistakes, parse);
  if (document === undefined) return undefined;
  const { data, error } = schema().safeParse(document);
  for (const { path, message } of error?.issues ?? [])
    mistakes.push({
      path: `${name}: ${path.reduce<string>(stepInto, '$')}`,
      message: `${message}.`.replace(/\.\.$/, '.'),
      remedy: `See models/service-desk/${name} for an example.`,
    });
  return data;
}

function stepInto(path: string, step: PropertyKey): string {
  return typeof step === 'number' ? `${path}[${step}]` : memberPath(path, String(step));
}

function parseFile(
  file: ModelFile,
  { parse, mistakes }: { readonly parse: ReadJson; readonly mistakes: Mistake[] },
): JsonInput | undefined {
  try {
    return parse(bytesOf(file));
  } catch (error) {
    if (!(error instanceof Fault || error instanceof SyntaxError)) throw error;
    mistakes.push({ path: file.name, ...syntaxMistake(file, error.message) });
    return undefined;
  }
}

/** Tools of other OData services often write CSDL XML, whose syntax is no mistake to be fixed. */
function syntaxMistake({ text }: ModelFile, reason: string): Pick<Mistake, 'message' | 'remedy'> {
  const isXml = text.trimStart().startsWith('<');
  return isXml
    ? {
        message: 'The file contains XML. Models are written in CSDL JSON only.',
        remedy:
          'Convert it to CSDL JSON. Many OData services return it for $metadata?$format=json.',
      }
    : { message: reason.replace('The body', 'The file'), remedy: 'Fix the JSON syntax.' };
}

function bytesOf({ text }: ModelFile): Uint8Array {
  return new TextEncoder().encode(text);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesOf(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    throw new Fault('cli.file', { file: path, reason: reasonOf(error) });
  }
}

function isModelFile(name: string): boolean {
  return name.endsWith(CSDL_SUFFIX) || KNOWN.includes(name);
}

function noModelFile(path: string): Mistake {
  const remedy = `Use a directory with *${CSDL_SUFFIX}, ${KNOWN.join(' or ')}.`;
  return { path, message: 'The directory contains no model files.', remedy };
}

/** Reports CSV and JSON files with unknown names, which would otherwise be ignored silently. Other files are allowed. */
function unknownFile(name: string): readonly Mistake[] {
  const isCandidate = /\.(csv|json)$/i.test(name) && !name.startsWith('.');
  return !isCandidate || isModelFile(name) ? [] : [notAModelFile(name)];
}

function notAModelFile(name: string): Mistake {
  const remedy = `Rename it to ${KNOWN.join(', ')} or *${CSDL_SUFFIX}, or leave it out.${didYouMean(name, KNOWN)}`;
  return { path: name, message: 'This is not the name of a model file.', remedy };
}

/** Throws: cli.model with all mistakes, unless there are only warnings. */
export function requireFaultless(file: string, mistakes: readonly Mistake[]): void {
  if (!hasMistakes(mistakes)) return;
  const details = mistakes.map(({ path, message, remedy }) => ({
    code: 'cli.model',
    target: path,
    message: `${message} ${remedy}`,
  }));
  throw new Fault('cli.model', { file }, { details });
}
