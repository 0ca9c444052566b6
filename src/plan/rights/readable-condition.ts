// This file decides whether an account may read all that a condition of the model depends on. The result of any other condition would
// disclose what is withheld from the account.
import { Fault } from '../../base/fault.ts';
import type { Expression } from '../../bind/bound.ts';
import { secureExpression } from './read-rights.ts';
import type { Guard } from './row-conditions.ts';

/** Whether the account may read the members and rows that the condition depends on, all of them, whatever the row. */
export function isReadable(guard: Guard, condition: Expression): boolean {
  if (guard.rights.everything) return true;
  try {
    return isSame(secureExpression(guard, condition), condition);
  } catch (error) {
    if (error instanceof Fault && error.code.startsWith('access.')) return false;
    throw error;
  }
}

/** Whether both are built alike. The parts of the model that they refer to are the same objects. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSame(Reflect.get(left, name), Reflect.get(right, name)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
