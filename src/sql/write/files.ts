// This file compiles what writes do with files: the row that names the bytes in their store, the columns of a media entity that tell of
// its file, and the release of bytes that others have taken the place of. Bytes are kept before the script runs; what is known of them
// are locals of it. Released bytes are not removed in the transaction: somebody may be reading them.
import type { EntityType, FilePart, Property } from '../../edm/model.ts';
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import { type Fragment, list, name, parameter, sql, value } from '../fragment.ts';
import {
  type Column,
  columnName,
  FILE_COLUMN,
  fileColumn,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
  tableOf,
} from '../schema/layout.ts';
import { type Setting, settingsOf } from './column-values.ts';
import { identityOf, require, rowIs, run, statement, type WriteScope } from './steps.ts';
import { changeColumns } from './update.ts';
import type { ScriptStep } from './write-script.ts';

/** What the script is told of a kept file. */
export type FileFact = 'key' | 'store' | 'type' | 'size' | 'sha256' | 'name';

/** The local that holds a fact. */
export function fileLocal(file: string, fact: FileFact): string {
  return `${file} ${fact}`;
}

/** The name that is tried. */
export const CANDIDATE = 'candidate';

function fact(file: string, which: FileFact): Fragment {
  return parameter({ kind: 'local', name: fileLocal(file, which) });
}

/** The row of a file that its bytes were kept for. */
export function keepFile(file: string, scope: WriteScope): ScriptStep {
  const columns = ['media_type', 'size', 'sha256', 'state', 'created', 'key', 'store', 'account'];
  const contents = [
    fact(file, 'type'),
    fact(file, 'size'),
    fact(file, 'sha256'),
    value('kept'),
    parameter({ kind: 'context', name: 'now' }),
    fact(file, 'key'),
    fact(file, 'store'),
    parameter({ kind: 'context', name: 'accountKey' }),
  ];
  return run(
    sql`INSERT INTO "docket_file" (${list(columns.map(name))}) VALUES (${list(contents)})`,
    scope,
  );
}

/** Columns of a new media entity that its file fills. */
export function fileContents(
  { type, parent, file }: WriteStep & { readonly kind: 'insert' },
  use: TableUse,
  { layout }: WriteScope,
): readonly (readonly [string, Fragment])[] {
  if (file === undefined) return [];
  const told = partsOf(layout, use, type).flatMap(({ part, column }) => {
    if (part === 'file-name' || (part === 'name' && parent === undefined)) return [];
    const content =
      part === 'account' ? parameter({ kind: 'context', name: 'accountKey' }) : fact(file, part);
    return [[column.name, content] as const];
  });
  return [[FILE_COLUMN, fileIdentity(file)], ...told];
}

function fileIdentity(file: string): Fragment {
  return sql`(SELECT "id" FROM "docket_file" WHERE "key" = ${fact(file, 'key')})`;
}

interface Part {
  readonly part: FilePart | 'account';
  readonly column: Column;
  readonly path: string;
}

/** The columns that tell of the file of a media entity. */
function partsOf({ model }: Layout, use: TableUse, type: EntityType): readonly Part[] {
  return [...model.members(type).values()].flatMap((member) => {
    const column = use.columns.get(member.name);
    return member.filePart === undefined || column === undefined
      ? []
      : [{ part: member.filePart, column, path: member.name }];
  });
}

/** A file gets its name; which one is found out when the script runs. */
export function compileName(
  { target, ...step }: WriteStep & { readonly kind: 'name' },
  scope: WriteScope,
): ScriptStep {
  const { file, source, owner, property, wanted, place, rename } = step;
  const use = tableOf(scope.layout, source);
  const candidate = parameter({ kind: 'local', name: CANDIDATE });
  const taken = sql`SELECT 1 FROM ${name(use.table.name)} WHERE ${name(PARENT_COLUMN)} = ${identityOf(owner)} AND ${name(columnName(use, [property]))} = ${candidate}`;
  const { maxLength } = property.facets;
  return {
    kind: 'name',
    local: fileLocal(file, 'name'),
    taken: statement(taken, scope),
    wanted: { kind: 'value', value: wanted, ...(place === undefined ? {} : { place }) },
    rename,
    isNew: true,
    ...(typeof maxLength === 'number' ? { maxLength } : {}),
    target: targetIn(target, property),
  };
}

