// This file reads and writes the rows of the sets CodeLists and Codes: the code lists of the installation, with the edits of its
// administrators.
import { invariant } from '../../base/fault.ts';
import { codeSources } from '../../edm/code-sets.ts';
import { definedMembers } from '../../edm/defined-members.ts';
import type { Code, CodeList, Model, Texts } from '../../edm/model.ts';
import { criticalityOf } from '../../edm/value/criticality.ts';
import { ARGUMENT, type Fragment, list, name, sql, tableName } from '../../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../../sql/schema/ddl.ts';
import { type Layout, tableOf, VERSION_COLUMN } from '../../sql/schema/layout.ts';
import type { Cell, Database, Row, Work } from '../database.ts';
import { isTrue } from '../stored-values.ts';
import { allocate, change, kept, query } from '../work.ts';
import { storeCodeTexts } from './code-texts.ts';

/** A code as a record of the set Codes. */
export interface StoredCode extends Code {
  readonly identity: bigint;
  readonly list: string;
  readonly disabled: boolean;
  /** The position in the list; null after all others. */
  readonly ordering: bigint | null;
  /** A language that has more than one text. */
  readonly repeated?: string | undefined;
}

/** The records of both sets. */
export interface StoredCodes {
  /** Identities of the lists by name. */
  readonly lists: ReadonlyMap<string, StoredList>;
  /** In the order of their lists. */
  readonly codes: readonly StoredCode[];
}

interface StoredList {
  readonly identity: bigint;
  readonly ordered: boolean;
  readonly hierarchical: boolean;
}

/** The records; undefined if the model has no code lists. */
export function* readStoredCodes(layout: Layout): Work<StoredCodes | undefined> {
  const tables = codeTables(layout);
  if (tables === undefined) return undefined;
  const lists = yield query(
    sql`SELECT ${tables.listKey}, "Name", "Ordered", "Hierarchical" FROM ${tables.lists} ORDER BY "Name"`,
  );
  const codes = yield query(
    sql`SELECT ${tables.codeKey}, coalesce("Value", ${tables.codeKey}), "List", "Parent", "Texts", "Ordering", "Disabled", "Meaning", ${tables.looks.read} FROM ${tables.codes}`,
  );
  return toStoredCodes(lists.rows, codes.rows);
}

function toStoredCodes(listRows: readonly Row[], codeRows: readonly Row[]): StoredCodes {
  const lists = new Map(
    listRows.map(([identity, key, ordered, hierarchical]) => [
      String(key),
      {
        identity: toInteger(identity),
        ordered: isTrue(ordered),
        hierarchical: isTrue(hierarchical),
      },
    ]),
  );
  const names = new Map([...lists].map(([key, { identity }]) => [identity, key]));
  const values = new Map(codeRows.map(([identity, code]) => [identity, toInteger(code)]));
  const codes = codeRows.map((row) => toCode(row, names, values));
  return { lists, codes: codes.sort(inOrder) };
}

