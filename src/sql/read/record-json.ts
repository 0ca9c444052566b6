// Compiles a shape to the pieces of each record's JSON text: constant text and values, with expansions as subqueries. The database writes
// them as one concat, or selects the values for the service. It is long because it handles every kind of shape member, each in a short
// function.
//     {"Uid":…,"Caller":{…}}    concat('{"Uid":', t1."Uid", ',"Caller":', coalesce((SELECT concat('{', …) FROM "Persons" …), 'null'), '}')
// OData JSON 4.01, "Entity", "Expanded Navigation Property".
import { unreachable } from '../../base/fault.ts';
import { memoized, perObject, perPair } from '../../base/memo.ts';
import type { Expression, RowVariable, ValueType } from '../../bind/bound.ts';
import { itemType, UNTYPED } from '../../bind/expression/types.ts';
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
import type { DocumentRules } from '../dialect/rewrite-document.ts';
import { compileInstance } from '../expression/cast.ts';
import { clockInputTexts } from '../expression/clock-inputs.ts';
import { jsonOf, keyOf } from '../expression/json-value.ts';
import { documentOf, fileOf, isFlattened, presence, versionOf } from '../expression/property.ts';
import {
  column,
  type Fragment,
  integer,
  parameter,
  parametersOf,
  sql,
  tableName,
  text,
  value,
  where,
} from '../fragment.ts';
import { type Layout, TYPE_COLUMN } from '../schema/layout.ts';
import { storedValue } from '../schema/value-storage.ts';
import { aliasOf, bindRows, isNested, type Scope } from '../scope.ts';
import type { Parameter } from '../script.ts';
import { precomputedCode } from './code-json.ts';
import { documentRules } from './document-rules.ts';
import { bytesText } from './file-json.ts';
import { limitTo, orderBy, keyOf as orderKey } from './order-by.ts';
import {
  type Cell,
  concat,
  flattenPieces,
  isNotNull,
  nameText,
  type Piece,
  ROOT,
  type Test,
  textOfAll,
} from './record-piece.ts';
import type { Format } from './record-template.ts';
import { fromRow, isCertain, isReferenced, sourceOf } from './row-source.ts';
import { type Selected, select, selectCount, selectPage } from './select-rows.ts';
import { identityColumn, useOf } from './union-source.ts';
import { jsonFormat, keyFormat } from './value-format.ts';

/** The pieces of a member with its leading comma. A member that may be omitted (`certain` is false) is one fragment, null if omitted. */
interface Written {
  readonly pieces: readonly Piece[];
  readonly certain: boolean;
}

/** The JSON text of one record. */
export function recordText(scope: Scope, shape: Shape): Fragment {
  return concat(scope.dialect, recordPieces({ ...scope, inColumns: false }, shape));
}

export function recordPieces(scope: Scope, shape: Shape): readonly Piece[] {
  return objectPieces(scope, shape.members, shape.form);
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
    return all.length === 0
      ? ['{}']
      : ['{', { kind: 'members', pieces: all, trailing: false }, '}'];
  }
  // Members before the first certain one get a trailing comma instead of a leading one.
  const before = written.slice(0, at).flatMap((one) => one.pieces.map(withTrailingComma));
  const after = written.slice(at + 1).flatMap((one) => one.pieces);
  return ['{', ...before, ...withoutComma(firstCertain.pieces), ...after, '}'];
}

function withTrailingComma(piece: Piece): Piece {
  return typeof piece === 'string'
    ? `${piece.slice(1)},`
    : { kind: 'members', pieces: [piece], trailing: true };
}

/** The pieces of a member without the leading comma. The first piece must be constant text. */
function withoutComma([first, ...others]: readonly Piece[]): readonly Piece[] {
  return typeof first === 'string' ? [first.slice(1), ...others] : others;
}

