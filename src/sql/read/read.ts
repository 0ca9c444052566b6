// Compiles a read to one statement, which returns the JSON text of each record, the count if requested, and the order values for the
// next page. script.ts defines the result columns.
//     ServiceRequests?$top=2   SELECT concat('{"Uid":', t1."Uid", …) AS "json", t1."Uid" FROM "ServiceRequests" t1 ORDER BY t1."Uid" LIMIT 3
import { unreachable } from '../../base/fault.ts';
import type { Expression, Rows } from '../../bind/bound.ts';
import { MOST_KNOWN_RECORDS } from '../../plan/read/known-records.ts';
import type {
  DynamicMember,
  EvaluationPlan,
  LinkPart,
  Output,
  ReadPlan,
  RowSelection,
  Shape,
  ValueForm,
  ValueMember,
} from '../../plan/read-plan.ts';
import { fromJson } from '../expression/convert-storage.ts';
import { rawOf } from '../expression/json-value.ts';
import { versionOf } from '../expression/property.ts';
import { EMPTY, type Fragment, integer, list, name, sql, toStatement } from '../fragment.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { FEW_ROWS, type ReadScript, type Statement } from '../script.ts';
import { NEWEST_CHANGE } from '../write/change-log.ts';
import { fileFacts } from './file-json.ts';
import { limitTo } from './order-by.ts';
import { compileTemplate, isColumn } from './record-columns.ts';
import { recordPieces, recordText, valueOrNull } from './record-json.ts';
import type { RecordTemplate } from './record-template.ts';
import { addressText } from './row-address.ts';
import { originOf, selectFrom } from './row-source.ts';
import { estimateScan } from './scan-estimate.ts';
import { inRange, type Selected, select, selectCount, selectPage } from './select-rows.ts';

export function compileRead(scope: Scope, plan: ReadPlan): ReadScript {
  const { output, parent, tracking } = plan;
  const tracked = tracking?.since === undefined ? tracking : undefined;
  return {
    ...compileOutput(scope, plan.select, output, tracked),
    parent: parent && exists(scope, parent),
  };
}

/** The result of a function call: one row, selected from no table. */
export function compileEvaluation(scope: Scope, plan: EvaluationPlan): ReadScript {
  const { member, form, raw } = plan;
  const inside = { ...scope, language: form.language };
  const content = raw
    ? rawOf(scope.dialect, inside.value(inside, member.value), member.value.type)
    : valueOrNull(inside, member, form);
  return {
    kind: 'read',
    statement: finish(scope, sql`SELECT ${content} AS "json"`),
    counted: false,
    keys: 0,
    scans: member.value.kind === 'count',
  };
}

function exists(scope: Scope, rows: Rows): Statement {
  return finish(scope, sql`${selectFrom(originOf(scope, rows), integer(1))} LIMIT 1`);
}

function compileOutput(
  scope: Scope,
  selecting: RowSelection,
  output: Output,
  tracked: ReadPlan['tracking'],
): ReadScript {
  switch (output.kind) {
    case 'entities':
    case 'references':
    case 'entity':
    case 'reference':
      return compileRecords(scope, selecting, output, tracked);
    case 'count': {
      const counted = selectCount(select(scope, selecting));
      const fragment = sql`SELECT CAST((${counted}) AS text) AS "json"`;
      return single(scope, fragment, scanOf(scope, selecting, undefined, true));
    }
    case 'property':
    case 'raw':
    case 'property-count':
    case 'stream':
      return compileValueOutput(scope, selecting, output);
    default:
      return unreachable(output);
  }
}

type RecordOutput = Extract<Output, { readonly shape: unknown }>;

/** One record, or a page of them with count and keys. */
function compileRecords(
  scope: Scope,
  selecting: RowSelection,
  { kind, shape }: RecordOutput,
  tracked: ReadPlan['tracking'],
): ReadScript {
  const inside = { ...scope, language: shape.form.language };
  const selected = select(inside, selecting);
  const scan = scanOf(inside, selecting, shape);
  if (kind === 'entities' || kind === 'references') {
    return { ...compilePage({ selecting, selected, shape, tracked }), ...scan };
  }
  const { columns, names, joins, record } = compileRecord(selected.scope, shape, false);
  const one = selectPage(inside, selected, named(columns, names), { limit: 1, skip: 0 }, joins);
  const statement = { ...asText(finish(inside, one), record), isOne: true };
  return { kind: 'read', statement, record, counted: false, keys: 0, ...scan };
}

/** The input of `compilePage`. */
export interface PageOfRecords {
  readonly selecting: Pick<RowSelection, 'page' | 'count'>;
  readonly selected: Selected;
  readonly shape: Shape;
  /** Set to return the number of the newest change with the rows, and the addresses of all rows. */
  readonly tracked?: ReadPlan['tracking'];
}

