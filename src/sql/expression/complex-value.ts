// This file rebuilds a complex value that is stored in several columns as one JSON text, for comparisons of whole values.

import { typeOfReference } from '../../bind/expression/types.ts';
import type { Member, Property } from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { sql, text } from '../fragment.ts';
import { sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName } from '../schema/layout.ts';
import { JSON_TEXT } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { jsonOf } from './json-value.ts';
import { type PropertyExpression, presence } from './property.ts';

const FORM = { ieee754Compatible: false, exponentialDecimals: false };

/** The JSON text of the value with all its properties; null for null. Equal values have equal texts. */
export function complexText(scope: Scope, expression: PropertyExpression): Compiled {
  const { type } = expression;
  if (type.kind !== 'complex') return { sql: sql`NULL`, storage: JSON_TEXT, nullable: true };
  const members = [...scope.layout.model.members(type.type).values()]
    .filter(isProperty)
    .filter((member) => !isClock(scope, expression, member));
  const pieces = members.flatMap((member, index) => [
    text(`${index === 0 ? '' : ','}${JSON.stringify(member.name)}:`),
    memberText(scope, expression, member),
  ]);
  const object = scope.dialect.json.concat([text('{'), ...pieces, text('}')]);
  const content = sql`(CASE WHEN ${presence(scope, expression)} THEN ${object} END)`;
  return { sql: content, storage: JSON_TEXT, nullable: true };
}

/** Whether the member changes without a write, so that only requests that name it get it. */
function isClock(scope: Scope, { row, path }: PropertyExpression, member: Property): boolean {
  const use = useOf(scope.layout, sourceOf(row));
  return use.clocks.has(columnName(use, [...path, member]));
}

function isProperty(member: Member): member is Property {
  return member.kind === 'property' && member.type !== 'Edm.Stream';
}

function memberText(scope: Scope, expression: PropertyExpression, member: Property) {
  const { model } = scope.layout;
  const type = typeOfReference(model, member);
  const path = [...expression.path, member];
  const inner = scope.value(scope, { ...expression, path, type });
  const isJson = inner.storage.kind === 'json' || isDocument(model, member);
  return isJson ? sql`coalesce(${inner.sql}, 'null')` : jsonOf(scope.dialect, inner, type, FORM);
}
