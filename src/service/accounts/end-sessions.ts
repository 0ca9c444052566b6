// This file recognizes the action EndOtherSessions, by which accounts end their sessions on other devices.
import type { BoundInvoke } from '../action/run-action.ts';

/** Whether the operation is EndOtherSessions. */
export function isEndOfSessions({ operation }: BoundInvoke): boolean {
  return operation.engine === 'end-sessions';
}
