// This file is the door of the room: it makes the answer to a read out of what was found. Statuses are decided here: what is missing
// and what is null; conditional.ts decides what the client has already. OData 4.01 Protocol, "Requesting Data".
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
  Plan,
  ReadPlan,
  Shape,
} from '../plan/read-plan.ts';
import { representationTag } from '../request/headers/entity-tags.ts';
import { printPath } from '../request/print/url.ts';
import type { Tree, Wishes } from '../request/tree.ts';
import { writeAtom } from './atom/atom.ts';
import { deltaPage, requireNoted, tokenAfter } from './delta.ts';
import { renderDocument } from './document.ts';
import { contentType, type HeaderFacts, headersOf } from './headers.ts';
import { type JsonForm, jsonCollection, jsonForm, jsonObject, jsonValue } from './json-envelope.ts';
import { contextUrl, deltaLink, etagOf, nextLink } from './links.ts';
import type { CollectionPayload, Payload } from './payload.ts';
import { renderNumber, renderRaw } from './raw-value.ts';
import type { Answer } from './response.ts';
import type { Site } from './site.ts';

/** What every answer is made of besides its rows. */
interface Rendering {
  readonly tree: Tree;
  readonly site: Site;
}

/**
 * The answer to a read.
 * Faults: response.not-found, request.not-acceptable.
 */
export function render(outcome: Outcome, plan: Plan, tree: Tree, site: Site): Answer {
  const rendering = { tree, site };
  switch (plan.kind) {
    case 'document':
      return renderDocument(plan, tree.wishes, site);
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

function renderRead(rendering: Rendering, plan: ReadPlan, outcome: ReadOutcome): Answer {
  const { output } = plan;
  switch (output.kind) {
    case 'entities':
    case 'references': {
      requireParent(rendering, outcome);
      const deltatoken = tokenAfter(plan, outcome);
      const continued = deltatoken === undefined ? plan : { ...plan, deltatoken };
      const page = cutPage(rendering, continued, plan.select.page, outcome);
      return renderPage(rendering, plan, output, page);
    }
    case 'entity':
    case 'reference':
      return renderOne(rendering, plan, output, outcome);
    case 'count':
      requireParent(rendering, outcome);
      return renderNumber(countOf(outcome), rendering.tree.wishes);
    case 'property':
      return renderProperty(rendering, plan, output, outcome);
    case 'raw':
    case 'property-count':
      return renderText(rendering, output, outcome);
    case 'stream':
      return renderNoBytes(rendering, outcome);
    default:
      return unreachable(output);
  }
}

/** Bytes pass by this room; where there are none, there is still the place for them. */
function renderNoBytes(rendering: Rendering, { rows }: ReadOutcome): Answer {
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
  return { status: 204, headers: headersOf(tree.wishes, {}), body: undefined };
}

function success(
  { tree }: Rendering,
  body: Answer['body'],
  { etag, applied, language }: HeaderFacts,
): Answer {
  const { wishes } = tree;
  return {
    status: 200,
    headers: headersOf(wishes, { type: typeOf(wishes), etag, applied, language }),
    body,
  };
}

/** Wishes that are remembered with a plan are written once. */
const types = new WeakMap<Wishes, string>();

function typeOf(wishes: Wishes): string {
  const known = types.get(wishes);
  if (known !== undefined) return known;
  const type = contentType(wishes.format, wishes.version);
  types.set(wishes, type);
  return type;
}

interface WrittenContext {
  readonly root: string;
  readonly url: string;
}

const contexts = new WeakMap<Pick<ReadPlan, 'context'>, WrittenContext>();

/** The context URL of a plan's answers: plans are remembered, and mostly asked for under one root. */
function contextOf(plan: Pick<ReadPlan, 'context'>, { root }: Site): string {
  const known = contexts.get(plan);
  if (known?.root === root) return known.url;
  const url = contextUrl(root, plan.context);
  contexts.set(plan, { root, url });
  return url;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

function writeBody({ tree, site }: Rendering, payload: Payload): string {
  const { format, version } = tree.wishes;
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
      const { json, context, type } = payload;
      const isObject = type.kind === 'complex' && !type.collection;
      return isObject ? jsonObject(form, json, context) : jsonValue(form, json, context);
    }
    default:
      return unreachable(payload);
  }
}

// ---- collections ----------------------------------------------------------------------------------------------------

interface FoundPage {
  readonly rows: readonly OutcomeRow[];
  readonly count: bigint | undefined;
  readonly next: string | undefined;
  /** On the last page, where changes are tracked. */
  readonly delta?: string | undefined;
}

interface Continued {
  readonly paging?: Paging;
  readonly remaining?: number;
  /** Where changes are tracked: the token of the delta link. */
  readonly deltatoken?: string;
}

/** The rows of the page, without the one more that only says that there are more. */
function cutPage(
  { site, tree }: Rendering,
  { paging, remaining, deltatoken }: Continued,
  page: Page | undefined,
  { rows, count }: ReadOutcome,
): FoundPage {
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
    next: nextLink(site.root, tree, { paging, last, offset, remaining, deltatoken }),
  };
}