/** Shared members are compiled once for columns, once for records of the request and once for nested ones, which casesOf distinguishes. */
function writeMembers(scope: Scope, member: ShapeMember, form: ValueForm): readonly Written[] {
  if (member.kind !== 'shared') return [writeMember(scope, member, form)];
  // Those that an insert returns have the table as their alias.
  if (scope.unboundAlias !== undefined)
    return member.members.flatMap((one) => writeMembers(scope, one, form));
  const known = writtenIn(scope.layout, member)(scope.dialect);
  const use = scope.inColumns === true ? 'columns' : isNested(scope) ? 'nested' : 'record';
  return memoized(known, use, () => {
    const written = member.members.flatMap((one) => writeMembers(scope, one, form));
    return use === 'columns' ? written : written.map((one) => withFlatPieces(scope, one));
  });
}

function withFlatPieces({ dialect }: Scope, { pieces, certain }: Written): Written {
  return { pieces: flattenPieces(dialect, pieces), certain };
}

const writtenIn = perPair((_layout: Layout, _: SharedMembers) =>
  perObject((_dialect: Dialect) => new Map<'columns' | 'nested' | 'record', readonly Written[]>()),
);

type SingleMember = Exclude<ShapeMember, SharedMembers>;

function writeMember(scope: Scope, member: SingleMember, form: ValueForm): Written {
  switch (member.kind) {
    case 'value':
      return writeValue(scope, member, form);
    case 'link':
      return only(conditionsOf(scope, member), [
        `${nameText(member.name)}"`,
        ...linkPieces(scope, member.parts),
        '"',
      ]);
    case 'etag':
      return writeEtag(scope, member);
    case 'type':
      return writeType(scope, member);
    case 'constant':
      return only(conditionsOf(scope, member), [nameText(member.name) + member.json]);
    case 'media':
      return writeMedia(scope, member);
    case 'bytes':
      return only(onTypeOf(scope, member), [',', bytesText(scope, member)]);
    case 'object':
      return only(conditionsOf(scope, member), [
        nameText(member.name),
        ...innerObject(scope, member, form),
      ]);
    case 'list':
      return { pieces: listPieces(scope, member, form), certain: true };
    case 'clock-inputs': {
      const items = clockInputTexts(scope, member)
        .flatMap((one) => [',', one])
        .slice(1);
      return { pieces: [`${nameText(member.name)}[`, ...items, ']'], certain: true };
    }
    case 'dynamic':
      return writeDynamic(scope, member, form);
    case 'one':
      return only(conditionsOf(scope, member), [
        nameText(member.name),
        onePiece(scope, member.select, member.shape),
      ]);
    case 'many':
      return only(conditionsOf(scope, member), manyPieces(scope, member));
    case 'count':
      return only(conditionsOf(scope, member), [
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
  if (items.length === 0) return [`${nameText(name)}[]`];
  const pieces = items.flatMap((item) => {
    const content = 'members' in item ? objectPieces(scope, item.members, form) : [item.json];
    return only(conditionsOf(scope, item), [',', ...content]).pieces;
  });
  return [`${nameText(name)}[`, { kind: 'members', pieces, trailing: false }, ']'];
}

function innerObject(
  scope: Scope,
  { members, notNull }: ShapeMember & { readonly kind: 'object' },
  form: ValueForm,
): readonly Piece[] {
  const pieces = objectPieces(scope, members, form);
  return notNull === undefined
    ? pieces
    : [orNull({ condition: scope.condition(scope, notNull) }, pieces)];
}

/** The pieces if the test holds, else `null`. */
function orNull(test: Test, pieces: readonly Piece[]): Piece {
  return { kind: 'choice', tests: [test], pieces, otherwise: 'null' };
}

/** A member that is written only if all tests hold. */
function only(tests: readonly Test[], pieces: readonly Piece[]): Written {
  if (tests.length === 0) return { pieces, certain: true };
  return { pieces: [{ kind: 'choice', tests, pieces }], certain: false };
}

interface Restricted {
  readonly onType?: StructuredType | undefined;
  readonly when?: Expression | undefined;
  readonly value?: Expression;
}

function conditionsOf(scope: Scope, member: Restricted): readonly Test[] {
  const onType = onTypeOf(scope, member);
  if (member.when === undefined) return onType;
  return [...onType, { condition: sql`(${scope.condition(scope, member.when)})` }];
}

/** The condition of a derived type. It tests the record that is being written, or without one, the row of the value. */
function onTypeOf(scope: Scope, member: Restricted): readonly Test[] {
  const { onType } = member;
  const row = onType === undefined ? undefined : (entityRow(scope.record) ?? rootOf(member.value));
  if (onType === undefined || row === undefined) return [];
  const type: ValueType = { kind: 'entity', type: row.type, collection: false };
  const operand: Expression = { kind: 'row', row: { kind: 'variable', row }, type };
  const instance = compileInstance(scope, { kind: 'instance', operand, of: onType, type });
  return instance.sql === scope.dialect.literal.true ? [] : [{ condition: instance.sql }];
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
  const pieces = [nameText(member.name), ...valuePieces(scope, member, form)];
  return only([...conditionsOf(scope, member), ...omission(scope, member)], pieces);
}

function omission(scope: Scope, { omit, value: content }: ValueMember): readonly Test[] {
  if (omit === undefined) return [];
  if (omit === 'null') return [isPresent(scope, content)];
  const compiled = scope.value(scope, content);
  const omitted = value(storedValue(compiled.storage, omit.value));
  return [{ condition: scope.dialect.values.notSame(compiled.sql, omitted) }];
}

function isPresent(scope: Scope, content: Expression): Test {
  return isFlattened(scope, content)
    ? { condition: presence(scope, content) }
    : isNotNull(scope.value(scope, content).sql);
}

/** The JSON text of a member's value, `null` for null. */
function valuePieces(scope: Scope, member: ValueMember, form: ValueForm): readonly Piece[] {
  const { value: content, members, items, besides } = member;
  const { type } = content;
  const isCollection = type.kind !== 'null' && type.collection;
  if (isCollection && items !== undefined) {
    return [sql`coalesce(${itemsText(scope, member, items, form)}, 'null')`];
  }
  if (members !== undefined && !isCollection) return complexMember(scope, member, members, form);
  if (besides === undefined || isCollection) return [valueCell(scope, content, form)];
  return [orNull(isPresent(scope, content), [extension(scope, content, besides, form)])];
}

function valueCell(scope: Scope, content: Expression, form: ValueForm): Cell {
  const { dialect } = scope;
  const { type } = content;
  const compiled = scope.value(scope, content);
  const rules = rulesOf(scope, compiled, type, form);
  return {
    kind: 'cell',
    value: compiled.sql,
    format: jsonFormat(compiled.storage, type, form, rules),
    text: () =>
      jsonOf(dialect, { ...compiled, sql: rewritten(dialect, compiled.sql, rules) }, type, form),
  };
}

/** A stored JSON object in the requested format with more members appended. Values replace members of their name. */
function extension(
  scope: Scope,
  content: Expression,
  besides: readonly ShapeMember[],
  form: ValueForm,
): Piece {
  const object = valueCell(scope, content, form);
  const text = () => withMembers(scope, object.value, content.type, besides, form);
  if (replacedNames(besides).length > 0) return text();
  return { kind: 'extension', object, added: memberPieces(scope, besides, form), text };
}

function replacedNames(besides: readonly ShapeMember[]): readonly string[] {
  return besides.flatMap((member) =>
    member.kind === 'value' && (member.members ?? member.besides) !== undefined
      ? [member.name]
      : [],
  );
}

function memberPieces(
  scope: Scope,
  members: readonly ShapeMember[],
  form: ValueForm,
): readonly Piece[] {
  return members
    .flatMap((member) => writeMembers(scope, member, form))
    .flatMap((one) => one.pieces);
}

function withMembers(
  scope: Scope,
  stored: Fragment,
  type: ValueType,
  besides: readonly ShapeMember[],
  form: ValueForm,
): Fragment {
  const { json } = scope.dialect;
  const rules = documentRules(scope.layout.model, type, form);
  const except = replacedNames(besides);
  const own = json.members(stored, { except }, rules && JSON.stringify(rules));
  const added = flattenPieces(scope.dialect, memberPieces(scope, besides, form));
  const all = json.concat([...own, concat(scope.dialect, added)]);
  return sql`('{' || substr(${all}, 2) || '}')`;
}

/** The JSON text of a member's value; SQL null for null. */
export function valueOrNull(scope: Scope, member: ValueMember, form: ValueForm): Fragment {
  const { condition } = isPresent(scope, member.value);
  const written = textOfAll(scope.dialect, valuePieces(scope, member, form));
  return sql`CASE WHEN ${condition} THEN nullif(${written}, 'null') END`;
}

/** The rules that rewrite a stored document to the requested format; none for values of other storages. */
function rulesOf(
  { layout }: Scope,
  { storage }: Pick<Compiled, 'storage'>,
  type: ValueType,
  form: ValueForm,
): DocumentRules | undefined {
  return storage.kind === 'json' ? documentRules(layout.model, type, form) : undefined;
}

function rewritten(
  { json }: Dialect,
  stored: Fragment,
  rules: DocumentRules | undefined,
): Fragment {
  return rules === undefined ? stored : json.rewrite(stored, JSON.stringify(rules));
}

function complexMember(
  scope: Scope,
  { value: content }: ValueMember,
  members: readonly ShapeMember[],
  form: ValueForm,
): readonly Piece[] {
  const code = precomputedCode(scope, content, members, form);
  if (code !== undefined) return [code];
  const object = objectPieces(scope, members, form);
  const present = isPresent(scope, content);
  return present.condition === scope.dialect.literal.true ? object : [orNull(present, object)];
}

/** The JSON array of a collection's items, or a single item; null if there is none. */
function itemsText(scope: Scope, member: ValueMember, items: Items, form: ValueForm): Fragment {
  const { dialect } = scope;
  const array = scope.value(scope, member.value);
  const { row } = items;
  const inside = { ...bindRows(scope, row), record: row, inColumns: false };
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
  return sql`(CASE WHEN ${array.sql} IS NOT NULL THEN (SELECT ${arrayOfTexts(scope)} FROM (${all}) q) END)`;
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
    const object = concat(inside.dialect, objectPieces(inside, members, form));
    return sql`CASE WHEN ${piece.value} IS NULL THEN 'null' ELSE ${object} END`;
  }
  const type = itemType(member.value.type);
  if (besides === undefined) {
    return rewritten(inside.dialect, piece.json, documentRules(inside.layout.model, type, form));
  }
  const object = withMembers(inside, piece.json, type, besides, form);
  return sql`CASE WHEN ${piece.value} IS NULL THEN 'null' ELSE ${object} END`;
}

/** The JSON array of the texts in column `j` of a subquery. */
function arrayOfTexts(scope: Scope): Fragment {
  const { json } = scope.dialect;
  return json.concat([text('['), json.concatRows(sql`j`), text(']')]);
}

// ---- control information --------------------------------------------------------------------------------------------

function linkPieces(scope: Scope, parts: readonly LinkPart[]): readonly Piece[] {
  return parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return JSON.stringify(part.text).slice(1, -1);
      case 'root':
        return ROOT;
      case 'key':
        return keyCell(scope, part.value);
      default:
        return unreachable(part);
    }
  });
}

