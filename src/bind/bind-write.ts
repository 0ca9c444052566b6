// This file is the entry point for write requests: it turns path and body into a bound write, or throws one fault that lists all
// errors of the body. write/write-target.ts resolves the target; the other files of write/ bind one kind of write each.
// OData Protocol 4.01, "Data Modification".
import { Fault, invariant, notAllowed, unreachable } from '../base/fault.ts';
import { type Model, type Operation, simpleName } from '../edm/model.ts';
import type { JsonInput } from '../edm/value/lossless-json.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../request/cursor.ts';
import { misplacedOption, type OptionName } from '../request/options/option-names.ts';
import { readPath } from '../request/path.ts';
import type { Options, Tree } from '../request/tree.ts';
import { pathFrame, placeOfTree } from './bind-read.ts';
import { readParameters } from './body/action-parameters.ts';
import type { Body } from './body/body-context.ts';
import { Mistakes, type ValueScope } from './body/body-errors.ts';
import { type BodyLimits, checkBody, DEFAULT_BODY_LIMITS } from './body/body-limits.ts';
import { readEntity } from './body/entity-body.ts';
import { expandWrittenEntities } from './body/expand-written-entities.ts';
import { type TemplateValue, templateBody } from './body/template-body.ts';
import { readTransition } from './body/transition-parameters.ts';
import type { UploadedFile } from './body/uploaded-file-names.ts';
import type { Rows } from './bound.ts';
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
import {
  findTarget,
  placeOfRows,
  readOfOne,
  type Write,
  type WriteTarget,
} from './write/write-target.ts';

/** The context of a write, in addition to that of a read. */
export interface WriteScope extends Scope {
  readonly root: string;
  readonly codes: CodeBook;
  /** URLs of entities created earlier in the same batch, by Content-ID. */
  readonly contentIds?: ReadonlyMap<string, string>;
  readonly bodyLimits?: BodyLimits;
  /** Whether the write is a record of a load. */
  readonly isLoad?: boolean | undefined;
  /** Whether the service itself writes. */
  readonly isService?: boolean | undefined;
  /** The file metadata of the request, if its body is a file. */
  readonly sent?: UploadedFile;
  /** Called for each valid entity reference in the body, even if other parts of the body have errors. */
  readonly onReference?: (reference: Reference) => void;
}

/**
 * Binds a write. `input` is the losslessly parsed JSON body; undefined if there is no body or it is not JSON (streams).
 * Throws: write.body with all errors of the body in its details, request.method, request.misplaced-option, write.too-deep,
 * write.too-large, write.read-only, write.null, not-built, and the codes of walkPath.
 */
export function bindWrite(tree: Tree, input: JsonInput | undefined, scope: WriteScope): BoundWrite {
  if (tree.method === 'OPTIONS') return rejectMethodOptions(tree, scope);
  if (input !== undefined) checkBody(input, scope.bodyLimits ?? DEFAULT_BODY_LIMITS);
  const session = startSession(scope);
  const body = newBody(session, tree, scope);
  checkOptions(tree, scope);
  const target = findTarget(session, tree);
  checkEach(tree, target);
  const bound = bindTarget({ tree, body, input, sent: scope.sent }, target);
  body.mistakes.raise();
  return withResult(session, tree, bound);
}

/** OPTIONS returns 405 with the allowed methods, like every unsupported method. Its body is ignored. Throws: request.method. */
function rejectMethodOptions(tree: Tree, scope: WriteScope): never {
  const session = startSession(scope);
  const write = { tree, body: newBody(session, tree, scope), input: undefined, sent: undefined };
  bindTarget(write, findTarget(session, tree));
  throw notAllowed('OPTIONS', ['GET']);
}

/**
 * Whether the body of the write is the content of a media entity, new or existing, or of a stream property.
 * Throws: the codes of walkPath.
 */
export function hasBinaryBody(tree: Tree, scope: WriteScope): boolean {
  const { method } = tree;
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return false;
  const target = findTarget(startSession(scope), tree);
  if (target.kind === 'stream') return true;
  return (
    target.kind === 'entities' && method === 'POST' && target.read.rows.row.type.hasStream === true
  );
}

/** The rows of the collection that a POST to the path adds an entity to. Throws: import.target, and the codes of walkPath. */
export function targetCollection(tree: Tree, scope: Scope): Rows {
  const target = findTarget(startSession(scope), tree);
  if (target.kind !== 'entities') throw new Fault('import.target');
  return target.read.rows;
}

