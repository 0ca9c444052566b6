// Compiles a shape to SQL that writes each record as JSON text: one concat of constant text and values, with expansions as subqueries.
// It is long because it handles every kind of shape member, each in a short function.
//     {"Uid":…,"Caller":{…}}    concat('{"Uid":', t1."Uid", ',"Caller":', coalesce((SELECT concat('{', …) FROM "Persons" …), 'null'), '}')
// OData JSON 4.01, "Entity", "Expanded Navigation Property".
import { unreachable } from '../../base/fault.ts';
import { memoized, perObject, perPair } from '../../base/memo.ts';
import type { Expression, RowVariable, ValueType } from '../../bind/bound.ts';
import { codedParts, itemType, UNTYPED } from '../../bind/expression/types.ts';
import type { StructuredType } from '../../edm/model.ts';
import type {
  LinkPart,
  Page,
  RowSelection,
  Shape,
  ShapeMember,
  SharedMembers,
  ValueForm,
  ValueMember,
} from '../../plan/read-plan.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { compileInstance } from '../expression/cast.ts';
import { jsonOf, keyOf } from '../expression/json-value.ts';
import { documentOf, fileOf, isFlattened, presence, versionOf } from '../expression/property.ts';
import {
  column,
  type Fragment,
  flattened,
  integer,
  join,
  parameter,
  sql,
  tableName,
  text,
  value,
  where,
} from '../fragment.ts';
import { type Layout, TYPE_COLUMN } from '../schema/layout.ts';
import { JSON_TEXT, storedValue } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { precomputedMembers } from './code-texts.ts';
import { documentRules } from './document-rules.ts';
import { bytesText } from './file-json.ts';
import { limitTo, orderBy, keyOf as orderKey } from './order-by.ts';
import { fromRow, isCertain, sourceOf } from './row-source.ts';
import { type Selected, select, selectCount, selectPage } from './select-rows.ts';
import { useOf } from './union-source.ts';

/** Constant text, or SQL that produces text. Null produces nothing. */
type Piece = string | Fragment;

/** The pieces of a member with its leading comma. A member that may be omitted (`certain` is false) is one fragment, null if omitted. */
interface Written {
  readonly pieces: readonly Piece[];
  readonly certain: boolean;
}

/** The JSON text of one record. */
export function recordText(scope: Scope, shape: Shape): Fragment {
  return concat(scope, objectPieces(scope, shape.members, shape.form));
}

function objectPieces(
  scope: Scope,
  members: readonly ShapeMember[],
  form: ValueForm,
): readonly Piece[] {
  const written = members.flatMap((member) => writeMembers(scope, member, form));
  const at = written.findIndex((one) => one.certain);
  const firstCertain = written[at];
  if (firstCertain === undefined) {
    const all = written.flatMap((one) => one.pieces);
    return all.length === 0 ? ['{}'] : ['{', sql`substr(${concat(scope, all)}, 2)`, '}'];
  }
  // Members before the first certain one get a trailing comma instead of a leading one.
  const before = written.slice(0, at).flatMap((one) => one.pieces.map(withTrailingComma));
  const after = written.slice(at + 1).flatMap((one) => one.pieces);
  return ['{', ...before, ...withoutComma(firstCertain.pieces), ...after, '}'];
}

function withTrailingComma(piece: Piece): Piece {
  return typeof piece === 'string' ? `${piece.slice(1)},` : sql`(substr(${piece}, 2) || ',')`;
}

/** The pieces of a member without the leading comma. The first piece must be constant text. */
function withoutComma([first, ...others]: readonly Piece[]): readonly Piece[] {
  return typeof first === 'string' ? [first.slice(1), ...others] : others;
}

/** One concat in which adjacent constants are merged. */
function concat(scope: Scope, pieces: readonly Piece[]): Fragment {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const before = merged.at(-1);
    if (typeof piece === 'string' && typeof before === 'string') {
      merged[merged.length - 1] = before + piece;
    } else merged.push(piece);
  }
  const fragments = merged.map((piece) => (typeof piece === 'string' ? text(piece) : piece));
  const [only] = fragments;
  if (fragments.length === 1 && only !== undefined && typeof merged[0] === 'string') return only;
  return scope.dialect.json.concat(fragments);
}