/** Where the body says the property of an entity. */
function targetIn(target: string | undefined, { name }: Property): string {
  return target === undefined ? name : `${target}/${name}`;
}

/** A file that is there gets another name, which none beside it may have. */
export function compileRename(
  { row, values, target }: WriteStep & { readonly kind: 'update' },
  use: TableUse,
  scope: WriteScope,
): readonly ScriptStep[] {
  if (!use.columns.has(PARENT_COLUMN)) return [];
  return values.flatMap((said): readonly ScriptStep[] => {
    const [property, ...more] = said.path;
    if (property?.filePart !== 'name' || more.length > 0) return [];
    if (said.kind !== 'value' || typeof said.value !== 'string') return [];
    const { value: wanted, place } = said;
    const table = name(use.table.name);
    const parent = name(PARENT_COLUMN);
    const candidate = parameter({ kind: 'local', name: CANDIDATE });
    const taken = sql`SELECT 1 FROM ${table} WHERE ${parent} = (SELECT ${parent} FROM ${table} WHERE ${rowIs(use, row)}) AND ${name(columnName(use, [property]))} = ${candidate} AND NOT ${rowIs(use, row)}`;
    return [
      {
        kind: 'name',
        local: 'other name',
        taken: statement(taken, scope),
        wanted: { kind: 'value', value: wanted, ...(place === undefined ? {} : { place }) },
        rename: false,
        isNew: false,
        target: targetIn(target, property),
      },
    ];
  });
}

/** Other bytes, or none, for a row that is there. */
export function compileBytes(
  { row, type, path, file, values }: WriteStep & { readonly kind: 'bytes' },
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, row.source);
  const column = use.columns.get(columnOf(use, path));
  if (column === undefined) return [];
  const kept = file === undefined ? value(null) : fileIdentity(file);
  const settings: readonly Setting[] = [
    { column, content: kept, path: column.name, said: true },
    ...(path.length > 0 || file === undefined ? [] : toldSettings(scope, use, type, file)),
    ...settingsOf(use, values).settings,
  ];
  return [
    run(release(use, row, column), scope),
    ...(file === undefined ? [] : [keepFile(file, scope)]),
    ...changeColumns(row, settings, [], scope),
  ];
}

function toldSettings(
  { layout }: WriteScope,
  use: TableUse,
  type: EntityType,
  file: string,
): readonly Setting[] {
  return partsOf(layout, use, type).flatMap(({ part, column, path }) =>
    part === 'type' || part === 'size' || part === 'sha256'
      ? [{ column, content: fact(file, part), path, said: true }]
      : [],
  );
}

function columnOf(use: TableUse, path: readonly Property[]): string {
  return path.length === 0 ? FILE_COLUMN : fileColumn(columnName(use, path));
}

function release(use: TableUse, row: Register, column: Column): Fragment {
  return sql`UPDATE "docket_file" SET "state" = 'released' WHERE "id" = (SELECT ${name(column.name)} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)})`;
}

/** Whether the bytes are those of an ETag. */
export function compileMatchFile(
  { row, path, digests, negated, refusal }: WriteStep & { readonly kind: 'match-file' },
  scope: WriteScope,
): ScriptStep {
  const use = tableOf(scope.layout, row.source);
  const isOne =
    digests === 'any' ? sql`1` : sql`"sha256" IN (${list(digests.map((one) => value(one)))})`;
  const found = sql`EXISTS (SELECT 1 FROM "docket_file" WHERE "id" = (SELECT ${name(columnOf(use, path))} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)}) AND ${isOne})`;
  return require(negated
    ? sql`SELECT 1 WHERE NOT ${found}`
    : sql`SELECT 1 WHERE ${found}`, refusal, scope);
}