function toCode(
  row: Row,
  lists: ReadonlyMap<bigint, string>,
  values: ReadonlyMap<Cell | undefined, bigint>,
): StoredCode {
  const [identity, code, listKey, parentKey, texts, ordering, disabled, meaning, ...look] = row;
  const [criticality, icon] = look;
  const parent = values.get(parentKey ?? undefined);
  return {
    identity: toInteger(identity),
    value: toInteger(code),
    list: lists.get(listKey as bigint) ?? '',
    ...toTexts(texts),
    ordering: typeof ordering === 'bigint' ? ordering : null,
    disabled: isTrue(disabled),
    ...(typeof meaning === 'string' ? { meaning } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...definedMembers({
      criticality: typeof criticality === 'bigint' ? criticalityOf(criticality) : undefined,
      icon: typeof icon === 'string' ? icon : undefined,
    }),
  };
}

/** By position, and by value where positions are equal. */
function inOrder(left: StoredCode, right: StoredCode): number {
  const [one, other] = [left.ordering, right.ordering];
  if (one !== other) {
    if (one === null) return 1;
    if (other === null) return -1;
    return one < other ? -1 : 1;
  }
  return left.value < right.value ? -1 : 1;
}

function toTexts(json: Cell | undefined): Pick<StoredCode, 'texts' | 'repeated'> {
  const items = JSON.parse(typeof json === 'string' ? json : '[]') as readonly {
    readonly Language: string;
    readonly Text: string;
  }[];
  const languages = items.map(({ Language }) => Language);
  return {
    texts: Object.fromEntries(items.map(({ Language, Text }) => [Language, Text])),
    repeated: languages.find((language, index) => languages.indexOf(language) < index),
  };
}

function toInteger(cell: Cell | undefined): bigint {
  invariant(typeof cell === 'bigint', 'keys and values of codes are integers');
  return cell;
}

/** The code lists of the installation, as a model would declare them. Lists that the model does not have are left out. */
export function toCodeLists(model: Model, stored: StoredCodes | undefined): readonly CodeList[] {
  const { codeLists } = model.definition;
  if (stored === undefined) return codeLists;
  return codeLists.map((declared) => {
    const known = stored.lists.get(declared.name);
    const codes = stored.codes.filter(({ list: own }) => own === declared.name).map(toModelCode);
    return known === undefined
      ? declared
      : { ...declared, ordered: known.ordered, hierarchical: known.hierarchical, codes };
  });
}

function toModelCode({ value, texts, meaning, parent, disabled, ...look }: StoredCode): Code {
  return {
    value,
    texts,
    ...(meaning === undefined ? {} : { meaning }),
    ...(parent === undefined ? {} : { parent }),
    ...(disabled ? { disabled } : {}),
    ...definedMembers({ criticality: look.criticality, icon: look.icon }),
  };
}

/** Adds a code list. */
export function* insertList(layout: Layout, added: CodeList): Work<void> {
  const { lists, listKey } = requireTables(layout);
  const identity = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
  const columns = list([listKey, ...['Name', 'Ordered', 'Hierarchical'].map(name)]);
  yield change(sql`INSERT INTO ${lists} (${columns}) VALUES (${FOUR_ARGUMENTS})`, [
    identity,
    added.name,
    added.ordered,
    added.hierarchical,
  ]);
}

const FOUR_ARGUMENTS = list([ARGUMENT, ARGUMENT, ARGUMENT, ARGUMENT]);

/** What the model and administrators decide about a code. */
export interface CodeContent extends Omit<Code, 'value'> {
  readonly ordering: bigint | null;
}

/** Adds a code, whose parent storeReference sets. */
export function* insertCode(
  layout: Layout,
  listIdentity: bigint,
  value: bigint,
  content: CodeContent,
): Work<void> {
  const { codes, codeKey, looks } = requireTables(layout);
  const identity = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
  const columns = list([codeKey, ...['Value', 'List', ...CONTENT, ...looks.names].map(name)]);
  const cells = [identity, value, listIdentity, ...contentCells(content, looks.names)];
  const places = list(cells.map(() => ARGUMENT));
  yield change(sql`INSERT INTO ${codes} (${columns}) VALUES (${places})`, cells);
}

/** Changes a code, except for its parent. */
export function* updateCode(layout: Layout, identity: bigint, content: CodeContent): Work<void> {
  const { codes, codeKey, looks } = requireTables(layout);
  const cells = list(
    [...CONTENT, ...looks.names].map((column) => sql`${name(column)} = ${ARGUMENT}`),
  );
  yield change(sql`UPDATE ${codes} SET ${cells}, ${VERSION} WHERE ${codeKey} = ${ARGUMENT}`, [
    ...contentCells(content, looks.names),
    identity,
  ]);
}

/** A change of a code: further texts, and whether it can be chosen. */
export interface CodeChange {
  readonly value: number;
  readonly texts?: Texts;
  readonly disabled?: boolean;
}

/** Changes codes without the checks of a request. */
export async function changeCodes(
  database: Pick<Database, 'write'>,
  layout: Layout,
  changes: readonly CodeChange[],
): Promise<void> {
  await database.write(() => kept(changeAll(layout, changes)));
}

function* changeAll(layout: Layout, changes: readonly CodeChange[]): Work<void> {
  const stored = yield* readStoredCodes(layout);
  for (const { value, texts, disabled } of changes) {
    const code = stored?.codes.find((one) => one.value === BigInt(value));
    if (code === undefined) continue;
    const content = {
      ...code,
      texts: { ...code.texts, ...texts },
      disabled: disabled ?? code.disabled,
    };
    yield* updateCode(layout, code.identity, content);
  }
  const { model } = layout;
  yield* storeCodeTexts(model, toCodeLists(model, yield* readStoredCodes(layout)));
}

/** Sets or clears the list or the parent of a code. */
export function* storeReference(
  layout: Layout,
  identity: bigint,
  navigation: 'List' | 'Parent',
  target: bigint | undefined,
): Work<void> {
  const { codes, codeKey } = requireTables(layout);
  yield change(
    sql`UPDATE ${codes} SET ${name(navigation)} = ${ARGUMENT} WHERE ${codeKey} = ${ARGUMENT}`,
    [target ?? null, identity],
  );
}

/** Gives the codes of installations that had no column for it their value, which was their key. */
export function* completeValues(layout: Layout): Work<void> {
  const tables = codeTables(layout);
  if (tables === undefined) return;
  yield change(
    sql`UPDATE ${tables.codes} SET "Value" = ${tables.codeKey} WHERE "Value" IS NULL`,
    [],
  );
}

const CONTENT = ['Texts', 'Ordering', 'Disabled', 'Meaning'] as const;
const VERSION = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;

/** What user interfaces show of a code. A model that declares the set itself may lack these members. */
const LOOKS = ['Criticality', 'Icon'] as const;
type Look = (typeof LOOKS)[number];

function contentCells(
  { texts, ordering, disabled, meaning, criticality, icon }: CodeContent,
  looks: readonly Look[],
): readonly Cell[] {
  const items = Object.entries(texts).map(([Language, Text]) => ({ Language, Text }));
  const shown = {
    Criticality: criticality === undefined ? null : BigInt(criticality),
    Icon: icon ?? null,
  } satisfies Record<Look, Cell>;
  const own = looks.map((look) => shown[look]);
  return [JSON.stringify(items), ordering, disabled ?? false, meaning ?? null, ...own];
}

interface CodeTables {
  readonly lists: Fragment;
  readonly listKey: Fragment;
  readonly codes: Fragment;
  readonly codeKey: Fragment;
  /** The columns of LOOKS that exist, and a list of all of them for SELECT. */
  readonly looks: { readonly names: readonly Look[]; readonly read: Fragment };
}

function codeTables(layout: Layout): CodeTables | undefined {
  const sources = codeSources(layout.model);
  if (sources === undefined) return undefined;
  const [lists, codes] = [
    tableOf(layout, sources.lists).table,
    tableOf(layout, sources.codes).table,
  ];
  const known = new Set(codes.columns.map((one) => one.name));
  const read = list(LOOKS.map((look) => (known.has(look) ? name(look) : sql`NULL`)));
  return {
    looks: { names: LOOKS.filter((look) => known.has(look)), read },
    lists: tableName(lists.name),
    listKey: name(lists.identity),
    codes: tableName(codes.name),
    codeKey: name(codes.identity),
  };
}

function requireTables(layout: Layout): CodeTables {
  const tables = codeTables(layout);
  invariant(tables !== undefined, 'the model has code lists');
  return tables;
}