interface Written {
  readonly kind: CollectionPayload['kind'];
  readonly shape: Shape;
}

function renderPage(
  rendering: Rendering,
  plan: Pick<ReadPlan, 'context' | 'applied'>,
  { kind, shape }: Written,
  { rows, count, next, delta }: FoundPage,
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

/** The page is cut out of the parts' rows laid end to end. */
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

/** The changes of a query's rows, or their number. */
function renderDelta(rendering: Rendering, plan: DeltaPlan, outcome: Outcome): Answer {
  invariant(outcome.kind === 'delta', `changes have the outcome ${outcome.kind}`);
  const { tree, site } = rendering;
  const { shape, applied } = plan;
  if (plan.output === 'count') {
    requireNoted(plan, outcome, tree);
    return renderNumber(String(outcome.count ?? 0n), tree.wishes);
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

// ---- single things --------------------------------------------------------------------------------------------------

type RecordOutput = Output & { readonly kind: 'entity' | 'reference' };

function renderOne(
  rendering: Rendering,
  plan: ReadPlan,
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
 * The ETag of the entity or, for reads, of this representation of it: of the body, its format and its language. An Atom entry contains
 * the time of the response, so that no two of them are the same.
 */
function tagOf(
  { tree, site }: Rendering,
  record: string,
  body: string,
  language: string,
): string | undefined {
  const etag = etagOf(record);
  const isUnique = tree.wishes.format.kind === 'xml';
  if (etag === undefined || site.tags === 'entity' || isUnique) return etag;
  return representationTag(etag, site.digest(`${typeOf(tree.wishes)}\n${language}\n${body}`));
}

type PropertyOutput = Output & { readonly kind: 'property' };

function renderProperty(
  rendering: Rendering,
  plan: ReadPlan,
  { member, form }: PropertyOutput,
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
  });
}

interface ValueFacts extends Pick<ReadPlan, 'context' | 'applied'> {
  readonly type: PropertyOutput['member']['value']['type'];
  readonly language: string;
  /** A value that is not there is missing, not null: the item of a collection. */
  readonly isMissing: boolean;
}

function renderValue(
  rendering: Rendering,
  { rows }: ReadOutcome,
  { type, context, applied, language, isMissing }: ValueFacts,
): Answer {
  const [row] = rows;
  if (row === undefined) throw notFound(rendering);
  const { json } = row;
  if (json === null || json === 'null') {
    if (isMissing && json === null) throw notFound(rendering);
    return empty(rendering);
  }
  const url = contextUrl(rendering.site.root, context);
  const body = writeBody(rendering, { kind: 'value', json, context: url, type });
  return success(rendering, body, { applied, language });
}

type TextOutput = Output & { readonly kind: 'raw' | 'property-count' };

function renderText(rendering: Rendering, output: TextOutput, { rows }: ReadOutcome): Answer {
  const [row] = rows;
  // A position of a collection at which there is nothing is missing, unlike a property that is null.
  const isItem = output.kind === 'raw' && output.item !== undefined;
  if (row === undefined || (row.json === null && isItem)) throw notFound(rendering);
  if (row.json === null) return empty(rendering);
  const { wishes } = rendering.tree;
  if (output.kind === 'property-count') return renderNumber(row.json, wishes);
  return renderRaw(row.json, output.value.type, wishes, output.form.language);
}

/** A count is the number beside the rows, or the one value that was read. */
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
