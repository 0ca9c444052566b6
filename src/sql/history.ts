// This file writes history entries: for every changed property of a record one entry in the record's own history, in the transaction of
// the change. Which member of an entry holds what is said by the model (changePart, changeCode): the engine knows no name. Values are
// told as people read them: codes by their text in the installation's first language, all others as `/$value` shows them.
import type { ValueType } from '../bind/bound.ts';
import { codedParts, typeOfReference } from '../bind/types.ts';
import type { Member, Model, Navigation, StructuredType } from '../edm/model.ts';
import { type Fragment, list, name, parameter, sql, value } from './fragment.ts';
import { rawOf } from './json-value.ts';
import { DYNAMIC_COLUMN, type Layout, PARENT_COLUMN, type TableUse } from './layout.ts';
import { arrivalOf } from './relations.ts';
import type { Statement } from './script.ts';
import { statement, type WriteScope } from './steps.ts';
import type { Setting } from './write-values.ts';

type Changed = Pick<Setting, 'column' | 'path'>;

/**
 * An INSERT of one entry about a change of the column. Its locals are `line` (identity of the entry), `owner` (of the record), `property`,
 * `before` and `after`. Undefined where nothing is told: of records without a history, and of hidden columns.
 */
export function historyEntry(
  scope: WriteScope,
  use: TableUse,
  changed: Changed,
): Statement | undefined {
  if (changed.column.name.endsWith('#') || changed.column.name === DYNAMIC_COLUMN) return undefined;
  const known = entriesOf(scope.layout);
  const key = `${use.source.id} ${changed.column.name}`;
  if (known.has(key)) return known.get(key);
  const insert = makeEntry(scope, use, changed);
  const made = insert === undefined ? undefined : statement(insert, scope);
  known.set(key, made);
  return made;
}

const entries = new WeakMap<Layout, Map<string, Statement | undefined>>();

/** Statements by source and column: they depend on the layout alone. */
function entriesOf(layout: Layout): Map<string, Statement | undefined> {
  const known = entries.get(layout) ?? new Map<string, Statement | undefined>();
  entries.set(layout, known);
  return known;
}

function makeEntry(scope: WriteScope, use: TableUse, changed: Changed): Fragment | undefined {
  const { layout } = scope;
  const navigation = historyOf(layout.model, use);
  if (navigation === undefined) return undefined;
  const { target } = arrivalOf(layout, { from: use.source, path: [], navigation });
  const lines = layout.bySource.get(target.id);
  if (lines === undefined) return undefined;
  const told = (part: 'before' | 'after') => shown(scope, use, changed, part);
  const columns: readonly (readonly [string, Fragment])[] = [
    [lines.table.identity, local('line')],
    [PARENT_COLUMN, local('owner')],
    ...[...layout.model.members(target.type).values()].flatMap((member) =>
      entryColumn(member, told),
    ),
  ];
  const names = columns.map(([column]) => name(column));
  return sql`INSERT INTO ${name(lines.table.name)} (${list(names)}) VALUES (${list(columns.map(([, content]) => content))})`;
}

function historyOf(model: Model, use: TableUse): Navigation | undefined {
  const { history } = model.definition;
  const member = history === undefined ? undefined : model.members(use.source.type).get(history);
  return member?.kind === 'navigation' && member.contained ? member : undefined;
}

/** The column of a member of an entry with what goes into it, or none. */
function entryColumn(
  member: Member,
  told: (part: 'before' | 'after') => Fragment,
): readonly (readonly [string, Fragment])[] {
  const { changePart } = member;
  if (changePart === 'account')
    return [[member.name, parameter({ kind: 'context', name: 'accountKey' })]];
  if (member.kind === 'navigation') return [];
  if (changePart === 'property') return [[member.name, local('property')]];
  if (changePart !== undefined) return [[member.name, told(changePart)]];
  if (member.changeCode !== undefined) return [[member.name, value(BigInt(member.changeCode))]];
  if (member.generated?.by === 'created')
    return [[member.name, parameter({ kind: 'context', name: 'now' })]];
  return [];
}

/** A stored value as text. A code whose text is not known is told by its value, and so is the key of what a relation leads to. */
function shown(
  { layout, dialect }: WriteScope,
  use: TableUse,
  { column, path }: Changed,
  part: 'before' | 'after',
): Fragment {
  const content = local(part);
  const type = typeAt(layout.model, use, path);
  const stored = { sql: content, storage: column.storage, nullable: true };
  const raw = rawOf(dialect, stored, type ?? { kind: 'null' });
  if (type === undefined || codedParts(type) === undefined || type.collection) return raw;
  const language = value(layout.model.definition.languages[0] ?? '');
  return sql`coalesce((SELECT "text" FROM "docket_code_text" WHERE "language" = ${language} AND "value" = ${content}), ${raw})`;
}

function local(text: string): Fragment {
  return parameter({ kind: 'local', name: text });
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