/** Shared members are compiled once for records of the request and once for nested records, which precomputedCode distinguishes. */
function writeMembers(scope: Scope, member: ShapeMember, form: ValueForm): readonly Written[] {
  if (member.kind !== 'shared') return [writeMember(scope, member, form)];
  const known = writtenIn(scope.layout, member)(scope.dialect);
  return memoized(known, isNested(scope), () =>
    member.members.flatMap((one) => writeMembers(scope, one, form)).map(withFlatPieces),
  );
}

function withFlatPieces({ pieces, certain }: Written): Written {
  const flat = pieces.map((piece) => (typeof piece === 'string' ? piece : flattened(piece)));
  return { pieces: flat, certain };
}

/** By whether the record is nested. */
const writtenIn = perPair((_layout: Layout, _: SharedMembers) =>
  perObject((_dialect: Dialect) => new Map<boolean, readonly Written[]>()),
);

function isNested({ bound }: Scope): boolean {
  return bound.size > 1;
}

type SingleMember = Exclude<ShapeMember, SharedMembers>;

function writeMember(scope: Scope, member: SingleMember, form: ValueForm): Written {
  switch (member.kind) {
    case 'value':
      return writeValue(scope, member, form);
    case 'link':
      return only(scope, conditionsOf(scope, member), [
        `${nameText(member.name)}"`,
        ...linkPieces(scope, member.parts),
        '"',
      ]);
    case 'etag':
      return writeEtag(scope, member);
    case 'type':
      return writeType(scope, member);
    case 'constant':
      return only(scope, conditionsOf(scope, member), [nameText(member.name) + member.json]);
    case 'media':
      return writeMedia(scope, member);
    case 'bytes':
      return only(scope, onTypeOf(scope, member), [',', bytesText(scope, member)]);
    case 'object':
      return only(scope, conditionsOf(scope, member), [
        nameText(member.name),
        ...innerObject(scope, member, form),
      ]);
    case 'list':
      return { pieces: listPieces(scope, member, form), certain: true };
    case 'dynamic':
      return writeDynamic(scope, member, form);
    case 'one':
      return only(scope, conditionsOf(scope, member), [
        nameText(member.name),
        oneText(scope, member.select, member.shape),
      ]);
    case 'many':
      return only(scope, onTypeOf(scope, member), manyPieces(scope, member));
    case 'count':
      return only(scope, onTypeOf(scope, member), [
        nameText(member.name),
        countText(scope, member.select, form),
      ]);
    default:
      return unreachable(member);
  }
}

function listPieces(
  scope: Scope,
  { name, items }: ShapeMember & { readonly kind: 'list' },
  form: ValueForm,
): readonly Piece[] {
  const pieces = items.flatMap((item, index) => [
    index === 0 ? '' : ',',
    ...objectPieces(scope, item, form),
  ]);
  return [`${nameText(name)}[`, ...pieces, ']'];
}

function innerObject(
  scope: Scope,
  { members, notNull }: ShapeMember & { readonly kind: 'object' },
  form: ValueForm,
): readonly Piece[] {
  const pieces = objectPieces(scope, members, form);
  if (notNull === undefined) return pieces;
  const condition = scope.condition(scope, notNull);
  return [sql`CASE WHEN ${condition} THEN ${concat(scope, pieces)} ELSE 'null' END`];
}

/** `,"Name":`. */
function nameText(name: string): string {
  return `,${JSON.stringify(name)}:`;
}

/** A member that is written only if all conditions hold. */
function only(scope: Scope, conditions: readonly Fragment[], pieces: readonly Piece[]): Written {
  if (conditions.length === 0) return { pieces, certain: true };
  const all = join(conditions, ' AND ');
  return { pieces: [sql`CASE WHEN ${all} THEN ${concat(scope, pieces)} END`], certain: false };
}

interface Restricted {
  readonly onType?: StructuredType | undefined;
  readonly when?: Expression | undefined;
  readonly value?: Expression;
}

function conditionsOf(scope: Scope, member: Restricted): readonly Fragment[] {
  const when = member.when === undefined ? [] : [sql`(${scope.condition(scope, member.when)})`];
  return [...onTypeOf(scope, member), ...when];
}

