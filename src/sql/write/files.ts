// Compiles the file operations of writes: the docket_file row, the columns of a media entity that describe its file, and the release of
// replaced files. The content is stored before the script runs, and its metadata are locals of the script. Released content is not
// deleted in the transaction, because requests may still be reading it.

import type { EntityType, FilePart } from '../../edm/model.ts';
import type { Register } from '../../plan/write-plan.ts';
import {
  type Fragment,
  inputOf,
  list,
  local,
  name,
  parameter,
  sql,
  tableName,
  value,
} from '../fragment.ts';
import {
  type Column,
  columnName,
  FILE_COLUMN,
  type Layout,
  PARENT_COLUMN,
  streamColumn,
  type TableUse,
  tableOf,
} from '../schema/layout.ts';
import type { Parameter } from '../script.ts';
import { type Setting, settingsOf } from './column-values.ts';
import {
  identityOf,
  require,
  rowIs,
  run,
  type StepOf,
  statement,
  type WriteScope,
} from './steps.ts';
import { changeColumns } from './update.ts';
import type { ScriptStep } from './write-script.ts';

/** Metadata of a stored file that the script receives. */
export type FileFact = 'key' | 'store' | 'type' | 'size' | 'sha256' | 'name';

/** The local that holds a piece of metadata. */
export function fileLocal(file: string, fact: FileFact): string {
  return `${file} ${fact}`;
}

/** The local that holds the name to be tested. */
export const CANDIDATE = 'candidate';

function fact(file: string, which: FileFact): Fragment {
  return parameter({ kind: 'local', name: fileLocal(file, which) });
}

/** Inserts the docket_file row of stored content. */
export function insertFile(file: string, scope: WriteScope): ScriptStep {
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
    sql`INSERT INTO ${tableName('docket_file')} (${list(columns.map(name))}) VALUES (${list(contents)})`,
    scope,
  );
}

/** The columns of a new media entity that are filled from its file. */
export function fileContents(
  { type, parent, file }: StepOf<'insert'>,
  use: TableUse,
  { layout }: WriteScope,
): readonly (readonly [string, Fragment])[] {
  if (file === undefined) return [];
  const metadata = partsOf(layout, use, type).flatMap(({ part, column }) => {
    if (part === 'file-name' || (part === 'name' && parent === undefined)) return [];
    const content =
      part === 'account' ? parameter({ kind: 'context', name: 'accountKey' }) : fact(file, part);
    return [[column.name, content] as const];
  });
  return [[FILE_COLUMN, fileIdentity(file)], ...metadata];
}

function fileIdentity(file: string): Fragment {
  return sql`(SELECT "id" FROM ${tableName('docket_file')} WHERE "key" = ${fact(file, 'key')})`;
}

interface Part {
  readonly part: FilePart | 'account';
  readonly column: Column;
  readonly path: string;
}

/** The columns of a media entity that describe its file. */
function partsOf({ model }: Layout, use: TableUse, type: EntityType): readonly Part[] {
  return [...model.stored(type).values()].flatMap((member) => {
    const column = use.columns.get(member.name);
    return member.filePart === undefined || column === undefined
      ? []
      : [{ part: member.filePart, column, path: member.name }];
  });
}

/** Chooses the name of a new file when the script runs. */
export function compileName({ target, ...step }: StepOf<'name'>, scope: WriteScope): ScriptStep {
  const { file, source, owner, property, wanted, rename } = step;
  const use = tableOf(scope.layout, source);
  const candidate = local(CANDIDATE, 'text');
  const taken = sql`SELECT 1 FROM ${tableName(use.table.name)} WHERE ${name(PARENT_COLUMN)} = ${identityOf(owner)} AND ${name(columnName(use, [property]))} = ${candidate}`;
  const { maxLength } = property.facets;
  return {
    kind: 'name',
    local: fileLocal(file, 'name'),
    taken: statement(taken, scope),
    wanted: typeof wanted === 'string' ? { kind: 'value', value: wanted } : inputOf(wanted, 'text'),
    rename,
    isUpload: file === 'sent',
    maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    target: targetIn(target, property.name),
  };
}