/** A response with a representation expands at least the related entities that the request has written. Throws: write.not-shown. */
function withResult(session: Session, tree: Tree, bound: BoundWrite): BoundWrite {
  const preferred = tree.negotiated.prefer.return;
  const isReturned =
    bound.kind === 'change' &&
    (preferred ?? (bound.create === undefined ? 'minimal' : 'representation')) === 'representation';
  if (bound.kind !== 'create' && !isReturned) return bound;
  const expandingTree = expandWrittenEntities(session.scope.model, tree, bound.input);
  if (expandingTree === undefined) return bound;
  const target = orNotShown(() => findTarget(session, expandingTree));
  invariant(target.kind === 'entities' || target.kind === 'entity', 'an entity is written');
  const result = bound.kind === 'create' ? createdRead(target.read) : readOfOne(target.read);
  return { ...bound, result };
}

/** A body may nest related entities deeper, or in greater number, than $expand allows. Throws: write.not-shown. */
function orNotShown(find: () => WriteTarget): WriteTarget {
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

/** The stored values of a template. */
interface TemplateInput {
  readonly values: readonly TemplateValue[];
  /** Parses JSON losslessly. Throws a Fault. */
  readonly readJson: (text: string) => JsonInput;
}

/** Binds the template of a new entity like a request body. Throws: write.template with all its errors in the details. */
export function bindTemplate(
  tree: Tree,
  { into, input }: BoundWrite & { readonly kind: 'create' },
  { values, readJson }: TemplateInput,
  scope: WriteScope,
): EntityInput {
  const { model } = scope;
  const body = newBody(startSession(scope), tree, scope);
  const { mistakes } = body;
  const { source } = into;
  const members = templateBody({ model, mistakes, source, readJson }, input.type, values);
  const place = {
    source,
    type: input.type,
    mode: 'create',
    target: '',
    supplied: suppliedBy(model, into),
  } as const;
  const bound = readEntity(
    { ...body, version: '4.01', isTemplate: true, parameters: undefined },
    place,
    members,
  );
  const inner = templateOf(model, bound);
  if (inner !== undefined) mistakes.add('write.template-inside', {}, inner.target);
  if (mistakes.count === 0) return bound;
  const [first] = mistakes.details;
  const reason = `its values are not valid. ${first?.message ?? ''}`;
  const target = templateOf(model, input)?.target ?? '';
  throw new Fault('write.template', { reason }, { target, details: mistakes.details });
}

/** The template that a new entity refers to, if any. */
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
  const parameters = readParameters(body, operation, input);
  const invoke = { kind: 'invoke', address, operation, ...parameters } as const;
  if (on === undefined) return invoke;
  if (operation.engine === 'transition') {
    const transition = readTransition(body, placeOfRows(on.rows, 'merge'), input);
    return { ...invoke, transition, ...(on.each ? { members: on.rows } : { rows: on.rows }) };
  }
  if (on.each) return { ...invoke, members: on.rows };
  return on.many ? { ...invoke, collection: on.rows } : { ...invoke, rows: on.rows };
}

// ---- the body -------------------------------------------------------------------------------------------------------

function newBody(session: Session, tree: Tree, scope: WriteScope): Body {
  const { model, parameters } = scope;
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
    version: tree.negotiated.bodyVersion,
    rowId: session.rowId,
    reference: (request) => {
      body.countEntity();
      const reference = readReference(references, request);
      if (reference !== undefined) scope.onReference?.(reference);
      return reference;
    },
    entity: readEntity,
    namesTemplate: (entity) => templateOf(model, entity) !== undefined,
    isTemplate: false,
    isLoad: scope.isLoad === true,
    isService: scope.isService === true,
    parameters,
  };
  return body;
}

/** The context for reading values of the body. */
function valueScope(
  tree: Tree,
  { model, codes }: Pick<WriteScope, 'model' | 'codes'>,
): Omit<ValueScope, 'mistakes'> {
  return { model, codes, language: codeLanguage(tree, model.definition.languages) };
}

/** The first language of Accept-Language in which the model has texts, else its default language. */
function codeLanguage({ negotiated }: Tree, installed: readonly string[]): string {
  const accepted = negotiated.languages.map((tag) => tag.toLowerCase().split('-')[0]);
  const found = accepted.flatMap((tag) => installed.filter((one) => one.toLowerCase() === tag));
  return found[0] ?? installed[0] ?? 'en';
}

