// This file adds the actions that move business time to the model of a demo installation. Other installations do not have them.
import { about, withActions } from '../engine-schema.ts';
import type { ModelDefinition } from '../model.ts';

/** The parameter of AdvanceClock, and that of SetClock. */
export const CLOCK_PARAMETERS = { by: 'By', to: 'To' } as const;

const INSTANT = { $Type: 'Edm.DateTimeOffset', $Precision: 3 };

const RESULT = { $ReturnType: INSTANT };

const ADVANCE_CLOCK = {
  $Kind: 'Action',
  $Parameter: [
    { $Name: CLOCK_PARAMETERS.by, $Type: 'Edm.Duration', ...about('How far; above PT0S') },
  ],
  ...RESULT,
  ...about('Lets time pass and performs what is due meanwhile. Returns the new time'),
};

const SET_CLOCK = {
  $Kind: 'Action',
  $Parameter: [{ $Name: CLOCK_PARAMETERS.to, ...INSTANT, ...about('A time in the future') }],
  ...RESULT,
  ...about('Lets time pass until then and performs what is due meanwhile. Returns the new time'),
};

/** Adds the actions AdvanceClock and SetClock, for administrators. */
export function withClockActions(definition: ModelDefinition): ModelDefinition {
  return withActions(definition, [
    ['AdvanceClock', 'move-clock', ADVANCE_CLOCK],
    ['SetClock', 'move-clock', SET_CLOCK],
  ]);
}
