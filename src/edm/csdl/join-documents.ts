// This file joins the CSDL JSON documents of a model directory into one. Each element must be defined once, and mistakes in the joined
// document can be traced to the original file.

import { type Mistake, memberPath } from '../model-error.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  showInput,
} from '../value/lossless-json.ts';

/** A document with its file name. */
export interface NamedDocument {
  readonly name: string;
  readonly document: JsonInput;
}

interface JoinedDocument {
  readonly document: JsonInput;
  readonly mistakes: readonly Mistake[];
  /** Prefixes the path of a mistake with the file name. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Joins documents. Schemas of the same namespace are merged. */
export function joinDocuments(documents: readonly NamedDocument[]): JoinedDocument {
  const joining: Joining = { files: new Map(), mistakes: [] };
  const joined: Draft = {};
  for (const { name, document } of documents) {
    if (isJsonObject(document))
      joinMembers(joining, joined, document, { name, path: '$', depth: 0 });
    else {
      const message = `Expected an object, found ${showInput(document)}.`;
      joining.mistakes.push({ path: `${name}: $`, message, remedy: 'Write an object in braces.' });
    }
  }
  return {
    document: joined,
    mistakes: joining.mistakes,
    locate: (mistake) => locate(joining.files, mistake),
  };
}

type Draft = Record<string, JsonInput>;

interface Joining {
  /** The file of each schema, element and annotation, by JSON path. */
  readonly files: Map<string, string>;
  readonly mistakes: Mistake[];
}

/** The file, JSON path and nesting depth of an object. */
interface Location {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
}

function joinMembers(
  joining: Joining,
  target: Draft,
  source: JsonObject,
  location: Location,
): void {
  for (const [name, value] of Object.entries(source)) {
    const path = memberPath(location.path, name);
    const existing = Object.hasOwn(target, name) ? target[name] : undefined;
    if (existing === undefined) joining.files.set(path, location.name);
    if (isShared(name, location.depth) && isJsonObject(value)) {
      const members: Draft = isJsonObject(existing) ? existing : {};
      target[name] = members;
      joinMembers(joining, members, value, { ...location, path, depth: location.depth + 1 });
    } else if (existing === undefined) target[name] = value;
    // Overloads of an operation may be in several files.
    else if (isJsonArray(existing) && isJsonArray(value)) target[name] = [...existing, ...value];
    else if (existing !== value) {
      const message = `It is already defined in ${joining.files.get(path)}.`;
      const remedy = 'Remove it from one of the files.';
      joining.mistakes.push({ path: `${location.name}: ${path}`, message, remedy });
    }
  }
}

/** Several files may contribute to the references, to a schema and to its annotations with external targets. */
function isShared(name: string, depth: number): boolean {
  return depth === 0 || (depth === 1 && name === '$Annotations');
}

/** The file of the longest known path that contains the mistake. */
function locate(files: ReadonlyMap<string, string>, mistake: Mistake): Mistake {
  let found = '';
  for (const path of files.keys()) {
    const isInside =
      mistake.path === path ||
      (mistake.path.startsWith(path) && /^[.[]/.test(mistake.path.slice(path.length)));
    if (isInside && path.length > found.length) found = path;
  }
  const file = files.get(found);
  return file === undefined ? mistake : { ...mistake, path: `${file}: ${mistake.path}` };
}
