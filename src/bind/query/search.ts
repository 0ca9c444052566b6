// Binds $search, and translates a search into a condition where no text index exists: each word must occur in one of the strings,
// ignoring case. OData 4.01 URL Conventions, "System Query Option $search".
import { unreachable } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, Search } from '../bound.ts';
import { call, comparison, joinConditions, not, propertyOf } from '../expression/constructors.ts';
import { constant, FALSE, TRUE } from '../expression/literal.ts';
import { BOOLEAN, STRING, typeOfReference } from '../expression/types.ts';
import { type ElementRow, type Frame, faultAt } from '../scope.ts';

/** Throws: bind.literal for text that contains no word, or U+0000. */
export function bindSearch(frame: Frame, tree: Tree.SearchExpression): Search {
  switch (tree.kind) {
    case 'word':
      return wordOf(frame, tree);
    case 'phrase':
      return phraseOf(frame, tree);
    case 'incomplete':
      return bindIncomplete(frame, tree);
    case 'not':
      return { kind: 'not', operand: bindSearch(frame, tree.operand) };
    default:
      return join(
        tree.kind,
        chain(tree, tree.kind).map((item) => bindSearch(frame, item)),
      );
  }
}

function wordOf(
  { session }: Frame,
  tree: Tree.SearchExpression & { readonly kind: 'word' },
): Search {
  const parameter = session.scope.parameters?.ofNode(tree);
  if (parameter === undefined) return { kind: 'word', text: tree.text };
  return {
    kind: 'word',
    parameter,
    get text() {
      return String(parameter.value);
    },
  };
}

/** Text indexes end a text at U+0000, which no record contains. */
function phraseOf(
  frame: Frame,
  { at, text }: Tree.SearchExpression & { readonly kind: 'phrase' },
): Search {
  if (!text.includes('\0')) return { kind: 'phrase', text };
  throw faultAt(frame, at, 'bind.literal', {
    text: `'${text.slice(0, 40)}'`,
    expected: 'expected text without the character U+0000',
  });
}

/** Requires every word of the text; quotes and other punctuation are ignored. */
function bindIncomplete(
  frame: Frame,
  tree: Tree.SearchExpression & { readonly kind: 'incomplete' },
): Search {
  const words = tree.text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  if (words.length > 0)
    return join(
      'and',
      words.map((text) => ({ kind: 'word', text })),
    );
  throw faultAt(frame, tree.at, 'bind.literal', {
    text: `'${tree.text.slice(0, 40)}'`,
    expected: 'expected a word',
  });
}

/** The operands of a left-associative chain. It uses a loop because long chains would overflow the stack. */
function chain(tree: Tree.SearchExpression, kind: 'and' | 'or'): readonly Tree.SearchExpression[] {
  const operands: Tree.SearchExpression[] = [];
  let node = tree;
  while (node.kind === kind) {
    operands.push(node.right);
    node = node.left;
  }
  return [...operands, node].reverse();
}

function join(kind: 'and' | 'or', operands: readonly Search[]): Search {
  const flat = operands.flatMap((item) => (item.kind === kind ? item.operands : [item]));
  const [only, ...others] = flat;
  return only === undefined || others.length > 0 ? { kind, operands: flat } : only;
}

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
