// Entry point for reads: turns a bound read into a plan, after applying the rights of the principal. decide-write.ts does the
// same for writes; the parts of a plan are built in read/ and shape/.
import type { Rights } from '../access/policy.ts';
import { Fault, unreachable } from '../base/fault.ts';
import type {
  BoundAll,
  BoundCrossjoin,
  BoundEvaluation,
  BoundRead,
  BoundReadRequest,
  OrderItem,
} from '../bind/bound.ts';
import type { Parameters } from '../bind/parameter.ts';
import type { Model } from '../edm/model.ts';
import { type Workflows, workflowsOf } from '../edm/workflow/workflow.ts';
import type { Format, Tree } from '../request/tree.ts';
import { ALL_CONTEXT, CROSSJOIN_CONTEXT, contextOf, valueContext } from './read/context-url.ts';
import {
  type EventPart,
  isDelta,
  OF_A_SET,
  planDelta,
  planEvents,
  withTracking,
} from './read/delta.ts';
import { limitsFor, type PageLimits, positionOf, signatureOf } from './read/page.ts';
import { appliedPreferences, pageOf, planRead, rowShape } from './read/read.ts';
import { keyValues, textPart } from './read/row-urls.ts';
import { queryOf, selectRows, totalOrder, withTieBreaks } from './read/select-rows.ts';
import type {
  ChainPlan,
  CrossjoinPlan,
  DeltaPlan,
  EvaluationPlan,
  Paging,
  Plan,
  ReadPlan,
  Shape,
  ShapeMember,
  ValueForm,
} from './read-plan.ts';
import { secure, secureRead } from './rights/read-rights.ts';
import type { BindRule } from './rights/row-conditions.ts';
import { crossjoinShape } from './shape/row-shape.ts';
import {
  annotation,
  elementMaker,
  type MetadataLevel,
  type ShapeScope,
} from './shape/shape-scope.ts';
import { showsFiles } from './shape/stream-values.ts';

/** What planning needs to know about the installation and the principal. */
export interface Setting {
  readonly model: Model;
  readonly rights: Rights;
  readonly limits: PageLimits;
  /** Installed languages of code texts; the first is the fallback. */
  readonly languages: readonly string[];
  readonly bindRule: BindRule;
  /** The workflows of the installation; those of the model if omitted. */
  readonly workflows?: Workflows | undefined;
  /** Minutes for which their authors may change entities with `Docket.Editable`. */
  readonly noteMinutes?: number;
  /** The literals of the request, for a plan that other requests may share. */
  readonly parameters?: Parameters | undefined;
}

/** The parts of a request that binding does not resolve. */
export type UnboundRequest = Pick<Tree, 'negotiated' | 'options'>;

/**
 * Plans a read.
 * Throws: access.read, access.member, plan.skiptoken, plan.deltatoken, plan.delta-gone, not-built.
 */
export function decide(bound: BoundReadRequest, request: UnboundRequest, setting: Setting): Plan {
  if (bound.kind === 'document') return bound;
  const scope = shapeScopeOf(request, setting);
  const secured = secure(scope.guard, bound);
  switch (secured.kind) {
    case 'read':
      return decidePath(limitedFor(scope, secured), secured, request);
    case 'all':
      return decideAll(scope, secured);
    case 'crossjoin':
      return decideCrossjoin(scope, secured);
    case 'evaluate':
      return decideEvaluation(scope, secured);
    case 'document':
      return secured;
    default:
      return unreachable(secured);
  }
}

/**
 * Plans the read of the changes of a query after a position.
 * Throws: access.read, access.member, plan.untracked, plan.deltatoken, plan.delta-gone, request.misplaced-option.
 */
export function decideEvents(
  bound: BoundReadRequest,
  request: UnboundRequest,
  setting: Setting,
  part: EventPart,
): DeltaPlan {
  const scope = shapeScopeOf(request, setting);
  const secured = secure(scope.guard, bound);
  if (secured.kind !== 'read') throw new Fault('plan.untracked', { reason: OF_A_SET });
  return planEvents(scope, secured, request.negotiated, part);
}

function decidePath(scope: ShapeScope, read: BoundRead, request: UnboundRequest): Plan {
  const { options, negotiated } = request;
  return isDelta(options)
    ? planDelta(scope, read, negotiated)
    : withTracking(scope, read, negotiated, planWithFiles(scope, read));
}

/** The scope with the page limits for a read. */
function limitedFor(scope: ShapeScope, { query }: BoundRead): ShapeScope {
  return { ...scope, limits: limitsFor(scope.limits, query) };
}

/** A read whose response may contain the bytes of files. */
function planWithFiles(scope: ShapeScope, read: BoundRead): ReadPlan {
  const plan = planRead({ ...scope, allowsFiles: true }, read);
  return showsFiles(read.query) ? { ...plan, showsFiles: true } : plan;
}

/** Plans how the result of a write is read. Throws: as `decide`. */
export function decideRead(bound: BoundRead, request: UnboundRequest, setting: Setting): ReadPlan {
  const scope = shapeScopeOf(request, setting);
  const secured = secureRead(scope.guard, bound);
  return planRead(limitedFor(scope, secured), secured);
}

// ---- scope ----------------------------------------------------------------------------------------------------------

