// This file finds the constraints of entities: those of their type, of its members, and of the complex values inside. Each becomes
// a condition over the entity. OData CSDL 4.01, "Path Evaluation": paths start at the type that declares the annotated member.
import { Fault } from '../../base/fault.ts';
import { perPair } from '../../base/memo.ts';
import {
  type ComplexType,
  type EntityType,
  lineage,
  type Model,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import { elementPath } from '../../edm/model-error.ts';
import { type Constraint, constraintsOf } from '../../edm/validation/constraints.ts';
import type { Expression, PathStep } from '../../request/tree.ts';
import { nameStep, pathExpression, pathsIn, toExpression } from './dynamic-expression.ts';

export interface EntityConstraint extends Omit<Constraint, 'condition'> {
  /** The annotated element: its JSON path in the model, and its path from the entity, which is empty for the entity itself. */
  readonly location: string;
  readonly target: string;
  /**
   * The condition over the entity. It must be true; null is not. `absent` is a path to a related entity that is taken as absent.
   * Throws: bind.dynamic-expression, request.syntax. A model that has passed its check never throws.
   */
  readonly condition: (absent?: string) => Expression;
  /** Paths from the entity to the members that the condition reads. */
  readonly reads: readonly (readonly string[])[];
}

/** A structured value: the entity, or a complex value inside it. */
interface Place {
  readonly type: StructuredType;
  /** The steps that expressions start with; a lambda variable inside a collection. */
  readonly prefix: readonly PathStep[];
  /** Names from the entity. */
  readonly names: readonly string[];
  /** Completes a condition over the value to one over the entity. */
  readonly around: (condition: Expression) => Expression;
}

/** The constraints of entities of the type, inherited ones included. */
export const entityConstraints = perPair(
  (model: Model, type: EntityType): readonly EntityConstraint[] =>
    constraintsAt(model, { type, prefix: [], names: [], around: (condition) => condition }, []),
);

function constraintsAt(
  model: Model,
  place: Place,
  above: readonly StructuredType[],
): readonly EntityConstraint[] {
  return [place.type, ...lineage(place.type, model.types).slice(1)].flatMap((type) => [
    ...constraintsOf(type).map((one) => placed(model, place, one, [type.name])),
    ...type.members.flatMap((member) => [
      ...constraintsOf(member).map((one) => placed(model, place, one, [type.name, member.name])),
      ...(member.kind === 'property' ? constraintsInside(model, place, member, above) : []),
    ]),
  ]);
}

function placed(
  model: Model,
  { type, prefix, names, around }: Place,
  constraint: Constraint,
  [owner = '', member]: readonly string[],
): EntityConstraint {
  const annotated = member === undefined ? [] : [member];
  const { condition = null } = constraint;
  return {
    ...constraint,
    location: elementPath(owner, ...annotated, `@${constraint.term}`),
    target: [...names, ...annotated].join('/'),
    condition: (absent) => {
      if (constraint.condition === undefined) throw missingCondition(constraint);
      return around(toExpression({ model, type, prefix, absent: below(names, absent) }, condition));
    },
    reads: pathsIn(condition).map((path) => [...names, ...path]),
  };
}

function missingCondition({ term }: Constraint): Fault {
  const reason = 'write {"FailureMessage": …, "Condition": …} with a dynamic expression';
  return new Fault('bind.dynamic-expression', { shown: term, reason });
}

/** The path of the entity without the names before the place; undefined if it is elsewhere. */
function below(names: readonly string[], path: string | undefined): string | undefined {
  const start = names.map((name) => `${name}/`).join('');
  return path?.startsWith(start) === true ? path.slice(start.length) : undefined;
}

function constraintsInside(
  model: Model,
  place: Place,
  property: Property,
  above: readonly StructuredType[],
): readonly EntityConstraint[] {
  const type = model.types.get(property.type);
  const isStructure = type?.kind === 'complex' && type.coded === undefined;
  if (!isStructure || above.includes(type)) return [];
  return constraintsAt(model, placeInside(place, property, type), [...above, type]);
}

/** `Part eq null or …` for a single value, `Parts/all(item1:item1 eq null or …)` for a collection. */
function placeInside(
  place: Place,
  { name, nullable, collection }: Property,
  type: ComplexType,
): Place {
  const names = [...place.names, name];
  const value = [...place.prefix, nameStep(name)];
  if (!collection) {
    const around = (condition: Expression) =>
      place.around(nullable ? orNull(value, condition) : condition);
    return { type, prefix: value, names, around };
  }
  const variable = `item${names.length}`;
  const item = [nameStep(variable)];
  const around = (condition: Expression) => {
    const whole = nullable ? orNull(item, condition) : condition;
    return place.around(
      pathExpression([...value, { kind: 'all', at: 0, variable, condition: whole }]),
    );
  };
  return { type, prefix: item, names, around };
}

function orNull(steps: readonly PathStep[], condition: Expression): Expression {
  const none = { kind: 'literal', at: 0, end: 0, value: { kind: 'null' } } as const;
  const left = {
    kind: 'binary',
    at: 0,
    operator: 'eq',
    left: pathExpression(steps),
    right: none,
  } as const;
  return { kind: 'binary', at: 0, operator: 'or', left, right: condition };
}
