// This file renders the response to a read from its outcome, and is the entry point of the module. It decides the status (missing, null
// or found); conditional.ts decides about 304 and 412. It is long because all kinds of results share these statuses.
// OData 4.01 Protocol, "Requesting Data".
import { Fault, invariant, unreachable } from '../base/fault.ts';
import type { ChainOutcome, Outcome, OutcomeRow, ReadOutcome } from '../plan/outcome.ts';
import type {
  ChainPlan,
  CrossjoinPlan,
  DeltaPlan,
  EvaluationPlan,
  Output,
  Page,
  Paging,
  ReadResponse,
  ResponsePlan,
  Shape,
} from '../plan/read-plan.ts';
import { representationTag } from '../request/headers/entity-tags.ts';
import { printPath } from '../request/print/url.ts';
import type { Negotiated, Tree } from '../request/tree.ts';
import { writeAtom } from './atom/atom.ts';
import { deltaPage, requireRetained, type TrackedResponse, withDeltaToken } from './delta.ts';
import { renderDocument } from './document.ts';
import { contentType, type HeaderFacts, headersOf } from './headers.ts';
import { type JsonForm, jsonCollection, jsonForm, jsonObject, jsonValue } from './json-envelope.ts';
import { contextUrl, deltaLink, etagOf, nextLink } from './links.ts';
import type { CollectionPayload, Payload } from './payload.ts';
import { renderNumber, renderRaw, requirePrimitive } from './raw-value.ts';
import type { Answer } from './response.ts';
import type { Site } from './site.ts';

interface Rendering {
  readonly tree: Tree;
  readonly site: Site;
}

/** Renders the response to a read. Throws: response.not-found, request.not-acceptable. */
export function render(outcome: Outcome, plan: ResponsePlan, tree: Tree, site: Site): Answer {
  const rendering = { tree, site };
  switch (plan.kind) {
    case 'document':
      return renderDocument(plan, tree.negotiated, site);
    case 'read':
      return renderRead(rendering, plan, readOutcome(outcome));
    case 'evaluate':
      return renderEvaluation(rendering, plan, readOutcome(outcome));
    case 'chain':
      return renderChain(rendering, plan, outcome);
    case 'delta':
      return renderDelta(rendering, plan, outcome);
    case 'crossjoin':
      return renderCrossjoin(rendering, plan, readOutcome(outcome));
    default:
      return unreachable(plan);
  }
}

function readOutcome(outcome: Outcome): ReadOutcome {
  invariant(outcome.kind === 'read', `a read has the outcome ${outcome.kind}`);
  return outcome;
}

function renderRead(rendering: Rendering, plan: ReadResponse, outcome: ReadOutcome): Answer {
  const { output } = plan;
  switch (output.kind) {
    case 'entities':
    case 'references': {
      const tracked = withDeltaToken(plan, outcome);
      return renderPage(rendering, tracked, output, pageOf(rendering, tracked, outcome));
    }
    case 'entity':
    case 'reference':
      return renderOne(rendering, plan, output, outcome);
    case 'count':
      requireParent(rendering, outcome);
      return renderNumber(countOf(outcome), rendering.tree.negotiated);
    case 'property':
      return renderProperty(rendering, plan, output, outcome);
    case 'raw':
    case 'property-count':
      return renderText(rendering, output, outcome);
    case 'stream':
      return renderEmptyStream(rendering, outcome);
    default:
      return unreachable(output);
  }
}

/** Streams with content are sent by service/files; this renders streams without content. */
function renderEmptyStream(rendering: Rendering, { rows }: ReadOutcome): Answer {
  if (rows.length === 0) throw notFound(rendering);
  return empty(rendering);
}

// ---- statuses -------------------------------------------------------------------------------------------------------

function requireParent(rendering: Rendering, { parentExists }: ReadOutcome): void {
  if (parentExists === false) throw notFound(rendering);
}

function notFound({ tree }: Rendering): Fault {
  return new Fault('response.not-found', { path: printPath(tree.path).slice(0, 200) });
}

