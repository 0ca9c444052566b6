// This file reads the files of a model: one CSDL JSON file, or a directory with CSDL JSON files, tables and roles.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { joinDocuments, type NamedDocument } from '../edm/csdl/join-documents.ts';
import { hasMistakes } from '../edm/lint/lint.ts';
import type { Mistake } from '../edm/model-error.ts';
import { CODE_LISTS_FILE, CODES_FILE } from '../edm/tables/code-tables.ts';
import type { TextFile } from '../edm/tables/csv.ts';
import { LABELS_FILE } from '../edm/tables/label-table.ts';
import type { JsonInput } from '../edm/value/lossless-json.ts';
import { readJson } from '../service/json-body.ts';
import { readBytes } from './config/read-file.ts';
import { reasonOf } from './system-errors.ts';

/** The directory of the built-in model; src and dist are on the same level. */
export const BUILT_IN_MODEL = join(import.meta.dirname, '../../models/service-desk');

const CSDL_SUFFIX = '.csdl.json';
export const ROLES_FILE = 'roles.json';
export const DEMO_FILE = 'demo.json';
const TABLES = [CODE_LISTS_FILE, CODES_FILE, LABELS_FILE];
const KNOWN = [...TABLES, ROLES_FILE, DEMO_FILE];

/** What the files of a model say, not yet understood. */
export interface ModelSource {
  /** The CSDL of all files. */
  readonly document: JsonInput;
  /** By name: `codes.csv`. */
  readonly tables: ReadonlyMap<string, TextFile>;
  readonly mistakes: readonly Mistake[];
  /** Names the file in the path of a mistake of the CSDL. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Raises a Fault or SyntaxError for what is not JSON. */
type ReadJson = (bytes: Uint8Array) => JsonInput;

/** Reads a file or directory. Fault cli.file. */
export function readModelSource(path: string): ModelSource {
  if (isDirectory(path)) return readModelDirectory(path, readJson);
  const document = readJson(readBytes(path));
  return { document, tables: new Map(), mistakes: [], locate: (mistake) => mistake };
}

/**
 * Reads a directory; CSDL files in the order of their names. Fault cli.file.
 * @param parse reads JSON; a Fault that it raises becomes a mistake of the file
 */
export function readModelDirectory(path: string, parse: ReadJson): ModelSource {
  const mistakes: Mistake[] = [];
  const names = filesOf(path);
  const documents = names
    .filter((name) => name.endsWith(CSDL_SUFFIX))
    .flatMap((name): readonly NamedDocument[] => {
      const document = parseFile(path, name, { parse, mistakes });
      return document === undefined ? [] : [{ name, document }];
    });
  const tables = new Map(
    names
      .filter((name) => TABLES.includes(name))
      .map((name) => [name, { name, text: new TextDecoder().decode(readBytes(join(path, name))) }]),
  );
  mistakes.push(...names.flatMap(unknownFile));
  if (mistakes.length === 0 && !names.some(isModelFile)) mistakes.push(nothingIn(path));
  const joined = joinDocuments(documents);
  return {
    document: documents.length === 0 ? { $Version: '4.01' } : joined.document,
    tables,
    mistakes: [...mistakes, ...joined.mistakes],
    locate: joined.locate,
  };
}

/** A JSON file of a model directory; undefined when there is none, or when it is not JSON. Fault cli.file. */
export function readModelJson(
  path: string,
  name: string,
  mistakes: Mistake[],
  parse: ReadJson = readJson,
): JsonInput | undefined {
  if (!isDirectory(path) || !filesOf(path).includes(name)) return undefined;
  return parseFile(path, name, { parse, mistakes });
}

function parseFile(
  path: string,
  name: string,
  { parse, mistakes }: { readonly parse: ReadJson; readonly mistakes: Mistake[] },
): JsonInput | undefined {
  const bytes = readBytes(join(path, name));
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof Fault || error instanceof SyntaxError)) throw error;
    const reason = error.message.replace('The body', 'The file');
    mistakes.push({ path: name, message: reason, remedy: 'Correct the JSON.' });
    return undefined;
  }
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

function nothingIn(path: string): Mistake {
  const remedy = `Name a directory that has *${CSDL_SUFFIX}, ${KNOWN.join(' or ')}.`;
  return { path, message: 'The directory has no file of a model.', remedy };
}

/** A table or CSDL file with a name of its own would silently not be read. Notes beside the model are left alone. */
function unknownFile(name: string): readonly Mistake[] {
  const isMeant = /\.(csv|json)$/i.test(name) && !name.startsWith('.');
  if (!isMeant || isModelFile(name)) return [];
  const remedy = `Name it ${KNOWN.join(', ')} or *${CSDL_SUFFIX}, or move it elsewhere.${didYouMean(name, KNOWN)}`;
  return [{ path: name, message: 'No file of a model has this name.', remedy }];
}

/** Fault cli.model with every mistake; warnings alone raise none. */
export function requireFaultless(file: string, mistakes: readonly Mistake[]): void {
  if (!hasMistakes(mistakes)) return;
  const details = mistakes.map(({ path, message, remedy }) => ({
    code: 'cli.model',
    target: path,
    message: `${message} ${remedy}`,
  }));
  throw new Fault('cli.model', { file }, { details });
}
