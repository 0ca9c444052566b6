// Determines which rows the service has recorded. Clients cannot write them. A row is recorded if the condition of its type
// (`Docket.Recorded`) or of the entity that contains it holds. Write plans check these conditions, and EffectiveRights reports
// them.
import type { RowExpression, Rows } from '../../bind/bound.ts';
import { entityValue, instanceOf, joinConditions } from '../../bind/expression/constructors.ts';
import { type EntityType, entityType, type Model } from '../../edm/model.ts';
import { readModelExpression } from '../write/model-expression.ts';
import { both, type Condition, type Guard, isNot } from './row-conditions.ts';

/** The condition that neither the row nor an entity that contains it is recorded; true if that is always so. */
export function isUnrecorded(guard: Guard, row: RowExpression, rows: Rows): Condition {
  return both(isOwnUnrecorded(guard, row, rows.row.type), isOwnerUnrecorded(guard, rows));
}

/** The condition that no entity containing the row is recorded. */
export function isOwnerUnrecorded(guard: Guard, { origin }: Rows): Condition {
  if (origin.kind !== 'related' || !origin.navigation.contained) return true;
  return isUnrecorded(guard, { kind: 'addressed', rows: origin.from }, origin.from);
}

/** The condition that the row itself is not recorded. */
export function isOwnUnrecorded(guard: Guard, row: RowExpression, type: EntityType): Condition {
  return conditionsOf(guard.model, type).reduce<Condition>((found, { on, text }) => {
    const recorded = guard.bindRule(readModelExpression(text), row, on);
    const isOf = instanceOf(entityValue(row, type), on);
    const condition = on === type ? recorded : joinConditions('and', [isOf, recorded]);
    return both(found, isNot(condition));
  }, true);
}

interface TypeCondition {
  readonly on: EntityType;
  readonly text: string;
}

/** The conditions of the type, its base types and its derived types. */
export function conditionsOf(model: Model, type: EntityType): readonly TypeCondition[] {
  const derived = model
    .derived(type)
    .flatMap((on): readonly TypeCondition[] =>
      on.kind === 'entity' && on.recorded !== undefined ? [{ on, text: on.recorded }] : [],
    );
  return [...inheritedConditions(model, type).map((text) => ({ on: type, text })), ...derived];
}

function inheritedConditions(model: Model, { recorded, base }: EntityType): readonly string[] {
  const above = base === undefined ? [] : inheritedConditions(model, entityType(model, base));
  return recorded === undefined ? above : [...above, recorded];
}
