// Hides history entries about members that the principal may not read in every record of the type. The model marks the property
// of an entry that holds the member's name as the part `property` of a change.
import { perPair } from '../../base/memo.ts';
import type { Expression, RowExpression, Rows } from '../../bind/bound.ts';
import { call, comparison, propertyOf } from '../../bind/expression/constructors.ts';
import { constant } from '../../bind/expression/literal.ts';
import { BOOLEAN, STRING } from '../../bind/expression/types.ts';
import {
  type EntityType,
  isStructured,
  type Model,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { type Guard, isNot, restrictedMembers } from './row-conditions.ts';

/** Conditions for history entries that the principal may see; empty for other rows. */
export function visibleEntries(guard: Guard, rows: Rows): readonly Expression[] {
  if (guard.rights.everything) return [];
  const { row, origin } = rows;
  const [memberName] = memberNameProperties(guard.model, row.type);
  const owner = 'from' in origin ? ownerOf(origin.from) : row.source.owner;
  if (memberName === undefined || owner?.kind !== 'entity') return [];
  const value = propertyOf(row, [memberName], STRING);
  return [...restrictedMembers(guard, owner)].flatMap((member) => [
    isNot(call('startswith', [value, constant(STRING, `${member}/`)], BOOLEAN)),
    isNot(comparison('eq', value, constant(STRING, member))),
  ]);
}

/** The property that names the changed member, if there is one. */
const memberNameProperties = perPair((model: Model, type: EntityType): readonly Property[] =>
  [...model.members(type).values()].filter(
    (member): member is Property => member.kind === 'property' && member.changePart === 'property',
  ),
);

/** The type of the record that the history belongs to. */
function ownerOf(from: Rows | RowExpression): StructuredType | undefined {
  if (!('kind' in from)) return from.row.type;
  switch (from.kind) {
    case 'variable':
      return from.row.kind === 'entity' && isStructured(from.row.type) ? from.row.type : undefined;
    case 'follow':
      return from.target.type;
    case 'addressed':
      return from.rows.row.type;
  }
}
