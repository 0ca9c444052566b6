// This file writes history entries: for every changed property of a record one entry in the record's own history, in the transaction of
// the change. Which member of an entry holds what is said by the model (changePart, changeCode): the engine knows no name.
import type { Member, Model, Navigation } from '../edm/model.ts';
import type { Register } from '../plan/writing.ts';
import { type Fragment, list, name, parameter, sql, value } from './fragment.ts';
import { type Layout, PARENT_COLUMN, type TableUse } from './layout.ts';
import { arrivalOf } from './relations.ts';

/** An INSERT of one entry; its locals are `line` (identity), `property`, `before` and `after`. Undefined for records without a history. */
export function historyInsert(layout: Layout, use: TableUse, row: Register): Fragment | undefined {
  const navigation = historyOf(layout.model, use);
  if (navigation === undefined) return undefined;
  const { target } = arrivalOf(layout, { from: use.source, path: [], navigation });
  const lines = layout.bySource.get(target.id);
  if (lines === undefined) return undefined;
  const owner = parameter({ kind: 'register', name: row.name, field: 'identity' });
  const columns: readonly (readonly [string, Fragment])[] = [
    [lines.table.identity, parameter({ kind: 'local', name: 'line' })],
    [PARENT_COLUMN, owner],
    ...[...layout.model.members(target.type).values()].flatMap(entryColumn),
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
function entryColumn(member: Member): readonly (readonly [string, Fragment])[] {
  if (member.changePart === 'account')
    return [[member.name, parameter({ kind: 'context', name: 'accountKey' })]];
  if (member.kind === 'navigation') return [];
  if (member.changePart !== undefined)
    return [[member.name, parameter({ kind: 'local', name: member.changePart })]];
  if (member.changeCode !== undefined) return [[member.name, value(BigInt(member.changeCode))]];
  if (member.generated?.by === 'created')
    return [[member.name, parameter({ kind: 'context', name: 'now' })]];
  return [];
}
