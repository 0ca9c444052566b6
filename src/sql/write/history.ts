// Writes history entries: one entry for every changed property, in the record's own history and in the same transaction. The model
// defines the members of an entry (changePart, changeCode); the engine knows no names. Values are recorded in readable form: codes as
// their text in the installation's first language, related entities by their display name, others as `/$value` returns them.
import { perObject } from '../../base/memo.ts';
import type { ValueType } from '../../bind/bound.ts';
import { codedParts, typeOfReference } from '../../bind/expression/types.ts';
import {
  type Member,
  type Model,
  memberAt,
  type Navigation,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { changeCodeOf, displayNameOf } from '../../edm/workflow/history-members.ts';
import { rawOf } from '../expression/json-value.ts';
import {
  column as columnOf,
  type Fragment,
  integer,
  list,
  local,
  name,
  nullOf,
  parameter,
  sql,
  tableName,
  text,
  value,
  word,
} from '../fragment.ts';
import {
  type Column,
  columnName,
  DYNAMIC_COLUMN,
  FILE_COLUMN,
  type Layout,
  PARENT_COLUMN,
  type Table,
  type TableUse,
} from '../schema/layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import type { Statement } from '../script.ts';
import type { Setting } from './column-values.ts';
import { requestTime, type StepOf, statement, type WriteScope } from './steps.ts';

const ACCOUNT_KEY = parameter({ kind: 'context', name: 'accountKey' });
/** The name of the caller if that has no account: of a part of the service. */
const ORIGIN = sql`CASE WHEN ${ACCOUNT_KEY} IS NULL THEN ${parameter({ kind: 'context', name: 'account' })} END`;
const CAUSE = parameter({ kind: 'context', name: 'cause' });

const HIDDEN: ReadonlySet<string> = new Set([DYNAMIC_COLUMN, FILE_COLUMN]);

type Changed = Pick<Setting, 'column' | 'path'>;

/** The contents of an entry, as SQL. */
interface EntryValues {
  /** The member that has changed. */
  readonly changed: Member | undefined;
  /** The name of the property as people read it. */
  readonly label: Fragment;
  /** Identity of the entry. */
  readonly line: Fragment;
  /** Identity of the record. */
  readonly owner: Fragment;
  readonly property: Fragment;
  /** Stored values. */
  readonly before: Fragment;
  readonly after: Fragment;
  /** Why the service has changed the value; null if a client has. */
  readonly cause: Fragment;
}

/** Statements by source and column, cached per layout because they depend on nothing else. */
const cachedEntries = perObject(
  (_layout: Layout) => new Map<string, readonly Statement[] | undefined>(),
);

/**
 * Statements that write one entry for a change of the column, with the locals `line` (identity of the entry), `owner` (identity of the
 * record), `property`, `before`, `after` and `cause`. Undefined for hidden columns and for records without a history.
 */
export function historyEntry(
  scope: WriteScope,
  use: TableUse,
  changed: Changed,
): readonly Statement[] | undefined {
  const cached = cachedEntries(scope.layout);
  const key = `${use.source.id} ${changed.column.name}`;
  if (cached.has(key)) return cached.get(key);
  const values: EntryValues = {
    ...changedMember(scope.layout.model, use, changed.path),
    line: local('line', 'integer'),
    owner: local('owner', 'integer'),
    property: local('property', 'text'),
    before: local('before', changed.column.storage.kind),
    after: local('after', changed.column.storage.kind),
    cause: local('cause', 'text'),
  };
  const entry = entryOf(scope, use, changed, values) ?? entryOfLine(scope, use, changed, values);
  const fragments = entry && [
    sql`${into(entry)} VALUES (${contents(entry)})`,
    ...scope.dialect.schema.indexTexts(entry.table, new Map(entry.contents)),
  ];
  const statements = fragments?.map((fragment) => statement(fragment, scope));
  cached.set(key, statements);
  return statements;
}

/**
 * Statements that write an entry for each of the rows whose column is cleared, with the local `lines` (the last identity before the
 * first entry). None for hidden columns and for records without a history.
 */
export function historyOfRows(
  scope: WriteScope,
  use: TableUse,
  changed: Changed,
  condition: Fragment,
): readonly Fragment[] {
  const identity = name(use.table.identity);
  const entry = entryOf(scope, use, changed, {
    ...changedMember(scope.layout.model, use, changed.path),
    line: sql`${local('lines', 'integer')} + row_number() OVER (ORDER BY ${identity})`,
    owner: identity,
    property: value(changed.path),
    before: columnOf(tableName(use.table.name), changed.column.name),
    after: nullOf(changed.column.storage.kind),
    cause: CAUSE,
  });
  if (entry === undefined) return [];
  const { table } = entry;
  // Identities are allocated in order, so these entries are the newest ones of the table.
  const isNew = sql`${name(table.identity)} > ${local('lines', 'integer')}`;
  return [
    sql`${into(entry)} SELECT ${contents(entry)} FROM ${tableName(use.table.name)} WHERE ${condition}`,
    ...scope.dialect.schema.indexTextsOfRows(table, isNew),
  ];
}

function into({ table, contents: columns }: Entry): Fragment {
  return sql`INSERT INTO ${tableName(table.name)} (${list(columns.map(([column]) => name(column)))})`;
}

function contents({ contents: columns }: Entry): Fragment {
  return list(columns.map(([, content]) => content));
}

/** The table of the entries and the contents of its columns. */
interface Entry {
  readonly table: Table;
  readonly contents: readonly (readonly [string, Fragment])[];
}

function entryOf(
  scope: WriteScope,
  use: TableUse,
  changed: Changed,
  values: EntryValues,
): Entry | undefined {
  const { layout } = scope;
  const { name: changedName } = changed.column;
  const isHidden =
    changedName.endsWith('#') || changedName.endsWith('#file') || HIDDEN.has(changedName);
  const navigation = isHidden ? undefined : historyOf(layout.model, use);
  if (navigation === undefined) return undefined;
  const { target } = resolveNavigation(layout, { from: use.source, path: [], navigation });
  const lines = layout.bySource.get(target.id);
  if (lines === undefined) return undefined;
  const texts: EntryValues = {
    ...values,
    before: readableText(scope, use, changed, values.before),
    after: readableText(scope, use, changed, values.after),
  };
  return entryIn(scope, lines, texts);
}

/** The entry for a change of an entry, such as a note: in the same history, with the path of the entry. */
function entryOfLine(
  scope: WriteScope,
  use: TableUse,
  changed: Changed,
  values: EntryValues,
): Entry | undefined {
  const { history } = scope.layout.model.definition;
  const { source, table } = use;
  const { name: changedName } = changed.column;
  const isLine = source.navigation?.contained === true && source.navigation.name === history;
  if (!isLine || HIDDEN.has(changedName) || changedName.includes('#')) return undefined;
  const texts: EntryValues = {
    ...values,
    owner: sql`(SELECT ${name(PARENT_COLUMN)} FROM ${tableName(table.name)} WHERE ${name(table.identity)} = ${values.owner})`,
    property: sql`${text(`${history}(`)} || CAST(${values.owner} AS text) || ${text(')/')} || ${values.property}`,
    before: readableText(scope, use, changed, values.before),
    after: readableText(scope, use, changed, values.after),
  };
  return entryIn(scope, use, texts);
}

/** @param lines the table of the entries */
function entryIn(scope: WriteScope, lines: TableUse, values: EntryValues): Entry {
  const { source, table } = lines;
  return {
    table,
    contents: [
      [table.identity, values.line],
      [PARENT_COLUMN, values.owner],
      ...[...scope.layout.model.members(source.type).values()].flatMap((member) =>
        entryColumn(scope, lines, member, values),
      ),
    ],
  };
}

function historyOf(model: Model, use: TableUse): Navigation | undefined {
  const { history } = model.definition;
  const member = history === undefined ? undefined : model.members(use.source.type).get(history);
  return member?.kind === 'navigation' && member.contained ? member : undefined;
}

/**
 * Who adds a history entry, and why: the account of the caller, or the part of the service. The request of a load or of the service may
 * name another account.
 */
export function authorContents(
  step: StepOf<'insert'>,
  use: TableUse,
  references: readonly { readonly navigation: Navigation }[],
  scope: WriteScope,
): readonly (readonly [string, Fragment])[] {
  const namesAccount = references.some(({ navigation }) => navigation.changePart === 'account');
  return [...scope.layout.model.members(step.type).values()].flatMap((member) => {
    if (!use.columns.has(member.name)) return [];
    if (member.kind === 'navigation') return accountContents(step, member, scope);
    if (member.changePart === 'cause') return [[member.name, CAUSE] as const];
    return member.changePart === 'origin' && !namesAccount ? [[member.name, ORIGIN] as const] : [];
  });
}

function accountContents(
  { into }: StepOf<'insert'>,
  navigation: Navigation,
  { layout }: WriteScope,
): readonly (readonly [string, Fragment])[] {
  if (navigation.changePart !== 'account') return [];
  const { target } = resolveNavigation(layout, { from: into.source, path: [], navigation });
  const accounts = layout.bySource.get(target.id)?.table;
  if (accounts === undefined) return [];
  const key = name(accounts.identity);
  const account = sql`(SELECT ${key} FROM ${tableName(accounts.name)} WHERE ${key} = ${ACCOUNT_KEY})`;
  return [[navigation.name, account]];
}

/** The column of an entry's member with its content; none if the member is not filled here. */
function entryColumn(
  { dialect, layout }: WriteScope,
  lines: TableUse,
  member: Member,
  values: EntryValues,
): readonly (readonly [string, Fragment])[] {
  const { changePart } = member;
  if (changePart === 'account') return [[member.name, ACCOUNT_KEY]];
  if (changePart === 'origin') return [[member.name, ORIGIN]];
  if (member.kind === 'navigation') return [];
  if (changePart === 'summary') return [[member.name, summaryOf(member, values)]];
  if (changePart !== undefined) return [[member.name, values[changePart]]];
  const property = values.changed?.kind === 'property' ? values.changed : undefined;
  const code = changeCodeOf(layout.model, member, property);
  if (code !== undefined) return [[member.name, value(BigInt(code))]];
  const column = member.generated?.by === 'created' ? lines.columns.get(member.name) : undefined;
  return column === undefined ? [] : [[member.name, requestTime(dialect, column)]];
}

/** `Status: Assigned → In progress`, within the length of the member. */
function summaryOf({ facets: { maxLength } }: Property, values: EntryValues): Fragment {
  const { label, before, after } = values;
  const summary = sql`${label} || ': ' || coalesce(${before}, '–') || ' → ' || coalesce(${after}, '–')`;
  return maxLength === undefined ? summary : sql`substr(${summary}, 1, ${integer(maxLength)})`;
}

/** The member at the path, and its label in the installation's first language, else its name. */
function changedMember(
  model: Model,
  use: TableUse,
  path: string,
): Pick<EntryValues, 'changed' | 'label'> {
  const [language = ''] = model.definition.languages;
  const changed = memberAt(model, use.source.type, path);
  return { changed, label: text(changed?.labels?.[language] ?? path) };
}

/** A stored value as text. */
function readableText(
  scope: WriteScope,
  use: TableUse,
  { column, path }: Changed,
  content: Fragment,
): Fragment {
  const type = typeAt(scope.layout.model, use, keptState(use, path) ?? path);
  const text = textOf(scope, column, type, content);
  const related = [...scope.layout.bySource.values()].find(
    ({ table }) => table.name === column.references,
  );
  const display = related && displayName(scope, related, content);
  return display === undefined ? text : sql`coalesce(${display}, ${text})`;
}

/** The path of the state whose code a property keeps during an approval; undefined for other properties. */
function keptState({ source: { type } }: TableUse, path: string): string | undefined {
  if (type.kind !== 'entity' || type.approval?.stateBefore !== path) return undefined;
  return type.workflow?.member;
}

/** The name of the entity that has the identity; undefined if its type declares none. */
export function displayName(
  scope: WriteScope,
  related: TableUse,
  identity: Fragment,
): Fragment | undefined {
  const { model } = scope.layout;
  const property = displayNameOf(model, related.source.type);
  const member =
    property === undefined ? undefined : model.members(related.source.type).get(property);
  const column = member && related.columns.get(columnName(related, [member]));
  if (member?.kind !== 'property' || column === undefined) return undefined;
  const alias = word('named');
  const content = columnOf(alias, column.name);
  const type = typeOfReference(model, member);
  const text = textOf(scope, column, type.kind === 'null' ? undefined : type, content);
  return sql`(SELECT ${text} FROM ${tableName(related.table.name)} AS ${alias} WHERE ${columnOf(alias, related.table.identity)} = ${identity})`;
}

/** A value as text. References and codes without a text are recorded as their key or code. */
function textOf(
  { layout, dialect }: WriteScope,
  column: Column,
  type: PropertyType | undefined,
  content: Fragment,
): Fragment {
  const stored = { sql: content, storage: column.storage, nullable: true };
  const raw = rawOf(dialect, stored, type ?? { kind: 'null' });
  if (type === undefined || codedParts(type) === undefined || type.collection) return raw;
  const language = value(layout.model.definition.languages[0] ?? '');
  return sql`coalesce((SELECT "text" FROM ${tableName('docket_code_text')} WHERE "language" = ${language} AND "value" = ${content}), ${raw})`;
}

type PropertyType = Exclude<ValueType, { readonly kind: 'null' }>;

/** The type of the property at a path of names; undefined for a navigation. */
function typeAt(model: Model, use: TableUse, path: string): PropertyType | undefined {
  let owners: readonly StructuredType[] = [use.source.type, ...model.derived(use.source.type)];
  let found: PropertyType | undefined;
  for (const step of path.split('/')) {
    const member = owners.map((owner) => model.members(owner).get(step)).find((one) => one);
    if (member?.kind !== 'property') return undefined;
    const type = typeOfReference(model, member);
    found = type.kind === 'null' ? undefined : type;
    const inner = model.types.get(member.type);
    owners = inner?.kind === 'complex' ? [inner, ...model.derived(inner)] : [];
  }
  return found;
}
