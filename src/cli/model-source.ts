// Reads the files of a model: a CSDL JSON file, or a directory with CSDL JSON files, CSV tables, roles and demo vocabulary.
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

/** The directory of the built-in model. The path is valid from src and from dist. */
export const BUILT_IN_MODEL = join(import.meta.dirname, '../../models/service-desk');

const CSDL_SUFFIX = '.csdl.json';
export const ROLES_FILE = 'roles.json';
export const DEMO_FILE = 'demo.json';
const TABLES = [CODE_LISTS_FILE, CODES_FILE, LABELS_FILE];
const KNOWN = [...TABLES, ROLES_FILE, DEMO_FILE];

/** The parsed but not yet interpreted files of a model. */
export interface ModelSource {
  /** The merged CSDL of all files. */
  readonly document: JsonInput;
  /** CSV tables by file name, such as `codes.csv`. */
  readonly tables: ReadonlyMap<string, TextFile>;
  readonly mistakes: readonly Mistake[];
  /** Adds the file name to the path of a CSDL mistake. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Parses JSON. Throws a Fault or a SyntaxError. */
type ReadJson = (bytes: Uint8Array) => JsonInput;

/** Reads a file or directory. Throws: cli.file, request.body. */
export function readModelSource(path: string): ModelSource {
  if (isDirectory(path)) return readModelDirectory(path, readJson);
  const document = readJson(readBytes(path));
  return { document, tables: new Map(), mistakes: [], locate: (mistake) => mistake };
}

/**
 * Reads a directory, with CSDL files in alphabetical order. Throws: cli.file.
 * @param parse parses JSON; its errors become mistakes of the file
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
  if (mistakes.length === 0 && !names.some(isModelFile)) mistakes.push(noModelFile(path));
  const joined = joinDocuments(documents);
  return {
    document: documents.length === 0 ? { $Version: '4.01' } : joined.document,
    tables,
    mistakes: [...mistakes, ...joined.mistakes],
    locate: joined.locate,
  };
}

/** A JSON file of a model directory; undefined if it does not exist or is not JSON. Throws: cli.file. */
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
    mistakes.push({ path: name, message: reason, remedy: 'Fix the JSON syntax.' });
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

function noModelFile(path: string): Mistake {
  const remedy = `Use a directory with *${CSDL_SUFFIX}, ${KNOWN.join(' or ')}.`;
  return { path, message: 'The directory contains no model files.', remedy };
}

/** Reports CSV and JSON files with unknown names, which would otherwise be ignored silently. Other files are allowed. */
function unknownFile(name: string): readonly Mistake[] {
  const isCandidate = /\.(csv|json)$/i.test(name) && !name.startsWith('.');
  if (!isCandidate || isModelFile(name)) return [];
  const remedy = `Rename it to ${KNOWN.join(', ')} or *${CSDL_SUFFIX}, or move it out of the directory.${didYouMean(name, KNOWN)}`;
  return [{ path: name, message: 'This is not the name of a model file.', remedy }];
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
