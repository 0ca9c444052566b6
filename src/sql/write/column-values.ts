// Turns the values of a write plan into column assignments with bound parameters. A complex value has a column for each member and one
// for its presence; a value stored as JSON has one text column.

import { invariant, unreachable } from '../../base/fault.ts';
import { type Property, pathName } from '../../edm/model.ts';
import type { StoredValue } from '../../plan/write-plan.ts';
import type { Dialect, JsonChangeDialect } from '../dialect/dialect.ts';
import { storedParameter } from '../expression/literal.ts';
import { type Fragment, input, name, parameter, sql, value } from '../fragment.ts';
import { type Column, columnName, presenceColumn, type TableUse } from '../schema/layout.ts';
import { storedValue } from '../schema/value-storage.ts';

/** A column and its new content. */
export interface Setting {
  readonly column: Column;
  readonly content: Fragment;
  /** The property path as the client knows it. */
  readonly path: string;
  /** Whether the client sent the value, as opposed to a default or generated value. */
  readonly isExplicit: boolean;
}

/** A value that the database computes after the row has been written. */
export interface Computation {
  readonly column: Column;
  readonly value: StoredValue & { readonly kind: 'expression' };
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly computations: readonly Computation[];
  /** Sequences to allocate numbers from; `local` receives the number. */
  readonly sequences: readonly { readonly local: string; readonly name: string }[];
}

/** The columns of the values, without a key that is the identity, which the register holds. */
export function settingsOf(
  use: TableUse,
  values: readonly StoredValue[],
  dialect: Dialect,
): Settings {
  const settings = new Map<string, Setting>();
  const computations: Computation[] = [];
  const sequences: { local: string; name: string }[] = [];
  for (const item of values) {
    if (item.kind === 'presence') {
      for (const setting of presenceSettings(use, item)) settings.set(setting.column.name, setting);
      continue;
    }
    const column = columnAt(use, item.path);
    if (column.name === use.table.identity) continue;
    if (item.kind === 'expression') computations.push({ column, value: item });
    else settings.set(column.name, settingFor({ use, column, dialect }, item, sequences));
  }
  return { settings: [...settings.values()], computations, sequences };
}

type Simple = Exclude<StoredValue, { kind: 'presence' | 'expression' }>;

interface Target {
  readonly use: TableUse;
  readonly column: Column;
  readonly dialect: Dialect;
}

function settingFor(
  { use, column, dialect }: Target,
  item: Simple,
  sequences: { local: string; name: string }[],
): Setting {
  const path = pathName(item.path);
  switch (item.kind) {
    case 'value':
      return { column, content: valueContent(column, item), path, isExplicit: true };
    case 'json':
      return { column, content: jsonContent(item), path, isExplicit: true };
    case 'generated': {
      const local = `sequence ${path}`;
      if (item.by === 'sequence') sequences.push({ local, name: `${use.table.name}.${path}` });
      return { column, content: generatedContent(item.by, local), path, isExplicit: false };
    }
    case 'members': {
      const content = membersContent(column, item, dialect.json.change);
      return { column, content, path, isExplicit: true };
    }
    default:
      return unreachable(item);
  }
}

/** The value in the column's storage. */
function valueContent(
  { storage }: Column,
  item: StoredValue & { readonly kind: 'value' },
): Fragment {
  return item.parameter === undefined
    ? value(storedValue(storage, item.value))
    : storedParameter(item.parameter, storage);
}

function jsonContent(item: StoredValue & { readonly kind: 'json' }): Fragment {
  return item.parameter === undefined ? value(item.text) : input(item.parameter);
}

type Members = StoredValue & { readonly kind: 'members' };

/** The document in the column, or the base, with its members changed. */
function membersContent(
  column: Column,
  { base, members }: Members,
  change: JsonChangeDialect,
): Fragment {
  return members.reduce(
    (document, member) => memberContent(document, member, change),
    sql`coalesce(${name(column.name)}, ${value(base)})`,
  );
}

function memberContent(
  document: Fragment,
  member: Members['members'][number],
  change: JsonChangeDialect,
): Fragment {
  switch (member.kind) {
    case 'set':
      return change.setMember(document, member.steps, member.text);
    case 'remove':
      return change.removeMember(document, member.steps);
    case 'ensure':
      return change.ensureMember(document, member.steps);
    default:
      return unreachable(member);
  }
}

function generatedContent(by: 'key' | 'sequence' | 'now' | 'account', local: string): Fragment {
  switch (by) {
    case 'sequence':
      return parameter({ kind: 'local', name: local });
    case 'now':
    case 'account':
      return parameter({ kind: 'context', name: by });
    case 'key':
      return parameter({ kind: 'local', name: 'key' });
    default:
      return unreachable(by);
  }
}

/** Setting a complex value to null clears all of its columns, so that old content does not reappear with the next value. */
function presenceSettings(
  use: TableUse,
  item: StoredValue & { readonly kind: 'presence' },
): readonly Setting[] {
  const own = use.columns.get(columnName(use, item.path));
  const path = pathName(item.path);
  if (own !== undefined) {
    invariant(!item.present, `the presence of ${path} is not stored`);
    return [{ column: own, content: value(null), path, isExplicit: true }];
  }
  const presence = use.columns.get(presenceColumn(path));
  const mark: readonly Setting[] =
    presence === undefined
      ? []
      : [{ column: presence, content: value(item.present), path, isExplicit: true }];
  return item.present ? mark : [...mark, ...clearedColumns(use, path)];
}

function clearedColumns(use: TableUse, path: string): readonly Setting[] {
  const inside = [...use.columns.values()].filter((column) => column.name.startsWith(`${path}/`));
  return inside.map((column) => {
    const isPresence = column.name.endsWith('#');
    const content = isPresence ? value(false) : value(column.default === "'[]'" ? '[]' : null);
    return { column, content, path: column.name, isExplicit: true };
  });
}

function columnAt(use: TableUse, path: readonly Property[]): Column {
  const column = use.columns.get(columnName(use, path));
  invariant(column !== undefined, `no column for ${pathName(path)} in ${use.table.name}`);
  return column;
}