function keyCell(scope: Scope, content: Expression): Cell {
  const compiled = scope.value(scope, content);
  return {
    kind: 'cell',
    value: compiled.sql,
    format: { kind: 'key', of: keyFormat(compiled.storage, content.type) },
    text: () => keyOf(scope.dialect, compiled, content.type),
  };
}

function writeEtag(scope: Scope, member: ShapeMember & { readonly kind: 'etag' }): Written {
  const version = versionOf(scope, member.row);
  const pieces = [`${nameText(member.name)}"W/\\"`, version.sql, '\\""'];
  const exists = version.nullable ? [isNotNull(version.sql)] : [];
  return only([...exists, ...conditionsOf(scope, member)], pieces);
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
  const isKnown = isCertain(scope, row) ? [] : [isNotNull(content)];
  const isOther = always ? [] : [differs(content, declared.name)];
  return only([...isKnown, ...isOther], [`${nameText(name)}"#`, content, '"']);
}

function differs(content: Fragment, except: string): Test {
  return { condition: sql`${content} <> ${text(except)}`, value: content, except };
}

function writeMedia(scope: Scope, member: ShapeMember & { readonly kind: 'media' }): Written {
  const { row, property, fact, name } = member;
  const file = fileOf(scope, row, property === undefined ? [] : [property]);
  const source = fact === 'type' ? sql`"media_type"` : sql`'"' || "sha256" || '"'`;
  const found = sql`(SELECT ${scope.dialect.json.quote(source)} FROM ${tableName('docket_file')} WHERE "id" = ${file})`;
  const written = sql`(${text(nameText(name))} || ${found})`;
  const conditions = onTypeOf(scope, member);
  if (conditions.length === 0) return { pieces: [written], certain: false };
  return only(conditions, [written]);
}

