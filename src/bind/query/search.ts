import type * as Tree from '../../request/tree.ts';
import type { Search } from '../bound.ts';
import { type Frame, faultAt } from '../scope.ts';

/** Throws: bind.literal for text that contains no word. */
export function bindSearch(frame: Frame, tree: Tree.SearchExpression): Search {
  switch (tree.kind) {
    case 'word':
      return wordOf(frame, tree);
    case 'phrase':
      return { kind: 'phrase', text: tree.text };
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
