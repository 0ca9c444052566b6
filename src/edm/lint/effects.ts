// This file checks the effects of actions: whether they can be executed and whether the types that they name exist. bind/ checks the
// expressions.
import { isOutOfReach } from '../hidden-operations.ts';
import { type Effect, type Model, memberAt, type Operation } from '../model.ts';
import { elementPath, type Mistake, mistake, mistakeIf, requireKnown } from '../model-error.ts';
import { lintIndex } from './indexes.ts';
import { namesOf } from './members.ts';

/** The mistakes of one operation. */
export function lintEffects(model: Model, operation: Operation): readonly Mistake[] {
  const { effects, expression, available, due, kind, name, returns } = operation;
  if (effects === undefined && available === undefined && due === undefined) return [];
  if (isOutOfReach(model, operation)) return [];
  const path = elementPath(name, '@Docket.Effects');
  const rules: readonly (readonly [boolean, string, string])[] = [
    [
      kind === 'function',
      `The function ${name} has effects.`,
      'Make it an Action or remove the effects. Functions must not change data.',
    ],
    [
      effects !== undefined && returns !== undefined && expression === undefined,
      `${name} has a $ReturnType but no expression for it.`,
      'Add @Docket.Expression or remove $ReturnType.',
    ],
    [
      returns === undefined && expression !== undefined,
      `${name} has an expression but no $ReturnType.`,
      'Add $ReturnType or remove @Docket.Expression.',
    ],
    [
      operation.bound && model.types.get(operation.parameters[0]?.type ?? '')?.kind !== 'entity',
      `${name} is not bound to an entity.`,
      'Bind it to an entity or to a collection of entities.',
    ],
    [
      available !== undefined && !operation.bound,
      `${name} is unbound, so @Docket.Available has no entity to evaluate.`,
      'Remove @Docket.Available, or use an effect with Require.',
    ],
  ];
  return [
    ...rules.flatMap(([isWrong, message, remedy]) =>
      mistakeIf(isWrong, () => mistake(path, message, remedy)),
    ),
    ...(effects ?? []).flatMap((effect, index) => lintEffect(model, effect, `${path}[${index}]`)),
    ...lintNames(operation, path),
    ...lintDue(model, operation),
  ];
}

/** The service calls a due action for one entity, without arguments, and finds the entities by a column. */
function lintDue(model: Model, operation: Operation): readonly Mistake[] {
  const { name, due, effects = [], parameters, recalculates } = operation;
  if (due === undefined) return [];
  const path = elementPath(name, '@Docket.Due');
  const [binding, ...others] = operation.bound ? parameters : [];
  const type = model.types.get(binding?.type ?? '');
  if (
    type?.kind !== 'entity' ||
    binding?.collection === true ||
    (effects.length === 0 && !recalculates)
  )
    return [mistake(path, `${name} cannot be due.`, 'Bind it to one entity, and add effects.')];
  const required = others.find(({ optional }) => optional !== true);
  const unindexed = lintIndex(model, type, [due.at], path);
  const at = memberAt(model, type, due.at);
  const isTime = at?.kind === 'property' && at.type === 'Edm.DateTimeOffset';
  return [
    ...mistakeIf(required !== undefined, () =>
      mistake(
        path,
        `${name} is called without the parameter ${required?.name}.`,
        'Make it optional with @Core.OptionalParameter, or remove it.',
      ),
    ),
    ...unindexed,
    ...mistakeIf(!isTime && unindexed.length === 0, () =>
      mistake(path, `${due.at} is not a point in time.`, 'Use an Edm.DateTimeOffset property.'),
    ),
  ];
}

function lintEffect(model: Model, effect: Effect, path: string): readonly Mistake[] {
  const isEmpty = expressionsOf(effect).some((text) => text.trim() === '');
  const type = effect.kind === 'create' ? effect.type : undefined;
  const names = namesOf(model, ({ kind }) => kind === 'entity');
  return [
    ...mistakeIf(isEmpty, () =>
      mistake(path, 'An expression is empty.', 'Write an OData expression.'),
    ),
    ...requireKnown(`${path}.Type`, 'the entity type', type, names),
  ];
}

function expressionsOf(effect: Effect): readonly string[] {
  switch (effect.kind) {
    case 'require':
      return [effect.condition, effect.message];
    case 'change':
      return [effect.rows, ...Object.values(effect.values)];
    case 'create':
      return [effect.in, ...Object.values(effect.values)];
    case 'delete':
      return [effect.rows];
  }
}

/** Names that are always defined in expressions. */
const RESERVED = ['me', 'account', 'now'];

/** A created entity needs a name of its own. */
function lintNames({ effects = [], parameters }: Operation, path: string): readonly Mistake[] {
  const taken = new Set([...RESERVED, ...parameters.map(({ name }) => name)]);
  return effects.flatMap((effect) => {
    if (effect.kind !== 'create' || effect.as === undefined) return [];
    const isTaken = taken.has(effect.as);
    taken.add(effect.as);
    return mistakeIf(isTaken, () =>
      mistake(path, `The name ${effect.as} is already in use.`, 'Use another name in As.'),
    );
  });
}
