// Finds required values that the service cannot compute because the body omits their inputs. It reports only what is certain; if an
// expression evaluates to null for other reasons, the database rejects the write.
import { perObject } from '../../base/memo.ts';
import type { EntityType, Model, Property } from '../../edm/model.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type { Call, Expression } from '../../request/tree.ts';

/** Functions that return null if any argument is null. */
const NULL_PROPAGATING: ReadonlySet<string> = new Set([
  'concat',
  'substring',
  'tolower',
  'toupper',
  'trim',
]);

/** Whether an expression generates the value, and the value is required. */
export function isRequiredExpression({ generated, nullable }: Property): boolean {
  return generated !== undefined && 'expression' in generated && !nullable;
}

/**
 * The properties of which any one makes the value computable; all its inputs if one alone is not enough. Undefined if the value can
 * be computed, or if only the database knows.
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
  const sufficient = named.filter((name) => {
    const others = new Set(absent);
    others.delete(name);
    return !isNull(tree, others);
  });
  return sufficient.length > 0 ? sufficient : named;
}

function expressionOf({ generated }: Property): Expression | undefined {
  if (generated === undefined || !('expression' in generated)) return undefined;
  return parsed(generated);
}

const parsed = perObject(({ expression }: { readonly expression: string }) =>
  parseExpression(expression, 'the model'),
);

/** Whether the expression is certainly null if these properties are null. */
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
        NULL_PROPAGATING.has(tree.name) &&
        argumentsOf(tree).some((argument) => isNull(argument, absent))
      );
    default:
      return false;
  }
}

/** The properties of the entity that can make the value null. */
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

function argumentsOf({ arguments: args }: Call): readonly Expression[] {
  return args.kind === 'positional' ? args.values : [];
}
