// This file reads the transitions that administrators have written, with the names of their entity types and roles and the values of their
// states, inside a transaction or outside of it.
import { invariant } from '../../base/fault.ts';
import type { Navigation } from '../../edm/model.ts';
import type { TransitionStorage } from '../../edm/workflow/transition-rows.ts';
import { column, type Fragment, name, sql, tableName } from '../../sql/fragment.ts';
import { type Layout, tableOf } from '../../sql/schema/layout.ts';
import { resolveNavigation } from '../../sql/schema/relation-storage.ts';
import type { Cell, Row, Work } from '../../store/database.ts';
import { isTrue, optionalText, textsOf } from '../../store/stored-values.ts';
import { query } from '../../store/work.ts';

/** A transition as it is stored. Names and values are undefined where the row has none. */
export interface StoredTransition {
  readonly identity: Cell;
  readonly entity: string | undefined;
  readonly symbol: string | undefined;
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  readonly require: readonly string[];
  readonly guard: string | undefined;
  readonly roles: readonly string[];
  readonly needsComment: boolean;
  readonly isBlocked: boolean;
}

/** The transitions of the installation, oldest first. */
export function* readTransitions(
  layout: Layout,
  storage: TransitionStorage,
): Work<readonly StoredTransition[]> {
  const roles = (yield query(selectRoles(layout, storage))).rows;
  const { rows } = yield query(selectTransitions(layout, storage));
  return rows.map((row) => toTransition(row, roles));
}

function selectTransitions(layout: Layout, { source }: TransitionStorage): Fragment {
  const { table } = tableOf(layout, source);
  const target = (member: string, alias: string): Fragment => {
    const navigation = layout.model.stored(source.type).get(member);
    invariant(navigation?.kind === 'navigation', `${member} is a navigation property`);
    const found = tableOf(layout, resolve(layout, source, navigation).target).table;
    return sql`LEFT JOIN ${tableName(found.name)} ${name(alias)} ON ${column(name(alias), found.identity)} = ${column(name('t'), member)}`;
  };
  const code = (alias: string) =>
    sql`coalesce(${column(name(alias), 'Value')}, ${column(name(alias), 'Uid')})`;
  return sql`SELECT ${column(name('t'), table.identity)}, e."Name", t."Symbol", ${code('f')}, ${code('o')}, t."RequiredProperties",
      t."Guard", t."CommentRequired", t."Blocked"
    FROM ${tableName(table.name)} t ${target('Entity', 'e')} ${target('From', 'f')} ${target('To', 'o')} ORDER BY 1`;
}

/** The identities of transitions with the names of the roles that may take them. */
function selectRoles(layout: Layout, { source, roles }: TransitionStorage): Fragment {
  const { relation, target } = resolve(layout, source, roles);
  const link = relation.kind === 'links' ? relation.links[0] : undefined;
  invariant(link !== undefined, 'roles of transitions are kept as pairs');
  const { table } = tableOf(layout, target);
  return sql`SELECT l.${name(link.near)}, r."Name" FROM ${tableName(link.table)} l
    JOIN ${tableName(table.name)} r ON ${column(name('r'), table.identity)} = l.${name(link.far)} ORDER BY 2`;
}

function resolve(layout: Layout, from: TransitionStorage['source'], navigation: Navigation) {
  return resolveNavigation(layout, { from, path: [], navigation });
}

function toTransition(row: Row, roles: readonly Row[]): StoredTransition {
  const [identity = null, entity, symbol, from, to, require, guard, comment, blocked] = row;
  return {
    identity,
    entity: optionalText(entity),
    symbol: optionalText(symbol),
    from: integerOf(from),
    to: integerOf(to),
    require: textsOf(require),
    guard: optionalText(guard),
    roles: roles.flatMap(([owner, role]) => (owner === identity ? [String(role)] : [])),
    needsComment: isTrue(comment),
    isBlocked: isTrue(blocked),
  };
}

function integerOf(cell: Cell | undefined): bigint | undefined {
  return typeof cell === 'bigint' ? cell : undefined;
}
