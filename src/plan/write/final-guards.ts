// This file adds guards that run after all steps of a write, because only the final state counts.
import type { Register, Steps, WriteStep } from '../write-plan.ts';

/** A guard, and the rows that must exist for it. Guards with the same key run once. */
export interface FinalGuard {
  readonly step: WriteStep;
  readonly rows: readonly Register[];
  readonly key: string;
}

/** Returns the steps, followed by their guards. @param guardsFor the guards that a step other than a branch or loop requires */
export function withFinalGuards(
  steps: Steps,
  guardsFor: (step: WriteStep) => readonly FinalGuard[],
): Steps {
  const { steps: inner, guards } = splitGuards(steps, guardsFor);
  return guards.length === 0 ? inner : [...inner, ...guards.map(({ step }) => step)];
}

interface StepsWithGuards {
  readonly steps: Steps;
  readonly guards: readonly FinalGuard[];
}

function splitGuards(
  steps: Steps,
  guardsFor: (step: WriteStep) => readonly FinalGuard[],
): StepsWithGuards {
  const parts = steps.map((step) => guardStep(step, guardsFor));
  const guards = parts.flatMap((part) => part.guards);
  const unique = new Map(guards.map((guard) => [guard.key, guard]));
  return { steps: parts.flatMap((part) => part.steps), guards: [...unique.values()] };
}

function guardStep(
  step: WriteStep,
  guardsFor: (step: WriteStep) => readonly FinalGuard[],
): StepsWithGuards {
  switch (step.kind) {
    case 'branch': {
      const there = splitGuards(step.there, guardsFor);
      const absent = splitGuards(step.absent, guardsFor);
      const inner = { ...step, there: there.steps, absent: absent.steps };
      return { steps: [inner], guards: [...there.guards, ...absent.guards].map(ifPresent) };
    }
    // Its registers hold other rows in the next iteration.
    case 'each':
      return { steps: [{ ...step, steps: withFinalGuards(step.steps, guardsFor) }], guards: [] };
    default:
      return { steps: [step], guards: guardsFor(step) };
  }
}

/** Checks the guard only if the branch found or created its rows. */
function ifPresent(guard: FinalGuard): FinalGuard {
  if (guard.step.kind === 'branch') return guard;
  const step = guard.rows.reduce<WriteStep>(
    (there, on) => ({ kind: 'branch', on, there: [there], absent: [] }),
    guard.step,
  );
  return { ...guard, step };
}
