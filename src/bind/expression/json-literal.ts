import { writeJson } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { type Frame, faultAt } from '../scope.ts';
import { show } from './excerpt.ts';
import { bindLiteral, type LiteralExpression } from './literal.ts';
import { collectionOf, commonType, isCollection, NULL, typeName, UNTYPED } from './types.ts';

type JsonTree = Tree.ArrayLiteral | Tree.ObjectLiteral | Tree.List;

/** JSON text, or an expression between two pieces of text. */
type Part = string | Expression;

/** The literal as JSON text or as parts. Throws: bind.operand for entities and streams in it, and the codes of bindExpression. */
export function bindJson(frame: Frame, tree: JsonTree): Expression {
  return write(frame, tree).value;
}

/** A part of the literal: its text and the expressions in it, and the same as one expression. */
interface Written {
  readonly parts: readonly Part[];
  /** The type of an item of a list; undefined for nested lists and objects. */
  readonly type: ValueType | undefined;
  readonly value: Expression;
}

function writeObject(frame: Frame, tree: Tree.ObjectLiteral): Written {
  const members = tree.members.map(({ name, value }) => ({ name, ...write(frame, value) }));
  const texts = members.map(({ name, parts }) => [`${JSON.stringify(name)}:`, ...parts]);
  const parts = ['{', ...separated(texts), '}'];
  const values = new Map(members.map(({ name, value }) => [name, value]));
  return { parts, type: undefined, value: composed(UNTYPED, parts, values) };
}

function writeList(frame: Frame, tree: Tree.ArrayLiteral | Tree.List): Written {
  const items = tree.items.map((item) => write(frame, item));
  const parts = ['[', ...separated(items.map((item) => item.parts)), ']'];
  return { parts, type: undefined, value: composed(collectionOf(itemTypeOf(frame, items)), parts) };
}

/** A constant if all parts are text. */
export function composed(
  type: ValueType,
  pieces: readonly Part[],
  members?: ReadonlyMap<string, Expression>,
): Expression {
  const parts = mergeText(pieces);
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'string') return { kind: 'json', type, text: only };
  return { kind: 'built', type, parts, members };
}

function itemTypeOf(frame: Frame, items: readonly Written[]): ValueType {
  let common: ValueType = NULL;
  for (const { type } of items) {
    const isKnown = type !== undefined && type.kind !== 'untyped';
    const next = !isKnown ? undefined : commonType(frame.model, common, type);
    if (next === undefined) return NULL;
    common = next;
  }
  return common;
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

function write(frame: Frame, tree: Tree.Expression): Written {
  switch (tree.kind) {
    case 'literal': {
      const value = bindLiteral(frame, tree);
      return { parts: [constantText(value)], type: value.type, value };
    }
    case 'array':
    case 'list':
      return writeList(frame, tree);
    case 'object':
      return writeObject(frame, tree);
    default: {
      const value = frame.session.bind(frame, tree);
      rejectUnwritable(frame, tree, value);
      return { parts: [value], type: isCollection(value.type) ? undefined : value.type, value };
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

function constantText({ type, value }: LiteralExpression): string {
  if (type.kind === 'primitive') return writeJson(type.name, value);
  if (type.kind !== 'enum') return 'null';
  const { members } = type.type;
  const names = members.filter((member) => member.value === value).map(({ name }) => name);
  return JSON.stringify(names[0] ?? String(value));
}