function shapeScopeOf({ negotiated, options }: UnboundRequest, setting: Setting): ShapeScope {
  const { model, rights, bindRule, noteMinutes, limits, languages, parameters } = setting;
  const { format, prefer, version } = negotiated;
  return {
    guard: { model, rights, bindRule, noteMinutes },
    model,
    workflows: setting.workflows ?? workflowsOf(model),
    form: formOf(format, version, chooseLanguage(negotiated.languages, languages)),
    metadata: metadataOf(format),
    isXml: format.kind === 'xml',
    version,
    limits,
    prefer,
    options,
    parameters,
    allowsFiles: false,
    newElement: elementMaker(),
  };
}

/** XML is generated from JSON records with full metadata. IEEE754-compatible numbers keep large values exact. */
function metadataOf(format: Format): MetadataLevel {
  if (format.kind === 'export') return format.records.metadata;
  if (format.kind === 'json') return format.metadata;
  return format.kind === 'xml' ? 'full' : 'minimal';
}

function formOf(format: Format, version: ShapeScope['version'], language: string): ValueForm {
  if (format.kind === 'export') return formOf(format.records, version, language);
  const isJson = format.kind === 'json';
  return {
    ieee754Compatible: isJson ? format.ieee754Compatible : format.kind === 'xml',
    exponentialDecimals: isJson && format.exponentialDecimals,
    language,
    prefix: isJson && version === '4.01' ? '@' : '@odata.',
    metadata: metadataOf(format),
  };
}

/** The best installed language: the requested one or its parent (`nl-BE` falls back to `nl`). RFC 4647, "Lookup". */
export function chooseLanguage(requested: readonly string[], installed: readonly string[]): string {
  for (const wanted of requested) {
    for (
      let tag = wanted.toLowerCase();
      tag !== '';
      tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))
    ) {
      const found = installed.find((language) => language.toLowerCase() === tag);
      if (found !== undefined) return found;
    }
  }
  return installed[0] ?? 'en';
}

// ---- reads without a resource path ----------------------------------------------------------------------------------

/** The result of a function. */
function decideEvaluation(scope: ShapeScope, bound: BoundEvaluation): EvaluationPlan {
  const { value, raw, nullable } = bound;
  return {
    kind: 'evaluate',
    member: { kind: 'value', name: 'value', value },
    form: scope.form,
    raw,
    nullable,
    context: valueContext(value.type),
    applied: [],
  };
}

/** Concatenates the sets, so the position in a skip token is an offset across all of them. */
function decideAll(scope: ShapeScope, bound: BoundAll): ChainPlan {
  const sources = bound.reads.map((read) => read.rows.row.source);
  const paging: Paging = { signature: signatureOf(sources, [], []), by: 'offset' };
  const token = positionOf(scope.options.skiptoken, paging, []);
  const { top, skip } = bound;
  const { page, rest } = pageOf(scope, { top, skip, token }, paging);
  const end = page.skip + page.limit;
  return {
    kind: 'chain',
    parts: bound.reads.map((read) =>
      planPart(
        scope,
        { ...read, query: { ...read.query, count: bound.count } },
        { limit: end, more: page.more },
      ),
    ),
    count: bound.count,
    skip: page.skip,
    limit: page.limit,
    more: page.more,
    context: ALL_CONTEXT,
    applied: appliedPreferences(scope, true),
    ...rest,
  };
}

function planPart(
  scope: ShapeScope,
  read: BoundRead,
  { limit, more }: { readonly limit: number; readonly more: boolean },
): ReadPlan {
  const { version, options } = scope;
  const single: BoundRead = { ...read, wanted: { kind: 'entity' } };
  const context = contextOf(single, { version, written: options });
  const order = totalOrder(scope.model, read.query);
  const page = { limit, more, skip: 0 };
  return {
    kind: 'read',
    language: scope.form.language,
    select: selectRows(scope.guard, read.rows, read.query, order, page),
    output: { kind: 'entities', shape: withContext(scope, rowShape(scope, read), context) },
    nullable: false,
    context,
    contextKeys: [],
    applied: [],
  };
}

/** Each record carries its own context, since the collection has none. */
function withContext(scope: ShapeScope, shape: Shape, context: string): Shape {
  if (scope.metadata === 'none') return shape;
  const member: ShapeMember = {
    kind: 'link',
    name: annotation(scope, '', 'context'),
    parts: [{ kind: 'root' }, textPart(`$metadata${context}`)],
  };
  return { ...shape, members: [member, ...shape.members] };
}

/** Every combination of rows in key order, or the result of $apply. */
function decideCrossjoin(scope: ShapeScope, bound: BoundCrossjoin): CrossjoinPlan {
  const { query, combined, where } = bound;
  const order = combined === undefined ? keyOrder(scope, bound) : totalOrder(scope.model, query);
  const sources = bound.sources.map(({ rows }) => rows.row.source);
  const by = combined === undefined ? 'values' : 'offset';
  const paging: Paging = { signature: signatureOf(sources, query.apply, order), by };
  const token = positionOf(scope.options.skiptoken, paging, order);
  const { top, skip } = query;
  const { page, rest } = pageOf(scope, { top, skip, token }, paging);
  return {
    kind: 'crossjoin',
    sources: bound.sources,
    where,
    combined,
    select: queryOf(scope.guard, query, order, page),
    shape: crossjoinShape(scope, bound),
    context: CROSSJOIN_CONTEXT,
    applied: appliedPreferences(scope, true),
    ...rest,
  };
}

function keyOrder({ model }: ShapeScope, { query, sources }: BoundCrossjoin): readonly OrderItem[] {
  const keys = sources.flatMap(({ rows }) => keyValues(model, rows.row));
  return withTieBreaks(
    query.orderby,
    keys.map(({ value }) => value),
  );
}
