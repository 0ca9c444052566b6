// This file reads the pages of a collection one after another. Each page starts where the one before ended, as with the next link of a
// JSON response, so that every page has the rights, order and rows that JSON has.
import type { Principal } from '../../access/principal.ts';
import type { CrossjoinPlan, ReadResponse, ResponsePlan } from '../../plan/read-plan.ts';
import { printPath, printQuery } from '../../request/print/url.ts';
import type { Options, Tree } from '../../request/tree.ts';
import { type ResultPage, readPage } from '../../response/render.ts';
import { type PreparedRead, prepareRead } from '../read-plans.ts';
import { runPrepared } from '../run-prepared.ts';
import type { Call, Service } from '../service.ts';
import {
  contextOf,
  newTrace,
  type RequestTrace,
  requireRecordFormat,
  siteOf,
} from '../stage-inputs.ts';

/** A request for an export. */
export interface ExportRequest {
  readonly call: Call;
  readonly service: Service;
  readonly principal: Principal;
  readonly trace: RequestTrace;
}

interface FirstPage {
  /** Whether all rows are counted. */
  readonly counts: boolean;
  /** Whether null is left out of the records, which are read faster then. */
  readonly omitsNulls: boolean;
}

export interface ExportPage extends Pick<ResultPage, 'rows' | 'count'> {
  readonly plan: ReadResponse | CrossjoinPlan;
  /** Reads the next page; undefined on the last one. */
  readonly next: (() => Promise<ExportPage>) | undefined;
}

/** More rows need more memory, and fewer make ordering by a property without an index slower. `limits.maximumPage` may be lower. */
const ROWS_OF_PAGE = 1000;

/** Reads the first page. Throws: request.not-acceptable, and the faults of all stages. */
export async function readFirstPage(
  request: ExportRequest,
  { tree }: PreparedRead,
  { counts, omitsNulls }: FirstPage,
): Promise<ExportPage> {
  const { options } = tree;
  const query = printQuery(counts ? { ...options, count: true } : options);
  const { headers } = request.call;
  const prefer = `maxpagesize=${ROWS_OF_PAGE}${omitsNulls ? ', omit-values=nulls' : ''}`;
  const call: Call = {
    ...request.call,
    method: 'GET',
    path: printPath(tree.path),
    query,
    headers: {
      ...headers,
      prefer: headers.prefer === undefined ? prefer : `${prefer}, ${headers.prefer}`,
    },
    body: undefined,
  };
  return await readOne({ ...request, call });
}

async function readOne(request: ExportRequest): Promise<ExportPage> {
  const { call, service, principal, trace } = request;
  const prepared = prepareRead(call, service, principal, trace);
  const plan = requireCollection(prepared);
  const context = contextOf(call, service, principal);
  const outcome = await runPrepared(prepared, call, service, context, trace);
  const tree = withoutCount(prepared.tree);
  const { rows, count, next } = readPage(outcome, plan, tree, siteOf(call, service, 'entity'));
  return {
    rows,
    count,
    plan,
    next: next === undefined ? undefined : () => readNext(request, next),
  };
}

/** The following pages are not counted again, and their durations are not those of the request. */
async function readNext(request: ExportRequest, link: string): Promise<ExportPage> {
  const query = link.slice(link.indexOf('?') + 1);
  return await readOne({ ...request, call: { ...request.call, query }, trace: newTrace() });
}

function withoutCount(tree: Tree): Tree {
  const options: Options = { ...tree.options, count: undefined };
  return { ...tree, options };
}

/** Throws: request.not-acceptable. */
export function requireCollection({
  plan,
  tree,
}: Pick<PreparedRead, 'plan' | 'tree'>): ExportPage['plan'] {
  if (isCollection(plan)) return plan;
  requireRecordFormat(tree.negotiated);
  throw new Error('exports have a format of their own');
}

function isCollection(plan: ResponsePlan): plan is ExportPage['plan'] {
  if (plan.kind === 'crossjoin') return true;
  return plan.kind === 'read' && plan.output.kind === 'entities' && plan.showsFiles !== true;
}
