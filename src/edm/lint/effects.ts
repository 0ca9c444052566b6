// This file checks what a model says that its actions do: that each can be carried out, and that what it names is there. Expressions
// are read by other rooms.

import type { Effect, Model, Operation } from '../model.ts';
import { elementPath, type Mistake, missing, mistake, when } from '../model-error.ts';

/** The mistakes of one operation. */
export function lintEffects(model: Model, operation: Operation): readonly Mistake[] {
  const { effects, expression, available, kind, name, returns } = operation;
  if (effects === undefined && available === undefined) return [];
  const path = elementPath(name, '@Docket.Effects');
  const rules: readonly (readonly [boolean, string, string])[] = [
    [
      kind === 'function',
      `The function ${name} has effects.`,
      'Make it an Action, or leave them out: functions change nothing.',
    ],
    [
      effects !== undefined && returns !== undefined && expression === undefined,
      `It is not said what ${name} returns.`,
      'Add @Docket.Expression, or leave $ReturnType out.',
    ],
    [
      returns === undefined && expression !== undefined,
      `${name} returns nothing, and has an expression.`,
      'Add $ReturnType, or leave @Docket.Expression out.',
    ],
    [
      operation.bound && model.types.get(operation.parameters[0]?.type ?? '')?.kind !== 'entity',
      `${name} is bound to a value.`,
      'Bind it to an entity or to a collection of entities.',
    ],
    [
      available !== undefined && !operation.bound,
      `${name} is bound to nothing that could say whether it is available.`,
      'Leave @Docket.Available out, or write an effect with Require.',
    ],
  ];
  return [
    ...rules.flatMap(([isWrong, message, remedy]) =>
      when(isWrong, () => mistake(path, message, remedy)),
    ),
    ...(effects ?? []).flatMap((effect, index) => lintEffect(model, effect, `${path}[${index}]`)),
    ...lintNames(operation, path),
  ];
}

function lintEffect(model: Model, effect: Effect, path: string): readonly Mistake[] {
  const empty = expressionsOf(effect).some((text) => text.trim() === '');
  const entities = [...model.types.values()].filter((type) => type.kind === 'entity');
  const type = effect.kind === 'create' ? effect.type : undefined;
  const isKnown = type === undefined || entities.some(({ name }) => name === type);
  const names = entities.map(({ name }) => name);
  return [
    ...when(empty, () => mistake(path, 'An expression is empty.', 'Write an OData expression.')),
    ...when(!isKnown, () => missing(`${path}.Type`, `the entity type ${type}`, type ?? '', names)),
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

/** What expressions always know, and what therefore nothing else can be called. */
const KNOWN = ['me', 'account', 'now'];

/** What is made needs a name that no parameter and nothing else has. */
function lintNames({ effects = [], parameters }: Operation, path: string): readonly Mistake[] {
  const taken = new Set([...KNOWN, ...parameters.map(({ name }) => name)]);
  return effects.flatMap((effect) => {
    if (effect.kind !== 'create' || effect.as === undefined) return [];
    const isTaken = taken.has(effect.as);
    taken.add(effect.as);
    return when(isTaken, () =>
      mistake(path, `The name ${effect.as} is taken.`, 'Give another one with As.'),
    );
  });
}
