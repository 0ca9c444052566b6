// Translates a search into a condition where no text index exists: each word must occur in one of the strings, ignoring case.
// OData 4.01 URL Conventions, "System Query Option $search".
import { unreachable } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import type { Expression, Search } from '../bound.ts';
import { BOOLEAN, STRING, typeOfReference } from '../expression/types.ts';
import type { ElementRow } from '../scope.ts';

/** The search in an item of a collection of values: in the string itself, or in the string properties of a complex value. */
export function searchInItem(model: Model, row: ElementRow, search: Search): Expression {
  const { type } = row;
  const item = { kind: 'variable', row } as const;
  if (type.kind !== 'complex') {
    const isText = type.kind === 'primitive' && type.name === 'Edm.String';
    const texts: readonly Expression[] = isText
      ? [{ kind: 'property', row: item, path: [], type }]
      : [];
    return searchIn(texts, search);
  }
  const texts = [...model.members(type.type).values()].flatMap((member): readonly Expression[] => {
    const isText = member.kind === 'property' && member.type === 'Edm.String' && !member.collection;
    return isText
      ? [{ kind: 'property', row: item, path: [member], type: typeOfReference(model, member) }]
      : [];
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
      return { kind: 'not', operand: searchIn(texts, search.operand), type: BOOLEAN };
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
  const word: Expression = { kind: 'literal', type: STRING, value: wanted };
  const no: Expression = { kind: 'literal', type: BOOLEAN, value: false };
  const found = texts.map((text): Expression => {
    const lower: Expression = {
      kind: 'call',
      function: 'tolower',
      arguments: [text],
      type: STRING,
    };
    const contains: Expression = {
      kind: 'call',
      function: 'contains',
      arguments: [lower, word],
      type: BOOLEAN,
    };
    const yes: Expression = { kind: 'literal', type: BOOLEAN, value: true };
    return {
      kind: 'compare',
      operator: 'eq',
      left: contains,
      right: yes,
      operandType: BOOLEAN,
      type: BOOLEAN,
    };
  });
  const [only, ...others] = found;
  if (only === undefined) return no;
  return others.length === 0 ? only : { kind: 'or', operands: found, type: BOOLEAN };
}
