// This file plans what becomes of the values of a dynamic property when the model declares a property of its name: those of its type
// are moved to its columns, others are lost. Records would otherwise have two properties of one name.
import type { Dialect } from '../dialect/dialect.ts';
import { EMPTY, type Fragment, name, sql, tableName, toStatement } from '../fragment.ts';
import { convertDynamic } from './convert-column.ts';
import { type Column, DYNAMIC_COLUMN, type Table } from './layout.ts';

/** A step of a migration. */
interface DynamicStep {
  readonly text: string;
  readonly sql: readonly string[];
  readonly losses: readonly DynamicLoss[];
  readonly unique: readonly UniqueColumn[];
}

interface DynamicLoss {
  readonly kind: 'values' | 'digits';
  readonly table: string;
  readonly column: string;
  readonly condition: string;
}

interface UniqueColumn {
  readonly table: Table;
  readonly items: readonly [];
  readonly columns: readonly string[];
  readonly contents: readonly string[];
}

/** A table before and after steps. */
interface Pair {
  readonly old: Table;
  readonly table: Table;
}

/** The steps for the members that are new in a table, whose columns exist already. */
export function moveDynamic(pair: Pair, dialect: Dialect): readonly DynamicStep[] {
  if (!isOpen(pair)) return [];
  return [...newMembers(pair)].map((member) => {
    const column = pair.table.columns.find((one) => one.name === member);
    return moveMember(pair.table, { member, column }, dialect);
  });
}

/**
 * The steps for members that cannot get the values: relations without a column, and renamed members, which keep their own. Each is needed
 * only where its condition selects a row before the migration, because layouts do not record which relations are new.
 * @param declared the members of all types of the rows
 */
export function dropDynamic(
  pair: Pair,
  { renamed, declared }: { readonly renamed: Table; readonly declared: readonly string[] },
  dialect: Dialect,
): readonly (DynamicStep & { readonly isNeeded: string })[] {
  const { old, table } = pair;
  if (!isOpen(pair)) return [];
  const others = new Set([...old.columns.map(memberOf), ...newMembers({ old: renamed, table })]);
  const members = [...new Set(declared)].filter((member) => !others.has(member));
  return members.map((member) => {
    const isNeeded = toStatement(
      sql`${dialect.json.memberJson(name(DYNAMIC_COLUMN), [member])} IS NOT NULL`,
      dialect.placeholder,
    ).text;
    return { ...moveMember(table, { member }, dialect), isNeeded };
  });
}

function isOpen({ old, table }: Pair): boolean {
  return [old, table].every(({ columns }) =>
    columns.some((column) => column.name === DYNAMIC_COLUMN),
  );
}

function newMembers({ old, table }: Pair): ReadonlySet<string> {
  const before = new Set(['', ...old.columns.map(memberOf)]);
  return new Set(table.columns.map(memberOf).filter((member) => !before.has(member)));
}

/** The property of the entity to which a column belongs; empty for columns of the service. */
function memberOf(column: { readonly name: string }): string {
  return column.name.split(/[/#$]/)[0] ?? '';
}

/** @param column the column that gets the values; without it, they are lost */
function moveMember(
  table: Table,
  { member, column }: { readonly member: string; readonly column?: Column | undefined },
  dialect: Dialect,
): DynamicStep {
  const { json } = dialect;
  const toText = (fragment: Fragment) => toStatement(fragment, dialect.placeholder).text;
  const document = name(DYNAMIC_COLUMN);
  const piece = {
    value: json.member(document, [member]),
    json: json.memberJson(document, [member]),
  };
  const conversion = column && convertDynamic(piece, column, dialect);
  const own = name(member);
  const moved =
    conversion === undefined ? EMPTY : sql`${own} = coalesce(${conversion.content}, ${own}), `;
  const rest = json.withoutMembers(document, [member, `${member}@odata.type`]);
  const update = sql`UPDATE ${tableName(table.name)} SET ${moved}${document} = ${rest} WHERE ${piece.json} IS NOT NULL`;
  const isUnique = conversion !== undefined && hasUniqueIndex(table, member);
  return {
    text: describeMove(table, member, conversion),
    losses: lossesOf(sql`${json.kind(piece.json)} <> 'null'`, conversion).map(
      ([kind, condition]) => ({
        kind,
        table: table.name,
        column: member,
        condition: toText(condition),
      }),
    ),
    sql: [toText(update)],
    unique: isUnique
      ? [{ table, items: [], columns: [member], contents: [toText(conversion.content)] }]
      : [],
  };
}

type MemberConversion = ReturnType<typeof convertDynamic>;

function describeMove(
  { name: table }: Table,
  member: string,
  conversion: MemberConversion,
): string {
  const fate =
    conversion === undefined ? 'are lost' : 'that its type can hold are moved to its column';
  return `Declare "${member}" in "${table}": values of dynamic properties of this name ${fate}.`;
}

/** The conditions of the rows that lose their value, or digits of it. */
function lossesOf(
  present: Fragment,
  conversion: MemberConversion,
): readonly (readonly [DynamicLoss['kind'], Fragment])[] {
  if (conversion === undefined) return [['values', present]];
  const { unfit, rounded } = conversion;
  return [
    ...(unfit === undefined ? [] : [['values', sql`${present} AND (${unfit})`] as const]),
    ...(rounded === undefined ? [] : [['digits', rounded] as const]),
  ];
}

function hasUniqueIndex({ indexes }: Table, member: string): boolean {
  return indexes.some(
    ({ unique, columns }) => unique && columns.length === 1 && columns[0] === member,
  );
}
