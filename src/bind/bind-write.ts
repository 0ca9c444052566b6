// This file is the door of the writing side: path and body of a request become a bound write, or one fault with all mistakes of the
// body. What a path is about is found by write-target.ts; what each kind of write says is bound by the files named bind-….
// OData Protocol 4.01, "Data Modification".
import { Fault, invariant, unreachable } from '../base/fault.ts';
import type { Model } from '../edm/model.ts';
import type { JsonInput } from '../edm/value/lossless-json.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../request/cursor.ts';
import { misplacedOption, type OptionName } from '../request/options/option-names.ts';
import { readPath } from '../request/path.ts';
import type { Options, Tree } from '../request/tree.ts';
import { pathFrame } from './bind-read.ts';
import { readParameters } from './body/action-parameters.ts';
import type { Body } from './body/body-context.ts';
import { Mistakes } from './body/body-errors.ts';
import { type BodyLimits, checkBody, DEFAULT_BODY_LIMITS } from './body/body-limits.ts';
import { type Lifting, referencePart } from './body/body-parameters.ts';
import { readEntity } from './body/entity-body.ts';
import { showingSent } from './body/expand-written-entities.ts';
import { type TemplateValue, templateBody } from './body/template-body.ts';
import type { SentFile } from './body/uploaded-file-names.ts';
import type { ValueScope } from './body/value-context.ts';
import type { CodeBook } from './codes.ts';
import { startSession } from './expression/expression.ts';
import { requireAvailable } from './expression/operation-call.ts';
import { type ReferenceScope, readReference } from './path/entity-url.ts';
import { walkPath } from './path/resource-path.ts';
import type { Scope, Session } from './scope.ts';
import type { BoundWrite, EntityInput, Reference } from './write/bound-write.ts';
import {
  bindChange,
  bindCollection,
  bindCreate,
  bindDelete,
  bindEach,
  createdRead,
  suppliedBy,
} from './write/entity-write.ts';
import { bindProperty, bindStream } from './write/property-write.ts';
import { bindRelation } from './write/reference-write.ts';
import { readOfOne, type Write } from './write/write-request.ts';
import { findTarget, notAllowed, type WriteTarget } from './write/write-target.ts';

/** What holds for writes besides what holds for readings. */
export interface WriteScope extends Scope {
  readonly root: string;
  readonly codes: CodeBook;
  /** URLs of what earlier parts of the same batch made, by Content-ID. */
  readonly contentIds?: ReadonlyMap<string, string>;
  readonly bodyLimits?: BodyLimits;
  /** Notes what can be lifted out of the body. */
  readonly lifting?: Lifting;
  /** Where the body is a file: what the request says of it. */
  readonly sent?: SentFile;
  /** Is told of each reference in the body that is one, also where the body has mistakes. */
  readonly onReference?: (reference: Reference) => void;
}

/**
 * Binds a write. `input` is the body, read without loss; undefined where there is none, or where it is no JSON (streams).
 * Faults: write.body with all mistakes of the body in its details, request.method, request.misplaced-option, write.too-deep,
 * write.too-large, write.read-only, write.null, not-built, and those of binding a path.
 */
export function bindWrite(tree: Tree, input: JsonInput | undefined, scope: WriteScope): BoundWrite {
  if (tree.method === 'OPTIONS') return refuseOptions(tree, scope);
  if (input !== undefined) checkBody(input, scope.bodyLimits ?? DEFAULT_BODY_LIMITS);
  const session = startSession(scope);
  const body = newBody(session, tree, scope);
  checkOptions(tree);
  const target = findTarget(session, tree);
  checkEach(tree, target);
  const bound = bindTarget({ tree, body, input, sent: scope.sent }, target);
  body.mistakes.raise();
  return withSent(session, tree, bound);
}

/** OPTIONS is refused as any method is that the resource does not have, with those that it has. Nothing is read of its body. */
function refuseOptions(tree: Tree, scope: WriteScope): never {
  const session = startSession(scope);
  const write = { tree, body: newBody(session, tree, scope), input: undefined, sent: undefined };
  bindTarget(write, findTarget(session, tree));
  throw notAllowed('OPTIONS', ['GET']);
}

