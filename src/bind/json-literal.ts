// This file turns JSON arrays and objects of the URL into constants of exact JSON text. An array of values of one type has that
// type; of everything else only what it is compared with can tell. OData 4.01 URL Conventions, "Complex and Collection Literals".
import { Fault } from '../base/fault.ts';
import { writeJson } from '../edm/primitives.ts';
import type * as Tree from '../request/tree.ts';
import type { Expression, ValueType } from './bound.ts';
import { bindLiteral } from './literal.ts';
import { type Frame, whereOf } from './scope.ts';
import { collectionOf, commonType, NULL } from './types.ts';

type JsonTree = Tree.ArrayLiteral | Tree.ObjectLiteral | Tree.List;

/** The literal as JSON text. Faults: not-built for anything but constants inside it. */
export function writeConstant(frame: Frame, tree: JsonTree): Expression {
  if (tree.kind === 'object') {
    return { kind: 'json', type: { kind: 'untyped', collection: false }, text: write(frame, tree) };
  }
  return { kind: 'json', type: collectionOf(itemTypeOf(frame, tree)), text: write(frame, tree) };
}

function itemTypeOf(frame: Frame, tree: Tree.ArrayLiteral | Tree.List): ValueType {
  const { model } = frame.session.scope;
  let common: ValueType = NULL;
  for (const item of tree.items) {
    if (item.kind !== 'literal') return NULL;
    const next = commonType(model, common, bindLiteral(frame, item).type);
    if (next === undefined) return NULL;
    common = next;
  }
  return common;
}

function write(frame: Frame, tree: Tree.Expression): string {
  switch (tree.kind) {
    case 'literal':
      return writeValue(frame, tree);
    case 'array':
    case 'list':
      return `[${tree.items.map((item) => write(frame, item)).join(',')}]`;
    case 'object':
      return `{${tree.members.map((member) => `${JSON.stringify(member.name)}:${write(frame, member.value)}`).join(',')}}`;
    default:
      throw new Fault(
        'not-built',
        { feature: 'expressions inside JSON literals' },
        whereOf(frame, tree.at),
      );
  }
}

function writeValue(frame: Frame, tree: Tree.Literal): string {
  const { type, value } = bindLiteral(frame, tree);
  if (type.kind === 'primitive') return writeJson(type.name, value);
  if (type.kind !== 'enum') return 'null';
  const { members } = type.type;
  const names = members.filter((member) => member.value === value).map(({ name }) => name);
  return JSON.stringify(names[0] ?? String(value));
}