/** The condition of a derived type. It tests the record that is being written, or without one, the row of the value. */
function onTypeOf(scope: Scope, member: Restricted): readonly Fragment[] {
  const { onType } = member;
  const row = onType === undefined ? undefined : (entityRow(scope.record) ?? rootOf(member.value));
  if (onType === undefined || row === undefined) return [];
  const type: ValueType = { kind: 'entity', type: row.type, collection: false };
  const operand: Expression = { kind: 'row', row: { kind: 'variable', row }, type };
  const instance = compileInstance(scope, { kind: 'instance', operand, of: onType, type });
  return instance.sql === scope.dialect.literal.true ? [] : [instance.sql];
}

type EntityRow = RowVariable & { readonly kind: 'entity' };

function entityRow(row: RowVariable | undefined): EntityRow | undefined {
  return row?.kind === 'entity' ? row : undefined;
}

function rootOf(content: Expression | undefined): EntityRow | undefined {
  const isOwn = content?.kind === 'property' && content.row.kind === 'variable';
  return isOwn && content.row.kind === 'variable' ? entityRow(content.row.row) : undefined;
}

// ---- values ---------------------------------------------------------------------------------------------------------

function writeValue(scope: Scope, member: ValueMember, form: ValueForm): Written {
  const pieces = [nameText(member.name), valueText(scope, member, form)];
  const conditions = [...conditionsOf(scope, member), ...omission(scope, member)];
  return only(scope, conditions, pieces);
}

function omission(scope: Scope, { omit, value: content }: ValueMember): readonly Fragment[] {
  if (omit === undefined) return [];
  if (omit === 'null') return [isPresent(scope, content)];
  const compiled = scope.value(scope, content);
  const omitted = value(storedValue(compiled.storage, omit.value));
  return [scope.dialect.values.notSame(compiled.sql, omitted)];
}

function isPresent(scope: Scope, content: Expression): Fragment {
  return isFlattened(scope, content)
    ? presence(scope, content)
    : sql`${scope.value(scope, content).sql} IS NOT NULL`;
}

/** The JSON text of a member's value, `null` for null. */
function valueText(scope: Scope, member: ValueMember, form: ValueForm): Fragment {
  const { value: content, members, items, besides } = member;
  const { type } = content;
  const isCollection = type.kind !== 'null' && type.collection;
  if (isCollection && items !== undefined) {
    return sql`coalesce(${itemsText(scope, member, items, form)}, 'null')`;
  }
  if (members !== undefined && !isCollection) return complexMember(scope, member, members, form);
  const compiled = scope.value(scope, content);
  const rewritten = { ...compiled, sql: documentText(scope, compiled, type, form) };
  const json = jsonOf(scope.dialect, rewritten, type, form);
  if (besides === undefined || isCollection) return json;
  const extended = withMembers(scope, json, besides, form);
  return sql`(CASE WHEN ${isPresent(scope, content)} THEN ${extended} ELSE 'null' END)`;
}

/** A stored JSON object with more members appended. */
function withMembers(
  scope: Scope,
  object: Fragment,
  members: readonly ShapeMember[],
  form: ValueForm,
): Fragment {
  const added = concat(scope, objectPieces(scope, members, form));
  return sql`(CASE WHEN length(${object}) > 2 THEN substr(${object}, 1, length(${object}) - 1) || ',' ELSE '{' END || substr(${added}, 2))`;
}

/** The JSON text of a member's value; SQL null for null. */
export function valueOrNull(scope: Scope, member: ValueMember, form: ValueForm): Fragment {
  return sql`CASE WHEN ${isPresent(scope, member.value)} THEN nullif(${valueText(scope, member, form)}, 'null') END`;
}

/** A stored document rewritten to the requested format; values of other storages stay as they are. */
function documentText(
  { dialect, layout }: Scope,
  { sql: stored, storage }: Pick<Compiled, 'sql' | 'storage'>,
  type: ValueType,
  form: ValueForm,
): Fragment {
  const rules = storage.kind === 'json' ? documentRules(layout.model, type, form) : undefined;
  return rules === undefined ? stored : dialect.json.rewrite(stored, rules);
}

function complexMember(
  scope: Scope,
  { value: content }: ValueMember,
  members: readonly ShapeMember[],
  form: ValueForm,
): Fragment {
  const code = precomputedCode(scope, content, members, form);
  if (code !== undefined) return code;
  const object = concat(scope, objectPieces(scope, members, form));
  const present = isPresent(scope, content);
  return present === scope.dialect.literal.true
    ? object
    : sql`(CASE WHEN ${present} THEN ${object} ELSE 'null' END)`;
}

