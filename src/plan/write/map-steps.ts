// This file maps the steps of a write, including those in branches and loops.
import type { Steps, WriteStep } from '../write-plan.ts';

/** @param map returns what replaces a step other than a branch or loop */
export function mapSteps(steps: Steps, map: (step: WriteStep) => Steps): Steps {
  const inside = (inner: Steps) => mapSteps(inner, map);
  return steps.flatMap((step): Steps => {
    switch (step.kind) {
      case 'branch':
        return [{ ...step, there: inside(step.there), absent: inside(step.absent) }];
      case 'each':
        return [{ ...step, steps: inside(step.steps) }];
      default:
        return map(step);
    }
  });
}
