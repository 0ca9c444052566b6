import { writeJson } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { type Frame, faultAt } from '../scope.ts';
import { show } from './excerpt.ts';
import { bindLiteral } from './literal.ts';
import { collectionOf, commonType, isCollection, NULL, typeName } from './types.ts';

type JsonTree = Tree.ArrayLiteral | Tree.ObjectLiteral | Tree.List;

/** JSON text, or an expression between two pieces of text. */
type Part = string | Expression;

/** The literal as JSON text or as parts. Throws: bind.operand for entities and streams in it, and the codes of bindExpression. */
export function bindJson(frame: Frame, tree: JsonTree): Expression {
  const pieces = partsOf(frame, tree);
  const type: ValueType =
    tree.kind === 'object'
      ? { kind: 'untyped', collection: false }
      : collectionOf(itemTypeOf(frame, tree, pieces.items));
  const parts = mergeText(pieces.parts);
  const [only] = parts;
  return parts.length === 1 && typeof only === 'string'
    ? { kind: 'json', type, text: only }
    : { kind: 'built', type, parts };
}

interface Pieces {
  readonly parts: readonly Part[];
  /** The types of the items of a list; undefined for nested lists and objects. */
  readonly items: readonly (ValueType | undefined)[];
}

function itemTypeOf(
  frame: Frame,
  tree: Tree.ArrayLiteral | Tree.List,
  items: Pieces['items'],
): ValueType {
  let common: ValueType = NULL;
  for (const [index] of tree.items.entries()) {
    const type = items[index];
    const isKnown = type !== undefined && type.kind !== 'untyped';
    const next = !isKnown ? undefined : commonType(frame.model, common, type);
    if (next === undefined) return NULL;
    common = next;
  }
  return common;
}

function partsOf(frame: Frame, tree: JsonTree): Pieces {
  if (tree.kind === 'object') {
    const members = tree.members.map(({ name, value }) => {
      const { parts } = write(frame, value);
      return [`${JSON.stringify(name)}:`, ...parts];
    });
    return { parts: ['{', ...separated(members), '}'], items: [] };
  }
  const items = tree.items.map((item) => write(frame, item));
  return {
    parts: ['[', ...separated(items.map(({ parts }) => parts)), ']'],
    items: items.map(({ type }) => type),
  };
}

function separated(all: readonly (readonly Part[])[]): readonly Part[] {
  return all.flatMap((parts, index) => (index === 0 ? parts : [',', ...parts]));
}

/** Concatenates adjacent pieces of text. */
function mergeText(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const previous = result.at(-1);
    if (typeof part === 'string' && typeof previous === 'string')
      result[result.length - 1] = previous + part;
    else result.push(part);
  }
  return result;
}

function write(
  frame: Frame,
  tree: Tree.Expression,
): { readonly parts: readonly Part[]; readonly type: ValueType | undefined } {
  switch (tree.kind) {
    case 'literal': {
      const { text, type } = writeValue(frame, tree);
      return { parts: [text], type };
    }
    case 'array':
    case 'list':
    case 'object':
      return { parts: partsOf(frame, tree).parts, type: undefined };
    default: {
      const value = frame.session.bind(frame, tree);
      rejectUnwritable(frame, tree, value);
      return { parts: [value], type: isCollection(value.type) ? undefined : value.type };
    }
  }
}

/** Entities and streams cannot be written as JSON. Throws: bind.operand. */
function rejectUnwritable(frame: Frame, tree: Tree.Expression, { type }: Expression): void {
  const isStream = type.kind === 'primitive' && type.name === 'Edm.Stream';
  if (type.kind !== 'entity' && !isStream) return;
  throw faultAt(frame, tree.at, 'bind.operand', {
    operator: '[] or {}',
    types: `${show(tree)} of type ${typeName(type)}`,
    hint: isStream ? '' : ' Use one of its properties.',
  });
}

function writeValue(
  frame: Frame,
  tree: Tree.Literal,
): { readonly text: string; readonly type: ValueType } {
  const { type, value } = bindLiteral(frame, tree);
  if (type.kind === 'primitive') return { text: writeJson(type.name, value), type };
  if (type.kind !== 'enum') return { text: 'null', type };
  const { members } = type.type;
  const names = members.filter((member) => member.value === value).map(({ name }) => name);
  return { text: JSON.stringify(names[0] ?? String(value)), type };
}