/** The precomputed JSON of a coded value with exactly Text and Value; undefined if it does not apply. */
function precomputedCode(
  scope: Scope,
  content: Expression,
  members: readonly ShapeMember[],
  form: ValueForm,
): Fragment | undefined {
  const coded = codedParts(content.type);
  if (coded === undefined || content.kind !== 'property' || form.ieee754Compatible) {
    return undefined;
  }
  const names = members.map((member) =>
    member.kind === 'value' && member.omit === undefined ? member.name : '',
  );
  if (names.join('\n') !== precomputedMembers(scope.layout.model)?.join('\n')) return undefined;
  const code = scope.value(scope, content);
  if (code.storage.kind !== 'integer') return undefined;
  const precomputed = sql`(SELECT '{' || "json" || '}' FROM ${tableName('docket_code_text')} WHERE "language" = ${text(form.language)} AND "value" = ${code.sql})`;
  // A code that has been removed from its list keeps its value but has no text.
  const [first = [], ...others] = names.map((name) =>
    name === coded.value ? [nameText(name), code.sql] : [`${nameText(name)}null`],
  );
  const withoutText = ['{', ...withoutComma(first), ...others.flat(), '}'];
  const object = sql`coalesce(${precomputed}, ${concat(scope, withoutText)})`;
  const cases = casesOf(scope, content, form);
  const json =
    cases.length === 0 ? object : sql`CASE ${code.sql}${join(cases, '')} ELSE ${object} END`;
  return code.nullable
    ? sql`(CASE WHEN ${code.sql} IS NULL THEN 'null' ELSE ${json} END)`
    : sql`(${json})`;
}

/** For lists with more codes than this, a lookup is faster than comparisons. */
const MAX_CASES = 20;

/**
 * A WHEN clause for each code of the list. Comparing some integers takes a quarter of the time of a table lookup. Used only in top-level
 * records, so that statements with many expansions do not become too long.
 */
function casesOf(scope: Scope, { type }: Expression, { language }: ValueForm): readonly Fragment[] {
  const { layout } = scope;
  const listName = type.kind === 'complex' ? type.codeList : undefined;
  const codes = layout.model.codeLists.get(listName ?? '')?.codes ?? [];
  if (codes.length > MAX_CASES || isNested(scope)) return [];
  const texts = layout.codeTexts?.get(language);
  return codes.flatMap(({ value: code }) => {
    const json = texts?.get(code);
    return json === undefined ? [] : [sql` WHEN ${integer(code)} THEN ${text(`{${json}}`)}`];
  });
}

/** The JSON array of a collection's items, or a single item; null if there is none. */
function itemsText(scope: Scope, member: ValueMember, items: Items, form: ValueForm): Fragment {
  const { dialect } = scope;
  const array = scope.value(scope, member.value);
  const { row } = items;
  const inside = { ...bindRows(scope, row), record: row };
  const alias = aliasOf(inside, row);
  const filter = items.filter === undefined ? [] : [inside.condition(inside, items.filter)];
  const written = itemText(inside, member, row, form);
  const keys = items.order.map((item) => orderKey(inside, item));
  const isFromEnd = (items.index ?? 0) < 0;
  const index = sql`${dialect.json.itemIndex(alias)}${isFromEnd ? sql` DESC` : sql``}`;
  const order =
    keys.length === 0 ? sql` ORDER BY ${index}` : sql`${orderBy(inside, keys)}, ${index}`;
  const rows = sql`FROM ${dialect.json.items(array.sql, alias)}${where(filter)}${order}`;
  if (items.index !== undefined) {
    const skip = isFromEnd ? -items.index - 1 : items.index;
    return sql`(SELECT ${written} ${rows}${limitTo({ limit: 1, skip })})`;
  }
  const page = limitTo({ limit: items.top ?? Number.MAX_SAFE_INTEGER, skip: items.skip ?? 0 });
  const all = sql`SELECT ${written} AS j ${rows}${page}`;
  return sql`(CASE WHEN ${array.sql} IS NOT NULL THEN (SELECT ${arrayOfTexts(scope)} FROM (${all})) END)`;
}