function referenceScope(
  session: Session,
  tree: Tree,
  { root, contentIds = new Map(), parameters }: WriteScope,
  values: ValueScope,
): ReferenceScope {
  const frame = { ...pathFrame(session, tree.options), aliases: new Map(), custom: new Map() };
  const walk = (path: string, target: string) => {
    const known = parameters?.referenceAt(target);
    return walkPath(frame, known ?? readPath(path, new Budget(DEFAULT_TREE_LIMITS)).path);
  };
  return { ...values, root, contentIds, walk };
}

// ---- options --------------------------------------------------------------------------------------------------------

type QueryOption = keyof Options & OptionName;

/** Options that select rows or parts of them. A write does so by its path. */
const READ_OPTIONS: readonly QueryOption[] = [
  'apply',
  'compute',
  'count',
  'orderby',
  'skip',
  'top',
  'skiptoken',
  'deltatoken',
];
const EACH_OPTIONS: readonly QueryOption[] = ['filter', 'search'];

/** Options that shape the response. Only one form of DELETE returns a representation: removing a reference. */
const RESPONSE_OPTIONS: readonly QueryOption[] = ['select', 'expand'];

const QUERY_OPTIONS = [...READ_OPTIONS, ...RESPONSE_OPTIONS, ...EACH_OPTIONS];

/** Throws: request.misplaced-option, and the codes of walkPath. */
function checkOptions(tree: Tree, scope: WriteScope): void {
  const { method, options, path } = tree;
  const given = QUERY_OPTIONS.filter((name) => options[name] !== undefined);
  if (given.length > 0) rejectMisplaced(given, optionRules(tree, scope));
  const place = `with ${method}`;
  if (options.id !== undefined && !isReference(tree) && path.segments[0]?.kind !== 'entity')
    throw misplacedOption('id', place, []);
  if (options.index !== undefined && method !== 'POST') throw misplacedOption('index', place, []);
}

interface OptionRules {
  readonly place: string;
  readonly rejected: readonly QueryOption[];
  /** Options that the message recommends. */
  readonly allowed: readonly QueryOption[];
}

function rejectMisplaced(
  given: readonly QueryOption[],
  { place, rejected, allowed }: OptionRules,
): void {
  const misplaced = given.find((name) => rejected.includes(name));
  if (misplaced !== undefined) throw misplacedOption(misplaced, place, allowed);
}

/** If there is no response body, all options are rejected here: later errors would suggest options that a write cannot use. */
function optionRules(tree: Tree, scope: WriteScope): OptionRules {
  const { method, path } = tree;
  const action = method === 'POST' ? actionWithoutQuery(tree, scope) : undefined;
  if (action !== undefined) {
    const reason =
      action.returns === undefined ? 'has no result' : 'always returns all of its result';
    const place = `with ${simpleName(action.name)}, which ${reason}`;
    return { place, rejected: QUERY_OPTIONS, allowed: [] };
  }
  const place = `with ${method}`;
  if (method !== 'DELETE' || isReference(tree))
    return { place, rejected: READ_OPTIONS, allowed: RESPONSE_OPTIONS };
  const isEach = path.segments.some(({ kind }) => kind === 'each');
  const rejected = isEach ? [...READ_OPTIONS, ...RESPONSE_OPTIONS] : QUERY_OPTIONS;
  return { place, rejected, allowed: [] };
}

function isReference({ path }: Tree): boolean {
  return path.segments.at(-1)?.kind === 'ref';
}

/** The action of the request if it has no result, or one that the engine calculates without a query. */
function actionWithoutQuery(tree: Tree, scope: WriteScope): Operation | undefined {
  const place = placeOfTree(pathFrame(startSession(scope), tree.options), tree);
  if (place.kind !== 'action') return undefined;
  const { operation } = place;
  const isQueried = operation.returns !== undefined && operation.expression !== undefined;
  return isQueried ? undefined : operation;
}

/** $filter and $search are allowed with `/$each` only. Throws: request.misplaced-option. */
function checkEach({ method, options }: Tree, target: WriteTarget): void {
  if (target.kind === 'each') return;
  const misplaced = EACH_OPTIONS.find((name) => options[name] !== undefined);
  if (misplaced !== undefined) throw misplacedOption(misplaced, `with ${method}`, RESPONSE_OPTIONS);
}
