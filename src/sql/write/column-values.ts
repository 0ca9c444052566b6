// This file turns the values of a write plan into columns with bound parameters. A complex value is many columns; its presence is one
// more; what is kept as JSON is one column of text.
import { invariant, unreachable } from '../../base/fault.ts';
import type { Property } from '../../edm/model.ts';
import type { StoredValue } from '../../plan/write-plan.ts';
import { type Fragment, name, parameter, sql, value } from '../fragment.ts';
import { type Column, columnName, presenceColumn, type TableUse } from '../schema/layout.ts';
import { storedValue } from '../schema/value-storage.ts';

/** A column and what is put into it. */
export interface Setting {
  readonly column: Column;
  readonly content: Fragment;
  /** Path of names as people know it. */
  readonly path: string;
  /** Said by the client, not supplied by the server. */
  readonly said: boolean;
}

/** A value that the database computes once the row is there. */
export interface Computation {
  readonly column: Column;
  readonly value: StoredValue & { readonly kind: 'expression' };
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly computations: readonly Computation[];
  /** Sequences to be drawn from: the local that holds the number, and the sequence. */
  readonly sequences: readonly { readonly local: string; readonly name: string }[];
}

/** Columns for values; the key that is the identity is left out, since the register has it. */
export function settingsOf(use: TableUse, values: readonly StoredValue[]): Settings {
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
    else settings.set(column.name, settingFor(use, item, column, sequences));
  }
  return { settings: [...settings.values()], computations, sequences };
}

type Simple = Exclude<StoredValue, { kind: 'presence' | 'expression' }>;

function settingFor(
  use: TableUse,
  item: Simple,
  column: Column,
  sequences: { local: string; name: string }[],
): Setting {
  const path = pathOf(item.path);
  switch (item.kind) {
    case 'value':
      return { column, content: givenContent(column, item), path, said: true };
    case 'json':
      return { column, content: value(item.text, item.place), path, said: true };
    case 'generated': {
      const local = `sequence ${path}`;
      if (item.by === 'sequence') sequences.push({ local, name: `${use.table.name}.${path}` });
      return { column, content: generatedContent(item.by, local), path, said: false };
    }
    case 'members':
      return { column, content: membersContent(column, item), path, said: true };
    default:
      return unreachable(item);
  }
}

/** The value in the form in which the column keeps it; one with a place can be exchanged for another. */
function givenContent(
  { storage }: Column,
  { value: given, place }: StoredValue & { readonly kind: 'value' },
): Fragment {
  const stored = storedValue(storage, given);
  return place === undefined
    ? value(stored)
    : parameter({ kind: 'value', value: stored, place, storage });
}

type Members = StoredValue & { readonly kind: 'members' };

/** `json_set(coalesce("First", '{…}'), '$."Name"', json('"x"'))`. */
function membersContent(column: Column, { base, members }: Members): Fragment {
  return members.reduce(
    (document, member) => memberContent(document, member),
    sql`coalesce(${name(column.name)}, ${value(base)})`,
  );
}

function memberContent(document: Fragment, member: Members['members'][number]): Fragment {
  const place = `$${member.steps.map((step) => `.${JSON.stringify(step)}`).join('')}`;
  switch (member.kind) {
    case 'set':
      return sql`json_set(${document}, ${value(place)}, json(${value(member.text)}))`;
    case 'remove':
      return sql`json_remove(${document}, ${value(place)})`;
    case 'ensure': {
      const object = member.steps.reduceRight(
        (inner, step) => `{${JSON.stringify(step)}:${inner}}`,
        '{}',
      );
      return sql`json_patch(${document}, ${value(object)})`;
    }
    default:
      return unreachable(member);
  }
}

function generatedContent(by: 'key' | 'sequence' | 'now' | 'account', local: string): Fragment {
  switch (by) {
    case 'sequence':
      return parameter({ kind: 'local', name: local });
    case 'now':
      return parameter({ kind: 'context', name: 'now' });
    case 'account':
      return parameter({ kind: 'context', name: 'account' });
    case 'key':
      return parameter({ kind: 'local', name: 'key' });
    default:
      return unreachable(by);
  }
}

/** Setting a complex value to null empties all that it consists of, so that nothing of it comes back with the next one. */
function presenceSettings(
  use: TableUse,
  item: StoredValue & { readonly kind: 'presence' },
): readonly Setting[] {
  const own = use.columns.get(columnName(use, item.path));
  const path = pathOf(item.path);
  if (own !== undefined) {
    invariant(!item.present, `the presence of ${path} is not stored`);
    return [{ column: own, content: value(null), path, said: true }];
  }
  const presence = use.columns.get(presenceColumn(path));
  const mark: readonly Setting[] =
    presence === undefined
      ? []
      : [{ column: presence, content: value(item.present), path, said: true }];
  return item.present ? mark : [...mark, ...emptied(use, path)];
}

function emptied(use: TableUse, path: string): readonly Setting[] {
  const inside = [...use.columns.values()].filter((column) => column.name.startsWith(`${path}/`));
  return inside.map((column) => {
    const isPresence = column.name.endsWith('#');
    const content = isPresence ? value(false) : value(column.default === "'[]'" ? '[]' : null);
    return { column, content, path: column.name, said: true };
  });
}

function columnAt(use: TableUse, path: readonly Property[]): Column {
  const column = use.columns.get(columnName(use, path));
  invariant(column !== undefined, `no column for ${pathOf(path)} in ${use.table.name}`);
  return column;
}

/** `Registration/DateCreated`. */
function pathOf(path: readonly { readonly name: string }[]): string {
  return path.map((step) => step.name).join('/');
}