/**
 * Whether the body of the write is the bytes of a stream: of a new media entity, of one that is there, or of a stream property.
 * Faults: those of binding a path.
 */
export function isBytes(tree: Tree, scope: WriteScope): boolean {
  const { method } = tree;
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return false;
  const target = findTarget(startSession(scope), tree);
  if (target.kind === 'stream') return true;
  return (
    target.kind === 'entities' && method === 'POST' && target.read.rows.row.type.hasStream === true
  );
}

/** An answer that shows the entity shows at least what was sent. */
function withSent(session: Session, tree: Tree, bound: BoundWrite): BoundWrite {
  const preferred = tree.wishes.prefer.return;
  const isShown =
    bound.kind === 'change' &&
    (preferred ?? (bound.create === undefined ? 'minimal' : 'representation')) === 'representation';
  if (bound.kind !== 'create' && !isShown) return bound;
  const wider = showingSent(tree, bound.input);
  if (wider === undefined) return bound;
  const target = showable(() => findTarget(session, wider));
  invariant(target.kind === 'entities' || target.kind === 'entity', 'an entity is written');
  const result = bound.kind === 'create' ? createdRead(target.read) : readOfOne(target.read);
  return { ...bound, result };
}

/** What is sent along may go deeper, or wider, than $expand does. Faults: write.not-shown. */
function showable(find: () => WriteTarget): WriteTarget {
  try {
    return find();
  } catch (error) {
    const isLimit = error instanceof Fault && error.code.startsWith('bind.expand-');
    throw isLimit ? new Fault('write.not-shown', { reason: error.message }) : error;
  }
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

/** What makes a body of the values of a template. */
export interface TemplateReading {
  readonly values: readonly TemplateValue[];
  /** Reads JSON without loss. Raises faults. */
  readonly readJson: (text: string) => JsonInput;
}

/**
 * What the template of a new entity says, bound like a body of its own. Faults: write.template with all that is wrong with it.
 */
export function bindTemplate(
  tree: Tree,
  { into, input }: BoundWrite & { readonly kind: 'create' },
  { values, readJson }: TemplateReading,
  scope: WriteScope,
): EntityInput {
  const { model } = scope;
  const body = newBody(startSession(scope), tree, scope);
  const { mistakes } = body;
  const { source } = into;
  const said = templateBody({ model, mistakes, source, readJson }, input.type, values);
  const place = {
    source,
    type: input.type,
    deed: 'create',
    target: '',
    supplied: suppliedBy(model, into),
  } as const;
  const bound = readEntity({ ...body, version: '4.01', isTemplate: true }, place, said);
  const inner = templateOf(model, bound);
  if (inner !== undefined) mistakes.add('write.template-inside', {}, inner.target);
  if (mistakes.count === 0) return bound;
  const [first] = mistakes.details;
  const reason = `its values do not fit. ${first?.message ?? ''}`;
  const target = templateOf(model, input)?.target ?? '';
  throw new Fault('write.template', { reason }, { target, details: mistakes.details });
}

/** The template that the body of a new entity names, if it does. */
export function templateOf(
  { definition: { templates } }: Model,
  { links }: Pick<EntityInput, 'links'>,
): Reference | undefined {
  const link = links.find(
    ({ navigation, path }) => path.length === 0 && navigation.name === templates?.navigation,
  );
  return link?.references[0];
}

function bindAction(
  { tree, body, input }: Write,
  { operation, on, address }: WriteTarget & { readonly kind: 'action' },
): BoundWrite {
  if (tree.method !== 'POST') throw notAllowed(tree.method, ['POST']);
  requireAvailable(operation);
  const given = readParameters(body, operation, input);
  const invoke = { kind: 'invoke', address, operation, ...given } as const;
  if (on === undefined) return invoke;
  if (on.each) return { ...invoke, members: on.rows };
  return on.many ? { ...invoke, collection: on.rows } : { ...invoke, rows: on.rows };
}

// ---- the body -------------------------------------------------------------------------------------------------------

function newBody(session: Session, tree: Tree, scope: WriteScope): Body {
  const { model, lifting } = scope;
  const values = { ...valueScope(tree, scope), mistakes: new Mistakes() };
  const references = referenceScope(session, tree, scope, values);
  const { entities: limit } = scope.bodyLimits ?? DEFAULT_BODY_LIMITS;
  let entities = 0;
  const body: Body = {
    ...values,
    countEntity: () => {
      entities += 1;
      if (entities > limit) throw new Fault('write.too-large', { what: 'entities', limit });
    },
    version: tree.wishes.bodyVersion,
    rowId: session.rowId,
    reference: (asked) => {
      body.countEntity();
      const reference = readReference(references, asked);
      if (reference !== undefined) scope.onReference?.(reference);
      return reference;
    },
    entity: readEntity,
    namesTemplate: (given) => templateOf(model, given) !== undefined,
    isTemplate: false,
    ...(lifting === undefined ? {} : { lifting }),
  };
  return body;
}

/** How values of the body are read. */
export function valueScope(
  tree: Tree,
  { model, codes }: Pick<WriteScope, 'model' | 'codes'>,
): Omit<ValueScope, 'mistakes'> {
  return { model, codes, language: codeLanguage(tree, model.definition.languages) };
}

/** The first language that the client wants and that texts are there in. */
function codeLanguage({ wishes }: Tree, installed: readonly string[]): string {
  const wanted = wishes.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  const found = wanted.flatMap((tag) => installed.filter((one) => one.toLowerCase() === tag));
  return found[0] ?? installed[0] ?? 'en';
}

function referenceScope(
  session: Session,
  tree: Tree,
  { root, contentIds = new Map() }: WriteScope,
  values: ValueScope,
): ReferenceScope {
  const frame = { ...pathFrame(session, tree.options), aliases: new Map(), custom: new Map() };
  const walk = (path: string, target: string) => {
    const part = { ...frame.part, name: referencePart(target) };
    return walkPath({ ...frame, part }, readPath(path, new Budget(DEFAULT_TREE_LIMITS)).path);
  };
  return { ...values, root, contentIds, walk };
}

// ---- options --------------------------------------------------------------------------------------------------------

type ReadingOption = keyof Options & OptionName;

/** Options that say which rows, or which part of them; a write says that by its path. */
const OPTIONS_OF_READING: readonly ReadingOption[] = [
  'apply',
  'compute',
  'count',
  'orderby',
  'skip',
  'top',
  'skiptoken',
  'deltatoken',
];
const OPTIONS_OF_EACH: readonly ReadingOption[] = ['filter', 'search'];

/** Options that say what an answer shows. That of DELETE shows nothing, save the entity that had the reference. */
const OPTIONS_OF_ANSWERS: readonly ReadingOption[] = ['select', 'expand'];

/** Faults: request.misplaced-option. */
function checkOptions(tree: Tree): void {
  const { method, options, path } = tree;
  const place = `with ${method}`;
  const isReference = path.segments.at(-1)?.kind === 'ref';
  const shown = method === 'DELETE' && !isReference ? [] : OPTIONS_OF_ANSWERS;
  const misplaced = meaningless(tree, shown).find((name) => options[name] !== undefined);
  if (misplaced !== undefined) throw misplacedOption(misplaced, place, shown);
  if (options.id !== undefined && !isReference && path.segments[0]?.kind !== 'entity')
    throw misplacedOption('id', place, []);
  if (options.index !== undefined && method !== 'POST') throw misplacedOption('index', place, []);
}

/** Where nothing is shown, this is said before the path is looked at: what would do for a reading there is no advice. */
function meaningless({ path }: Tree, shown: readonly ReadingOption[]): readonly ReadingOption[] {
  if (shown.length > 0) return OPTIONS_OF_READING;
  const isEach = path.segments.some(({ kind }) => kind === 'each');
  return [...OPTIONS_OF_READING, ...OPTIONS_OF_ANSWERS, ...(isEach ? [] : OPTIONS_OF_EACH)];
}

/** $filter and $search choose among the rows of `/$each` only. */
function checkEach({ method, options }: Tree, target: WriteTarget): void {
  if (target.kind === 'each') return;
  const misplaced = OPTIONS_OF_EACH.find((name) => options[name] !== undefined);
  if (misplaced !== undefined)
    throw misplacedOption(misplaced, `with ${method}`, OPTIONS_OF_ANSWERS);
}
