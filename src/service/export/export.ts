// This file answers requests for exports. The request is checked before the first byte; an error after it closes the connection, so that
// an incomplete file is never taken for a complete one.
import { Readable } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import { XLSX } from '../../request/headers/export-formats.ts';
import { printPath } from '../../request/print/url.ts';
import type { ExportFormat, NestedOptions, Tree } from '../../request/tree.ts';
import { contentType, headersOf } from '../../response/headers.ts';
import type { Answer, ByteSource } from '../../response/response.ts';
import { type Column, columnsOf } from '../../response/table/columns.ts';
import { SHEET_ROWS } from '../../response/table/sheet.ts';
import { disposition } from '../files/download.ts';
import type { PreparedRead } from '../read-plans.ts';
import type { Service } from '../service.ts';
import { fileContent, writerOf } from './file-content.ts';
import { type ExportPage, type ExportRequest, readFirstPage, requireCollection } from './pages.ts';
import { zipSheet } from './zip-sheet.ts';

/** Answers with a file. Throws: request.not-acceptable, export.rows, export.columns, export.no-columns, and the faults of all stages. */
export async function answerExport(
  request: ExportRequest,
  prepared: PreparedRead,
): Promise<Answer> {
  const { call, service } = request;
  const { tree } = prepared;
  const { format } = tree.negotiated;
  requireCollection(prepared);
  if (format.kind !== 'export') throw new Error('an export has the format of one');
  const limit = limitOf(format, service);
  const { top = Number.POSITIVE_INFINITY } = tree.options;
  const first = await readFirstPage(request, prepared, {
    counts: top > limit.limit,
    omitsNulls: isTable(format),
  });
  requireRows(tree, first, limit);
  const shape = shapeOf(first.plan);
  const columns = isTable(format) ? tableColumns(service, shape, tree) : [];
  if (isTable(format) && columns.length === 0) throw withoutColumns(first.plan);
  const name = nameOf(tree);
  const answer = { status: 200, headers: headersFor(tree, format, first, name), body: undefined };
  if (call.method === 'HEAD') return answer;
  const text = Readable.from(encoded(fileContent(first, writerOf(format, columns), limit)), {
    objectMode: false,
  });
  const source: ByteSource =
    format.type === XLSX ? zipSheet(text, name, new Date(service.world.now())) : text;
  return { ...answer, source };
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) if (piece !== '') yield Buffer.from(piece);
}

function isTable({ type }: ExportFormat): boolean {
  return type === 'text/csv' || type === XLSX;
}

function shapeOf(plan: ExportPage['plan']) {
  if (plan.kind === 'crossjoin') return plan.shape;
  if (plan.output.kind !== 'entities') throw new Error('an export has entities');
  return plan.output.shape;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

interface RowLimit {
  readonly limit: number;
  readonly reason: string;
}

function limitOf({ type }: ExportFormat, { limits }: Service): RowLimit {
  const { maximumExport: limit } = limits;
  return type === XLSX && limit >= SHEET_ROWS
    ? { limit: SHEET_ROWS - 1, reason: 'the rows of a worksheet' }
    : { limit, reason: 'limits.maximumExport' };
}

/** Throws: export.rows. */
function requireRows({ options }: Tree, { count }: ExportPage, { limit, reason }: RowLimit): void {
  if (count === undefined) return;
  const { top = Number.POSITIVE_INFINITY, skip = 0 } = options;
  const rows = Math.min(Number(count) - skip, top);
  if (rows > limit) throw new Fault('export.rows', { rows, limit, reason });
}

// ---- columns --------------------------------------------------------------------------------------------------------

/** Throws: export.columns, if the request names something that does not fit into a cell. */
function tableColumns(
  { model }: Service,
  shape: ReturnType<typeof shapeOf>,
  { options }: Tree,
): readonly Column[] {
  const { columns, others } = columnsOf(model, shape);
  const selected = new Set(selectedPaths(options));
  const names = others.flatMap(({ path, isExpanded }) =>
    isExpanded || selected.has(path) ? [path] : [],
  );
  if (names.length > 0)
    throw new Fault('export.columns', { names: names.join(', ') }, { target: '$format' });
  return columns;
}

/** $crossjoin has links to entities, which fit into no cell, unless these are expanded. */
function withoutColumns(plan: ExportPage['plan']): Fault {
  const remedy =
    plan.kind === 'crossjoin'
      ? `Add $expand=${plan.sources.map(({ name }) => name).join(',')}.`
      : 'Select a property with a single value, or request $format=ndjson.';
  return new Fault('export.no-columns', { remedy }, { target: '$format' });
}

/** The paths in $select, also of expanded entities. */
function selectedPaths(options: Pick<NestedOptions, 'select' | 'expand'>): readonly string[] {
  const own = (options.select ?? []).flatMap((item) =>
    item.kind === 'path' ? [pathOf(item.steps)] : [],
  );
  const inner = (options.expand ?? []).flatMap((item) => {
    if (item.kind !== 'path' || item.options === undefined) return [];
    return selectedPaths(item.options).map((path) => `${pathOf(item.steps)}/${path}`);
  });
  return [...own, ...inner];
}

/** The path without casts. */
function pathOf(
  steps: readonly (
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'annotation' }
  )[],
): string {
  return steps
    .flatMap((step) => (step.kind === 'name' && !step.name.includes('.') ? [step.name] : []))
    .join('/');
}

// ---- headers --------------------------------------------------------------------------------------------------------

function headersFor(
  { negotiated }: Tree,
  format: ExportFormat,
  { plan }: ExportPage,
  name: string,
): Answer['headers'] {
  const applied = isTable(format)
    ? []
    : plan.applied.filter((preference) => !preference.includes('maxpagesize'));
  const { language } = shapeOf(plan).form;
  const type = contentType(format, negotiated.version);
  return {
    ...headersOf(negotiated, { type, applied, language }),
    'Content-Disposition': disposition(`${name}.${EXTENSIONS[format.type]}`),
    'X-Content-Type-Options': 'nosniff',
  };
}

const EXTENSIONS: Readonly<Record<ExportFormat['type'], string>> = {
  'text/csv': 'csv',
  [XLSX]: 'xlsx',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'jsonl',
};

/** The last name of the path: `Workorders` of ServiceRequests(12)/Workorders. */
function nameOf({ path }: Tree): string {
  const text = printPath(path).replace(/\([^/]*\)(?=\/|$)/g, '');
  const names = text.split('/').filter((step) => /^[A-Za-z_]\w*$/.test(step));
  return names.at(-1) ?? 'export';
}
