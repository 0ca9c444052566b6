// This file compiles join and outerjoin: each row with each of the rows that it leads to, beside each other. Where more is done to
// these than to choose them, each row's own rows are a group of theirs, which carries the number of the row.
// OData Data Aggregation 4.0, "Transformations join and outerjoin".

import { tellingName } from '../../bind/apply/derived-columns.ts';
import type { DerivedColumn, Rows, Transformation } from '../../bind/bound.ts';
import { every, type Fragment, join, sql, where } from '../fragment.ts';
import { placeKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { INTEGER } from '../schema/value-storage.ts';
import { aliasOf } from '../scope.ts';
import { groupName } from './chained-aggregate.ts';
import { carry } from './groupby.ts';
import {
  closed,
  columnByName,
  columnsOf,
  firstStage,
  fromRows,
  identityOfStage,
  inOrderOf,
  keyColumns,
  marked,
  nextStage,
  type Stage,
  selectColumns,
  totalOrderOf,
} from './transformation-rows.ts';

type Join = Transformation & { readonly kind: 'join' };
type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;

/** Each row with each of the rows that it leads to; with outer also rows that lead to none. */
export function joinRows(stage: Stage, transformation: Join, applyAll: ApplyAll): Stage {
  const { rows, then } = transformation;
  const isChoice = then.every(({ kind }) => kind === 'filter' || kind === 'search');
  const left = isChoice ? stage : numbered(stage);
  const target = applyAll(isChoice ? related(left, rows) : grouped(left, rows), then);
  const [number] = left.keys;
  const same =
    isChoice || number === undefined
      ? []
      : target.partition.map((one) => sql`${one} = ${number.value}`);
  return beside(left, target, [...same, ...target.conditions], transformation);
}

/** The rows that a row of the stage leads to, for a condition of a join. */
function related(stage: Stage, rows: Rows): Stage {
  return firstStage(originOf(stage.scope, rows), rows.row);
}

/** The stage with the places of its rows, by which they are told apart. */
function numbered(stage: Stage): Stage {
  const { stage: next, mark } = marked(stage);
  const place = sql`row_number() OVER (${totalOrderOf(stage)})`;
  const alias = aliasOf(stage.scope, stage.row);
  const placed = fromRows(next, closed(stage, sql`, ${place} AS ${mark}`));
  return { ...placed, keys: [placeKey(sql`${alias}.${mark}`, INTEGER)] };
}

/** All rows that the numbered rows lead to, as a group for each of these; there is a group, too, where there are none. */
function grouped(left: Stage, rows: Rows): Stage {
  const origin = originOf(left.scope, rows);
  const alias = aliasOf(origin.scope, rows.row);
  const numbers = left.keys.map(({ value }) => sql`${value} AS ${groupName(0)}`);
  const all = sql`SELECT ${alias}.*, ${join(numbers, ', ')} FROM ${left.from} JOIN ${origin.from} ON ${every(origin.conditions)}`;
  const stage = carry(fromRows(firstStage(origin, rows.row), all), 1);
  return { ...stage, groups: sql`SELECT ${join(numbers, ', ')} FROM ${left.from}` };
}

function beside(
  left: Stage,
  target: Stage,
  conditions: readonly Fragment[],
  { alias, outer, output }: Join,
): Stage {
  const columns = selectColumns(columnsOf(output), (one) => {
    if (one.name === tellingName('object', alias)) return isFound(target);
    return one.name.startsWith(`${alias}/`)
      ? columnByName(target, withoutName(one, alias))
      : columnByName(left, one);
  });
  const kind = outer ? sql`LEFT JOIN` : sql`JOIN`;
  const from = sql`${left.from} ${kind} ${target.from} ON ${every(conditions)}`;
  const ordered = { ...left, keys: left.keys.length === 0 ? [] : [...left.keys, ...target.keys] };
  const groups = left.partition.map((key, index) => sql`, ${key} AS ${groupName(index)}`);
  const rows = sql`SELECT ${columns}${join(groups, '')}${keyColumns(ordered)} FROM ${from}${where(left.conditions)}`;
  const next = inOrderOf(ordered, nextStage(left.scope, output, rows));
  return carry(next, left.partition.length);
}

/** Whether an outer join has found a row. */
function isFound(target: Stage): Fragment {
  const [group] = target.partition;
  const identity = identityOfStage(target)?.sql;
  return sql`(${group ?? identity ?? sql`NULL`} IS NOT NULL)`;
}

function withoutName(one: DerivedColumn, alias: string): DerivedColumn {
  const rest = (name: string) => name.slice(alias.length + 1);
  const { tells } = one;
  const bare = { ...one, name: rest(one.name) };
  return tells === undefined ? bare : { ...bare, tells: { ...tells, of: rest(tells.of) } };
}
