// Translates a search into a condition where no text index exists: each word must occur in one of the strings, ignoring case.
// OData 4.01 URL Conventions, "System Query Option $search".
import { unreachable } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import type { Expression, Search } from '../bound.ts';
import { call, comparison, joinConditions, not, propertyOf } from '../expression/constructors.ts';
import { constant, FALSE, TRUE } from '../expression/literal.ts';
import { BOOLEAN, STRING, typeOfReference } from '../expression/types.ts';
import type { ElementRow } from '../scope.ts';

/** The search in an item of a collection of values: in the string itself, or in the string properties of a complex value. */
export function searchInItem(model: Model, row: ElementRow, search: Search): Expression {
  const { type } = row;
  if (type.kind !== 'complex') {
    const isText = type.kind === 'primitive' && type.name === 'Edm.String';
    return searchIn(isText ? [propertyOf(row, [], type)] : [], search);
  }
  const texts = [...model.members(type.type).values()].flatMap((member): readonly Expression[] => {
    const isText = member.kind === 'property' && member.type === 'Edm.String' && !member.collection;
    return isText ? [propertyOf(row, [member], typeOfReference(model, member))] : [];
  });
  return searchIn(texts, search);
}

/** The search as a condition on strings. */
export function searchIn(texts: readonly Expression[], search: Search): Expression {
  switch (search.kind) {
    case 'word':
    case 'phrase':
      return anyContains(texts, search.text.toLowerCase());
    case 'not':
      return not(searchIn(texts, search.operand));
    case 'and':
    case 'or':
      return {
        kind: search.kind,
        operands: search.operands.map((operand) => searchIn(texts, operand)),
        type: BOOLEAN,
      };
    default:
      return unreachable(search);
  }
}

/** Compares with true, because contains() of null is null, and `not` would then lose the row. */
function anyContains(texts: readonly Expression[], wanted: string): Expression {
  const word = constant(STRING, wanted);
  const found = texts.map((text) => {
    const lower = call('tolower', [text], STRING);
    return comparison('eq', call('contains', [lower, word], BOOLEAN), TRUE);
  });
  return joinConditions('or', found) ?? FALSE;
}