function empty({ tree }: Rendering): Answer {
  return { status: 204, headers: headersOf(tree.negotiated, {}), body: undefined };
}

function success(
  { tree }: Rendering,
  body: Answer['body'],
  { etag, applied, language }: HeaderFacts,
): Answer {
  const { negotiated } = tree;
  return {
    status: 200,
    headers: headersOf(negotiated, { type: typeOf(negotiated), etag, applied, language }),
    body,
  };
}

/** Content types; cached plans share their negotiated options. */
const types = new WeakMap<Negotiated, string>();

function typeOf(negotiated: Negotiated): string {
  const cached = types.get(negotiated);
  if (cached !== undefined) return cached;
  const type = contentType(negotiated.format, negotiated.version);
  types.set(negotiated, type);
  return type;
}

interface CachedContext {
  readonly root: string;
  readonly url: string;
}

const contexts = new WeakMap<Pick<ReadResponse, 'context'>, CachedContext>();

/** Returns the context URL of a plan, cached per plan, because most requests use the same root. */
function contextOf(plan: Pick<ReadResponse, 'context'>, { root }: Site): string {
  const cached = contexts.get(plan);
  if (cached?.root === root) return cached.url;
  const url = contextUrl(root, plan.context);
  contexts.set(plan, { root, url });
  return url;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

function writeBody({ tree, site }: Rendering, payload: Payload): string {
  const { format, version } = tree.negotiated;
  if (format.kind === 'xml') return writeAtom(payload, tree, site);
  invariant(format.kind === 'json', `records cannot be written as ${format.kind}`);
  return writeJson(jsonForm(format, version), payload);
}

function writeJson(form: JsonForm, payload: Payload): string {
  switch (payload.kind) {
    case 'entities':
    case 'references':
      return jsonCollection(form, payload.records, payload);
    case 'entity':
    case 'reference':
      return jsonObject(form, payload.record, payload.context);
    case 'value': {
      const { json, context, type, isTyped = false } = payload;
      const isObject = isTyped || (type.kind === 'complex' && !type.collection);
      return isObject ? jsonObject(form, json, context) : jsonValue(form, json, context);
    }
    default:
      return unreachable(payload);
  }
}

// ---- collections ----------------------------------------------------------------------------------------------------

/** Returns one page of a collection as records and the URL of the next page. Throws: response.not-found. */
export function readPage(
  outcome: Outcome,
  plan: ReadResponse | CrossjoinPlan,
  tree: Tree,
  site: Site,
): ResultPage {
  const rendering = { tree, site };
  const read = readOutcome(outcome);
  return plan.kind === 'read'
    ? pageOf(rendering, withDeltaToken(plan, read), read)
    : cutPage(rendering, plan, plan.select.page, read);
}

function pageOf(rendering: Rendering, plan: TrackedResponse, outcome: ReadOutcome): ResultPage {
  requireParent(rendering, outcome);
  return cutPage(rendering, plan, plan.select.page, outcome);
}

export interface ResultPage {
  readonly rows: readonly OutcomeRow[];
  readonly count: bigint | undefined;
  readonly next: string | undefined;
  /** Delta link of the last page, if changes are tracked. */
  readonly delta?: string | undefined;
}

interface PagedPlan {
  readonly paging?: Paging | undefined;
  readonly remaining?: number | undefined;
  /** Token of the delta link, if changes are tracked. */
  readonly deltatoken?: string | undefined;
}

/** Returns the rows of the page, without the extra row that only shows that there are more. */
function cutPage(
  { site, tree }: Rendering,
  { paging, remaining, deltatoken }: PagedPlan,
  page: Page | undefined,
  { rows, count, at }: ReadOutcome,
): ResultPage {
  if (page === undefined) return { rows, count, next: undefined };
  const shown = rows.length > page.limit ? rows.slice(0, page.limit) : rows;
  const hasMore = page.more && rows.length > shown.length;
  if (!hasMore || paging === undefined) {
    const delta = deltatoken === undefined ? undefined : deltaLink(site.root, tree, deltatoken);
    return { rows: shown, count, next: undefined, delta };
  }
  const offset = page.skip + shown.length;
  const last = shown.at(-1);
  return {
    rows: shown,
    count,
    next: nextLink(site.root, tree, { paging, last, offset, remaining, at, deltatoken }),
  };
}

interface PageOutput {
  readonly kind: CollectionPayload['kind'];
  readonly shape: Shape;
}

function renderPage(
  rendering: Rendering,
  plan: Pick<ReadResponse, 'context' | 'applied'>,
  { kind, shape }: PageOutput,
  { rows, count, next, delta }: ResultPage,
): Answer {
  const body = writeBody(rendering, {
    kind,
    records: rows.map((row) => row.json ?? 'null'),
    context: contextOf(plan, rendering.site),
    count,
    nextLink: next,
    deltaLink: delta,
    shape,
  });
  return success(rendering, body, { applied: plan.applied, language: shape.form.language });
}

/** Cuts the page out of the concatenated rows of the parts. */
function renderChain(rendering: Rendering, plan: ChainPlan, outcome: Outcome): Answer {
  invariant(outcome.kind === 'chain', `a chain has the outcome ${outcome.kind}`);
  const [first] = plan.parts;
  if (first === undefined) throw notFound(rendering);
  invariant(first.output.kind === 'entities', 'the parts of a chain are entities');
  const { limit, more, skip } = plan;
  const rows = outcome.parts.flatMap((part) => part.rows).slice(skip);
  const count = plan.count ? countAll(outcome) : undefined;
  const found: ReadOutcome = { kind: 'read', rows, ...(count === undefined ? {} : { count }) };
  const page = cutPage(rendering, plan, { limit, more, skip }, found);
  return renderPage(rendering, plan, first.output, page);
}

/** Renders the changes of a query's rows, or their count. */
function renderDelta(rendering: Rendering, plan: DeltaPlan, outcome: Outcome): Answer {
  invariant(outcome.kind === 'delta', `changes have the outcome ${outcome.kind}`);
  const { tree, site } = rendering;
  const { shape, applied } = plan;
  if (plan.output === 'count') {
    requireRetained(plan, outcome, tree);
    return renderNumber(String(outcome.count ?? 0n), tree.negotiated);
  }
  const page = deltaPage(plan, outcome, tree, site);
  const body = writeBody(rendering, { kind: 'entities', ...page, shape });
  return success(rendering, body, { applied, language: shape.form.language });
}

function countAll({ parts }: ChainOutcome): bigint {
  return parts.reduce((sum, part) => sum + BigInt(countOf(part)), 0n);
}

function renderCrossjoin(rendering: Rendering, plan: CrossjoinPlan, outcome: ReadOutcome): Answer {
  const page = cutPage(rendering, plan, plan.select.page, outcome);
  return renderPage(rendering, plan, { kind: 'entities', shape: plan.shape }, page);
}

// ---- single resources -----------------------------------------------------------------------------------------------

type RecordOutput = Output & { readonly kind: 'entity' | 'reference' };

function renderOne(
  rendering: Rendering,
  plan: ReadResponse,
  { kind, shape }: RecordOutput,
  outcome: ReadOutcome,
): Answer {
  const record = outcome.rows[0]?.json;
  if (record === undefined || record === null) {
    requireParent(rendering, outcome);
    if (!plan.nullable) throw notFound(rendering);
    return empty(rendering);
  }
  const context = contextOf(plan, rendering.site);
  const body = writeBody(rendering, { kind, record, context, shape });
  const { language } = shape.form;
  const etag = tagOf(rendering, record, body, language);
  return success(rendering, body, { etag, applied: plan.applied, language });
}

/**
 * Returns the ETag of the entity or, for reads, of this representation: a digest of body, format and language. Atom entries contain the
 * time of the response, so no two of their representations are equal.
 */
function tagOf(
  { tree, site }: Rendering,
  record: string,
  body: string,
  language: string,
): string | undefined {
  const etag = etagOf(record);
  const isUnique = tree.negotiated.format.kind === 'xml';
  if (etag === undefined || site.tags === 'entity' || isUnique) return etag;
  return representationTag(etag, site.digest(`${typeOf(tree.negotiated)}\n${language}\n${body}`));
}

type PropertyOutput = Output & { readonly kind: 'property' };

function renderProperty(
  rendering: Rendering,
  plan: ReadResponse,
  { member, form, dynamic }: PropertyOutput,
  outcome: ReadOutcome,
): Answer {
  const { type } = member.value;
  const isItem = member.items?.index !== undefined && type.kind !== 'null';
  return renderValue(rendering, outcome, {
    type: isItem ? { ...type, collection: false } : type,
    context: plan.context,
    applied: plan.applied,
    language: form.language,
    isMissing: isItem,
    rename: dynamic && ((json) => asValue(json, dynamic.names?.[0] ?? '', form.prefix)),
  });
}

/** The object with a dynamic property as that with a value: `{"@odata.type":"#Date","value":…}` for `{"Since@odata.type":"#Date","Since":…}`. */
function asValue(json: string, name: string, prefix: string): string {
  const [own, typed] = [`{"${name}":`, `{"${name}${prefix}type":`];
  if (!json.startsWith(typed)) return `{"value":${json.slice(own.length)}`;
  const rest = json.slice(typed.length).replace(`,"${name}":`, () => ',"value":');
  return `{"${prefix}type":${rest}`;
}

interface ValueFacts extends Pick<ReadResponse, 'context' | 'applied'> {
  readonly type: PropertyOutput['member']['value']['type'];
  readonly language: string;
  /** Whether SQL NULL means a missing item of a collection rather than a null value. */
  readonly isMissing: boolean;
  /** Makes the object with a value of one with a member of another name. */
  readonly rename?: ((json: string) => string) | undefined;
}

function renderValue(
  rendering: Rendering,
  { rows }: ReadOutcome,
  { type, context, applied, language, isMissing, rename }: ValueFacts,
): Answer {
  const [row] = rows;
  if (row === undefined) throw notFound(rendering);
  const { json } = row;
  if (json === null || json === 'null') {
    if (isMissing && json === null) throw notFound(rendering);
    return empty(rendering);
  }
  const url = contextUrl(rendering.site.root, context);
  const written = rename === undefined ? { json } : { json: rename(json), isTyped: true };
  const body = writeBody(rendering, { kind: 'value', ...written, context: url, type });
  return success(rendering, body, { applied, language });
}

type TextOutput = Output & { readonly kind: 'raw' | 'property-count' };

function renderText(rendering: Rendering, output: TextOutput, { rows }: ReadOutcome): Answer {
  const [row] = rows;
  // A missing item of a collection is 404, a property that is null is 204.
  const isItem = output.kind === 'raw' && output.item !== undefined;
  if (row === undefined || (row.json === null && isItem)) throw notFound(rendering);
  if (row.json === null) return empty(rendering);
  const { negotiated, path } = rendering.tree;
  if (output.kind === 'property-count') return renderNumber(row.json, negotiated);
  requirePrimitive(row.json, output.value.type, path);
  return renderRaw(row.json, output.value.type, negotiated, output.form.language);
}

/** The count is either part of the outcome or the single value read. */
function countOf({ count, rows }: ReadOutcome): string {
  return String(count ?? rows[0]?.json ?? 0);
}

function renderEvaluation(
  rendering: Rendering,
  plan: EvaluationPlan,
  outcome: ReadOutcome,
): Answer {
  const { member, form, context, applied, raw } = plan;
  const { type } = member.value;
  if (raw) return renderText(rendering, { kind: 'raw', value: member.value, form }, outcome);
  const { language } = form;
  return renderValue(rendering, outcome, { type, context, applied, language, isMissing: false });
}
