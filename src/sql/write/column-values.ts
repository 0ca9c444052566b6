// Turns the values of a write plan into column assignments with bound parameters. A complex value has a column for each member and one
// for its presence; a value stored as JSON has one text column.

import { invariant, unreachable } from '../../base/fault.ts';
import { type Property, pathName } from '../../edm/model.ts';
import { isPrimitive, primitiveRow } from '../../edm/value/primitives.ts';
import type { StoredValue } from '../../plan/write-plan.ts';
import type { Dialect, JsonChangeDialect } from '../dialect/dialect.ts';
import { storedParameter } from '../expression/literal.ts';
import { type Fragment, input, inputOf, local, name, parameter, sql, value } from '../fragment.ts';
import { type Column, columnName, presenceColumn, type TableUse } from '../schema/layout.ts';
import { storedValue } from '../schema/value-storage.ts';
import type { Parameter } from '../script.ts';
import { requestTime } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

/** A column and its new content. */
export interface Setting {
  readonly column: Column;
  readonly content: Fragment;
  /** The property path as the client knows it. */
  readonly path: string;
  /** Whether the client sent the value, as opposed to a default or generated value. */
  readonly isExplicit: boolean;
  /** Whether the service keeps the value, so that the history records only values that it replaces. */
  readonly isKept?: boolean;
}

/** A value that the database computes after the row has been written. */
export interface Computation {
  readonly column: Column;
  readonly value: StoredValue & { readonly kind: 'expression' };
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly computations: readonly Computation[];
  readonly sequences: readonly SequenceUse[];
  readonly numbers: readonly GivenNumber[];
  /** Locals that receive generated GUIDs. */
  readonly guids: readonly string[];
}

/** A number of a load, after which the sequence continues. */
type GivenNumber = Pick<ScriptStep & { readonly kind: 'continue' }, 'name' | 'given'>;

/** A sequence to allocate a number from; `local` receives it. `greatest` is the last number that the property can hold. */
type SequenceUse = Pick<ScriptStep & { readonly kind: 'sequence' }, 'local' | 'name' | 'greatest'>;

/** What the script must generate before the columns are written. */
interface Generated {
  readonly sequences: SequenceUse[];
  readonly guids: string[];
}

/** The columns of the values, without references and a key that is the identity, which the register holds. */
export function settingsOf(
  use: TableUse,
  values: readonly StoredValue[],
  dialect: Dialect,
): Settings {
  const settings = new Map<string, Setting>();
  const computations: Computation[] = [];
  const generated: Generated = { sequences: [], guids: [] };
  const numbers: GivenNumber[] = [];
  for (const item of values) {
    if (item.kind === 'reference' || item.kind === 'evaluated') continue;
    if (item.kind === 'presence') {
      for (const setting of presenceSettings(use, item)) settings.set(setting.column.name, setting);
      continue;
    }
    const column = columnAt(use, item.path);
    if (column.name === use.table.identity) continue;
    const given = givenNumber(item);
    if (given !== undefined && isNumbered(item.path) && column.storage.kind === 'integer')
      numbers.push({ name: sequenceName(use, pathName(item.path)), given });
    if (item.kind === 'expression') computations.push({ column, value: item });
    else settings.set(column.name, settingFor({ use, column, dialect }, item, generated));
  }
  return { settings: [...settings.values()], computations, numbers, ...generated };
}

function isNumbered(path: readonly Property[]): boolean {
  const by = path.at(-1)?.generated?.by;
  return by === 'key' || by === 'sequence';
}

/** The number that a body contains for a property; undefined if it contains none. */
export function givenNumber(item: StoredValue): Parameter | undefined {
  if (item.kind !== 'value') return undefined;
  if (item.parameter !== undefined) return inputOf(item.parameter, 'integer');
  return item.value === null ? undefined : { kind: 'value', value: item.value };
}

type Simple = Exclude<StoredValue, { kind: 'presence' | 'expression' | 'evaluated' | 'reference' }>;

interface Target {
  readonly use: TableUse;
  readonly column: Column;
  readonly dialect: Dialect;
}

function settingFor({ use, column, dialect }: Target, item: Simple, generated: Generated): Setting {
  const path = pathName(item.path);
  switch (item.kind) {
    case 'value':
      return { column, content: valueContent(column, item), path, isExplicit: true };
    case 'json':
      return { column, content: jsonContent(item), path, isExplicit: true };
    case 'generated': {
      const content = generatedContent({ use, column, dialect }, item, generated);
      return { column, content, path, isExplicit: false };
    }
    case 'members': {
      const content = membersContent(column, item, dialect);
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
  return item.parameter === undefined ? value(item.text) : input(item.parameter, 'json');
}

type Members = StoredValue & { readonly kind: 'members' };

/** The document in the column, or the base, with its members changed. */
function membersContent(
  column: Column,
  { base, members, as }: Members,
  dialect: Dialect,
): Fragment {
  const stored = name(column.name);
  const document =
    as === undefined
      ? sql`coalesce(${stored}, ${value(base)})`
      : sql`(CASE WHEN ${stored} IS NULL THEN ${value(base)} ELSE ${asType(stored, as, dialect)} END)`;
  return members.reduce(
    (content, member) => memberContent(content, member, dialect.json.change),
    document,
  );
}

/** The document as one of the type: with its members in order, and with dynamic properties. */
function asType(stored: Fragment, as: NonNullable<Members['as']>, { json }: Dialect): Fragment {
  const members = [...as.defaults].flatMap(([member, text], index) => [
    value(`${index === 0 && as.name === undefined ? '' : ','}${JSON.stringify(member)}:`),
    sql`coalesce(${json.memberJson(stored, [member])}, ${value(text)})`,
  ]);
  const head = as.name === undefined ? '{' : `{"@odata.type":${JSON.stringify(as.name)}`;
  const declared = [...as.defaults.keys(), ...as.foreign, '@odata.type'];
  const dynamic = as.isOpen ? json.members(stored, { except: declared }, undefined) : [];
  return json.concat([value(head), ...members, ...dynamic, value('}')]);
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

/** Keys other than the identity have a sequence of their own or are GUIDs. */
function generatedContent(
  { use, column, dialect }: Target,
  { by, path }: StoredValue & { readonly kind: 'generated' },
  { sequences, guids }: Generated,
): Fragment {
  if (by === 'now') return requestTime(dialect, column);
  if (by === 'account') return parameter({ kind: 'context', name: by });
  const type = path.at(-1)?.type ?? '';
  const named = `generated ${pathName(path)}`;
  if (type === 'Edm.Guid') {
    guids.push(named);
    return local(named, 'text');
  }
  const greatest = isPrimitive(type) ? primitiveRow(type).bounds?.greatest : undefined;
  sequences.push({ local: named, name: sequenceName(use, pathName(path)), greatest });
  return local(named, 'integer');
}

/** The sequence that numbers a property of the rows of a table. */
export function sequenceName({ table }: TableUse, path: string): string {
  return `${table.name}.${path}`;
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

/** The column of a property. */
export function columnAt(use: TableUse, path: readonly Property[]): Column {
  const column = use.columns.get(columnName(use, path));
  invariant(column !== undefined, `no column for ${pathName(path)} in ${use.table.name}`);
  return column;
}
