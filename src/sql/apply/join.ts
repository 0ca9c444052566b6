// This file compiles join and outerjoin: each row combined with each of its related rows. If the related rows are transformed and not
// only filtered, those of each row become a group that carries the number of the row.
// OData Data Aggregation 4.0, "Transformations join and outerjoin".

import { indicatorName } from '../../bind/apply/derived-columns.ts';
import type { DerivedColumn, Rows, Transformation } from '../../bind/bound.ts';
import { every, type Fragment, join, sql, where } from '../fragment.ts';
import { positionKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { INTEGER } from '../schema/value-storage.ts';
import { aliasOf } from '../scope.ts';
import { groupName } from './chained-aggregate.ts';
import { withGroupsOf, withPartition } from './groupby.ts';
import {
  columnByName,
  firstStage,
  fromRows,
  identityOfStage,
  keyColumns,
  nextStage,
  type Stage,
  selectAll,
  selectColumns,
  totalOrderOf,
  withHiddenColumn,
  withOrderOf,
} from './transformation-rows.ts';

type Join = Transformation & { readonly kind: 'join' };
type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;

/** Each row with each of its related rows; an outer join also keeps rows without related rows. */
export function joinRows(stage: Stage, transformation: Join, applyAll: ApplyAll): Stage {
  const { rows, then } = transformation;
  const isFilter = then.every(({ kind }) => kind === 'filter' || kind === 'search');
  const left = isFilter ? stage : numberRows(stage);
  const target = applyAll(isFilter ? relatedRows(left, rows) : relatedGroups(left, rows), then);
  const [number] = left.keys;
  const same =
    isFilter || number === undefined
      ? []
      : target.partition.map((one) => sql`${one} = ${number.value}`);
  return combine(left, target, [...same, ...target.conditions], transformation);
}

/** The related rows as a stage, to be joined by its conditions. */
function relatedRows(stage: Stage, rows: Rows): Stage {
  return firstStage(originOf(stage.scope, rows, true), rows.row);
}

/** The stage with its rows numbered in order. */
function numberRows(stage: Stage): Stage {
  const { stage: next, hidden } = withHiddenColumn(stage);
  const number = sql`row_number() OVER (${totalOrderOf(stage)})`;
  const alias = aliasOf(stage.scope, stage.row);
  const numbered = fromRows(next, selectAll(stage, sql`, ${number} AS ${hidden}`));
  return { ...numbered, keys: [positionKey(sql`${alias}.${hidden}`, INTEGER)] };
}

/** All rows related to the numbered rows, grouped by number; a row without related rows has an empty group. */
function relatedGroups(left: Stage, rows: Rows): Stage {
  const origin = originOf(left.scope, rows);
  const alias = aliasOf(origin.scope, rows.row);
  const numbers = left.keys.map(({ value }) => sql`${value} AS ${groupName(0)}`);
  const all = sql`SELECT ${alias}.*, ${join(numbers, ', ')} FROM ${left.from} JOIN ${origin.from} ON ${every(origin.conditions, left.scope.dialect.literal.true)}`;
  const groups = sql`SELECT ${join(numbers, ', ')} FROM ${left.from}`;
  return withPartition(fromRows(firstStage(origin, rows.row), all), 1, groups);
}

function combine(
  left: Stage,
  target: Stage,
  conditions: readonly Fragment[],
  { alias, outer, output }: Join,
): Stage {
  const columns = selectColumns(output, (one) => {
    if (one.name === indicatorName('object', alias)) return hasMatch(target);
    return one.name.startsWith(`${alias}/`)
      ? columnByName(target, withoutPrefix(one, alias))
      : columnByName(left, one);
  });
  const kind = outer ? sql`LEFT JOIN` : sql`JOIN`;
  const from = sql`${left.from} ${kind} ${target.from} ON ${every(conditions, left.scope.dialect.literal.true)}`;
  const ordered = { ...left, keys: left.keys.length === 0 ? [] : [...left.keys, ...target.keys] };
  const groups = left.partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const rows = sql`SELECT ${columns}${join(groups, '')}${keyColumns(ordered)} FROM ${from}${where(left.conditions)}`;
  const next = withOrderOf(ordered, nextStage(left.scope, output, rows));
  return withGroupsOf(left, next);
}

/** Whether an outer join has found a related row. */
function hasMatch(target: Stage): Fragment {
  const [group] = target.partition;
  const identity = identityOfStage(target)?.sql;
  return sql`(${group ?? identity ?? sql`NULL`} IS NOT NULL)`;
}

function withoutPrefix(one: DerivedColumn, alias: string): DerivedColumn {
  const rest = (name: string) => name.slice(alias.length + 1);
  const { indicates } = one;
  const bare = { ...one, name: rest(one.name) };
  return indicates === undefined
    ? bare
    : { ...bare, indicates: { ...indicates, of: rest(indicates.of) } };
}
