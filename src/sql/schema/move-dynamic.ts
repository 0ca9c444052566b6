// This file plans what becomes of the values of a dynamic property when the model declares a property of its name: those of its type
// are moved to its columns, others are lost. Records would otherwise have two properties of one name.
import type { Dialect } from '../dialect/dialect.ts';
import { EMPTY, type Fragment, name, sql, tableName, toStatement } from '../fragment.ts';
import { convertDynamic } from './convert-column.ts';
import { DYNAMIC_COLUMN, type Table } from './layout.ts';

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

/** The steps for the members that are new in a table, whose columns exist already. */
export function moveDynamic(
  { old, table }: { readonly old: Table; readonly table: Table },
  dialect: Dialect,
): readonly DynamicStep[] {
  const isOpen = [old, table].every(({ columns }) =>
    columns.some((column) => column.name === DYNAMIC_COLUMN),
  );
  if (!isOpen) return [];
  const before = new Set(old.columns.map(memberOf));
  const added = new Set(table.columns.map(memberOf).filter((member) => !before.has(member)));
  return [...added].filter(Boolean).map((member) => moveMember(table, member, dialect));
}

/** The property of the entity to which a column belongs; empty for columns of the service. */
function memberOf(column: { readonly name: string }): string {
  return column.name.split(/[/#$]/)[0] ?? '';
}

function moveMember(table: Table, member: string, dialect: Dialect): DynamicStep {
  const { json } = dialect;
  const toText = (fragment: Fragment) => toStatement(fragment, dialect.placeholder).text;
  const document = name(DYNAMIC_COLUMN);
  const piece = {
    value: json.member(document, [member]),
    json: json.memberJson(document, [member]),
  };
  const column = table.columns.find((one) => one.name === member);
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
