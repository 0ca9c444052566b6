// This file joins the CSDL JSON documents of a model directory into one, in which each element is described once, and finds out which
// document a JSON path of the joined one belongs to.

import { type Mistake, memberPath } from '../model-error.ts';
import {
  isJsonList,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  showInput,
} from '../value/lossless-json.ts';

/** A document and the name of its file. */
export interface NamedDocument {
  readonly name: string;
  readonly document: JsonInput;
}

interface JoinedDocument {
  readonly document: JsonInput;
  readonly mistakes: readonly Mistake[];
  /** The mistake with the name of the file in front of its path. */
  readonly locate: (mistake: Mistake) => Mistake;
}

/** Documents that have the same namespace add their elements to it. */
export function joinDocuments(documents: readonly NamedDocument[]): JoinedDocument {
  const joining: Joining = { files: new Map(), mistakes: [] };
  const joined: Draft = {};
  for (const { name, document } of documents) {
    if (isJsonObject(document))
      joinMembers(joining, joined, document, { name, path: '$', depth: 0 });
    else {
      const message = `An object belongs here, but ${showInput(document)} was found.`;
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

/** An object of a file: its JSON path, and how deep it is in the document. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
}

function joinMembers(joining: Joining, target: Draft, source: JsonObject, place: Place): void {
  for (const [name, value] of Object.entries(source)) {
    const path = memberPath(place.path, name);
    const old = Object.hasOwn(target, name) ? target[name] : undefined;
    if (old === undefined) joining.files.set(path, place.name);
    if (isShared(name, place.depth) && isJsonObject(value)) {
      const members: Draft = isJsonObject(old) ? old : {};
      target[name] = members;
      joinMembers(joining, members, value, { ...place, path, depth: place.depth + 1 });
    } else if (old === undefined) target[name] = value;
    // Overloads of an operation may be in several files.
    else if (isJsonList(old) && isJsonList(value)) target[name] = [...old, ...value];
    else if (old !== value) {
      const message = `${joining.files.get(path)} defines it already.`;
      const remedy = 'Remove it from one of the files.';
      joining.mistakes.push({ path: `${place.name}: ${path}`, message, remedy });
    }
  }
}

/** Several files may add to the references of the document, to a schema and to its annotations with targets. */
function isShared(name: string, depth: number): boolean {
  return depth === 0 || (depth === 1 && name === '$Annotations');
}

/** The longest path that a file is known for decides. */
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
