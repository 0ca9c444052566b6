// This file reads requests for imports: the collection in the path, and the options for turning rows into writes.
import type { Principal } from '../../access/principal.ts';
import { Fault, notAllowed } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { targetCollection } from '../../bind/bind-write.ts';
import { type KeyPart, propertyPath } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Tree } from '../../request/tree.ts';
import type { Call, Service } from '../service.ts';
import { type RequestTrace, readTree, scopeOf } from '../stage-inputs.ts';
import { keysOf } from './record-keys.ts';

const ACTION = 'Docket.System.Import';

const PATH = /^(.*)\/Docket\.System\.Import(?:\(\))?\/?$/;

const OPTIONS = ['mode', 'key', 'map', 'headings', 'formulas'] as const;

const MODES = ['insert', 'update', 'upsert'] as const;

/** What identifies the record that a row updates. */
interface ImportKey {
  readonly parts: readonly KeyPart[];
  /** Whether the service generates it, so that no record can be created with a given one. */
  readonly isGenerated: boolean;
}

export interface ImportRequest {
  readonly call: Call;
  readonly service: Service;
  readonly principal: Principal;
  /** The request to the collection. */
  readonly tree: Tree;
  /** The path of the collection, percent-encoded. */
  readonly path: string;
  readonly source: Source;
  readonly mode: (typeof MODES)[number];
  readonly key: ImportKey;
  /** Paths of properties by heading. An empty path omits the column. */
  readonly mapping: ReadonlyMap<string, string>;
  readonly headings: 'names' | 'labels' | undefined;
  readonly keepsFormulas: boolean;
  /** Whether the errors are returned as CSV. */
  readonly answersCsv: boolean;
}

/** Whether the path ends with the action. */
export function isImport({ path }: Pick<Call, 'path'>): boolean {
  return path.includes(ACTION) && PATH.test(decodedIfPossible(path));
}

/** Throws: request.method, request.not-acceptable, import.option, import.target, import.key, and the faults of parsing and binding. */
export function readImportRequest(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): ImportRequest {
  if (call.method !== 'POST') throw notAllowed(call.method, ['POST']);
  const path = PATH.exec(call.path)?.[1] ?? '';
  const answersCsv = /^\s*text\/csv\b/i.test(call.headers.accept ?? '');
  const headers = answersCsv ? { ...call.headers, accept: undefined } : call.headers;
  const collection: Call = { ...call, path, headers, body: undefined };
  const tree = readTree(collection, service, trace);
  requireKnownOptions(call.query);
  const { row } = targetCollection(tree, scopeOf(collection, service));
  if (row.type.hasStream === true) throw new Fault('import.target');
  if (tree.negotiated.format.kind !== 'json') {
    const supported = 'imports return application/json or text/csv';
    throw new Fault('request.not-acceptable', { accept: headers.accept ?? '', supported });
  }
  const { custom } = tree.options;
  const source = { ...row.source, type: row.type };
  return {
    call,
    service,
    principal,
    tree,
    path,
    source,
    mode: choiceOf(custom, 'mode', MODES) ?? 'insert',
    key: keyOf(textOf(custom, 'key'), source, service),
    mapping: mappingOf(textOf(custom, 'map')),
    headings: choiceOf(custom, 'headings', ['names', 'labels'] as const),
    keepsFormulas: choiceOf(custom, 'formulas', ['escape', 'keep'] as const) === 'keep',
    answersCsv,
  };
}

function requireKnownOptions(query: string): void {
  for (const [name] of new URLSearchParams(query)) {
    if ((OPTIONS as readonly string[]).includes(name)) continue;
    const parameters = { name, permitted: OPTIONS.join(', '), hint: didYouMean(name, OPTIONS) };
    throw new Fault('import.option', parameters, { target: name });
  }
}

type Custom = Tree['options']['custom'];

/** Throws: import.value. */
function textOf(custom: Custom, name: string): string | undefined {
  const [text, ...others] = custom.get(name) ?? [];
  if (others.length > 0 || text === '')
    throw new Fault('import.value', { name, expected: 'one value' }, { target: name });
  return text;
}

function choiceOf<Choice extends string>(
  custom: Custom,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textOf(custom, name);
  const choice = choices.find((one) => one === text);
  if (text !== undefined && choice === undefined)
    throw new Fault('import.value', { name, expected: choices.join(', ') }, { target: name });
  return choice;
}

/** `Column:Property,Other column:Assignment/Workgroup/Name`. The last colon separates, since paths have none. */
function mappingOf(text: string | undefined): ReadonlyMap<string, string> {
  const mapping = new Map<string, string>();
  for (const item of text?.split(',') ?? []) {
    const colon = item.lastIndexOf(':');
    const heading = item.slice(0, colon).trim();
    if (colon <= 0 || mapping.has(heading)) {
      const expected = 'Column:Property, with each column once and separated by commas';
      throw new Fault('import.value', { name: 'map', expected }, { target: 'map' });
    }
    mapping.set(heading, item.slice(colon + 1).trim());
  }
  return mapping;
}

/** Whether the name is that of the collection whose items have the key. */
function isCollectionOf(key: readonly KeyPart[], [name, ...others]: readonly string[]): boolean {
  return others.length === 0 && key.every(({ path }) => path.startsWith(`${name}/`));
}

/** The key or alternate key with the properties, by default the key. Throws: import.key. */
function keyOf(text: string | undefined, { type }: Source, { model }: Service): ImportKey {
  const keys = keysOf(model, type);
  const names = text?.split(',').map((name) => name.trim());
  const parts =
    names === undefined
      ? keys[0]
      : keys.find(
          (key) =>
            isCollectionOf(key, names) ||
            (key.length === names.length && key.every(({ path }) => names.includes(path))),
        );
  if (parts === undefined) {
    const permitted = keys.map((key) => key.map(({ path }) => path).join(',')).join(' or ');
    throw new Fault(
      'import.key',
      { type: type.name, key: text ?? '', permitted },
      { target: 'key' },
    );
  }
  const isGenerated = parts.some(({ path }) =>
    propertyPath(model, type, path)?.some(({ computed }) => computed === true),
  );
  return { parts, isGenerated };
}