/** The script for a page of records with its count and order values. */
export function compilePage({ selecting, selected, shape, tracked }: PageOfRecords): ReadScript {
  const { scope } = selected;
  const { page, count } = selecting;
  const keys = page === undefined ? [] : selected.keys.map((key) => key.value);
  const keyNames = keys.map((_, index) => name(`k${index + 1}`));
  const range = page && { ...page, limit: page.limit + (page.more ? 1 : 0) };
  const facts = { count, tracked };
  const hasFacts = count || tracked !== undefined;
  const { columns, names, joins, record } = compileRecord(scope, shape, hasFacts);
  const all = [...named(columns, names), ...named(keys, keyNames)];
  const isStored = record !== undefined && joins === EMPTY && columns.every(isColumn);
  const rows = selectPage(scope, isStored ? inRange(selected) : selected, all, range, joins);
  const fragment = hasFacts ? withFacts(selected, rows, [names, keyNames], facts) : rows;
  const isFixed = selected.isRange === true && (record === undefined || (isStored && !hasFacts));
  const finished = isFixed ? finishOnce(scope, fragment) : finish(scope, fragment);
  return {
    kind: 'read',
    statement: asText(finished, record),
    record,
    counted: count,
    shown: page?.limit,
    keys: keys.length,
    scans: true,
    tracked: tracked !== undefined,
  };
}

/** The service only writes the columns of a record. */
function asText(statement: Statement, record: RecordTemplate | undefined): Statement {
  return record === undefined ? statement : { ...statement, textColumns: record.columns };
}

interface CompiledRecord {
  readonly columns: readonly Fragment[];
  readonly names: readonly Fragment[];
  readonly joins?: Fragment;
  readonly record: RecordTemplate | undefined;
}

/** One column of JSON text, or the columns from which the service writes it. `marked`: the first column is never null. */
export function compileRecord(outer: Scope, shape: Shape, marked: boolean): CompiledRecord {
  const scope = { ...outer, record: shape.row, inColumns: true };
  if (scope.dialect.json.recordsWrittenBy === 'database') {
    return { columns: [recordText(scope, shape)], names: [name('json')], record: undefined };
  }
  const { columns, joins, template } = compileTemplate(recordPieces(scope, shape), marked);
  const names = columns.map((_, index) => name(`c${index + 1}`));
  return { columns, names, joins, record: template };
}

function named(columns: readonly Fragment[], names: readonly Fragment[]): readonly Fragment[] {
  return columns.map((one, index) => sql`${one} AS ${names[index] ?? EMPTY}`);
}

interface Facts {
  readonly count: boolean;
  readonly tracked: ReadPlan['tracking'];
}

/** Adds the count and the number of the newest change. If the page is empty, a row without a record carries them. */
function withFacts(
  selected: Selected,
  rows: Fragment,
  [names, keyNames]: readonly [record: readonly Fragment[], keys: readonly Fragment[]],
  facts: Facts,
): Fragment {
  const inPage = (one: Fragment) => sql`p.${one}`;
  const count = facts.count ? [sql`c.n`] : [];
  const change = facts.tracked === undefined ? [] : [sql`c.s`, sql`c.a`];
  const columns = [...names.map(inPage), ...count, ...keyNames.map(inPage), ...change];
  const counted = sql`(${selectFrom(selected, sql`count(*)`)})`;
  const newest = facts.tracked === undefined ? integer(0) : NEWEST_CHANGE;
  const addresses = addressesOf(selected, facts.tracked?.address);
  const factsRow = sql`SELECT ${facts.count ? counted : integer(0)} AS n, ${newest} AS s, ${addresses} AS a`;
  return sql`SELECT ${list(columns)} FROM (${factsRow}) c LEFT JOIN (${rows}) p ON ${selected.scope.dialect.literal.true}`;
}

/** The addresses of all rows, as JSON strings with commas between them; of one more than fit in a token, if there are so many. */
function addressesOf(selected: Selected, address: readonly LinkPart[] | undefined): Fragment {
  const { scope } = selected;
  if (address === undefined) return sql`NULL`;
  const { concatRows, quote } = scope.dialect.json;
  const limit = integer(MOST_KNOWN_RECORDS + 1);
  const rows = sql`${selectFrom(selected, sql`${addressText(scope, address)} AS "address"`)} LIMIT ${limit}`;
  return sql`(SELECT ${concatRows(quote(sql`r."address"`))} FROM (${rows}) r)`;
}

type ValueOutput = Extract<
  Output,
  { readonly kind: 'property' | 'raw' | 'property-count' | 'stream' }
>;

/** One value of one row. A null value returns null; a missing row returns no row. */
function compileValueOutput(
  scope: Scope,
  selecting: RowSelection,
  output: ValueOutput,
): ReadScript {
  const language = 'form' in output ? { language: output.form.language } : {};
  const selected = select({ ...scope, ...language }, selecting);
  const { row } = selecting;
  const inside = { ...selected.scope, record: row };
  const content = valueOutput(inside, selecting, output);
  const etag = output.kind === 'property' ? etagOf(inside, output.etag) : [];
  const columns = [sql`${content} AS "json"`, ...etag];
  const fragment = selectPage(inside, selected, columns, { limit: 1, skip: 0 });
  return single(scope, fragment, scanOf(scope, selecting));
}

