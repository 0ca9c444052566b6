// This file is the door of the writing side: path and body of a request become a bound write, or one fault with all mistakes of the
// body. What a path is about is found by write-path.ts; what each kind of write says is bound by the files named bind-….
// OData Protocol 4.01, "Data Modification".
import { Fault, unreachable } from '../base/fault.ts';
import type { JsonInput } from '../edm/json.ts';
import type { Navigation } from '../edm/model.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../request/cursor.ts';
import { readOptions } from '../request/options.ts';
import { readPath } from '../request/path.ts';
import type { Options, Tree } from '../request/tree.ts';
import { readParameters } from './action-payload.ts';
import { bind } from './bind.ts';
import { bindChange, bindCollection, bindCreate, bindDelete, bindEach } from './bind-entity.ts';
import { bindProperty, bindStream } from './bind-property.ts';
import { bindRelation } from './bind-relation.ts';
import type { Body } from './body.ts';
import { type BodyLimits, checkBody, DEFAULT_BODY_LIMITS } from './body-limits.ts';
import type { BoundRead } from './bound.ts';
import type { CodeBook } from './codes.ts';
import { Mistakes } from './mistakes.ts';
import { readEntity } from './payload.ts';
import { type ReferenceScope, readReference } from './reference.ts';
import type { Scope } from './scope.ts';
import { findTarget, notAllowed, type WriteTarget } from './write-path.ts';
import type { Write } from './write-request.ts';
import type { BoundWrite } from './writing.ts';

/** What holds for writes besides what holds for readings. */
export interface WriteScope extends Scope {
  readonly root: string;
  readonly codes: CodeBook;
  /** URLs of what earlier parts of the same batch made, by Content-ID. */
  readonly contentIds?: ReadonlyMap<string, string>;
  readonly bodyLimits?: BodyLimits;
  /** Whether an entity bound by the navigation supplies what the body leaves out. */
  readonly isTemplate?: (navigation: Navigation) => boolean;
}

/**
 * Binds a write. `input` is the body, read without loss; undefined where there is none, or where it is no JSON (streams).
 * Faults: write.body with all mistakes of the body in its details, request.method, request.misplaced-option, write.too-deep,
 * write.too-large, write.read-only, write.null, not-built, and those of binding a path.
 */
export function bindWrite(tree: Tree, input: JsonInput | undefined, scope: WriteScope): BoundWrite {
  if (input !== undefined) checkBody(input, scope.bodyLimits ?? DEFAULT_BODY_LIMITS);
  const body = newBody(tree, scope);
  const target = findTarget(scope.model, tree, (asked) => bind(asked, scope));
  checkOptions(tree, target);
  const bound = bindTarget({ tree, body, input }, target);
  body.mistakes.raise();
  return bound;
}

function bindTarget(write: Write, target: WriteTarget): BoundWrite {
  switch (target.kind) {
    case 'entities':
      return write.tree.method === 'POST'
        ? bindCreate(write, target.read)
        : bindCollection(write, target.read);
    case 'entity':
      return write.tree.method === 'DELETE'
        ? bindDelete(write, target.read)
        : bindChange(write, target.read);
    case 'each':
      return bindEach(write, target.read);
    case 'references':
      return bindRelation(write, target);
    case 'property':
      return bindProperty(write, target);
    case 'stream':
      return bindStream(write, target);
    case 'action':
      return bindAction(write, target);
    default:
      return unreachable(target);
  }
}

function bindAction(
  { tree, body, input }: Write,
  { operation, read }: WriteTarget & { readonly kind: 'action' },
): BoundWrite {
  if (tree.method !== 'POST') throw notAllowed(tree.method, ['POST']);
  const given = readParameters(body, operation, input);
  const isMany = read?.wanted.kind === 'entities';
  const binding =
    read === undefined ? {} : isMany ? { collection: read.rows } : { rows: read.rows };
  return { kind: 'invoke', address: read?.address ?? [], operation, ...given, ...binding };
}

// ---- the body -------------------------------------------------------------------------------------------------------

/** Row variables that the reading of a body makes are numbered from here, those of paths from zero. */
const FIRST_ROW = 1_000_000;

function newBody(tree: Tree, scope: WriteScope): Body {
  const { model, codes, isTemplate } = scope;
  const language = codeLanguage(tree, model.definition.languages);
  const mistakes = new Mistakes();
  const values = { model, codes, language, mistakes };
  const references = referenceScope(tree, scope, values);
  let rows = FIRST_ROW;
  return {
    ...values,
    version: tree.wishes.bodyVersion,
    rowId: () => rows++,
    reference: (asked) => readReference(references, asked),
    entity: readEntity,
    mayLack: ({ links }) => links.some(({ navigation }) => isTemplate?.(navigation) === true),
  };
}

/** The first language that the client wants and that texts are there in. */
function codeLanguage({ wishes }: Tree, installed: readonly string[]): string {
  const wanted = wishes.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  return installed.find((language) => wanted[0] === language.toLowerCase()) ?? installed[0] ?? 'en';
}

function referenceScope(
  tree: Tree,
  scope: WriteScope,
  values: Pick<Body, 'model' | 'codes' | 'language' | 'mistakes'>,
): ReferenceScope {
  const { root, contentIds = new Map() } = scope;
  return { ...values, root, contentIds, address: (path) => bindAddress(tree, path, scope) };
}

/** The reading of a URL that stands in a body. Faults: those of reading and binding a path. */
function bindAddress(tree: Tree, raw: string, scope: Scope): BoundRead {
  const budget = new Budget(DEFAULT_TREE_LIMITS);
  const { path } = readPath(raw, budget);
  const bound = bind({ ...tree, method: 'GET', path, options: readOptions([], budget) }, scope);
  if (bound.kind !== 'read') {
    throw new Fault('bind.unknown-resource', { name: raw.slice(0, 100), hint: '' });
  }
  return bound;
}

// ---- options --------------------------------------------------------------------------------------------------------

type OptionName = keyof Options & string;

/** Options that say which rows, or which part of them; a write says that by its path. */
const OPTIONS_OF_READING: readonly OptionName[] = [
  'apply',
  'compute',
  'search',
  'filter',
  'count',
  'orderby',
  'skip',
  'top',
  'skiptoken',
  'deltatoken',
];

/** Faults: request.misplaced-option. */
function checkOptions({ method, options, path }: Tree, target: WriteTarget): void {
  const isEach = target.kind === 'each';
  const misplaced = OPTIONS_OF_READING.find(
    (name) => options[name] !== undefined && !(isEach && (name === 'filter' || name === 'search')),
  );
  if (misplaced !== undefined) {
    throw misplacedOption(
      `$${misplaced}`,
      `with ${method}`,
      'leave it out, or address the rows with /$filter(…)/$each',
    );
  }
  const isReference = target.kind === 'references' || path.segments[0]?.kind === 'entity';
  if (options.id !== undefined && !isReference) {
    throw misplacedOption('$id', `with ${method}`, 'use it with DELETE …/$ref');
  }
  if (options.index !== undefined && method !== 'POST') {
    throw misplacedOption('$index', `with ${method}`, 'use it with POST to an ordered collection');
  }
}

function misplacedOption(name: string, place: string, instead: string): Fault {
  return new Fault('request.misplaced-option', { name, place, instead }, { target: name });
}
