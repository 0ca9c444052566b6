// This file adds the operations of workflows to a model, for each entity type with one: the function AllowedTransitions and the action
// Transition.
import { CHANGE_EFFECTS } from '../clocks/clock-effects.ts';
import {
  about,
  FLAG,
  namespaceOf,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  withEngine,
  withSchema,
} from '../engine-schema.ts';
import type { ModelDefinition } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';

/** The return type of AllowedTransitions for one entity. */
export const TRANSITIONS_TYPE = `${SYSTEM_NAMESPACE}.AllowedTransitions`;

const FUNCTION = 'AllowedTransitions';
const ACTION = 'Transition';

/** The names of the parameters of Transition. */
export const TRANSITION_PARAMETERS = { to: 'To', values: 'Values', comment: 'Comment' } as const;

const TEXTS = { $Collection: true };

const TYPES = {
  AllowedTransitions: {
    $Kind: 'ComplexType',
    ...about('The transitions that start in the current state of an entity'),
    Entity: about('The URL of the entity'),
    State: { $Type: 'Edm.Int64', ...OPTIONAL, ...about('The code of the current state') },
    Transitions: { $Collection: true, $Type: `${SYSTEM_NAMESPACE}.AllowedTransition` },
  },
  AllowedTransition: {
    $Kind: 'ComplexType',
    ...about('A transition, and what keeps the account from taking it'),
    Symbol: about('The name of the transition'),
    To: { $Type: 'Edm.Int64', ...about('The code of the next state') },
    State: about('The symbol of the next state'),
    Label: about('The text of the next state'),
    Allowed: { ...FLAG, ...about('Whether the account can take it now') },
    Permitted: {
      ...FLAG,
      ...about('Whether the rights and roles of the account permit it, whatever else it needs'),
    },
    Takers: { ...TEXTS, ...about('Who may take it, if not everybody') },
    Guard: { ...OPTIONAL, ...about('The condition that is not true') },
    Comment: { ...FLAG, ...about('Whether it needs a comment') },
    Missing: { ...TEXTS, ...about('Paths of required members without a value') },
    Prompt: { ...TEXTS, ...about('Paths of optional members that forms offer with it') },
    Clocks: {
      $Collection: true,
      $Type: `${SYSTEM_NAMESPACE}.ClockEffect`,
      ...about('What it does to clocks of service levels'),
    },
  },
  ClockEffect: {
    $Kind: 'ComplexType',
    ...about('What a transition does to a clock'),
    Clock: about('The name of the clock'),
    Effect: about(`One of ${CHANGE_EFFECTS.join(', ')}`),
    Deadline: {
      $Type: 'Edm.DateTimeOffset',
      $Precision: 3,
      ...OPTIONAL,
      ...about('The deadline after it, if it is taken now'),
    },
  },
} satisfies JsonObject;

/** Adds the operations; none without workflows. */
export function withWorkflowOperations(definition: ModelDefinition): ModelDefinition {
  const types = definition.types.flatMap((type) =>
    type.kind === 'entity' && type.workflow !== undefined ? [type.name] : [],
  );
  if (types.length === 0) return definition;
  const overloads = types.flatMap((type) => [overload(type, {}), overload(type, TEXTS)]);
  const asking = withEngine('allowed-transitions', withSchema(definition, { elements: TYPES }), {
    elements: { [FUNCTION]: overloads },
    namespace: namespaceOf(definition, FUNCTION),
  });
  return withEngine('transition', asking, {
    elements: { [ACTION]: types.map(action) },
    namespace: namespaceOf(definition, ACTION),
  });
}

function action(type: string): JsonObject {
  const { to, values, comment } = TRANSITION_PARAMETERS;
  const optional = { ...OPTIONAL, '@Core.OptionalParameter': {} };
  return {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: [
      { $Name: 'it', $Type: type },
      { $Name: to, $Type: 'Edm.Untyped', ...about('The next state: value, text or symbol') },
      { $Name: values, $Type: 'Edm.Untyped', ...optional, ...about('Members to change with it') },
      { $Name: comment, ...optional, ...about('A note that is stored with the change') },
    ],
    ...about('Changes the state of the entity'),
  };
}

function overload(type: string, many: JsonObject): JsonObject {
  return {
    $Kind: 'Function',
    $IsBound: true,
    $Parameter: [{ $Name: 'it', $Type: type, ...many }],
    $ReturnType: { $Type: TRANSITIONS_TYPE, ...many },
    ...about('The transitions that start in the current state, and what they need'),
  };
}