type Items = NonNullable<ValueMember['items']>;

function itemText(
  inside: Scope,
  member: ValueMember,
  row: Items['row'],
  form: ValueForm,
): Fragment {
  const { json: functions } = inside.dialect;
  const alias = aliasOf(inside, row);
  const piece = { value: functions.item(alias), json: functions.itemJson(alias) };
  const { members, besides } = member;
  if (members !== undefined) {
    const object = concat(inside, objectPieces(inside, members, form));
    return sql`CASE WHEN ${piece.value} IS NULL THEN 'null' ELSE ${object} END`;
  }
  const stored = { sql: piece.json, storage: JSON_TEXT };
  const json = documentText(inside, stored, itemType(member.value.type), form);
  if (besides === undefined) return json;
  const object = withMembers(inside, json, besides, form);
  return sql`CASE WHEN ${piece.value} IS NULL THEN 'null' ELSE ${object} END`;
}

/** The JSON array of the texts in column `j` of a subquery. */
function arrayOfTexts(scope: Scope): Fragment {
  const { json } = scope.dialect;
  return json.concat([text('['), json.concatRows(sql`j`), text(']')]);
}

// ---- control information --------------------------------------------------------------------------------------------

function linkPieces(scope: Scope, parts: readonly LinkPart[]): readonly Piece[] {
  const { json } = scope.dialect;
  return parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return JSON.stringify(part.text).slice(1, -1);
      case 'root':
        return json.escapeUrl(parameter({ kind: 'context', name: 'root' }));
      case 'key':
        return keyOf(scope.dialect, scope.value(scope, part.value), part.value.type);
      default:
        return unreachable(part);
    }
  });
}

function writeEtag(scope: Scope, member: ShapeMember & { readonly kind: 'etag' }): Written {
  const version = versionOf(scope, member.row);
  const pieces = [`${nameText(member.name)}"W/\\"`, version.sql, '\\""'];
  const exists = version.nullable ? [sql`${version.sql} IS NOT NULL`] : [];
  return only(scope, [...exists, ...conditionsOf(scope, member)], pieces);
}

function writeType(scope: Scope, member: ShapeMember & { readonly kind: 'type' }): Written {
  const { row, declared, always, name } = member;
  const { type } = sourceOf(row);
  const use = useOf(scope.layout, sourceOf(row));
  if (!use.columns.has(TYPE_COLUMN)) {
    const isWritten = always || type.name !== declared.name;
    const pieces = isWritten ? [`${nameText(name)}"#${type.name}"`] : [];
    return { pieces, certain: isWritten };
  }
  const content = fromRow(scope, row, ({ alias }) => column(alias, TYPE_COLUMN));
  const isOther = always ? [] : [sql`${content} <> ${text(declared.name)}`];
  const isKnown = isCertain(scope, row) ? [] : [sql`${content} IS NOT NULL`];
  return only(scope, [...isKnown, ...isOther], [`${nameText(name)}"#`, content, '"']);
}

function writeMedia(scope: Scope, member: ShapeMember & { readonly kind: 'media' }): Written {
  const { row, property, fact, name } = member;
  const file = fileOf(scope, row, property === undefined ? [] : [property]);
  const source = fact === 'type' ? sql`"media_type"` : sql`'"' || "sha256" || '"'`;
  const found = sql`(SELECT ${scope.dialect.json.quote(source)} FROM ${tableName('docket_file')} WHERE "id" = ${file})`;
  const written = sql`(${text(nameText(name))} || ${found})`;
  const conditions = onTypeOf(scope, member);
  if (conditions.length === 0) return { pieces: [written], certain: false };
  return only(scope, conditions, [written]);
}

type Dynamic = ShapeMember & { readonly kind: 'dynamic' };

function writeDynamic(scope: Scope, member: Dynamic, form: ValueForm): Written {
  const { row, path, names } = member;
  const { json } = scope.dialect;
  const document = dynamicText(scope, documentOf(scope, row, path), form);
  if (names !== undefined) {
    const written = form.ieee754Compatible
      ? names.flatMap((name) => [`${name}${form.prefix}type`, name])
      : names;
    const pieces = written.map((name) => {
      const content = json.memberJson(document, [name]);
      return sql`(${text(nameText(name))} || ${content})`;
    });
    return { pieces, certain: false };
  }
  const declared = declaredNames(scope, member, form);
  if (declared.length > 0) return { pieces: [json.members(document, declared)], certain: false };
  const inside = sql`substr(${document}, 2, length(${document}) - 2)`;
  const all = sql`CASE WHEN length(${document}) > 2 THEN ',' || ${inside} END`;
  return { pieces: [all], certain: false };
}

