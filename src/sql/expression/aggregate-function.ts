// This file compiles the function aggregate: what an aggregation makes of a collection, as one value of the row around it.
//     Children/aggregate(Weight with sum)      (SELECT sum(t2."Weight") AS "value" FROM "Animals" t2 WHERE t2."Mother" = t1."Id")
// OData Data Aggregation 4.0, "Function aggregate".
import type { Expression } from '../../bind/bound.ts';
import { aggregateOf } from '../apply/groupby.ts';
import { firstStage } from '../apply/transformation-rows.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { sql } from '../fragment.ts';
import { storageOf } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { collectionOrigin } from './collection.ts';

export function compileAggregate(
  scope: Scope,
  { collection, aggregation, type }: Expression & { readonly kind: 'aggregate' },
): Compiled {
  const { row } = collection.kind === 'rows' ? collection.rows : collection;
  const stage = firstStage(collectionOrigin(scope, collection), row);
  return {
    sql: sql`(${aggregateOf(stage, aggregation)})`,
    storage: storageOf(type),
    nullable: true,
  };
}
