// This file keeps the history from telling what a record does not: an entry about a member that the account may not read, or not in every
// record, is not there for it. What an entry is about is said by the property of the model that has the part `property` of a change.
import type { Expression, RowExpression, Rows } from '../../bind/bound.ts';
import { BOOLEAN, STRING } from '../../bind/expression/types.ts';
import {
  type EntityType,
  isStructured,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { type Guard, isNot, restrictedMembers, variable } from './row-conditions.ts';

/** What must hold of entries of the history for the account to see them; nothing for other rows. */
export function visibleEntries(guard: Guard, rows: Rows): readonly Expression[] {
  if (guard.rights.everything) return [];
  const { row, origin } = rows;
  const about = aboutOf(guard, row.type);
  const owner = 'from' in origin ? ownerOf(origin.from) : row.source.owner;
  if (about === undefined || owner?.kind !== 'entity') return [];
  const value: Expression = {
    kind: 'property',
    row: variable(row),
    path: [about],
    type: STRING,
  };
  return [...restrictedMembers(guard, owner)].flatMap((member) => [
    isNot(call('startswith', value, `${member}/`)),
    isNot(equals(value, member)),
  ]);
}

/** The property that says what an entry is about. */
function aboutOf({ model }: Guard, type: EntityType): Property | undefined {
  return [...model.members(type).values()].find(
    (member): member is Property => member.kind === 'property' && member.changePart === 'property',
  );
}

/** The type of the record whose history it is. */
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

function equals(left: Expression, text: string): Expression {
  const right: Expression = { kind: 'literal', type: STRING, value: text };
  return { kind: 'compare', operator: 'eq', left, right, operandType: STRING, type: BOOLEAN };
}

function call(name: 'startswith', value: Expression, text: string): Expression {
  const part: Expression = { kind: 'literal', type: STRING, value: text };
  return { kind: 'call', function: name, arguments: [value, part], type: BOOLEAN };
}