type Dynamic = ShapeMember & { readonly kind: 'dynamic' };

function writeDynamic(scope: Scope, member: Dynamic, form: ValueForm): Written {
  const { row, path, names } = member;
  const { json } = scope.dialect;
  const document = documentOf(scope, row, path);
  const rules = dynamicRules(scope, form);
  const rulesText = rules && JSON.stringify(rules);
  if (names !== undefined) {
    const only =
      form.metadata === 'none'
        ? names
        : names.flatMap((name) => [`${name}${form.prefix}type`, name]);
    return { pieces: json.members(document, { only }, rulesText), certain: false };
  }
  const except = declaredNames(scope, member, form);
  const written = json.members(document, { except }, rulesText);
  const [all, ...others] = written;
  if (except.length > 0 || all === undefined || others.length > 0) {
    return { pieces: written, certain: false };
  }
  const format: Format = { kind: 'members', rules };
  return { pieces: [{ kind: 'cell', value: document, format, text: () => all }], certain: false };
}

/** Declared members of an open value are written elsewhere, so their full metadata is omitted here. */
function dynamicRules({ layout }: Scope, form: ValueForm): DocumentRules | undefined {
  const metadata = form.metadata === 'full' ? 'minimal' : form.metadata;
  return documentRules(layout.model, UNTYPED, { ...form, metadata });
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

function isNow(parameter: Parameter): boolean {
  return parameter.kind === 'context' && parameter.name === 'now';
}

/** The time of the result in digits, as next links have it: all pages are those of one instant. */
const NOW_DIGITS = ['-', ':', '.', 'T', 'Z'].reduce(
  (time, mark) => sql`replace(${time}, ${text(mark)}, '')`,
  parameter({ kind: 'context', name: 'now' }),
);

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

/** The related record, as columns if it can be joined. */
function onePiece(scope: Scope, selecting: RowSelection, shape: Shape): Piece {
  const { rows, row, apply, page, these } = selecting;
  const isJoined =
    scope.inColumns === true &&
    apply.length === 0 &&
    page === undefined &&
    these === undefined &&
    isReferenced(scope, rows);
  if (!isJoined || row.kind !== 'entity') return oneText(scope, selecting, shape);
  const selected = select(scope, selecting);
  return {
    kind: 'joined',
    from: selected.from,
    conditions: selected.conditions,
    identity: identityColumn(selected.scope, row),
    pieces: recordPieces(recordScope(selected, shape), shape),
    text: () => oneText(scope, selecting, shape),
  };
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
    return [sql`(SELECT ${array} FROM (${texts(page)}) q)`];
  }
  const { limit, skip } = page;
  const last = { limit: 1, skip: skip + limit - 1 };
  const values = selected.keys.map((key) => ({ sql: key.value, storage: key.storage }));
  const token = scope.dialect.json.token(values);
  const usesNow = parametersOf(texts(page)).some(isNow);
  const arrayWithLink = concat(scope.dialect, [
    sql`(SELECT ${array} FROM (${texts(page)}) q)`,
    `${nameText(`${member.name}${shape.form.prefix}nextLink`)}"`,
    ...linkPieces(scope, nextLink),
    ...(usesNow ? ['t', NOW_DIGITS] : []),
    '.',
    sql`(${selectPage(scope, selected, [token], last)})`,
    '"',
  ]);
  return [
    sql`(SELECT CASE WHEN count(*) <= ${integer(limit)} THEN ${array} ELSE ${arrayWithLink} END FROM (${texts({ limit: limit + 1, skip })}) q)`,
  ];
}