/** Declared members of an open value are written elsewhere, so their full metadata is omitted here. */
function dynamicText(scope: Scope, stored: Fragment, form: ValueForm): Fragment {
  const metadata = form.metadata === 'full' ? 'minimal' : form.metadata;
  return documentText(scope, { sql: stored, storage: JSON_TEXT }, UNTYPED, { ...form, metadata });
}

/** Members of an open complex value that are not dynamic: those that its type declares, with their annotations. */
function declaredNames(
  scope: Scope,
  { row, path }: Dynamic,
  { prefix }: ValueForm,
): readonly string[] {
  const { model } = scope.layout;
  const last = path.at(-1);
  const element = row.kind === 'variable' && row.row.kind === 'element' ? row.row.type : undefined;
  const type =
    last === undefined
      ? element?.kind === 'complex'
        ? element.type
        : undefined
      : model.types.get(last.type);
  if (type?.kind !== 'complex') return [];
  const types = [type, ...model.derived(type)];
  const names = [...new Set(types.flatMap((one) => [...model.members(one).keys()]))];
  return [...names, ...names.map((name) => `${name}${prefix}type`), `${prefix}type`];
}

// ---- expansions -----------------------------------------------------------------------------------------------------

/** The scope for writing a record of the shape. */
function recordScope(selected: Selected, shape: Shape): Scope {
  return { ...selected.scope, record: shape.row, language: shape.form.language };
}

function oneText(scope: Scope, selecting: RowSelection, shape: Shape): Fragment {
  const selected = select(scope, selecting);
  const object = recordText(recordScope(selected, shape), shape);
  const found = selectPage(scope, selected, [object], { limit: 1, skip: 0 });
  return sql`coalesce((${found}), 'null')`;
}

function countText(scope: Scope, selecting: RowSelection, form: ValueForm): Fragment {
  const counted = sql`(${selectCount(select(scope, selecting))})`;
  return form.ieee754Compatible ? sql`('"' || ${counted} || '"')` : counted;
}

type Many = ShapeMember & { readonly kind: 'many' };

function manyPieces(scope: Scope, member: Many): readonly Piece[] {
  const { name, select: selecting, shape } = member;
  const count = selecting.count
    ? [nameText(`${name}${shape.form.prefix}count`), countText(scope, selecting, shape.form)]
    : [];
  return [...count, nameText(name), ...arrayPieces(scope, member)];
}

/**
 * The array, with a next link if there are more rows than the page holds. One additional row is read to detect this; if it exists, the
 * page is read a second time.
 */
function arrayPieces(scope: Scope, member: Many): readonly Piece[] {
  const { select: selecting, shape, nextLink } = member;
  const selected = select(scope, selecting);
  const inside = recordScope(selected, shape);
  const { page } = selecting;
  const texts = (range: Pick<Page, 'limit' | 'skip'> | undefined) =>
    selectPage(scope, selected, [sql`${recordText(inside, shape)} AS j`], range);
  const array = arrayOfTexts(scope);
  if (page === undefined || !page.more || nextLink === undefined || page.limit === 0) {
    return [sql`(SELECT ${array} FROM (${texts(page)}))`];
  }
  const { limit, skip } = page;
  const last = { limit: 1, skip: skip + limit - 1 };
  const token = scope.dialect.json.token(selected.keys.map((key) => key.value));
  const arrayWithLink = concat(scope, [
    sql`(SELECT ${array} FROM (${texts(page)}))`,
    `${nameText(`${member.name}${shape.form.prefix}nextLink`)}"`,
    ...linkPieces(scope, nextLink),
    sql`(${selectPage(scope, selected, [token], last)})`,
    '"',
  ]);
  return [
    sql`(SELECT CASE WHEN count(*) <= ${integer(limit)} THEN ${array} ELSE ${arrayWithLink} END FROM (${texts({ limit: limit + 1, skip })}))`,
  ];
}
