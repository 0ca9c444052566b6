// Keeps the index of items that have a key in step with the rows: a write that sets such a collection replaces the entries of its row,
// and fails if another row has one of them. The index is no data of its own, so neither versions nor the change log are concerned.

import { plannedFault } from '../../plan/write/write-scope.ts';
import type { Register } from '../../plan/write-plan.ts';
import {
  column,
  every,
  type Fragment,
  list,
  name,
  parametersOf,
  sql,
  tableName,
} from '../fragment.ts';
import {
  fillItems,
  itemsOf,
  itemTable,
  itemText,
  OWNER_COLUMN,
  repeatedItems,
} from '../schema/item-index.ts';
import type { ItemIndex, TableUse } from '../schema/layout.ts';
import { targetIn } from './files.ts';
import { identityOf, run, statement, type WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

/** A row whose columns have been written. */
interface WrittenRow {
  readonly row: Register;
  readonly use: TableUse;
  /** The columns and their contents. */
  readonly contents: ReadonlyMap<string, Fragment>;
  /** Position of the entity in the body. */
  readonly target?: string | undefined;
  /** Whether the row has just been inserted, so that the index has no entries of it. */
  readonly isNew: boolean;
}

/** Replaces the entries of the collections that have been written. */
export function keepItems(written: WrittenRow, scope: WriteScope): readonly ScriptStep[] {
  const { use, contents, isNew } = written;
  return (use.table.items ?? []).flatMap((index) => {
    const content = contents.get(index.column);
    if (content === undefined) return [];
    return [
      ...(isNew ? [] : [run(removeItems(use, index, identityOf(written.row)), scope)]),
      ...(isEmptyList(content) ? [] : addItems(written, index, scope)),
    ];
  });
}

/** Removes the entries of a row. */
export function removeItems({ table }: TableUse, index: ItemIndex, identity: Fragment): Fragment {
  return sql`DELETE FROM ${itemTable(table, index)} WHERE ${name(OWNER_COLUMN)} = ${identity}`;
}

/** Most new rows have no items. */
function isEmptyList(content: Fragment): boolean {
  const [parameter] = parametersOf(content);
  return parameter?.kind === 'value' && parameter.value === '[]';
}

function addItems(
  { use, row, target }: WrittenRow,
  index: ItemIndex,
  scope: WriteScope,
): readonly ScriptStep[] {
  const { table, source } = use;
  const { dialect } = scope;
  const isOfRow = [sql`${column(name('r'), table.identity)} = ${identityOf(row)}`];
  const items = itemsOf(table, index, dialect, {
    from: tableName(table.name),
    conditions: isOfRow,
  });
  const place = targetIn(target, index.column);
  const parameters = { name: place, set: source.set?.name ?? '…' };
  return [
    {
      kind: 'reject',
      statement: statement(repeatedItems(items, index, dialect), scope),
      fault: plannedFault('write.item-repeated', parameters, place),
    },
    {
      kind: 'reject',
      statement: statement(takenItems(use, index, items, scope), scope),
      fault: plannedFault('write.item-taken', parameters, place),
    },
    run(fillItems(table, index, dialect, isOfRow), scope),
  ];
}

/** Selects the items that other rows have, too. */
function takenItems(
  { table }: TableUse,
  index: ItemIndex,
  items: Fragment,
  { dialect }: WriteScope,
): Fragment {
  const isSame = index.members.map(
    (member) => sql`${column(name('t'), member)} = ${column(name('a'), member)}`,
  );
  const others = sql`SELECT 1 FROM ${itemTable(table, index)} ${name('t')} WHERE ${every(isSame)}`;
  const keys = list(index.members.map(name));
  return sql`SELECT ${itemText(index, dialect)} FROM (${items}) AS ${name('a')} WHERE EXISTS (${others}) ORDER BY ${keys}`;
}
