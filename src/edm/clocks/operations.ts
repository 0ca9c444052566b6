// This file adds the operations of clocks to a model, for each entity type with `Docket.Clocks`: the functions Explain and WhatIf.
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

/** The return type of Explain and WhatIf. */
const EXPLANATION_TYPE = `${SYSTEM_NAMESPACE}.ClockExplanation`;

const EXPLAIN = 'Explain';
const WHAT_IF = 'WhatIf';

/** The parameter of WhatIf. */
export const WHAT_IF_VALUES = 'Values';

const INSTANT = { $Type: 'Edm.DateTimeOffset', $Precision: 3 };
const TEXT = OPTIONAL;
const DURATION = { $Type: 'Edm.Duration', ...OPTIONAL };
const many = (type: string) => ({ $Collection: true, $Type: `${SYSTEM_NAMESPACE}.${type}` });

const TYPES = {
  ClockExplanation: {
    $Kind: 'ComplexType',
    ...about(
      'How the service level of an entity follows from what the entity and the rules contain',
    ),
    At: { ...INSTANT, ...about('The time for which elapsed and remaining time hold') },
    Start: { ...INSTANT, ...about('When the clocks started') },
    Agreement: { ...TEXT, ...about('The URL of the agreement') },
    Level: { ...TEXT, ...about('The URL of the level') },
    Schedule: { ...TEXT, ...about('The URL of the schedule') },
    TimeZone: { ...TEXT, ...about('The time zone of the schedule') },
    Priority: { $Type: 'Edm.Int64', ...OPTIONAL, ...about('The code of the priority') },
    PriorityReason: {
      ...TEXT,
      ...about(
        'manual: set by hand; level: by the level; otherwise: by the rule for levels without one',
      ),
    },
    PriorityRaised: { ...FLAG, ...about('Whether a condition has raised the priority') },
    Candidates: { ...many('AgreementCandidate'), ...about('All agreements, the best first') },
    Clocks: many('ExplainedClock'),
  },
  AgreementCandidate: {
    $Kind: 'ComplexType',
    ...about('An agreement that was considered'),
    Agreement: about('The URL of the agreement'),
    Rank: { $Type: 'Edm.Int32', ...OPTIONAL, ...about('Its place among those that match') },
    Reason: about('Why it matches, or why it does not'),
  },
  ExplainedClock: {
    $Kind: 'ComplexType',
    Name: about('The name of the clock'),
    State: { ...TEXT, ...about('The symbol of the state') },
    Outcome: { ...TEXT, ...about('The symbol of the outcome') },
    Target: { ...DURATION, ...about('The time that the level permits for the priority') },
    Deadline: { ...INSTANT, ...OPTIONAL },
    DeadlineIsManual: FLAG,
    Elapsed: { ...DURATION, ...about('The working time that the clock has counted') },
    Remaining: { ...DURATION, ...about('The working time until the deadline; negative after it') },
    Intervals: many('ClockInterval'),
    Marks: many('ClockMark'),
  },
  ClockInterval: {
    $Kind: 'ComplexType',
    Kind: about('Counted, Paused or Stopped'),
    From: INSTANT,
    To: { ...INSTANT, ...OPTIONAL, ...about('Null if it has not ended') },
    WorkingTime: { ...DURATION, ...about('Its working time until now') },
    Cause: { ...TEXT, ...about('The symbol of the state that began it; null if none did') },
  },
  ClockMark: {
    $Kind: 'ComplexType',
    Percent: { $Type: 'Edm.Int32' },
    At: { ...INSTANT, ...about('When the clock has counted so much of the target') },
    Reached: FLAG,
  },
} satisfies JsonObject;

/** Adds the functions; none without clocks. */
export function withClockOperations(definition: ModelDefinition): ModelDefinition {
  const types = definition.types.flatMap((type) =>
    type.kind === 'entity' && type.clocks !== undefined ? [type.name] : [],
  );
  if (types.length === 0) return definition;
  const explaining = withEngine('explain', withSchema(definition, { elements: TYPES }), {
    elements: { [EXPLAIN]: types.map(explain) },
    namespace: namespaceOf(definition, EXPLAIN),
  });
  return withEngine('what-if', explaining, {
    elements: { [WHAT_IF]: types.map(whatIf) },
    namespace: namespaceOf(definition, WHAT_IF),
  });
}

function explain(type: string): JsonObject {
  return {
    $Kind: 'Function',
    $IsBound: true,
    $Parameter: [{ $Name: 'it', $Type: type }],
    $ReturnType: { $Type: EXPLANATION_TYPE },
    ...about('The agreement, the priority and the clocks, and what they follow from'),
  };
}

function whatIf(type: string): JsonObject {
  return {
    $Kind: 'Function',
    $IsBound: true,
    $Parameter: [
      { $Name: 'all', $Type: type, $Collection: true },
      {
        $Name: WHAT_IF_VALUES,
        $Type: 'Edm.Untyped',
        ...about('The members, as in a POST request'),
      },
    ],
    $ReturnType: { $Type: EXPLANATION_TYPE },
    ...about('What Explain would return for an entity with these members; nothing is stored'),
  };
}
