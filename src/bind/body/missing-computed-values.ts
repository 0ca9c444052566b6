// This file says which values the service would make of others but cannot, since a body leaves those out as well. It only tells what is
// certain: whatever else is missing once the expression has been evaluated is refused by the database.
import type { EntityType, Model, Property } from '../../edm/model.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type { Call, Expression } from '../../request/tree.ts';

/** Functions of OData that give null where any of their arguments is null. */
const PASSING_NULL: ReadonlySet<string> = new Set([
  'concat',
  'substring',
  'tolower',
  'toupper',
  'trim',
]);

/** Whether the service makes the value of others, and there must be one. */
export function isMade({ generated, nullable }: Property): boolean {
  return generated !== undefined && 'expression' in generated && !nullable;
}

/**
 * The properties of which any would do for the value to be made; all that it is made of where no one alone would do. Undefined where it
 * can be made, or where nobody knows before it is tried.
 * @param isAbsent whether a property of the entity will certainly be null
 */
export function absentSources(
  model: Model,
  type: EntityType,
  property: Property,
  isAbsent: (property: Property) => boolean,
): readonly string[] | undefined {
  const tree = expressionOf(property);
  const members = [...model.members(type).values()];
  const absent = members.flatMap((member) =>
    member.kind === 'property' && isAbsent(member) ? [member.name] : [],
  );
  if (tree === undefined || !isNull(tree, new Set(absent))) return undefined;
  const used = namesIn(tree);
  const named = absent.filter((name) => used.includes(name));
  const enough = named.filter((name) => {
    const others = new Set(absent);
    others.delete(name);
    return !isNull(tree, others);
  });
  return enough.length > 0 ? enough : named;
}

const read = new WeakMap<Property, Expression>();

/** The expression of a property, read once. */
function expressionOf(property: Property): Expression | undefined {
  const { generated } = property;
  if (generated === undefined || !('expression' in generated)) return undefined;
  const tree = read.get(property) ?? parseExpression(generated.expression, 'the model');
  read.set(property, tree);
  return tree;
}

/** Whether the expression is null for certain where these properties are. */
function isNull(tree: Expression, absent: ReadonlySet<string>): boolean {
  switch (tree.kind) {
    case 'literal':
      return tree.value.kind === 'null';
    case 'path':
      return namesIn(tree).some((name) => absent.has(name));
    case 'case':
      return tree.branches.every(({ value }) => isNull(value, absent));
    case 'call':
      return (
        PASSING_NULL.has(tree.name) &&
        argumentsOf(tree).some((argument) => isNull(argument, absent))
      );
    default:
      return false;
  }
}

/** The properties of the entity that the value is made of, as far as they can make it null. */
function namesIn(tree: Expression): readonly string[] {
  switch (tree.kind) {
    case 'path': {
      const [step, ...more] = tree.steps;
      const isOwn = tree.root.kind === 'current' && more.length === 0;
      return isOwn && step?.kind === 'name' ? [step.name] : [];
    }
    case 'case':
      return tree.branches.flatMap(({ value }) => namesIn(value));
    case 'call':
      return argumentsOf(tree).flatMap(namesIn);
    default:
      return [];
  }
}

function argumentsOf({ arguments: given }: Call): readonly Expression[] {
  return given.kind === 'positional' ? given.values : [];
}