function valueOutput(scope: Scope, selecting: RowSelection, output: ValueOutput): Fragment {
  switch (output.kind) {
    case 'property':
      return output.dynamic === undefined
        ? valueOrNull(scope, output.member, output.form)
        : memberText(scope, selecting, output.dynamic, output.form);
    case 'raw':
      return output.item === undefined
        ? rawOf(scope.dialect, scope.value(scope, output.value), output.value.type)
        : rawItem(scope, output.value, output.item);
    case 'property-count':
      return countItems(scope, output.member);
    case 'stream':
      return streamText(scope, selecting, output);
    default:
      return unreachable(output);
  }
}

/** An object with the dynamic property and its type; null if there is none. */
function memberText(
  scope: Scope,
  { row }: RowSelection,
  member: DynamicMember,
  form: ValueForm,
): Fragment {
  return sql`nullif(${recordText(scope, { row, form, members: [member] })}, '{}')`;
}

type RawItem = NonNullable<Extract<Output, { readonly kind: 'raw' }>['item']>;

/** One item of a collection as text; null if there is none. */
function rawItem(scope: Scope, of: Expression, { row, index }: RawItem): Fragment {
  const { json } = scope.dialect;
  const alias = aliasOf(bindRows(scope, row), row);
  const piece = { value: json.item(alias), json: json.itemJson(alias) };
  const written = rawOf(scope.dialect, fromJson(scope.dialect, piece, row.type), row.type);
  const isFromEnd = index < 0;
  const order = sql`${json.itemIndex(alias)}${isFromEnd ? sql` DESC` : sql``}`;
  const page = limitTo({ limit: 1, skip: isFromEnd ? -index - 1 : index });
  return sql`(SELECT ${written} FROM ${json.items(scope.value(scope, of).sql, alias)} ORDER BY ${order}${page})`;
}

/** The ETag of the row, as an additional last column. */
function etagOf(scope: Scope, etag: EtagExpression): readonly Fragment[] {
  if (etag === undefined) return [];
  const version = etag.kind === 'row' ? versionOf(scope, etag.row) : scope.value(scope, etag);
  return [sql`('W/"' || ${version.sql} || '"') AS "etag"`];
}

type EtagExpression = Extract<Output, { readonly kind: 'property' }>['etag'];

function countItems(scope: Scope, member: ValueMember): Fragment {
  const { value: of, items } = member;
  const array = scope.value(scope, of);
  if (items === undefined) return sql`CAST(${scope.dialect.functions.length(array).sql} AS text)`;
  const where = items.filter === undefined ? [] : [items.filter];
  const counted = scope.value(scope, {
    kind: 'count',
    collection: { kind: 'elements', of, row: items.row, where },
    type: of.type,
  });
  return sql`CASE WHEN ${array.sql} IS NOT NULL THEN CAST(${counted.sql} AS text) END`;
}

/** Metadata of a stream; null if it has no content. */
function streamText(scope: Scope, { row }: RowSelection, output: StreamOutput): Fragment {
  const { property, fileName } = output;
  const path = property === undefined ? [] : [property];
  const nameText = fileName === undefined ? undefined : scope.value(scope, fileName).sql;
  return fileFacts(scope, { kind: 'variable', row }, path, nameText);
}

type StreamOutput = Output & { readonly kind: 'stream' };

function single(scope: Scope, fragment: Fragment, scan: Scan): ReadScript {
  return { kind: 'read', statement: finish(scope, fragment), counted: false, keys: 0, ...scan };
}

type Scan = Pick<ReadScript, 'scans' | 'findsMany'>;

function scanOf(scope: Scope, selecting: RowSelection, shape?: Shape, counts?: boolean): Scan {
  const estimate = estimateScan(scope.layout, selecting, shape, counts);
  if (estimate.kind !== 'found') return { scans: estimate.kind === 'many' };
  return { scans: true, findsMany: findMany(scope, selecting.rows, estimate.lookups) };
}

/** For each lookup one row after the first FEW_ROWS. Counting the rows of a subquery with LIMIT would take three times as long. */
function findMany(
  scope: Scope,
  rows: Rows,
  lookups: readonly (readonly Expression[])[],
): Statement {
  const columns = lookups.map((conditions) => {
    const origin = originOf(scope, { ...rows, where: conditions });
    return sql`(${selectFrom(origin, integer(1))} LIMIT 1 OFFSET ${integer(FEW_ROWS)})`;
  });
  return finishOnce(scope, sql`SELECT ${list(columns)}`);
}

/** The statement of a fragment whose best query plan is the same for all values. */
function finishOnce({ dialect }: Scope, fragment: Fragment): Statement {
  return toStatement(fragment, dialect.hiddenPlaceholder);
}

/** The statement of a fragment. */
export function finish(scope: Scope, fragment: Fragment): Statement {
  return toStatement(fragment, scope.dialect.placeholder);
}