/** The position of an entity's property in the request body. */
export function targetIn(target: string | undefined, name: string): string {
  return target === undefined ? name : `${target}/${name}`;
}

/** Renames an existing file. The name must be unique within its parent. */
export function compileRename(
  { row, values, target }: StepOf<'update'>,
  use: TableUse,
  scope: WriteScope,
): readonly ScriptStep[] {
  if (!use.columns.has(PARENT_COLUMN)) return [];
  return values.flatMap((stored): readonly ScriptStep[] => {
    const [property, ...more] = stored.path;
    if (property?.filePart !== 'name' || more.length > 0) return [];
    if (stored.kind !== 'value') return [];
    if (stored.parameter === undefined && stored.value === null) return [];
    const wanted: Parameter =
      stored.parameter === undefined
        ? { kind: 'value', value: stored.value }
        : inputOf(stored.parameter, 'text');
    const table = tableName(use.table.name);
    const parent = name(PARENT_COLUMN);
    const candidate = local(CANDIDATE, 'text');
    const taken = sql`SELECT 1 FROM ${table} WHERE ${parent} = (SELECT ${parent} FROM ${table} WHERE ${rowIs(use, row)}) AND ${name(columnName(use, [property]))} = ${candidate} AND NOT ${rowIs(use, row)}`;
    return [
      {
        kind: 'name',
        local: 'other name',
        taken: statement(taken, scope),
        wanted,
        rename: false,
        isUpload: false,
        target: targetIn(target, property.name),
      },
    ];
  });
}

/** Replaces or removes the content of an existing row's stream. */
export function compileBytes(
  { row, type, path, file, values }: StepOf<'bytes'>,
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, row.source);
  const column = use.columns.get(streamColumn(use, path));
  if (column === undefined) return [];
  const content = file === undefined ? value(null) : fileIdentity(file);
  const settings: readonly Setting[] = [
    { column, content, path: column.name, isExplicit: true },
    ...(path.length > 0 || file === undefined ? [] : metadataSettings(scope, use, type, file)),
    ...settingsOf(use, values, scope.dialect).settings,
  ];
  return [
    run(release(use, row, column), scope),
    ...(file === undefined ? [] : [insertFile(file, scope)]),
    ...changeColumns(row, settings, [], scope),
  ];
}

function metadataSettings(
  { layout }: WriteScope,
  use: TableUse,
  type: EntityType,
  file: string,
): readonly Setting[] {
  return partsOf(layout, use, type).flatMap(({ part, column, path }) =>
    part === 'type' || part === 'size' || part === 'sha256'
      ? [{ column, content: fact(file, part), path, isExplicit: true }]
      : [],
  );
}

function release(use: TableUse, row: Register, column: Column): Fragment {
  return sql`UPDATE ${tableName('docket_file')} SET "state" = 'released' WHERE "id" = (SELECT ${name(column.name)} FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)})`;
}

/** Requires, or with `negated` forbids, that the content matches one of the digests of an ETag condition. */
export function compileMatchFile(
  { row, path, digests, negated, fault }: StepOf<'match-file'>,
  scope: WriteScope,
): ScriptStep {
  const use = tableOf(scope.layout, row.source);
  const isMatch =
    digests === 'any'
      ? scope.dialect.literal.true
      : sql`"sha256" IN (${list(digests.map((one) => value(one)))})`;
  const found = sql`EXISTS (SELECT 1 FROM ${tableName('docket_file')} WHERE "id" = (SELECT ${name(streamColumn(use, path))} FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)}) AND ${isMatch})`;
  return require(negated
    ? sql`SELECT 1 WHERE NOT ${found}`
    : sql`SELECT 1 WHERE ${found}`, fault, scope);
}
